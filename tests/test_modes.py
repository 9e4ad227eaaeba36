"""The matrix recursion and its modes against numpy.linalg and scipy.signal, and by their properties."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils import modes

TOL = {"rtol": 1e-9, "atol": 1e-9}
POLES = {
    "real": [0.95, -0.6, 0.3],
    "one pole twice": [0.9, 0.9],
    "one pole three times": [0.8, 0.8, 0.8],
    "a pair": [0.99 * np.exp(0.3j), 0.99 * np.exp(-0.3j)],
    "a pair twice": [0.9 * np.exp(1j), 0.9 * np.exp(-1j)] * 2,
    "on the circle": [np.exp(0.5j), np.exp(-0.5j)],
}
DEFECTIVE = np.array([[0.9, 1.0], [0.0, 0.9]])
OBLIQUE = np.array([[0.95, 5.0], [0.0, 0.8]])
SPIRAL = np.array([[0.9, 0.3], [-0.3, 0.9]])
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
sizes = st.integers(1, 6)
quick = settings(max_examples=40, deadline=None)
every_pole = pytest.mark.parametrize("poles", POLES.values(), ids=POLES)


def companion(poles):
    """The matrix whose state is the last outputs of the filter with these poles, and how an input enters."""
    A = np.eye(len(poles), k=-1)
    A[0] = -np.poly(poles)[1:].real
    return A, np.eye(len(poles))[:, :1]


@every_pole
def test_states_agree_with_scipy_over_ten_thousand_steps(poles):
    A, B = companion(poles)
    x = np.random.default_rng(0).normal(size=(10_000, 1))
    expected = signal.lfilter([1.0], np.poly(poles).real, x[:, 0])
    states = modes.matrix_states(A, x, B)
    np.testing.assert_allclose(states[:, 0], expected, rtol=1e-7, atol=1e-7)


@quick
@given(rng=seeds, H=sizes, d=sizes, T=st.integers(1, 30))
def test_states_are_the_closed_form(rng, H, d, T):
    A, B, x, h0 = (
        rng.normal(size=(H, H)),
        rng.normal(size=(H, d)),
        rng.normal(size=(T, d)),
        rng.normal(size=H),
    )
    A /= np.linalg.norm(A, 2)
    power = np.linalg.matrix_power
    closed = power(A, T) @ h0 + sum(power(A, i) @ B @ x[T - 1 - i] for i in range(T))
    np.testing.assert_allclose(modes.matrix_states(A, x, B, h0)[-1], closed, **TOL)


@quick
@given(rng=seeds, H=sizes, T=st.integers(0, 40), cut=st.integers(0, 40))
def test_carrying_the_state_over_a_cut_changes_nothing(rng, H, T, cut):
    A, x, h0 = rng.normal(size=(H, H)) / (2 * H), rng.normal(size=(T, H)), rng.normal(size=H)
    first = modes.matrix_states(A, x[:cut], h0=h0)
    second = modes.matrix_states(A, x[cut:], h0=first[-1] if len(first) else h0)
    assert np.array_equal(np.concatenate([first, second]), modes.matrix_states(A, x, h0=h0))


def test_future_inputs_do_not_change_past_states():
    x = np.random.default_rng(1).normal(size=(9, 2))
    changed = x.copy()
    changed[5:] += 100
    assert np.array_equal(modes.matrix_states(SPIRAL, changed)[:5], modes.matrix_states(SPIRAL, x)[:5])


def test_no_input_gives_no_state_and_whole_numbers_are_not_rounded():
    assert modes.matrix_states(SPIRAL, np.zeros((0, 2))).shape == (0, 2)
    assert modes.matrix_states([[0.5]], [[1], [1]]).tolist() == [[1.0], [1.5]]


@pytest.mark.parametrize(
    "arguments",
    [
        (np.zeros((2, 3)), np.zeros((4, 2))),
        (SPIRAL, np.zeros(4)),
        (SPIRAL, np.zeros((4, 3))),
        (SPIRAL, np.zeros((4, 3)), np.zeros((3, 2))),
        (SPIRAL, np.zeros((4, 2)), None, np.zeros(3)),
    ],
)
def test_shapes_that_do_not_fit_are_named(arguments):
    with pytest.raises(ValueError, match=r"A has shape .* expected \(H, H\), \(T, d\), \(H, d\) and \(H,\)"):
        modes.matrix_states(*arguments)


@pytest.mark.parametrize("steps", [0, 1, 17])
def test_a_free_run_is_a_power_of_the_matrix(steps):
    run = modes.free_run(OBLIQUE, [0.3, 1.0], steps)
    assert run.shape == (steps + 1, 2)
    np.testing.assert_allclose(run[-1], np.linalg.matrix_power(OBLIQUE, steps) @ [0.3, 1.0], **TOL)


@quick
@given(rng=seeds, H=sizes)
def test_every_axis_is_only_stretched_and_the_slowest_comes_first(rng, H):
    A = rng.normal(size=(H, H))
    factors, axes = modes.modes(A)
    np.testing.assert_allclose(A @ axes, axes * factors, **TOL)
    assert np.all(np.diff(np.abs(factors)) <= 1e-9)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=0), 1)


@every_pole
def test_the_factors_are_the_poles_repeated_ones_too(poles):
    factors, _ = modes.modes(companion(poles)[0])
    near = (
        1e-3 if len(set(poles)) < len(poles) else 1e-9
    )  # a k-fold pole is lost to the k-th root of rounding
    distances = np.abs(factors[:, None] - np.array(poles))
    assert distances.min(axis=0).max() < near
    assert distances.min(axis=1).max() < near


def test_the_largest_number_of_an_axis_is_positive_and_a_pair_starts_above():
    factors, axes = modes.modes(-SPIRAL)
    assert factors[0].imag > 0
    for A in (SPIRAL, OBLIQUE, -OBLIQUE.T):
        axes = modes.modes(A)[1]
        largest = axes[np.abs(axes).round(9).argmax(axis=0), [0, 1]]
        np.testing.assert_allclose(largest, np.abs(largest), atol=1e-12)


@quick
@given(rng=seeds, H=st.integers(2, 5))
def test_along_the_axes_every_coordinate_evolves_alone(rng, H):
    A, B = rng.normal(size=(H, H)), rng.normal(size=(H, 2))
    A /= np.linalg.norm(A, 2)
    factors, axes = modes.modes(A)
    if np.linalg.cond(axes) > 1e4:
        return
    x = rng.normal(size=(25, 2))
    c = modes.coordinates(modes.matrix_states(A, x, B), axes)
    driven = np.linalg.solve(axes, B @ x.T).T
    alone = [signal.lfilter([1], [1, -f], driven[:, i]) for i, f in enumerate(factors.astype(complex))]
    np.testing.assert_allclose(c, np.transpose(alone), rtol=1e-6, atol=1e-6)


def test_coordinates_are_undone_by_the_axes():
    _, axes = modes.modes(OBLIQUE)
    states = np.random.default_rng(2).normal(size=(7, 2))
    np.testing.assert_allclose(modes.coordinates(states, axes) @ axes.T, states, **TOL)


def test_a_defective_matrix_has_no_coordinates():
    with pytest.raises(ValueError, match="is the matrix defective"):
        modes.coordinates([0, 1], modes.modes(DEFECTIVE)[1])


@quick
@given(rng=seeds, H=sizes)
def test_the_spectral_radius_agrees_with_numpy(rng, H):
    A = rng.normal(size=(H, H))
    assert modes.spectral_radius(A) == pytest.approx(max(abs(np.linalg.eigvals(A))))


@pytest.mark.parametrize(
    "A", [SPIRAL, OBLIQUE, DEFECTIVE, -OBLIQUE], ids=["spiral", "oblique", "defective", "-"]
)
def test_in_the_end_a_step_multiplies_by_the_spectral_radius(A):
    size = modes.lengths(modes.free_run(A, [0.2, 1.0], 1000))
    assert size[1000] / size[999] == pytest.approx(modes.spectral_radius(A), rel=1.1e-3)


def test_a_matrix_has_to_be_square():
    with pytest.raises(ValueError, match=r"\(2, 3\), expected a square matrix"):
        modes.modes(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="expected a square matrix"):
        modes.spectral_radius(np.zeros((0, 0)))


@pytest.mark.parametrize(
    ("factor", "steps"), [(0.9, math.inf), (-0.5, 2), (1j, 4), (-0.3j, 4), (0, math.inf)]
)
def test_periods(factor, steps):
    assert modes.period(factor) == pytest.approx(steps)


@quick
@given(radius=st.floats(0.2, 1.05), angle=st.floats(0, np.pi))
def test_a_swing_is_what_the_pair_answers_to_an_impulse(radius, angle):
    poles, t = radius * np.exp(1j * angle), np.eye(1, 40)[0]
    expected = signal.lfilter([1, -poles.real], [1, -2 * poles.real, radius**2], t)
    np.testing.assert_allclose(modes.swing(radius, angle, 39), expected, rtol=1e-7, atol=1e-7)


@quick
@given(rng=seeds, H=sizes, steps=st.integers(0, 12))
def test_the_largest_growth_agrees_with_numpy_and_no_start_exceeds_it(rng, H, steps):
    A = rng.normal(size=(H, H))
    growth = modes.largest_growth(A, steps)
    expected = [np.linalg.norm(np.linalg.matrix_power(A, t), 2) for t in range(steps + 1)]
    np.testing.assert_allclose(growth, expected, rtol=1e-7)
    start = rng.normal(size=H)
    size = modes.lengths(modes.free_run(A, start / np.linalg.norm(start), steps))
    assert np.all(size <= growth * (1 + 1e-9))


@pytest.mark.parametrize("A", [np.array([[0.8, 0.1], [0.1, 0.7]]), SPIRAL], ids=["symmetric", "spiral"])
def test_axes_at_right_angles_let_nothing_grow(A):
    rho = modes.spectral_radius(A)
    np.testing.assert_allclose(modes.largest_growth(A, 50), rho ** np.arange(51), **TOL)


@pytest.mark.parametrize(("A", "peak"), [(DEFECTIVE, 3.89), (OBLIQUE, 16.53)], ids=["defective", "oblique"])
def test_the_lessons_two_matrices_grow_until_step_nine(A, peak):
    size = modes.lengths(modes.free_run(A, [0, 1], 200))
    assert size.argmax() == 9
    assert size.max() == pytest.approx(peak, abs=0.01)


@given(first=st.floats(0.5, 1), second=st.floats(-0.4, 0.4), apart=st.floats(1, 90))
def test_axes_stand_as_far_apart_as_was_asked(first, second, apart):
    factors, axes = modes.modes(modes.with_axes(first, second, apart))
    np.testing.assert_allclose(factors, [first, second], atol=1e-12)
    assert abs(axes[:, 0] @ axes[:, 1]) == pytest.approx(math.cos(math.radians(apart)), abs=1e-9)


@pytest.mark.parametrize("apart", [0, -10, 91])
def test_an_angle_out_of_range_is_refused(apart):
    with pytest.raises(ValueError, match="above 0 and up to 90"):
        modes.with_axes(0.9, 0.5, apart)


def test_docstring_examples_run():
    result = doctest.testmod(modes)
    assert result.attempted > 0
    assert result.failed == 0
