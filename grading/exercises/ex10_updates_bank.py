"""The seventh part of the bank of exercise 10: wrong ideas of a training; for instructors only.

canary: rnn-course-canary-5b1e9c

The gradients come from ``ex10_gradients``.
"""

import numpy as np

from course_utils.reference import ex10 as reference
from grading.exercises.ex10_gradients import (
    at_the_end,
    cross_entropy,
    gradients_of,
    length_of,
    one_hot,
    softmax,
)
from grading.exercises.ex10_training_bank import train_classifier

# train_classifier, wrong ideas ----------------------------------------------------------------------


def shortened(gradients, limit):
    factor = limit / max(length_of(gradients), limit)
    return [factor * gradient for gradient in gradients]


def each_alone(gradients, limit):
    return [shortened([gradient], limit)[0] for gradient in gradients]


def each_number(gradients, limit):
    return [gradient.clip(-limit, limit) for gradient in gradients]


def unclipped(gradients, limit):
    return gradients


def always_to_the_limit(gradients, limit):
    length = length_of(gradients) or 1.0
    return [gradient * limit / length for gradient in gradients]


def trained(
    arguments,
    upstream=None,
    clip=shortened,
    keep=0.0,
    moving=range(6),
    batches=None,
    rate=None,
    carried=False,
):
    """The weights after a training in which one thing is done in another way.

    ``keep`` says how much of the old gradient the next one is added to, ``moving`` which weights move;
    ``carried`` whether a batch begins with the last states of the one before, if it has as many rows.
    """
    weights, ids, lengths, labels, given, epochs, usual, limit = arguments[:8]
    weights = [weight.numpy().astype(float) for weight in weights]
    ids, lengths, labels = (part.numpy() for part in (ids, lengths, labels))
    old, h, rate = [0.0] * 6, None, usual if rate is None else rate * usual
    for rows in [rows.numpy() for rows in given] * epochs if batches is None else batches:
        upstream = upstream or at_the_end()
        begin = h if carried and h is not None and len(h) == len(rows) else None
        new, h = gradients_of(weights, ids[rows], lengths[rows], labels[rows], upstream, begin)
        old = [keep * before + gradient for before, gradient in zip(old, new, strict=True)]
        steps = clip(old, limit)
        for place in moving:
            weights[place] = weights[place] - rate * steps[place]
    return weights


def loss(advice, **ends):
    """Register a wrong idea about the loss: ``idea(scores, labels)`` -> the gradient at the scores (B, K)."""

    def register(idea):
        def whole(*arguments):
            return trained(arguments, at_the_end(idea, **ends))

        whole.__name__ = idea.__name__
        return train_classifier.wrong(advice)(whole)

    return register


@loss("Your loss takes a softmax of the scores first; cross_entropy has its own, so give it the scores.")
def softmax_before_cross_entropy(scores, labels):
    shares = softmax(scores)
    outer = cross_entropy(shares, labels)
    return shares * (outer - (shares * outer).sum(axis=1, keepdims=True))


@loss("Your loss is a sum over the rows; take the mean of the batch.")
def loss_summed(scores, labels):
    return len(labels) * cross_entropy(scores, labels)


@loss("Your loss is a squared error between probabilities and classes; use the cross-entropy.")
def squared_error(scores, labels):
    shares = softmax(scores)
    outer = 2 * (shares - one_hot(labels, scores.shape[1])) / len(labels)
    return shares * (outer - (shares * outer).sum(axis=1, keepdims=True))


@train_classifier.wrong("Your scores are read in the last column, behind the pads; read each row at its end.")
def trained_at_the_last_column(*arguments):
    return trained(arguments, at_the_end(ends=lambda lengths, T: np.full_like(lengths, T - 1)))


@train_classifier.wrong("Your scores are read one step early; in code the last word stands at length - 1.")
def trained_one_step_early(*arguments):
    return trained(arguments, at_the_end(ends=lambda lengths, T: np.maximum(lengths - 2, 0)))


@train_classifier.wrong("Your scores are read one step late; in code the last word stands at length - 1.")
def trained_one_step_late(*arguments):
    return trained(arguments, at_the_end(ends=lambda lengths, T: np.minimum(lengths, T - 1)))


