"""The bank of exercise 06, backpropagation through time; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex06_deltas_bank`` (bptt_deltas), ``ex06_gradients_bank`` (bptt_gradients),
``ex06_loss_bank`` (masked_loss) and ``ex06_truncated_bank`` (truncated_bptt).
"""

import copy
import itertools

import numpy as np
import torch

from course_utils.cells import rnn_forward
from course_utils.reference import ex06 as reference
from grading.bank import Case, Question
from grading.exercises.ex06_deltas_bank import EDGE, different_sizes, easy, scattered, single
from grading.exercises.ex06_truncated_bank import bank, drawn
from grading.term import words

# numerical_gradient ---------------------------------------------------------------------------------

numerical_gradient = bank.function(
    "numerical_gradient",
    reference.numerical_gradient,
    terms={
        "input": "the inputs x in the loss",
        "start": "the start h0 in the loss",
        "bias": "the bias b in the loss",
    },
)

TERMS = ("input", "start", "bias")


def silenced_cases(rng, draw):
    """One case for each part of the loss that can be silenced."""
    for name, position, title in [
        ("input", 0, "no inputs (x = 0)"),
        ("start", 2, "a start from zeros"),
        ("bias", 5, "no bias (b = 0)"),
    ]:
        arguments = draw()
        arguments[position] = torch.zeros_like(arguments[position])
        terms = tuple(term for term in TERMS if term != name)
        yield Case(title, *arguments, some_eps(rng), terms=terms)


def some_eps(rng):
    """A step so large that the quotient differs from the gradient, and float32 is precise enough."""
    return round(rng.uniform(0.15, 0.3), 2)


@numerical_gradient.visible
def _():
    one, half = torch.ones(1, 1), torch.tensor([[0.5]])
    yield Case("one weight by hand", 0 * one[None], one[None], one, 0 * one, half, torch.zeros(1), 0.5)
    rng = np.random.default_rng(46)
    yield Case("two rows, in float64", *easy(*drawn(rng, 2, 4, 1, 3)), 0.2, terms=TERMS)
    yield from silenced_cases(rng, lambda: single(*easy(*drawn(rng, 2, 3, 1, 2))))


@numerical_gradient.hidden
def _(rng):
    def sizes():
        return [*different_sizes(rng, 3, 4, 5), 2]  # few weights: each costs two runs

    yield Case("a batch", *drawn(rng, *sizes()), some_eps(rng), terms=TERMS)
    yield from silenced_cases(rng, lambda: drawn(rng, *sizes()))
    yield Case("a single step", *drawn(rng, 4, 1, 2, 3), some_eps(rng), terms=TERMS)
    yield Case("not contiguous", *map(scattered, drawn(rng, 5, 3, 4, 2)), some_eps(rng), terms=TERMS)
    yield Case("float32", *single(*drawn(rng, 4, 3, 5, 2)), some_eps(rng), terms=TERMS)
    yield Case("one weight", *drawn(rng, 4, 3, 2, 1), some_eps(rng), terms=TERMS, weight=EDGE)


def loss_of(x, upstream, h0, W_xh, b):
    """The loss as a function of W_hh alone."""
    return lambda W: (upstream * rnn_forward(x, W_xh, W, b, h0)).sum()


def each_entry(W_hh, quotient):
    """``quotient(nudge)`` for every entry, the nudge being a matrix with a 1 there."""
    gradient = torch.zeros_like(W_hh)
    for i, j in itertools.product(range(len(W_hh)), repeat=2):
        nudge = torch.zeros_like(W_hh)
        nudge[i, j] = 1.0
        gradient[i, j] = quotient(nudge)
    return gradient


@numerical_gradient.wrong(
    "Your quotient looks one way, loss(W + eps) - loss(W); nudge to both sides, divide by 2 eps."
)
def forward_difference(x, upstream, h0, W_xh, W_hh, b, eps):
    loss = loss_of(x, upstream, h0, W_xh, b)
    return each_entry(W_hh, lambda nudge: (loss(W_hh + eps * nudge) - loss(W_hh)) / eps)


@numerical_gradient.wrong(
    "Your quotient looks back only, loss(W) - loss(W - eps); nudge to both sides, divide by 2 eps."
)
def backward_difference(x, upstream, h0, W_xh, W_hh, b, eps):
    loss = loss_of(x, upstream, h0, W_xh, b)
    return each_entry(W_hh, lambda nudge: (loss(W_hh) - loss(W_hh - eps * nudge)) / eps)


