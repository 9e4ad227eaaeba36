"""The second part of the bank of exercise 05: other ways to write the loop, and the state at each row's end.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex05 as reference
from grading.bank import Case
from grading.exercises.ex05_forward_bank import (
    EDGE,
    bank,
    double,
    drawn,
    full,
    ragged,
    rnn_forward,
    sizes,
    steps_of,
    unit,
    walk,
    with_pads_cleared,
    with_start,
)

# rnn_forward: faults in one term, and legitimate variants ---------------------------------------------


@rnn_forward.fault("input")
@with_pads_cleared
def input_term_halved(x, W_xh, W_hh, b, h0):
    return walk(unit(0.5 * W_xh, W_hh, b), x, h0)


@rnn_forward.fault("state")
@with_pads_cleared
def recurrent_term_subtracted(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, -W_hh, b), x, h0)


@rnn_forward.fault("bias")
@with_pads_cleared
def bias_subtracted(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, -b), x, h0)


@rnn_forward.fault("start")
@with_pads_cleared
def start_subtracted(x, W_xh, W_hh, b, h0):
    return walk(unit(W_xh, W_hh, b), x, -h0)


@rnn_forward.fault("lengths")
@with_start
def ones_after_the_length(x, lengths, W_xh, W_hh, b, h0):
    return torch.where(steps_of(x, lengths), walk(unit(W_xh, W_hh, b), x, h0), 1)


@rnn_forward.variant
def time_first_inside(x, lengths, W_xh, W_hh, b, h0=None):
    inputs = x.permute(1, 0, 2)
    H = torch.zeros((x.shape[0], W_hh.shape[0]), dtype=x.dtype) if h0 is None else h0
    outputs = []
    for X in inputs:
        H = torch.tanh(torch.matmul(X, W_xh.T) + torch.matmul(H, W_hh.T) + b)
        outputs.append(H)
    mask = torch.arange(len(inputs))[:, None] < lengths[None, :]
    return (torch.stack(outputs) * mask.unsqueeze(-1)).transpose(0, 1)


@rnn_forward.variant
def weights_transposed_first_rows_cut(x, lengths, W_xh, W_hh, b, h0=None):
    Wx, Wh = W_xh.t().contiguous(), W_hh.t().contiguous()
    N, T, _ = x.shape
    prev_h = torch.zeros(N, Wh.shape[0]).to(x) if h0 is None else h0.clone()
    h = torch.zeros(N, T, Wh.shape[0]).to(x)
    for t in range(T):
        prev_h = torch.tanh(x[:, t, :].mm(Wx) + prev_h.mm(Wh) + b)
        h[:, t, :] = prev_h
    for n in range(N):
        h[n, int(lengths[n]) :] = 0
    return h


@rnn_forward.variant
def column_vectors(x, lengths, W_xh, W_hh, b, h0=None):
    B, T, _ = x.shape
    states = x.new_zeros(B, T, len(b))
    for n in range(B):
        h = x.new_zeros(len(b), 1) if h0 is None else h0[n].reshape(-1, 1)
        for t in range(lengths[n]):
            h = torch.tanh(W_hh @ h + W_xh @ x[n, t].reshape(-1, 1) + b.reshape(-1, 1))
            states[n, t] = h.squeeze(1)
    return states


@rnn_forward.variant
def library_with_copied_weights(x, lengths, W_xh, W_hh, b, h0=None):
    H, d = W_xh.shape
    rnn = torch.nn.RNN(d, H, batch_first=True, dtype=x.dtype)
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(W_xh)
        rnn.weight_hh_l0.copy_(W_hh)
        rnn.bias_ih_l0.copy_(b)
        rnn.bias_hh_l0.zero_()
    output, _ = rnn(x, None if h0 is None else h0.unsqueeze(0).contiguous())
    return output * (torch.arange(x.size(1))[None] < lengths[:, None]).unsqueeze(2)


@rnn_forward.variant
def einsum_and_masked_fill(x, lengths, W_xh, W_hh, b, h0=None):
    driven = torch.einsum("btd,hd->bth", x, W_xh) + b
    h, states = torch.zeros_like(driven[:, 0]) if h0 is None else h0, []
    for t in range(x.shape[1]):
        h = driven[:, t].add(torch.einsum("bk,hk->bh", h, W_hh)).tanh()
        states.append(h.masked_fill((lengths <= t)[:, None], 0.0))
    return torch.stack(states, 1)


@rnn_forward.variant
def numpy_inside(x, lengths, W_xh, W_hh, b, h0=None):
    x, W_xh, W_hh, b = x.numpy(), W_xh.numpy(), W_hh.numpy(), b.numpy()
    h = np.zeros((len(x), len(b))) if h0 is None else h0.numpy()
    states = np.zeros((*x.shape[:2], len(b)))
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
        states[:, t] = h * (t < lengths.numpy())[:, None]
    return states


@rnn_forward.variant
def everything_in_float32(x, lengths, W_xh, W_hh, b, h0=None):
    x, W_xh, W_hh, b = x.float(), W_xh.float(), W_hh.float(), b.float()
    h = torch.zeros(len(x), len(b)) if h0 is None else h0.float()
    states = torch.zeros(*x.shape[:2], len(b))
    for t in range(x.shape[1]):
        alive = lengths > t
        h = torch.where(alive[:, None], torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b), h)
        states[alive, t] = h[alive]
    return states


# last_valid_state -----------------------------------------------------------------------------------

last_valid_state = bank.function("last_valid_state", reference.last_valid_state)


@last_valid_state.visible
def _():
    states = torch.tensor([[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], [[0.7, 0.8], [0.9, 1.0], [1.1, 1.2]]])
    h0 = torch.tensor([[5.0, 6.0], [7.0, 8.0]])
    yield Case("the example by hand", states, torch.tensor([2, 0]), h0)
    yield Case("no pads", states, torch.tensor([3, 3]), h0)
    yield Case("unequal lengths", states, torch.tensor([1, 3]), h0)
    yield Case("a single step, float64", states[:, :1].double(), torch.tensor([0, 1]), h0.double())


@last_valid_state.hidden
def _(rng):
    B, T, _, H = sizes(rng)
    yield Case("unequal lengths", drawn(rng, B, T, H), ragged(rng, B, T), drawn(rng, B, H))
    B, T, _, H = sizes(rng)
    states, h0 = double(drawn(rng, B, T, H), drawn(rng, B, H))
    yield Case("every row has pads, float64", states, ragged(rng, B, T - 1), h0)
    lengths = ragged(rng, 4, 5)[[3, 0, 2, 1]]
    lengths[int(rng.integers(1, 4))] = 0
    yield Case("a row without steps", drawn(rng, 4, 5, 2), lengths, drawn(rng, 4, 2))
    states, h0 = double(drawn(rng, 6, 3, 2), drawn(rng, 3, 2))
    yield Case("states is a transposed tensor", states.transpose(0, 1), ragged(rng, 3, 5), h0)
    yield Case("a single step", drawn(rng, 3, 1, 2), torch.tensor([1, 0, 1]), drawn(rng, 3, 2), weight=EDGE)
    long = torch.tensor([int(rng.integers(10, 18))])
    yield Case("one long row", drawn(rng, 1, 20, 3), long, drawn(rng, 1, 3))
    yield Case("no pads", drawn(rng, 2, 4, 3), full(2, 4), drawn(rng, 2, 3), weight=EDGE)


def rows_of(lengths):
    return torch.arange(len(lengths))


@last_valid_state.wrong("Your state is that of the last column, behind the pads; read at length - 1.")
def last_column(states, lengths, h0):
    return states[:, -1]


@last_valid_state.wrong("Your index is the length itself, the first pad; after n steps the index is n - 1.")
def index_without_minus_one(states, lengths, h0):
    return states[rows_of(lengths), lengths]


@last_valid_state.wrong("Your index is length - 2, one step too early; after n steps the index is n - 1.")
def one_step_too_early(states, lengths, h0):
    return torch.cat([h0[:, None], states], dim=1)[rows_of(lengths), (lengths - 1).clamp(min=0)]


@last_valid_state.wrong("Your row of length 0 reads index -1, the last column; return h0 there.")
def minus_one_wraps_around(states, lengths, h0):
    return states[rows_of(lengths), lengths - 1]


@last_valid_state.wrong("Your row of length 0 gives zeros; its last state is the start h0.")
def zeros_for_no_steps(states, lengths, h0):
    return reference.last_valid_state(states, lengths, 0 * h0)


@last_valid_state.wrong("Your row of length 0 gives the state after a step that it has not; return h0 there.")
def first_state_for_no_steps(states, lengths, h0):
    return states[rows_of(lengths), (lengths - 1).clamp(min=0)]


@last_valid_state.wrong("Your row of length 0 asks gather for index -1, which it refuses; return h0 there.")
def gathers_at_minus_one(states, lengths, h0):
    if (lengths == 0).any():
        raise RuntimeError("index -1 is out of bounds")
    return reference.last_valid_state(states, lengths, h0)


@last_valid_state.wrong("Your rows all use the longest length; read each row at its own.")
def longest_length_for_all(states, lengths, h0):
    return states[:, lengths.max() - 1]


@last_valid_state.wrong("Your index pairs every row with every length, (B, B, H); pair row n with length n.")
def every_row_with_every_length(states, lengths, h0):
    return states[:, lengths - 1]


@last_valid_state.wrong("Your index has time first; states has shape (B, T, H), so the row comes first.")
def time_index_first(states, lengths, h0):
    return states[lengths - 1, rows_of(lengths)]


@last_valid_state.wrong(
    "Your index counts from the end, as with pads in front; they come last, so count from the start."
)
def counts_from_the_end(states, lengths, h0):
    return states[rows_of(lengths), states.shape[1] - lengths.clamp(min=1)]


@last_valid_state.wrong("Your result is the mean of the real states; return the last of them.")
def mean_of_the_real_states(states, lengths, h0):
    total = (states * steps_of(states, lengths)).sum(dim=1)
    return torch.where((lengths > 0)[:, None], total / lengths.clamp(min=1)[:, None], h0)


@last_valid_state.variant
def gathered(states, lengths, h0):
    index = (lengths - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, states.shape[2])
    last = states.gather(1, index).squeeze(1)
    return torch.where(lengths.view(-1, 1) > 0, last, h0)


@last_valid_state.variant
def loop_over_rows(states, lengths, h0):
    return torch.stack([states[n, k - 1] if k else h0[n] for n, k in enumerate(lengths.tolist())])


@last_valid_state.variant
def one_hot_sum(states, lengths, h0):
    chosen = torch.nn.functional.one_hot(lengths, states.shape[1] + 1).to(states)
    return torch.einsum("bt,bth->bh", chosen, torch.cat((h0.unsqueeze(1), states), 1))


@last_valid_state.variant
def overwritten_step_by_step(states, lengths, h0):
    last = h0.clone()
    for t in range(states.size(1)):
        last[t < lengths] = states[t < lengths, t]
    return last


@last_valid_state.variant
def numpy_indices(states, lengths, h0):
    lengths = lengths.numpy()
    last = states.numpy()[np.arange(len(lengths)), lengths - 1]
    return np.where(lengths[:, None] == 0, h0.numpy(), last).astype(np.float32)
