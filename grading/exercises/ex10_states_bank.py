"""The second part of the bank of exercise 10: the ends of both directions; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.bank import Case
from grading.exercises.ex10_numbers import EDGE, drawn, scattered
from grading.exercises.ex10_pads_bank import bank

# masked_last_state ----------------------------------------------------------------------------------

masked_last_state = bank.function("masked_last_state", reference.masked_last_state)


def mask_of(T, *pieces):
    """A mask (B, T) whose rows are real from ``begin`` up to, not including, ``end``."""
    step = torch.arange(T)
    return torch.stack([(begin <= step) & (step < end) for begin, end in pieces])


def piece(rng, T, before, behind):
    """One piece of at least two steps with pads before it, behind it, or both."""
    begin = int(rng.integers(1, 3)) if before else 0
    end = T - int(rng.integers(1, 3)) if behind else T
    return begin, end


@masked_last_state.visible
def _():
    first = torch.tensor([[1.0, 6.0], [2.0, 5.0], [3.0, 4.0]])
    second = torch.tensor([[7.0, 10.0], [8.0, 20.0], [9.0, 30.0]])
    yield Case("the example by hand", torch.stack([first, second]), mask_of(3, (0, 2), (1, 3)))
    rng = np.random.default_rng(20)
    yield Case("rows without pads", drawn(rng, 2, 3, 4), mask_of(3, (0, 3), (0, 3)))
    yield Case("pads on both sides", drawn(rng, 2, 5, 4), mask_of(5, (1, 4), (2, 3)))
    yield Case("a row of pads alone", drawn(rng, 2, 3, 2), mask_of(3, (0, 0), (0, 2)))


@masked_last_state.hidden
def _(rng):
    T = 6
    pieces = [piece(rng, T, *sides) for sides in [(0, 1), (1, 0), (1, 1)]]
    yield Case(
        "pads before, behind, on both sides", drawn(rng, 3, T, 4), mask_of(T, *rng.permutation(pieces))
    )
    behind = [(0, int(length)) for length in rng.permutation([5, 2, 3])]
    yield Case("pads behind, float64", drawn(rng, 3, 5, 6).double(), mask_of(5, *behind))
    before = [(int(begin), 5) for begin in rng.permutation([1, 3, 4])]
    yield Case("pads before", drawn(rng, 3, 5, 4), mask_of(5, *before))
    some = [(0, 0), piece(rng, T, 1, 1), piece(rng, T, 0, 1)]
    yield Case("a row of pads alone", drawn(rng, 3, T, 2), mask_of(T, *rng.permutation(some)))
    pieces = [piece(rng, T, 1, 1), (0, 4)]
    yield Case("not contiguous", scattered(drawn(rng, 2, T, 4)), mask_of(T, *pieces))
    yield Case("a single step", drawn(rng, 2, 1, 4), mask_of(1, (0, 1), (0, 1)), weight=EDGE)


def ends(mask):
    """The first and the last real step of each row; -1 for both in a row without any."""
    T, step = mask.shape[1], torch.arange(mask.shape[1])
    end = torch.where(mask, step, -1).amax(dim=1)
    begin = torch.where(mask, step, T).amin(dim=1)
    return torch.where(mask.any(dim=1), begin, -1), end


def read(states, mask, forward, backward):
    """The forward half at one step of each row, the backward half at another; 0 for a row of pads."""
    rows, H = torch.arange(len(states)), states.shape[2] // 2
    both = torch.cat([states[rows, forward, :H], states[rows, backward, H:]], dim=1)
    return both * mask.any(dim=1)[:, None]


def steps_read(advice):
    """Register a wrong idea about where the states are read: ``idea(mask, begin, end)`` -> two steps."""

    def register(idea):
        def whole(states, mask):
            _, mean = reference.masked_last_state(states, mask)
            return read(states, mask, *idea(mask, *ends(mask))), mean

        whole.__name__ = idea.__name__
        return masked_last_state.wrong(advice)(whole)

    return register


def mean_taken(advice):
    """Register a wrong idea about the mean: ``idea(states, mask)`` -> (B, 2H)."""

    def register(idea):
        def whole(states, mask):
            last, _ = reference.masked_last_state(states, mask)
            return last, idea(states, mask)

        whole.__name__ = idea.__name__
        return masked_last_state.wrong(advice)(whole)

    return register


@steps_read("Your forward half is read in the last column; read it at the last real step of each row.")
def last_column(mask, begin, end):
    return torch.full_like(end, mask.shape[1] - 1), begin


@steps_read("Your backward half is read at the last real step; it has read the row at the first real one.")
def both_at_the_last(mask, begin, end):
    return end, end


@steps_read("Your forward half is read at the first real step; it has read the row at the last real one.")
def both_at_the_first(mask, begin, end):
    return begin, begin


@steps_read(
    "Your two steps are exchanged; the forward half ends at the last real step, the other at the first."
)
def ends_exchanged(mask, begin, end):
    return begin, end


@steps_read(
    "Your last step is counted from column 0; with pads in front it is not the number of steps less 1."
)
def counted_from_the_first_column(mask, begin, end):
    return (mask.sum(dim=1) - 1).clamp(min=0), begin


@steps_read("Your backward half is read in column 0; with pads in front read it at the first real step.")
def backward_in_the_first_column(mask, begin, end):
    return end, torch.zeros_like(begin)


@steps_read("Your forward half is read one step early; the last real step itself counts.")
def one_step_early(mask, begin, end):
    return (end - 1).clamp(min=0), begin


@steps_read("Your forward half is read one step late, in the pads; an index counts from 0.")
def one_step_late(mask, begin, end):
    return (end + 1).clamp(max=mask.shape[1] - 1), begin


@masked_last_state.wrong(
    "Your result is the last column, states[:, -1]; a pad may stand there, and the backward half has read "
    "the row at the first real step."
)
def last_column_of_both(states, mask):
    return states[:, -1], reference.masked_last_state(states, mask)[1]


@masked_last_state.wrong(
    "Your halves are read in the last and the first column; pads may stand there, so look for the real steps."
)
def outer_columns(states, mask):
    H = states.shape[2] // 2
    last = torch.cat([states[:, -1, :H], states[:, 0, H:]], dim=1)
    return last, reference.masked_last_state(states, mask)[1]


@masked_last_state.wrong("Your two halves are added; put them side by side, the forward half first.")
def halves_added(states, mask):
    last, mean = reference.masked_last_state(states, mask)
    return sum(last.chunk(2, dim=1)), mean


@masked_last_state.wrong("Your halves stand in the other order; the forward half comes first.")
def backward_half_first(states, mask):
    last, mean = reference.masked_last_state(states, mask)
    return last.roll(states.shape[2] // 2, dims=1), mean


@masked_last_state.wrong("Your halves are exchanged; the first H numbers go forward, the last H backward.")
def halves_exchanged(states, mask):
    begin, end = ends(mask)
    turned = read(states.roll(states.shape[2] // 2, dims=2), mask, end, begin)
    return turned, reference.masked_last_state(states, mask)[1]


@masked_last_state.wrong("Your halves are the even and the odd units; take the first H units and the last H.")
def every_second_unit(states, mask):
    begin, end = ends(mask)
    order = torch.arange(states.shape[2]).reshape(-1, 2).T.flatten()
    last = read(states[:, :, order], mask, end, begin)
    return last, reference.masked_last_state(states, mask)[1]


@masked_last_state.wrong("Your view mixes rows and steps; to exchange two axes use transpose, not view.")
def scrambled_by_view(states, mask):
    B, T, both = states.shape
    return reference.masked_last_state(states.reshape(T, B, both).transpose(0, 1), mask)


@masked_last_state.wrong("Your row of pads alone gives the state of a pad; both results are zeros there.")
def pads_read_in_empty_rows(states, mask):
    begin, end = ends(mask)
    last = read(states, torch.ones_like(mask), end, begin)
    return last, reference.masked_last_state(states, mask)[1]


@masked_last_state.wrong("Your mean divides by 0 in a row of pads alone; both results are zeros there.")
def mean_of_nothing(states, mask):
    last, _ = reference.masked_last_state(states, mask)
    return last, (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


@mean_taken("Your mean divides by all T steps; divide by the real steps of the row.")
def divided_by_all_steps(states, mask):
    return (states * mask[:, :, None]).mean(dim=1)


@mean_taken("Your mean counts the pads; leave them out of sum and number.")
def pads_in_the_mean(states, mask):
    return states.mean(dim=1)


@mean_taken("Your mean divides each row by the real steps of the whole batch; each row has its own number.")
def divided_by_the_batch(states, mask):
    return (states * mask[:, :, None]).sum(dim=1) / mask.sum()


@mean_taken("Your mean is a sum; divide by the real steps of the row.")
def sum_for_a_mean(states, mask):
    return (states * mask[:, :, None]).sum(dim=1)


@mean_taken("Your mean is the largest value of each unit; add the real steps and divide by their number.")
def largest_for_a_mean(states, mask):
    largest = states.masked_fill(~mask[:, :, None], -torch.inf).amax(dim=1)
    return torch.where(mask.any(dim=1)[:, None], largest, 0.0)


@mean_taken("Your mean leaves out the last real step; a slice up to the last step does not include it.")
def mean_without_the_last(states, mask):
    shorter = mask & (torch.arange(mask.shape[1]) != ends(mask)[1][:, None])
    return reference.masked_last_state(states, shorter)[1]


@masked_last_state.variant
def row_by_row(states, mask):
    H = states.shape[2] // 2
    last, mean = torch.zeros(2, len(states), 2 * H, dtype=states.dtype)
    for n, (row, real) in enumerate(zip(states, mask, strict=True)):
        if real.any():
            row = row[real]
            last[n] = torch.cat([row[-1, :H], row[0, H:]])
            mean[n] = row.mean(dim=0)
    return last, mean


@masked_last_state.variant
def by_gather(states, mask):
    B, T, both = states.shape
    step = torch.arange(1, T + 1)
    end, begin = (mask * step).argmax(dim=1), (mask * step.flip(0)).argmax(dim=1)
    index = torch.stack([end, begin], dim=1)[:, :, None].expand(B, 2, both)
    picked = states.gather(1, index)
    last = torch.cat([picked[:, 0, : both // 2], picked[:, 1, both // 2 :]], dim=1)
    weights = mask.to(states.dtype) / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return last * mask.any(dim=1, keepdim=True), torch.einsum("bt,bth->bh", weights, states)


@masked_last_state.variant
def numpy_with_nonzero(states, mask):
    states, mask = states.numpy().astype(np.float32), mask.numpy()
    last, mean = np.zeros((2, len(states), states.shape[2]))
    for n in range(len(states)):
        steps = np.flatnonzero(mask[n])
        if steps.size:
            forward, backward = np.split(states[n], 2, axis=-1)
            last[n] = np.concatenate([forward[steps[-1]], backward[steps[0]]])
            mean[n] = states[n, steps].sum(axis=0) / steps.size
    return last, mean
