"""The second part of the bank of exercise 07: the factor a step; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex07 as reference
from grading.bank import Case
from grading.exercises.ex07_products_bank import bank

# per_step_factor ------------------------------------------------------------------------------------

per_step_factor = bank.function("per_step_factor", reference.per_step_factor)


def some_lengths(rng, factor, T, first, last):
    """Lengths about a line from lag first to last, and off it elsewhere: faster before, level after."""
    lags = np.arange(T)
    line = np.log(factor) * np.clip(lags, first, last) + rng.normal(scale=0.3, size=T)
    return torch.from_numpy(np.exp(line + 1.5 * np.clip(first - lags, 0, None)))


def gone(lengths, lag, value=0.0):
    """The same lengths, from a lag on out of range."""
    lengths = lengths.clone()
    lengths[lag:] = value
    return lengths


def unmeasured(lengths, *lags):
    """The same lengths, 0 at some lags in between."""
    lengths = lengths.clone()
    lengths[list(lags)] = 0.0
    return lengths


def every_second(lengths):
    """The same lengths, with gaps between them in the memory: not contiguous."""
    return lengths.repeat_interleave(2)[::2]


@per_step_factor.visible
def _():
    by_hand = torch.tensor([5.0, 8.0, 8.0, 2.0, 1.0, 0.0, 0.0])
    yield Case("four lengths by hand", by_hand, 1, 4)
    yield Case("the same, up to lag 5", by_hand, 1, 5)
    rng = np.random.default_rng(17)
    yield Case("a falling line", some_lengths(rng, 0.6, 12, 3, 9), 3, 9)
    lengths = unmeasured(some_lengths(rng, 0.8, 12, 2, 9), 4, 5)
    yield Case("two lags not measured", lengths, 2, 9)
    yield Case("an explosion", gone(some_lengths(rng, 40.0, 12, 2, 11), 8, math.inf), 2, 11)


@per_step_factor.hidden
def _(rng):
    def some_range():
        first = int(rng.integers(2, 5))
        return first, first + int(rng.integers(6, 10))

    first, last = some_range()
    yield Case("a falling line", some_lengths(rng, rng.uniform(0.4, 0.8), 18, first, last), first, last)
    first, last = some_range()
    yield Case("a rising line", some_lengths(rng, rng.uniform(1.3, 2.0), 16, first, last), first, last)
    lengths = some_lengths(rng, rng.uniform(0.02, 0.05), 13, 0, 12)
    yield Case("every lag", lengths, 0, 12)
    first, last = some_range()
    lengths = some_lengths(rng, rng.uniform(0.1, 0.3), 15, first, last)
    yield Case("the last lengths are 0", gone(lengths, last - 2), first, last)
    first, last = some_range()
    lengths = some_lengths(rng, rng.uniform(5, 9), 14, first, last)
    yield Case("the last lengths are infinite", gone(lengths, last - 1, math.inf), first, last)
    first, last = some_range()
    lengths = some_lengths(rng, rng.uniform(0.4, 0.6), 15, first, last)
    yield Case("lags not measured", unmeasured(lengths, first + 1, first + 3, first + 4), first, last)
    first, last = some_range()
    lengths = some_lengths(rng, rng.uniform(0.5, 0.9), 17, first, last)
    yield Case("not contiguous", every_second(lengths), first, last)
    lengths = some_lengths(rng, rng.uniform(0.2, 0.4), 14, 2, 10).float()
    yield Case("float32, the last length is 0", gone(lengths, 10), 2, 10)
    yield Case("two lags", some_lengths(rng, rng.uniform(0.3, 0.7), 8, 3, 4), 3, 4)


def chosen(norms, first, last):
    """Lags and lengths, in float64, that belong to the fit."""
    lengths, lags = norms[first : last + 1].double(), torch.arange(first, last + 1).double()
    inside = (lengths > 0) & torch.isfinite(lengths)
    return lags[inside], lengths[inside]


def slope_of(lags, heights):
    centred = lags - lags.mean()
    return (centred @ heights) / (centred @ centred)


@per_step_factor.wrong("Your answer is the slope of the line; the factor is exp of it.")
def slope_itself(norms, first, last):
    return torch.log(reference.per_step_factor(norms, first, last))


@per_step_factor.wrong(
    "Your line goes through log10 of the lengths and then exp; use ln, or 10 to the slope."
)
def log10_and_exp(norms, first, last):
    return torch.exp(torch.log(reference.per_step_factor(norms, first, last)) / math.log(10))


@per_step_factor.wrong(
    "Your line is forced through length 1 at lag 0; fit its height too, by taking lags and logarithms "
    "about their means."
)
def through_the_origin(norms, first, last):
    lags, lengths = chosen(norms, first, last)
    return torch.exp((lags @ lengths.log()) / (lags @ lags))


@per_step_factor.wrong("Your factor comes from the first and the last length alone; fit a line through all.")
def first_and_last_only(norms, first, last):
    lags, lengths = chosen(norms, first, last)
    return (lengths[-1] / lengths[0]) ** (1 / (lags[-1] - lags[0]))


@per_step_factor.wrong(
    "Your factor is the mean of the ratios from lag to lag; fit a line through ln(length)."
)
def mean_of_ratios(norms, first, last):
    _, lengths = chosen(norms, first, last)
    return (lengths[1:] / lengths[:-1]).mean()


@per_step_factor.wrong("Your line goes through the lengths; it belongs through their logarithms.")
def line_through_the_lengths(norms, first, last):
    return torch.exp(slope_of(*chosen(norms, first, last)))


@per_step_factor.wrong("Your line goes through all lags; use those from first to last.")
def all_lags(norms, first, last):
    return reference.per_step_factor(norms, 0, len(norms) - 1)


@per_step_factor.wrong("Your range ends before the last lag; it counts too, so slice up to last + 1.")
def last_left_out(norms, first, last):
    return reference.per_step_factor(norms, first, last - 1)


@per_step_factor.wrong("Your fit has its axes swapped; ln(length) is fitted against the lag.")
def axes_swapped(norms, first, last):
    lags, lengths = chosen(norms, first, last)
    return torch.exp(slope_of(lengths.log(), lags))


@per_step_factor.wrong("Your sign is turned round, so the factor is 1 over what it should be.")
def one_over_the_factor(norms, first, last):
    return 1 / reference.per_step_factor(norms, first, last)


@per_step_factor.wrong("Your factor is that of the whole range; asked for is the factor of one step.")
def factor_of_the_range(norms, first, last):
    lags, _ = chosen(norms, first, last)
    return reference.per_step_factor(norms, first, last) ** (lags[-1] - lags[0])


@per_step_factor.wrong("Your logarithm is taken of length + 1e-12; leave out lengths of 0 instead.")
def small_number_added(norms, first, last):
    lengths, lags = norms[first : last + 1].double(), torch.arange(first, last + 1).double()
    inside = torch.isfinite(lengths)
    return torch.exp(slope_of(lags[inside], (lengths[inside] + 1e-12).log()))


@per_step_factor.wrong("Your fit keeps lengths of 0 and infinity, which have no logarithm; leave them out.")
def nothing_left_out(norms, first, last):
    lengths, lags = norms[first : last + 1].double(), torch.arange(first, last + 1).double()
    return torch.exp(slope_of(lags, lengths.log()))


@per_step_factor.wrong("Your fit leaves out 0 but keeps infinity; leave out both.")
def infinity_kept(norms, first, last):
    lengths, lags = norms[first : last + 1].double(), torch.arange(first, last + 1).double()
    return torch.exp(slope_of(lags[lengths > 0], lengths[lengths > 0].log()))


@per_step_factor.wrong(
    "Your lags are counted anew once lengths are left out; each length keeps the lag that it was measured at."
)
def lags_counted_anew(norms, first, last):
    _, lengths = chosen(norms, first, last)
    return torch.exp(slope_of(torch.arange(len(lengths)).double(), lengths.log()))


@per_step_factor.variant
def polyfit_of_log10(norms, first, last):
    norms = norms.numpy().astype(float)
    lags = np.array([lag for lag in range(first, last + 1) if 0 < norms[lag] < np.inf])
    return 10 ** np.polyfit(lags, np.log10(norms[lags]), 1)[0]


@per_step_factor.variant
def sums_in_a_loop(norms, first, last):
    n = sum_s = sum_y = sum_ss = sum_sy = 0.0
    for s in range(first, last + 1):
        length = float(norms[s])
        if length == 0 or math.isinf(length):
            continue
        y = math.log(length)
        n, sum_s, sum_y, sum_ss, sum_sy = n + 1, sum_s + s, sum_y + y, sum_ss + s * s, sum_sy + s * y
    return math.exp((n * sum_sy - sum_s * sum_y) / (n * sum_ss - sum_s**2))


@per_step_factor.variant
def least_squares_in_float32(norms, first, last):
    logs = norms[first : last + 1].float().log()
    inside = logs.isfinite()
    lags = torch.arange(first, last + 1)[inside].float()
    columns = torch.stack([lags, torch.ones_like(lags)], dim=1)
    return torch.linalg.lstsq(columns, logs[inside][:, None]).solution[0, 0].exp()
