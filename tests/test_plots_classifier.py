"""The figures of lesson 10 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import plots
from course_utils.intervals import mean_interval

SCORES = {
    "own": {"bag": [0.8, 0.82, 0.81], "GRU, short": [0.7, 0.9, 0.8]},
    "mistake": {"bag": [0.5, 0.6, 0.4]},
}
SHARES = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
EVERY_PLOT = [
    lambda: plots.accuracies_by_model(SCORES, 0.25),
    lambda: plots.accuracies_by_model({"own": SCORES["own"]}, 0.25, least=0.6),
    lambda: plots.probabilities_by_word(SHARES, ["a", "b", "c"], ["plot", "it"]),
    lambda: plots.accuracy_behind_pads([0, 5, 60], [[0.9, 0.8, 0.5], [0.9, 0.9, 0.9]], ["RNN", "GRU"]),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT[2:])
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_the_text_of_a_comparison_names_every_model_with_its_mean_and_its_interval():
    words = plots.bundle(plots.accuracies_by_model(SCORES, 0.25), "See.")[0]["text/plain"]
    low, high = mean_interval([0.7, 0.9, 0.8])[1:]
    assert (
        f"own: bag 0.810 (0.785 to 0.835), GRU, short 0.800 ({low:.3f} to {high:.3f}); mistake: bag" in words
    )


def test_the_mark_of_a_model_is_the_mean_of_its_seeds():
    ax = plots.accuracies_by_model(SCORES, 0.25)
    np.testing.assert_allclose(line(ax, "own").get_ydata(), [0.81, 0.8])
    np.testing.assert_allclose(line(ax, "mistake").get_ydata(), [0.5])


def test_every_seed_is_drawn_above_its_model():
    ax = plots.accuracies_by_model(SCORES, 0.25)
    across, up = ax.collections[0].get_offsets().T
    assert up.tolist() == [0.8, 0.82, 0.81, 0.7, 0.9, 0.8]
    assert across.round().tolist() == [0, 0, 0, 1, 1, 1]
    assert all(across < np.repeat(line(ax, "own").get_xdata(), 3) - 0.05)  # beside the mean, not under it
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["bag", "GRU,\nshort"]


def test_an_interval_reaches_from_its_low_to_its_high_end():
    ax = plots.accuracies_by_model(SCORES, 0.25)
    upright = [
        drawn.get_ydata() for drawn in ax.lines if len(set(drawn.get_xdata())) == 1 < len(drawn.get_xdata())
    ]
    wanted = [mean_interval(runs)[1:] for group in SCORES.values() for runs in group.values()]
    np.testing.assert_allclose(upright, wanted)


@pytest.mark.parametrize("least", [None, 0.65])
def test_nothing_that_is_drawn_is_cut_by_the_axis(least):
    scores = SCORES if least is None else {"own": {"RNN": [0.6, 0.9, 0.9]}}
    ax = plots.accuracies_by_model(scores, 0.25, least)
    runs = [run for group in scores.values() for run in group.values()]
    heights = [height for run in runs for height in (*run, *mean_interval(run))]
    low, high = ax.get_ylim()
    assert low < min(heights)
    assert max(heights) + 0.02 < high


def test_groups_stand_apart_at_the_same_model():
    ax = plots.accuracies_by_model(SCORES, 0.25)
    assert line(ax, "mistake").get_xdata()[0] - line(ax, "own").get_xdata()[0] > 0.1


def test_each_class_has_its_curve_over_the_words():
    ax = plots.probabilities_by_word(SHARES, ["a", "b", "c"], ["plot", "it"])
    for name, column in zip("abc", SHARES.T, strict=True):
        np.testing.assert_array_equal(line(ax, name).get_ydata(), column)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["plot", "it"]
    assert len({(drawn.get_color(), drawn.get_linestyle(), drawn.get_marker()) for drawn in ax.lines}) == 3


def test_accuracy_is_drawn_over_the_pads():
    ax = plots.accuracy_behind_pads([0, 5, 60], [[0.9, 0.8, 0.5]], ["GRU"])
    assert list(line(ax, "GRU").get_xdata()) == [0, 5, 60]
    assert list(line(ax, "GRU").get_ydata()) == [0.9, 0.8, 0.5]


@pytest.mark.parametrize(("chance", "shown"), [(0.25, False), (0.7, True), (None, False)])
def test_the_axis_of_pads_begins_where_asked_and_chance_is_drawn_if_it_is_reached(chance, shown):
    ax = plots.accuracy_behind_pads([0, 5, 60], [[0.9, 0.8, 0.76]], ["GRU"], chance, least=0.65)
    assert ax.get_ylim()[0] == 0.65
    assert [drawn.get_label() for drawn in ax.lines] == ["GRU", "chance 0.7"][: 1 + shown]


def test_the_axis_of_pads_begins_lower_where_a_row_is_lower():
    ax = plots.accuracy_behind_pads([0, 5], [[0.9, 0.4]], ["RNN"], chance=0.5, least=0.65)
    assert ax.get_ylim()[0] < 0.4
    assert "chance 0.5" in [drawn.get_label() for drawn in ax.lines]
