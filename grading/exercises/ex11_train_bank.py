"""The fifth part of the bank of exercise 11: an epoch of training; for instructors only.

canary: rnn-course-canary-5b1e9c

The cases without training data enough to learn from are compared number by number and tell wrong ideas
apart. In the trained case the next symbols of rows that were not trained on are counted.
"""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from course_utils.compare import Band
from course_utils.reference import ex11 as reference
from grading.bank import Case
from grading.exercises.ex11_draw_bank import bank
from grading.exercises.ex11_numbers import TERM, drawn, scattered

# train_epoch ----------------------------------------------------------------------------------------

train_epoch = bank.function(
    "train_epoch",
    reference.train_epoch,
    terms={
        "limit": "the clipping",
        "updates": "what one update leaves to the next: gradients, weights, no momentum",
        "carried": "the state between two windows of a group",
        "pads": "the pads",
    },
    seconds=30.0,
)

ALL = ("limit", "updates", "carried", "pads")
V, SIZES = 6, (3, 2)  # tokens, 0 being the pad; sizes of an embedding and of the state
RATE = 0.5
FAR = 1000.0  # a limit that no gradient reaches
NEAR = 0.15  # one that every gradient passes


def some_weights(rng, tokens=V, E=3, H=2, scale=1.0):
    """E, W_xh, W_hh, b, W_hy, b_y of a plain unit."""
    return [
        drawn(rng, *shape, scale=scale)
        for shape in [(tokens, E), (H, E), (H, H), (H,), (tokens, H), (tokens,)]
    ]


def group(rng, *lengths):
    """Inputs and targets of rows of these lengths, padded behind; no token comes twice in a row."""
    T = max(lengths)
    inputs, targets = torch.zeros((2, len(lengths), T), dtype=torch.int64)
    for n, length in enumerate(lengths):
        steps = rng.integers(1, V - 1, size=length + 1).cumsum()
        row = torch.from_numpy(steps % (V - 1) + 1)
        inputs[n, :length], targets[n, :length] = row[:-1], row[1:]
    return inputs, targets


def silent_hand():
    """The weights of the example by hand: all zero, so that only b_y moves."""
    return [torch.zeros(shape) for shape in [(2, 1), (1, 1), (1, 1), (1,), (2, 1), (2,)]]


def several(title, groups, T, weights):
    """A case in which all plays a part: some gradients are longer than the limit, others are not."""
    lengths = []

    class Measured(Loop):
        def shorten(self, gradients, limit):
            lengths.append(length_of(gradients))
            return gradients

    Measured()(groups, T, weights, RATE, FAR)
    limit = round((min(lengths) + max(lengths)) / 2, 3)
    return Case(title, groups, T, weights, RATE, limit, terms=ALL)


@train_epoch.visible
def _():
    ones = torch.ones(1, 2, dtype=torch.int64)
    yield Case("the example by hand", [(ones, ones)], 1, silent_hand(), 1.0, 1.0)
    rng = np.random.default_rng(31)
    weights = some_weights(rng)
    yield Case("clipping alone", [group(rng, 3, 3)], 3, weights, RATE, NEAR, terms=("limit",))
    two = [group(rng, 2, 2), group(rng, 2, 2)]
    yield Case("two groups", two, 2, weights, RATE, FAR, terms=("updates",))
    yield Case("two windows", [group(rng, 4, 4)], 2, weights, RATE, FAR, terms=("updates", "carried"))
    yield Case("pads alone", [group(rng, 4, 2)], 4, weights, RATE, FAR, terms=("pads",))
    yield several("three groups", [group(rng, 3, 2), group(rng, 4, 1), group(rng, 2, 1, 3)], 2, weights)
    yield turning_rows(np.random.default_rng(32), "trained: what comes next?")


@train_epoch.hidden
def _(rng):
    groups = [group(rng, *rng.permutation(lengths)) for lengths in [(4, 2), (1, 3), (2, 3, 1)]]
    yield several("several groups", groups, 3, some_weights(rng))
    groups = [group(rng, *rng.permutation(lengths)) for lengths in [(2, 5), (1, 4)]]
    double = [scattered(weight.double()) for weight in some_weights(rng, E=4, H=3)]
    yield several("float64, not contiguous", groups, 3, double)
    T = int(rng.integers(2, 5))
    yield Case(
        "clipping alone", [group(rng, T, T)], T, some_weights(rng), RATE, NEAR, terms=("limit",), weight=TERM
    )
    carried, weights = [group(rng, 4, 4)], some_weights(rng)
    yield Case("two windows", carried, 2, weights, RATE, FAR, terms=("updates", "carried"), weight=TERM)
    yield Case(
        "pads alone", [group(rng, 4, 2)], 4, some_weights(rng), RATE, FAR, terms=("pads",), weight=TERM
    )
    yield turning_rows(rng, "trained")


