"""The third part of the bank of exercise 09: an LSTM over a padded batch; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence

from course_utils.gated import lstm_gates
from course_utils.reference import ex09 as reference
from grading.bank import Case
from grading.exercises.ex09_gru_bank import bank
from grading.exercises.ex09_numbers import EDGE, TERM, double, drawn, scattered, silent, sizes

# lstm_forward ---------------------------------------------------------------------------------------

lstm_forward = bank.function(
    "lstm_forward",
    reference.lstm_forward,
    terms={
        "input": "the input term x_t @ W_x.T",
        "state": "the recurrent term h @ W_h.T",
        "bias": "the bias b",
        "start": "the start, h0 and c0",
        "lengths": "what states and cells do after the length of a row",
    },
)

ALL = ("input", "state", "bias", "start", "lengths")


def ragged(rng, B, longest):
    """Lengths (B,), all different, at least 1."""
    others = rng.permutation(np.arange(1, longest))[: B - 1]
    return torch.from_numpy(rng.permutation([*others, longest]))


def batch(rng, B, T, d, H):
    """x, and the weights and start."""
    shapes = [(B, T, d), (4 * H, d), (4 * H, H), (4 * H,), (B, H), (B, H)]
    return [drawn(rng, *shape) for shape in shapes]


def silenced_cases(rng, B, T, d, H, weight=1.0):
    """Single terms and pairs, in rows without pads."""
    x, W_x, W_h, b, h0, c0 = batch(rng, B, T, d, H)
    full, no_b, no_start = torch.full((B,), T), silent(b), (silent(h0), silent(c0))
    yield from (
        Case(title, x, full, *arguments, terms=terms, weight=weight)
        for title, arguments, terms in [
            ("the input alone", (W_x, silent(W_h), no_b, *no_start), ("input",)),
            ("the bias alone", (silent(W_x), silent(W_h), b, *no_start), ("bias",)),
            ("input and recurrent term", (W_x, W_h, no_b, *no_start), ("input", "state")),
            ("only a start", (silent(W_x), W_h, no_b, h0, c0), ("state", "start")),
        ]
    )


@lstm_forward.visible
def _():
    ln3 = math.log(3)
    x = torch.tensor([[[1.0], [0.0], [1.0]], [[1.0], [9.0], [9.0]]])
    W_x, b = torch.tensor([[0.0], [0.0], [ln3 / 2], [0.0]]), torch.tensor([0.0, ln3, 0.0, 0.0])
    none = torch.zeros(2, 1)
    yield Case("the example by hand", x, torch.tensor([3, 1]), W_x, torch.zeros(4, 1), b, none, none)
    rng = np.random.default_rng(39)
    yield from silenced_cases(rng, 1, 2, 1, 2)
    x, *rest = batch(rng, 3, 3, 1, 2)
    yield Case("a full row, a short and an empty one", x, torch.tensor([3, 1, 0]), *rest, terms=ALL)


@lstm_forward.hidden
def _(rng):
    def shapes(T):
        B, d, H = sizes(rng)
        return B, T, d, H

    input_alone, _, _, start_alone = silenced_cases(rng, 1, 2, *sizes(rng)[:2], weight=TERM)
    yield from (input_alone, start_alone)
    x, *rest = double(*batch(rng, *shapes(4)))
    yield Case("unequal lengths, float64", x, ragged(rng, len(x), 4), *rest, terms=ALL)
    x, *rest = map(scattered, batch(rng, 3, 4, 1, 2))
    lengths = ragged(rng, 3, 3)  # a pad behind the longest row
    yield Case("not contiguous, pads in every row", x, lengths, *rest, terms=ALL)
    x, *rest = batch(rng, 4, 3, 2, 1)
    yield Case("one row without steps", x, torch.tensor([2, 0, 3, 1]), *rest, terms=ALL)
    x, *rest = batch(rng, 2, 1, 4, 3)
    yield Case("a single step", x, torch.tensor([1, 0]), *rest, terms=ALL, weight=EDGE)


def real_steps(x, lengths):
    """(B, T, 1) truth values: is the step a real one?"""
    return (torch.arange(x.shape[1]) < lengths[:, None])[:, :, None]


def step_of(W_x, W_h, b):
    """The right step: x_t, h, c -> h, c."""

    def step(x_t, h, c):
        i, f, g, o = lstm_gates(x_t, h, W_x, W_h, b)
        c = f * c + i * g
        return o * torch.tanh(c), c

    return step


def walk(step, x, h, c, keep=lambda t, new, old: new):
    """States and cells; ``keep(t, (h, c) after, (h, c) before)`` says what is carried on."""
    found = []
    for t, x_t in enumerate(x.unbind(1)):
        h, c = keep(t, step(x_t, h, c), (h, c))
        found.append((h, c))
    return tuple(torch.stack(part, dim=1) for part in zip(*found, strict=True))


def frozen_by(real, of_h=True, of_c=True):
    """A rule for ``walk``: rows that are not ``real`` (B, T, 1) keep h, c or both."""

    def keep(t, new, old):
        h, c = (torch.where(real[:, t], one, other) for one, other in zip(new, old, strict=True))
        return h if of_h else new[0], c if of_c else new[1]

    return keep


@lstm_forward.wrong("Your loop walks on through the pads; after its length a row keeps h and c.")
def walks_through_the_pads(x, lengths, W_x, W_h, b, h0, c0):
    return walk(step_of(W_x, W_h, b), x, h0, c0)


@lstm_forward.wrong("Your h stands still after the length, but c moves on; freeze both.")
def only_h_frozen(x, lengths, W_x, W_h, b, h0, c0):
    return walk(step_of(W_x, W_h, b), x, h0, c0, frozen_by(real_steps(x, lengths), of_c=False))


@lstm_forward.wrong("Your c stands still after the length, but the read gate goes on; freeze h as well.")
def only_c_frozen(x, lengths, W_x, W_h, b, h0, c0):
    return walk(step_of(W_x, W_h, b), x, h0, c0, frozen_by(real_steps(x, lengths), of_h=False))


@lstm_forward.wrong("Your read gate goes on after the length and reads the frozen cell; freeze h as well.")
def frozen_cell_read_again(x, lengths, W_x, W_h, b, h0, c0):
    real, step = real_steps(x, lengths), step_of(W_x, W_h, b)

    def keep(t, new, old):
        c = torch.where(real[:, t], new[1], old[1])
        o = lstm_gates(x[:, t], old[0], W_x, W_h, b)[3]
        return o * torch.tanh(c), c

    return walk(step, x, h0, c0, keep)


@lstm_forward.wrong("Your rows are zeros after the length, as PyTorch packs them; here they stand still.")
def zeros_after_the_length(x, lengths, W_x, W_h, b, h0, c0):
    h, c = reference.lstm_forward(x, lengths, W_x, W_h, b, h0, c0)
    return h * real_steps(x, lengths), c * real_steps(x, lengths)


@lstm_forward.wrong("Your pads are cleared in x alone; without input a step still moves h and c.")
def pads_cleared(x, lengths, W_x, W_h, b, h0, c0):
    return walk(step_of(W_x, W_h, b), x * real_steps(x, lengths), h0, c0)


@lstm_forward.wrong("Your rows stop one step early; in code step t is real when t < length.")
def stops_one_step_early(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths - 1, W_x, W_h, b, h0, c0)


@lstm_forward.wrong("Your rows stop one step late; in code step t is real when t < length, not t <= length.")
def stops_one_step_late(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths + 1, W_x, W_h, b, h0, c0)


@lstm_forward.wrong("Your batch stops where its shortest row ends; each row has its own length.")
def stops_with_the_shortest(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths.min().expand(len(x)), W_x, W_h, b, h0, c0)


@lstm_forward.wrong("Your start is zero; begin with h0 and c0.")
def start_ignored(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, W_h, b, 0 * h0, 0 * c0)


@lstm_forward.wrong("Your cell starts from zero; begin with c0.")
def cell_start_ignored(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, W_h, b, h0, 0 * c0)


@lstm_forward.wrong("Your starts are exchanged; h0 is the state, c0 the cell.")
def starts_exchanged(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, W_h, b, c0, h0)


@lstm_forward.wrong("Your gates read the cell in place of the state; W_h multiplies h.")
def gates_read_the_cell(x, lengths, W_x, W_h, b, h0, c0):
    step = step_of(W_x, W_h, b)
    return walk(lambda x_t, h, c: step(x_t, c, c), x, h0, c0, frozen_by(real_steps(x, lengths)))


@lstm_forward.wrong("Your cell is set back to c0 at every step; carry the new cell on.")
def cell_never_carried(x, lengths, W_x, W_h, b, h0, c0):
    step = step_of(W_x, W_h, b)
    return walk(lambda x_t, h, c: step(x_t, h, c0), x, h0, c0, frozen_by(real_steps(x, lengths)))


@lstm_forward.wrong("Your new cell is the new state; carry h and c apart, h = o * tanh(c).")
def one_number_carried(x, lengths, W_x, W_h, b, h0, c0):
    step = step_of(W_x, W_h, b)
    return walk(lambda x_t, h, c: 2 * step(x_t, h, c)[:1], x, h0, c0, frozen_by(real_steps(x, lengths)))


@lstm_forward.wrong("Your results have time first, (T, B, H); stack them along dim 1.")
def time_first(x, lengths, W_x, W_h, b, h0, c0):
    found = reference.lstm_forward(x, lengths, W_x, W_h, b, h0, c0)
    return tuple(part.transpose(0, 1) for part in found)


@lstm_forward.fault("input")
def input_halved(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x / 2, lengths, W_x, W_h, b, h0, c0)


@lstm_forward.fault("state")
def recurrent_term_negated(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, -W_h, b, h0, c0)


@lstm_forward.fault("bias")
def bias_doubled(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, W_h, 2 * b, h0, c0)


@lstm_forward.fault("start")
def cell_start_squashed(x, lengths, W_x, W_h, b, h0, c0):
    return reference.lstm_forward(x, lengths, W_x, W_h, b, h0, torch.tanh(c0))


@lstm_forward.fault("lengths")
def start_after_the_length(x, lengths, W_x, W_h, b, h0, c0):
    h, c = reference.lstm_forward(x, lengths, W_x, W_h, b, h0, c0)
    real = real_steps(x, lengths)
    return torch.where(real, h, h.mean()), torch.where(real, c, 1.0)


@lstm_forward.variant
def packed_by_pytorch(x, lengths, W_x, W_h, b, h0, c0):
    lstm = torch.nn.LSTM(x.shape[2], h0.shape[1], batch_first=True, dtype=x.dtype)
    with torch.no_grad():
        for old, new in zip(lstm.parameters(), (W_x, W_h, b, torch.zeros_like(b)), strict=True):
            old.copy_(new)
        states, cells, h, c = [], [], h0, c0
        for t in range(1, x.shape[1] + 1):  # cells are given back for the last step alone
            packed = pack_padded_sequence(x, lengths.clamp(1, t), batch_first=True, enforce_sorted=False)
            h, c = (end[0] for end in lstm(packed, (h0[None].contiguous(), c0[None].contiguous()))[1])
            empty = (lengths == 0)[:, None]
            states.append(torch.where(empty, h0, h))
            cells.append(torch.where(empty, c0, c))
    return torch.stack(states, 1), torch.stack(cells, 1)


@lstm_forward.variant
def read_back_at_the_ends(x, lengths, W_x, W_h, b, h0, c0):
    found = walk(step_of(W_x, W_h, b), x, h0, c0)
    steps = torch.minimum(torch.arange(1, x.shape[1] + 1), lengths[:, None])  # (B, T)
    rows = torch.arange(len(x))[:, None]
    starts = zip((h0, c0), found, strict=True)
    return [torch.cat([start[:, None], part], dim=1)[rows, steps] for start, part in starts]


@lstm_forward.variant
def numpy_row_by_row(x, lengths, W_x, W_h, b, h0, c0):
    x, W_x, W_h, b, h0, c0 = (value.numpy().astype(np.float32) for value in (x, W_x, W_h, b, h0, c0))
    B, T, _ = x.shape
    states, cells = np.zeros((2, B, T, h0.shape[1]))
    for n in range(B):
        h, c = h0[n], c0[n]
        for t in range(T):
            if t < lengths[n]:
                i, f, g, o = (W_x @ x[n, t] + W_h @ h + b).reshape(4, -1)
                c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
                h = np.tanh(c) / (1 + np.exp(-o))
            states[n, t], cells[n, t] = h, c
    return states, cells