@numerical_gradient.wrong("Your quotient divides by eps; from W - eps to W + eps the distance is 2 eps.")
def divided_by_eps(x, upstream, h0, W_xh, W_hh, b, eps):
    return 2 * reference.numerical_gradient(x, upstream, h0, W_xh, W_hh, b, eps)


@numerical_gradient.wrong("Your quotient multiplies by eps: a / 2 * eps is a * eps / 2; write a / (2 * eps).")
def divided_by_two_alone(x, upstream, h0, W_xh, W_hh, b, eps):
    return eps**2 * reference.numerical_gradient(x, upstream, h0, W_xh, W_hh, b, eps)


@numerical_gradient.wrong(
    "Your answer is the exact gradient; asked for is the quotient, with its error at this eps."
)
def exact_gradient(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.truncated_bptt(x, upstream, h0, W_xh, W_hh, b, x.shape[1])[1]


@numerical_gradient.wrong("Your entries stay at W - eps once they are done; put each back before the next.")
def never_restored(x, upstream, h0, W_xh, W_hh, b, eps):
    W, loss = W_hh.clone(), loss_of(x, upstream, h0, W_xh, b)

    def quotient(nudge):
        up = loss(W + eps * nudge)
        W.sub_(eps * nudge)
        return (up - loss(W)) / (2 * eps)

    return each_entry(W_hh, quotient)


@numerical_gradient.wrong("Your nudge moves all weights at once; move one entry and hold the others still.")
def all_entries_at_once(x, upstream, h0, W_xh, W_hh, b, eps):
    loss = loss_of(x, upstream, h0, W_xh, b)
    quotient = (loss(W_hh + eps) - loss(W_hh - eps)) / (2 * eps)
    return quotient.expand(W_hh.shape).clone()


@numerical_gradient.wrong("Your nudge moves a whole row of W_hh; move one entry and hold the others still.")
def a_row_at_once(x, upstream, h0, W_xh, W_hh, b, eps):
    loss = loss_of(x, upstream, h0, W_xh, b)

    def quotient(nudge):
        row = nudge.sum(dim=1, keepdim=True).expand(W_hh.shape)
        return (loss(W_hh + eps * row) - loss(W_hh - eps * row)) / (2 * eps)

    return each_entry(W_hh, quotient)


@numerical_gradient.wrong(
    "Your nudge is eps times the weight; the step is eps itself, for large and small weights."
)
def nudge_in_proportion(x, upstream, h0, W_xh, W_hh, b, eps):
    loss = loss_of(x, upstream, h0, W_xh, b)

    def quotient(nudge):
        step = eps * W_hh * nudge
        return (loss(W_hh + step) - loss(W_hh - step)) / (2 * step.sum())

    return each_entry(W_hh, quotient)


@numerical_gradient.wrong("Your result is transposed; entry (i, j) belongs to the weight W_hh[i, j].")
def quotients_transposed(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.numerical_gradient(x, upstream, h0, W_xh, W_hh, b, eps).T


@numerical_gradient.wrong("Your loss starts from zeros; every run of it starts from h0.")
def loss_without_h0(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.numerical_gradient(x, upstream, torch.zeros_like(h0), W_xh, W_hh, b, eps)


@numerical_gradient.wrong("Your loss counts the last step only; it is the sum over all steps.")
def loss_at_the_last_step(x, upstream, h0, W_xh, W_hh, b, eps):
    last = torch.zeros_like(upstream)
    last[:, -1] = upstream[:, -1]
    return reference.numerical_gradient(x, last, h0, W_xh, W_hh, b, eps)


@numerical_gradient.wrong("Your states after the nudge come from the old ones; run the whole sequence again.")
def one_step_from_old_states(x, upstream, h0, W_xh, W_hh, b, eps):
    before = torch.cat([h0[:, None], rnn_forward(x, W_xh, W_hh, b, h0)[:, :-1]], dim=1)

    def loss(W):
        return (upstream * torch.tanh(x @ W_xh.T + before @ W.T + b)).sum()

    return each_entry(W_hh, lambda nudge: (loss(W_hh + eps * nudge) - loss(W_hh - eps * nudge)) / (2 * eps))


@numerical_gradient.fault("input")
def loss_with_double_inputs(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.numerical_gradient(2 * x, upstream, h0, W_xh, W_hh, b, eps)


@numerical_gradient.fault("start")
def loss_from_half_the_start(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.numerical_gradient(x, upstream, h0 / 2, W_xh, W_hh, b, eps)


@numerical_gradient.fault("bias")
def loss_with_two_biases(x, upstream, h0, W_xh, W_hh, b, eps):
    return reference.numerical_gradient(x, upstream, h0, W_xh, W_hh, 2 * b, eps)


@numerical_gradient.variant
def entries_nudged_and_put_back(x, upstream, h0, W_xh, W_hh, b, eps):
    W, grad = copy.deepcopy(W_hh), torch.zeros_like(W_hh)
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            old = W[i, j].item()
            W[i, j] = old + eps
            pos = (rnn_forward(x, W_xh, W, b, h0) * upstream).sum().item()
            W[i, j] = old - eps
            neg = (rnn_forward(x, W_xh, W, b, h0) * upstream).sum().item()
            W[i, j] = old
            grad[i, j] = (pos - neg) / (2 * eps)
    return grad


@numerical_gradient.variant
def losses_from_nn_rnn(x, upstream, h0, W_xh, W_hh, b, eps):
    rnn = torch.nn.RNN(*W_xh.T.shape, batch_first=True, dtype=x.dtype)

    def loss(W):
        named = dict(zip((name for name, _ in rnn.named_parameters()), (W_xh, W, b, 0 * b), strict=True))
        rnn.load_state_dict(named)
        with torch.no_grad():
            return (upstream * rnn(x, h0[None].contiguous())[0]).sum()

    return each_entry(W_hh, lambda nudge: (loss(W_hh + eps * nudge) - loss(W_hh - eps * nudge)) / (2 * eps))


@numerical_gradient.variant
def differences_in_numpy_and_float32(x, upstream, h0, W_xh, W_hh, b, eps):
    x, upstream, h0, W_xh, W_hh, b = (a.numpy().astype("f4") for a in (x, upstream, h0, W_xh, W_hh, b))
    gradient = np.zeros_like(W_hh)
    for index in np.ndindex(*W_hh.shape):
        for sign in (1, -1):
            W, h = W_hh.copy(), h0
            W[index] += sign * eps
            for t in range(x.shape[1]):
                h = np.tanh(x[:, t] @ W_xh.T + h @ W.T + b)
                gradient[index] += sign * (upstream[:, t] * h).sum() / (2 * eps)
    return gradient


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((20, 5), (18, 6), (20, 4), (24, 6), (12, 3))
def paths_that_are_kept(steps=12, window=4):
    count = steps // window
    whole, one = steps * (steps + 1) // 2, window * (window + 1) // 2
    right = count * one
    return Question(
        "paths_that_are_kept",
        right,
        f"A loss looks back at the steps of its own window only. A window of {words(window)} steps keeps "
        f"{' + '.join(map(str, range(1, window + 1)))} = {one} terms, the {words(count)} windows keep "
        f"{right} of the "
        f"{whole}: the losses at the start of a window lose most.",
        tolerance=0.5,
        replies={
            whole: f"You counted the full double sum, 1 + 2 + ... + {steps}; most of it crosses a border.",
            whole - right: "You counted the terms that are lost; asked for are those that are kept.",
            one
            + (steps - window)
            * window: f"You let every loss look {words(window)} steps back; windows do not "
            f"slide, a new one begins every {window} steps.",
            one: f"You counted one window; there are {words(count)}.",
            steps: "You counted one term for each loss; inside its window a loss looks back at several "
            "steps.",
            steps**2: "You counted all pairs of steps, but a loss reaches back only, not to later steps.",
        },
        numbers={"steps": steps, "window": window, "whole": whole},
    )


bank.question(
    "where_the_gradient_is",
    "b",
    "The loss stands in the last window, and no gradient leaves it. The other nine windows have no loss of "
    "their own, so their gradients are zero, exactly, in every sequence: more data does not help.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "That would need a loss in every window, or a gradient that crosses the borders.",
        "c": "The state is carried on, but detached: on the way back the gradient stops at the first border.",
        "d": "The last window sees the loss, and its ten steps use the weights; their gradient is not zero.",
    },
)

bank.written(
    "detach_argument",
    "0.5: what the second version computes: detached at every step no gradient passes from step to step, so "
    "it is truncation to k = 1. "
    "0.5: where detach belongs: once, between two windows, on the carried state; the number is carried on, "
    "its history is not (0.25 without the second half). "
    "0.5: the share: both steps must lie in one window, which is so for 8 of the 20 places of the closing "
    "step, 40 per cent (0.25 for the reason without the number). "
    "0.5: what raises it: longer windows, at the price of memory (windows of k give (k - 12) / k), or ones "
    "that overlap; other borders in every epoch move the gaps but do not raise the share.",
)
