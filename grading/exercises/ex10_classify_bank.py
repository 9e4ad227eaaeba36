"""The third part of the bank of exercise 10: from numbers of words to a class; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.bank import Case
from grading.exercises.ex10_numbers import drawn, ragged, scattered
from grading.exercises.ex10_states_bank import bank

# classify -------------------------------------------------------------------------------------------

classify = bank.function(
    "classify",
    reference.classify,
    terms={
        "input": "the input term x_t @ W_xh.T",
        "state": "the recurrent term h @ W_hh.T",
        "bias": "the bias b of the unit",
        "offset": "the bias b_y of the scores",
        "lengths": "where a row that is shorter than its batch is read",
        "least": "which class is named when the margin is small",
    },
)

ALL = ("input", "state", "bias", "offset", "lengths", "least")
APART = 0.02  # no margin lies nearer to ``least`` than this


def model(rng, V, d, H, K):
    """vectors, unit, out."""
    unit = drawn(rng, H, d), drawn(rng, H, H), drawn(rng, H)
    return drawn(rng, V, d), unit, (drawn(rng, K, H), drawn(rng, K))


def numbers_of_words(rng, lengths, T, V):
    """ids (B, T), 0 behind each length and never before it; neighbours in a row differ."""
    ids = torch.zeros(len(lengths), T, dtype=torch.int64)
    for row, length in zip(ids, lengths.tolist(), strict=True):
        row[:length] = torch.from_numpy(rng.permutation(np.arange(1, V))[:length])
    return ids


def split_margin(*arguments):
    """A least margin above that of some rows and below that of others; None when two are too close."""
    margins = reference.classify(*arguments, 0.0)[2].sort().values
    gaps = margins.diff()
    if gaps.max() < 2 * APART or margins.min() < APART:
        return None
    place = int(gaps.argmax())
    return round(float(margins[place : place + 2].mean()), 3)


def batch(rng, lengths, T, K=3, d=2, H=3):
    """All arguments: some rows undecided, some not, and every margin clear."""
    while True:
        V = T + 3
        arguments = numbers_of_words(rng, lengths, T, V), lengths, *model(rng, V, d, H, K)
        least = split_margin(*arguments)
        if least is not None:
            return [*arguments, least]


SILENCED = {
    "the input alone": ("input",),
    "the bias alone": ("bias",),
    "input and recurrent term": ("input", "state"),
    "the bias of the scores alone": ("offset",),
    "the input and unequal lengths": ("input", "lengths"),
    "the input and a least margin": ("input", "least"),
}


def silenced_case(rng, title, T=3):
    """A case in which the other terms are 0, rows have no pads, and every row gets a class."""
    terms, V, drawn_lengths = SILENCED[title], T + 3, ragged(rng, 3, T)
    lengths = drawn_lengths if "lengths" in terms else torch.full((3,), T)
    while True:
        vectors, (W_xh, W_hh, b), (W_hy, b_y) = model(rng, V, 2, 3, 3)
        unit = ("input" in terms) * W_xh, ("state" in terms) * W_hh, ("bias" in terms) * b
        out = W_hy, ("offset" in terms) * b_y
        arguments = numbers_of_words(rng, lengths, T, V), lengths, vectors, unit, out
        if "least" in terms:
            least = split_margin(*arguments)
        else:
            least = 0.0 if reference.classify(*arguments, 0.0)[2].min() > APART else None
        if least is not None:
            return Case(title, *arguments, least, terms=terms, weight=0.25)


@classify.visible
def _():
    ids, lengths = torch.tensor([[1, 0], [1, 2]]), torch.tensor([1, 2])
    vectors, one, zero = torch.tensor([[9.0], [1.0], [-1.0]]), torch.ones(1, 1), torch.zeros(1, 1)
    unit = math.log(3) / 2 * one, zero, zero[0]
    out = torch.tensor([[math.log(36)], [0.0], [0.0]]), torch.tensor([0.0, math.log(3), 0.0])
    yield Case("the example by hand", ids, lengths, vectors, unit, out, 0.4)
    rng = np.random.default_rng(7)
    for title in SILENCED:
        yield silenced_case(rng, title)
    rng = np.random.default_rng(297)  # with a row whose largest probability is below the least margin
    yield Case("unequal lengths", *batch(rng, torch.tensor([2, 4, 1]), 4), terms=ALL)
    yield Case("a row without words", *batch(rng, torch.tensor([0, 3, 2]), 3), terms=ALL)
    yield Case("scores far apart", *far_apart(rng))


def far_apart(rng):
    """Scores of some hundreds, whose exponentials have no place in float32, and rows as sure as can be.

    To all digits each margin is 1, which is the least margin as well.
    """
    while True:
        lengths = ragged(rng, 3, 4)
        vectors, unit, (W_hy, b_y) = model(rng, 7, 2, 3, 3)
        arguments = numbers_of_words(rng, lengths, 4, 7), lengths, vectors, unit, (400 * W_hy, 400 * b_y)
        best, second = scores_of(*arguments).topk(2, dim=1).values.T
        if best.max() > 100 and (best - second).min() > 50:
            return *arguments, 1.0


@classify.hidden
def _(rng):
    yield silenced_case(rng, "the input and unequal lengths")
    yield silenced_case(rng, "the input and a least margin")
    yield Case("unequal lengths", *batch(rng, ragged(rng, 4, 4), 4), terms=ALL)
    arguments = batch(rng, ragged(rng, 3, 4), 5, K=4)
    yield Case("pads in every row, four classes", *arguments, terms=ALL)
    ids, lengths, vectors, unit, out, least = batch(rng, torch.from_numpy(rng.permutation([0, 3, 2])), 3)
    double = vectors.double(), tuple(w.double() for w in unit), tuple(w.double() for w in out)
    yield Case("a row without words, float64", ids, lengths, *double, least, terms=ALL)
    ids, lengths, vectors, unit, (W_hy, b_y), least = batch(rng, ragged(rng, 3, 4), 4, d=3, H=2)
    moved = (
        scattered(ids),
        lengths,
        scattered(vectors),
        (scattered(unit[0]), *unit[1:]),
        (scattered(W_hy), b_y),
    )
    yield Case("not contiguous", *moved, least, terms=ALL)
    yield Case("scores far apart", *far_apart(rng))


def walk(ids, vectors, unit):
    """The states after 0, 1, ..., T steps, through the pads: (B, T + 1, H)."""
    W_xh, W_hh, b = unit
    states = [vectors.new_zeros(len(ids), len(b))]
    for x_t in vectors[ids].unbind(1):
        states.append(torch.tanh(x_t @ W_xh.T + states[-1] @ W_hh.T + b))
    return torch.stack(states, dim=1)


def answer(scores, least, softmax=lambda scores: scores.softmax(dim=1)):
    probabilities = softmax(scores)
    return decided(probabilities, least)


def decided(probabilities, least):
    best, second = probabilities.topk(2, dim=1).values.T
    margins = best - second
    return torch.where(margins >= least, probabilities.argmax(dim=1), -1), probabilities, margins


def scores_of(ids, lengths, vectors, unit, out):
    states = walk(ids, vectors, unit)
    return states[torch.arange(len(ids)), lengths] @ out[0].T + out[1]


@classify.wrong("Your state is read in the last column, behind the pads; read each row at its own length.")
def class_of_the_last_column(ids, lengths, vectors, unit, out, least):
    return reference.classify(ids, torch.full_like(lengths, ids.shape[1]), vectors, unit, out, least)


@classify.wrong("Your state is read one step early; in code the last word stands at length - 1.")
def class_one_step_early(ids, lengths, vectors, unit, out, least):
    return reference.classify(ids, (lengths - 1).clamp(min=0), vectors, unit, out, least)


@classify.wrong("Your state is read one step late, after a pad; in code the last word stands at length - 1.")
def class_one_step_late(ids, lengths, vectors, unit, out, least):
    return reference.classify(ids, lengths + 1, vectors, unit, out, least)


@classify.wrong("Your row of length 0 reads a word all the same; its state is h = 0.")
def empty_row_reads_a_word(ids, lengths, vectors, unit, out, least):
    return reference.classify(ids, lengths.clamp(min=1), vectors, unit, out, least)


@classify.wrong(
    "Your row of length 0 takes the state of the last column, where index -1 points; it is h = 0."
)
def empty_row_from_behind(ids, lengths, vectors, unit, out, least):
    lengths = torch.where(lengths > 0, lengths, ids.shape[1])
    return reference.classify(ids, lengths, vectors, unit, out, least)


@classify.wrong("Your scores come from the mean of the states; asked for is the state at the end of the row.")
def mean_state_read(ids, lengths, vectors, unit, out, least):
    states = walk(ids, vectors, unit)[:, 1:]
    real = (torch.arange(ids.shape[1]) < lengths[:, None])[:, :, None]
    return answer((states * real).sum(1) / lengths.clamp(min=1)[:, None] @ out[0].T + out[1], least)


@classify.wrong("Your unit reads the row backwards; begin with the first word.")
def read_backwards(ids, lengths, vectors, unit, out, least):
    turned = ids.clone()
    for row, length in zip(turned, lengths.tolist(), strict=True):
        row[:length] = row[:length].flip(0)
    return reference.classify(turned, lengths, vectors, unit, out, least)


@classify.wrong("Your words are mixed over rows and steps by view; to exchange two axes use transpose.")
def words_scrambled_by_view(ids, lengths, vectors, unit, out, least):
    mixed = ids.reshape(ids.shape[::-1]).T
    return reference.classify(mixed, lengths, vectors, unit, out, least)


@classify.wrong("Your softmax runs over the rows; the classes lie along dim 1.")
def softmax_over_the_rows(ids, lengths, vectors, unit, out, least):
    scores = scores_of(ids, lengths, vectors, unit, out)
    return answer(scores, least, lambda scores: scores.softmax(dim=0))


@classify.wrong("Your softmax is taken twice; once makes probabilities of scores.")
def softmax_twice(ids, lengths, vectors, unit, out, least):
    probabilities = scores_of(ids, lengths, vectors, unit, out).softmax(dim=1)
    return answer(probabilities, least)


@classify.wrong("Your probabilities are sigmoids and do not sum to 1; the classes share one softmax.")
def sigmoid_for_softmax(ids, lengths, vectors, unit, out, least):
    return answer(scores_of(ids, lengths, vectors, unit, out), least, torch.sigmoid)


@classify.wrong("Your probabilities are the scores themselves; a softmax over the classes is missing.")
def scores_for_probabilities(ids, lengths, vectors, unit, out, least):
    return answer(scores_of(ids, lengths, vectors, unit, out), least, lambda scores: scores)


@classify.wrong("Your exponentials overflow for large scores; subtract each row's largest score first.")
def exponentials_overflow(ids, lengths, vectors, unit, out, least):
    scores = scores_of(ids, lengths, vectors, unit, out).float()
    return answer(scores, least, lambda scores: scores.exp() / scores.exp().sum(dim=1, keepdim=True))


def with_margins(advice):
    """Register a wrong idea about the margin: ``idea(scores, probabilities)`` -> (B,)."""

    def register(idea):
        def whole(ids, lengths, vectors, unit, out, least):
            scores = scores_of(ids, lengths, vectors, unit, out)
            probabilities = scores.softmax(dim=1)
            margins = idea(scores, probabilities)
            named = torch.where(margins >= least, probabilities.argmax(dim=1), -1)
            return named, probabilities, margins

        whole.__name__ = idea.__name__
        return classify.wrong(advice)(whole)

    return register


@with_margins("Your margin is the largest probability; subtract the second largest.")
def margin_is_the_largest(scores, probabilities):
    return probabilities.amax(dim=1)


@with_margins("Your margin reaches down to the smallest probability; subtract the second largest.")
def margin_to_the_smallest(scores, probabilities):
    return probabilities.amax(dim=1) - probabilities.amin(dim=1)


@with_margins("Your margin is between scores; subtract probabilities.")
def margin_of_scores(scores, probabilities):
    return -scores.topk(2, dim=1).values.diff(dim=1)[:, 0]
