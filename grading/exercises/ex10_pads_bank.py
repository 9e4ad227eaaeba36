"""The first part of the bank of exercise 10: rows as a rectangle; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex10 as reference
from grading.bank import Bank, Case
from grading.exercises.ex10_numbers import EDGE

bank = Bank("ex10")

# pad_batch ------------------------------------------------------------------------------------------

pad_batch = bank.function("pad_batch", reference.pad_batch)


def rows_of(rng, *lengths):
    """Lists of numbers from 1 to 9, neighbours different, no row the same backwards."""
    rows = []
    for length in lengths:
        row = rng.permutation(np.arange(1, 10))[:length].tolist()
        rows.append(row)
    return rows


@pad_batch.visible
def _():
    by_hand = [[5, 6, 7], [8], []]
    yield Case("the example by hand", by_hand, 2, 9, "end")
    yield Case("the start is kept", by_hand, 2, 9, "start")
    yield Case("nothing to cut", [[4, 2], [3], [1, 5, 6]], 6, 0, "start")
    yield Case("a pad that is a number, too", [[2, 7, 7, 1], [7, 3]], 3, 7, "end")


@pad_batch.hidden
def _(rng):
    def mixed(*lengths):
        return rng.permutation(lengths).tolist()

    pad = int(rng.integers(20, 90))
    yield Case("the end is kept", rows_of(rng, 3, *mixed(1, 5, 8, 6)), 4, pad, "end")
    yield Case("the start is kept", rows_of(rng, 2, *mixed(7, 5, 1)), 4, pad + 1, "start")
    yield Case("nothing to cut", rows_of(rng, 2, *mixed(3, 1, 4)), int(rng.integers(6, 9)), -1, "end")
    rows = rows_of(rng, 3, *mixed(6, 2, 5))
    yield Case("a pad that is a number, too", rows, 5, rows[0][1], "start")
    yield Case("rows without numbers", rows_of(rng, 0, *mixed(3, 0, 5)), 4, pad + 2, "end")
    yield Case("a single row", rows_of(rng, 6), 4, 0, "end", weight=EDGE)


def cut(rows, longest, keep):
    return [row[:longest] if keep == "start" else row[-longest:] for row in rows]


def filled(rows, T, pad):
    """Rows of at most T numbers as ids and mask."""
    ids = torch.tensor([row + [pad] * (T - len(row)) for row in rows])
    return ids, torch.arange(T) < torch.tensor([len(row) for row in rows])[:, None]


@pad_batch.wrong("Your rows lose the other end; keep says which numbers stay, not which go.")
def cuts_the_other_end(rows, longest, pad, keep):
    return reference.pad_batch(rows, longest, pad, "start" if keep == "end" else "end")


@pad_batch.wrong('Your rows always keep their start; with "end" the last numbers stay.')
def always_keeps_the_start(rows, longest, pad, keep):
    return reference.pad_batch(rows, longest, pad, "start")


@pad_batch.wrong('Your rows always keep their end; with "start" the first numbers stay.')
def always_keeps_the_end(rows, longest, pad, keep):
    return reference.pad_batch(rows, longest, pad, "end")


@pad_batch.wrong(
    "Your short rows lose numbers where the end is kept: a start below 0 counts from behind, so keep it at 0."
)
def short_rows_cut_from_behind(rows, longest, pad, keep):
    rows = [row[:longest] if keep == "start" else row[len(row) - longest :] for row in rows]
    return filled(rows, max(map(len, rows)), pad)


@pad_batch.wrong("Your rows come out backwards where the end is kept; turn them round again after the cut.")
def left_backwards(rows, longest, pad, keep):
    rows = rows if keep == "start" else [row[::-1][:longest] for row in rows]
    return reference.pad_batch(rows, longest, pad, "start")


@pad_batch.wrong("Your rows are not cut; no row may have more than longest numbers.")
def never_cuts(rows, longest, pad, keep):
    return reference.pad_batch(rows, max(map(len, rows)), pad, keep)


@pad_batch.wrong("Your rows are cut to one number less than allowed; longest numbers may stay.")
def cuts_one_too_many(rows, longest, pad, keep):
    return reference.pad_batch(rows, max(longest - 1, 1), pad, keep)


@pad_batch.wrong("Your rows are cut to the shortest one; pad the short rows instead.")
def cut_to_the_shortest(rows, longest, pad, keep):
    shortest = min(len(row) for row in rows)
    return filled(
        [row[:shortest] if keep == "start" else row[len(row) - shortest :] for row in rows], shortest, pad
    )


@pad_batch.wrong("Your batch is always as wide as longest; it ends where its longest row ends.")
def always_as_wide_as_allowed(rows, longest, pad, keep):
    return filled(cut(rows, longest, keep), longest, pad)


@pad_batch.wrong("Your batch is as wide as before the cut; measure the rows after it.")
def as_wide_as_before_the_cut(rows, longest, pad, keep):
    return filled(cut(rows, longest, keep), max(map(len, rows)), pad)


@pad_batch.wrong("Your pads stand in front; they belong behind the numbers.")
def pads_in_front(rows, longest, pad, keep):
    ids, mask = reference.pad_batch([row[::-1] for row in cut(rows, longest, keep)], longest, pad, "start")
    return ids.flip(1), mask.flip(1)


@pad_batch.wrong("Your pads are zeros; fill with the number that is given.")
def pads_with_zero(rows, longest, pad, keep):
    return reference.pad_batch(rows, longest, 0, keep)[0], reference.pad_batch(rows, longest, pad, keep)[1]


@pad_batch.wrong("Your mask asks where the pad's number stands; a row may hold it, too, so use the lengths.")
def mask_from_the_numbers(rows, longest, pad, keep):
    ids, _ = reference.pad_batch(rows, longest, pad, keep)
    return ids, ids != pad


@pad_batch.wrong("Your mask asks where a number is not 0; pads may be any number, so use the lengths.")
def mask_of_what_is_not_zero(rows, longest, pad, keep):
    ids, _ = reference.pad_batch(rows, longest, pad, keep)
    return ids, ids != 0


@pad_batch.wrong("Your mask is True at the pads; it is True where a number of the row stands.")
def mask_of_the_pads(rows, longest, pad, keep):
    ids, mask = reference.pad_batch(rows, longest, pad, keep)
    return ids, ~mask


@pad_batch.wrong("Your mask ends one step early; in code step t is real when t < length.")
def mask_one_short(rows, longest, pad, keep):
    ids, mask = reference.pad_batch(rows, longest, pad, keep)
    return ids, torch.arange(mask.shape[1]) < mask.sum(dim=1, keepdim=True) - 1


@pad_batch.wrong("Your mask goes one step too far; step t is real when t < length, not t <= length.")
def mask_one_long(rows, longest, pad, keep):
    ids, mask = reference.pad_batch(rows, longest, pad, keep)
    return ids, torch.arange(mask.shape[1]) <= mask.sum(dim=1, keepdim=True)


@pad_batch.wrong("Your second result holds lengths; asked for is a mask, a truth value for each place.")
def lengths_for_a_mask(rows, longest, pad, keep):
    ids, mask = reference.pad_batch(rows, longest, pad, keep)
    return ids, mask.sum(dim=1)


@pad_batch.wrong("Your rows are sorted by length; leave them in their order, the labels follow it.")
def sorted_by_length(rows, longest, pad, keep):
    return reference.pad_batch(sorted(rows, key=len, reverse=True), longest, pad, keep)


@pad_batch.wrong("Your batch has time first, (T, B); rows go down, steps go across.")
def pads_time_first(rows, longest, pad, keep):
    ids, mask = reference.pad_batch(rows, longest, pad, keep)
    return ids.T, mask.T


@pad_batch.variant
def by_pad_sequence(rows, longest, pad, keep):
    short = [
        torch.tensor(row[-longest:] if keep == "end" else row[:longest], dtype=torch.int64) for row in rows
    ]
    ids = torch.nn.utils.rnn.pad_sequence(short, batch_first=True, padding_value=pad)
    mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(row)) for row in short], batch_first=True)
    return ids, mask.bool()


@pad_batch.variant
def row_by_row_in_numpy(rows, longest, pad, keep):
    width = min(longest, max(len(row) for row in rows))
    ids, mask = np.full((len(rows), width), float(pad)), np.zeros((len(rows), width))
    for n, row in enumerate(rows):
        first = max(0, len(row) - longest) if keep == "end" else 0
        for t, number in enumerate(row[first : first + longest]):
            ids[n, t], mask[n, t] = number, 1
    return ids, mask


@pad_batch.variant
def as_lists(rows, longest, pad, keep):
    rows = cut(rows, longest, keep)
    T = max(len(row) for row in rows)
    mask = [[True] * len(row) + [False] * (T - len(row)) for row in rows]
    return [row + [pad] * (T - len(row)) for row in rows], mask