LETTERS = 6  # of the rows that are learned; their tokens are 1 to 6


def turning_rows(rng, title):
    """A case with training: rows go round the letters, forward or backward; what comes next?

    Who looks at the last letter alone is right in half the rows: the direction has to be in the state.
    """

    def rows(B, T):
        first, step = rng.integers(LETTERS, size=(B, 1)), rng.choice([1, -1], size=(B, 1))
        return torch.from_numpy((first + step * np.arange(T + 1)) % LETTERS + 1)

    batches = [(row[:, :-1], row[:, 1:]) for row in (rows(12, 6) for _ in range(25))]
    H, E, tokens = 16, 8, LETTERS + 1
    shapes = [(tokens, E), (H, E), (H, H), (H,), (tokens, H), (tokens,)]
    scales = [1.0, E**-0.5, 0.7 * H**-0.5, 0.0, 0.5 * H**-0.5, 0.0]
    weights = [
        torch.tensor(scale * rng.normal(size=shape).round(3), dtype=torch.float32)
        for scale, shape in zip(scales, shapes, strict=True)
    ]
    asked = rows(60, 7)
    band = Band(asked[:, -1].numpy(), 0.9)
    return Case(title, batches, 3, weights, 1.5, 1.0, asked[:, :-1], band=band)


def read(inputs, weights, h):
    """Scores (B, T, V) and the last state of a plain unit."""
    E, W_xh, W_hh, b, W_hy, b_y = weights
    states = []
    for a_t in torch.nn.functional.linear(E[inputs], W_xh, b).unbind(dim=1):
        h = torch.tanh(torch.addmm(a_t, h, W_hh.T))
        states.append(h)
    return torch.nn.functional.linear(torch.stack(states, dim=1), W_hy, b_y), h


def mean_loss(scores, wanted):
    """Mean of -ln P over the targets that are no pads; 0 without any."""
    total = cross_entropy(scores.transpose(1, 2), wanted, ignore_index=0, reduction="sum")
    return total / max(int((wanted != 0).sum()), 1)


def length_of(gradients):
    """The length of all gradients as one vector."""
    return float(torch.stack([gradient.norm() for gradient in gradients]).norm())


def clipped(gradients, limit):
    """All gradients as one vector, at most ``limit`` long."""
    return [gradient * min(1.0, limit / max(length_of(gradients), 1e-30)) for gradient in gradients]


def move(weights, gradients, rate):
    return [weight - rate * gradient for weight, gradient in zip(weights, gradients, strict=True)]


class Loop:
    """The epoch, part by part, so that a wrong idea replaces one of them."""

    def windows(self, inputs, targets, T):
        return [(inputs[:, at : at + T], targets[:, at : at + T]) for at in range(0, inputs.shape[1], T)]

    def start(self, h, count, weights):
        """The state before the first window of a group."""
        return weights[3].new_zeros(count, len(weights[3]))

    def carry(self, h):
        """The state before every further window."""
        return h.detach()

    def loss(self, scores, wanted, inputs):
        return mean_loss(scores, wanted)

    def shorten(self, gradients, limit):
        return clipped(gradients, limit)

    def update(self, weights, gradients, rate, limit):
        return move(weights, self.shorten(gradients, limit), rate)

    def noted(self, losses, counts):
        """What is returned as the loss of the epoch."""
        return float(np.average(losses, weights=counts))

    def __call__(self, groups, T, weights, rate, limit, rows=None):
        losses, counts, h = [], [], None
        weights = [weight.clone() for weight in weights]
        for inputs, targets in groups:
            h = self.start(h, len(inputs), weights)
            for number, (part, wanted) in enumerate(self.windows(inputs, targets, T)):
                leaves = [weight.detach().requires_grad_() for weight in weights]
                scores, h = read(part, leaves, self.carry(h) if number else h)
                loss = self.loss(scores, wanted, part)
                weights = self.update(weights, torch.autograd.grad(loss, leaves), rate, limit)
                losses.append(self.measured(loss, part, wanted, weights, h))
                counts.append(self.weight_of(wanted))
        if rows is not None:
            return read(rows, weights, self.start(None, len(rows), weights))[0][:, -1].argmax(dim=1)
        return *weights, self.noted(losses, counts)

    def measured(self, loss, part, wanted, weights, h):
        return float(loss.detach())

    def weight_of(self, wanted):
        return int((wanted != 0).sum())


def loop(register):
    """Register an epoch in which one part is replaced, under the name of the class that does it."""

    def whole(kind):
        def epoch(groups, T, weights, rate, limit, rows=None):
            return kind()(groups, T, weights, rate, limit, rows)

        epoch.__name__ = kind.__name__
        register(epoch)
        return kind

    return whole


def wrong(advice):
    return loop(train_epoch.wrong(advice))


def fault(term):
    return loop(train_epoch.fault(term))
