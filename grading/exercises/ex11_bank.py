"""The bank of exercise 11, a language model; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex11_batch_bank`` (make_lm_batch), ``ex11_loss_bank`` and ``ex11_shares_bank``
(masked_cross_entropy), ``ex11_perplexity_bank``, ``ex11_sample_bank`` and ``ex11_draw_bank`` (sample_next),
``ex11_train_bank`` and ``ex11_epoch_bank`` (train_epoch), and adds the faults and variants of
train_epoch and the questions.
"""

import math

import torch

from course_utils.reference import ex11 as reference
from grading.bank import Question
from grading.exercises.ex11_epoch_bank import bank
from grading.exercises.ex11_train_bank import Loop, clipped, fault, mean_loss, move, train_epoch

# train_epoch: faults and variants -------------------------------------------------------------------


@fault("limit")
class HalfTheLimit(Loop):
    def shorten(self, gradients, limit):
        return clipped(gradients, limit / 2)


@fault("updates")
class HalfTheGradientKept(Loop):
    kept = 0.0

    def update(self, weights, gradients, rate, limit):
        if self.kept:
            gradients = [old / 2 + new for old, new in zip(self.kept, gradients, strict=True)]
        self.kept = self.shorten(gradients, limit)
        return move(weights, self.kept, rate)


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


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((20,), (50,), (5,), (25,))
def one_rare_token(power=10):
    tens = (99 + power) / 100  # the mean loss to the base 10
    part = {5: "a twentieth", 10: "a tenth", 20: "a fifth", 25: "a quarter", 50: "half"}[power]
    return Question(
        "one_rare_token",
        round(10**tens, 1),
        f"The mean loss is (99 ln 10 + {power} ln 10) / 100 = {tens:g} ln 10 = {tens * math.log(10):.2f} "
        "nats, and its "
        f"exponential is 10^{tens:g}, {10**tens:.1f}. One token at 10^-{power} adds {part} of a power of "
        "ten: dear, "
        "but not more than any other nat.",
        tolerance=0.05,
        replies={
            10.0: "That leaves the rare token out; it counts as one of the hundred.",
            (99 * 10 + 10**power)
            / 100: "That is the mean of 1 / P; average the logarithms, the exponential comes last.",
            10.1: "That is 1 over the mean of P; average the logarithms, not the probabilities.",
            round(
                tens * math.log(10), 2
            ): "That is the mean loss in nats; the perplexity is its exponential.",
            tens: "That is the mean loss to the base 10; the perplexity is 10 to its power.",
            round(
                tens * math.log2(10), 2
            ): "That is the mean loss in bits; the perplexity is 2 to its power.",
        },
        numbers={"power": power},
    )


bank.question(
    "cooler_nucleus",
    "a",
    "Dividing by a lower temperature keeps the order and moves probability to the likelier tokens: the first "
    "j tokens together never hold less than before. The mass is reached at the same token or earlier.",
    choices=("a", "b", "c", "d"),
    replies={
        "b": "That is what a higher temperature does: it levels the shares, so more tokens are needed.",
        "c": "Top-k keeps the same tokens, that is right; but their shares change, and so does the nucleus.",
        "d": "It cannot grow: the likeliest tokens together never hold less when the temperature falls.",
    },
)

bank.written(
    "pieces_or_words",
    "0.5: the units: 50 is per piece, 90 per word; at 1.4 pieces a word A has 50^1.4 = 239 a word (1.4 ln 50 "
    "is 5.48 nats, ln 90 is 4.50). A power, not 1.4 times 50 (0.25 for the idea without the number). "
    "0.5: <unk>: B never says which word an <unk> was. 8 % of its questions cost 0.69 nats; the other 92 % "
    "cost (4.50 - 0.08 * 0.69) / 0.92 = 4.83, perplexity 125, and what it would cost to spell the unknown "
    "words is missing (any estimate: three pieces of ln 50 each add 0.94 nats a word, to about 230). "
    "0.5: the averages: means of batches' perplexities are too high and differ with the batches; exp of all "
    "nats over all tokens, the same text. "
    "0.5: the conclusion: nothing is shown yet, least of all that A is better by 40; compare nats a letter "
    "(or a word) on one text, with B spelling its unknown words, or both on the words that both can write.",
)
