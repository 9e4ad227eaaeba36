"""The third part of the bank of exercise 12: the loss with the right words fed; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex12 as reference
from grading.bank import Case
from grading.exercises.ex12_greedy_bank import bank
from grading.exercises.ex12_numbers import (
    EDGE,
    TERM,
    by_hand,
    decoder_of,
    double,
    drawn,
    marks,
    ragged,
    scattered,
    silent,
)
from grading.exercises.ex12_numbers import words as drawn_words
from grading.exercises.ex12_runs import column, log_probabilities, of_wanted, with_ends

# teacher_forced_loss --------------------------------------------------------------------------------

teacher_forced_loss = bank.function(
    "teacher_forced_loss",
    reference.teacher_forced_loss,
    terms={
        "fed": "which words are fed, and their term with W_xh",
        "state": "the state, where it starts and how it is carried on",
        "bias": "the bias b",
        "lengths": "where the words of a row end, and what counts behind them",
    },
)

ALL = ("fed", "state", "bias", "lengths")


def batch(rng, B, T, V, E, H, lengths=None):
    """All arguments; no target holds the begin or the end symbol, pads may be any word."""
    begin, end = marks(rng, V)
    real = np.setdiff1d(np.arange(V), [begin, end])
    target = torch.from_numpy(rng.choice(real, size=(B, T)))
    lengths = ragged(rng, B, T) if lengths is None else lengths
    pads = drawn_words(rng, V, B, T)
    target = torch.where(torch.arange(T) < lengths[:, None], target, pads)
    return drawn(rng, B, H), target, lengths, decoder_of(rng, V, E, H), begin, end


def silenced_cases(rng, B, T, V, E, H, weight=1.0):
    """Single terms, in rows of one length."""
    h, target, lengths, decoder, *symbols = batch(rng, B, T, V, E, H, torch.full((B,), T))
    embedding, W_xh, W_hh, b, W_hy = decoder
    fed = embedding, W_xh, silent(W_hh), silent(b), W_hy
    state = embedding, silent(W_xh), W_hh, silent(b), W_hy
    bias = embedding, silent(W_xh), silent(W_hh), b, W_hy
    yield from (
        Case(title, h, target, lengths, weights, *symbols, terms=terms, weight=weight)
        for title, weights, terms in [
            ("the fed words alone", fed, ("fed",)),
            ("the state alone", state, ("state",)),
            ("the bias alone", bias, ("bias",)),
            ("rows of one length", decoder, ("fed", "state", "bias")),
        ]
    )


@teacher_forced_loss.visible
def _():
    target, lengths = torch.tensor([[0, 0], [0, 2]]), torch.tensor([1, 0])
    yield Case("the example by hand", torch.tensor([[0.5], [0.5]]), target, lengths, by_hand(), 2, 1)
    rng = np.random.default_rng(123)
    yield from silenced_cases(rng, 2, 2, 4, 1, 2)
    arguments = batch(rng, 3, 4, 5, 2, 2, torch.tensor([2, 4, 0]))
    yield Case("a short row, a full one, an empty one", *arguments, terms=ALL)


@teacher_forced_loss.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3]).tolist()

    fed, state, bias, _ = silenced_cases(rng, 2, 3, 5, *sizes(), weight=TERM)
    yield from (fed, state, bias)
    yield Case("unequal lengths, float64", *double(*batch(rng, 4, 5, 6, *sizes())), terms=ALL)
    arguments = batch(rng, 3, 5, 5, *sizes(), ragged(rng, 3, 4))
    yield Case("not contiguous, pads in every row", *map(scattered, arguments), terms=ALL)
    arguments = batch(rng, 4, 3, 7, *sizes(), torch.from_numpy(rng.permutation([0, 1, 2, 3])))
    yield Case("an empty row", *arguments, terms=ALL)
    arguments = batch(rng, 1, 4, 5, *sizes(), torch.tensor([4]))
    yield Case("one full row", *arguments, weight=EDGE)


def each(h, target, lengths, decoder, begin, end):
    """The right losses (B, T + 1), and which of them count."""
    fed = torch.cat([column(target, begin), target], dim=1)
    losses = of_wanted(log_probabilities(h, fed, decoder), with_ends(target, lengths, end))
    return losses, torch.arange(losses.shape[1]) <= lengths[:, None]


@teacher_forced_loss.wrong("Your loss leaves out the end symbols; each row has one, and it counts.")
def ends_left_out(h, target, lengths, decoder, begin, end):
    losses, _ = each(h, target, lengths, decoder, begin, end)
    real = torch.arange(losses.shape[1]) < lengths[:, None]
    return losses[real].sum() / lengths.sum().clamp(min=1)


@teacher_forced_loss.wrong("Your end symbol stands in the last column for all; it belongs behind each row.")
def ends_in_the_last_column(h, target, lengths, decoder, begin, end):
    fed = torch.cat([column(target, begin), target], dim=1)
    wanted = torch.cat([target, column(target, end)], dim=1)
    losses = of_wanted(log_probabilities(h, fed, decoder), wanted)
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None]].mean()


@teacher_forced_loss.wrong("Your loss counts the begin symbol; it is fed, and never wanted.")
def begin_wanted(h, target, lengths, decoder, begin, end):
    fed = torch.cat([column(target, begin), column(target, begin), target], dim=1)
    wanted = torch.cat([column(target, begin), with_ends(target, lengths, end)], dim=1)
    losses = of_wanted(log_probabilities(h, fed, decoder), wanted)
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None] + 1].mean()


@teacher_forced_loss.wrong("Your targets are not shifted: each step is fed the word that it should say.")
def not_shifted(h, target, lengths, decoder, begin, end):
    wanted = with_ends(target, lengths, end)
    losses = of_wanted(log_probabilities(h, wanted, decoder), wanted)
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None]].mean()


@teacher_forced_loss.wrong("Your targets are shifted twice; the step fed a word is to say the next one.")
def shifted_twice(h, target, lengths, decoder, begin, end):
    fed = torch.cat([column(target, begin), target], dim=1)
    wanted = with_ends(target, lengths, end)
    losses = of_wanted(log_probabilities(h, fed, decoder)[:, :-1], wanted[:, 1:])
    real = torch.arange(losses.shape[1]) < lengths[:, None]
    return losses[real].sum() / real.sum().clamp(min=1)


@teacher_forced_loss.wrong("Your mean counts the pads, too; a row has its length and one end.")
def pads_in_the_loss(h, target, lengths, decoder, begin, end):
    return each(h, target, lengths, decoder, begin, end)[0].mean()


@teacher_forced_loss.wrong("Your sum leaves the pads out, but it is divided as if they counted.")
def pads_in_the_count(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return (losses * real).mean()


@teacher_forced_loss.wrong("Your mean is one of row means; every word counts alike, whatever its row.")
def mean_of_row_means(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return ((losses * real).sum(dim=1) / (lengths + 1)).mean()


@teacher_forced_loss.wrong("Your mean is one of step means; every word counts alike, wherever it stands.")
def mean_of_step_means(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return ((losses * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)).mean()


@teacher_forced_loss.wrong("Your view mixes rows and steps; stack the steps along dim 1, then flatten.")
def rows_and_steps_mixed(h, target, lengths, decoder, begin, end):
    fed, wanted = torch.cat([column(target, begin), target], dim=1), with_ends(target, lengths, end)
    log_p = log_probabilities(h, fed, decoder)
    mixed = log_p.transpose(0, 1).reshape(log_p.shape)
    return of_wanted(mixed, wanted)[torch.arange(wanted.shape[1]) <= lengths[:, None]].mean()


@teacher_forced_loss.wrong("Your result is a sum; divide by the number of words, ends included.")
def sum_of_all(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return losses[real].sum()


@teacher_forced_loss.wrong("Your sum is divided by the number of rows; divide by the number of words.")
def divided_by_rows(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return losses[real].sum() / len(h)


@teacher_forced_loss.wrong("Your sum has the ends, but its divisor has not; a row counts length + 1 words.")
def ends_missing_in_the_count(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return losses[real].sum() / lengths.sum()


@teacher_forced_loss.wrong("Your decoder is fed its own choice; teacher forcing feeds the right word.")
def own_choice_fed(h, target, lengths, decoder, begin, end):
    fed = column(target, begin)
    for _ in range(target.shape[1]):
        said = log_probabilities(h, fed, decoder)[:, -1].argmax(dim=1)
        fed = torch.cat([fed, said[:, None]], dim=1)
    losses = of_wanted(log_probabilities(h, fed, decoder), with_ends(target, lengths, end))
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None]].mean()


@teacher_forced_loss.wrong("Your first step is fed the end symbol; a row begins with the begin symbol.")
def end_in_place_of_begin(h, target, lengths, decoder, begin, end):
    return reference.teacher_forced_loss(h, target, lengths, decoder, end, end)


@teacher_forced_loss.wrong("Your rows start from zeros; each starts from its state h.")
def decoder_starts_from_zeros(h, target, lengths, decoder, begin, end):
    return reference.teacher_forced_loss(0 * h, target, lengths, decoder, begin, end)


@teacher_forced_loss.wrong("Your state is set back at every step; carry it on from step to step.")
def set_back_at_every_step(h, target, lengths, decoder, begin, end):
    fed = torch.cat([column(target, begin), target], dim=1)
    log_p = log_probabilities(h, fed, decoder, carried=False)
    losses = of_wanted(log_p, with_ends(target, lengths, end))
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None]].mean()


@teacher_forced_loss.wrong("Your loss skips the word 0; only what stands behind the length is a pad.")
def word_zero_skipped(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    real = real & (with_ends(target, lengths, end) != 0)
    return losses[real].sum() / real.sum().clamp(min=1)


@teacher_forced_loss.wrong("Your loss is in bits; take the natural logarithm.")
def in_bits(*arguments):
    return reference.teacher_forced_loss(*arguments) / math.log(2)


@teacher_forced_loss.wrong("Your result is the perplexity; asked for is its logarithm, the loss.")
def perplexity_given(*arguments):
    return reference.teacher_forced_loss(*arguments).exp()


@teacher_forced_loss.wrong("Your sign is wrong; the loss is minus the mean log p.")
def sign_wrong(*arguments):
    return -reference.teacher_forced_loss(*arguments)


@teacher_forced_loss.wrong("Your logarithm is taken of the mean probability; take the mean of logarithms.")
def logarithm_of_the_mean(h, target, lengths, decoder, begin, end):
    losses, real = each(h, target, lengths, decoder, begin, end)
    return -torch.log(torch.exp(-losses[real]).mean())
