"""LMS and its mean recursion against NumPy and SciPy, and the properties of a filter that learns."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils import adaptive
from course_utils.filters import fir

TOL = {"rtol": 1e-9, "atol": 1e-11}
quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@quick
@given(seeds, st.integers(0, 30), st.integers(1, 40))
def test_windows_times_taps_are_an_fir_filter(rng, T, k):
    x, taps = rng.normal(size=T), rng.normal(size=k)
    expected = signal.lfilter(taps, [1.0], x) if T else np.zeros(0)
    np.testing.assert_allclose(adaptive.windows(x, k) @ taps, expected, **TOL)


@quick
@given(seeds, st.integers(1, 25), st.integers(1, 6), st.floats(0.01, 0.3))
def test_lms_is_the_matrix_recursion_of_its_windows(rng, T, k, mu):
    x, d = rng.normal(size=T), rng.normal(size=T)
    expected = np.zeros(k)
    for u, d_t in zip(adaptive.windows(x, k), d, strict=True):
        expected = (np.eye(k) - mu * np.outer(u, u)) @ expected + mu * d_t * u
    np.testing.assert_allclose(adaptive.lms(x, d, k, mu)[0][-1], expected, **TOL)


@quick
@given(seeds, st.integers(2, 30), st.integers(1, 5))
def test_an_error_belongs_to_the_taps_before_its_update(rng, T, k):
    x, d = rng.normal(size=T), rng.normal(size=T)
    weights, errors = adaptive.lms(x, d, k, 0.1)
    before = np.vstack([np.zeros(k), weights[:-1]])
    np.testing.assert_allclose(errors, d - np.sum(before * adaptive.windows(x, k), axis=1), **TOL)


def test_lms_finds_the_taps_of_an_unknown_filter():
    rng = np.random.default_rng(1)
    x, hidden = rng.normal(size=3000), rng.normal(size=6)
    weights, errors = adaptive.lms(x, fir(x, hidden), 6, 0.05)
    np.testing.assert_allclose(weights[-1], hidden, atol=1e-10)
    assert abs(errors[-100:]).max() < 1e-9


def test_future_samples_do_not_change_earlier_taps():
    rng = np.random.default_rng(2)
    x, d = rng.normal(size=40), rng.normal(size=40)
    changed = x.copy()
    changed[25:] += 3
    assert np.array_equal(adaptive.lms(changed, d, 3, 0.1)[0][:25], adaptive.lms(x, d, 3, 0.1)[0][:25])


def test_normalised_lms_does_not_care_how_loud_a_sound_is():
    rng = np.random.default_rng(3)
    x, d = rng.normal(size=200), rng.normal(size=200)
    soft = adaptive.lms(10 * x, 10 * d, 4, 0.5, normalised=True)[0]
    loud = adaptive.lms(1000 * x, 1000 * d, 4, 0.5, normalised=True)[0]
    np.testing.assert_allclose(soft, loud, atol=1e-2)


def test_normalised_lms_removes_its_share_of_each_error():
    x, d = np.array([3.0, -2.0]), np.array([1.0, 5.0])
    weights, errors = adaptive.lms(x, d, 1, 0.25, normalised=True)
    np.testing.assert_allclose(d - weights[:, 0] * x, 0.75 * errors, rtol=1e-3)


def test_single_runs_learn_below_two_over_the_trace_and_explode_at_it():
    hidden = np.array([0.5, -1.0, 2.0, 0.3, -0.2, 0.1, 0.7, -0.4])
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=2000)
        ends = [np.linalg.norm(adaptive.lms(x, fir(x, hidden), 8, mu)[0][-1] - hidden) for mu in (0.2, 0.25)]
        assert ends[0] < 1e-6
        assert ends[1] > 1


@quick
@given(seeds, st.integers(1, 30), st.integers(1, 8))
def test_the_first_row_of_the_autocorrelation_holds_the_lagged_products(rng, T, k):
    x = rng.normal(size=T)
    lagged = np.correlate(np.append(x, np.zeros(k)), x, mode="full")[T - 1 : T - 1 + k] / T
    np.testing.assert_allclose(adaptive.autocorrelation(x, k)[0], lagged[:k], **TOL)


def test_coloured_noise_has_power_one_and_neighbours_that_are_alike():
    x = adaptive.coloured_noise(200_000, 0.9, np.random.default_rng(4))
    expected = 0.9 ** np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    np.testing.assert_allclose(adaptive.autocorrelation(x, 4), expected, atol=0.03)


def test_coloured_noise_is_stationary_from_its_first_sample_on():
    firsts = [adaptive.coloured_noise(1, 0.9, np.random.default_rng(seed))[0] for seed in range(2000)]
    assert np.var(firsts) == pytest.approx(1, abs=0.1)


def test_noise_without_colour_is_white():
    rng = np.random.default_rng(5)
    assert np.array_equal(adaptive.coloured_noise(9, 0, rng), np.random.default_rng(5).normal(size=9))


@quick
@given(seeds, st.integers(1, 6), st.integers(0, 60))
def test_the_mean_path_is_the_closed_form_in_eigen_coordinates(rng, k, steps):
    root = rng.normal(size=(k, k))
    R, target = root @ root.T, rng.normal(size=k)
    eigenvalues, axes = np.linalg.eigh(R)
    mu = 1.5 / eigenvalues.max()
    left = axes @ ((1 - mu * eigenvalues) ** steps * (axes.T @ target))
    np.testing.assert_allclose(adaptive.mean_path(R, target, mu, steps)[-1], target - left, atol=1e-8)


@pytest.mark.parametrize("alike", [0.0, 0.9])
def test_the_mean_shrinks_just_below_its_bound_and_grows_just_above(alike):
    R = alike ** np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    bound, target = 2 / np.linalg.eigvalsh(R).max(), np.ones(8)
    left = [np.linalg.norm(adaptive.mean_path(R, target, f * bound, 2000)[-1] - target) for f in (0.99, 1.01)]
    assert left[0] < 1e-3
    assert left[1] > 1e3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: adaptive.windows(np.zeros((2, 3)), 2), r"\(2, 3\).*expected one row"),
        (lambda: adaptive.windows([1.0], 0), "at least one tap"),
        (lambda: adaptive.lms([1.0, 2.0], [1.0], 2, 0.1), r"\(2,\) and d \(1,\), expected one length"),
        (lambda: adaptive.autocorrelation([], 2), "at least one sample"),
    ],
)
def test_wrong_inputs_are_named_in_the_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_docstring_examples_run():
    result = doctest.testmod(adaptive)
    assert result.attempted > 0
    assert result.failed == 0
