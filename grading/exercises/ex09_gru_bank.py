"""The second part of the bank of exercise 09: one step of the lecture's GRU; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools
import math

import numpy as np
import torch

from course_utils.reference import ex09 as reference
from grading.bank import Case
from grading.exercises.ex09_lstm_bank import bank
from grading.exercises.ex09_numbers import TERM, double, drawn, scattered, silent, sizes

# gru_step -------------------------------------------------------------------------------------------

gru_step = bank.function(
    "gru_step",
    reference.gru_step,
    terms={
        "old": "what is kept of the old state, (1 - z) * h",
        "input": "the input terms x_t @ W_x.T",
        "state": "the recurrent terms, with the reset in that of the candidate",
        "bias": "the three biases",
        "mask": "the rows that the mask leaves as they were",
    },
)

ALL = ("old", "input", "state", "bias", "mask")


def map_of(rng, d, H):
    """Weights (W_x, W_h, b) of one affine map, W_h far from symmetric."""
    W_h = drawn(rng, H, H)
    W_h[0, -1], W_h[-1, 0] = 1.5, -0.5
    return drawn(rng, H, d), W_h, drawn(rng, H)


def without_bias(weights):
    return (*weights[:2], silent(weights[2]))


def some_rows(rng, B):
    """A mask (B,) with rows of both kinds."""
    mask = torch.arange(B) < int(rng.integers(1, B))
    return mask[torch.from_numpy(rng.permutation(B))]


def step_inputs(rng, B, d, H):
    """x_t, h, and the three maps."""
    return [drawn(rng, B, d), drawn(rng, B, H), *(map_of(rng, d, H) for _ in range(3))]


def silenced_cases(rng, B, d, H, weight=1.0):
    """Single terms and a pair, every row in the mask."""
    x_t, h, *maps = step_inputs(rng, B, d, H)
    mask, unbiased = torch.ones(B, dtype=torch.bool), list(map(without_bias, maps))
    yield from (
        Case(title, *arguments, mask, terms=terms, weight=weight)
        for title, arguments, terms in [
            ("an old state alone", (silent(x_t), h, *map(silent, maps)), ("old",)),
            ("the input alone", (x_t, silent(h), *unbiased), ("input",)),
            ("the biases alone", (silent(x_t), silent(h), *maps), ("bias",)),
            ("old state and recurrent terms", (silent(x_t), h, *unbiased), ("old", "state")),
        ]
    )


@gru_step.visible
def _():
    ln3, one, none = math.log(3), torch.ones(1, 1), torch.zeros(1, 1)
    write, reset = (ln3 * one, none, none[0]), (none, none, none[0])
    candidate = none, ln3 / 2 / 0.4 * one, none[0]
    x_t, h = torch.tensor([[1.0], [5.0]]), torch.tensor([[0.8], [-0.4]])
    yield Case("the example by hand", x_t, h, write, reset, candidate, torch.tensor([True, False]))
    rng = np.random.default_rng(29)
    yield from silenced_cases(rng, 2, 1, 3)
    mask = torch.tensor([True, False, True])
    yield Case("three rows, one of them frozen", *step_inputs(rng, 3, 1, 2), mask, terms=ALL)


@gru_step.hidden
def _(rng):
    old_alone, _, bias_alone, _ = silenced_cases(rng, *sizes(rng), weight=TERM)
    yield from (old_alone, bias_alone)
    shapes = sizes(rng)
    mask = some_rows(rng, shapes[0])
    yield Case("some rows frozen, float64", *double(*step_inputs(rng, *shapes)), mask, terms=ALL)
    yield Case("d = H", *step_inputs(rng, 2, 3, 3), some_rows(rng, 2), terms=ALL)
    inputs = map(scattered, double(*step_inputs(rng, 4, 2, 3)))
    yield Case("not contiguous", *inputs, some_rows(rng, 4), terms=ALL)


def sums(x_t, h, weights):
    W_x, W_h, b = weights
    return x_t @ W_x.T + h @ W_h.T + b


def masked(idea):
    """Let a wrong idea change the step only: ``idea(x_t, h, write, reset, candidate)`` -> new states."""

    @functools.wraps(idea, assigned=("__name__",))
    def whole(x_t, h, write, reset, candidate, mask):
        return torch.where(mask[:, None], idea(x_t, h, write, reset, candidate), h)

    del whole.__wrapped__
    return whole


def another_update(advice):
    """Register a wrong idea about what happens to the gates: ``idea(h, z, n)`` -> new states."""

    def register(idea):
        @functools.wraps(idea, assigned=("__name__",))
        def step(x_t, h, write, reset, candidate):
            z, r = torch.sigmoid(sums(x_t, h, write)), torch.sigmoid(sums(x_t, h, reset))
            return idea(h, z, torch.tanh(sums(x_t, r * h, candidate)))

        del step.__wrapped__
        return gru_step.wrong(advice)(masked(step))

    return register


def all_rows(x_t, h, write, reset, candidate):
    """The right step of every row."""
    return reference.gru_step(x_t, h, write, reset, candidate, torch.ones(len(h), dtype=torch.bool))


@another_update("Your z keeps, as in PyTorch; in the lecture's form it writes, (1 - z) * h + z * n.")
def z_keeps(h, z, n):
    return (1 - z) * n + z * h


@another_update("Your old state is kept whole; what is written, z, has to be taken off it: (1 - z) * h.")
def old_state_kept_whole(h, z, n):
    return h + z * n


@another_update("Your candidate comes in whole; only the share z of it is written.")
def candidate_written_whole(h, z, n):
    return (1 - z) * h + n


@gru_step.wrong("Your reset acts after the recurrent product, as in PyTorch; multiply r and h first.")
@masked
def reset_after_the_product(x_t, h, write, reset, candidate):
    z, r = torch.sigmoid(sums(x_t, h, write)), torch.sigmoid(sums(x_t, h, reset))
    W_x, W_h, b = candidate
    return (1 - z) * h + z * torch.tanh(x_t @ W_x.T + r * (h @ W_h.T) + b)


@gru_step.wrong("Your reset multiplies the whole sum of the candidate; it belongs to the old state alone.")
@masked
def reset_of_the_whole_sum(x_t, h, write, reset, candidate):
    z, r = torch.sigmoid(sums(x_t, h, write)), torch.sigmoid(sums(x_t, h, reset))
    return (1 - z) * h + z * torch.tanh(r * sums(x_t, h, candidate))


@gru_step.wrong("Your reset is missing; the candidate reads r * h.")
@masked
def reset_missing(x_t, h, write, reset, candidate):
    z = torch.sigmoid(sums(x_t, h, write))
    return (1 - z) * h + z * torch.tanh(sums(x_t, h, candidate))


@gru_step.wrong("Your reset acts on the kept state, too; only the candidate reads r * h.")
@masked
def kept_state_reset(x_t, h, write, reset, candidate):
    z, r = torch.sigmoid(sums(x_t, h, write)), torch.sigmoid(sums(x_t, h, reset))
    return (1 - z) * r * h + z * torch.tanh(sums(x_t, r * h, candidate))


@gru_step.wrong("Your write gate reads the reset state; gates read h itself.")
@masked
def write_gate_reads_the_reset_state(x_t, h, write, reset, candidate):
    r = torch.sigmoid(sums(x_t, h, reset))
    z = torch.sigmoid(sums(x_t, r * h, write))
    return (1 - z) * h + z * torch.tanh(sums(x_t, r * h, candidate))


@gru_step.wrong("Your write and reset gates are exchanged; the write gate comes first here.")
@masked
def write_and_reset_exchanged(x_t, h, write, reset, candidate):
    return all_rows(x_t, h, reset, write, candidate)


@gru_step.wrong(
    "Your candidate goes through a sigmoid, like the gates; it is a tanh, for a state has both signs."
)
@masked
def sigmoid_of_the_candidate(x_t, h, write, reset, candidate):
    z, r = torch.sigmoid(sums(x_t, h, write)), torch.sigmoid(sums(x_t, h, reset))
    return (1 - z) * h + z * torch.sigmoid(sums(x_t, r * h, candidate))


@gru_step.wrong("Your recurrent weights are transposed; for rows of states it is h @ W_h.T.")
@masked
def all_recurrent_transposed(x_t, h, write, reset, candidate):
    maps = ((W_x, W_h.T, b) for W_x, W_h, b in (write, reset, candidate))
    return all_rows(x_t, h, *maps)


@gru_step.wrong("Your biases are missing; each of the three sums has one.")
@masked
def biases_missing(x_t, h, write, reset, candidate):
    return all_rows(x_t, h, *map(without_bias, (write, reset, candidate)))


@gru_step.wrong("Your step moves the rows outside the mask, too; they keep their h.")
def mask_ignored(x_t, h, write, reset, candidate, mask):
    return all_rows(x_t, h, write, reset, candidate)


@gru_step.wrong("Your mask is read the wrong way round; True means that a row takes the step.")
def mask_inverted(x_t, h, write, reset, candidate, mask):
    return reference.gru_step(x_t, h, write, reset, candidate, ~mask)


@gru_step.wrong("Your rows outside the mask become zeros; a frozen row keeps the state that it had.")
def frozen_rows_cleared(x_t, h, write, reset, candidate, mask):
    return all_rows(x_t, h, write, reset, candidate) * mask[:, None]


@gru_step.wrong("Your mask silences the input alone; without input a step still moves the state.")
def input_masked(x_t, h, write, reset, candidate, mask):
    return all_rows(x_t * mask[:, None], h, write, reset, candidate)


@gru_step.fault("old")
def kept_share_squared(x_t, h, write, reset, candidate, mask):
    z = torch.sigmoid(sums(x_t, h, write))
    new = reference.gru_step(x_t, h, write, reset, candidate, mask)
    return torch.where(mask[:, None], new - z * (1 - z) * h, new)


@gru_step.fault("input")
def input_halved(x_t, h, write, reset, candidate, mask):
    return reference.gru_step(x_t / 2, h, write, reset, candidate, mask)


@gru_step.fault("state")
def recurrent_terms_negated(x_t, h, write, reset, candidate, mask):
    maps = ((W_x, -W_h, b) for W_x, W_h, b in (write, reset, candidate))
    return reference.gru_step(x_t, h, *maps, mask)


@gru_step.fault("bias")
def biases_doubled(x_t, h, write, reset, candidate, mask):
    maps = ((W_x, W_h, 2 * b) for W_x, W_h, b in (write, reset, candidate))
    return reference.gru_step(x_t, h, *maps, mask)


@gru_step.fault("mask")
def frozen_rows_half_way(x_t, h, write, reset, candidate, mask):
    new = all_rows(x_t, h, write, reset, candidate)
    return torch.where(mask[:, None], new, (new + h) / 2)


@gru_step.variant
def with_indexed_rows(x_t, h, write, reset, candidate, mask):
    new = h.clone()
    x_t, old = x_t[mask], h[mask]
    z, r = (torch.sigmoid(x_t @ W.T + old @ U.T + b) for W, U, b in (write, reset))
    W, U, b = candidate
    new[mask] = old + z * (torch.tanh(x_t @ W.T + (r * old) @ U.T + b) - old)
    return new


@gru_step.variant
def stacked_and_chunked(x_t, h, write, reset, candidate, mask):
    W_x, W_h, b = (torch.cat(parts) for parts in zip(reset, write, candidate, strict=True))
    H = h.shape[-1]
    from_x = torch.nn.functional.linear(x_t, W_x, b)
    r, z = torch.sigmoid(from_x[:, : 2 * H] + h @ W_h[: 2 * H].T).chunk(2, dim=-1)
    n = (from_x[:, 2 * H :] + torch.einsum("bj,ij->bi", r * h, W_h[2 * H :])).tanh()
    moved = mask.to(h.dtype).unsqueeze(1) * z
    return (1 - moved) * h + moved * n


@gru_step.variant
def numpy_row_by_row(x_t, h, write, reset, candidate, mask):
    x_t, h, mask = x_t.numpy(), h.numpy(), mask.numpy()
    maps = [[part.numpy().astype(np.float32) for part in weights] for weights in (write, reset, candidate)]

    def affine(weights, x, state):
        return weights[0] @ x + weights[1] @ state + weights[2]

    rows = []
    for x, state, real in zip(x_t, h, mask, strict=True):
        z, r = (1 / (1 + np.exp(-affine(weights, x, state))) for weights in maps[:2])
        new = (1 - z) * state + z * np.tanh(affine(maps[2], x, r * state))
        rows.append(new if real else state)
    return np.array(rows)
