"""Runs of a decoder, greedy or fed the right words, for the bank of exercise 12; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

from typing import NamedTuple

import numpy as np
import torch

from grading.exercises.ex12_numbers import CLEAR, log_softmax


class Run(NamedTuple):
    """A run that nobody stops: all of shape (B, L)."""

    words: np.ndarray
    log_p: np.ndarray  # of each word
    scores: np.ndarray  # of each word, before the softmax
    clear: np.ndarray  # how far the next best word is behind


def argmax(scores):
    """The first of the greatest in each row."""
    return scores.argmax(axis=1)


def endless(h, decoder, begin, steps, choose=argmax, carried=True, feed=lambda begin, said: said[-1]):
    """The decoder for so many steps, whatever it says; ``feed`` says what it is fed next."""
    embedding, W_xh, W_hh, b, W_hy = (weight.double().numpy() for weight in decoder)
    h = first = h.double().numpy()
    rows, fed, said = np.arange(len(h)), np.full(len(h), begin), []
    found = []
    for _ in range(steps):
        h = np.tanh(embedding[fed] @ W_xh.T + (h if carried else first) @ W_hh.T + b)
        scores = h @ W_hy.T
        said.append(choose(scores))
        top = np.sort(scores, axis=1)
        log_p = log_softmax(scores)
        found.append((said[-1], log_p[rows, said[-1]], scores[rows, said[-1]], top[:, -1] - top[:, -2]))
        fed = feed(begin, said)
    return Run(*(np.stack(part, axis=1) for part in zip(*found, strict=True)))


def steps_of(run, end, limits):
    """How many steps each row takes, its end included, and whether it ended: (B,), (B,)."""
    steps, ended = [], []
    for row, limit in zip(run.words.tolist(), limits.tolist(), strict=True):
        place = row.index(end) + 1 if end in row else len(row) + 1
        steps.append(min(place, limit))
        ended.append(place <= limit)
    return np.array(steps), np.array(ended)


def stopped(run, end, limits):
    """What the reference gives for a run."""
    steps, ended = steps_of(run, end, limits)
    place = np.arange(run.words.shape[1])
    log_p = np.where(place < steps[:, None], run.log_p, 0).sum(axis=1)
    return np.where(place < (steps - ended)[:, None], run.words, -1), log_p


def in_view(h, decoder, begin, end, limits):
    """The steps that are taken, whether rows ended, and by how much the least clear choice is clear."""
    run = endless(h, decoder, begin, int(limits.max()))
    steps, ended = steps_of(run, end, limits)
    taken = np.arange(run.words.shape[1]) < steps[:, None]
    return steps, ended, run.clear[taken].min()


def of_all_kinds(h, decoder, begin, end, limits):
    """One row ends at once, one ends later with room to its limit, one is broken off below the longest."""
    steps, ended, clear = in_view(h, decoder, begin, end, limits)
    limits = limits.numpy()
    later = ended & (steps > 1) & (steps < limits)
    broken = ~ended & (limits < limits.max())
    return bool(clear > CLEAR and (ended & (steps == 1)).any() and later.any() and broken.any())


def some_end(h, decoder, begin, end, limits):
    steps, ended, clear = in_view(h, decoder, begin, end, limits)
    return bool(clear > CLEAR and (ended & (steps > 1) & (steps < limits.numpy())).any() and not ended.all())


def none_ends(h, decoder, begin, end, limits):
    _, ended, clear = in_view(h, decoder, begin, end, limits)
    return bool(clear > CLEAR and not ended.any())


def all_end_at_once(h, decoder, begin, end, limits):
    steps, ended, clear = in_view(h, decoder, begin, end, limits)
    return bool(clear > CLEAR and ended.all() and (steps == 1).all())


def log_probabilities(h, fed, decoder, carried=True):
    """Of all words after each step: fed (B, L) -> (B, L, V)."""
    embedding, W_xh, W_hh, b, W_hy = decoder
    first, found = h, []
    for word in fed.unbind(1):
        h = torch.tanh(embedding[word] @ W_xh.T + (h if carried else first) @ W_hh.T + b)
        found.append(torch.log_softmax(h @ W_hy.T, dim=1))
    return torch.stack(found, dim=1)


def of_wanted(log_p, wanted):
    """The loss of each wanted word: (B, L)."""
    return -log_p.gather(2, wanted[:, :, None])[:, :, 0]


def column(target, word):
    return torch.full_like(target[:, :1], word)


def with_ends(target, lengths, end):
    """The targets with an end behind each, (B, T + 1)."""
    wanted = torch.cat([target, column(target, end)], dim=1)
    return torch.where(torch.arange(wanted.shape[1]) == lengths[:, None], end, wanted)
