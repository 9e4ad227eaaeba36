"""The first part of the bank of exercise 06: numbers for all parts, and the deltas; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex06 as reference
from grading.bank import Bank, Case

bank = Bank("ex06")

EDGE = 0.25  # the weight of a fresh case that says little about an answer


def normal(rng, *shape, scale=1.0):
    """Normal numbers in float64."""
    return torch.from_numpy(scale * rng.normal(size=shape))


def some_states(rng, *shape):
    """States away from 0, where the slope of tanh is felt, and away from 1, where it vanishes."""
    return torch.from_numpy(rng.uniform(0.3, 0.9, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def different_sizes(rng, *sizes):
    """The given sizes in a random order: no two of B, T, d, H are equal, so no axes can be swapped."""
    return rng.permutation(sizes).tolist()


def scattered(values):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    return values.transpose(0, -1).contiguous().transpose(0, -1)


def single(*values):
    """Tensors in float32."""
    return [value.float() for value in values]


def easy(*values):
    """The same numbers to one decimal: short to read in an open case."""
    return [value.mul(10).round().div(10) + 0.0 for value in values]  # + 0.0: no minus before a 0


def last_only(upstream):
    """The upstream gradients of a loss that counts at the last step only."""
    last = torch.zeros_like(upstream)
    last[:, -1] = upstream[:, -1]
    return last


# bptt_deltas ----------------------------------------------------------------------------------------

bptt_deltas = bank.function(
    "bptt_deltas",
    reference.bptt_deltas,
    terms={
        "upstream": "the upstream gradient of the steps before the last",
        "slope": "the slope 1 - h^2",
        "recurrent": "the way back through W_hh",
    },
)

WITHOUT_SLOPE, AT_THE_END = ("upstream", "recurrent"), ("slope", "recurrent")
ALL = ("upstream", "slope", "recurrent")


@bptt_deltas.visible
def _():
    rng = np.random.default_rng(6)
    by_hand = torch.tensor([[[0.5], [0.28], [1.0]]]), torch.tensor([[[0.6], [0.5], [0.8]]])
    yield Case("three steps by hand", *by_hand, torch.tensor([[2.0]]), terms=ALL)
    upstream, states, W_hh = easy(normal(rng, 2, 4, 3), some_states(rng, 2, 4, 3), normal(rng, 3, 3))
    yield Case("two rows, in float64", upstream, states, W_hh, terms=ALL)
    upstream, states, W_hh = single(upstream, states, W_hh)
    yield Case("every state 0", upstream, torch.zeros_like(states), W_hh, terms=WITHOUT_SLOPE)
    yield Case("no way back (W_hh = 0)", upstream, states, torch.zeros_like(W_hh), terms=("upstream",))
    yield Case("a loss at the last step only", last_only(upstream), states, W_hh, terms=AT_THE_END)


@bptt_deltas.hidden
def _(rng):
    B, T, H = different_sizes(rng, 2, 3, 5)

    def drawn(B=B, T=T, H=H):
        return normal(rng, B, T, H), some_states(rng, B, T, H), normal(rng, H, H, scale=0.8)

    yield Case("a loss at every step", *drawn(), terms=ALL)
    upstream, states, W_hh = drawn(T=4)
    yield Case("a loss at the last step only", last_only(upstream), states, W_hh, terms=AT_THE_END)
    upstream, states, W_hh = drawn(B=3, T=5, H=2)
    for row, length in enumerate([3, 5, 1]):
        upstream[row, length:] = 0.0
    yield Case("rows of unequal length", upstream, states, W_hh, terms=ALL)
    upstream, states, W_hh = drawn(H=4)
    yield Case("every state 0", upstream, torch.zeros_like(states), W_hh, terms=WITHOUT_SLOPE)
    upstream, states, W_hh = drawn()
    yield Case("no way back (W_hh = 0)", upstream, states, torch.zeros_like(W_hh), terms=("upstream",))
    yield Case("not contiguous", *map(scattered, drawn(T=5)), terms=ALL)
    yield Case("one long row in float32", *single(*drawn(1, 12, 2)), terms=ALL)
    yield Case("a single step", *drawn(T=1), weight=EDGE)


def walk_back(upstream, hand_back):
    """Deltas by a loop from the end; ``hand_back(delta, t)`` is what step t gives to the step before."""
    deltas, arriving = torch.zeros_like(upstream), torch.zeros_like(upstream[:, 0])
    for t in reversed(range(upstream.shape[1])):
        deltas[:, t] = upstream[:, t] + arriving
        arriving = hand_back(deltas[:, t], t)
    return deltas


@bptt_deltas.wrong("Your way back multiplies a row by W_hh.T, as forward; for rows the way back is @ W_hh.")
def forward_matrix_on_the_way_back(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t] ** 2)) @ W_hh.T)


@bptt_deltas.wrong(
    "Your slope is taken at h_t; delta_(t+1) passes the tanh that made h_(t+1), so take it there."
)
def slope_of_the_same_step(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t - 1] ** 2)) @ W_hh)


@bptt_deltas.wrong("Your deltas pass no tanh on the way back; multiply delta_(t+1) by 1 - h_(t+1)^2.")
def no_slope(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: delta @ W_hh)


@bptt_deltas.wrong("Your slope 1 - h^2 is applied twice at every step; each step has one tanh.")
def slope_twice(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t] ** 2) ** 2) @ W_hh)


@bptt_deltas.wrong("Your slope is 1 - tanh(h)^2; the states have passed the tanh already, so it is 1 - h^2.")
def slope_of_a_state_taken_as_a_sum(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - torch.tanh(states[:, t]) ** 2)) @ W_hh)


@bptt_deltas.wrong("Your slope is 1 - h; the derivative of tanh is 1 - h^2.")
def slope_without_the_square(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t])) @ W_hh)


@bptt_deltas.wrong(
    "Your slope comes after W_hh; on the way back the tanh of step t+1 is met first, then W_hh."
)
def slope_after_the_matrix(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta @ W_hh) * (1 - states[:, t] ** 2))


@bptt_deltas.wrong(
    "Your slope is that of h_t and comes after W_hh; first the tanh that made h_(t+1), then W_hh."
)
def slope_of_the_same_step_after_the_matrix(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta @ W_hh) * (1 - states[:, t - 1] ** 2))


@bptt_deltas.wrong("Your deltas include the slope of their own step; stop at the state h_t, behind its tanh.")
def gradient_before_the_tanh(upstream, states, W_hh):
    return reference.bptt_deltas(upstream, states, W_hh) * (1 - states**2)


@bptt_deltas.wrong(
    "Your recursion runs forward from the first step; delta_t needs delta_(t+1), so start at T."
)
def runs_forward(upstream, states, W_hh):
    return reference.bptt_deltas(upstream.flip(1), states.flip(1), W_hh).flip(1)


@bptt_deltas.wrong("Your upstream gradient enters at the last step only; add that of each step on the way.")
def upstream_at_the_end_only(upstream, states, W_hh):
    return reference.bptt_deltas(last_only(upstream), states, W_hh)


@bptt_deltas.wrong(
    "Your deltas look one step ahead only; pass the whole delta_(t+1) back, not its upstream part."
)
def one_step_back_only(upstream, states, W_hh):
    deltas = upstream.clone()
    deltas[:, :-1] += (upstream[:, 1:] * (1 - states[:, 1:] ** 2)) @ W_hh
    return deltas


@bptt_deltas.wrong("Your deltas are in the order of the backward loop; put them back in the order of time.")
def in_backward_order(upstream, states, W_hh):
    return reference.bptt_deltas(upstream, states, W_hh).flip(1)


@bptt_deltas.wrong("Your result has time first, (T, B, H); stack along dim=1 to return (B, T, H).")
def time_first(upstream, states, W_hh):
    return reference.bptt_deltas(upstream, states, W_hh).transpose(0, 1)


@bptt_deltas.fault("upstream")
def upstream_doubled_on_the_way(upstream, states, W_hh):
    return reference.bptt_deltas(2 * upstream - last_only(upstream), states, W_hh)


@bptt_deltas.fault("slope")
def slope_with_a_size(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t].abs())) @ W_hh)


@bptt_deltas.fault("recurrent")
def recurrent_with_a_shortcut(upstream, states, W_hh):
    return walk_back(upstream, lambda delta, t: (delta * (1 - states[:, t] ** 2)) @ (W_hh + W_hh.T))


@bptt_deltas.variant
def with_column_vectors(upstream, states, W_hh):
    rows = []
    for gradients, row in zip(upstream, states, strict=True):
        delta, column = torch.zeros(len(W_hh), dtype=W_hh.dtype), []
        for t in reversed(range(len(row))):
            if t + 1 < len(row):
                delta = W_hh.T @ torch.diag(1 - row[t + 1] ** 2) @ delta
            delta = delta + gradients[t]
            column.insert(0, delta)
        rows.append(torch.stack(column))
    return torch.stack(rows)


@bptt_deltas.variant
def step_backward_with_a_cache(upstream, states, W_hh):
    def rnn_step_backward(dnext_h, next_h):
        dact = dnext_h * (1 - next_h * next_h)
        return dact.mm(W_hh)

    N, T, H = upstream.shape
    dprev_h, dh = torch.zeros(N, H, dtype=upstream.dtype), []
    for t in range(T - 1, -1, -1):
        dh.append(upstream[:, t, :] + dprev_h)
        dprev_h = rnn_step_backward(dh[-1], states[:, t, :])
    return torch.stack(dh[::-1], dim=1)


@bptt_deltas.variant
def deltas_in_numpy_and_float32(upstream, states, W_hh):
    upstream, states, W_hh = (value.numpy().astype(np.float32) for value in (upstream, states, W_hh))
    deltas = upstream.copy()
    for t in range(upstream.shape[1] - 2, -1, -1):
        deltas[:, t] += np.einsum("bi,bi,ij->bj", deltas[:, t + 1], 1 - states[:, t + 1] ** 2, W_hh)
    return deltas


@bptt_deltas.variant
def deltas_by_autograd(upstream, states, W_hh):
    """Shift every state by a leaf of zeros and let it act on the next one: its gradient is the delta."""
    shift = torch.zeros_like(states, requires_grad=True)
    h, loss = states[:, 0] + shift[:, 0], 0.0
    for t in range(states.shape[1]):
        loss = loss + (upstream[:, t] * h).sum()
        if t + 1 < states.shape[1]:
            moved = torch.atanh(states[:, t + 1]) + (h - states[:, t]) @ W_hh.T
            h = torch.tanh(moved) + shift[:, t + 1]
    return torch.autograd.grad(loss, shift)[0]
