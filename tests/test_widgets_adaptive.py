"""The dials of lesson 04 say and draw their numbers."""

import numpy as np
import pytest
from dials import pole_walk, set_to

from course_utils import widgets_adaptive
from course_utils.adaptive import lms
from course_utils.filters import fir
from course_utils.scenes_adaptive import inside_picture


@pytest.mark.parametrize("make", [widgets_adaptive.step_dial, pole_walk])
def test_the_words_begin_with_the_step(make):
    assert set_to(make(), mu=0.15).startswith("Step 0.15")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mu": 0.05}, "below 2 / lambda_max = 2;"),
        ({"mu": 0.05}, "2 / trace(R) = 0.25 or before: 5 of 5 came closer"),
        ({"mu": 0.25}, "it is at less than 1e-12 of the first distance"),
        ({"mu": 0.3}, "0 of 5 came closer"),
        ({"mu": 2.1}, "it is at more than a million times the first distance"),
        ({"mu": 0.05, "colour": 0.9}, "lambda_max = 0.322; after 200 samples it is at 0.36 of"),
        ({"mu": 0.1, "colour": 0.9}, "2 of 5 came closer"),
    ],
)
def test_the_step_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_adaptive.step_dial(), **values)


def test_the_runs_of_the_step_dial_are_lms():
    runs = widgets_adaptive._distances(widgets_adaptive._windows_of_runs(0.0), np.ones(8), 0.1)
    x = np.random.default_rng(2).normal(size=200)  # the third run
    weights, _ = lms(x, fir(x, np.ones(8)), 8, 0.1)
    np.testing.assert_allclose(runs[2][1:], np.linalg.norm(weights - 1, axis=1), rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mu": 0.02}, "After 200 updates the pole is 0.8999"),
        ({"mu": 0.2}, "Update 14 crosses the unit circle, from 0.985 to -88.9"),
        ({"mu": 0.025, "alpha": 0.95}, "the walk ends after 3 updates"),
        ({"mu": 0.2, "guard": "put back to 0.95"}, "the largest pole on the way was 0.95 in size"),
        ({"mu": 0.2, "guard": "learn a in alpha = tanh(a)"}, "the pole is 0.9, the gain 0.5"),
        ({"mu": 0.1, "alpha": -0.9, "guard": "learn a in alpha = tanh(a)"}, "the pole is -0.74"),
    ],
)
def test_the_pole_walk_says_where_it_ends(values, words):
    assert words in set_to(pole_walk(), **values)


def test_the_pole_walk_starts_where_the_slider_says():
    dial = pole_walk()
    set_to(dial, alpha=-0.5)
    assert dial.scene["start"].get_xydata().tolist() == [[-0.5, 0.1]]
    assert dial.scene["path"].get_xydata()[0].tolist() == [-0.5, 0.1]


def test_what_does_not_fit_on_a_log_axis_stands_just_beyond_it():
    shown = inside_picture([np.nan, np.inf, 1e99, 1.0, 0.0], 1e-6, 1e6)
    assert shown.tolist() == [1e7, 1e7, 1e7, 1.0, 1e-7]


def test_the_legend_of_the_step_dial_stands_beside_the_curves():
    (ax,) = widgets_adaptive.step_dial().scene.figure.axes
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1
