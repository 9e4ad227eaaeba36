"""More of the fifth part of the bank of exercise 11: wrong ideas, faults and variants of train_epoch.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from course_utils.reference import ex11 as reference
from grading.exercises.ex11_train_bank import (
    Loop,
    bank,
    clipped,
    fault,
    mean_loss,
    move,
    read,
    train_epoch,
    wrong,
)

__all__ = ["bank"]

# train_epoch: wrong ideas and variants --------------------------------------------------------------


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
        length = float(torch.stack([gradient.norm() for gradient in gradients]).norm())
        return [gradient * limit / length for gradient in gradients]


@wrong("Your state is kept from group to group; other documents begin there, so begin at 0.")
class StateKeptAcrossGroups(Loop):
    def start(self, h, count, weights):
        zeros = super().start(h, count, weights)
        return zeros if h is None or len(h) != count else h.detach()


@wrong("Your state is 0 at every window; within a group the next window goes on from the last state.")
class StateDropped(Loop):
    def carry(self, h):
        return torch.zeros_like(h)


@wrong("Your windows overlap, or are ignored; a group is cut every T steps.")
class WholeGroupAtOnce(Loop):
    def windows(self, inputs, targets, T):
        return [(inputs, targets)]


@wrong("Your last window is left out when it is shorter than T; its targets count as well.")
class ShortWindowLeftOut(Loop):
    def windows(self, inputs, targets, T):
        whole = [pair for pair in super().windows(inputs, targets, T) if pair[0].shape[1] == T]
        return whole or super().windows(inputs, targets, T)[:1]


@wrong("Your pads are counted as targets; leave out what is 0.")
class PadsCounted(Loop):
    def loss(self, scores, wanted, inputs):
        return cross_entropy(scores.flatten(0, 1), wanted.flatten())

    def weight_of(self, wanted):
        return wanted.numel()


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


@wrong("Your weights climb; subtract the gradient.")
class Climbs(Loop):
    def update(self, weights, gradients, rate, limit):
        return move(weights, self.shorten(gradients, limit), -rate)


@wrong("Your embedding is not trained; it is one of the weights.")
class EmbeddingFrozen(Loop):
    def update(self, weights, gradients, rate, limit):
        return [weights[0], *super().update(weights, gradients, rate, limit)[1:]]


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


@fault("limit")
class HalfTheLimit(Loop):
    def shorten(self, gradients, limit):
        return clipped(gradients, limit / 2)


@fault("carried")
class HalfTheStateCarried(Loop):
    def carry(self, h):
        return h.detach() / 2


@fault("pads")
class PadsWidenTheMean(Loop):
    def loss(self, scores, wanted, inputs):
        return mean_loss(scores, wanted) * self.weight_of(wanted) / wanted.numel()


@train_epoch.variant
def part_by_part(groups, T, weights, rate, limit, rows=None):
    return Loop()(groups, T, weights, rate, limit, rows)


@train_epoch.variant
def unit_of_pytorch(groups, T, weights, rate, limit, rows=None):
    E, W_xh, W_hh, b, W_hy, b_y = weights
    unit = torch.nn.RNN(E.shape[1], len(b), batch_first=True, dtype=b.dtype)
    with torch.no_grad():
        for parameter, value in zip(unit.parameters(), (W_xh, W_hh, b, 0 * b), strict=True):
            parameter.copy_(value)
    unit.bias_hh_l0.requires_grad_(False)
    ends = [torch.nn.Parameter(part.clone()) for part in (E, W_hy, b_y)]
    learned = [ends[0], unit.weight_ih_l0, unit.weight_hh_l0, unit.bias_ih_l0, *ends[1:]]
    total = count = 0
    for inputs, targets in groups:
        h = None
        for x, y in zip(inputs.split(T, dim=1), targets.split(T, dim=1), strict=True):
            states, h = unit(ends[0][x], h)
            logs = torch.log_softmax(states @ ends[1].T + ends[2], dim=2)
            loss = -logs.gather(2, y[:, :, None])[:, :, 0][y != 0].mean()
            gradients = torch.autograd.grad(loss, learned)
            length = sum((g**2).sum() for g in gradients) ** 0.5
            with torch.no_grad():
                for weight, gradient in zip(learned, gradients, strict=True):
                    weight -= rate * gradient * min(1.0, limit / length.item())
            h, number = h.detach(), int((y != 0).sum())
            total, count = total + loss.item() * number, count + number
    if rows is not None:
        return (unit(ends[0][rows])[0][:, -1] @ ends[1].T + ends[2]).argmax(dim=1)
    return [*learned, total / count]


@train_epoch.variant
def in_float32_throughout(groups, T, weights, rate, limit, rows=None):
    found = reference.train_epoch(groups, T, [weight.float() for weight in weights], rate, limit, rows)
    return found if rows is not None else list(found)
