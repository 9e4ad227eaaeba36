"""The references of exercise 03 against SciPy, NumPy's powers and the properties of a linear recursion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, signal

from course_utils.reference.ex03 import linear_states, mode_table, power_by_modes, slowest_horizon

TOLERANCE = {"rtol": 1e-7, "atol": 1e-9}
SPIRAL = np.array([[0.9, 0.3], [-0.3, 0.9]])
sizes = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
quick = settings(max_examples=40, deadline=None)


def positive(rng, H):
    """A matrix with positive factors and oblique axes."""
    V = np.eye(H) + np.triu(rng.uniform(0.2, 1, size=(H, H)), 1)
    return V @ np.diag(np.linspace(0.3, 0.95, H)) @ np.linalg.inv(V)


@quick
@given(seeds, sizes, sizes, sizes, st.integers(1, 9))
def test_states_equal_a_simulated_linear_system(rng, N, H, d, T):
    A, B = rng.normal(size=(H, H)) / 2, rng.normal(size=(H, d))
    x, h0 = rng.normal(size=(N, T, d)), rng.normal(size=(N, H))
    states = linear_states(A, B, x, h0)
    for n in range(N):
        system = (A, B, A, B, 1.0)  # its output is the state after the input
        _, expected, _ = signal.dlsim(system, x[n], x0=h0[n])
        np.testing.assert_allclose(states[n], expected, **TOLERANCE)


@pytest.mark.parametrize(
    "poles", [[0.9, 0.9], [0.99 * np.exp(0.3j), 0.99 * np.exp(-0.3j)]], ids=["twice", "pair"]
)
def test_states_equal_lfilter_over_ten_thousand_steps(poles):
    a = np.poly(poles).real
    A, x = np.array([-a[1:], [1, 0]]), np.random.default_rng(0).normal(size=(1, 10_000, 1))
    states = linear_states(A, [[1], [0]], x)
    np.testing.assert_allclose(states[0, :, 0], signal.lfilter([1], a, x[0, :, 0]), rtol=1e-7, atol=1e-7)


@quick
@given(seeds, sizes, sizes, st.integers(2, 9), st.data())
def test_a_carried_state_joins_two_halves(rng, N, H, T, data):
    A, B, x = rng.normal(size=(H, H)) / 2, rng.normal(size=(H, 2)), rng.normal(size=(N, T, 2))
    cut = data.draw(st.integers(1, T - 1))
    first = linear_states(A, B, x[:, :cut])
    second = linear_states(A, B, x[:, cut:], first[:, -1])
    np.testing.assert_allclose(np.hstack([first, second]), linear_states(A, B, x), **TOLERANCE)


def test_permuted_sequences_permute_the_states():
    rng = np.random.default_rng(1)
    x, h0, order = rng.normal(size=(4, 7, 2)), rng.normal(size=(4, 2)), [2, 0, 3, 1]
    states = linear_states(SPIRAL, np.eye(2), x, h0)
    np.testing.assert_allclose(linear_states(SPIRAL, np.eye(2), x[order], h0[order]), states[order])


def test_states_ignore_future_inputs():
    x = np.random.default_rng(2).normal(size=(3, 8, 2))
    changed = x.copy()
    changed[:, 5:] += 1.0
    before, after = (linear_states(SPIRAL, np.eye(2), inputs)[:, :5] for inputs in (x, changed))
    np.testing.assert_array_equal(before, after)


def test_no_steps_give_no_states():
    assert linear_states(SPIRAL, np.ones((2, 3)), np.zeros((4, 0, 3))).shape == (4, 0, 2)


def test_states_of_the_worked_example():
    states = linear_states([[0.5, 1], [0, 0.5]], [[0], [1]], [[[2], [0], [1]]], [[1, 0]])
    assert states.tolist() == [[[0.5, 2.0], [2.25, 1.0], [2.125, 1.5]]]


@quick
@given(seeds, sizes)
def test_the_table_rebuilds_the_characteristic_polynomial(rng, H):
    A = rng.normal(size=(H, H))
    radius, angle, _, _ = mode_table(A)
    for z in (1.5, -0.7):  # |det(z - A)| is the product of the distances to the eigenvalues
        product = np.prod(np.abs(z - radius * np.exp(1j * angle)))
        assert product == pytest.approx(abs(np.linalg.det(z * np.eye(H) - A)), rel=1e-6, abs=1e-9)
    assert np.all(np.diff(radius) <= 0)


def test_after_one_horizon_a_share_of_one_over_e_is_left_and_after_one_period_the_direction_is_back():
    radius, angle, period, horizon = mode_table(SPIRAL)
    np.testing.assert_allclose(radius**horizon, 1 / np.e)
    np.testing.assert_allclose(np.exp(1j * angle * period), 1)
    np.testing.assert_allclose([radius, period], [[0.9487] * 2, [19.528] * 2], rtol=1e-4)


def test_the_table_at_its_ends():
    radius, angle, period, horizon = mode_table(np.diag([0.0, 1.0, -1.2]))
    assert radius.tolist() == [1.2, 1.0, 0.0]
    np.testing.assert_allclose(angle, [np.pi, 0, 0])
    assert period.tolist() == [2.0, np.inf, np.inf]
    assert horizon.tolist() == [np.inf, np.inf, 0.0]


def test_the_table_of_the_worked_example():
    expected = [[0.9, 0.9], [np.pi / 2, np.pi / 2], [4, 4], [9.4912, 9.4912]]
    np.testing.assert_allclose(mode_table([[0, 0.9], [-0.9, 0]]), expected, rtol=1e-4)


@quick
@given(seeds, sizes, st.integers(-3, 9))
def test_whole_powers_equal_matrix_power(rng, H, t):
    A = positive(rng, H)
    np.testing.assert_allclose(power_by_modes(A, t), np.linalg.matrix_power(A, t), **TOLERANCE)


@quick
@given(seeds, sizes, st.floats(-1, 3))
def test_fractional_powers_equal_scipy(rng, H, t):
    A = positive(rng, H)
    np.testing.assert_allclose(power_by_modes(A, t), linalg.fractional_matrix_power(A, t), **TOLERANCE)


@pytest.mark.parametrize("t", [0.5, 2.25, -1.5])
def test_fractional_powers_of_a_spiral_turn_by_the_fraction(t):
    expected = linalg.expm(t * linalg.logm(SPIRAL))
    np.testing.assert_allclose(power_by_modes(SPIRAL, t), expected.real, **TOLERANCE)


def test_parts_of_a_step_add_up():
    parts = power_by_modes(SPIRAL, 0.3) @ power_by_modes(SPIRAL, 0.7)
    np.testing.assert_allclose(parts, SPIRAL, **TOLERANCE)


def test_the_power_of_the_worked_example():
    half = power_by_modes([[0.8, 0.1], [0.1, 0.8]], 0.5)
    np.testing.assert_allclose(half, [[0.8927, 0.0560], [0.0560, 0.8927]], atol=5e-5)


@quick
@given(seeds, st.integers(2, 7))
def test_the_slowest_horizon_is_the_slope_of_the_length_in_the_end(rng, H):
    A = rng.normal(size=(H, H))
    A *= 0.9 / np.abs(np.linalg.eigvals(A)).max()
    far, farther = (np.linalg.norm(np.linalg.matrix_power(A, t)) for t in (200, 2000))
    assert slowest_horizon(A) == pytest.approx(1800 / np.log(far / farther), rel=0.03)


@pytest.mark.parametrize(("A", "steps"), [([[1.1]], np.inf), ([[-1.0]], np.inf), ([[0, 1], [0, 0]], 0)])
def test_the_slowest_horizon_at_its_ends(A, steps):
    assert slowest_horizon(A) == steps


def test_the_slowest_horizon_of_the_worked_example():
    assert slowest_horizon([[0.5, 3], [0, -0.8]]) == pytest.approx(4.4814, abs=1e-4)
