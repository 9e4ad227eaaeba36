"""The bank of exercise 12, sequence to sequence; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex12_encode_bank`` (encode), ``ex12_greedy_bank`` (decode_greedy), ``ex12_loss_bank`` and
``ex12_forced_bank`` (teacher_forced_loss), ``ex12_match_bank`` (exact_match) and ``ex12_beam_bank`` (wrong
beam searches).
"""

import heapq

import numpy as np
import torch

from grading.bank import Case, Question
from grading.exercises import ex12_beam_bank as ideas
from grading.exercises.ex12_beam_bank import bank, beam_search
from grading.exercises.ex12_numbers import EDGE, double, drawn_until, scattered
from grading.exercises.ex12_search import (
    best,
    clear_answer,
    ended,
    from_table,
    is_clear,
    same,
    search,
    task,
    tells,
    tied,
)

# beam_search: cases and right answers ---------------------------------------------------------------

KINDS = {
    "a wide beam finds more": (
        ideas.chosen_at_the_first_step,
        ideas.greedy_after_all,
        ideas.finished_grow,
        ideas.finished_lost,
    ),
    "a finished answer is pushed out": (ideas.finished_leave, ideas.worst_of_the_beam),
    "the power counts": (ideas.power_left_out,),
    "the length counts": (
        ideas.length_left_out,
        ideas.multiplied_by_the_length,
        ideas.length_without_the_end,
        ideas.first_finished_taken,
        ideas.divided_log_p_returned,
    ),
    "states follow their beginnings": (ideas.states_mixed_up, ideas.ordered_by_sums),
    "the width counts": (
        ideas.one_too_wide,
        ideas.best_of_each_kept,
        ideas.given_state_throughout,
        ideas.divided_at_every_step,
    ),
    "some are never finished": (ideas.unfinished_compete,),
}


TELLS_TIES = tells(ideas.last_of_equal_ones, but_the_first=True)


def telling(rng, kind, *sizes):
    """Arguments that tell the wrong ideas of a kind from the right one; ``sizes`` as for ``task``."""
    return drawn_until(lambda: task(rng, *sizes), tells(*KINDS[kind]))


def length_counts_twice(*arguments):
    """Whether the answer is one, without the length another, and multiplied by the length a third."""
    two = ideas.length_left_out, ideas.multiplied_by_the_length
    return tells(*two)(*arguments) and not same(*(idea(*arguments) for idea in two))


def none_ends(*arguments):
    h, decoder, begin, end, width, limit, _ = arguments
    return is_clear(*arguments) and not ended(search(h, decoder, begin, end, width, limit + 1), end)


def ends_at_once(*arguments):
    right = clear_answer(*arguments)
    return right is not None and len(right[0]) == 0


@beam_search.visible
def _():
    # the next word, a row for each last word: 0 end, 1 a, 2 b, 3 begin
    table = np.array([[1.0, 0, 0, 0], [0.4, 0.3, 0.3, 0], [0.9, 0.1, 0, 0], [0, 0.6, 0.4, 0]])
    yield Case("the example by hand", torch.zeros(4), from_table(table), 3, 0, 2, 4, 0.0)
    rng = np.random.default_rng(127)
    width_and_power = [(2, 0.7), (2, 0.7), (3, 0.5), (4, 2.0), (2, 2.0), (2, 2.0), (2, 0.7)]
    for kind, (width, power) in zip(KINDS, width_and_power, strict=True):
        yield Case(kind, *telling(rng, kind, 4, 1, 2, width, 4, power))
    three = drawn_until(lambda: task(rng, 4, 1, 2, 4, 4, 1.0), length_counts_twice)
    yield Case("three finished answers", *three)
    yield Case("none ends", *drawn_until(lambda: task(rng, 4, 1, 2, 2, 3, 1.0), none_ends))
    equal = drawn_until(lambda: tied(rng, 4, 1, 2, 2, 3, 0.5), TELLS_TIES)
    yield Case("all words equally likely", *equal, hint="of equally good ones keep the first")


@beam_search.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3]).tolist()

    yield Case("a wide beam finds more", *telling(rng, "a wide beam finds more", 5, *sizes(), 3, 4, 0.7))
    pushed_out = telling(rng, "a finished answer is pushed out", 3, *sizes(), 3, 4, 0.6)
    yield Case("a finished answer is pushed out, float64", *double(*pushed_out))
    yield Case("the power counts", *telling(rng, "the power counts", 4, *sizes(), 3, 4, 0.5))
    counts = telling(rng, "the length counts", 4, *sizes(), 4, 4, 2.0)
    yield Case("the length counts, not contiguous", *map(scattered, counts))
    yield Case(
        "states follow their beginnings",
        *telling(rng, "states follow their beginnings", 4, *sizes(), 2, 5, 2.0),
    )
    yield Case("the width counts", *telling(rng, "the width counts", 4, *sizes(), 2, 5, 2.0))
    unfinished = telling(rng, "some are never finished", 5, *sizes(), 2, 4, 0.8)
    yield Case("some are never finished", *unfinished)
    yield Case("none ends", *drawn_until(lambda: task(rng, 6, *sizes(), 2, 3, 1.0), none_ends))
    wide = drawn_until(lambda: task(rng, 3, *sizes(), 5, 3, 0.7), is_clear)
    yield Case("a beam wider than the vocabulary", *wide)
    equal = drawn_until(lambda: tied(rng, 4, *sizes(), 2, 3, 0.5), TELLS_TIES)
    yield Case("all words equally likely", *equal, weight=EDGE)
    at_once = drawn_until(lambda: task(rng, 4, *sizes(), 1, 3, 0.5), ends_at_once)
    yield Case("width 1, an empty answer", *at_once, weight=EDGE)


