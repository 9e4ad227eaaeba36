"""The figures of lesson 07 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import plots
from course_utils.depth import paths

LAGS = np.arange(41)
ROWS = [np.array([0.8**LAGS, 0.7**LAGS]), 1.2 ** LAGS[None]]
BOUNDS = [("bound", LAGS, 1.5**LAGS), ("best", LAGS[::10], 1.1 ** LAGS[::10])]
ACROSS = np.array([0.5, 1.0, 2.0])
MEASURED = [np.array([[0.4, 0.5], [0.7, 0.8], [1.1, 1.2]]), np.array([[0.2], [0.3], [0.4]])]
FORMULA = [MEASURED[0].mean(axis=1), MEASURED[1][:, 0]]
AT = np.arange(0, 500, 50)
TRACES = [np.linspace(0.1, 1, 10), np.linspace(0.1, 0.2, 10)]
EVERY_PLOT = [
    lambda: plots.carried(ROWS, ["falls", "rises"], BOUNDS),
    lambda: plots.factor_lines(ACROSS, MEASURED, FORMULA, ["one", "other"], "input", bound=2 * ACROSS),
    lambda: plots.recall_dots([5, 50], [np.array([1.0, 1.0, 0.9]), np.array([0.1, 0.13, 0.12])], 1 / 8),
    lambda: plots.while_training(AT, TRACES, ["T = 5", "T = 50"], "right answers", level=1 / 8),
    lambda: plots.while_training(AT, TRACES, ["T = 5", "T = 50"], "gradient", log=True),
    lambda: plots.stack_paths(4, 3, list(paths(4, 3))[:2]),
    lambda: plots.by_depth([1, 2, 3], MEASURED, ["plain", "residual"], "length"),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_the_thick_line_is_the_geometric_mean_and_each_run_is_a_thin_one():
    ax = plots.carried(ROWS, ["falls", "rises"])
    np.testing.assert_allclose(line(ax, "falls").get_ydata(), np.sqrt(0.8 * 0.7) ** LAGS)
    thin = [drawn.get_ydata() for drawn in ax.lines if drawn.get_linewidth() < 1]
    np.testing.assert_array_equal(thin, ROWS[0])
    assert ax.get_yscale() == "log"


def test_bounds_stand_at_their_own_lags():
    ax = plots.carried(ROWS, ["falls", "rises"], BOUNDS)
    np.testing.assert_array_equal(line(ax, "best").get_xdata(), [0, 10, 20, 30, 40])
    np.testing.assert_array_equal(line(ax, "bound").get_ydata(), 1.5**LAGS)


@pytest.mark.parametrize("power", [2, 17, 40, 90])
def test_a_log_axis_has_a_few_ticks_at_equal_steps_of_whole_powers(power):
    ax = plots.carried([np.linspace(1, power, 41)[None] * 0 + 10.0 ** -np.linspace(0, power, 41)], ["x"])
    powers = np.log10(ax.get_yticks())
    assert 2 <= len(powers) <= 8
    np.testing.assert_allclose(powers, powers.round(), atol=1e-9)
    assert len(set(np.diff(powers).round())) == 1


def test_every_run_has_a_mark_and_every_formula_a_line():
    ax = plots.factor_lines(ACROSS, MEASURED, FORMULA, ["one", "other"], "input")
    marks = line(ax, "one, runs").get_xydata()
    np.testing.assert_array_equal(marks[:, 0], [0.5, 0.5, 1, 1, 2, 2])
    np.testing.assert_array_equal(marks[:, 1], MEASURED[0].ravel())
    np.testing.assert_array_equal(line(ax, "other, formula").get_ydata(), FORMULA[1])


def test_a_high_bound_does_not_squeeze_the_factors():
    ax = plots.factor_lines(ACROSS, MEASURED, FORMULA, ["one", "other"], "input", bound=100 * ACROSS)
    assert ax.get_ylim()[1] == pytest.approx(1.15 * 1.2)
    assert "bound" in [words.get_text() for words in ax.get_legend().get_texts()]


def test_no_two_dots_of_a_distance_coincide_and_none_leaves_its_column():
    ax = EVERY_PLOT[2]()
    across, up = line(ax, "T = 50").get_xydata().T
    np.testing.assert_array_equal(up, [0.1, 0.13, 0.12])
    assert len(set(across.round(6))) == 3
    assert np.abs(across - 1).max() < 0.4
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["5", "50"]


def test_a_path_visits_its_nodes_and_two_paths_do_not_hide_each_other():
    found = list(paths(4, 3))
    ax = plots.stack_paths(4, 3, [found[0], found[1]])
    first, second = (line(ax, f"path {number}, 5 factors").get_xydata() for number in (1, 2))
    np.testing.assert_array_equal(first.round(), found[0])
    np.testing.assert_array_equal(second.round(), found[1])
    assert np.abs(first[0] - second[0]).max() > 0.05
    assert len(line(ax, "4 x 3 states").get_xdata()) == 12


def test_the_grid_has_an_arrow_for_every_neighbour():
    ax = plots.stack_paths(4, 3, [])
    assert len(ax.texts) == 3 * 3 + 4 * 2  # along time, upward


def test_depths_show_the_geometric_mean_and_start_at_zero():
    ax = plots.by_depth([1, 2, 3], MEASURED, ["plain", "residual"], "length")
    np.testing.assert_allclose(line(ax, "plain").get_ydata(), np.sqrt(MEASURED[0].prod(axis=1)))
    assert ax.get_ylim()[0] == 0


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_no_legend_stands_over_the_data(plot):
    ax = plot()
    ax.figure.draw_without_rendering()
    if ax.get_legend():
        assert ax.get_legend().get_window_extent().x0 >= ax.bbox.x1
