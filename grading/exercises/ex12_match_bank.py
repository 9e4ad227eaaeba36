"""The fourth part of the bank of exercise 12: exact match; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex12 as reference
from grading.bank import Case
from grading.exercises.ex12_forced_bank import bank
from grading.exercises.ex12_numbers import EDGE, scattered

# exact_match ----------------------------------------------------------------------------------------

exact_match = bank.function("exact_match", reference.exact_match)

END = 1


def other(rng, word, V):
    """A word that is neither this one nor the end."""
    return int(rng.choice([w for w in range(V) if w not in (word, END)]))


def some_words(rng, V, count):
    return [other(rng, END, V) for _ in range(count)]


def answer_row(rng, kind, wanted, L, V):
    """What a decoder said, L words of it, that goes wrong in one way, or is right."""
    row = {
        "right": lambda: [*wanted, END],
        "empty": lambda: [END],
        "right, then another end": lambda: [*wanted, END, *some_words(rng, V, 1), END],
        "last word wrong": lambda: [*wanted[:-1], other(rng, wanted[-1], V), END],
        "first word wrong": lambda: [other(rng, wanted[0], V), *wanted[1:], END],
        "too long": lambda: [*wanted, *some_words(rng, V, 1), END],
        "too short": lambda: [*wanted[:-1], END],
        "last two exchanged": lambda: [*wanted[:-2], *wanted[:-3:-1], END],
        "ends within": lambda: [*wanted[:1], END, *wanted[1:], END],
        "never ends": lambda: [*wanted, *some_words(rng, V, L - len(wanted))],
        "broken off": lambda: wanted,
    }[kind]()
    return (row + some_words(rng, V, L))[:L]


def batch(rng, kinds, L, T, V):
    """All arguments, a row for each kind in an order by chance; the words of a target differ."""
    said, target, lengths = [], [], []
    for kind in rng.permutation(kinds).tolist():
        length = {"broken off": L, "empty": 0}.get(kind, min(int(rng.integers(2, T + 1)), L - 1))
        wanted = rng.permutation([word for word in range(V) if word != END])[:length].tolist()
        said.append(answer_row(rng, kind, wanted, L, V))
        target.append(wanted + rng.integers(0, V, size=T - length).tolist())
        lengths.append(length)
    renamed = torch.from_numpy(rng.permutation(V))
    return (
        renamed[torch.tensor(said)],
        renamed[torch.tensor(target)],
        torch.tensor(lengths),
        int(renamed[END]),
    )


@exact_match.visible
def _():
    said = torch.tensor([[5, 7, 1, 1], [7, 5, 1, 5], [5, 1, 7, 1], [5, 7, 5, 5], [5, 7, 1, 5]])
    target, lengths = torch.tensor([[5, 7, 0]] * 5), torch.tensor([2] * 5)
    yield Case("the example by hand", said, target, lengths, 1)
    rng = np.random.default_rng(124)
    yield Case("right ones, too long ones", *batch(rng, ["right"] * 3 + ["too long"] * 2, 4, 3, 7))
    yield Case("a last word wrong", *batch(rng, ["right"] * 2 + ["last word wrong"] * 3, 6, 4, 8))
    said, target = torch.tensor([[1, 4, 4], [4, 1, 1], [4, 4, 4]]), torch.tensor([[9, 9], [9, 9], [4, 9]])
    yield Case("empty targets", said, target, torch.tensor([0, 0, 1]), 1)
    yield Case("broken off", *batch(rng, ["broken off", "right", "right"], 3, 4, 8))


@exact_match.hidden
def _(rng):
    L, T, V = 7, 4, 9
    right = ["right", "right, then another end"]
    for title, wrong in [
        ("too long, too short", ["too long", "too short", "too short"]),
        ("a word wrong", ["last word wrong", "first word wrong", "last two exchanged"]),
        ("an end within, no end at all", ["ends within", "never ends"]),
    ]:
        more = rng.choice(right, size=int(rng.integers(0, 2))).tolist()
        yield Case(title, *batch(rng, [*right, *wrong, *more], L, T, V))
    kinds = ["right", "right", "broken off", "broken off", "too long"]
    yield Case("broken off at the limit", *batch(rng, kinds, 3, 4, V))
    kinds = [*right, "too short", "last word wrong", "first word wrong", "ends within", "never ends"]
    yield Case("not contiguous", *map(scattered, batch(rng, kinds, 8, 5, V)))
    yield Case("empty targets", *batch(rng, ["empty", "empty", "too short", "right", "never ends"], L, T, V))
    yield Case("all right", *batch(rng, ["right"] * int(rng.integers(3, 6)), L, T, V), weight=EDGE)


def lists(said, target, lengths, end):
    """For each row: what was said, its words before the first end or None, and what was wanted."""
    for row, wanted, length in zip(said.tolist(), target.tolist(), lengths.tolist(), strict=True):
        yield row, row[: row.index(end)] if end in row else None, wanted[:length]


def share(of):
    of = list(of)
    return sum(of) / len(of) if of else 0.0


@exact_match.wrong("Your share is one of words; a row counts only when all of it is right.")
def words_counted(said, target, lengths, end):
    rows = list(lists(said, target, lengths, end))
    hits = sum(one == two for row, _, wanted in rows for one, two in zip(row, wanted, strict=False))
    return hits / sum(len(wanted) for *_, wanted in rows)


@exact_match.wrong("Your share is the mean of each row's share of right words; count whole rows.")
def mean_share_of_words(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(
        share(one == two for one, two in zip(row, wanted, strict=False)) if wanted else 1.0
        for row, _, wanted in rows
    )


@exact_match.wrong("Your rows may go on behind the target; the end has to stand right behind it.")
def beginnings_compared(said, target, lengths, end):
    return share(row[: len(wanted)] == wanted for row, _, wanted in lists(said, target, lengths, end))


@exact_match.wrong("Your comparison stops where the shorter row does; a missing or added word is wrong.")
def up_to_the_shorter(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(
        all(one == two for one, two in zip(row if before is None else before, wanted, strict=False))
        for row, before, wanted in rows
    )


@exact_match.wrong("Your rows are compared with pads and all; what stands behind the length has no part.")
def pads_compared(said, target, lengths, end):
    width = min(said.shape[1], target.shape[1])
    return (said[:, :width] == target[:, :width]).all(dim=1).double().mean()


@exact_match.wrong("Your row that never ended counts as right; it was broken off.")
def broken_off_counts(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share((row if before is None else before) == wanted for row, before, wanted in rows)


@exact_match.wrong("Your rows without an end count, if they begin with the target; they were broken off.")
def no_end_needed(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share((row[: len(wanted)] if before is None else before) == wanted for row, before, wanted in rows)


@exact_match.wrong("Your rows are cut at their last end; cut at the first.")
def cut_at_the_last_end(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(end in row and row[: len(row) - 1 - row[::-1].index(end)] == want for row, _, want in rows)


@exact_match.wrong("Your ends are taken out wherever they stand; behind the first one nothing counts.")
def ends_taken_out(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share([word for word in row if word != end] == wanted for row, _, wanted in rows)


@exact_match.wrong("Your ends are taken out before the beginnings are compared; cut at the first end.")
def ends_taken_out_of_a_beginning(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share([word for word in row if word != end][: len(want)] == want for row, _, want in rows)


@exact_match.wrong("Your rows are compared as bags of words; their order counts.")
def order_ignored(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(before is not None and sorted(before) == sorted(want) for _, before, want in rows)


@exact_match.wrong("Your rows are right when their lengths are; the words have to be, too.")
def lengths_compared(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(before is not None and len(before) == len(wanted) for _, before, wanted in rows)


@exact_match.wrong("Your comparison leaves out the last word of a row.")
def last_word_not_compared(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(
        before is not None and len(before) == len(want) and before[:-1] == want[:-1]
        for _, before, want in rows
    )


@exact_match.wrong("Your divisor counts only rows that ended; a row that never ends is wrong.")
def only_ended_rows(said, target, lengths, end):
    rows = lists(said, target, lengths, end)
    return share(before == wanted for _, before, wanted in rows if before is not None)


@exact_match.wrong("Your result is the number of right rows; divide by all rows.")
def number_of_rows(said, target, lengths, end):
    return reference.exact_match(said, target, lengths, end) * len(said)


@exact_match.wrong("Your result is in percent; asked for is a share from 0 to 1.")
def in_percent(said, target, lengths, end):
    return 100 * reference.exact_match(said, target, lengths, end)


@exact_match.wrong("Your share is that of the wrong rows.")
def share_of_wrong_rows(said, target, lengths, end):
    return 1 - reference.exact_match(said, target, lengths, end)


@exact_match.wrong("Your result asks whether all rows are right; asked for is their share.")
def all_or_nothing(said, target, lengths, end):
    return float(reference.exact_match(said, target, lengths, end) == 1)


@exact_match.variant
def by_a_mask(said, target, lengths, end):
    width = max(said.shape[1], target.shape[1]) + 1
    steps = torch.arange(width)
    filled = [torch.nn.functional.pad(part, (0, width - part.shape[1]), value=-1) for part in (said, target)]
    wanted = torch.where(steps == lengths[:, None], end, filled[1])
    same = (filled[0] == wanted) | (steps > lengths[:, None])
    return same.all(dim=1).double().mean()


@exact_match.variant
def in_numpy_by_places(said, target, lengths, end):
    said, target = said.numpy(), target.numpy()
    hits = 0
    for n, length in enumerate(lengths.numpy()):
        places = np.flatnonzero(said[n] == end)
        hits += (
            len(places) > 0 and places[0] == length and np.array_equal(said[n, :length], target[n, :length])
        )
    return np.float32(hits / len(said))


@exact_match.variant
def as_texts(said, target, lengths, end):
    right = []
    for row, wanted, length in zip(said, target, lengths, strict=True):
        sentence = " ".join(map(str, [*wanted[:length].tolist(), end]))
        right.append(f"{' '.join(map(str, row.tolist()))} ".startswith(f"{sentence} "))
    return torch.tensor(right).float().mean()
