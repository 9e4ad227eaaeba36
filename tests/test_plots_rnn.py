"""The figures of lesson 05 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_words, line

from course_utils import plots, plots_rnn

OLD = np.linspace(-1, 1, 41)
WALKS = [1 - 0.9 ** np.arange(31.0), np.append(0, np.full(30, 1.2))]
SCORES = {
    "own length": [[0.99, 1.0], [0.98, 1.0], [1.0, 1.0]],
    "mistake in the test": [[0.6, 0.5], [0.5, 0.55], [0.45, 0.5]],
    "mistake throughout": [[0.99, 1.0], [0.9, 0.6], [0.5, 0.5]],
}
LOWER = np.tril(np.full((6, 6), 0.3))
SIZES, SECONDS = [10, 20, 40, 80], [1e-3, 2.2e-3, 3.8e-3, 8e-3]
RUNS = {name: np.linspace([0, 0.1], [top, -top], 9) for name, top in [("input", 0.5), ("state", 0.9)]}
STEPS = np.arange(0, 101, 20)
EVERY_PLOT = [
    lambda: plots.next_state(OLD, [np.tanh(OLD), np.tanh(2 * OLD)], ["weight 1", "weight 2"]),
    lambda: plots.term_by_term(RUNS),
    lambda: plots.walk_through_pads(WALKS, ["slow", "mixed"]),
    lambda: plots.reading_scores([18, 24, 48], SCORES),
    lambda: plots.influences([LOWER, LOWER.T], ["forward", "backward"]),
    lambda: plots.cost(SIZES, SECONDS, 1, 20, "steps T", "B = 16"),
    lambda: plots.memory(STEPS, {"outputs": 1.28 * STEPS, "states": 0.07 * STEPS}, 88.7),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in plot().figure.axes)
    assert plots.bundle(plot(), "See.") == plots.bundle(plot(), "See.")


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_no_text_is_cut_and_no_legend_covers_a_point(plot):
    figure = plot().figure
    figure.draw_without_rendering()
    for ax in figure.axes:
        texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        shown = [text for text in texts if text.get_visible() and text.get_text()]
        assert all(figure.bbox.count_contains(text.get_window_extent().get_points()) == 2 for text in shown)
        if legend := ax.get_legend():
            box = legend.get_window_extent()
            drawn = [
                line.get_transform().transform_path(line.get_path()).interpolated(40) for line in ax.lines
            ]
            assert not any(box.count_contains(path.vertices) for path in drawn)
            assert figure.bbox.count_contains(box.get_points()) == 2


def test_the_rule_is_drawn_over_the_diagonal():
    ax = plots.next_state(OLD, [np.tanh(2 * OLD)], ["weight 2"])
    np.testing.assert_array_equal(line(ax, "no change").get_ydata(), OLD)
    np.testing.assert_array_equal(line(ax, "weight 2").get_xydata(), np.column_stack([OLD, np.tanh(2 * OLD)]))


def test_every_run_has_a_panel_of_the_same_scale_with_a_curve_a_unit():
    axes = plots.term_by_term(RUNS).figure.axes
    assert [ax.get_title() for ax in axes] == list(RUNS)
    assert len({ax.get_ylim() for ax in axes}) == 1
    for ax, states in zip(axes, RUNS.values(), strict=True):
        np.testing.assert_array_equal([drawn.get_ydata() for drawn in ax.lines], states.T)
        assert ax.lines[0].get_xdata()[0] == 1


def test_walks_start_at_no_pad():
    ax = plots.walk_through_pads(WALKS, ["slow", "mixed"])
    assert line(ax, "mixed").get_xydata()[:2].tolist() == [[0, 0], [1, 1.2]]
    assert ax.get_ylim()[0] == 0


def test_each_seed_has_a_dot_and_the_line_runs_through_their_mean():
    ax = plots.reading_scores([18, 24, 48], SCORES)
    dots = {cloud.get_label(): cloud.get_offsets() for cloud in ax.collections}
    wanted = [[18, 0.99], [18, 1.0], [24, 0.9], [24, 0.6], [48, 0.5], [48, 0.5]]
    assert dots["mistake throughout, each seed"].tolist() == wanted
    np.testing.assert_allclose(line(ax, "mistake throughout").get_ydata(), [0.995, 0.75, 0.5])
    assert line(ax, "chance").get_ydata()[0] == 0.5


def test_the_ways_to_read_differ_in_colour_marker_and_dash():
    looks = plots_rnn.READINGS.values()
    assert [len({look[place] for look in looks}) for place in range(3)] == [3, 3, 3]


def test_chance_is_in_the_legend_and_not_dotted_like_the_reader_that_lies_on_it():
    ax = plots.reading_scores([18, 24, 48], SCORES)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["chance", *SCORES]
    assert (line(ax, "chance").get_linestyle(), line(ax, "mistake in the test").get_linestyle()) == ("-", ":")


def test_influence_shows_which_state_changes_and_not_by_how_much():
    first, second = plots.influences([LOWER, 7 * LOWER.T], ["forward", "backward"]).figure.axes
    np.testing.assert_array_equal(first.images[0].get_array(), np.tril(np.ones((6, 6))))
    np.testing.assert_array_equal(second.images[0].get_array(), np.triu(np.ones((6, 6))))
    assert (first.get_xlabel(), first.get_ylabel()) == ("changed input", "state t")
    assert first.images[0].get_extent() == [0.5, 6.5, 6.5, 0.5]  # step 1 in the upper left corner
    assert list(first.get_xticks()) == list(first.get_yticks()) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("slope", [1, 2])
def test_a_predicted_slope_goes_through_the_middle_of_what_was_measured_there(slope):
    ax = plots.cost(SIZES, SECONDS, slope, 20, "steps T", "B = 16")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    np.testing.assert_allclose(line(ax, "measured").get_ydata(), 1e3 * np.array(SECONDS))
    predicted = line(ax, f"slope {slope}")
    assert predicted.get_xdata().tolist() == [20, 40, 80]
    rises = np.diff(np.log(predicted.get_ydata())) / np.diff(np.log([20, 40, 80]))
    np.testing.assert_allclose(rises, slope)
    gap = np.log(predicted.get_ydata()) - np.log(1e3 * np.array(SECONDS[1:]))
    assert abs(gap.mean()) < 1e-12


def test_what_is_held_anyway_does_not_change_with_the_length():
    ax = plots.memory(STEPS, {"outputs": 1.28 * STEPS, "states": 0.07 * STEPS}, 88.7)
    assert set(line(ax, "weights and optimiser").get_ydata()) == {88.7}
    np.testing.assert_allclose(line(ax, "outputs").get_ydata(), 1.28 * STEPS)
    assert len({drawn.get_color() for drawn in ax.lines}) == 3
