"""More of the fifth part of the bank of exercise 10: wrong shares, variants; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.exercises.ex10_accuracy_bank import accuracy, bank, counted, is_right, shares

__all__ = ["bank"]


def instead(advice):
    """Register a wrong idea that changes the right results: ``idea(overall, each, balanced, batches, K)``."""

    def register(idea):
        def whole(batches, K):
            return idea(*reference.accuracy(batches, K), batches, K)

        whole.__name__ = idea.__name__
        return accuracy.wrong(advice)(whole)

    return register


@accuracy.wrong(
    "Your class shares divide by how often the class is named; divide by the rows with its label."
)
def divided_by_the_named(batches, K):
    scores, labels = counted(batches)
    right = is_right(scores, labels)
    overall, _, balanced = shares(right, labels, K)
    named = shares(right, labels, K, of=torch.where(right, labels, scores.argmax(dim=1)))[1]
    return overall, named, balanced


@instead("Your class shares divide by all rows; divide by the rows of the class.")
def classes_divided_by_all(overall, each, balanced, batches, K):
    labels = counted(batches)[1]
    rows = torch.bincount(labels, minlength=K)
    return overall, torch.where(rows > 0, each * rows / len(labels), -1.0), balanced


@instead("Your class without rows has a share of 0, as if all of them were wrong; -1 says there are none.")
def empty_class_is_zero(overall, each, balanced, batches, K):
    return overall, each.clamp(min=0), balanced


@instead("Your class without rows divides 0 by 0; -1 says that there are none.")
def empty_class_is_nan(overall, each, balanced, batches, K):
    return overall, torch.where(each < 0, torch.nan, each), balanced


@instead("Your mean leaves out the classes with a share of 0; only those without rows have no part.")
def zero_shares_left_out(overall, each, balanced, batches, K):
    return overall, each, each[each > 0].mean() if (each > 0).any() else torch.tensor(0.0)


@instead("Your mean over the classes counts those without rows as 0; leave them out.")
def empty_classes_in_the_mean(overall, each, balanced, batches, K):
    return overall, each, each.clamp(min=0).mean()


@instead("Your mean over the classes counts the -1 of those without rows; leave them out.")
def minus_one_in_the_mean(overall, each, balanced, batches, K):
    return overall, each, each.mean()


@instead(
    "Your mean over the classes weighs them by their rows, which is the accuracy again; weigh all alike."
)
def mean_weighed_by_rows(overall, each, balanced, batches, K):
    return overall, each, overall


@instead("Your accuracy is a number of rows; divide by the rows that count.")
def number_of_right_rows(overall, each, balanced, batches, K):
    return overall * len(counted(batches)[1]), each, balanced


@instead("Your shares are in percent; they go from 0 to 1.")
def in_percent(overall, each, balanced, batches, K):
    return 100 * overall, torch.where(each < 0, -1.0, 100 * each), 100 * balanced


@accuracy.variant
def counted_in_a_loop(batches, K):
    right, rows = [0] * K, [0] * K
    for scores, labels in batches:
        for score, label in zip(scores.tolist(), labels.tolist(), strict=True):
            if label >= 0:
                rows[label] += 1
                right[label] += score[label] > max(score[:label] + score[label + 1 :])
    each = [r / n if n else -1 for r, n in zip(right, rows, strict=True)]
    there = [share for share in each if share >= 0]
    return sum(right) / sum(rows), each, sum(there) / len(there)


@accuracy.variant
def by_the_two_largest(batches, K):
    right, rows = torch.zeros(K), torch.zeros(K)
    for scores, labels in batches:
        (first, second), (named, _) = (part.T for part in scores.topk(2, dim=1))
        hit = (named == labels) & (first > second)
        for k in range(K):
            right[k] += (hit & (labels == k)).sum()
            rows[k] += (labels == k).sum()
    there = rows > 0
    each = torch.full((K,), -1.0)
    each[there] = right[there] / rows[there]
    return (right.sum() / rows.sum()).item(), each, each[there].mean().item()


@accuracy.variant
def numpy_with_a_mask(batches, K):
    scores, labels = (
        np.concatenate([part.numpy() for part in parts]) for parts in zip(*batches, strict=True)
    )
    right = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
    right &= scores.argmax(axis=1) == labels
    each = [right[labels == k].mean() if np.any(labels == k) else -1.0 for k in range(K)]
    return right[labels >= 0].mean(), np.array(each), np.mean([share for share in each if share != -1])
