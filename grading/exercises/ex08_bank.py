"""The bank of exercise 08, conditioning; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex08_clip_bank`` (clip_by_norm, clip_by_value), ``ex08_start_bank`` (orthogonal_) and
``ex08_norm_bank`` (layernorm_rnn_step).
"""

import math

import numpy as np
import torch

from course_utils.cells import rnn_forward
from course_utils.reference import ex08 as reference
from grading.bank import Case, Question
from grading.exercises.ex08_clip_bank import normal, scattered, whole_length
from grading.exercises.ex08_norm_bank import bank

# training_step --------------------------------------------------------------------------------------

training_step = bank.function(
    "training_step",
    reference.training_step,
    terms={
        "batch": "the gradient of this batch and the step with it",
        "old": "what the gradients held before",
        "limit": "the limit, where the gradient is longer",
    },
)

FREE, HELD = 1e3, 0.3  # limits as a share of the length: above every gradient, below it


def drawn(rng, B, T, d, H):
    """x, targets, the three weights and their old gradients."""
    weights = [normal(rng, H, d, scale=0.6), normal(rng, H, H, scale=0.6), normal(rng, H, scale=0.4)]
    old = [normal(rng, *weight.shape, scale=0.5) for weight in weights]
    return [normal(rng, B, T, d), normal(rng, B, H), *weights, old]


def without_old(arguments):
    return [*arguments[:5], [torch.zeros_like(old) for old in arguments[5]]]


def with_limit(arguments, rate, share):
    """All arguments, the limit as a share of the length of this batch's gradient."""
    return *arguments, rate, share * whole_length(gradients_of(*arguments[:2], arguments[2:5]))


def at_rest(arguments):
    """A batch whose gradient is exactly 0: no inputs, no bias and targets of 0."""
    x, targets, W_xh, W_hh, b, old = arguments
    return [0 * x, 0 * targets, W_xh, W_hh, 0 * b, old]


def switched_cases(rng, sizes):
    """Old gradient and limit switched on and off, and a batch without a gradient."""
    for title, share, terms in [
        ("an old gradient, a wide limit", FREE, ("batch", "old")),
        ("no old gradient, a narrow limit", HELD, ("batch", "limit")),
        ("an old gradient, a narrow limit", HELD, ("batch", "old", "limit")),
    ]:
        arguments = drawn(rng, *sizes())
        arguments = arguments if "old" in terms else without_old(arguments)
        yield Case(title, *with_limit(arguments, rng.uniform(0.1, 0.4), share), terms=terms)
    yield Case("a batch without error", *at_rest(drawn(rng, *sizes())), 0.2, 1.0, terms=("old",))


@training_step.visible
def _():
    one, none = torch.ones(1, 1), torch.zeros(1, 1)
    by_hand = torch.zeros(1, 1, 1), -2 * one, one, one, torch.zeros(1), [none, none, torch.tensor([7.0])]
    yield Case("one step by hand", *by_hand, 0.1, 0.5, terms=("batch", "old", "limit"))
    yield from switched_cases(np.random.default_rng(48), lambda: (2, 3, 1, 4))


@training_step.hidden
def _(rng):
    def sizes():
        B, d, H = rng.permutation([2, 3, 4]).tolist()
        return B, 3, d, H

    yield from switched_cases(rng, sizes)
    arguments = drawn(rng, 1, 4, 3, 2)
    arguments = [*map(scattered, arguments[:5]), arguments[5]]
    yield Case(
        "one row, not contiguous",
        *with_limit(arguments, rng.uniform(1.2, 2.0), 0.5),
        terms=("batch", "old", "limit"),
    )
    arguments = drawn(rng, *sizes())
    arguments = [*(value.float() for value in arguments[:5]), [old.float() for old in arguments[5]]]
    yield Case("float32", *with_limit(arguments, 0.3, 0.6), terms=("batch", "old", "limit"))
    arguments = drawn(rng, 3, 1, 2, 4)
    yield Case("a single step", *with_limit(arguments, 0.2, 0.7), terms=("batch", "old", "limit"))


