"""The fifth part of the bank of exercise 10: shares of right rows; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.bank import Case
from grading.exercises.ex10_classify_bank import bank
from grading.exercises.ex10_numbers import EDGE, scattered

# accuracy -------------------------------------------------------------------------------------------

accuracy = bank.function("accuracy", reference.accuracy)


def scored(rng, label, K, kind):
    """Scores (K,) whole numbers: the label's is the largest, is one of two largest, or is below.

    With "clear" it is the largest, and two of the others are equal.
    """
    scores = rng.permutation(np.arange(1, K + 1))
    others = [k for k in range(K) if k != label]
    if kind in ("right", "clear"):
        scores[label] = K + 3
    if kind == "clear":
        scores[others[:2]] = 1
    elif kind == "tie":
        scores[label] = scores[rng.choice(others)] = K + 3
    else:
        scores[label] = 0
    return scores


def batch(rng, K, rows):
    """One batch: rows are pairs of a label and "right", "tie" or "wrong"; a label below 0 is not counted."""
    scores = [scored(rng, max(label, 0), K, kind) for label, kind in rows]
    return torch.from_numpy(np.stack(scores)).float(), torch.tensor([label for label, _ in rows])


def rows_of(rng, *parts):
    """Rows from (label, kind, how many), in random order."""
    rows = [(label, kind) for label, kind, count in parts for _ in range(count)]
    return [rows[place] for place in rng.permutation(len(rows))]


@accuracy.visible
def _():
    first = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 4.0, 4.0]]), torch.tensor([0, 0, 1])
    second = torch.tensor([[1.0, 5.0, 2.0], [9.0, 2.0, 3.0], [7.0, 1.0, 1.0]]), torch.tensor([1, -1, 0])
    yield Case("the example by hand", [first, second], 3)
    rng = np.random.default_rng(71)
    right, wrong = [(0, "right"), (2, "right"), (1, "right")], [(1, "wrong"), (0, "wrong")]
    yield Case("batches of unequal size", [batch(rng, 3, right), batch(rng, 3, wrong)], 3)
    ties = [(2, "tie"), (0, "tie"), (1, "right"), (0, "right")]
    yield Case("ties", [batch(rng, 3, ties)], 3)
    rows = [(0, "right"), (2, "wrong"), (2, "right"), (-1, "right")]
    yield Case("a class without rows", [batch(rng, 4, rows)], 4)
    rows = [(-100, "right"), (1, "right"), (-1, "wrong"), (0, "wrong"), (-2, "right"), (1, "clear")]
    yield Case("rows that do not count", [batch(rng, 3, rows)], 3)


@accuracy.hidden
def _(rng):
    large = rows_of(rng, (0, "right", 3), (1, "right", 1), (1, "wrong", 1), (2, "right", 1))
    small = rows_of(rng, (2, "wrong", 1), (0, "wrong", 1))
    yield Case("batches of unequal size", [batch(rng, 3, large), batch(rng, 3, small)], 3)
    ties = rows_of(rng, (0, "tie", 3), (1, "tie", 1), (2, "clear", 2), (0, "clear", 2), (1, "wrong", 1))
    yield Case("ties", [batch(rng, 3, ties[:6]), batch(rng, 3, ties[6:])], 3)
    K = int(rng.integers(4, 7))
    rows = rows_of(rng, (1, "right", 2), (1, "wrong", 1), (3, "right", 2), (2, "wrong", 1), (-1, "right", 2))
    yield Case("a class without rows", [batch(rng, K, rows)], K)
    counted = (0, "right", 2), (1, "clear", 1), (1, "wrong", 2)
    rows = rows_of(rng, *counted, (-1, "right", 2), (-100, "right", 2), (-2, "wrong", 1))
    scores, labels = batch(rng, 3, rows[:5])
    yield Case("rows that do not count", [(scores, labels), batch(rng, 3, rows[5:])], 3)
    scores, labels = batch(
        rng, 4, rows_of(rng, (0, "right", 3), (3, "wrong", 1), (2, "right", 1), (3, "tie", 1))
    )
    yield Case("not contiguous, all scores below 0", [(scattered(scores - 20), labels)], 4)
    yield Case("a single row", [batch(rng, 2, [(1, "right")])], 2, weight=EDGE)


def joined(batches):
    """Scores and labels of all rows, the ones that do not count among them."""
    return [torch.cat(parts) for parts in zip(*batches, strict=True)]


def shares(right, labels, K, none=-1.0, of=None):
    """The three results from truth values: of all, of each class, and the mean over classes with rows.

    ``of`` holds the class of each row for the shares of the classes; the label when None.
    """
    of = labels if of is None else of
    right = right.double()
    each = torch.stack(
        [right[of == k].mean() if (of == k).any() else torch.tensor(none).double() for k in range(K)]
    )
    there = torch.stack([(of == k).any() for k in range(K)])
    return right.mean(), each, each[there].mean()


def counted(batches):
    scores, labels = joined(batches)
    return scores[labels >= 0], labels[labels >= 0]


def rightly(advice):
    """Register a wrong idea of when a row is right: ``idea(scores, labels)`` -> (N,)."""

    def register(idea):
        def whole(batches, K):
            scores, labels = counted(batches)
            return shares(idea(scores, labels), labels, K)

        whole.__name__ = idea.__name__
        return accuracy.wrong(advice)(whole)

    return register


def is_right(scores, labels):
    """Is the label's score the largest, with no other as large?"""
    return (scores >= scores.gather(1, labels[:, None])).sum(dim=1) == 1


