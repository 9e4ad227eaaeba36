"""The fourth part of the bank of exercise 10: which class is named, faults, variants; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.exercises.ex10_classify_bank import classify, walk

# classify, the decision -----------------------------------------------------------------------------


def with_classes(advice):
    """Register a wrong idea about the class: ``idea(probabilities, margins, least)`` -> (B,)."""

    def register(idea):
        def whole(*arguments):
            _, probabilities, margins = reference.classify(*arguments)
            return idea(probabilities, margins, arguments[-1]), probabilities, margins

        whole.__name__ = idea.__name__
        return classify.wrong(advice)(whole)

    return register


@with_classes("Your rows all get a class; below the least margin it is -1.")
def always_decided(probabilities, margins, least):
    return probabilities.argmax(dim=1)


@with_classes("Your -1 stands at the sure rows; it belongs where the margin is below the least one.")
def undecided_when_sure(probabilities, margins, least):
    return torch.where(margins < least, probabilities.argmax(dim=1), -1)


@with_classes("Your least margin is held against the largest probability; hold it against the margin.")
def least_of_the_probability(probabilities, margins, least):
    best, named = probabilities.max(dim=1)
    return torch.where(best >= least, named, -1)


@with_classes("Your rows with just the least margin get no class; only below it the class is -1.")
def least_margin_itself_too_small(probabilities, margins, least):
    return torch.where(margins > least, probabilities.argmax(dim=1), -1)


@classify.wrong("Your margin is changed where no class is named; it stays what it is, only the class is -1.")
def no_margin_without_a_class(*arguments):
    named, probabilities, margins = reference.classify(*arguments)
    return named, probabilities, torch.where(named < 0, 0.0, margins)


@with_classes("Your classes count from 1; in code the first class is 0.")
def classes_from_one(probabilities, margins, least):
    return torch.where(margins >= least, probabilities.argmax(dim=1) + 1, -1)


@with_classes("Your class is an argmax over the rows; the classes lie along dim 1.")
def argmax_over_the_rows(probabilities, margins, least):
    return probabilities.argmax(dim=0)


def changed(ids, lengths, vectors, unit, out, least, **parts):
    """The reference with some of W_xh, W_hh, b, b_y multiplied."""
    factors = {"W_xh": 1, "W_hh": 1, "b": 1, "b_y": 1} | parts
    unit = [factors[name] * weight for name, weight in zip(("W_xh", "W_hh", "b"), unit, strict=True)]
    return reference.classify(ids, lengths, vectors, unit, (out[0], factors["b_y"] * out[1]), least)


@classify.wrong("Your scores lack the bias b_y; add it.")
def without_offset(*arguments):
    return changed(*arguments, b_y=0)


@classify.wrong("Your unit lacks the bias b; add it at every step.")
def without_bias(*arguments):
    return changed(*arguments, b=0)


@classify.wrong("Your states forget the one before; add h @ W_hh.T at every step.")
def without_recurrence(*arguments):
    return changed(*arguments, W_hh=0)


@classify.fault("input")
def input_halved(*arguments):
    return changed(*arguments, W_xh=0.5)


@classify.fault("state")
def state_negated(*arguments):
    return changed(*arguments, W_hh=-1)


@classify.fault("bias")
def bias_doubled(*arguments):
    return changed(*arguments, b=2)


@classify.fault("offset")
def offset_negated(*arguments):
    return changed(*arguments, b_y=-1)


@classify.fault("lengths")
def shortest_for_all(ids, lengths, *rest):
    return reference.classify(ids, lengths.min().expand(len(ids)), *rest)


@classify.fault("least")
def undecided_is_minus_two(*arguments):
    named, probabilities, margins = reference.classify(*arguments)
    return torch.where(named < 0, -2, named), probabilities, margins


@classify.variant
def gathered(ids, lengths, vectors, unit, out, least):
    states = walk(ids, vectors, unit)
    last = states.gather(1, lengths[:, None, None].expand(-1, 1, states.shape[2]))[:, 0]
    probabilities = torch.exp(torch.log_softmax(torch.nn.functional.linear(last, *out), dim=1))
    ordered = probabilities.sort(dim=1, descending=True)
    margin = ordered.values[:, 0] - ordered.values[:, 1]
    named = ordered.indices[:, 0].clone()
    named[margin < least] = -1
    return named, probabilities, margin


@classify.variant
def in_numpy(ids, lengths, vectors, unit, out, least):
    ids, lengths = ids.numpy(), lengths.numpy()
    vectors, W_xh, W_hh, b, W_hy, b_y = (w.numpy().astype(np.float32) for w in (vectors, *unit, *out))
    classes, shares, margins = [], [], []
    for row, length in zip(ids, lengths, strict=True):
        h = np.zeros(len(b), dtype=np.float32)
        for number in row[:length]:
            h = np.tanh(W_xh @ vectors[number] + W_hh @ h + b)
        scores = W_hy @ h + b_y
        share = np.exp(scores - scores.max())
        share /= share.sum()
        first, second = np.sort(share)[[-1, -2]]
        shares.append(share)
        margins.append(first - second)
        classes.append(share.argmax() if first - second >= least else -1)
    return np.array(classes), np.array(shares), np.array(margins)


@classify.variant
def by_pytorchs_own_unit(ids, lengths, vectors, unit, out, least):
    rnn = torch.nn.RNN(vectors.shape[1], len(unit[2]), batch_first=True, dtype=vectors.dtype)
    with torch.no_grad():
        for old, new in zip(rnn.parameters(), (*unit, torch.zeros_like(unit[2])), strict=True):
            old.copy_(new)
        states = rnn(vectors[ids])[0]
    last = states[torch.arange(len(ids)), lengths - 1] * (lengths > 0)[:, None]
    probabilities = (last @ out[0].T + out[1]).softmax(-1)
    first, second = probabilities.topk(2).values.unbind(-1)
    return torch.where(first - second < least, -1, probabilities.argmax(-1)), probabilities, first - second
