"""The dials of lesson 04: every control is moved over its corners; picture and words follow."""

import itertools
import re

import numpy as np
import pytest
from dials import png, set_to

from course_utils import widgets_adaptive
from course_utils.adaptive import lms
from course_utils.filters import fir, one_pole
from course_utils.scenes_adaptive import inside_picture

X = np.random.default_rng(4).normal(size=300)
D = one_pole(X, 0.9, 0.5)


def pole_walk():
    return widgets_adaptive.pole_walk(X, D, bottom=(0.9, 0.5))


DIALS = [widgets_adaptive.step_dial, pole_walk]


def corners(control):
    if hasattr(control, "min"):
        return [control.min, round((control.min + control.max) / 2, 2), control.max]
    return [value for _, value in control.options]


@pytest.mark.parametrize("make", DIALS)
def test_every_combination_of_corners_draws_and_says_numbers(make):
    dial = make()
    for values in itertools.product(*map(corners, dial.controls.values())):
        words = set_to(dial, **dict(zip(dial.controls, values, strict=True)))
        assert png(dial).startswith(b"\x89PNG")
        assert not re.search(r"\bnan\b", words)


@pytest.mark.parametrize("make", DIALS)
def test_every_control_changes_the_picture_and_the_words(make):
    dial = make()
    for control in dial.controls.values():
        before = (png(dial), dial.alt)
        control.value = corners(control)[-1]
        assert png(dial) != before[0]
        assert dial.alt != before[1]


@pytest.mark.parametrize("make", DIALS)
def test_coming_back_gives_the_same_picture_of_the_same_size(make):
    dial = make()
    before, start = dial.picture.value, dial.controls["mu"].value
    set_to(dial, mu=0.15)
    assert re.search(r'width="\d+" height="\d+"', before)[0] in dial.picture.value
    set_to(dial, mu=start)
    assert dial.picture.value == before


@pytest.mark.parametrize("make", DIALS)
def test_every_control_has_a_description_and_the_picture_its_words(make):
    dial = make()
    assert all(control.description for control in dial.controls.values())
    assert 'alt="Step 0.15' in (set_to(dial, mu=0.15) and dial.picture.value)


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
