"""Rows of brackets: closed as they were opened, and out of reach of any model that sees only the inside."""

import numpy as np
import pytest
import torch

from course_utils import ngrams
from course_utils.brackets import (
    CLOSE,
    LETTERS,
    OPEN,
    SIGNS,
    balanced_rows,
    bracket_rows,
    closing_perplexity,
)

V = len(SIGNS)
MADE = [bracket_rows, balanced_rows]


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def spelled(row):
    return "".join(SIGNS[number] for number in row[1:-1])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("make", MADE)
def test_every_row_closes_what_it_opened_last_opened_first(make, depth):
    for row in make(5, depth, rng()):
        text = spelled(row)
        inside = text[depth : -depth - 1]
        closed = [CLOSE[OPEN.index(sign)] for sign in reversed(text[:depth])]
        assert (row[0], row[-1], text[-depth - 1]) == (2, 3, ":")
        assert text[-depth:] == "".join(closed)
        assert set(inside) <= set(LETTERS)
        assert 4 <= len(inside) <= 8


def test_rows_to_test_on_are_each_inside_with_every_choice_of_brackets():
    rows = balanced_rows(3, 2, rng())
    for at in range(0, 48, 16):
        texts = [spelled(row) for row in rows[at : at + 16]]
        assert len({text[2:-2] for text in texts}) == 1
        assert len({text[:2] for text in texts}) == 16


@pytest.mark.parametrize("make", MADE)
def test_rows_repeat_with_their_generator_and_reach_the_lengths_asked_for(make):
    rows = make(40, 1, rng(1), 5, 6)
    assert rows == make(40, 1, rng(1), 5, 6) != make(40, 1, rng(2), 5, 6)
    assert {len(row) for row in rows} == {5 + 5, 6 + 5}


@pytest.mark.parametrize("order", [2, 3, 5])
def test_no_counts_that_see_only_the_inside_get_below_four(order):
    tables = ngrams.count_followers(bracket_rows(500, 2, rng(order)), order)
    rows = balanced_rows(10, 2, rng())
    assert closing_perplexity(ngrams.target_probabilities(tables, rows, V), rows) >= 4


def test_whatever_is_made_of_the_last_four_tokens_is_bound_by_four():
    rows, seen, given = balanced_rows(10, 2, rng()), {}, []
    for row in rows:
        for t in range(1, len(row)):
            last = tuple(row[max(0, t - 4) : t])
            guess = seen.setdefault(last, np.random.default_rng(last).dirichlet(np.full(V, 0.3)))
            given.append(guess[row[t]])
    assert closing_perplexity(given, rows) >= 4


def test_counts_that_reach_the_bracket_learn_a_short_inside():
    rows = balanced_rows(20, 1, rng(), 1, 1)
    tables = ngrams.count_followers(rows, 4)
    assert closing_perplexity(ngrams.target_probabilities(tables, rows, V), rows) < 1.5
