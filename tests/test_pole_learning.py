"""The gradient of a one-pole filter against SciPy and differences; descent, its guards, and the latch."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils import pole_learning
from course_utils.filters import one_pole

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def task(seed=4, T=300):
    x = np.random.default_rng(seed).normal(size=T)
    return x, one_pole(x, 0.9, 0.5)


@pytest.mark.parametrize("alpha", [-1.0, -0.7, 0.0, 0.9, 0.999, 1.0])
def test_the_derivatives_are_filters_with_a_single_and_a_double_pole(alpha):
    x = np.random.default_rng(1).normal(size=10_000)
    y, by_alpha, by_beta = pole_learning.slope_of_pole(x, alpha, beta=0.5)
    tol = {"rtol": 1e-7, "atol": 1e-7}
    np.testing.assert_allclose(y, signal.lfilter([0.5], [1, -alpha], x), **tol)
    np.testing.assert_allclose(by_alpha, signal.lfilter([0, 0.5], [1, -2 * alpha, alpha**2], x), **tol)
    np.testing.assert_allclose(by_beta, signal.lfilter([1], [1, -alpha], x), **tol)


def test_output_and_derivative_are_a_defective_matrix():
    D = np.array([[0.9, 0], [1, 0.9]])
    y, by_alpha, _ = pole_learning.slope_of_pole(np.eye(1, 60)[0], 0.9)
    for t in (0, 1, 9, 59):
        np.testing.assert_allclose([y[t], by_alpha[t]], np.linalg.matrix_power(D, t) @ [1, 0], rtol=1e-12)


@quick
@given(seeds, st.integers(1, 30), st.floats(-1.05, 1.05), st.floats(-2, 2))
def test_the_gradient_equals_central_differences(rng, T, alpha, beta):
    x, d, h = rng.normal(size=T), rng.normal(size=T), 1e-5
    _, gradient = pole_learning.pole_loss(x, d, alpha, beta)
    for number, (to_alpha, to_beta) in enumerate([(h, 0), (0, h)]):
        up, _ = pole_learning.pole_loss(x, d, alpha + to_alpha, beta + to_beta)
        down, _ = pole_learning.pole_loss(x, d, alpha - to_alpha, beta - to_beta)
        assert gradient[number] == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-5)


def test_the_surface_holds_the_loss_of_each_pair():
    x, d = task(T=20)
    surface = pole_learning.pole_surface(x, d, [0.1, 0.5, 0.9], [0.2, 0.5])
    expected = [[pole_learning.pole_loss(x, d, a, b)[0] for a in (0.1, 0.5, 0.9)] for b in (0.2, 0.5)]
    np.testing.assert_allclose(surface, expected, atol=1e-12)


def test_an_update_goes_down_the_gradient():
    x, d = task()
    path, heights = pole_learning.learn_pole(x, d, (0.2, 0.1), 0.02, updates=1)
    J, gradient = pole_learning.pole_loss(x, d, 0.2, 0.1)
    np.testing.assert_allclose(path[1], [0.2, 0.1] - 0.02 * gradient)
    assert heights[0] == J > heights[1]


def test_the_bottom_is_left_alone():
    x, d = task()
    for guard in ({}, {"limit": 0.95}, {"inside": True}):
        path, heights = pole_learning.learn_pole(x, d, (0.9, 0.5), 0.2, updates=3, **guard)
        np.testing.assert_allclose(path, [[0.9, 0.5]] * 4, atol=1e-9)
        assert heights.max() < 1e-15


def test_a_small_step_arrives_and_a_large_one_leaves_the_circle():
    x, d = task()
    path, heights = pole_learning.learn_pole(x, d, (0.2, 0.1), 0.02, updates=400)
    np.testing.assert_allclose(path[-1], [0.9, 0.5], atol=1e-6)
    path, heights = pole_learning.learn_pole(x, d, (0.2, 0.1), 0.2, updates=400)
    assert len(path) == len(heights) < 60
    assert abs(path[-2, 0]) < 1 < abs(path[-1, 0])


@pytest.mark.parametrize("seed", range(5))
def test_projection_keeps_the_pole_inside_its_limit(seed):
    x, d = task(seed)
    path, _ = pole_learning.learn_pole(x, d, (0.2, 0.1), 0.2, updates=100, limit=0.95)
    assert len(path) == 101
    assert np.abs(path[:, 0]).max() == 0.95


@pytest.mark.parametrize("mu", [0.2, 5.0, 1e4])
def test_tanh_never_leaves_the_circle(mu):
    x, d = task()
    path, _ = pole_learning.learn_pole(x, d, (0.2, 0.1), mu, updates=50, inside=True)
    assert np.abs(path[:, 0]).max() <= 1


def test_tanh_arrives_at_a_step_that_throws_the_free_pole_out():
    x, d = task()
    path, _ = pole_learning.learn_pole(x, d, (0.2, 0.1), 0.2, updates=150, inside=True)
    np.testing.assert_allclose(path[-1], [0.9, 0.5], atol=1e-6)


def test_an_exploded_filter_has_no_finite_gradient_and_raises_no_warning():
    x, d = task()
    J, gradient = pole_learning.pole_loss(x, d, -88.9, 1.0)
    assert math.inf == J
    assert not np.isfinite(gradient).any()


@pytest.mark.parametrize("pulse", [1e-6, 0.1, 1.0])
def test_the_tanh_loop_latches_any_push_with_its_sign(pulse):
    states = pole_learning.tanh_loop(np.append(pulse, np.zeros(200)))
    assert states[-1] == pytest.approx(0.957504, abs=1e-6)
    np.testing.assert_array_equal(pole_learning.tanh_loop(np.append(-pulse, np.zeros(200))), -states)


@pytest.mark.parametrize(("pulse", "end"), [(-1.9, 0.957504), (-1.93, -0.957504)])
def test_a_held_value_gives_way_only_beyond_twice_its_size(pulse, end):
    states = pole_learning.tanh_loop(np.append(pulse, np.zeros(200)), h0=0.957504)
    assert states[-1] == pytest.approx(end, abs=1e-6)


def test_a_small_factor_does_not_latch():
    assert pole_learning.tanh_loop(np.append(5.0, np.zeros(200)), w=0.9)[-1] < 1e-6


def test_no_input_gives_no_output():
    assert [row.shape for row in pole_learning.slope_of_pole([], 0.9)] == [(0,)] * 3
    assert pole_learning.tanh_loop([]).shape == (0,)


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"\(3,\) and d \(2,\), expected one length"):
        pole_learning.pole_loss(np.zeros(3), np.zeros(2), 0.5, 1.0)


def test_docstring_examples_run():
    result = doctest.testmod(pole_learning)
    assert result.attempted > 0
    assert result.failed == 0
