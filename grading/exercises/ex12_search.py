"""Beam searches with slips to choose, for the bank of exercise 12; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

from typing import NamedTuple

import numpy as np
import torch

from grading.exercises.ex12_numbers import CLEAR, decoder_of, drawn, log_softmax, marks, silent


class Row(NamedTuple):
    """A beginning, its log p, the sum of its words' probabilities, and its state."""

    words: tuple
    log_p: float
    p_sum: float
    h: np.ndarray


class Search(NamedTuple):
    """The last beam, what has left it, and by how much each choice on the way was clear."""

    beam: list
    left: list
    clear: list


def by_log_p(row):
    return row.log_p


def extended(row, log_p, h):
    """A beginning with every word behind it."""
    for word, more in enumerate(log_p.tolist()):
        yield Row((*row.words, word), row.log_p + more, row.p_sum + np.exp(more), h)


def search(h, decoder, begin, end, width, limit, rank=by_log_p, over="waits", state="own", keep="first"):
    """A beam search with slips to choose.

    over : what happens to a finished row: it "waits", "leaves" with its place, "makes room" for another
        (until width rows are finished), is "lost" or "grows" on.
    state : what a row goes on from: its "own", the "best" row's, or the "given" one.
    keep : of all candidates the best, the "first" or the "last" of equal ones; or the best "of each" row.
    """
    embedding, W_xh, W_hh, b, W_hy = (weight.double().numpy() for weight in decoder)
    start = h.double().numpy()
    beam, left, clear = [Row((), 0.0, 0.0, start)], [], []
    for _ in range(limit):
        candidates = []
        for row in beam:
            if row.words[-1:] == (end,) and over != "grows":
                candidates.append(row)
                continue
            old = {"own": row.h, "best": beam[0].h, "given": start}[state]
            new = np.tanh(W_xh @ embedding[row.words[-1] if row.words else begin] + W_hh @ old + b)
            longer = list(extended(row, log_softmax(W_hy @ new), new))
            candidates += sorted(longer, key=rank, reverse=True)[:width] if keep == "of each" else longer
        if keep == "last":
            candidates.reverse()
        candidates.sort(key=rank, reverse=True)  # stable: equal ones stay in their order
        gone = 0 if over == "makes room" else len(left)
        places = len(candidates) if keep == "of each" else width - gone
        if places < len(candidates):
            clear.append(rank(candidates[places - 1]) - rank(candidates[places]))
        beam = candidates[:places]
        if over in ("leaves", "makes room", "lost"):
            left += [row for row in beam if row.words[-1] == end and over != "lost"]
            beam = [row for row in beam if row.words[-1] != end]
            if not beam or len(left) >= width:
                break
    return Search(beam, left, clear)


def normalised(row, power):
    return row.log_p / len(row.words) ** power


def finalists(found, end):
    """Those among which the answer is: the finished ones, all when there are none."""
    rows = [*found.left, *found.beam]
    return [row for row in rows if end in row.words] or rows


def answer(row, end):
    """Words up to the first end, and log p."""
    words = row.words[: row.words.index(end)] if end in row.words else row.words
    return np.array(words, dtype=int), row.log_p


def ended(found, end):
    """Whether any row is finished."""
    return any(end in row.words for row in [*found.left, *found.beam])


def best(found, end, power, key=normalised):
    """The answer; of equal ones the first."""
    return answer(max(finalists(found, end), key=lambda row: key(row, power)), end)


def clear_answer(h, decoder, begin, end, width, limit, power, but_the_first=False):
    """The right answer; None when a choice hangs by a hair, the last one included. The first may be a tie."""
    found = search(h, decoder, begin, end, width, limit)
    order = sorted((normalised(row, power) for row in finalists(found, end)), reverse=True)
    last = order[0] - order[1] if len(order) > 1 else np.inf
    return best(found, end, power) if min([*found.clear[but_the_first:], last]) > CLEAR else None


def is_clear(*arguments):
    """Whether no choice hangs by a hair."""
    return clear_answer(*arguments) is not None


def task(rng, V, E, H, width, limit, power):
    """All arguments."""
    return drawn(rng, H), decoder_of(rng, V, E, H), *marks(rng, V), width, limit, power


def tied(rng, V, E, H, width, limit, power):
    """Arguments with which at the first step all words are equally likely."""
    h, (embedding, W_xh, W_hh, b, W_hy), begin, end, *rest = task(rng, V, E, H, width, limit, power)
    embedding[begin] = 0.0
    return silent(h), (embedding, W_xh, W_hh, silent(b), W_hy), begin, end, *rest


def same(one, other):
    """Whether two answers agree."""
    words, more = (list(map(int, answer[0])) for answer in (one, other))
    return words == more and abs(float(one[1]) - float(other[1])) < 1e-3


def tells(*ideas, but_the_first=False):
    """A test of arguments: every choice is clear, and each of the wrong ideas gives another answer."""

    def holds(*arguments):
        right = clear_answer(*arguments, but_the_first)
        return right is not None and not any(same(idea(*arguments), right) for idea in ideas)

    return holds


def from_table(table):
    """A decoder whose next word depends on the last one alone: V = E = H, rows of ``table`` sum to 1."""
    V = len(table)
    near_one = 20 * torch.eye(V)  # tanh(20) is 1 to all digits
    scores = torch.tensor(np.log(np.maximum(table, 1e-9)), dtype=torch.float32)
    return near_one, torch.eye(V), torch.zeros(V, V), torch.zeros(V), scores.T.contiguous()
