"""The first part of the bank of exercise 09: one step of an LSTM; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools
import math

import numpy as np
import torch

from course_utils.reference import ex09 as reference
from grading.bank import Bank, Case
from grading.exercises.ex09_numbers import TERM, double, drawn, scattered, silent, sizes

bank = Bank("ex09")

# lstm_step ------------------------------------------------------------------------------------------

lstm_step = bank.function(
    "lstm_step",
    reference.lstm_step,
    terms={
        "input": "the input term x_t @ W_x.T",
        "state": "the recurrent term h @ W_h.T",
        "bias": "the bias b",
        "cell": "the old cell, f * c, and what is read of it",
        "order": "which block belongs to which letter of the order",
    },
)

TORCH = "ifgo"
ALONE = ("input", "state", "bias", "cell")
ALL = (*ALONE, "order")
# Orders that are not their own inverse: who sorts the blocks the wrong way round is seen in these.
ONE_WAY = ["igof", "iofg", "fgio", "foig", "gifo", "gfoi", "gofi", "oifg", "oigf", "ogif"]


def step_inputs(rng, B, d, H):
    """All arguments but the order."""
    return [drawn(rng, *shape) for shape in [(B, d), (B, H), (B, H), (4 * H, d), (4 * H, H), (4 * H,)]]


def silenced(rng, B, d, H):
    """The arguments but the order of four cases, one for each of the first four terms alone."""
    x_t, h, c, W_x, W_h, b = step_inputs(rng, B, d, H)
    no_x, no_h, no_c, no_b = map(silent, (x_t, h, c, b))
    return {
        "input": (x_t, no_h, no_c, W_x, W_h, no_b),
        "state": (no_x, h, no_c, W_x, W_h, no_b),
        "bias": (no_x, no_h, no_c, W_x, W_h, b),
        "cell": (no_x, no_h, c, W_x, W_h, no_b),
    }


@lstm_step.visible
def _():
    ln3, none = math.log(3), torch.zeros(1, 1)
    W_x = torch.tensor([[ln3], [2 * ln3], [ln3 / 2], [0.0]])
    yield Case(
        "the example by hand", 1 + none, none, 1 + none, W_x, torch.zeros(4, 1), torch.zeros(4), "fogi"
    )
    rng = np.random.default_rng(19)
    for term, arguments in silenced(rng, 2, 1, 3).items():
        yield Case(f"the {term} alone", *arguments, TORCH, terms=(term,))
    yield Case("output before candidate", *step_inputs(rng, 2, 3, 2), "ifog", terms=ALL)
    yield Case("another order, float64", *double(*step_inputs(rng, 1, 2, 3)), "gifo", terms=ALL)


@lstm_step.hidden
def _(rng):
    yield Case("PyTorch's order", *step_inputs(rng, *sizes(rng)), TORCH, terms=ALONE, weight=TERM)
    cell_alone = silenced(rng, *sizes(rng))["cell"]
    yield Case("the cell alone", *cell_alone, str(rng.choice(ONE_WAY)), terms=("cell",), weight=TERM)
    yield Case("output before candidate", *double(*step_inputs(rng, *sizes(rng))), "ifog", terms=ALL)
    yield Case("another order", *step_inputs(rng, *sizes(rng)), str(rng.choice(ONE_WAY)), terms=ALL)
    row = map(scattered, double(*step_inputs(rng, 1, 3, 4)))
    yield Case("a single row, not contiguous", *row, str(rng.choice(ONE_WAY)), terms=ALL)


def blocks_of(x_t, h, W_x, W_h, b, order):
    """What goes into the four squashing functions, by letter."""
    return dict(zip(order, (x_t @ W_x.T + h @ W_h.T + b).chunk(4, dim=1), strict=True))


def gates_of(block):
    """i, f, g, o of the blocks."""
    return (
        *(torch.sigmoid(block[letter]) for letter in "if"),
        torch.tanh(block["g"]),
        torch.sigmoid(block["o"]),
    )


def renamed(order, first, second):
    """The order with two letters exchanged."""
    return order.translate(str.maketrans(first + second, second + first))


def another_update(advice):
    """Register a wrong idea about what happens to the gates: ``idea(i, f, g, o, c)`` -> h, c."""

    def register(idea):
        @functools.wraps(idea, assigned=("__name__",))
        def whole(x_t, h, c, W_x, W_h, b, order):
            return idea(*gates_of(blocks_of(x_t, h, W_x, W_h, b, order)), c)

        del whole.__wrapped__
        lstm_step.wrong(advice)(whole)
        return whole

    return register


def read(o, c):
    return o * torch.tanh(c), c


@another_update("Your state is the tanh of o * c; read with o after the tanh, o * tanh(c).")
def read_gate_inside_the_tanh(i, f, g, o, c):
    c = f * c + i * g
    return torch.tanh(o * c), c


@another_update("Your state is o * c without a tanh; a large cell has to be squashed before it is read.")
def read_without_tanh(i, f, g, o, c):
    c = f * c + i * g
    return o * c, c


@another_update("Your state is read from the old cell; compute the new cell first and read that.")
def reads_the_old_cell(i, f, g, o, c):
    return o * torch.tanh(c), f * c + i * g


@another_update("Your write gate is missing; the candidate goes in as i * g.")
def no_write_gate(i, f, g, o, c):
    return read(o, f * c + g)


@another_update("Your forget gate is missing; of the old cell f * c is kept.")
def no_forget_gate(i, f, g, o, c):
    return read(o, c + i * g)


@another_update("Your forget gate is taken as 1 - f; at 1 the forget gate keeps.")
def forgets_at_one(i, f, g, o, c):
    return read(o, (1 - f) * c + i * g)


@another_update("Your write gate is 1 - f, as in a GRU; the LSTM has a write gate of its own.")
def coupled_gates(i, f, g, o, c):
    return read(o, f * c + (1 - f) * g)


@another_update("Your cell is squashed and carried on squashed; the tanh is for reading only.")
def cell_squashed(i, f, g, o, c):
    c = torch.tanh(f * c + i * g)
    return o * c, c


@another_update("Your two results are exchanged; return the state h, then the cell c.")
def cell_first(i, f, g, o, c):
    h, c = read(o, f * c + i * g)
    return c, h


@lstm_step.wrong("Your blocks are always read in PyTorch's order i, f, g, o; use the order that is given.")
def order_ignored(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, TORCH)


@lstm_step.wrong("Your order is applied the wrong way round; its first letter names the first block.")
def order_inverted(x_t, h, c, W_x, W_h, b, order):
    inverse = "".join(TORCH[order.index(letter)] for letter in TORCH)
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, inverse)


@lstm_step.wrong("Your write and forget gates are exchanged; f multiplies the old cell, i the candidate.")
def write_and_forget_exchanged(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, renamed(order, "i", "f"))


@lstm_step.wrong("Your candidate goes through a sigmoid; it needs a tanh, so that it can be negative.")
def candidate_with_sigmoid(x_t, h, c, W_x, W_h, b, order):
    block = blocks_of(x_t, h, W_x, W_h, b, order)
    i, f, _, o = gates_of(block)
    return read(o, f * c + i * torch.sigmoid(block["g"]))


@lstm_step.wrong("Your candidate is not squashed; it is a tanh.")
def candidate_not_squashed(x_t, h, c, W_x, W_h, b, order):
    block = blocks_of(x_t, h, W_x, W_h, b, order)
    i, f, _, o = gates_of(block)
    return read(o, f * c + i * block["g"])


@lstm_step.wrong("Your gates go through a tanh; a gate is a sigmoid, between 0 and 1.")
def gates_with_tanh(x_t, h, c, W_x, W_h, b, order):
    i, f, g, o = (torch.tanh(blocks_of(x_t, h, W_x, W_h, b, order)[letter]) for letter in TORCH)
    return read(o, f * c + i * g)


@lstm_step.wrong("Your blocks take every fourth row; the H rows of a block lie one under another.")
def blocks_interleaved(x_t, h, c, W_x, W_h, b, order):
    W_x, W_h, b = (torch.cat([part[first::4] for first in range(4)]) for part in (W_x, W_h, b))
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, order)


@lstm_step.wrong("Your recurrent blocks are transposed; for rows of states it is h @ W_h.T.")
def recurrent_blocks_transposed(x_t, h, c, W_x, W_h, b, order):
    W_h = torch.cat([block.T for block in W_h.chunk(4)])
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, order)


@lstm_step.wrong("Your bias is missing; add b to the sums.")
def bias_missing(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, h, c, W_x, W_h, 0 * b, order)


@lstm_step.wrong("Your forget gate gets 1 added to its bias; b holds the whole bias already.")
def one_added_to_the_forget_bias(x_t, h, c, W_x, W_h, b, order):
    b = torch.cat([part + (order[place] == "f") for place, part in enumerate(b.chunk(4))])
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, order)


@lstm_step.fault("input")
def input_counted_twice(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, h, c, 2 * W_x, W_h, b, order)


@lstm_step.fault("state")
def state_subtracted(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, -h, c, W_x, W_h, b, order)


@lstm_step.fault("bias")
def bias_counted_twice(x_t, h, c, W_x, W_h, b, order):
    return reference.lstm_step(x_t, h, c, W_x, W_h, 2 * b, order)


@lstm_step.fault("cell")
def forget_gate_squared(x_t, h, c, W_x, W_h, b, order):
    i, f, g, o = gates_of(blocks_of(x_t, h, W_x, W_h, b, order))
    return read(o, f * f * c + i * g)


@lstm_step.fault("order")
def read_for_candidate_in_foreign_orders(x_t, h, c, W_x, W_h, b, order):
    order = order if order == TORCH else renamed(order, "o", "g")
    return reference.lstm_step(x_t, h, c, W_x, W_h, b, order)


@lstm_step.variant
def with_torchs_cell(x_t, h, c, W_x, W_h, b, order):
    H = h.shape[1]
    rows = torch.cat([torch.arange(H) + H * order.index(letter) for letter in "ifgo"])
    cell = torch.nn.LSTMCell(x_t.shape[1], H, dtype=x_t.dtype)
    with torch.no_grad():
        cell.weight_ih.copy_(W_x[rows])
        cell.weight_hh.copy_(W_h[rows])
        cell.bias_ih.copy_(b[rows])
        cell.bias_hh.zero_()
        return cell(x_t, (h, c))


@lstm_step.variant
def one_product_split_in_four(x_t, h, c, W_x, W_h, b, order):
    gates = torch.split(torch.cat([x_t, h], 1) @ torch.cat([W_x, W_h], 1).T + b, h.shape[1], dim=-1)
    i, f, g, o = (gates[order.find(name)] for name in "ifgo")
    new = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return [o.sigmoid() * new.tanh(), new]


@lstm_step.variant
def row_by_row_with_einsum(x_t, h, c, W_x, W_h, b, order):
    H = c.shape[1]
    state, cell = torch.empty_like(h), torch.empty_like(c)
    for n in range(len(x_t)):
        a = torch.einsum("gd,d->g", W_x, x_t[n]) + torch.einsum("gh,h->g", W_h, h[n]) + b
        part = {letter: a[k * H : (k + 1) * H] for k, letter in enumerate(order)}
        cell[n] = c[n] / (1 + torch.exp(-part["f"])) + part["g"].tanh() / (1 + torch.exp(-part["i"]))
        state[n] = cell[n].tanh() / (1 + torch.exp(-part["o"]))
    return state, cell


@lstm_step.variant
def numpy_in_float32(x_t, h, c, W_x, W_h, b, order):
    x_t, h, c, W_x, W_h, b = (value.numpy().astype("f4") for value in (x_t, h, c, W_x, W_h, b))
    a = (x_t @ W_x.T + h @ W_h.T + b).reshape(len(x_t), 4, -1)
    gate = {letter: 1 / (1 + np.exp(-a[:, k])) for k, letter in enumerate(order)}
    c = gate["f"] * c + gate["i"] * np.tanh(a[:, order.index("g")])
    return gate["o"] * np.tanh(c), c
