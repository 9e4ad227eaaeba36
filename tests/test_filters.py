"""The one-pole filter against scipy.signal, its closed form, and the properties of a causal linear loop."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils import filters, series

TOL = {"rtol": 1e-9, "atol": 1e-9}
POLES = st.floats(-1.0, 1.0)
LENGTHS = st.integers(0, 400)


def noise(T, seed=0):
    return np.random.default_rng(seed).normal(size=T)


def lfilter(x, alpha, beta, h0):
    return signal.lfilter([beta], [1, -alpha], x, zi=[alpha * h0])[0]


@settings(deadline=None, max_examples=60)
@given(T=st.integers(1, 400), alpha=POLES, beta=st.floats(-3, 3), h0=st.floats(-5, 5))
def test_one_pole_agrees_with_scipy(T, alpha, beta, h0):
    x = noise(T)
    np.testing.assert_allclose(filters.one_pole(x, alpha, beta, h0), lfilter(x, alpha, beta, h0), **TOL)


@pytest.mark.parametrize("alpha", [-1.0, -0.7, 0.0, 0.999, 1.0, 1.01])
def test_one_pole_agrees_with_scipy_over_ten_thousand_steps(alpha):
    x = noise(10_000)
    expected = lfilter(x, alpha, 0.5, 2.0)
    np.testing.assert_allclose(filters.one_pole(x, alpha, 0.5, 2.0), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("alpha", [-1.02, -0.9, 0.0, 0.5, 1.0, 1.02])
def test_impulse_response_is_the_closed_form(alpha):
    impulse = np.eye(1, 50)[0]
    np.testing.assert_allclose(filters.one_pole(impulse, alpha, beta=3), 3 * alpha ** np.arange(50.0), **TOL)
    np.testing.assert_allclose(
        filters.impulse_response(alpha, 50, beta=3), lfilter(impulse, alpha, 3, 0), **TOL
    )


@settings(deadline=None)
@given(T=LENGTHS, cut=st.integers(0, 400), alpha=POLES)
def test_carrying_the_state_over_a_cut_changes_nothing(T, cut, alpha):
    x = noise(T)
    first = filters.one_pole(x[:cut], alpha, h0=0.3)
    second = filters.one_pole(x[cut:], alpha, h0=first[-1] if len(first) else 0.3)
    assert np.array_equal(np.concatenate([first, second]), filters.one_pole(x, alpha, h0=0.3))


@settings(deadline=None)
@given(T=st.integers(1, 400), cut=st.integers(0, 400), alpha=POLES)
def test_future_inputs_do_not_change_past_states(T, cut, alpha):
    x = noise(T)
    changed = x.copy()
    changed[cut:] += 100
    assert np.array_equal(filters.one_pole(changed, alpha)[:cut], filters.one_pole(x, alpha)[:cut])


@settings(deadline=None)
@given(T=LENGTHS, alpha=POLES, a=st.floats(-3, 3), b=st.floats(-3, 3))
def test_one_pole_is_linear_in_its_input(T, alpha, a, b):
    x, z = noise(T, 1), noise(T, 2)
    mixed = a * filters.one_pole(x, alpha) + b * filters.one_pole(z, alpha)
    np.testing.assert_allclose(filters.one_pole(a * x + b * z, alpha), mixed, **TOL)


def test_no_input_gives_no_state():
    assert filters.one_pole([], 0.9, h0=2.0).shape == (0,)
    assert filters.fir([], [1.0, 0.5]).shape == (0,)
    assert filters.impulse_response(0.9, 0).shape == (0,)


def test_integer_inputs_are_not_rounded():
    np.testing.assert_array_equal(filters.one_pole(np.array([1, 1]), 0.5), [1.0, 1.5])


@settings(deadline=None)
@given(T=st.integers(1, 60), k=st.integers(1, 80))
def test_fir_agrees_with_scipy_for_any_number_of_taps(T, k):
    x, taps = noise(T), noise(k, 1)
    np.testing.assert_allclose(filters.fir(x, taps), signal.lfilter(taps, [1.0], x), **TOL)


def test_fir_reaches_exactly_its_number_of_taps():
    response = filters.fir(np.eye(1, 30)[0], np.ones(12))
    assert np.flatnonzero(response).tolist() == list(range(12))


@pytest.mark.parametrize("alpha", [-0.95, -0.3, 0.0, 0.6, 0.99])
def test_frequency_response_agrees_with_scipy(alpha):
    omega = np.linspace(0, np.pi, 37)
    _, expected = signal.freqz([2.0], [1, -alpha], worN=omega)
    np.testing.assert_allclose(filters.frequency_response(alpha, omega, beta=2.0), expected, **TOL)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.9, 0.999])
def test_bandwidth_is_where_half_the_power_is_left(alpha):
    gain = abs(filters.frequency_response(alpha, [0, filters.bandwidth(alpha)]))
    assert gain[1] == pytest.approx(gain[0] / math.sqrt(2))


def test_bandwidth_is_everything_when_the_gain_hardly_falls():
    assert filters.bandwidth(0.1) == filters.bandwidth(-0.9) == math.pi


@pytest.mark.parametrize("alpha", [-0.8, 0.0, 0.97])
def test_dc_gain_is_where_a_constant_input_settles(alpha):
    assert filters.one_pole(np.ones(2000), alpha, beta=0.7)[-1] == pytest.approx(filters.dc_gain(alpha, 0.7))


@given(alpha=st.floats(0.01, 0.999))
def test_one_horizon_later_a_factor_e_is_gone(alpha):
    assert alpha ** filters.horizon(alpha) == pytest.approx(1 / math.e)
    assert filters.horizon(-alpha) == filters.horizon(alpha)


def test_horizon_at_the_ends():
    assert filters.horizon(0) == 0
    assert filters.horizon(1) == filters.horizon(-1) == filters.horizon(1.001) == math.inf


@settings(deadline=None)
@given(alpha=st.floats(0.05, 0.995), tolerance=st.floats(1e-4, 0.9))
def test_taps_to_match_is_the_smallest_number_that_does(alpha, tolerance):
    k = filters.taps_to_match(alpha, tolerance)
    assert alpha**k <= tolerance * (1 + 1e-6)
    assert k == 1 or alpha ** (k - 1) > tolerance * (1 - 1e-6)


def test_the_missing_share_is_alpha_to_the_number_of_taps():
    kept = filters.impulse_response(0.99, 459).sum()
    assert 1 - kept / filters.dc_gain(0.99) == pytest.approx(0.99**459)


def test_delay_finds_a_known_shift():
    x = noise(200).cumsum()
    assert series.delay(x, np.concatenate([np.zeros(7), x[:-7]]), longest=30) == 7


@pytest.mark.parametrize(
    "call", [filters.dc_gain, filters.bandwidth, lambda a: filters.taps_to_match(a, 0.1)]
)
def test_an_unstable_pole_is_refused_where_nothing_settles(call):
    with pytest.raises(ValueError, match="inside the unit circle"):
        call(1.0)


def test_wrong_shapes_are_named_in_the_error():
    with pytest.raises(ValueError, match=r"\(2, 3\).*expected one row"):
        filters.one_pole(np.zeros((2, 3)), 0.5)
    with pytest.raises(ValueError, match="expected one row each"):
        filters.fir(np.zeros(3), 2.0)


def test_a_tolerance_in_per_cent_is_refused():
    with pytest.raises(ValueError, match=r"one per cent is 0\.01"):
        filters.taps_to_match(0.9, 5)


def test_the_share_price_is_complete():
    days, price = series.google_close()
    assert days.shape == price.shape == (1047,)
    assert np.all(np.diff(days).astype(int) > 0)
    assert np.isfinite(price).all()


@pytest.mark.parametrize("module", [filters, series])
def test_docstring_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
