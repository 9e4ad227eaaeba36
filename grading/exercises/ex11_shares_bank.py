"""More of the second part of the bank of exercise 11: shares before logarithms, gradients, variants.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from grading.exercises.ex11_loss_bank import bank, differentiated, masked_cross_entropy, parts

__all__ = ["bank"]


def shares_first(advice, shares_of=lambda scores: torch.softmax(scores, dim=2)):
    """Register a wrong idea in which shares come first, then their logarithm; the gradient by the formula."""

    def register(idea):
        def whole(scores, targets, pad):
            _, real, count, _, hot = parts(scores, targets, pad)
            p = shares_of(scores)
            gradient = (p - hot) * real[:, :, None] / count
            return idea(p, torch.where(real, targets, 0), real, count), gradient

        whole.__name__ = idea.__name__
        masked_cross_entropy.wrong(advice)(whole)
        return whole

    return register


def logarithm(p, wanted, real, count):
    """The mean of -ln of the shares that are given."""
    return -torch.where(real, p.gather(2, wanted[:, :, None])[:, :, 0].log(), 0).sum() / count


@shares_first("Your logarithm is taken of a softmax, whose share may be 0; log_softmax gives it in one step.")
def log_of_the_softmax(*arguments):
    return logarithm(*arguments)


@shares_first(
    "Your exponentials overflow near 1000; subtract the largest score of a step first, or use log_softmax.",
    lambda scores: scores.exp() / scores.exp().sum(dim=2, keepdim=True),
)
def unstable(*arguments):
    return logarithm(*arguments)


@shares_first(
    "Your scores lose the largest one of the whole batch, and where all are low only zeros are left; "
    "subtract the largest of each step.",
    lambda scores: (scores - scores.max()).exp() / (scores - scores.max()).exp().sum(dim=2, keepdim=True),
)
def one_maximum_for_all(*arguments):
    return logarithm(*arguments)


@differentiated(
    "Your logarithm is taken of a softmax, and where a share is 0 autograd finds NaN; use log_softmax."
)
def log_of_the_softmax_by_autograd(scores, targets, pad):
    _, real, count, _, _ = parts(scores, targets, pad)
    return logarithm(torch.softmax(scores, dim=2), torch.where(real, targets, 0), real, count)


def with_gradient(advice):
    """Register a wrong idea about the gradient alone: ``idea(p, hot, real, count)``; real is (B, T, 1)."""

    def register(idea):
        def whole(scores, targets, pad):
            costs, real, count, p, hot = parts(scores, targets, pad)
            return (costs * real).sum() / count, idea(p, hot, real[:, :, None], count)

        whole.__name__ = idea.__name__
        masked_cross_entropy.wrong(advice)(whole)
        return whole

    return register


@with_gradient("Your gradient at the pads is not 0; what no loss counts moves nothing.")
def gradient_at_pads(p, hot, real, count):
    return (p - hot * real) / count


@with_gradient("Your gradient is that of the sum; the loss is a mean, so divide by the number of targets.")
def gradient_of_the_sum(p, hot, real, count):
    return (p - hot) * real


@with_gradient("Your gradient has the wrong sign; at the target it is P - 1, below 0.")
def gradient_negated(p, hot, real, count):
    return (hot - p) * real / count


@with_gradient("Your gradient lacks the -1 at the target; it is P - 1 there and P elsewhere.")
def target_not_subtracted(p, hot, real, count):
    return p * real / count


@with_gradient("Your gradient is 0 except at the targets; the other scores are in the softmax, too.")
def target_alone(p, hot, real, count):
    return (p - hot) * hot * real / count


@masked_cross_entropy.variant
def autograd_and_torch(scores, targets, pad):
    leaf = scores.clone().requires_grad_()
    total = torch.nn.functional.cross_entropy(
        leaf.transpose(1, 2), targets, ignore_index=pad, reduction="sum"
    )
    loss = total / max((targets != pad).sum().item(), 1)
    loss.backward()
    return loss.item(), leaf.grad


@masked_cross_entropy.variant
def by_loops(scores, targets, pad):
    B, T, _ = scores.shape
    total, gradient = 0.0, torch.zeros_like(scores)
    places = [(n, t) for n in range(B) for t in range(T) if targets[n, t] != pad]
    for n, t in places:
        row, y = scores[n, t], targets[n, t]
        total += (torch.logsumexp(row, 0) - row[y]).item()
        gradient[n, t] = row.softmax(0) / len(places)
        gradient[n, t, y] -= 1 / len(places)
    return (total / len(places) if places else 0), gradient


@masked_cross_entropy.variant
def numpy_in_float32(scores, targets, pad):
    s, y = scores.numpy().astype("f4"), targets.numpy()
    s = s - s.max(axis=-1, keepdims=True)
    logs = s - np.log(np.exp(s).sum(axis=-1, keepdims=True))
    n, t = np.nonzero(y != pad)
    picked = np.zeros_like(logs)
    picked[n, t] = np.exp(logs[n, t])
    if len(n) == 0:
        return np.float32(0), picked
    loss = -logs[n, t, y[n, t]].mean()
    picked[n, t, y[n, t]] -= 1
    return loss, picked / len(n)
