"""The figures of lesson 11 are tested by what was drawn."""

import itertools

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import plots
from course_utils.plots import GUIDE, MODELS

RUNS = {
    "RNN": [[300.0, 120.0, 90.0]],
    "LSTM": [[300.0, 100.0, 80.0], [320.0, 120.0, 60.0]],
    "LSTM, longer": [[310.0, 110.0, 70.0, 65.0]],
}
LEVELS = {"bigram": 69.0, "trigram": 49.0, "four-gram": 47.0}
CUT = {"LSTM": [[200.0, 120.0, 80.0, 70.0], [210.0, 140.0, 90.0, 80.0]], "counts": [[90.0, 60.0]]}
WORDS = ["▁return", "▁the", "▁sum"]
EVERY_PLOT = [
    lambda: plots.perplexity_by_epoch(RUNS, LEVELS),
    lambda: plots.perplexity_by_prefix([1, 2, 4, 8], CUT),
    lambda: plots.next_tokens(WORDS, {"as it is": [0.5, 0.3, 0.1], "top 1": [1.0, 0.0, 0.0]}),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT[:2])
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_the_mean_of_the_seeds_is_drawn_from_epoch_1_in_the_colour_of_its_kind():
    ax = plots.perplexity_by_epoch(RUNS, LEVELS)
    for label, rows in RUNS.items():
        np.testing.assert_array_equal(line(ax, label).get_xdata(), np.arange(1, len(rows[0]) + 1))
        np.testing.assert_array_equal(line(ax, label).get_ydata(), np.mean(rows, axis=0))
        assert line(ax, label).get_color() == MODELS[label.partition(",")[0]][0]


def test_what_lies_between_the_seeds_is_shaded_and_one_seed_has_no_shade():
    ax = plots.perplexity_by_epoch(RUNS, LEVELS)
    (shade,) = ax.collections
    corners = {tuple(corner) for corner in shade.get_paths()[0].vertices.tolist()}
    assert {(1, 300), (1, 320), (2, 100), (2, 120), (3, 80), (3, 60)} <= corners


def test_the_upright_axis_says_of_which_texts():
    assert plots.perplexity_by_epoch(RUNS, LEVELS).get_ylabel() == "validation perplexity"
    assert plots.perplexity_by_epoch(RUNS, LEVELS, "closing brackets").get_ylabel() == "closing brackets"


def test_two_runs_of_a_kind_differ_in_dash_and_marker():
    ax = plots.perplexity_by_epoch(RUNS, LEVELS)
    first, second = line(ax, "LSTM"), line(ax, "LSTM, longer")
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_markerfacecolor() != second.get_markerfacecolor()


def test_models_that_count_are_levels_with_their_names_on_them():
    ax = plots.perplexity_by_epoch(RUNS, LEVELS)
    for label, level in LEVELS.items():
        assert set(line(ax, label).get_ydata()) == {level}
        assert line(ax, label).get_color() == GUIDE
    assert set(LEVELS) <= {text.get_text() for text in ax.texts}


def test_a_network_looks_alike_by_epoch_and_by_prefix():
    by_epoch, by_prefix = plots.perplexity_by_epoch(RUNS, {}), plots.perplexity_by_prefix([1, 2, 4, 8], RUNS)
    for name in RUNS:
        looks = [
            (one.get_color(), one.get_marker(), one.get_linestyle(), one.get_markerfacecolor())
            for one in (line(by_epoch, name), line(by_prefix, name))
        ]
        assert looks[0] == looks[1]


def test_counts_end_where_their_order_does():
    ax = plots.perplexity_by_prefix([1, 2, 4, 8], CUT)
    assert line(ax, "counts").get_xdata().tolist() == [1, 2]
    assert line(ax, "LSTM").get_ydata().tolist() == [205.0, 130.0, 85.0, 75.0]


def test_each_rule_has_a_panel_with_its_probabilities_likeliest_on_top():
    ax = plots.next_tokens(WORDS, {"as it is": [0.5, 0.3, 0.1], "top 1": [1.0, 0.0, 0.0]})
    second = ax.figure.axes[1]
    assert [bar.get_width() for bar in second.containers[0]] == [1, 0, 0]
    assert second.get_title() == "top 1"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_the_text_of_the_rules_says_each_word_with_its_probability():
    ax = plots.next_tokens(WORDS, {"as it is": [0.5, 0.3, 0.1], "top 1": [1.0, 0.0, 0.0]})
    words = plots.bundle(ax, "See.")[0]["text/plain"]
    assert "as it is: probability of the next token. ▁return 0.500, ▁the 0.300, ▁sum 0.100." in words
    assert "top 1: probability of the next token. ▁return 1.000, ▁the 0.000, ▁sum 0.000." in words


def test_names_of_levels_that_nearly_coincide_stand_apart():
    ax = plots.perplexity_by_epoch(RUNS, LEVELS)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text() in LEVELS]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
