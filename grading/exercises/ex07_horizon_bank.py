"""The third part of the bank of exercise 07: the horizon; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools
import math

import numpy as np
import torch

from course_utils.reference import ex07 as reference
from grading.bank import Case
from grading.exercises.ex07_factor_bank import bank

# horizon --------------------------------------------------------------------------------------------

horizon = bank.function("horizon", reference.horizon)


def between_steps(factor, layers, down, steps):
    """All arguments, with the eps that is reached after ``steps``: not a whole number of them."""
    return factor, down ** (layers - 1) * factor**steps, layers, down


@horizon.visible
def _():
    yield Case("three layers by hand", 0.5, 0.1, 3, 0.8)
    yield Case("one layer", 0.76, 1e-6, 1, 0.8)
    yield Case("a deep stack", 0.9, 0.01, 5, 0.7)
    yield Case("a gradient that grows", 1.2, 1e-6, 2, 0.8)
    yield Case("nothing passes a step", 0.0, 0.01, 2, 0.8)
    yield Case("lost on the way down", 0.76, 0.05, 5, 0.4)
    yield Case("lost on the way down, though it grows", 1.2, 0.1, 4, 0.4)


@horizon.hidden
def _(rng):
    def early():
        return rng.uniform(0.15, 0.35)  # rounded to the nearest it would be down, not up

    def late():
        return rng.uniform(0.65, 0.85)

    def stack(low, high):
        return rng.uniform(low, high), int(rng.integers(3, 6)), rng.uniform(0.6, 0.8)

    def steps(low, high):
        return int(rng.integers(low, high))

    factor, _layers, down = stack(0.5, 0.9)
    yield Case("one layer", *between_steps(factor, 1, down, steps(5, 30) + early()))
    yield Case("a stack", *between_steps(*stack(0.5, 0.8), steps(12, 30) + early()))
    yield Case("a slow factor", *between_steps(*stack(0.97, 0.98), steps(150, 250) + late()))
    factor, layers, _down = stack(0.5, 0.8)
    arguments = factor, layers, rng.uniform(1.1, 1.3), steps(12, 20) + early()
    yield Case("more arrives than was sent", *between_steps(*arguments))
    factor, layers, _down = stack(0.75, 0.9)
    down = rng.uniform(0.5, 0.6)
    yield Case("lost on the way down", factor, 2.5 * down ** (layers - 1), layers, down)
    factor, layers, down = stack(1.05, 1.3)
    yield Case("a gradient that grows", factor, 0.02 * down, layers, down)
    yield Case("a factor of exactly 1", 1.0, rng.uniform(0.001, 0.01), 2, down)
    yield Case("lost on the way down, though it would grow", factor, 0.5, layers, 0.4)
    yield Case("nothing passes a step", 0.0, rng.uniform(0.001, 0.01), 3, down)


def whole_steps(number):
    return math.ceil(number) if math.isfinite(number) else number


def guarded(idea):
    """A wrong idea that treats the special cases as it should."""

    @functools.wraps(idea, assigned=("__name__",))
    def wrapped(factor, eps, layers, down):
        right = reference.horizon(factor, eps, layers, down)
        ordinary = 0 < factor < 1 and right > 0
        return idea(factor, eps, layers, down) if ordinary else right

    del wrapped.__wrapped__
    return wrapped


def steps_to(share, factor):
    return math.log(share) / math.log(factor)


@horizon.wrong(
    "Your answer is the last step that keeps more than eps; round up to the first with at most eps."
)
@guarded
def rounded_down(factor, eps, layers, down):
    return reference.horizon(factor, eps, layers, down) - 1


@horizon.wrong("Your answer is not a whole number of steps; round it up.")
@guarded
def not_rounded(factor, eps, layers, down):
    return steps_to(eps / down ** (layers - 1), factor)


@horizon.wrong("Your answer is rounded to the nearest step; after rounding down more than eps is left.")
@guarded
def rounded_to_the_nearest(factor, eps, layers, down):
    return round(steps_to(eps / down ** (layers - 1), factor))


@horizon.wrong("Your horizon counts to 1/e; put eps, over what has come down, into the logarithm.")
@guarded
def to_one_over_e(factor, eps, layers, down):
    return math.ceil(-1 / math.log(factor))


@horizon.wrong("Your number of steps is negative; ln of eps and ln of the factor are both below 0.")
@guarded
def negative_steps(factor, eps, layers, down):
    return -reference.horizon(factor, eps, layers, down)


@horizon.wrong("Your logarithms have two bases, log10 above and ln below; use the same for both.")
@guarded
def two_bases(factor, eps, layers, down):
    return math.ceil(math.log10(eps / down ** (layers - 1)) / math.log(factor))


@horizon.wrong("Your quotient is upside down; divide ln(eps / what has come down) by ln(factor).")
@guarded
def upside_down(factor, eps, layers, down):
    return math.ceil(1 / steps_to(eps / down ** (layers - 1), factor))


@horizon.wrong("Your gradient loses the same amount at every step; it loses the same share.")
@guarded
def same_amount_at_every_step(factor, eps, layers, down):
    left = down ** (layers - 1)
    return math.ceil((left - eps) / (left * (1 - factor)))


@horizon.wrong("Your horizon ignores the way down; it begins with down ** (layers - 1), not with 1.")
def way_down_ignored(factor, eps, layers, down):
    return reference.horizon(factor, eps, 1, down)


@horizon.wrong("Your way down passes every layer; from the top one of L layers there are L - 1 moves.")
def one_move_down_too_many(factor, eps, layers, down):
    return reference.horizon(factor, eps, layers + 1, down)


@horizon.wrong("Your way down is one move, however many layers there are; it is layers - 1 of them.")
def one_move_down(factor, eps, layers, down):
    return reference.horizon(factor, eps, min(layers, 2), down)


@horizon.wrong("Your gradient goes down at every step; on one path it goes down layers - 1 times in all.")
@guarded
def down_at_every_step(factor, eps, layers, down):
    each = factor * down ** (layers - 1)
    return whole_steps(steps_to(eps, each)) if each < 1 else math.inf


@horizon.wrong("Your answer counts the moves down as steps; asked for is the number of steps back in time.")
def moves_down_counted(factor, eps, layers, down):
    return reference.horizon(factor, eps, layers, down) + layers - 1


@horizon.wrong("Your formula is used for a factor of 1 and above, too; there the gradient is never lost.")
def formula_above_one(factor, eps, layers, down):
    if factor < 1:
        return reference.horizon(factor, eps, layers, down)
    return max(0, math.ceil(steps_to(eps / down ** (layers - 1), factor)))


@horizon.wrong("Your answer for a factor of 0 is 0; lag 0 still has its gradient, it is gone after one step.")
def zero_for_a_factor_of_zero(factor, eps, layers, down):
    return 0 if factor == 0 else reference.horizon(factor, eps, layers, down)


@horizon.wrong(
    "Your formula is used for a factor of 0, too, which has no logarithm; one step loses all there."
)
def logarithm_of_zero(factor, eps, layers, down):
    math.log(factor)
    return reference.horizon(factor, eps, layers, down)


@horizon.wrong("Your number of steps is below 0 where the way down leaves less than eps; it is 0 then.")
def below_zero(factor, eps, layers, down):
    steps = reference.horizon(factor, eps, layers, down)
    if steps == 0 and 0 < factor < 1:
        return math.ceil(steps_to(eps / down ** (layers - 1), factor))
    return steps


@horizon.wrong("Your answer is never for every factor above 1; look first at what has come down.")
def never_above_one(factor, eps, layers, down):
    return math.inf if factor >= 1 else reference.horizon(factor, eps, layers, down)


@horizon.variant
def by_logarithms(factor, eps, layers, down):
    start = math.pow(down, layers - 1)
    if start <= eps:
        return 0
    if factor >= 1:
        return float("inf")
    return 1 if factor == 0 else math.ceil((math.log(eps) - math.log(start)) / math.log(factor))


@horizon.variant
def sum_of_logarithms_in_float32(factor, eps, layers, down):
    down, eps, factor = torch.tensor([down, eps, factor], dtype=torch.float32).log()
    start = (layers - 1) * down
    if start <= eps:
        return torch.tensor(0)
    return torch.tensor(torch.inf) if factor >= 0 else torch.clamp(torch.ceil((eps - start) / factor), min=1)


@horizon.variant
def log10_in_numpy(factor, eps, layers, down):
    share = eps / np.power(down, layers - 1)
    if share >= 1:
        return 0
    if factor >= 1:
        return np.inf
    with np.errstate(divide="ignore"):
        return np.maximum(np.ceil(np.log10(share) / np.log10(np.float64(factor))), 1.0)
