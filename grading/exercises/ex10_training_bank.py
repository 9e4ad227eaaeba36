"""The sixth part of the bank of exercise 10: the cases of the training; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.compare import Band
from course_utils.reference import ex10 as reference
from grading.bank import Case
from grading.exercises.ex10_classify_bank import numbers_of_words
from grading.exercises.ex10_gradients import at_the_end, gradients_of, length_of
from grading.exercises.ex10_numbers import drawn, scattered
from grading.exercises.ex10_shares_bank import bank

# train_classifier -----------------------------------------------------------------------------------

train_classifier = bank.function(
    "train_classifier",
    reference.train_classifier,
    terms={
        "limit": "the limit, where the gradient is longer",
        "lengths": "where a row that is shorter than its batch is read",
        "batches": "which batch comes when, and what is carried from one to the next",
    },
    seconds=30.0,
)

ALL, NOT_LIMIT = ("limit", "lengths", "batches"), ("lengths", "batches")
FREE, HELD = 1e3, 0.1  # limits: above every gradient, below every one


def weights_of(rng, V, d, H, K):
    """vectors, W_xh, W_hh, b, W_hy, b_y."""
    shapes = [(V, d), (H, d), (H, H), (H,), (K, H), (K,)]
    return [drawn(rng, *shape) for shape in shapes]


def labels_of(rng, N, K):
    """One label of each class at least, the others at random."""
    return torch.from_numpy(rng.permutation([*range(K), *rng.integers(K, size=N - K)]))


def batches_of(rng, *counts):
    """Places 0, 1, ... in random order, in batches of these sizes."""
    return list(torch.from_numpy(rng.permutation(sum(counts))).split(counts))


def task(rng, lengths, T=3, V=5, d=2, H=2, K=3):
    """Weights and rows."""
    ids = numbers_of_words(rng, lengths, T, V)
    return weights_of(rng, V, d, H, K), ids, lengths, labels_of(rng, len(ids), K)


def full(N, T=3):
    return torch.full((N,), T)


def uneven(rng):
    """Six lengths from 1 to 3, each twice, so that pads stand in most batches."""
    return torch.from_numpy(rng.permutation([1, 2, 3, 1, 2, 3]))


def switched_cases(rng):
    """Limit, pads and batches, switched on one after another."""
    whole = [torch.arange(4)]
    yield Case("one step", *task(rng, full(4)), whole, 1, 0.5, FREE)
    yield Case("one short step", *task(rng, full(4)), whole, 1, 2.0, HELD, terms=("limit",))
    lengths = torch.from_numpy(rng.permutation([1, 2, 3, 2]))
    yield Case("one step with pads", *task(rng, lengths), whole, 1, 0.5, FREE, terms=("lengths",))
    pairs = batches_of(rng, 3, 2)
    yield Case("unequal batches, twice", *task(rng, full(5)), pairs, 2, 0.5, FREE, terms=("batches",))


def between(task, batches, epochs, rate):
    """A limit that some gradients of a training pass and others do not."""
    weights, *rows = task
    weights, rows = [weight.double().numpy() for weight in weights], [part.numpy() for part in rows]
    found = []
    for places in batches * epochs:
        gradients, _ = gradients_of(weights, *(part[places.numpy()] for part in rows), at_the_end())
        found.append(length_of(gradients))
        weights = [weight - rate * gradient for weight, gradient in zip(weights, gradients, strict=True)]
    return round((min(found) + max(found)) / 2, 3)


def limited(title, task, batches, epochs, rate):
    """A case in which all plays a part, the limit too."""
    return Case(title, *task, batches, epochs, rate, between(task, batches, epochs, rate), terms=ALL)


def everything_case(rng, *counts):
    return limited("all together", task(rng, uneven(rng)), batches_of(rng, *counts), 2, 1.5)


def order_rows(rng, pairs, longest=5):
    """Which comes first, word 1 or word 2? Rows in pairs that hold the same words: ids, lengths, labels.

    The words 3 to 5 say nothing. As no bag tells the rows of a pair apart, it is right on one half.
    """
    ids, lengths = np.zeros((2 * pairs, longest), dtype=int), rng.integers(4, longest + 1, size=pairs)
    for pair, length in enumerate(lengths):
        places = np.sort(rng.permutation(length)[:2])
        ids[2 * pair : 2 * pair + 2, :length] = rng.integers(3, 6, size=length)
        ids[2 * pair, places], ids[2 * pair + 1, places] = (1, 2), (2, 1)
    mixed = rng.permutation(2 * pairs)  # else every second row had the class 1
    rows = ids, np.repeat(lengths, 2), np.tile([0, 1], pairs)
    return [torch.from_numpy(part[mixed]) for part in rows]


def start(rng, V=6, d=4, H=12, K=2):
    """Random weights from which a unit can learn to remember; no biases."""

    def normal(*shape, scale):
        return torch.from_numpy(rng.normal(scale=scale, size=shape).round(3)).float()

    vectors, W_xh = normal(V, d, scale=1.0), normal(H, d, scale=d**-0.5)
    W_hh, W_hy = normal(H, H, scale=0.9 * H**-0.5), normal(K, H, scale=H**-0.5)
    return [vectors, W_xh, W_hh, torch.zeros(H), W_hy, torch.zeros(K)]


PAIRS, NEW_PAIRS, BATCH, EPOCHS, RATE, LIMIT = 60, 60, 30, 20, 1.0, 1.0
LEAST_RIGHT = 0.9  # a bag of words has one half


def trained_case(rng):
    """A training whose held-out rows need the order of the words."""
    rows, (new_ids, new_lengths, truth) = order_rows(rng, PAIRS), order_rows(rng, NEW_PAIRS)
    batches = batches_of(rng, *[BATCH] * (2 * PAIRS // BATCH))
    return Case(
        "which came first",
        start(rng),
        *rows,
        batches,
        EPOCHS,
        RATE,
        LIMIT,
        (new_ids, new_lengths),
        band=Band(truth.numpy(), LEAST_RIGHT),
    )


@train_classifier.visible
def _():
    rng = np.random.default_rng(105)
    yield everything_case(rng, 2, 2, 2)  # first: it tells most wrong ideas apart, and quickly
    vectors, square, none = torch.zeros(2, 1), torch.zeros(1, 1), torch.zeros(1)
    weights = [vectors, square, square, none, torch.zeros(2, 1), torch.zeros(2)]
    ids, labels = torch.ones(3, 1, dtype=torch.int64), torch.tensor([1, 1, 0])
    yield Case("one step by hand", weights, ids, full(3, 1), labels, [torch.arange(3)], 1, 0.6, 10.0)
    yield from switched_cases(rng)
    yield trained_case(rng)


@train_classifier.hidden
def _(rng):
    yield everything_case(rng, 4, 2)
    lengths = torch.from_numpy(rng.permutation([1, 2, 3, 2]))
    yield limited("a row by itself", task(rng, lengths, K=2), batches_of(rng, 1, 3), 1, 1.0)
    weights, ids, lengths, labels = task(rng, uneven(rng), T=4, V=4, d=1, H=3)
    double = [weight.double() for weight in weights]
    batches = batches_of(rng, 2, 3, 1)
    yield Case(
        "pads in every row, float64", double, ids, lengths, labels, batches, 1, 0.7, FREE, terms=NOT_LIMIT
    )
    weights, ids, lengths, labels = task(rng, uneven(rng), d=3, H=2, K=4)
    rows = [scattered(weight) for weight in weights], scattered(ids), lengths, labels
    yield limited("not contiguous", rows, batches_of(rng, 3, 3), 2, 1.0)
    yield trained_case(rng)
