"""More of the fifth part of the bank of exercise 11: wrong ideas of train_epoch.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from grading.exercises.ex11_train_bank import (
    Loop,
    bank,
    clipped,
    length_of,
    mean_loss,
    move,
    read,
    train_epoch,
    wrong,
)

__all__ = ["bank"]

# train_epoch: wrong ideas --------------------------------------------------------------


@wrong("Your gradients add up from window to window; call zero_grad before each backward.")
class GradientsAddUp(Loop):
    """zero_grad is missing: clipped gradients stay and the next ones are added."""

    kept = None

    def update(self, weights, gradients, rate, limit):
        if self.kept is not None:
            gradients = [old + new for old, new in zip(self.kept, gradients, strict=True)]
        self.kept = self.shorten(gradients, limit)
        return move(weights, self.kept, rate)


@wrong("Your gradients are never shortened, or only after the step; clip between backward and step.")
class ClippedAfterTheStep(Loop):
    def shorten(self, gradients, limit):
        return gradients


@wrong("Your weights are clipped one by one; the gradients of all are one vector with one length.")
class ClippedOneByOne(Loop):
    def shorten(self, gradients, limit):
        return [clipped([gradient], limit)[0] for gradient in gradients]


@wrong("Your gradients are clipped number by number; shorten the length of all of them.")
class ClippedByValue(Loop):
    def shorten(self, gradients, limit):
        return [gradient.clamp(-limit, limit) for gradient in gradients]


@wrong("Your gradients are always brought to the limit; leave them alone when they are shorter.")
class AlwaysAtTheLimit(Loop):
    def shorten(self, gradients, limit):
        return [gradient * limit / length_of(gradients) for gradient in gradients]


@wrong("Your state is kept from group to group; other documents begin there, so begin at 0.")
class StateKeptAcrossGroups(Loop):
    def start(self, h, count, weights):
        zeros = super().start(h, count, weights)
        return zeros if h is None or len(h) != count else h.detach()


@wrong("Your state is 0 at every window; within a group the next window goes on from the last state.")
class StateDropped(Loop):
    def carry(self, h):
        return torch.zeros_like(h)


@wrong("Your groups are read in one window each; cut a group every T steps, with an update for each window.")
class WholeGroupAtOnce(Loop):
    def windows(self, inputs, targets, T):
        return [(inputs, targets)]


@wrong("Your last window is left out when it is shorter than T; its targets count as well.")
class ShortWindowLeftOut(Loop):
    def windows(self, inputs, targets, T):
        whole = [pair for pair in super().windows(inputs, targets, T) if pair[0].shape[1] == T]
        return whole or super().windows(inputs, targets, T)[:1]


@wrong("Your pads are counted as targets in the loss of a window; leave out what is 0.")
class PadsCounted(Loop):
    def loss(self, scores, wanted, inputs):
        return cross_entropy(scores.flatten(0, 1), wanted.flatten())


@wrong(
    "Your loss of the epoch weights a window by all its places; weight it by its targets, without the pads."
)
class WeightedByPlaces(Loop):
    def weight_of(self, wanted):
        return wanted.numel()


@wrong("Your pads are counted as targets, in a window and in the loss of the epoch; leave out what is 0.")
class PadsCountedThroughout(WeightedByPlaces, PadsCounted):
    pass


@wrong("Your loss of the epoch weights a window by its rows; weight it by its targets.")
class WeightedByRows(Loop):
    def weight_of(self, wanted):
        return len(wanted)


@wrong("Your targets are the inputs; the targets are given.")
class InputsForTargets(Loop):
    def loss(self, scores, wanted, inputs):
        return mean_loss(scores, inputs)


@wrong("Your targets are shifted once more; they are given beside the inputs, one step ahead already.")
class ShiftedOnceMore(Loop):
    def windows(self, inputs, targets, T):
        later = torch.cat([targets[:, 1:], torch.zeros_like(targets[:, :1])], dim=1)
        return super().windows(inputs, later, T)

    def noted(self, losses, counts):
        return super().noted(losses, np.maximum(counts, 1e-12))


@wrong("Your scores go through a softmax before the loss of a window; cross_entropy takes one itself.")
class SoftmaxFirst(Loop):
    def loss(self, scores, wanted, inputs):
        return mean_loss(torch.softmax(scores, dim=2), wanted)


@wrong("Your loss is a sum over the targets of a window; take the mean of them.")
class Summed(Loop):
    def loss(self, scores, wanted, inputs):
        return mean_loss(scores, wanted) * self.weight_of(wanted)

    def noted(self, losses, counts):
        return float(np.sum(losses) / np.sum(counts))


@wrong("Your loss of the epoch is the mean of the windows' means; weight each by its targets.")
class MeanOfWindowMeans(Loop):
    def noted(self, losses, counts):
        return float(np.mean(losses))


@wrong("Your loss of the epoch is a perplexity; return nats.")
class PerplexityReturned(Loop):
    def noted(self, losses, counts):
        return math.exp(super().noted(losses, counts))


@wrong("Your loss is that of the last window; return the mean over all targets of the epoch.")
class LastLossReturned(Loop):
    def noted(self, losses, counts):
        return losses[-1]


@wrong("Your loss is measured after the update; note what it was when the window was met.")
class MeasuredAfterTheUpdate(Loop):
    before = None

    def start(self, h, count, weights):
        self.before = super().start(h, count, weights)
        return self.before

    def carry(self, h):
        self.before = h.detach()
        return self.before

    def measured(self, loss, part, wanted, weights, h):
        return float(mean_loss(read(part, weights, self.before)[0], wanted))


@wrong("Your state is computed again with the new weights; carry on the one that the window ended with.")
class StateComputedAgain(Loop):
    before = again = None

    def start(self, h, count, weights):
        self.before = super().start(h, count, weights)
        return self.before

    def carry(self, h):
        self.before = self.again
        return self.before

    def measured(self, loss, part, wanted, weights, h):
        self.again = read(part, weights, self.before)[1].detach()
        return super().measured(loss, part, wanted, weights, h)


@wrong("Your weights climb; subtract the gradient.")
class Climbs(Loop):
    def update(self, weights, gradients, rate, limit):
        return move(weights, self.shorten(gradients, limit), -rate)


@wrong("Your embedding is not trained; it is one of the weights.")
class EmbeddingFrozen(Loop):
    def update(self, weights, gradients, rate, limit):
        return [weights[0], *super().update(weights[1:], gradients[1:], rate, limit)]


@train_epoch.wrong("Your weights move once a group; take a step after every window.")
def one_step_a_group(groups, T, weights, rate, limit, rows=None):
    losses, counts = [], []
    for inputs, targets in groups:
        leaves = [weight.clone().requires_grad_() for weight in weights]
        h, parts = weights[3].new_zeros(len(inputs), len(weights[3])), Loop().windows(inputs, targets, T)
        for part, wanted in parts:
            scores, h = read(part, leaves, h.detach())
            loss = mean_loss(scores, wanted)
            loss.backward()
            losses.append(float(loss.detach()))
            counts.append(int((wanted != 0).sum()))
        weights = move(weights, clipped([leaf.grad for leaf in leaves], limit), rate)
    if rows is not None:
        return read(rows, weights, weights[3].new_zeros(len(rows), len(weights[3])))[0][:, -1].argmax(dim=1)
    return *weights, float(np.average(losses, weights=counts))


@train_epoch.wrong("Your state is not detached; the second window walks back into a graph that is gone.")
def state_not_detached(groups, T, weights, rate, limit, rows=None):
    weights = [weight.clone().requires_grad_() for weight in weights]
    optimiser, losses, counts = torch.optim.SGD(weights, lr=rate), [], []
    for inputs, targets in groups:
        h = weights[3].new_zeros(len(inputs), len(weights[3]))
        for part, wanted in Loop().windows(inputs, targets, T):
            scores, h = read(part, weights, h)
            loss = mean_loss(scores, wanted)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, limit)
            optimiser.step()
            losses.append(float(loss.detach()))
            counts.append(int((wanted != 0).sum()))
    if rows is not None:
        return read(rows, weights, weights[3].new_zeros(len(rows), len(weights[3])))[0][:, -1].argmax(dim=1)
    return *weights, float(np.average(losses, weights=counts))
