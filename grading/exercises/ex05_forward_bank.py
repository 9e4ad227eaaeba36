"""The first part of the bank of exercise 05: the loop over a padded batch; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools

import numpy as np
import torch

from course_utils.reference import ex05 as reference
from grading.bank import Bank, Case

bank = Bank("ex05")

TERM = 0.5  # the weight of a fresh case in which all terms but one or two are zero
EDGE = 0.25  # the weight of a fresh case that a constant or a one-line shortcut answers too


def sizes(rng):
    """B, T, d, H, all different."""
    B, d, H = map(int, rng.permutation([2, 3, 4]))
    return B, int(rng.integers(5, 7)), d, H


def drawn(rng, *shape):
    """A float32 tensor of numbers between 0.3 and 0.9 of either sign: none is small, few tanh saturate.

    They are whole 64ths: the same in float32 as in float64, and short where they are written out.
    """
    signs = np.where(rng.random(shape) < 0.5, -1, 1)
    return torch.tensor(signs * rng.integers(20, 58, size=shape) / 64, dtype=torch.float32)


def double(*values):
    """Tensors, and tuples and lists of them, in float64."""
    return [v.double() if isinstance(v, torch.Tensor) else type(v)(double(*v)) for v in values]


def layer_of(rng, d, H):
    """Weights (W_xh, W_hh, b) of one layer, W_hh far from symmetric."""
    W_hh = drawn(rng, H, H)
    W_hh[0, -1], W_hh[-1, 0] = 1.25, -0.375
    return drawn(rng, H, d), W_hh, drawn(rng, H)


def silent(*weights):
    """Weights of zeros."""
    return tuple(torch.zeros_like(part) for part in weights)


def ragged(rng, B, longest):
    """Lengths (B,), all different, at least 1; the longest row comes last."""
    others = rng.permutation(np.arange(1, longest))[: B - 1]
    return torch.tensor([*others, longest], dtype=torch.int64)


def full(B, T):
    """Lengths of a batch without pads."""
    return torch.full((B,), T, dtype=torch.int64)


def steps_of(x, lengths):
    """(B, T, 1) truth values: is the step a real one?"""
    return (torch.arange(x.shape[1]) < lengths[:, None])[:, :, None]


def walk(step, x, h):
    """States (B, T, H) of a batch carried with ``step(x_t, h)``, pads included."""
    states = []
    for x_t in x.unbind(1):
        h = step(x_t, h)
        states.append(h)
    return torch.stack(states, dim=1)


# rnn_forward ----------------------------------------------------------------------------------------

rnn_forward = bank.function(
    "rnn_forward",
    reference.rnn_forward,
    terms={
        "input": "the input term x_t @ W_xh.T",
        "state": "the recurrent term h @ W_hh.T",
        "bias": "the bias b",
        "start": "the start state h0",
        "lengths": "what is returned after the length of a row",
    },
)
ALL = ("input", "state", "bias", "start", "lengths")


@rnn_forward.visible
def _():
    one = torch.ones(1, 1, dtype=torch.float64)
    x = torch.tensor([[[0.5], [0.0], [-0.5]], [[0.5], [9.0], [9.0]]], dtype=torch.float64)
    hand = (x, torch.tensor([3, 1]), one, 0.5 * one, 0.5 * one[0])
    yield Case("the example by hand, float64", *hand)  # H = 1 hides a transpose: it names no terms
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.5, -1.0]]] * 2)
    W_xh = torch.tensor([[1.0, 0.5], [0.0, -1.0], [0.3, 0.8], [-0.5, 0.2]])
    W_hh = [[0.5, 0.0, 0.3, 0.0], [-0.4, 0.2, 0.0, 1.0], [0.0, 0.6, -0.5, 0.0], [0.9, 0.0, 0.1, 0.4]]
    W_hh, b = torch.tensor(W_hh), torch.tensor([0.5, -0.3, 0.2, 0.1])
    h0 = torch.tensor([[0.5, -0.5, 0.2, 0.1], [-0.9, 0.3, 0.0, 0.4]])
    no_W_xh, no_W_hh, no_b = silent(W_xh, W_hh, b)
    both = torch.tensor([3, 3])
    yield Case("the input term alone", x, both, W_xh, no_W_hh, no_b, terms=("input",))
    yield Case("the bias alone", x, both, no_W_xh, no_W_hh, b, terms=("bias",))
    yield Case("input and recurrent term", x, both, W_xh, W_hh, no_b, terms=("input", "state"))
    yield Case("only a start state", x, both, no_W_xh, W_hh, no_b, h0, terms=("state", "start"))
    yield Case("a row without steps, a start", x, torch.tensor([0, 2]), W_xh, W_hh, b, h0, terms=ALL)


@rnn_forward.hidden
def _(rng):
    def batch(B, T, d, H):
        return drawn(rng, B, T, d), *layer_of(rng, d, H), drawn(rng, B, H)

    lengths = ragged(rng, 4, 5)
    lengths[1] = 0
    x, *rest = batch(4, 5, 2, 3)
    yield Case("a row without steps, a start", x, lengths, *rest, terms=ALL)
    B, T, d, H = sizes(rng)
    x, W_xh, W_hh, b, h0 = batch(B, T, d, H)
    no_W_xh, no_W_hh, no_b = silent(W_xh, W_hh, b)
    real, some = full(B, T), ragged(rng, B, T)
    yield Case("the input term alone", x, real, W_xh, no_W_hh, no_b, terms=("input",), weight=TERM)
    yield Case("the bias alone", x, real, no_W_xh, no_W_hh, b, terms=("bias",), weight=TERM)
    terms = ("input", "state")
    yield Case("input and recurrent term", x, real, W_xh, W_hh, no_b, terms=terms, weight=TERM)
    terms = ("state", "start")
    yield Case("only a start state", x, real, no_W_xh, W_hh, no_b, h0, terms=terms, weight=TERM)
    x, *rest = double(x, W_xh, W_hh, b)
    terms = ("input", "state", "bias", "lengths")
    yield Case("unequal lengths, float64", x, some, *rest, terms=terms)
    B, T, d, H = sizes(rng)
    x, *rest = double(*batch(T, B, d, H)[:4])
    yield Case("x is a transposed tensor", x.transpose(0, 1), ragged(rng, B, T - 1), *rest, terms=terms)
    x, *rest = batch(3, 1, 4, 2)
    yield Case("a single step", x, torch.tensor([1, 0, 1]), *rest, terms=ALL)
    x, *rest = double(*batch(1, 5, 3, 3))
    yield Case("one row, d = H", x, torch.tensor([int(rng.integers(2, 5))]), *rest, terms=ALL)


def with_start(idea):
    """Give a wrong idea a start, whether or not one came."""

    @functools.wraps(idea)
    def called(x, lengths, W_xh, W_hh, b, h0=None):
        return idea(x, lengths, W_xh, W_hh, b, x.new_zeros(len(x), len(b)) if h0 is None else h0)

    return called


def with_pads_cleared(idea):
    """Let a wrong idea change the step only: its states are zeros after the length, as they should be."""

    @with_start
    @functools.wraps(idea)
    def called(x, lengths, W_xh, W_hh, b, h0):
        return idea(x, W_xh, W_hh, b, h0) * steps_of(x, lengths)

    return called


def unit(W_xh, W_hh, b):
    """The right step."""
    return lambda x_t, h: torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)


@rnn_forward.wrong("Your loop walks on through the pads; return zeros after the length of a row.")
@with_start
def walks_through_the_pads(x, lengths, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, b), x, h0)


@rnn_forward.wrong("Your states repeat the last real state after the length; return zeros there.")
@with_start
def repeats_the_last_state(x, lengths, W_xh, W_hh, b, h0):
    extended = torch.cat([h0[:, None], walk(unit(W_xh, W_hh, b), x, h0)], dim=1)
    steps = torch.minimum(torch.arange(1, x.shape[1] + 1), lengths[:, None])
    return extended[torch.arange(len(x))[:, None], steps]


@rnn_forward.wrong("Your pads are cleared in x, but the state walks on; clear the states after the length.")
@with_start
def clears_the_inputs_only(x, lengths, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, b), x * steps_of(x, lengths), h0)


@rnn_forward.wrong("Your rows end one step early; step t of a row is real when t < its length, from 0.")
@with_start
def ends_one_step_early(x, lengths, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, b), x, h0) * steps_of(x, lengths - 1)


@rnn_forward.wrong("Your step has no bias; add b inside the tanh.")
@with_pads_cleared
def forgets_the_bias(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, 0), x, h0)


@rnn_forward.wrong("Your bias is added twice, as PyTorch's two would be; there is one b here.")
@with_pads_cleared
def adds_the_bias_twice(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, 2 * b), x, h0)


@rnn_forward.wrong("Your recurrent weights are transposed; for rows of states it is h @ W_hh.T.")
@with_pads_cleared
def recurrent_weights_transposed(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh.T, b), x, h0)


@rnn_forward.wrong("Your input weights are transposed, which fits only when d = H; it is x_t @ W_xh.T.")
@with_pads_cleared
def input_weights_transposed(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh.T, W_hh, b), x, h0)


@rnn_forward.wrong("Your state always starts from zero; start it from h0 when h0 is given.")
@with_pads_cleared
def ignores_the_start(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, b), x, 0 * h0)


@rnn_forward.wrong("Your state is set back to h0 at every step; assign the new state to h.")
@with_pads_cleared
def never_carries(x, W_xh, W_hh, b, h0):
    return walk(lambda x_t, _: unit(W_xh, W_hh, b)(x_t, h0), x, h0)


@rnn_forward.wrong("Your step has no tanh; without it the unit is linear.")
@with_pads_cleared
def forgets_the_tanh(x, W_xh, W_hh, b, h0):
    return walk(lambda x_t, h: x_t @ W_xh.T + h @ W_hh.T + b, x, h0)


@rnn_forward.wrong("Your step squeezes with a sigmoid; this unit has a tanh.")
@with_pads_cleared
def sigmoid_for_tanh(x, W_xh, W_hh, b, h0):
    return walk(lambda x_t, h: torch.sigmoid(x_t @ W_xh.T + h @ W_hh.T + b), x, h0)


@rnn_forward.wrong("Your tanh covers the input term alone; it goes around the whole sum.")
@with_pads_cleared
def tanh_of_the_input_only(x, W_xh, W_hh, b, h0):
    return walk(lambda x_t, h: torch.tanh(x_t @ W_xh.T) + h @ W_hh.T + b, x, h0)


@rnn_forward.wrong("Your bias is added after the tanh; it belongs inside.")
@with_pads_cleared
def bias_after_the_tanh(x, W_xh, W_hh, b, h0):
    return walk(lambda x_t, h: torch.tanh(x_t @ W_xh.T + h @ W_hh.T) + b, x, h0)


@rnn_forward.wrong("Your result has time first, (T, B, H); stack the states along dim 1.")
@with_start
def time_first(x, lengths, W_xh, W_hh, b, h0):
    return reference.rnn_forward(x, lengths, W_xh, W_hh, b, h0).transpose(0, 1)


@rnn_forward.wrong("Your x is reshaped to (T, B, d), which mixes rows and steps; use x.transpose(0, 1).")
@with_pads_cleared
def reshaped_not_transposed(x, W_xh, W_hh, b, h0):
    B, T, d = x.shape
    return walk(unit(W_xh, W_hh, b), x.reshape(T, B, d).transpose(0, 1), h0)


@rnn_forward.wrong("Your rows are sorted by length and not put back; restore the order of the batch.")
@with_start
def sorted_and_not_put_back(x, lengths, W_xh, W_hh, b, h0):
    order = lengths.argsort(descending=True, stable=True)
    return reference.rnn_forward(x[order], lengths[order], W_xh, W_hh, b, h0[order])


@rnn_forward.wrong("Your zeros are float32 whatever x is; x.new_zeros makes them in the dtype of x.")
def start_in_float32(x, lengths, W_xh, W_hh, b, h0=None):
    h0 = torch.zeros(len(x), len(b)) if h0 is None else h0
    return walk(unit(W_xh, W_hh, b), x, h0) * steps_of(x, lengths)


@rnn_forward.wrong("Your squeeze drops every axis of size 1; the result has three axes, whatever the sizes.")
@with_start
def squeezed(x, lengths, W_xh, W_hh, b, h0):
    return reference.rnn_forward(x, lengths, W_xh, W_hh, b, h0).squeeze()


@rnn_forward.wrong("Your result has h0 in front, T + 1 states; begin with the state after the first input.")
@with_start
def counts_the_start(x, lengths, W_xh, W_hh, b, h0):
    return torch.cat([h0[:, None], reference.rnn_forward(x, lengths, W_xh, W_hh, b, h0)], dim=1)
