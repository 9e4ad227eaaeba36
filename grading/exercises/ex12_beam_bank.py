"""The fifth part of the bank of exercise 12: wrong ideas about beam search; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex12 as reference
from grading.exercises.ex12_match_bank import bank
from grading.exercises.ex12_search import answer, best, finalists, normalised, search

# beam_search: wrong ideas ---------------------------------------------------------------------------

beam_search = bank.function("beam_search", reference.beam_search)


@beam_search.wrong("Your search is greedy; keep the width best beginnings, not one.")
def greedy_after_all(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, 1, limit), end, power)


@beam_search.wrong("Your beam is one wider than asked.")
def one_too_wide(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width + 1, limit), end, power)


@beam_search.wrong("Your beam keeps the best of each beginning; keep the width best of all together.")
def best_of_each_kept(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, keep="of each"), end, power)


@beam_search.wrong("Your beam chooses at the first step only and goes on greedily; compare at every step.")
def chosen_at_the_first_step(h, decoder, begin, end, width, limit, power):
    firsts = search(h, decoder, begin, end, width, 1).beam
    found = []
    for first in firsts:
        row = first
        while row.words[-1] != end and len(row.words) < limit:
            state = torch.from_numpy(row.h).to(h.dtype)
            (step,) = search(state, decoder, row.words[-1], end, 1, 1).beam
            row = step._replace(words=row.words + step.words, log_p=row.log_p + step.log_p)
        found.append(row)
    over = [row for row in found if end in row.words] or found
    return answer(max(over, key=lambda row: normalised(row, power)), end)


@beam_search.wrong("Your finished answers leave with their place; here they wait and may be pushed out.")
def finished_leave(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, over="leaves"), end, power)


@beam_search.wrong(
    "Your finished answers leave and others take their places; here they keep a place while they wait."
)
def finished_make_room(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, over="makes room"), end, power)


@beam_search.wrong("Your finished answers are dropped; they wait in the beam.")
def finished_lost(h, decoder, begin, end, width, limit, power):
    found = search(h, decoder, begin, end, width, limit, over="lost")
    rows = found.beam
    if not rows:
        return np.array([], dtype=int), 0.0
    return answer(max(rows, key=lambda row: normalised(row, power)), end)


@beam_search.wrong("Your finished answers grow on; behind the end symbol nothing is said.")
def finished_grow(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, over="grows"), end, power)


@beam_search.wrong("Your search ends with the first finished answer; others may still be better.")
def first_finished_taken(h, decoder, begin, end, width, limit, power):
    for steps in range(1, limit + 1):
        found = search(h, decoder, begin, end, width, steps)
        if any(end in row.words for row in found.beam):
            break
    return best(found, end, power)


@beam_search.wrong("Your unfinished beginnings compete at the end; only finished ones do, if there are any.")
def unfinished_compete(h, decoder, begin, end, width, limit, power):
    rows = search(h, decoder, begin, end, width, limit).beam
    return answer(max(rows, key=lambda row: normalised(row, power)), end)


@beam_search.wrong("Your beam is ordered by sums of probabilities; add their logarithms.")
def ordered_by_sums(h, decoder, begin, end, width, limit, power):
    found = search(h, decoder, begin, end, width, limit, rank=lambda row: row.p_sum)
    return answer(max(finalists(found, end), key=lambda row: row.p_sum / len(row.words) ** power), end)


@beam_search.wrong("Your beam divides by the length at every step; divide in the last choice only.")
def divided_at_every_step(h, decoder, begin, end, width, limit, power):
    found = search(h, decoder, begin, end, width, limit, rank=lambda row: normalised(row, power))
    return best(found, end, power)


@beam_search.wrong("Your last choice leaves the length out; divide log p by length**power.")
def length_left_out(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit), end, 0.0)


@beam_search.wrong("Your last choice divides by the length itself; divide by length**power.")
def power_left_out(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit), end, 1.0)


@beam_search.wrong("Your last choice multiplies by the length; divide log p by length**power.")
def multiplied_by_the_length(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit), end, -power)


@beam_search.wrong("Your length leaves the end symbol out; it counts.")
def length_without_the_end(h, decoder, begin, end, width, limit, power):
    def key(row, power):
        return row.log_p / max(1, len(row.words) - (end in row.words)) ** power

    return best(search(h, decoder, begin, end, width, limit), end, power, key)


@beam_search.wrong("Your last choice divides by ((5 + n) / 6)**power, another rule; here it is n**power.")
def another_rule_for_lengths(h, decoder, begin, end, width, limit, power):
    def key(row, power):
        return row.log_p / ((5 + len(row.words)) / 6) ** power

    return best(search(h, decoder, begin, end, width, limit), end, power, key)


@beam_search.wrong("Your second value is divided by the length; that is for the choice, return log p.")
def divided_log_p_returned(h, decoder, begin, end, width, limit, power):
    rows = finalists(search(h, decoder, begin, end, width, limit), end)
    row = max(rows, key=lambda row: normalised(row, power))
    return answer(row, end)[0], normalised(row, power)


@beam_search.wrong("Your second value is the probability; asked for is log p.")
def probability_returned(*arguments):
    words, log_p = reference.beam_search(*arguments)
    return words, np.exp(log_p)


@beam_search.wrong("Your answer is the worst of the beam; log p is negative, the greatest is best.")
def worst_of_the_beam(h, decoder, begin, end, width, limit, power):
    rows = finalists(search(h, decoder, begin, end, width, limit), end)
    return answer(min(rows, key=lambda row: normalised(row, power)), end)


@beam_search.wrong("Your words hold the end symbol; leave it out.")
def end_in_the_words(h, decoder, begin, end, width, limit, power):
    rows = finalists(search(h, decoder, begin, end, width, limit), end)
    row = max(rows, key=lambda row: normalised(row, power))
    return np.array(row.words), row.log_p


@beam_search.wrong("Your words hold the begin symbol; it is fed, not said.")
def begin_in_the_words(h, decoder, begin, end, width, limit, power):
    words, log_p = reference.beam_search(h, decoder, begin, end, width, limit, power)
    return np.array([begin, *words.tolist()]), log_p


@beam_search.wrong("Your states do not follow their beginnings; each goes on from its own.")
def states_mixed_up(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, state="best"), end, power)


@beam_search.wrong("Your state is the given one at every step; each beginning carries its own on.")
def given_state_throughout(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, state="given"), end, power)


@beam_search.wrong("Your search starts from zeros; it starts from the h that is given.")
def search_from_zeros(h, decoder, begin, end, width, limit, power):
    return best(search(0 * h, decoder, begin, end, width, limit), end, power)


@beam_search.wrong("Your search takes one step less than the limit.")
def a_step_less(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit - 1), end, power)


@beam_search.wrong("Your search takes one step more than the limit.")
def a_step_more(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit + 1), end, power)


@beam_search.wrong("Your choice among equally good ones is the last; keep the first.")
def last_of_equal_ones(h, decoder, begin, end, width, limit, power):
    return best(search(h, decoder, begin, end, width, limit, keep="last"), end, power)
