"""The figures of lesson 04 are tested by what was drawn and by the text computed from it."""

import re

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, line

from course_utils import plots

GRID = np.linspace(-1, 2, 31)
BOWL = (GRID - 0.5) ** 2 / 2 + (GRID[:, None] - 0.2) ** 2 / 2
PATH = np.array([[0.0, 0.0], [0.3, 0.1], [0.5, 0.2]])
STEPS, RUNS = np.array([0.1, 0.2]), np.array([[1e-9, 1e-8], [1e3, 1e5]])
MEAN = (np.array([0.1, 1, 2.1]), np.array([1e-20, 1e-20, 1e9]))
BOUNDS = {"2 / trace(R)": 0.25, "2 / lambda": 2.0}


def surface(**more):
    names = ["tap 0", "tap 1"]
    return plots.error_surface(GRID, GRID, BOWL, [0.02, 0.5], (0.5, 0.2), names, {"descent": PATH}, **more)


EVERY_PLOT = [
    surface,
    lambda: plots.shrinking([0.9 ** np.arange(40), 0.5 ** np.arange(20.0)], ["slow", "fast"], level=0.37),
    lambda: plots.step_sizes(STEPS, RUNS, MEAN, BOUNDS),
    lambda: plots.poles_learned([[0.2, 0.9, -7.0], [0.2] * 9, [0.2] * 9], ["free", "held", "tanh"], 0.9),
    lambda: plots.echo_left(np.arange(4.0), [[-5, -9, 0, 1], [-20] * 4], ["learns", "frozen"], both=2),
    lambda: plots.waves(100, {"microphone": np.ones(200), "after": np.zeros(200)}),
]


def text(target):
    return plots.bundle(target, "See.")[0]["text/plain"]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


def test_a_surface_says_how_far_each_of_its_contours_reaches():
    words = text(surface())
    told = re.search(r"0\.5 from (\S+) to (\S+) across and (\S+) to (\S+) up", words)
    assert [float(number) for number in told.groups()] == pytest.approx([-0.5, 1.5, -0.8, 1.2], abs=0.01)
    assert "e-1" not in words
    assert "bottom: at 0.5, 0.2" in words


def test_a_contour_that_is_not_in_the_picture_is_not_told():
    ax = plots.error_surface(GRID, GRID, BOWL, [0.5, 99], (0.5, 0.2), ["a", "b"])
    assert "99 from" not in text(ax)


def test_a_path_on_a_surface_is_drawn_as_it_is_and_named():
    ax = surface()
    np.testing.assert_array_equal(line(ax, "descent").get_xydata(), PATH)
    assert [words.get_text() for words in ax.get_legend().get_texts()] == ["descent"]


def test_a_long_path_stays_a_line_and_a_short_one_shows_its_steps():
    long = np.linspace(PATH[0], PATH[2], 200)
    ax = plots.error_surface(GRID, GRID, BOWL, [0.5], (0.5, 0.2), ["a", "b"], {"long": long, "short": PATH})
    assert line(ax, "long").get_marker() in ("", "None")
    assert line(ax, "short").get_marker() == "s"
    assert line(ax, "long").get_linestyle() != line(ax, "short").get_linestyle()


def test_a_zero_has_no_place_on_a_log_axis_and_draws_no_fall():
    ax = plots.shrinking([[0.0, 2.0, 1.0]], ["derivative"])
    assert ax.get_yscale() == "log"
    assert ax.yaxis.get_transform().transform([0.0]) == -np.inf


def test_rows_of_unequal_length_share_an_axis():
    ax = EVERY_PLOT[1]()
    assert len(line(ax, "fast").get_xdata()) == 20
    assert ax.get_xlim() == (0, 40)


def test_bounds_are_upright_guides_with_their_names():
    ax = plots.step_sizes(STEPS, RUNS, MEAN, BOUNDS)
    assert "2 / trace(R): upright at 0.25" in text(ax)
    assert set(BOUNDS) <= {words.get_text() for words in ax.texts}
    assert len(ax.get_legend().get_texts()) == 3


def test_every_single_run_is_a_point_above_its_step():
    (points,) = plots.step_sizes(STEPS, RUNS, MEAN, BOUNDS).collections
    expected = [[0.1, 1e-9], [0.1, 1e-8], [0.2, 1e3], [0.2, 1e5]]
    np.testing.assert_allclose(np.ma.getdata(points.get_offsets()), expected)


def test_a_pole_that_leaves_is_cut_at_the_edge_and_told_in_full():
    ax = EVERY_PLOT[3]()
    assert ax.get_ylim() == (-1.5, 1.5)
    assert "free: 3 points, 0 to 2, first 0.2, last -7" in text(ax)
    assert "unit circle at -1: -1 everywhere" in text(ax)


def test_the_moment_when_both_talk_is_marked():
    assert "both talk from here: upright at 2" in text(EVERY_PLOT[4]())


def test_sounds_are_drawn_over_seconds():
    drawn = line(EVERY_PLOT[5](), "microphone")
    assert drawn.get_xdata()[-1] == pytest.approx(1.99)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_no_text_meets_another_in_the_picture(plot):
    ax = plot()
    ax.figure.draw_without_rendering()
    boxes = [words.get_window_extent() for words in ax.texts if words.get_text()]
    assert not any(one.overlaps(two) for n, one in enumerate(boxes) for two in boxes[:n])
