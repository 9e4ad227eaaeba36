"""The references of exercise 02 against SciPy, NumPy's solvers and the properties of a linear filter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils.reference.ex02 import estimate_pole, frequency_response, memory_horizon, one_pole

TOLERANCE = {"rtol": 1e-9, "atol": 1e-11}
sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
poles_inside = st.floats(-0.99, 0.99)
quick = settings(max_examples=40, deadline=None)


@quick
@given(seeds, sizes, st.integers(0, 9), st.floats(-1.1, 1.1), st.floats(-3, 3))
def test_states_equal_lfilter(rng, B, T, alpha, beta):
    x, h0 = rng.normal(size=(B, T)), rng.normal(size=B)
    expected, _ = signal.lfilter([beta], [1, -alpha], x, axis=1, zi=alpha * h0[:, None])
    np.testing.assert_allclose(one_pole(x, alpha, beta, h0), expected, **TOLERANCE)


@quick
@given(seeds, sizes, st.integers(1, 9), st.floats(-3, 3))
def test_states_with_a_pole_per_step_solve_the_linear_system(rng, B, T, beta):
    x, h0, alpha = rng.normal(size=(B, T)), rng.normal(size=B), rng.uniform(-1, 1, size=T)
    driven = beta * x
    driven[:, 0] += alpha[0] * h0
    expected = np.linalg.solve(np.eye(T) - np.diag(alpha[1:], -1), driven.T).T
    np.testing.assert_allclose(one_pole(x, alpha, beta, h0), expected, **TOLERANCE)


@quick
@given(seeds, sizes, st.integers(2, 9), st.data())
def test_a_carried_state_joins_two_halves(rng, B, T, data):
    x, alpha = rng.normal(size=(B, T)), rng.uniform(-1, 1, size=T)
    cut = data.draw(st.integers(1, T - 1))
    first = one_pole(x[:, :cut], alpha[:cut], 0.7)
    second = one_pole(x[:, cut:], alpha[cut:], 0.7, first[:, -1])
    np.testing.assert_allclose(np.hstack([first, second]), one_pole(x, alpha, 0.7), **TOLERANCE)


def test_a_permuted_batch_permutes_the_states():
    rng = np.random.default_rng(1)
    x, h0, order = rng.normal(size=(4, 7)), rng.normal(size=4), [2, 0, 3, 1]
    np.testing.assert_array_equal(one_pole(x[order], 0.9, 1.0, h0[order]), one_pole(x, 0.9, 1.0, h0)[order])


def test_states_ignore_future_inputs():
    x = np.random.default_rng(2).normal(size=(3, 8))
    changed = x.copy()
    changed[:, 5:] += 1.0
    np.testing.assert_array_equal(one_pole(changed, 0.9)[:, :5], one_pole(x, 0.9)[:, :5])


def test_no_steps_give_no_states():
    assert one_pole(np.zeros((3, 0)), np.zeros(0), 1.0, np.ones(3)).shape == (3, 0)


def test_states_of_the_worked_example():
    assert one_pole([[2, 0, 1]], [0.5, 0.5, 0], 3, [4]).tolist() == [[8.0, 4.0, 3.0]]


@quick
@given(poles_inside.filter(lambda alpha: abs(alpha) > 1e-6), st.floats(0.01, 0.99))
def test_the_state_has_fallen_to_the_fraction_at_the_horizon(alpha, fraction):
    assert abs(alpha) ** memory_horizon(alpha, fraction) == pytest.approx(fraction, rel=1e-9)


@pytest.mark.parametrize("alpha", [1.0, -1.0, 1.001, -2.0])
def test_the_horizon_is_infinite_where_nothing_fades(alpha):
    assert memory_horizon(alpha) == np.inf


def test_a_pole_of_zero_has_no_horizon():
    assert memory_horizon(0.0) == 0.0


def test_horizons_of_the_worked_examples():
    assert memory_horizon(0.5, 0.25) == pytest.approx(2.0)
    assert memory_horizon(0.9) == pytest.approx(9.4912, abs=1e-4)


@quick
@given(seeds, sizes, sizes, st.floats(0.1, 5))
def test_the_response_equals_freqz_zpk(rng, P, N, gain):
    poles, omega = rng.uniform(-0.95, 0.95, size=P), rng.uniform(0, np.pi, size=N)
    _, expected = signal.freqz_zpk(np.zeros(P), poles, gain, worN=omega)
    np.testing.assert_allclose(frequency_response(poles, gain, omega), expected, **TOLERANCE)


def test_the_response_is_what_the_filter_does_to_a_wave():
    omega, t = 0.3, np.arange(400)
    wave = np.exp(1j * omega * t)
    states = one_pole([wave.real], 0.8, 0.5) + 1j * one_pole([wave.imag], 0.8, 0.5)
    ratio = (states[0] / wave)[-1]
    np.testing.assert_allclose(frequency_response([0.8], 0.5, [omega]), [ratio], **TOLERANCE)


def test_responses_of_the_worked_example():
    response = frequency_response([0.5, -0.5], 1.0, [0.0, np.pi / 2])
    np.testing.assert_allclose(response, [4 / 3, 0.8], **TOLERANCE)


@quick
@given(seeds, st.integers(2, 12))
def test_the_estimate_equals_lstsq(rng, T):
    h = rng.normal(size=T) + 0.1
    (expected,), *_ = np.linalg.lstsq(h[:-1, None], h[1:], rcond=None)
    assert estimate_pole(h) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@quick
@given(poles_inside.filter(lambda alpha: abs(alpha) > 0.1), st.integers(2, 12))
def test_the_estimate_of_an_exact_decay_is_its_pole(alpha, T):
    assert estimate_pole(3.0 * alpha ** np.arange(T)) == pytest.approx(alpha, rel=1e-12)


def test_the_estimate_of_the_worked_example():
    assert estimate_pole([2, 1, 1]) == pytest.approx(0.6)