def every_step(scores, labels, counts):
    """The mean cross-entropy over those steps that count, (B, T)."""
    wanted = one_hot(labels, scores.shape[2])[:, None]
    return (softmax(scores) - wanted) * (counts / counts.sum())[:, :, None]


@train_classifier.wrong("Your loss compares the scores of every word; only those at the end of a row count.")
def loss_at_every_word(*arguments):
    def upstream(scores, labels, lengths):
        return every_step(scores, labels, np.arange(scores.shape[1]) < lengths[:, None])

    return trained(arguments, upstream)


@train_classifier.wrong(
    "Your loss compares the scores of every column, pads among them; only the row's end counts."
)
def loss_at_every_column(*arguments):
    return trained(arguments, lambda scores, labels, _: every_step(scores, labels, np.ones(scores.shape[:2])))


@train_classifier.wrong("Your gradient still holds that of the last batch; set it to 0 before each backward.")
def gradients_add_up(*arguments):
    return trained(arguments, keep=1.0)


@train_classifier.wrong("Your gradient is not shortened; where it is longer than the limit, bring it there.")
def never_shortened(*arguments):
    return trained(arguments, clip=unclipped)


@train_classifier.wrong("Your limit holds for each weight by itself; all six gradients are one long vector.")
def each_weight_shortened_alone(*arguments):
    return trained(arguments, clip=each_alone)


@train_classifier.wrong("Your limit cuts each number; shorten the whole gradient by one factor.")
def each_number_cut(*arguments):
    return trained(arguments, clip=each_number)


@train_classifier.wrong("Your gradient is always brought to the limit; leave it alone when it is shorter.")
def always_at_limit(*arguments):
    return trained(arguments, clip=always_to_the_limit)


@train_classifier.wrong("Your step goes uphill; subtract rate times gradient.")
def steps_uphill(*arguments):
    return trained(arguments, rate=-1.0)


@train_classifier.wrong("Your step takes all rows at once; take one step for each batch.")
def all_rows_at_once(*arguments):
    return trained(arguments, batches=[np.arange(len(arguments[1]))] * arguments[5])


@train_classifier.wrong("Your training ends after the first pass; go through the batches epochs times.")
def one_epoch_only(*arguments):
    return reference.train_classifier(*arguments[:5], 1, *arguments[6:8])


@train_classifier.wrong(
    "Your last batch of a pass is left out; every batch gives a step, also a smaller one."
)
def last_batch_left_out(*arguments):
    return trained(arguments, batches=[rows.numpy() for rows in arguments[4][:-1]] * arguments[5])


@train_classifier.wrong(
    "Your batches are taken from the front of the data; the numbers in them say which rows."
)
def batches_from_the_front(*arguments):
    sizes = [len(rows) for rows in arguments[4]]
    return trained(arguments, batches=np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]) * arguments[5])


@train_classifier.wrong("Your training moves W_hy and b_y alone; all six weights learn.")
def read_out_alone(*arguments):
    return trained(arguments, moving=(4, 5))


@train_classifier.wrong(
    "Your batches go on from the last states of the batch before; all rows begin at h = 0."
)
def states_kept_from_batch_to_batch(*arguments):
    return trained(arguments, carried=True)


@train_classifier.wrong("Your batches are repeated one by one; go through all of them, then again.")
def each_batch_repeated(*arguments):
    batches = [rows.numpy() for rows in arguments[4] for _ in range(arguments[5])]
    return trained(arguments, batches=batches)


@train_classifier.wrong("Your loss is divided by the number of all rows; take the mean over the batch.")
def loss_over_all_rows(*arguments):
    def upstream(scores, labels):
        return len(labels) / len(arguments[1]) * cross_entropy(scores, labels)

    return trained(arguments, at_the_end(upstream))


@train_classifier.wrong("Your vectors never move; they learn like the other weights.")
def vectors_stand_still(*arguments):
    return trained(arguments, moving=range(1, 6))


@train_classifier.fault("limit")
def limit_halved(*arguments):
    return trained(arguments, clip=lambda gradients, limit: shortened(gradients, limit / 2))


@train_classifier.fault("lengths")
def shortest_row_for_all(*arguments):
    return trained(arguments, at_the_end(ends=lambda lengths, T: np.full_like(lengths, lengths.min() - 1)))


@train_classifier.fault("batches")
def half_of_the_gradient_kept(*arguments):
    return trained(arguments, keep=0.5)
