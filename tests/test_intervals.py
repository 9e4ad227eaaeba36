"""Intervals cover what they promise to cover."""

import math

import numpy as np
import pytest
from scipy import stats

from course_utils.intervals import T_95, mean_interval, paired_difference


@pytest.mark.parametrize("count", T_95)
def test_the_table_holds_students_t(count):
    assert T_95[count] == pytest.approx(stats.t.ppf(0.975, count - 1), abs=0.005)


def test_the_interval_of_a_mean_holds_the_truth_in_95_of_100_draws():
    draws = np.random.default_rng(0).normal(0.8, 0.01, size=(4000, 5))
    intervals = [mean_interval(row.tolist())[1:] for row in draws]
    assert np.mean([low < 0.8 < high for low, high in intervals]) == pytest.approx(0.95, abs=0.015)


def test_equal_values_have_no_width():
    assert mean_interval([0.5] * 5) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("values", [[], [0.5], [0.1] * 11])
def test_a_mean_of_one_or_of_many_is_refused(values):
    with pytest.raises(ValueError, match="expected 2 to 10"):
        mean_interval(values)


def test_the_interval_of_a_paired_difference_holds_the_truth_in_95_of_100_draws():
    count, chances = 800, [0.7, 0.12, 0.08, 0.1]  # both, only one, only other, neither
    draws = np.random.default_rng(0).multinomial(count, chances, size=4000)
    intervals = [paired_difference(row[1], row[2], count)[1:] for row in draws]
    assert np.mean([low < 0.04 < high for low, high in intervals]) == pytest.approx(0.95, abs=0.015)


def test_the_width_is_that_of_the_mean_of_differences_of_rows():
    rows = np.array([1] * 30 + [-1] * 10 + [0] * 160)
    difference, low, high = paired_difference(30, 10, 200)
    assert difference == pytest.approx(rows.mean())
    assert (high - low) / 2 == pytest.approx(1.96 * rows.std() / math.sqrt(200))
