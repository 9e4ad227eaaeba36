"""The fourth part of the bank of exercise 06: gradients in windows; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.cells import rnn_forward, rnn_step
from course_utils.reference import ex06 as reference
from grading.bank import Case
from grading.exercises.ex06_deltas_bank import (
    EDGE,
    different_sizes,
    easy,
    normal,
    scattered,
    single,
    some_states,
)
from grading.exercises.ex06_loss_bank import bank

# truncated_bptt -------------------------------------------------------------------------------------

truncated_bptt = bank.function(
    "truncated_bptt",
    reference.truncated_bptt,
    terms={
        "window": "the way back inside a window",
        "border": "what happens between two windows",
    },
)

BOTH = ("window", "border")


def drawn(rng, B, T, d, H):
    """All arguments but k (or eps): x, upstream, h0, W_xh, W_hh, b."""
    return [
        normal(rng, B, T, d),
        normal(rng, B, T, H),
        some_states(rng, B, H),
        normal(rng, H, d, scale=0.5),
        normal(rng, H, H, scale=0.7),
        normal(rng, H, scale=0.5),
    ]


@truncated_bptt.visible
def _():
    zero, half = torch.zeros(1, 1), torch.tensor([[0.5]])
    x, upstream = torch.zeros(1, 3, 1), torch.ones(1, 3, 1)
    yield Case("three steps by hand, k = 2", x, upstream, zero, half, half, torch.zeros(1), 2)
    rng = np.random.default_rng(36)
    arguments = easy(*drawn(rng, 2, 5, 1, 3))
    yield Case("a short last window, in float64", *arguments, 2, terms=BOTH)
    arguments = single(*arguments)
    yield Case("windows of one step", *arguments, 1, terms=("border",))
    yield Case("one window for all", *arguments, 5, terms=("window",))


@truncated_bptt.hidden
def _(rng):
    def sizes(T):
        B, d, H = different_sizes(rng, 2, 3, 4)
        return B, T, d, H

    yield Case("windows that fit", *drawn(rng, *sizes(4)), 2, terms=BOTH)
    yield Case("a short last window", *drawn(rng, *sizes(5)), 3, terms=BOTH)
    yield Case("a last window of one step", *drawn(rng, *sizes(5)), 4, terms=BOTH)
    yield Case("windows of one step", *drawn(rng, *sizes(5)), 1, terms=("border",))
    yield Case("a window longer than the sequence", *drawn(rng, *sizes(5)), 8, terms=("window",))
    yield Case("not contiguous", *map(scattered, drawn(rng, 4, 5, 3, 2)), 2, terms=BOTH)
    yield Case("float32", *single(*drawn(rng, *sizes(6))), 4, terms=BOTH)
    yield Case("a single step", *drawn(rng, 2, 1, 3, 4), 3, weight=EDGE)


def windows(T, k):
    """The steps of each window, as slices."""
    return [slice(start, min(start + k, T)) for start in range(0, T, k)]


def of_window(x, upstream, h, weights, steps):
    """Gradients of one window from a given state, and the state after it."""
    states = rnn_forward(x[:, steps], *weights, h)
    deltas = reference.bptt_deltas(upstream[:, steps], states, weights[1])
    gradients = reference.bptt_gradients(x[:, steps], states, h, deltas, *weights[:2])
    return gradients[:3], states[:, -1]


def window_by_window(x, upstream, h0, weights, k, start=lambda h: h):
    """The gradients of every window, each begun from ``start`` of the state before it."""
    h, found = h0, []
    for steps in windows(x.shape[1], k):
        gradients, h = of_window(x, upstream, start(h), weights, steps)
        found.append(gradients)
    return found


def added(found):
    return tuple(sum(parts) for parts in zip(*found, strict=True))


def cut_where(x, upstream, h0, weights, cut, before_step=True):
    """Gradients by autograd, with the state detached where ``cut(t)`` says so."""
    weights = [weight.clone().requires_grad_() for weight in weights]
    h, loss = h0, 0.0
    for t in range(x.shape[1]):
        h = h.detach() if before_step and cut(t) else h
        h = rnn_step(x[:, t], h, *weights)
        h = h.detach() if not before_step and cut(t) else h
        loss = loss + (upstream[:, t] * h).sum()
    return (
        torch.autograd.grad(loss, weights) if loss.requires_grad else [w.new_zeros(w.shape) for w in weights]
    )


@truncated_bptt.wrong("Your windows all start from zeros; carry the last state of a window into the next.")
def each_window_from_zeros(x, upstream, h0, W_xh, W_hh, b, k):
    return added(window_by_window(x, upstream, h0, (W_xh, W_hh, b), k, torch.zeros_like))


@truncated_bptt.wrong("Your windows all start from h0; only the first does, the others carry the state on.")
def each_window_from_h0(x, upstream, h0, W_xh, W_hh, b, k):
    return added(window_by_window(x, upstream, h0, (W_xh, W_hh, b), k, lambda h: h0))


@truncated_bptt.wrong("Your first window starts from zeros; it starts from h0.")
def ignores_the_start(x, upstream, h0, W_xh, W_hh, b, k):
    return reference.truncated_bptt(x, upstream, torch.zeros_like(h0), W_xh, W_hh, b, k)


@truncated_bptt.wrong(
    "Your state is never detached, so this is the full gradient; cut it before each window."
)
def never_detached(x, upstream, h0, W_xh, W_hh, b, k):
    return reference.truncated_bptt(x, upstream, h0, W_xh, W_hh, b, x.shape[1])


@truncated_bptt.wrong("Your state is detached at every step, whatever k; detach it between windows only.")
def detached_at_every_step(x, upstream, h0, W_xh, W_hh, b, k):
    return reference.truncated_bptt(x, upstream, h0, W_xh, W_hh, b, 1)


@truncated_bptt.wrong(
    "Your state is detached before its loss, so the last step of a window adds nothing; detach later."
)
def detached_before_its_loss(x, upstream, h0, W_xh, W_hh, b, k):
    return cut_where(x, upstream, h0, (W_xh, W_hh, b), lambda t: (t + 1) % k == 0, before_step=False)


@truncated_bptt.wrong(
    "Your cuts come one step late, so the first window has k + 1 steps; cut before step k + 1."
)
def cut_one_step_late(x, upstream, h0, W_xh, W_hh, b, k):
    return cut_where(x, upstream, h0, (W_xh, W_hh, b), lambda t: t > k and (t - 1) % k == 0)


@truncated_bptt.wrong(
    "Your first window has one step; t % k == 0 holds at the first of k steps, so cut before it, not after."
)
def cut_after_the_first_step(x, upstream, h0, W_xh, W_hh, b, k):
    return cut_where(x, upstream, h0, (W_xh, W_hh, b), lambda t: t % k == 1 % k)


@truncated_bptt.wrong("Your last window is dropped when it is short; it counts like the others.")
def short_window_dropped(x, upstream, h0, W_xh, W_hh, b, k):
    full = x.shape[1] // k * k
    if not full:
        return torch.zeros_like(W_xh), torch.zeros_like(W_hh), torch.zeros_like(b)
    return reference.truncated_bptt(x[:, :full], upstream[:, :full], h0, W_xh, W_hh, b, k)


@truncated_bptt.wrong("Your gradient is that of the last window alone; add up all windows.")
def last_window_only(x, upstream, h0, W_xh, W_hh, b, k):
    return window_by_window(x, upstream, h0, (W_xh, W_hh, b), k)[-1]


@truncated_bptt.wrong("Your gradients are averaged over the windows; asked for is their sum.")
def mean_over_windows(x, upstream, h0, W_xh, W_hh, b, k):
    found = window_by_window(x, upstream, h0, (W_xh, W_hh, b), k)
    return tuple(total / len(found) for total in added(found))


@truncated_bptt.wrong("Your losses count at the last step of each window only; every step has its own.")
def loss_at_the_window_ends(x, upstream, h0, W_xh, W_hh, b, k):
    ends = torch.zeros_like(upstream)
    for steps in windows(x.shape[1], k):
        ends[:, steps.stop - 1] = upstream[:, steps.stop - 1]
    return reference.truncated_bptt(x, ends, h0, W_xh, W_hh, b, k)


@truncated_bptt.wrong("Your sequence is cut into k windows; cut it into windows of k steps.")
def k_windows(x, upstream, h0, W_xh, W_hh, b, k):
    length = -(-x.shape[1] // k)
    return reference.truncated_bptt(x, upstream, h0, W_xh, W_hh, b, length)


@truncated_bptt.wrong(
    "Your window slides, so every loss looks k steps back; here windows stand side by side."
)
def sliding_window(x, upstream, h0, W_xh, W_hh, b, k):
    weights = (W_xh, W_hh, b)
    states = torch.cat([h0[:, None], rnn_forward(x, *weights, h0)], dim=1)
    found = []
    for t in range(x.shape[1]):
        start = max(0, t + 1 - k)
        alone = torch.zeros_like(upstream)
        alone[:, t] = upstream[:, t]
        found.append(of_window(x, alone, states[:, start], weights, slice(start, t + 1))[0])
    return added(found)


@truncated_bptt.wrong(
    "Your state still hangs on the freed graph of the window before; detach it between windows."
)
def graph_used_twice(x, upstream, h0, W_xh, W_hh, b, k):
    weights = [weight.clone().requires_grad_() for weight in (W_xh, W_hh, b)]
    h = h0
    for steps in windows(x.shape[1], k):
        states = rnn_forward(x[:, steps], *weights, h)
        (upstream[:, steps] * states).sum().backward()
        h = states[:, -1]
    return [weight.grad for weight in weights]


@truncated_bptt.fault("window")
def window_without_slopes(x, upstream, h0, W_xh, W_hh, b, k):
    states, h = rnn_forward(x, W_xh, W_hh, b, h0), h0
    found = []
    for steps in windows(x.shape[1], k):
        deltas = reference.bptt_deltas(upstream[:, steps], 0 * states[:, steps], W_hh)
        part = reference.bptt_gradients(x[:, steps], states[:, steps], h, deltas, W_xh, W_hh)
        found.append(part[:3])
        h = states[:, steps][:, -1]
    return added(found)


@truncated_bptt.fault("border")
def state_halved_at_the_border(x, upstream, h0, W_xh, W_hh, b, k):
    h, found = h0, []
    for steps in windows(x.shape[1], k):
        gradients, h = of_window(x, upstream, h, (W_xh, W_hh, b), steps)
        h = h / 2
        found.append(gradients)
    return added(found)


@truncated_bptt.variant
def backward_after_each_window(x, upstream, h0, W_xh, W_hh, b, k):
    W_xh, W_hh, b = (weight.detach().clone().requires_grad_() for weight in (W_xh, W_hh, b))
    h = h0
    for x_part, upstream_part in zip(x.split(k, dim=1), upstream.split(k, dim=1), strict=True):
        h, loss = h.detach(), 0.0
        for x_t, upstream_t in zip(x_part.unbind(1), upstream_part.unbind(1), strict=True):
            h = torch.tanh(torch.addmm(b, x_t, W_xh.T) + torch.mm(h, W_hh.T))
            loss = loss + torch.sum(upstream_t * h)
        loss.backward()
    return W_xh.grad, W_hh.grad, b.grad


@truncated_bptt.variant
def by_hand_with_zeros_at_the_cuts(x, upstream, h0, W_xh, W_hh, b, k):
    states = rnn_forward(x, W_xh, W_hh, b, h0)
    T, deltas = x.shape[1], upstream.clone()
    for t in range(T - 2, -1, -1):
        if (t + 1) % k:
            deltas[:, t] += (deltas[:, t + 1] * (1 - states[:, t + 1] ** 2)) @ W_hh
    return reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)[:3]


@truncated_bptt.variant
def with_the_library_rnn(x, upstream, h0, W_xh, W_hh, b, k):
    H, d = W_xh.shape
    rnn = torch.nn.RNN(d, H, batch_first=True, dtype=x.dtype)
    with torch.no_grad():
        for parameter, value in zip(rnn.parameters(), (W_xh, W_hh, b, 0 * b), strict=True):
            parameter.copy_(value)
    h = h0[None]
    for start in range(0, x.shape[1], k):
        output, h = rnn(x[:, start : start + k], h.detach().contiguous())
        (output * upstream[:, start : start + k]).sum().backward()
    return rnn.weight_ih_l0.grad, rnn.weight_hh_l0.grad, rnn.bias_ih_l0.grad


@truncated_bptt.variant
def windows_in_numpy_and_float32(x, upstream, h0, W_xh, W_hh, b, k):
    x, upstream, h, W_xh, W_hh, b = (a.numpy().astype("f4") for a in (x, upstream, h0, W_xh, W_hh, b))
    dW_xh, dW_hh, db = np.zeros_like(W_xh), np.zeros_like(W_hh), np.zeros_like(b)
    for start in range(0, x.shape[1], k):
        hs = [h]
        for x_t in np.moveaxis(x[:, start : start + k], 1, 0):
            hs.append(np.tanh(x_t @ W_xh.T + hs[-1] @ W_hh.T + b))
        dh = np.zeros_like(h)
        for t in range(len(hs) - 1, 0, -1):
            da = (dh + upstream[:, start + t - 1]) * (1 - hs[t] ** 2)
            dW_xh += da.T @ x[:, start + t - 1]
            dW_hh += da.T @ hs[t - 1]
            db += da.sum(axis=0)
            dh = da @ W_hh
        h = hs[-1]
    return dW_xh, dW_hh, db