def at_the_end(states, targets):
    """The gradient of the loss at every state: it counts at the last only."""
    upstream = np.zeros_like(states)
    upstream[:, -1] = (states[:, -1] - targets) / len(states)
    return upstream


def at_every_step(states, targets):
    return (states - targets[:, None]) / len(states)


def gradients_of(x, targets, weights, upstream=at_the_end):
    """The gradients of the three weights by hand, in NumPy: two hundred papers ask for them often."""
    x, targets, W_xh, W_hh, b = (value.numpy().astype(float) for value in (x, targets, *weights))
    states, h = [], np.zeros_like(targets)
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
        states.append(h)
    arriving, back = upstream(np.stack(states, axis=1), targets), 0.0
    gradients = [np.zeros_like(W_xh), np.zeros_like(W_hh), np.zeros_like(b)]
    for t in reversed(range(x.shape[1])):
        inside = (arriving[:, t] + back) * (1 - states[t] ** 2)
        gradients[0] += inside.T @ x[:, t]
        gradients[1] += inside.T @ states[t - 1] if t else 0.0
        gradients[2] += inside.sum(axis=0)
        back = inside @ W_hh
    return [torch.from_numpy(gradient) for gradient in gradients]


def clipped(gradients, limit):
    length = whole_length(gradients)
    factor = min(1.0, limit / length) if length else 1.0
    return [factor * gradient for gradient in gradients]


def moved(weights, gradients, rate):
    return [weight - rate * gradient for weight, gradient in zip(weights, gradients, strict=True)]


def in_full(weights, gradients, rate, limit):
    """A clipped step with these gradients, and their length."""
    return *moved(weights, clipped(gradients, limit), rate), whole_length(gradients)


def added(gradients, old):
    return [one + other for one, other in zip(gradients, old, strict=True)]


@training_step.wrong("Your gradient still holds that of the last batch; call zero_grad before backward.")
def no_zero_grad(x, targets, W_xh, W_hh, b, old, rate, limit):
    weights = W_xh, W_hh, b
    return in_full(weights, added(gradients_of(x, targets, weights), old), rate, limit)


