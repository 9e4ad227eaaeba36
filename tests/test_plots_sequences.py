"""The figures of lesson 01: what was drawn, and that nothing is hidden."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, line

from course_utils import plots
from course_utils.plots_sequences import READERS, dependence_lines

SCORES = {name: np.linspace(1, 0.5, 4) for name in READERS}
EVERY_PLOT = [
    lambda: plots.length_spread([np.array([1, 4, 9]), np.array([2, 2, 30])], ["a", "b"]),
    lambda: plots.padded([3, 9, 2, 4, 1], 2),
    lambda: plots.shuffled({"mean": (1.0, np.ones(9)), "last": (2.0, np.arange(9.0))}),
    lambda: plots.dependence(3, [1, 2], np.arange(7)),
    lambda: plots.moves([np.ones(5), np.arange(5.0)], ["one", "two"]),
    lambda: plots.accuracies([1, 4, 9, 20], SCORES, "place", trained=(1, 4), legend=True),
]


def heights(ax, label):
    (bars,) = (bars for bars in ax.containers if bars.get_label() == label)
    return [bar.get_height() for bar in bars]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


def test_every_plot_takes_axes_and_draws_on_them():
    left, right = plots.panels(2)
    assert plots.dependence(2, [1], ax=right) is right
    assert not left.lines


def test_a_length_spread_rises_to_one_and_has_half_at_the_median():
    ax = plots.length_spread([np.arange(1, 100)], ["rows"])
    steps, shares = line(ax, "rows").get_data()
    assert np.all(np.diff(shares) >= 0)
    assert shares[-1] == 1
    assert np.interp(50, steps, shares) == pytest.approx(50 / 99, abs=0.01)


def test_every_row_is_padded_to_the_longest_of_its_batch():
    ax = plots.padded([3, 9, 2, 4, 1], 2)
    assert heights(ax, "real steps") == [3, 9, 2, 4, 1]
    assert heights(ax, "padded to") == [9, 9, 4, 4, 1]


def test_the_answers_to_shuffles_stand_beside_the_answer_to_the_row():
    ax = plots.shuffled({"mean": (1.0, np.ones(9)), "last": (2.0, np.arange(9.0))})
    assert set(line(ax, "last, as it is").get_ydata()) == {2.0}
    clouds = {cloud.get_label(): cloud.get_offsets()[:, 1] for cloud in ax.collections}
    assert clouds["last, shuffled"].tolist() == list(range(9))


def test_dependence_lines_lead_from_every_unit_to_its_taps():
    lines, units = dependence_lines(2, [1, 3])
    ends = {(-a, -b) for (a, b, _) in lines[0].reshape(-1, 3).tolist()}
    assert ends == {(0, 0), (1, 0), (3, 3), (4, 3), (3, 0)}
    assert sorted(map(tuple, units.T.tolist())) == [(-3, 1), (0, 1), (0, 2)]


def test_inputs_that_count_are_green_squares_on_the_lowest_line():
    ax = plots.dependence(2, [1, 3], [0, 1, 3, 4])
    (cloud,) = ax.collections
    assert cloud.get_offsets().tolist() == [[0, 0], [-1, 0], [-3, 0], [-4, 0]]
    assert [words.get_text() for words in ax.get_yticklabels()] == ["inputs", "1", "2"]


def test_moves_are_drawn_against_age_from_zero():
    drawn = line(plots.moves([np.arange(5.0)], ["stack"]), "stack")
    assert drawn.get_xdata().tolist() == list(range(5))
    assert drawn.get_ydata().tolist() == list(range(5))


def test_each_reader_has_a_colour_a_marker_and_a_dash_of_its_own():
    drawn = [line(plots.accuracies([1, 4, 9, 20], SCORES, "place"), name) for name in READERS]
    for look in ("get_color", "get_marker", "get_linestyle"):
        assert len({getattr(curve, look)() for curve in drawn}) == len(READERS)


def test_chance_is_marked_and_the_trained_places_are_shaded():
    ax = plots.accuracies([1, 4, 9, 20], SCORES, "place", trained=(1, 4))
    assert set(line(ax, "chance").get_ydata()) == {0.5}
    assert ax.patches[0].get_extents().bounds[0] == pytest.approx(ax.transData.transform((1, 0))[0])


def test_the_legend_stands_outside_the_curves():
    ax = plots.accuracies([1, 4, 9, 20], SCORES, "place", legend=True)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1
    assert ax.get_legend().get_window_extent().x1 <= ax.figure.bbox.x1
