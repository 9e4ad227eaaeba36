"""The dials of lesson 03 say and draw their numbers."""

import itertools

import numpy as np
import pytest
from dials import set_to

from course_utils import modes, widgets_modes


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"radius": 0.95, "angle": 18}, "horizon 19.5 steps; period 20 steps; 0.358 is left after one turn"),
        ({"radius": 0.9, "angle": 90}, "horizon 9.491 steps; period 4 steps; 0.656 is left"),
        ({"radius": 0.9, "angle": 9}, "period 40 steps; 0.0148 is left"),
        ({"radius": 0.9, "angle": 0}, "it does not turn, the two factors are one real number"),
        ({"radius": 0.9, "angle": 180}, "The sign flips at every step"),
        ({"radius": 1.0, "angle": 20}, "no decay, the horizon is infinite; period 18 steps; 1 is left"),
        ({"radius": 1.02, "angle": 90}, "1.08 is left after one turn"),
    ],
)
def test_the_mode_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_modes.mode_dial(), **values)


def test_the_angle_moves_the_swing_and_leaves_the_envelope():
    dial = widgets_modes.mode_dial()
    envelope, swing = (dial.scene[name].get_ydata().copy() for name in ("upper", "swing"))
    set_to(dial, angle=60)
    np.testing.assert_array_equal(dial.scene["upper"].get_ydata(), envelope)
    assert not np.allclose(dial.scene["swing"].get_ydata(), swing)


def test_the_pair_stands_at_its_radius_and_angle():
    dial = widgets_modes.mode_dial()
    set_to(dial, radius=0.5, angle=90)
    np.testing.assert_allclose(dial.scene["pair"].get_xydata(), [[0, 0.5], [0, -0.5]], atol=1e-12)


@pytest.mark.parametrize("radius", [0.5, 0.95, 1.0, 1.02])
def test_the_swing_stays_inside_its_panel(radius):
    dial = widgets_modes.mode_dial()
    set_to(dial, radius=radius, angle=40)
    swing = dial.scene["swing"]
    assert np.abs(swing.get_ydata()).max() < swing.axes.get_ylim()[1]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"apart": 90}, "the largest singular value is 0.95; the state is never longer than at the start"),
        ({"apart": 27}, "never longer"),
        ({"apart": 26}, "grows 1.03-fold until step 8, then it decays"),
        ({"apart": 2}, "the largest singular value is 4.47; the state grows 14.2-fold until step 9"),
        ({"apart": 2, "second": 0.9}, "grows 7.43-fold"),
        ({"apart": 2, "second": 0.945}, "grows 1.1-fold"),
        ({"apart": 2, "second": 0.95}, "never longer"),
        ({"apart": 2, "first": 1.02}, "its longest so far"),
    ],
)
def test_the_axes_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_modes.axes_dial(), **values)


def test_the_axes_dial_draws_the_run_and_the_largest_growth():
    scene = widgets_modes.axes_dial(apart=10).scene
    A = modes.with_axes(0.95, 0.8, 10)
    np.testing.assert_allclose(scene["path"].get_xydata(), modes.free_run(A, (0, 1), 80))
    np.testing.assert_allclose(scene["length"].get_ydata(), modes.lengths(modes.free_run(A, (0, 1), 80)))
    np.testing.assert_allclose(scene["largest"].get_ydata(), modes.largest_growth(A, 80))


def test_the_second_axis_is_an_axis_of_the_matrix():
    scene = widgets_modes.axes_dial(apart=30).scene
    end = scene["second axis"].get_xydata()[1]
    np.testing.assert_allclose(modes.with_axes(0.95, 0.8, 30) @ end, 0.8 * end)


def test_the_legend_of_the_axes_dial_meets_no_curve():
    dial = widgets_modes.axes_dial()
    box_of = next(ax for ax in dial.scene.figure.axes if ax.get_legend())
    for first, second, apart in itertools.product([0.5, 0.95, 1.02], [0.0, 0.8, 1.0], [2, 10, 90]):
        set_to(dial, first=first, second=second, apart=apart)
        box = box_of.get_legend().get_window_extent()
        for name in ("length", "largest"):
            assert not box.count_contains(box_of.transData.transform(dial.scene[name].get_xydata()))