@training_step.wrong(
    "Your clipping comes after the step, when it changes nothing any more; clip before the step."
)
def clip_after_step(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return *moved((W_xh, W_hh, b), gradients, rate), whole_length(gradients)


@training_step.wrong(
    "Your clipping comes between zero_grad and backward, when the gradient is 0; clip after backward."
)
def clip_before_backward(x, targets, W_xh, W_hh, b, old, rate, limit):
    return *moved((W_xh, W_hh, b), gradients_of(x, targets, (W_xh, W_hh, b)), rate), 0.0


@training_step.wrong(
    "Your clipping shortens the old gradient, which zero_grad then removes; clip after backward."
)
def old_gradient_clipped(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return *moved((W_xh, W_hh, b), gradients, rate), whole_length(old)


@training_step.wrong("Your zero_grad comes after backward and wipes out the new gradient; call it before.")
def zero_after_backward(x, targets, W_xh, W_hh, b, old, rate, limit):
    return W_xh, W_hh, b, 0.0


@training_step.wrong("Your step is taken with the old gradient, before backward; step last.")
def step_before_backward(x, targets, W_xh, W_hh, b, old, rate, limit):
    return *moved((W_xh, W_hh, b), clipped(old, limit), rate), whole_length(old)


@training_step.wrong("Your length is that after clipping; return the length before, which shows the spikes.")
def length_after_clipping(x, targets, W_xh, W_hh, b, old, rate, limit):
    *weights, length = reference.training_step(x, targets, W_xh, W_hh, b, old, rate, limit)
    return *weights, min(float(length), limit)


@training_step.wrong("Your clipping takes each weight by itself; all three gradients are one long vector.")
def each_weight_by_itself(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    short = [clipped([gradient], limit)[0] for gradient in gradients]
    return *moved((W_xh, W_hh, b), short, rate), whole_length(gradients)


@training_step.wrong("Your clipping cuts each number; shorten the whole gradient by one factor.")
def clips_by_value(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    cut = [gradient.clamp(-limit, limit) for gradient in gradients]
    return *moved((W_xh, W_hh, b), cut, rate), whole_length(gradients)


@training_step.wrong("Your gradient is always brought to the limit; leave it alone when it is shorter.")
def always_at_the_limit(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    length = whole_length(gradients)
    scaled = [gradient * limit / length if length else gradient for gradient in gradients]
    return *moved((W_xh, W_hh, b), scaled, rate), length


@training_step.wrong("Your limit is held against rate times gradient; it is a limit for the gradient.")
def step_clipped(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    steps = clipped([rate * gradient for gradient in gradients], limit)
    return *moved((W_xh, W_hh, b), steps, 1.0), whole_length(gradients)


@training_step.wrong("Your step goes uphill; subtract rate times gradient.")
def uphill(x, targets, W_xh, W_hh, b, old, rate, limit):
    return in_full((W_xh, W_hh, b), gradients_of(x, targets, (W_xh, W_hh, b)), -rate, limit)


@training_step.wrong("Your loss is a sum over the batch; divide by the number of sequences.")
def loss_summed(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return in_full((W_xh, W_hh, b), [len(x) * gradient for gradient in gradients], rate, limit)


@training_step.wrong("Your loss lacks the half, so the gradient is twice as long.")
def loss_without_half(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return in_full((W_xh, W_hh, b), [2 * gradient for gradient in gradients], rate, limit)


@training_step.wrong(
    "Your loss is a mean over the units, too (MSELoss); sum over the units and divide by 2 B."
)
def loss_averaged_over_units(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return in_full((W_xh, W_hh, b), [gradient * 2 / len(b) for gradient in gradients], rate, limit)


@training_step.wrong("Your loss compares every state with the targets; only the last one counts.")
def loss_at_every_step(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b), at_every_step)
    return in_full((W_xh, W_hh, b), gradients, rate, limit)


@training_step.fault("batch")
def bias_never_moves(x, targets, W_xh, W_hh, b, old, rate, limit):
    new = reference.training_step(x, targets, W_xh, W_hh, b, old, rate, limit)
    return new[0], new[1], b, new[3]


@training_step.fault("old")
def half_of_the_old_one(x, targets, W_xh, W_hh, b, old, rate, limit):
    weights = W_xh, W_hh, b
    mixed = added(gradients_of(x, targets, weights), [part / 2 for part in old])
    return in_full(weights, mixed, rate, limit)


@training_step.fault("limit")
def limit_halved(x, targets, W_xh, W_hh, b, old, rate, limit):
    gradients = gradients_of(x, targets, (W_xh, W_hh, b))
    return in_full((W_xh, W_hh, b), gradients, rate, limit / 2)


@training_step.variant
def without_an_optimiser(x, targets, W_xh, W_hh, b, old_gradients, rate, limit):
    parameters = [torch.nn.Parameter(w.clone()) for w in (W_xh, W_hh, b)]
    h = torch.zeros_like(targets)
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ parameters[0].T + h @ parameters[1].T + parameters[2])
    loss = 0.5 * ((h - targets) ** 2).sum(dim=1).mean()
    grads = torch.autograd.grad(loss, parameters)
    norm = torch.sqrt(sum((g**2).sum() for g in grads))
    scale = min(1.0, limit / norm.item()) if norm > 0 else 1.0
    with torch.no_grad():
        for p, g in zip(parameters, grads, strict=True):
            p -= rate * scale * g
    return [*(p.detach() for p in parameters), norm.item()]


@training_step.variant
def by_hand_in_numpy(x, targets, W_xh, W_hh, b, old_gradients, rate, limit):
    x, targets, W_xh, W_hh, b = (value.numpy().astype("f8") for value in (x, targets, W_xh, W_hh, b))
    states = [np.zeros_like(targets)]
    for t in range(x.shape[1]):
        states.append(np.tanh(x[:, t] @ W_xh.T + states[-1] @ W_hh.T + b))
    delta = (states[-1] - targets) / len(x)
    gradients = [np.zeros_like(W_xh), np.zeros_like(W_hh), np.zeros_like(b)]
    for t in reversed(range(x.shape[1])):
        a = delta * (1 - states[t + 1] ** 2)
        gradients[0] += a.T @ x[:, t]
        gradients[1] += a.T @ states[t]
        gradients[2] += a.sum(axis=0)
        delta = a @ W_hh
    length = math.sqrt(sum((gradient**2).sum() for gradient in gradients))
    factor = limit / length if length > limit else 1.0
    new = [w - rate * factor * g for w, g in zip((W_xh, W_hh, b), gradients, strict=True)]
    return *new, length


@training_step.variant
def zeroed_with_none_in_float32(x, targets, W_xh, W_hh, b, old_gradients, rate, limit):
    weights = [w.float().detach().clone().requires_grad_(True) for w in (W_xh, W_hh, b)]
    for w, g in zip(weights, old_gradients, strict=True):
        w.grad = g.float().clone()
    for w in weights:
        w.grad = None
    y = rnn_forward(x.float(), *weights)[:, -1, :]
    loss = torch.nn.functional.mse_loss(y, targets.float(), reduction="sum") / (2 * y.shape[0])
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(weights, max_norm=limit)
    for w in weights:
        w.data.add_(w.grad, alpha=-rate)
    return (*(w.data for w in weights), norm)


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((1, 4, 8), (2, 5, 14), (3, 4, 12), (1, 6, 18), (4, 5, 20))
def length_of_the_second(first=2, second=3, third=6):
    lengths = (first, second, third)
    square = sum(length**2 for length in lengths)
    norm = math.isqrt(square)
    limit = norm / 2
    return Question(
        "length_of_the_second",
        second / 2,
        f"Together they are the root of {first**2} + {second**2} + {third**2} = {square}, so {norm} long. "
        "All are "
        f"multiplied by {limit:g} / {norm} = 0.5, and the second becomes {second / 2:g}.",
        tolerance=0.02,
        replies={
            second: "You clipped each weight by itself; the limit holds for all three together.",
            limit: "That is the limit; the three gradients together become so long.",
            round(
                second * limit / sum(lengths), 2
            ): f"You added the lengths, {first} + {second} + {third}; add the squares and take the root.",
            2 * second: "You divided the wrong way round; a gradient that is too long becomes shorter.",
            round(
                second * limit / square, 2
            ): f"You left out the root; the length of all is {norm}, not {square}.",
            round(
                second * limit / third, 2
            ): f"You brought the longest to the limit; all three together should be {limit:g} long.",
        },
        numbers={"first": first, "second": second, "third": third, "limit": limit},
    )


bank.question(
    "ten_times_the_weights",
    "c",
    "The sum becomes ten times as large, its standard deviation too, and their quotient stays. So the unit "
    "computes the same states and has the same gradients from step to step.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "W_hh is ten times as large, but LayerNorm divides by a standard deviation ten times as large.",
        "b": "That is what happens without LayerNorm, where the tanh saturates; here the slopes stay at 0.6.",
        "d": "Neither states nor slopes change at all, whatever the inputs are: a common factor cancels.",
    },
)

bank.written(
    "repairs_argument",
    "0.5: the order: after optimizer.step() the clipping changes only gradients that the next zero_grad "
    "discards, so no step was ever clipped; it belongs between backward and step. "
    "0.5: the measure: clip_grad_value_ bounds each number, not the length, and turns the gradient; use the "
    "length of the whole, with a limit from the run's own lengths, say near their 90 % quantile. "
    "0.5: the orthogonal start: it holds for W_hh at the first update; slopes below 1 shorten the gradient "
    "all the same (factor about 0.76, 50 steps to 1e-6), and training moves W_hh away. "
    "0.5: the 100 steps: clipping lengthens nothing and LayerNorm's factor is below 1 as well; the memory "
    "has to be in the unit (a gate, an additive path) or the distance has to be made shorter.",
)