@beam_search.variant
def in_tensors_at_once(h, decoder, begin, end, width, limit, power):
    embedding, W_xh, W_hh, b, W_hy = decoder
    states, log_p = h[None], torch.zeros(1, dtype=h.dtype)
    words, over = torch.zeros(1, 0, dtype=torch.int64), torch.zeros(1, dtype=torch.bool)
    lengths = torch.zeros(1, dtype=torch.int64)
    for t in range(limit):
        fed = words[:, -1] if t else torch.tensor([begin])
        states = torch.where(over[:, None], states, torch.tanh(embedding[fed] @ W_xh.T + states @ W_hh.T + b))
        more = torch.log_softmax(states @ W_hy.T, dim=1)
        stays = torch.full_like(more, -torch.inf)
        stays[:, end] = 0.0  # a finished row has one continuation, and it is free
        totals = log_p[:, None] + torch.where(over[:, None], stays, more)
        order = totals.flatten().sort(descending=True, stable=True).indices[:width]
        order = order[totals.flatten()[order] > -torch.inf]
        parents, said = order // len(W_hy), order % len(W_hy)
        log_p, states = totals.flatten()[order], states[parents]
        lengths = lengths[parents] + ~over[parents]
        words = torch.cat([words[parents], said[:, None]], dim=1)
        over = over[parents] | (said == end)
    marks = log_p / lengths**power
    chosen = int(torch.where(over | ~over.any(), marks, -torch.inf).argmax())
    row = words[chosen, : lengths[chosen]].tolist()
    return [word for word in row if word != end], log_p[chosen]


@beam_search.variant
def with_a_heap_in_float32(h, decoder, begin, end, width, limit, power):
    embedding, W_xh, W_hh, b, W_hy = (weight.numpy().astype(np.float32) for weight in decoder)
    beam = [(0.0, [], h.numpy().astype(np.float32))]
    for _ in range(limit):
        following, count = [], 0
        for log_p, words, state in beam:
            if words and words[-1] == end:
                following.append((-log_p, count, words, state))
                count += 1
                continue
            fed = words[-1] if words else begin
            new = np.tanh(W_xh @ embedding[fed] + W_hh @ state + b)
            p = np.exp(W_hy @ new)
            for word, chance in enumerate(p / p.sum()):
                following.append((-(log_p + np.log(chance)), count, [*words, word], new))
                count += 1
        beam = [(-minus, words, state) for minus, _, words, state in heapq.nsmallest(width, following)]
        if all(words[-1] == end for _, words, _ in beam):
            break
    finished = [row for row in beam if row[1][-1] == end] or beam
    log_p, words, _ = max(finished, key=lambda row: row[0] / len(row[1]) ** power)
    return np.array(words[:-1] if words[-1] == end else words, dtype=int), log_p


@beam_search.variant
def by_the_search_of_the_bank(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit), end, power)


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((97, 15), (98, 30), (96, 12), (99, 30))
def rows_right(hundredth=98, count=20):
    p, choices = hundredth / 100, count + 1
    right = round(p**choices, 3)
    return Question(
        "rows_right",
        right,
        f"A row is right when its {count} words and its end symbol are: {choices} choices, each right "
        f"with {p:g} as "
        "long as all before it are, and up to a first mistake a free run is fed the right words. "
        f"{p:g}^{choices} = {right:.3f}.",
        tolerance=0.004,
        replies={
            p: "That is the share of words; a row needs all of its words.",
            round(
                p**count, 3
            ): f"You counted {count} choices; the end symbol has to come, too, and in the right place.",
            round(1 - choices * (1 - p), 2): f"You subtracted {choices} times {1 - p:g}; chances multiply, "
            f"{p:g}^{choices}.",
            round(
                1 - count * (1 - p), 2
            ): f"You subtracted {count} times {1 - p:g}; chances multiply, and the end "
            "symbol is a choice, too.",
            round(1 - right, 3): "That is the share of rows with a mistake; asked for are those without.",
            round(100 * right, 1): "That is in percent; answer with a share from 0 to 1.",
        },
        numbers={"hundredth": hundredth, "count": count},
    )


bank.question(
    "no_end_in_training",
    "c",
    "The softmax gives the end symbol a probability, too, and every step of the training made it smaller. So "
    "each row is broken off at its limit, and none is right, though each may begin with the right words.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "What it says after the last word was never trained; nothing makes the end likely there.",
        "b": "The fed words were the right ones; nothing taught the first words less well than before.",
        "d": "The end symbol was never wanted, so every step of the training made it less likely, not more.",
    },
)

bank.written(
    "translator_report",
    "0.5: 97 of 100 words are not 97 of 100 numbers: a row is right when all its choices are, its end "
    "included; 0.97^11 = 0.72 is what to expect, and 0.71 was found. "
    "0.5: the gap: up to a first mistake both ways feed the same words, so a row is right one way exactly "
    "when it is the other way; 0.97 is a share of words, 0.71 one of rows. The gap is one of words behind a "
    "first mistake: compare shares of words, fed the right ones and fed its own. "
    "0.5: the long rows: 0.97^26 = 0.45, but 0.05 was found (0.89 a choice), so single choices are worse in "
    "long rows: all a row says passes through 32 numbers. Exact match against length and against H (or "
    "reading backward, or attention); more of the same decoding does not help. Another good reason "
    "(few long rows in training) with a way to test it counts in full. "
    "0.5: the beam: a larger log p shows that the search works, not that the answer is right; where the "
    "model is wrong about the likeliest row a wider beam may be worse, and short rows win. Compare exact "
    "match of widths (and powers) on held-out rows, chosen on others than those that are reported.",
)
