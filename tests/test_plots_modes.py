"""The figures of lesson 03 are tested by what was drawn."""

import itertools

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import modes, plots

SPIRAL = np.array([[0.9, 0.3], [-0.3, 0.9]])
COUPLED = np.array([[0.8, 0.1], [0.1, 0.8]])
PATH = modes.free_run(COUPLED, (1, 0), 12)
ROWS = [0.9 ** np.arange(20.0), -(0.5 ** np.arange(20.0))]
LABELS = ["factor 0.9", "factor 0.5"]
EVERY_PLOT = [
    lambda: plots.phase_plane([PATH, -PATH], modes.modes(COUPLED)[1], ["0.9", "0.7"], "two runs"),
    lambda: plots.over_time(ROWS, LABELS, level=0.1),
    lambda: plots.swings([modes.swing(0.9, 0.3, 40)], [modes.swing(0.9, 0, 40)], ["pair"]),
    lambda: plots.eigenvalue_plane([0.5, 0.9j, -0.9j], "three"),
    lambda: plots.stretched_circles([SPIRAL, COUPLED], ["spiral", "coupled"]),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_a_path_is_drawn_from_its_start_on_and_the_start_is_an_open_square():
    ax = plots.phase_plane([PATH])
    np.testing.assert_array_equal(line(ax, "from (1, 0)").get_xydata(), PATH)
    (square,) = (drawn for drawn in ax.lines if drawn.get_marker() == "s")
    assert square.get_xydata().tolist() == [[1, 0]]
    assert square.get_markerfacecolor() == "white"


def test_an_axis_runs_through_zero_in_its_direction_and_carries_its_factor():
    ax = plots.phase_plane([PATH], modes.modes(COUPLED)[1], ["0.9", "0.7"])
    start, end = line(ax, "axis (0.71, -0.71), factor 0.7").get_xydata()
    np.testing.assert_allclose(start, -end)
    assert end[0] == pytest.approx(-end[1])
    assert [words.get_text() for words in ax.texts] == ["0.9", "0.7"]


@pytest.mark.parametrize("A", [COUPLED, np.array([[1.1, 0.2], [0.2, 0.7]]), np.diag([0.5, 0.9])])
def test_the_name_of_an_axis_stands_beside_it_and_inside_the_picture(A):
    ax = plots.phase_plane([PATH], modes.modes(A)[1], ["0.9", "0.7"])
    ax.figure.draw_without_rendering()
    dashed = [drawn for drawn in ax.lines if drawn.get_linestyle() == "--"]
    for words, drawn in zip(ax.texts, dashed, strict=True):
        box = words.get_window_extent()
        along = np.linspace(*drawn.get_xydata(), 4000)
        assert not box.count_contains(ax.transData.transform(along))
        assert ax.bbox.count_contains(box.get_points()) == 2


def test_the_plane_has_the_same_unit_both_ways():
    for ax in (EVERY_PLOT[0](), EVERY_PLOT[3](), EVERY_PLOT[4]()):
        assert ax.get_aspect() == 1


def test_sizes_over_time_are_drawn_on_a_log_axis_from_step_zero():
    ax = plots.over_time(ROWS, LABELS, what="coordinate")
    assert (ax.get_yscale(), ax.get_ylabel()) == ("log", "coordinate")
    assert line(ax, "factor 0.5").get_xdata()[0] == 0
    np.testing.assert_array_equal(line(ax, "factor 0.5").get_ydata(), -ROWS[1])


def test_curves_over_time_are_named_at_their_ends_or_in_a_legend_without_the_guide():
    assert [words.get_text() for words in plots.over_time(ROWS, LABELS).texts] == LABELS[::-1]
    legend = plots.over_time(ROWS, LABELS, level=0.1, legend="lower left").get_legend()
    assert [words.get_text() for words in legend.get_texts()] == LABELS


def test_a_swing_stays_between_its_envelopes():
    sizes = [modes.swing(0.9, 0, 40), modes.swing(0.99, 0, 40)]
    rows = [modes.swing(0.9, 0.3, 40), modes.swing(0.99, 0.3, 40)]
    ax = plots.swings(rows, sizes, ["short", "long"])
    np.testing.assert_array_equal(line(ax, "envelope, long").get_ydata(), sizes[1])
    np.testing.assert_array_equal(line(ax, "long").get_ydata(), rows[1])
    assert line(ax, "short").get_linestyle() != line(ax, "long").get_linestyle()
    assert sum(np.array_equal(drawn.get_ydata(), -sizes[0]) for drawn in ax.lines) == 1


def test_eigenvalues_stand_where_they_are():
    (dots,) = plots.eigenvalue_plane([0.5, 0.9j, -0.9j]).collections
    np.testing.assert_allclose(dots.get_offsets(), [[0.5, 0], [0, 0.9], [0, -0.9]])


def test_a_circle_is_stretched_by_the_largest_singular_value():
    oblique = np.array([[0.95, 5.0], [0.0, 0.8]])
    ellipse = line(plots.stretched_circles([oblique], ["N"]), "N").get_xydata()
    assert np.linalg.norm(ellipse, axis=1).max() == pytest.approx(np.linalg.norm(oblique, 2), rel=1e-3)


def test_the_legend_of_the_circles_meets_no_curve():
    ax = plots.stretched_circles(
        [np.diag([0.95, 0.8]), np.array([[0.95, 5.0], [0.0, 0.8]])], ["90°", "1.7° (N)"]
    )
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    curves = [drawn for drawn in ax.lines if len(drawn.get_xdata()) > 100]
    assert not any(box.count_contains(ax.transData.transform(drawn.get_xydata())) for drawn in curves)


def test_three_square_panels_keep_their_titles_inside_the_picture():
    squares = plots.panels(3, width=3.3)
    assert squares[0].figure.get_size_inches().tolist() == [pytest.approx(9.9), 3]
    for ax, name in itertools.zip_longest(squares, ["random", "orthogonal", "identity"]):
        plots.eigenvalue_plane([1.0], name, ax=ax)
    ax.figure.draw_without_rendering()
    texts = [text for ax in squares for text in (ax.title, ax.xaxis.label)]
    assert all(ax.figure.bbox.count_contains(text.get_window_extent().get_points()) == 2 for text in texts)