@rightly("Your ties are right where the label comes first; a row with a tie at the top is wrong.")
def first_of_a_tie(scores, labels):
    return torch.from_numpy(scores.numpy().argmax(axis=1)) == labels


@rightly("Your ties count as right; a row with a tie at the top is wrong.")
def ties_are_right(scores, labels):
    return scores.gather(1, labels[:, None])[:, 0] == scores.amax(dim=1)


@rightly("Your ties count as half a right row; a row with a tie at the top is wrong.")
def ties_are_half(scores, labels):
    own, best = scores.gather(1, labels[:, None])[:, 0], scores.amax(dim=1)
    return (own == best) / (scores == best[:, None]).sum(dim=1)


@rightly("Your rows with any two equal scores are wrong; only a tie at the top makes a row wrong.")
def wrong_by_any_tie(scores, labels):
    equal = torch.tensor([len(set(row)) < len(row) for row in scores.tolist()])
    return is_right(scores, labels) & ~equal


@rightly("Your class is that of the smallest score; take the largest.")
def smallest_score(scores, labels):
    return is_right(-scores, labels)


@rightly("Your shares are those of wrong rows; accuracy counts the right ones.")
def share_of_errors(scores, labels):
    return ~is_right(scores, labels)


@accuracy.wrong("Your argmax runs over the rows; the classes lie along dim 1.")
def argmax_over_rows(batches, K):
    scores, labels = counted(batches)
    named = scores.argmax(dim=0)
    return shares(named[labels] == labels, labels, K)


@accuracy.wrong("Your accuracy is a mean of the batches' accuracies; add right rows and rows, divide once.")
def mean_of_batch_means(batches, K):
    parts = [reference.accuracy([part], K)[0] for part in batches if (part[1] >= 0).any()]
    return sum(parts) / len(parts), *reference.accuracy(batches, K)[1:]


@accuracy.wrong("Your accuracy is that of the last batch; collect all batches first.")
def last_batch_alone(batches, K):
    return reference.accuracy(batches[-1:], K)


@accuracy.wrong("Your rows with a negative label are counted as wrong; leave them out.")
def uncounted_as_wrong(batches, K):
    scores, labels = joined(batches)
    overall = (is_right(scores, labels.clamp(min=0)) & (labels >= 0)).double().mean()
    return overall, *reference.accuracy(batches, K)[1:]


@accuracy.wrong("Your rows with a negative label are counted as right; leave them out.")
def uncounted_as_right(batches, K):
    scores, labels = joined(batches)
    overall = (is_right(scores, labels.clamp(min=0)) | (labels < 0)).double().mean()
    return overall, *reference.accuracy(batches, K)[1:]


@accuracy.wrong(
    "Your rows are left out where the label is -1; every negative label says so, -2 and -100 too."
)
def minus_one_alone_left_out(batches, K):
    scores, labels = joined(batches)
    scores, labels = scores[labels != -1], labels[labels != -1]
    overall = (is_right(scores, labels.clamp(min=0)) & (labels >= 0)).double().mean()
    return overall, *reference.accuracy(batches, K)[1:]


@accuracy.wrong(
    "Your rows are left out where the label is -100; every negative label says so, -1 and -2 too."
)
def minus_hundred_alone_left_out(batches, K):
    scores, labels = joined(batches)
    scores, labels = scores[labels != -100], labels[labels != -100]
    overall = (is_right(scores, labels.clamp(min=0)) & (labels >= 0)).double().mean()
    return overall, *reference.accuracy(batches, K)[1:]


@accuracy.wrong("Your rows with a negative label go to the class 0; leave them out.")
def uncounted_as_class_0(batches, K):
    scores, labels = joined(batches)
    labels = labels.clamp(min=0)
    return shares(is_right(scores, labels), labels, K)


@accuracy.wrong("Your rows with the label -1 go to the last class, where index -1 points; leave them out.")
def uncounted_as_last_class(batches, K):
    scores, labels = joined(batches)
    if (labels < -K).any():
        raise IndexError("there are not so many classes")
    labels = labels % K
    return shares(is_right(scores, labels), labels, K)
