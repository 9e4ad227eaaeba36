"""The figures of lesson 12 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words

from course_utils import plots

SHARES = [np.array([[1.0, 0.8, 0.1], [0.9, 0.6, 0.3]]), np.array([[1.0, 1.0, 0.5], [1.0, 0.9, 0.6]])]
GROUPS = {"all": ([0.9, 0.8], [0.7, 0.6]), "behind": ([0.95, 0.9], [0.3, 0.2])}
EVERY_PLOT = [
    lambda: plots.answer(["un", "<eos>"], [0.9, 0.8], ["deux", "et"], [0.05, 0.1]),
    lambda: plots.by_length([1, 2, 3], SHARES, ["H = 16", "H = 32"], "symbols", trained=2),
    lambda: plots.by_length([1, 2, 3], [[1.0, 0.1, 0.01]], ["forward"], "word", log=True, ylabel="gradient"),
    lambda: plots.two_feeds(GROUPS),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


def test_a_curve_is_the_mean_of_its_seeds_inside_their_band():
    ax = EVERY_PLOT[1]()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.95, 0.7, 0.2])
    corners = ax.collections[0].get_paths()[0].vertices
    assert {(1.0, 0.9), (1.0, 1.0), (3.0, 0.1), (3.0, 0.3)} <= set(map(tuple, corners.tolist()))


def test_the_longest_trained_is_marked():
    line = next(line for line in EVERY_PLOT[1]().lines if line.get_label() == "longest trained")
    assert list(line.get_xdata()) == [2, 2]
    assert EVERY_PLOT[2]().get_yscale() == "log"


def test_each_word_has_its_probability_and_that_of_the_second():
    said, second = EVERY_PLOT[0]().lines
    assert list(said.get_ydata()) == [0.9, 0.8]
    assert list(second.get_ydata()) == [0.05, 0.1]
    assert [tick.get_text() for tick in EVERY_PLOT[0]().get_xticklabels()] == ["un (deux)", "<eos> (et)"]


def test_a_next_best_of_a_thousandth_stands_inside_the_axis():
    ax = plots.answer(["un", "<eos>"], [0.99, 1.0], ["deux", "et"], [0.001, 1e-6])
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[0] < 1e-6


def test_the_two_ways_to_feed_stand_beside_each_other():
    right, own = EVERY_PLOT[3]().collections
    assert right.get_offsets()[:, 1].tolist() == [0.9, 0.8, 0.95, 0.9]
    assert own.get_offsets()[:, 1].tolist() == [0.7, 0.6, 0.3, 0.2]
    assert (own.get_offsets()[:, 0] > right.get_offsets()[:, 0]).all()


def test_the_picture_of_attention_says_its_shares_and_its_step():
    ax = plots.attention(["a", "b"], "c", [0.25, 0.75], turn=3)
    words = plots.bundle(ax, "See.")[0]["text/plain"]
    assert "a 0.25, b 0.75" in words
    assert "step 3, which says c" in words
    assert "$h'_3$" in [text.get_text() for text in ax.texts]


def test_a_size_looks_the_same_in_two_panels():
    def look(line):
        return line.get_color(), line.get_marker(), line.get_linestyle()

    left = plots.by_length([1, 2, 3], SHARES, ["H = 16", "H = 32"], "symbols")
    right = plots.by_length([1, 2, 3], SHARES, ["H = 32", "H = 64"], "words", looks=[1, 2])
    assert look(left.lines[1]) == look(right.lines[0])
    assert look(left.lines[0]) != look(right.lines[0])
