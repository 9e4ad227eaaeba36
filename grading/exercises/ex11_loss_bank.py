"""The second part of the bank of exercise 11: the masked loss and its gradient; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex11 as reference
from grading.bank import Case
from grading.exercises.ex11_batch_bank import bank
from grading.exercises.ex11_numbers import EDGE, drawn, scattered

# masked_cross_entropy -------------------------------------------------------------------------------

masked_cross_entropy = bank.function("masked_cross_entropy", reference.masked_cross_entropy)


def some_targets(rng, B, T, V, pad):
    """Targets of rows with different lengths, the first row full; where pad is a token, no target is it."""
    tokens = [token for token in range(V) if token != pad]
    targets = torch.from_numpy(rng.choice(tokens, size=(B, T)))
    for n, length in enumerate([T, *rng.permutation(range(1, T))[: B - 1].tolist()]):
        targets[n, length:] = pad
    return targets


def sizes(rng):
    """B, T, V, all different."""
    return rng.permutation([3, 4, 5]).tolist()


def one_high(rng, B, T, V, targets, pad):
    """Scores near -1000 and in each step one near 1000: every second target, else the token behind it.

    So each share P is 0 or 1 to all digits. At the pads the scores lie close together.
    """
    scores = drawn(rng, B, T, V)
    for number, (n, t) in enumerate((targets != pad).nonzero().tolist()):
        scores[n, t] -= 1000.0
        scores[n, t, (targets[n, t] + number % 2) % V] += 2000.0
    return scores


@masked_cross_entropy.visible
def _():
    ln3 = math.log(3)
    scores = torch.tensor([[[0.0, ln3], [0.0, 0.0]], [[0.0, ln3], [5.0, -5.0]]])
    yield Case("the example by hand", scores, torch.tensor([[1, 0], [0, -1]]), -1)
    rng = np.random.default_rng(11)
    yield Case("a token is the pad", drawn(rng, 2, 3, 4), some_targets(rng, 2, 3, 4, 0), 0)
    levels = torch.tensor([[[1000.0], [-1000.0], [1000.0]], [[-1000.0], [1000.0], [1000.0]]])
    yield Case(
        "scores near 1000 or -1000",
        levels + drawn(rng, 2, 3, 4, scale=0.5),
        some_targets(rng, 2, 3, 4, -100),
        -100,
    )
    targets = some_targets(rng, 2, 3, 4, -1)
    yield Case(
        "scores far apart",
        one_high(rng, 2, 3, 4, targets, -1),
        targets,
        -1,
        hint="the share of a target may be 0, and its logarithm is still a number: log_softmax gives it",
    )
    yield Case("pads alone", drawn(rng, 1, 2, 3), torch.tensor([[-1, -1]]), -1)


@masked_cross_entropy.hidden
def _(rng):
    for title, pad in [("the pad is 0", 0), ("the pad is -1", -1), ("another token is the pad", 2)]:
        B, T, V = sizes(rng)
        yield Case(title, drawn(rng, B, T, V, scale=2.0), some_targets(rng, B, T, V, pad), pad)
    B, T, V = sizes(rng)
    scores = scattered(drawn(rng, B, T, V, scale=2.0).double())
    yield Case("float64, not contiguous", scores, some_targets(rng, B, T, V, -100), -100)
    B, T, V = sizes(rng)  # float32 rounds by 3e-5 near 1000; shares stay so far from 1 that it does not show
    high = torch.from_numpy(rng.choice([-1000.0, 1000.0], size=(B, T, 1))).float()
    high[0, :2] = torch.tensor([[1000.0], [-1000.0]])  # both at least once, at real targets
    targets = some_targets(rng, B, T, V, 1)
    yield Case("scores near 1000 or -1000", high + drawn(rng, B, T, V, scale=0.5), targets, 1)
    B, T, V = sizes(rng)
    targets = some_targets(rng, B, T, V, -1)
    yield Case("scores far apart", one_high(rng, B, T, V, targets, -1), targets, -1)
    B, T, V = sizes(rng)
    yield Case(
        "no pads", drawn(rng, B, T, V, scale=2.0), some_targets(rng, 1, B * T, V, -1).reshape(B, T), -1
    )
    nothing = torch.full((2, 3), -1)
    yield Case("pads alone", drawn(rng, 2, 3, 4), nothing, -1, weight=EDGE)


def parts(scores, targets, pad):
    """The costs -ln P (B, T), which targets are real, their number, probabilities and the one-hot targets."""
    real = targets != pad
    logs = torch.log_softmax(scores, dim=2)
    hot = torch.nn.functional.one_hot(torch.where(real, targets, 0), scores.shape[2]).to(scores)
    return -(logs * hot).sum(dim=2), real, max(int(real.sum()), 1), logs.exp(), hot


def differentiated(advice):
    """Register a wrong idea about the loss, its gradient by autograd: ``idea(scores, targets, pad)``."""

    def register(idea):
        def whole(scores, targets, pad):
            leaf = scores.clone().requires_grad_()
            loss = idea(leaf, targets, pad)
            (gradient,) = torch.autograd.grad(loss, leaf)
            return loss.detach(), gradient

        whole.__name__ = idea.__name__
        masked_cross_entropy.wrong(advice)(whole)
        return whole

    return register


def torch_loss(scores, targets, pad):
    """PyTorch's masked mean, 0 when there is nothing to count."""
    total = torch.nn.functional.cross_entropy(scores, targets, ignore_index=pad, reduction="sum")
    return total / max(int((targets != pad).sum()), 1)


