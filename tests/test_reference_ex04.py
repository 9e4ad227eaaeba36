"""The references of exercise 04 against NumPy, SciPy and differences, and properties of what learns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, signal

from course_utils.adaptive import lms as lesson_lms
from course_utils.reference.ex04 import adapt_pole, largest_stable_step, lms, pole_gradient

TOLERANCE = {"rtol": 1e-9, "atol": 1e-11}
sizes = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
quick = settings(max_examples=40, deadline=None)


def toeplitz_windows(x, taps):
    """The windows of a row as SciPy builds them: (T, taps), newest first."""
    return linalg.toeplitz(x, np.zeros(taps))


@quick
@given(seeds, sizes, st.integers(1, 20), sizes)
def test_every_row_learns_as_if_it_were_alone(rng, B, T, taps):
    x, d = rng.normal(size=(B, T)), rng.normal(size=(B, T))
    w, errors = lms(x, d, taps, 0.1)
    for row in range(B):
        weights, expected = lesson_lms(x[row], d[row], taps, 0.1)
        np.testing.assert_allclose(w[row], weights[-1], **TOLERANCE)
        np.testing.assert_allclose(errors[row], expected, **TOLERANCE)


@quick
@given(seeds, st.integers(1, 20), sizes)
def test_the_taps_are_the_sum_of_all_updates(rng, T, taps):
    x, d = rng.normal(size=T), rng.normal(size=T)
    w, errors = lms([x], [d], taps, 0.1)
    np.testing.assert_allclose(w[0], 0.1 * errors[0] @ toeplitz_windows(x, taps), **TOLERANCE)


def test_noise_free_taps_are_found():
    rng = np.random.default_rng(1)
    x, hidden = rng.normal(size=(2, 1500)), rng.normal(size=(2, 4))
    d = np.array([signal.lfilter(taps, [1], row) for taps, row in zip(hidden, x, strict=True)])
    np.testing.assert_allclose(lms(x, d, 4, 0.05)[0], hidden, atol=1e-9)


def test_a_permuted_batch_permutes_the_taps():
    rng = np.random.default_rng(2)
    x, d, order = rng.normal(size=(4, 7)), rng.normal(size=(4, 7)), [2, 0, 3, 1]
    np.testing.assert_array_equal(lms(x[order], d[order], 3, 0.1)[0], lms(x, d, 3, 0.1)[0][order])


def test_no_samples_move_no_taps():
    w, errors = lms(np.zeros((2, 0)), np.zeros((2, 0)), 3, 0.1)
    assert w.tolist() == [[0] * 3] * 2
    assert errors.shape == (2, 0)


def test_taps_of_the_worked_example():
    w, errors = lms([[1, 2]], [[2, 4]], 2, 0.5)
    assert w.tolist() == [[3.0, 1.0]]
    assert errors.tolist() == [[2.0, 2.0]]


@quick
@given(seeds, st.integers(1, 30), st.integers(1, 6))
def test_the_step_equals_that_of_the_largest_singular_value(rng, T, taps):
    x = rng.normal(size=T)
    largest = np.linalg.svd(toeplitz_windows(x, taps), compute_uv=False)[0] ** 2 / T
    assert largest_stable_step(x, taps) == pytest.approx(2 / largest, rel=1e-9)


def test_the_mean_recursion_shrinks_below_the_step_and_grows_above():
    x = signal.lfilter([1], [1, -0.8], np.random.default_rng(3).normal(size=200))
    u = toeplitz_windows(x, 4)
    R, step = u.T @ u / 200, largest_stable_step(x, 4)
    left = [np.linalg.matrix_power(np.eye(4) - f * step * R, 3000) for f in (0.99, 1.01)]
    assert np.linalg.norm(left[0]) < 0.01
    assert np.linalg.norm(left[1]) > 1e10


def test_louder_inputs_take_smaller_steps_by_the_square():
    x = np.random.default_rng(4).normal(size=30)
    assert largest_stable_step(3 * x, 4) == pytest.approx(largest_stable_step(x, 4) / 9)


def test_silence_is_stable_at_any_step():
    assert largest_stable_step(np.zeros(5), 2) == np.inf


def test_the_step_of_the_worked_example():
    assert largest_stable_step([1, 1], 2) == pytest.approx(2 / ((3 + np.sqrt(5)) / 4))


def loss(x, d, alpha, beta, h0):
    y, _ = signal.lfilter([beta], [1, -alpha], x, axis=1, zi=alpha * h0 * np.ones((len(x), 1)))
    return np.mean((d - y) ** 2) / 2


@quick
@given(seeds, sizes, st.integers(1, 15), st.floats(-1.05, 1.05), st.floats(-2, 2), st.floats(-3, 3))
def test_the_gradient_equals_central_differences_of_lfilter(rng, B, T, alpha, beta, h0):
    x, d, at = rng.normal(size=(B, T)), rng.normal(size=(B, T)), np.array([alpha, beta, h0])
    moves = 1e-5 * np.eye(3)
    expected = [(loss(x, d, *(at + m)) - loss(x, d, *(at - m))) / 2e-5 for m in moves]
    np.testing.assert_allclose(pole_gradient(x, d, *at), expected, rtol=1e-5, atol=1e-6)


def test_the_gradient_vanishes_at_the_filter_that_made_the_targets():
    x = np.random.default_rng(5).normal(size=(3, 20))
    d, _ = signal.lfilter([0.5], [1, -0.9], x, axis=1, zi=np.full((3, 1), 1.8))
    np.testing.assert_allclose(pole_gradient(x, d, 0.9, 0.5, 2.0), 0, atol=1e-12)


def test_the_gradient_of_a_repeated_batch_is_the_same():
    rng = np.random.default_rng(6)
    x, d = rng.normal(size=(2, 9)), rng.normal(size=(2, 9))
    twice = pole_gradient(np.tile(x, (2, 1)), np.tile(d, (2, 1)), 0.7, 1.2, 0.4)
    np.testing.assert_allclose(twice, pole_gradient(x, d, 0.7, 1.2, 0.4), **TOLERANCE)


def test_the_gradient_of_the_worked_example():
    np.testing.assert_allclose(pole_gradient([[1, 0]], [[3, 1]], 0.5, 2, 4), [5, 0.75, 0.375], **TOLERANCE)


@quick
@given(seeds, st.floats(0.2, 0.8))
def test_the_pole_never_leaves_its_limit(rng, limit):
    x, d = rng.normal(size=50), 5 * rng.normal(size=50)
    with np.errstate(over="ignore", invalid="ignore"):
        path = adapt_pole(x, d, 0.1, 0.5, 0.1, limit)
    poles = path[np.isfinite(path[:, 0]), 0]
    assert np.abs(poles).max() <= limit


def test_the_pole_finds_a_hidden_filter():
    x = np.random.default_rng(7).normal(size=4000)
    d = signal.lfilter([1.5], [1, -0.7], x)
    np.testing.assert_allclose(adapt_pole(x, d, 0.0, 0.5, 0.01, 0.95)[-1], [0.7, 1.5], atol=1e-6)


def test_a_tiny_step_moves_along_the_gradient_of_the_whole_row():
    rng = np.random.default_rng(8)
    x, d, mu = rng.normal(size=40), rng.normal(size=40), 1e-9
    moved = (adapt_pole(x, d, 0.6, 0.8, mu, 0.95)[-1] - [0.6, 0.8]) / mu
    np.testing.assert_allclose(moved, -40 * pole_gradient([x], [d], 0.6, 0.8, 0.0)[:2], rtol=1e-4)


def test_later_samples_do_not_change_the_path():
    rng = np.random.default_rng(9)
    x, d = rng.normal(size=30), rng.normal(size=30)
    longer = adapt_pole(np.append(x, [5, 5]), np.append(d, [1, 1]), 0.2, 0.5, 0.05, 0.9)
    np.testing.assert_array_equal(longer[:30], adapt_pole(x, d, 0.2, 0.5, 0.05, 0.9))


def test_the_path_of_the_worked_example():
    path = adapt_pole([1, 0], [2, 2], 0.5, 1.0, 0.5, 0.9)
    assert path.tolist() == [[0.5, 1.5], [0.9, 1.875]]
