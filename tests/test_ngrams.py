"""Models that count: they sum to one, agree with sums by hand, and hear no more than their order."""

import math

import numpy as np
import pytest
import torch

from course_utils.ngrams import count_followers, distribution, ngram_loss, probability

V = 7
ROWS = [[2, 4, 5, 4, 3], [2, 4, 5, 6, 3], [2, 5, 4, 3]]


def random_rows(seed, count=30):
    rng = torch.Generator().manual_seed(seed)
    return [[2, *torch.randint(3, V, (4 + at % 5,), generator=rng).tolist()] for at in range(count)]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("discount", [0.05, 0.75, 1.0])
def test_the_probabilities_after_any_prefix_sum_to_one(order, discount):
    tables = count_followers(random_rows(1), order)
    for row in [*random_rows(2), [2], [6, 6, 6, 6, 6]]:
        shares = distribution(tables, row, V, discount)
        assert shares.sum() == pytest.approx(1, abs=1e-12)
        assert (shares > 0).all()


@pytest.mark.parametrize("order", [1, 3, 4])
def test_one_token_at_a_time_agrees_with_all_at_once(order):
    tables = count_followers(random_rows(3), order)
    for row in random_rows(4, count=5):
        single = [probability(tables, row, token, V) for token in range(V)]
        np.testing.assert_allclose(single, distribution(tables, row, V), rtol=1e-12)


def test_a_unigram_agrees_with_the_sum_by_hand():
    tables = count_followers(ROWS, 1)  # eleven targets: 4 comes four times, 5 three, 3 three, 6 once
    assert probability(tables, [2], 4, V, 0.5) == pytest.approx((4 - 0.5) / 11 + 0.5 * 4 / 11 / V)
    assert probability(tables, [2], 1, V, 0.5) == pytest.approx(0.5 * 4 / 11 / V)


def test_a_bigram_agrees_with_the_sum_by_hand():
    tables = count_followers(ROWS, 2)  # after 5: 4, 6 and 4
    shorter = probability(tables[:1], [2, 5], 6, V, 0.5)
    assert probability(tables, [2, 5], 6, V, 0.5) == pytest.approx((1 - 0.5 + 0.5 * 2 * shorter) / 3)


def test_a_context_that_never_came_leaves_the_word_to_the_shorter_one():
    tables = count_followers(ROWS, 3)
    for token in range(V):
        assert probability(tables, [6, 6, 5], token, V) == probability(tables[:2], [5], token, V)


def test_a_model_looks_no_further_back_than_its_order():
    tables = count_followers(random_rows(5), 3)
    np.testing.assert_array_equal(
        distribution(tables, [2, 3, 4, 5], V), distribution(tables, [2, 6, 6, 4, 5], V)
    )
    assert not np.array_equal(distribution(tables, [3, 4, 5], V), distribution(tables, [3, 6, 5], V))


def test_no_token_is_counted_across_the_end_of_a_row_or_as_the_first_of_one():
    tables = count_followers(ROWS, 4)
    assert sum(tables[0][()].values()) == sum(len(row) - 1 for row in ROWS)
    assert 2 not in tables[0][()]
    assert all(3 not in context for table in tables for context in table)


def test_the_loss_is_the_mean_over_tokens_of_minus_ln_p():
    tables = count_followers(random_rows(6), 3)
    rows = [[2, 3, 4], [2, 5, 6, 4, 3]]
    wanted = [-math.log(probability(tables, row[:t], row[t], V)) for row in rows for t in range(1, len(row))]
    assert ngram_loss(tables, rows, V) == pytest.approx(np.mean(wanted), rel=1e-12)