@differentiated("Your scores go through a softmax before the cross-entropy, which takes one itself.")
def softmax_before(scores, targets, pad):
    return torch_loss(torch.softmax(scores, dim=2).flatten(0, 1), targets.flatten(), pad)


@differentiated("Your pads are counted as targets; leave out every target that equals pad.")
def pads_counted(scores, targets, pad):
    costs, *_ = parts(scores, targets, pad)
    return costs.mean()


@differentiated("Your ignore_index is left at -100; tell it the pad that is given.")
def ignore_index_left(scores, targets, pad):
    return torch_loss(scores.flatten(0, 1), targets.flatten(), -100)


@differentiated("Your pad is always 0; take the number that is given, 0 may be a token.")
def zero_is_the_pad(scores, targets, pad):
    costs, *_ = parts(scores, targets, pad)
    real = targets > 0
    return (costs * real).sum() / max(int(real.sum()), 1)


@differentiated("Your scores are reshaped to (B, V, T), which mixes tokens and steps; move the axis instead.")
def classes_and_time_scrambled(scores, targets, pad):
    B, T, V = scores.shape
    return torch_loss(scores.reshape(B, V, T), targets, pad)


@differentiated("Your loss is the mean of the rows' means; every target counts alike, whatever its row.")
def mean_of_row_means(scores, targets, pad):
    costs, real, *_ = parts(scores, targets, pad)
    return ((costs * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)).mean()


@differentiated("Your loss is in bits; take the natural logarithm.")
def in_bits(scores, targets, pad):
    return torch_loss(scores.flatten(0, 1), targets.flatten(), pad) / math.log(2)


@differentiated("Your sum is divided by all places, pads as well; divide by the number of real targets.")
def divided_by_all_places(scores, targets, pad):
    costs, real, *_ = parts(scores, targets, pad)
    return (costs * real).sum() / real.numel()


@differentiated("Your loss is a sum; divide it by the number of real targets.")
def summed(scores, targets, pad):
    costs, real, *_ = parts(scores, targets, pad)
    return (costs * real).sum()


@differentiated("Your loss is summed over the steps and averaged over the rows; every target counts alike.")
def mean_over_rows(scores, targets, pad):
    costs, real, *_ = parts(scores, targets, pad)
    return (costs * real).sum(dim=1).mean()


@differentiated("Your targets are shifted once more; they come ready, each beside its own scores.")
def shifted_once_more(scores, targets, pad):
    scores, targets = scores[:, :-1], targets[:, 1:]
    return torch_loss(scores.flatten(0, 1), targets.flatten(), pad)


@differentiated("Your loss is its exponential, the perplexity; return nats.")
def perplexity_for_loss(scores, targets, pad):
    return torch_loss(scores.flatten(0, 1), targets.flatten(), pad).exp()


@differentiated("Your softmax runs over the steps; the tokens stand on the last axis.")
def softmax_over_time(scores, targets, pad):
    _, real, count, _, hot = parts(scores, targets, pad)
    return -((torch.log_softmax(scores, dim=1) * hot).sum(dim=2) * real).sum() / count


@differentiated("Your loss has the wrong sign; it is the mean of -ln P.")
def likelihood(scores, targets, pad):
    return -torch_loss(scores.flatten(0, 1), targets.flatten(), pad)


@differentiated("Your loss is the mean of the steps' means; every target counts alike, wherever it stands.")
def mean_of_step_means(scores, targets, pad):
    costs, real, *_ = parts(scores, targets, pad)
    return ((costs * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)).mean()


@differentiated("Your loss of pads alone is 0 / 0; without any target the loss and its gradient are 0.")
def nothing_over_nothing(scores, targets, pad):
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=pad)
