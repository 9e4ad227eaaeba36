"""The third part of the bank of exercise 08: a step with LayerNorm; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools

import numpy as np
import torch

from course_utils.reference import ex08 as reference
from grading.bank import Case
from grading.exercises.ex08_clip_bank import EDGE, normal, scattered
from grading.exercises.ex08_start_bank import bank

# layernorm_rnn_step ---------------------------------------------------------------------------------

layernorm_rnn_step = bank.function(
    "layernorm_rnn_step",
    reference.layernorm_rnn_step,
    terms={
        "input": "the normalised input sum with its gain",
        "state": "the normalised recurrent sum with its gain",
        "bias": "the bias b, added after both",
    },
)

ALL = ("input", "state", "bias")


def drawn(rng, B, d, H):
    """All arguments but eps; gains of both signs away from 1 and from each other."""
    return [
        normal(rng, B, d),
        torch.from_numpy(rng.uniform(-0.9, 0.9, size=(B, H))),
        normal(rng, H, d, scale=0.7) + 0.4,
        normal(rng, H, H, scale=0.7) + 0.4,
        normal(rng, H, scale=0.5),
        torch.from_numpy(rng.uniform(0.3, 0.7, size=H)),
        torch.from_numpy(rng.uniform(1.1, 1.6, size=H)),
    ]


def silenced_cases(rng, sizes):
    """One case for each term alone."""
    for term, silent in [("input", (1, 4)), ("state", (0, 4)), ("bias", (0, 1))]:
        arguments = drawn(rng, *sizes())
        for position in silent:
            arguments[position] = torch.zeros_like(arguments[position])
        yield Case(f"the {term} alone", *arguments, rng.uniform(0.1, 0.3), terms=(term,))


@layernorm_rnn_step.visible
def _():
    x_t, h, W_xh = torch.tensor([[2.0]]), torch.zeros(1, 2), torch.tensor([[1.0], [-1.0]])
    ones = torch.ones(2)
    arguments = x_t, h, W_xh, torch.eye(2), torch.tensor([0.0, 1.0]), ones, ones
    yield Case("two units by hand", *arguments, 1e-8)
    rng = np.random.default_rng(38)
    yield Case("a batch", *drawn(rng, 2, 4, 3), 0.2, terms=ALL)
    yield from silenced_cases(rng, lambda: (2, 4, 3))


@layernorm_rnn_step.hidden
def _(rng):
    def sizes():
        return rng.permutation([3, 4, 5]).tolist()

    def eps():
        return rng.uniform(0.1, 0.3)

    yield Case("a batch", *drawn(rng, *sizes()), eps(), terms=ALL)
    yield from silenced_cases(rng, sizes)
    yield Case("a single row, not contiguous", *map(scattered, drawn(rng, 1, 3, 4)), eps(), terms=ALL)
    yield Case("float32", *(value.float() for value in drawn(rng, *sizes())), eps(), terms=ALL)
    yield Case("the usual eps", *drawn(rng, *sizes()), 1e-5, terms=ALL)
    yield Case("a single unit", *drawn(rng, 3, 2, 1), eps(), weight=EDGE)  # nothing is left but the bias


def centred_over(a, dims, eps):
    centred = a - a.mean(dim=dims, keepdim=True)
    return centred / (centred.square().mean(dim=dims, keepdim=True) + eps).sqrt()


def step(x_t, h, W_xh, W_hh, b, gain_x, gain_h, normalise):
    """The step with another way to normalise."""
    return torch.tanh(gain_x * normalise(x_t @ W_xh.T) + gain_h * normalise(h @ W_hh.T) + b)


def another_normalisation(advice):
    """Register a wrong idea that is another way to normalise: ``idea(a, eps)``."""

    def register(idea):
        @functools.wraps(idea, assigned=("__name__",))
        def whole(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
            return step(x_t, h, W_xh, W_hh, b, gain_x, gain_h, lambda a: idea(a, eps))

        del whole.__wrapped__
        layernorm_rnn_step.wrong(advice)(whole)
        return whole

    return register


@another_normalisation(
    "Your mean and variance are taken over the batch; take them over the units of each row."
)
def over_the_batch(a, eps):
    return centred_over(a, 0, eps)


@another_normalisation("Your mean and variance are shared by all rows; each row has its own, over its units.")
def over_batch_and_units(a, eps):
    return centred_over(a, (0, 1), eps)


@another_normalisation("Your variance divides by H - 1; LayerNorm divides by H (unbiased=False).")
def unbiased_variance(a, eps):
    centred = a - a.mean(dim=1, keepdim=True)
    return centred / (centred.square().sum(dim=1, keepdim=True) / (a.shape[1] - 1) + eps).sqrt()


@another_normalisation("Your eps is missing; a sum without any spread is then 0 divided by 0.")
def eps_missing(a, eps):
    return centred_over(a, 1, 0.0)


@another_normalisation("Your eps is the 1e-5 of PyTorch's layer_norm; pass it the eps that is given.")
def default_eps(a, eps):
    return centred_over(a, 1, 1e-5)


@another_normalisation("Your eps stands outside the root; add it to the variance.")
def eps_outside_the_root(a, eps):
    return (a - a.mean(dim=1, keepdim=True)) / (a.var(dim=1, keepdim=True, unbiased=False).sqrt() + eps)


@another_normalisation("Your sums are divided by the variance; divide by its root.")
def divided_by_the_variance(a, eps):
    return (a - a.mean(dim=1, keepdim=True)) / (a.var(dim=1, keepdim=True, unbiased=False) + eps)


@another_normalisation("Your mean is never subtracted; take it out before dividing.")
def mean_left_in(a, eps):
    return a / (a.var(dim=1, keepdim=True, unbiased=False) + eps).sqrt()


@another_normalisation("Your sums are divided by their root mean square; subtract the mean first.")
def root_mean_square_only(a, eps):
    return a / (a.square().mean(dim=1, keepdim=True) + eps).sqrt()


@layernorm_rnn_step.wrong(
    "Your step normalises the sum of both; here each has its own mean, spread and gain."
)
def normalised_together(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    together = centred_over(gain_x * (x_t @ W_xh.T) + gain_h * (h @ W_hh.T), 1, eps)
    return torch.tanh(together + b)


@layernorm_rnn_step.wrong("Your bias is normalised away with the sum; add it after both are normalised.")
def bias_inside(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    inputs = centred_over(x_t @ W_xh.T + b, 1, eps)
    return torch.tanh(gain_x * inputs + gain_h * centred_over(h @ W_hh.T, 1, eps))


@layernorm_rnn_step.wrong("Your gains are applied before the mean and spread are taken; multiply afterwards.")
def gains_inside(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    one, other = centred_over(gain_x * (x_t @ W_xh.T), 1, eps), centred_over(gain_h * (h @ W_hh.T), 1, eps)
    return torch.tanh(one + other + b)


@layernorm_rnn_step.wrong(
    "Your gains are swapped; gain_x belongs to the input sum, gain_h to the recurrent one."
)
def gains_swapped(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return reference.layernorm_rnn_step(x_t, h, W_xh, W_hh, b, gain_h, gain_x, eps)


@layernorm_rnn_step.wrong(
    "Your step normalises after the tanh; LayerNorm keeps the slopes only when it comes before."
)
def after_the_tanh(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return centred_over(torch.tanh(gain_x * (x_t @ W_xh.T) + gain_h * (h @ W_hh.T) + b), 1, eps)


@layernorm_rnn_step.wrong("Your tanh is missing; the state is the tanh of the three terms.")
def without_tanh(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    normalise = functools.partial(centred_over, dims=1, eps=eps)
    return gain_x * normalise(x_t @ W_xh.T) + gain_h * normalise(h @ W_hh.T) + b


@layernorm_rnn_step.wrong("Your step normalises x and h themselves; normalise the sums W_xh x and W_hh h.")
def operands_normalised(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    x_t, h = centred_over(x_t, 1, eps), centred_over(h, 1, eps)
    return torch.tanh(gain_x * (x_t @ W_xh.T) + gain_h * (h @ W_hh.T) + b)


@layernorm_rnn_step.wrong("Your recurrent sum uses W_hh transposed; for rows it is h @ W_hh.T.")
def recurrent_transposed(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return reference.layernorm_rnn_step(x_t, h, W_xh, W_hh.T, b, gain_x, gain_h, eps)


@layernorm_rnn_step.fault("input")
def input_counted_twice(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return reference.layernorm_rnn_step(x_t, h, W_xh, W_hh, b, 2 * gain_x, gain_h, eps)


@layernorm_rnn_step.fault("state")
def state_without_gain(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return reference.layernorm_rnn_step(x_t, h, W_xh, W_hh, b, gain_x, torch.ones_like(gain_h), eps)


@layernorm_rnn_step.fault("bias")
def bias_subtracted(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    return reference.layernorm_rnn_step(x_t, h, W_xh, W_hh, -b, gain_x, gain_h, eps)


@layernorm_rnn_step.variant
def with_torch(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    norm = torch.nn.functional.layer_norm
    units = (len(b),)
    return torch.tanh(norm(x_t @ W_xh.T, units, gain_x, b, eps) + norm(h @ W_hh.T, units, gain_h, None, eps))


@layernorm_rnn_step.variant
def row_by_row(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    def norm(a):
        return (a - a.sum() / len(a)) / (a.var(unbiased=False) + eps) ** 0.5

    rows = [
        torch.tanh(gain_x * norm(W_xh @ x) + gain_h * norm(W_hh @ state) + b)
        for x, state in zip(x_t, h, strict=True)
    ]
    return torch.stack(rows)


@layernorm_rnn_step.variant
def in_numpy_and_float32(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    x_t, h, W_xh, W_hh, b, gain_x, gain_h = (
        value.numpy().astype(np.float32) for value in (x_t, h, W_xh, W_hh, b, gain_x, gain_h)
    )

    def norm(a):
        return (a - a.mean(axis=-1, keepdims=True)) / np.sqrt(a.var(axis=-1, keepdims=True) + eps)

    return np.tanh(norm(np.einsum("bd,hd->bh", x_t, W_xh)) * gain_x + norm(h @ W_hh.T) * gain_h + b)
