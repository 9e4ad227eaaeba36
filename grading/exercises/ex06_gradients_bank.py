"""The second part of the bank of exercise 06: from deltas to gradients; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex06 as reference
from grading.bank import Case
from grading.exercises.ex06_deltas_bank import (
    EDGE,
    bank,
    different_sizes,
    easy,
    normal,
    scattered,
    single,
    some_states,
)

# bptt_gradients -------------------------------------------------------------------------------------

bptt_gradients = bank.function(
    "bptt_gradients",
    reference.bptt_gradients,
    terms={
        "input": "the gradient of W_xh, which pairs each step with its input",
        "before": "the gradient of W_hh, which pairs each step with the state before it",
        "bias": "the gradient of b",
        "start": "the gradient of h0, the way back through W_hh",
        "down": "the gradient of x, the way down through W_xh",
        "slope": "the slope 1 - h_t^2 of the same step",
    },
)

TERMS = ("input", "before", "bias", "start", "down", "slope")


def without(*silenced):
    """The terms that are left when some are silenced."""
    return tuple(term for term in TERMS if term not in silenced)


def drawn(rng, B, T, d, H):
    """All six arguments, with states and deltas that no forward pass made."""
    return [
        normal(rng, B, T, d),
        some_states(rng, B, T, H),
        some_states(rng, B, H),
        normal(rng, B, T, H),
        normal(rng, H, d),
        normal(rng, H, H),
    ]


def zero(arguments, *positions):
    """The same arguments, with zeros at some positions."""
    return [torch.zeros_like(a) if n in positions else a for n, a in enumerate(arguments)]


def silenced_cases(sizes, draw):
    """One case for each term that can be silenced."""
    yield Case("no inputs (x = 0)", *zero(draw(*sizes()), 0), terms=without("input"))
    yield Case("every state 0", *zero(draw(*sizes()), 1), terms=without("slope"))
    yield Case("no way down (W_xh = 0)", *zero(draw(*sizes()), 4), terms=without("down"))
    yield Case("no way back (W_hh = 0)", *zero(draw(*sizes()), 5), terms=without("start"))
    B, _, d, H = sizes()
    yield Case("one step from zeros", *zero(draw(B, 1, d, H), 2), terms=without("before"))
    arguments = zero(draw(2, 1, d, H), 1)
    arguments[3][1] = -arguments[3][0]
    yield Case("two rows that cancel in b", *arguments, terms=without("bias", "slope"))


@bptt_gradients.visible
def _():
    one = [torch.tensor(values).reshape(1, -1, 1) for values in ([1.0, 0, -1], [0.6, 0.5, 0.8], [2.0, 1, 1])]
    x, states, deltas = one
    yield Case(
        "three steps by hand",
        x,
        states,
        torch.tensor([[0.5]]),
        deltas,
        torch.tensor([[3.0]]),
        torch.tensor([[2.0]]),
        terms=TERMS,
    )
    rng = np.random.default_rng(16)
    yield Case("two rows, in float64", *easy(*drawn(rng, 2, 3, 1, 4)), terms=TERMS)
    yield from silenced_cases(lambda: (2, 3, 1, 2), lambda *sizes: single(*easy(*drawn(rng, *sizes))))


@bptt_gradients.hidden
def _(rng):
    def sizes():
        return different_sizes(rng, 2, 3, 4, 5)

    yield Case("a batch", *drawn(rng, *sizes()), terms=TERMS)
    yield from silenced_cases(sizes, lambda *sizes: drawn(rng, *sizes))
    yield Case("not contiguous", *map(scattered, drawn(rng, 5, 4, 3, 2)), terms=TERMS)
    yield Case("one long row in float32", *single(*drawn(rng, 1, 12, 2, 3)), terms=TERMS)
    yield Case("a single step", *drawn(rng, 3, 1, 4, 2), terms=TERMS, weight=EDGE)


def gradients(x, before, h0_inside, inside, W_xh, W_hh):
    """All five from the gradient before the tanh: ``inside`` for the sums, ``h0_inside`` for h0."""
    dW_xh, dW_hh = torch.einsum("bth,btd->hd", inside, x), torch.einsum("bth,btj->hj", inside, before)
    return dW_xh, dW_hh, inside.sum(dim=(0, 1)), h0_inside @ W_hh, inside @ W_xh


def states_before(states, h0):
    return torch.cat([h0[:, None], states[:, :-1]], dim=1)


def with_inside(inside, x, states, h0, W_xh, W_hh):
    """What most wrong ideas have in common: they get the gradient before the tanh wrong."""
    return gradients(x, states_before(states, h0), inside[:, 0], inside, W_xh, W_hh)


@bptt_gradients.wrong(
    "Your gradient of W_hh pairs step t with h_t; the step read the state before it, h_(t-1)."
)
def pairs_with_the_new_state(x, states, h0, deltas, W_xh, W_hh):
    inside = deltas * (1 - states**2)
    return gradients(x, states, inside[:, 0], inside, W_xh, W_hh)


@bptt_gradients.wrong("Your gradient of W_hh leaves out the first step; it read h0, so pair it with h0.")
def forgets_h0(x, states, h0, deltas, W_xh, W_hh):
    return reference.bptt_gradients(x, states, torch.zeros_like(h0), deltas, W_xh, W_hh)


@bptt_gradients.wrong(
    "Your gradients use the deltas as they are; multiply by 1 - h_t^2 to get behind the tanh."
)
def stays_at_the_state(x, states, h0, deltas, W_xh, W_hh):
    return with_inside(deltas, x, states, h0, W_xh, W_hh)


@bptt_gradients.wrong("Your slope is that of the state before, h_(t-1); the tanh of step t made h_t.")
def slope_of_the_state_before(x, states, h0, deltas, W_xh, W_hh):
    return with_inside(deltas * (1 - states_before(states, h0) ** 2), x, states, h0, W_xh, W_hh)


@bptt_gradients.wrong("Your gradients apply 1 - h_t^2 twice; each step has one tanh.")
def two_slopes(x, states, h0, deltas, W_xh, W_hh):
    return with_inside(deltas * (1 - states**2) ** 2, x, states, h0, W_xh, W_hh)


@bptt_gradients.wrong("Your weight gradients are means over the steps; the steps share the weights, so sum.")
def mean_over_steps(x, states, h0, deltas, W_xh, W_hh):
    *weights, dh0, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *(gradient / x.shape[1] for gradient in weights), dh0, dx


@bptt_gradients.wrong(
    "Your weight gradients are means over the batch; a mean belongs into the loss, so sum here."
)
def mean_over_the_batch(x, states, h0, deltas, W_xh, W_hh):
    *weights, dh0, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *(gradient / len(x) for gradient in weights), dh0, dx


@bptt_gradients.wrong(
    "Your weight gradients hold the first step only, the last of your loop; add up with +=."
)
def overwrites_instead_of_adding(x, states, h0, deltas, W_xh, W_hh):
    *_, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    first = reference.bptt_gradients(x[:, :1], states[:, :1], h0, deltas[:, :1], W_xh, W_hh)
    return *first[:4], dx


@bptt_gradients.wrong("Your gradient of W_hh is transposed; its rows belong to the units of step t.")
def outer_product_transposed(x, states, h0, deltas, W_xh, W_hh):
    dW_xh, dW_hh, *rest = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return dW_xh, dW_hh.T, *rest


@bptt_gradients.wrong(
    "Your weights count as (d, H), used as x @ W; here they are (H, d), so transpose both gradients."
)
def weights_of_another_course(x, states, h0, deltas, W_xh, W_hh):
    dW_xh, dW_hh, *rest = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return dW_xh.T, dW_hh.T, *rest


@bptt_gradients.wrong(
    "Your gradient of b keeps the batch, (B, H); the rows share one b, so sum over them too."
)
def bias_for_each_row(x, states, h0, deltas, W_xh, W_hh):
    dW_xh, dW_hh, _, *rest = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return dW_xh, dW_hh, (deltas * (1 - states**2)).sum(dim=1), *rest


@bptt_gradients.wrong("Your gradient of h0 is the first delta, that of h_1; take it one step back, to h_0.")
def start_is_the_first_delta(x, states, h0, deltas, W_xh, W_hh):
    *weights, _, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *weights, deltas[:, 0], dx


@bptt_gradients.wrong("Your gradient of h0 misses the slope of step 1; multiply its delta by 1 - h_1^2.")
def start_without_slope(x, states, h0, deltas, W_xh, W_hh):
    *weights, _, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *weights, deltas[:, 0] @ W_hh, dx


@bptt_gradients.wrong("Your gradient of h0 sums the batch; each row has its own start, so keep (B, H).")
def one_start_for_all(x, states, h0, deltas, W_xh, W_hh):
    *weights, dh0, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *weights, dh0.sum(dim=0), dx


@bptt_gradients.wrong(
    "Your gradient of x misses the slope; the input enters before the tanh, so multiply by 1 - h_t^2."
)
def inputs_without_slope(x, states, h0, deltas, W_xh, W_hh):
    *others, _ = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *others, deltas @ W_xh


@bptt_gradients.fault("input")
def inputs_doubled(x, states, h0, deltas, W_xh, W_hh):
    dW_xh, *rest = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return 2 * dW_xh, *rest


@bptt_gradients.fault("before")
def states_as_sizes(x, states, h0, deltas, W_xh, W_hh):
    inside, before = deltas * (1 - states**2), states_before(states, h0)
    return gradients(x, before.sign(), inside[:, 0], inside, W_xh, W_hh)


@bptt_gradients.fault("bias")
def bias_with_a_minus(x, states, h0, deltas, W_xh, W_hh):
    dW_xh, dW_hh, db, *rest = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return dW_xh, dW_hh, -db, *rest


@bptt_gradients.fault("start")
def start_with_squared_weights(x, states, h0, deltas, W_xh, W_hh):
    *weights, _, dx = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *weights, (deltas[:, 0] * (1 - states[:, 0] ** 2)) @ W_hh**2, dx


@bptt_gradients.fault("down")
def down_with_squared_weights(x, states, h0, deltas, W_xh, W_hh):
    *others, _ = reference.bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
    return *others, (deltas * (1 - states**2)) @ W_xh**2


@bptt_gradients.fault("slope")
def slope_of_a_size(x, states, h0, deltas, W_xh, W_hh):
    return with_inside(deltas * (1 - states.abs()), x, states, h0, W_xh, W_hh)


@bptt_gradients.variant
def loop_over_steps(x, states, h0, deltas, Wx, Wh):
    """In the style of a step with a cache, whose results are added up."""
    dWx, dWh, db = torch.zeros_like(Wx), torch.zeros_like(Wh), torch.zeros(len(Wh), dtype=Wh.dtype)
    dx = torch.zeros_like(x)
    for t in range(x.shape[1] - 1, -1, -1):
        prev_h = h0 if t == 0 else states[:, t - 1]
        dact = (1 - states[:, t] ** 2) * deltas[:, t]
        dx[:, t] = dact.mm(Wx)
        dWx += dact.t().mm(x[:, t])
        dWh += dact.t().mm(prev_h)
        db += dact.sum(0)
    return dWx, dWh, db, dact.mm(Wh), dx


@bptt_gradients.variant
def flat_in_numpy_and_float32(x, states, h0, deltas, W_xh, W_hh):
    x, states, h0, deltas, W_xh, W_hh = (
        a.numpy().astype("float32") for a in (x, states, h0, deltas, W_xh, W_hh)
    )
    before = np.concatenate([h0[:, None], states[:, :-1]], axis=1)
    H, d = W_xh.shape
    inside = (deltas * (1 - states**2)).reshape(-1, H)
    dx = (inside @ W_xh).reshape(x.shape)
    dh0 = inside.reshape(states.shape)[:, 0] @ W_hh
    return [inside.T @ x.reshape(-1, d), inside.T @ before.reshape(-1, H), inside.sum(0), dh0, dx]


@bptt_gradients.variant
def each_step_by_autograd(x, states, h0, deltas, W_xh, W_hh):
    """One step from h_(t-1), shifted onto the given state, and the delta fed in at its end."""
    leaves = [value.clone().requires_grad_() for value in (W_xh, W_hh, torch.zeros_like(W_hh[0]), h0, x)]
    W_xh, W_hh, b, h0, x = leaves
    before = states_before(states, h0)
    total = x @ W_xh.T + before @ W_hh.T + b
    h = torch.tanh(torch.atanh(states) + total - total.detach())
    return torch.autograd.grad(h, leaves, grad_outputs=deltas)


@bptt_gradients.variant
def sums_of_outer_products(x, states, h0, deltas, W_xh, W_hh):
    inside, before = deltas * (1 - states.square()), states_before(states, h0)
    dW_xh = (inside[..., :, None] * x[..., None, :]).sum(dim=(0, 1))
    dW_hh = (inside[..., :, None] * before[..., None, :]).sum(dim=(0, 1))
    dh0 = (W_hh.T @ inside[:, 0].T).T
    return dW_xh, dW_hh, inside.sum(0).sum(0), dh0, torch.matmul(W_xh.T, inside.mT).mT
