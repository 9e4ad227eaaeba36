"""The figures of lesson 09 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import plots
from course_utils.intervals import wilson

LINE = 0.7 ** np.arange(9.0)[::-1]
OTHERS = np.append(0.8 ** np.arange(8.0)[::-1], 0.0)
SCORES = {"RNN": {5: [1.0, 0.9], 20: [0.1]}, "LSTM": {5: [1.0], 50: [1.0, 0.12]}}
COUNTS = {"lecture": (2, 3), "LSTM": (5, 16), "GRU": (0, 8)}
TABLE = np.array([[8, 2, 0], [0, 5, 5], [0, 0, 10]])
WORDS = ["the", "keys", "to", "the"]
GATES = {"f": [0.7, 0.9, 0.9, 0.9], "i": [0.5, 0.4, 0.9, 0.9], "o": [0.2, 0.3, 0.9, 1.0]}
ROWS = [np.arange(4.0), -np.arange(4.0)]
EVERY_PLOT = [
    lambda: plots.two_ways(LINE, LINE + OTHERS, OTHERS),
    lambda: plots.recall_by_distance(SCORES, 0.125),
    lambda: plots.shares(COUNTS),
    lambda: plots.accuracy_over_updates([0, 50, 100], [[0.1, 0.4, 1], [0.1, 0.1, 0.2]], ["a", "b"], [0.25]),
    lambda: plots.confusions(TABLE, "seed 3"),
    lambda: plots.gates_by_word(GATES, WORDS),
    lambda: plots.cell_values(ROWS, ["key", "keys"], words=WORDS),
    lambda: plots.cell_values(ROWS, ["A", "B"], offered=np.ones(4)),
]


def cloud(ax, label):
    return next(cloud for cloud in ax.collections if cloud.get_label().startswith(label))


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_the_ways_of_a_gradient_are_drawn_against_the_steps_between():
    ax = plots.two_ways(LINE, LINE + OTHERS, OTHERS)
    along = line(ax, "along the cell")
    assert (along.get_xdata()[0], along.get_ydata()[0]) == (0, 1)
    np.testing.assert_array_equal(along.get_ydata(), LINE[::-1])
    assert ax.get_yscale() == "log"


def test_over_no_step_at_all_no_line_falls_to_the_floor():
    ax = plots.two_ways(LINE, LINE + OTHERS, OTHERS)
    ax.figure.draw_without_rendering()
    drawn = ax.transData.transform(line(ax, "all other ways").get_xydata())
    assert not np.isfinite(drawn[0]).all()


def test_every_run_is_a_mark_above_its_length():
    ax = plots.recall_by_distance(SCORES, 0.125)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["5", "20", "50"]
    across, up = cloud(ax, "RNN").get_offsets().T
    assert up.tolist() == [1.0, 0.9, 0.1]
    assert across.round().tolist() == [0, 0, 1]


def test_cells_stand_apart_at_the_same_length():
    ax = plots.recall_by_distance(SCORES, 0.125)
    rnn, lstm = (cloud(ax, name).get_offsets() for name in ("RNN", "LSTM"))
    assert lstm[0, 0] - rnn[:2, 0].max() > 0.1


def test_a_share_stands_inside_its_interval_and_its_name_holds_the_counts():
    ax = plots.shares(COUNTS)
    assert [tick.get_text() for tick in ax.get_xticklabels()][1] == "LSTM\n5 of 16"
    for drawn, (won, runs) in zip(ax.lines, COUNTS.values(), strict=True):
        low, high = wilson(won, runs)
        assert list(drawn.get_ydata()) == [low, won / runs, high]


def test_the_dot_of_a_share_is_the_share_and_not_an_end_of_the_interval():
    assert all(drawn.get_markevery() == [1] for drawn in plots.shares(COUNTS).lines)


def test_confusions_are_shares_of_each_truth():
    (image,) = plots.confusions(TABLE).images
    np.testing.assert_allclose(image.get_array().sum(axis=1), 1)
    assert image.get_array()[1, 2] == 0.5


def test_levels_are_marked_behind_the_runs():
    ax = plots.accuracy_over_updates([0, 50], [[0.1, 0.4]], ["seed 0"], [0.25, 0.5])
    assert [drawn.get_ydata()[0] for drawn in ax.lines[:2]] == [0.25, 0.5]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["seed 0"]


@pytest.mark.parametrize("plot", [EVERY_PLOT[5], EVERY_PLOT[6]])
def test_words_stand_under_their_steps(plot):
    ax = plot()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == WORDS
    assert ax.get_xticks().tolist() == [0, 1, 2, 3]


def test_each_gate_is_its_own_curve():
    ax = plots.gates_by_word(GATES, WORDS)
    for name, letter in [("forget f", "f"), ("write i", "i"), ("read o", "o")]:
        assert line(ax, name).get_ydata().tolist() == GATES[letter]
    assert len({drawn.get_linestyle() for drawn in ax.lines}) == 3


def test_steps_of_a_cell_count_from_where_it_is_said():
    ax = plots.cell_values(ROWS, ["A", "B"], offered=np.ones(4), start=20)
    assert line(ax, "B").get_xdata().tolist() == [20, 21, 22, 23]
    np.testing.assert_array_equal(line(ax, "B").get_ydata(), ROWS[1])
    assert line(ax, "offered").get_ydata().tolist() == [1, 1, 1, 1]
