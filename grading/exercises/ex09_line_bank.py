"""The fourth part of the bank of exercise 09: the gradient along the cell; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex09 as reference
from grading.bank import Case
from grading.exercises.ex09_forward_bank import bank, ragged
from grading.exercises.ex09_numbers import EDGE, scattered, sizes

# cell_line_gradient ---------------------------------------------------------------------------------

cell_line_gradient = bank.function(
    "cell_line_gradient",
    reference.cell_line_gradient,
    terms={
        "gates": "the product of the gates",
        "lengths": "the end of each row and what stands behind it",
    },
)

BOTH = ("gates", "lengths")


def some_gates(rng, B, T, H):
    """Forget gates between 0.2 and 0.98, whole 64ths, in float32."""
    return torch.from_numpy(rng.integers(13, 63, size=(B, T, H)) / 64).float()


def shut_once(rng, f, lengths):
    """One unit of the longest row is shut, at a step between its first and its last."""
    f, n = f.clone(), int(lengths.argmax())
    f[n, int(rng.integers(1, int(lengths[n]))), int(rng.integers(f.shape[2]))] = 0.0
    return f


def full(B, T):
    return torch.full((B,), T)


@cell_line_gradient.visible
def _():
    f = torch.tensor([[[0.25], [0.5], [0.8], [0.5]]] * 2)
    yield Case("the example by hand", f, torch.tensor([4, 2]))
    rng = np.random.default_rng(49)
    yield Case("full rows", some_gates(rng, 2, 5, 3), full(2, 5), terms=("gates",))
    yield Case("a single step", some_gates(rng, 3, 1, 2), torch.tensor([1, 0, 1]), terms=("lengths",))
    f = some_gates(rng, 3, 4, 2)
    f[0, 2, 0] = 0.0
    yield Case("a shut gate, an empty row", f, torch.tensor([4, 0, 3]), terms=BOTH)


@cell_line_gradient.hidden
def _(rng):
    B, T, H = sizes(rng)[0], 5, 3
    yield Case("full rows", some_gates(rng, B, T, H), full(B, T), terms=("gates",))
    B, _, H = sizes(rng)
    lengths = ragged(rng, B, 5)
    yield Case("unequal lengths, float64", some_gates(rng, B, 6, H).double(), lengths, terms=BOTH)
    lengths = ragged(rng, 3, 6)
    yield Case("a shut gate", shut_once(rng, some_gates(rng, 3, 6, 4), lengths), lengths, terms=BOTH)
    lengths = torch.tensor([2, 5, 0, 4])
    f = scattered(shut_once(rng, some_gates(rng, 4, 5, 2), lengths))
    yield Case("not contiguous, an empty row", f, lengths, terms=BOTH)
    lengths = torch.tensor([6])
    yield Case("one row", shut_once(rng, some_gates(rng, 1, 7, 2), lengths), lengths, terms=BOTH)
    lengths = torch.tensor([1, 0])
    yield Case("a single step", some_gates(rng, 2, 1, 3), lengths, terms=("lengths",), weight=EDGE)


def real_steps(f, lengths):
    """(B, T, 1) truth values: is the step a real one?"""
    return (torch.arange(f.shape[1]) < lengths[:, None])[:, :, None]


def products(f, first=1, last=0):
    """For each step the product of the gates from ``first`` steps behind it to ``last`` before the end."""
    T = f.shape[1]
    return torch.stack([f[:, k + first : T - last].prod(dim=1) for k in range(T)], dim=1)


def in_each_row(rule):
    """A wrong rule for full rows, used in each row over its own length; zeros behind it."""

    def whole(f, lengths):
        found = torch.zeros_like(f)
        for n, length in enumerate(lengths.tolist()):
            if length:
                found[n, :length] = rule(f[n : n + 1, :length])[0]
        return found

    return whole


def another_rule(advice):
    """Register a wrong idea about the gates of a row that is full: ``idea(f)`` -> (B, T, H)."""

    def register(idea):
        whole = in_each_row(idea)
        whole.__name__ = idea.__name__
        cell_line_gradient.wrong(advice)(whole)
        return whole

    return register


@another_rule("Your product has one gate too many; f of step s itself stands before c_s, begin with s + 1.")
def gate_of_its_own_step(f):
    return products(f, first=0)


@another_rule("Your product stops one gate early; f of the last step still counts.")
def last_gate_left_out(f):
    return products(f, last=1)


@another_rule("Your product begins one gate late; the gate of step s + 1 multiplies c_s.")
def first_gate_left_out(f):
    return products(f, first=2)


@another_rule("Your product runs from the start of the row to step s; it runs from step s + 1 to the end.")
def from_the_wrong_end(f):
    return f.cumprod(dim=1)


@another_rule("Your products are in reverse order; turn them back after the cumulative product.")
def not_turned_back(f):
    return products(f).flip(1)


@another_rule("Your gates are added; one step after the other, they multiply.")
def gates_added(f):
    T = f.shape[1]
    return torch.stack([f[:, k + 1 :].sum(dim=1) for k in range(T)], dim=1)


@another_rule("Your gradient is a power of the mean gate; multiply the gates themselves.")
def power_of_the_mean(f):
    T = f.shape[1]
    return f.mean(dim=1, keepdim=True) ** torch.arange(T - 1, -1, -1)[:, None]


@another_rule("Your gradient takes the next gate alone; all gates up to the end multiply.")
def next_gate_alone(f):
    return torch.cat([f[:, 1:], torch.ones_like(f[:, :1])], dim=1)


@another_rule("Your gradient multiplies 1 - f; at 1 the forget gate keeps, so the factor is f.")
def what_is_forgotten(f):
    return products(1 - f)


@another_rule("Your product runs over the units as well; each unit has a line of its own.")
def over_the_units(f):
    return products(f.prod(dim=2, keepdim=True)).expand(f.shape)


@another_rule(
    "Your gradient divides one product by another, which is 0 / 0 behind a shut gate; multiply back."
)
def divided(f):
    up_to = f.cumprod(dim=1)
    return up_to[:, -1:] / up_to


@cell_line_gradient.wrong("Your rows all end at the last step; each ends at its own length.")
def lengths_ignored(f, lengths):
    return products(f)


@cell_line_gradient.wrong("Your products run on through the pads; let each end at the length of its row.")
def pads_multiply(f, lengths):
    return products(f) * real_steps(f, lengths)


@cell_line_gradient.wrong(
    "Your gates of pads are set to 0, so no product reaches past them; set them to 1, then clear the result."
)
def gates_of_pads_zero(f, lengths):
    real = real_steps(f, lengths)
    return products(f * real) * real


@cell_line_gradient.wrong(
    "Your gradient is 1 behind the length of a row; the last cell has no part in the pads."
)
def ones_behind_the_end(f, lengths):
    return torch.where(real_steps(f, lengths), reference.cell_line_gradient(f, lengths), 1.0)


@cell_line_gradient.wrong("Your rows end one step early; the last cell of a row is at index length - 1.")
def ends_early(f, lengths):
    return reference.cell_line_gradient(f, lengths - 1)


@cell_line_gradient.wrong("Your rows end one step late; the last cell of a row is at index length - 1.")
def ends_late(f, lengths):
    return reference.cell_line_gradient(f, (lengths + 1).clamp(max=f.shape[1]))


@cell_line_gradient.wrong("Your batch has one length, the longest; each row ends at its own.")
def longest_for_all(f, lengths):
    return reference.cell_line_gradient(f, lengths.max().expand(len(f)))


@cell_line_gradient.fault("gates")
def first_factor_halved(f, lengths):
    found = reference.cell_line_gradient(f, lengths)
    last = torch.arange(f.shape[1]) == lengths[:, None] - 1
    return torch.where(last[:, :, None], found, found / 2)


@cell_line_gradient.fault("lengths")
def half_behind_the_end(f, lengths):
    return torch.where(real_steps(f, lengths), reference.cell_line_gradient(f, lengths), 0.5)


@cell_line_gradient.variant
def cumulative_product_of_the_flipped(f, lengths):
    real = real_steps(f, lengths)
    nexts = torch.where(real, f, 1.0)[:, 1:]  # gates of pads as if they kept everything
    nexts = torch.cat([nexts, torch.ones_like(f[:, :1])], dim=1)
    return nexts.flip(1).cumprod(1).flip(1) * real


@cell_line_gradient.variant
def by_autograd(f, lengths):
    c, cells = torch.zeros_like(f[:, 0]).requires_grad_(), []
    for f_t in f.unbind(1):
        c = f_t * c
        cells.append(c)
    rows = torch.arange(len(f))
    last = torch.stack(cells, dim=1)[rows, (lengths - 1).clamp(min=0)]
    found = torch.autograd.grad((last * (lengths > 0)[:, None]).sum(), cells)
    return torch.stack(found, dim=1)


@cell_line_gradient.variant
def numpy_in_three_loops(f, lengths):
    f = f.numpy().astype(np.float32)
    found = np.zeros_like(f)
    for n, k, unit in np.ndindex(f.shape):
        if k < lengths[n]:
            found[n, k, unit] = np.prod(f[n, k + 1 : int(lengths[n]), unit])
    return found
