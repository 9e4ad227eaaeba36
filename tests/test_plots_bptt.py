"""The figures of lesson 06 are tested by what was drawn."""

import re

import numpy as np
import pytest
from drawn import line
from matplotlib.text import Annotation

from course_utils import plots
from course_utils.plots_bptt import graph_arrows

X = np.array([[1.0], [0.0], [0.0]])
STATES = np.array([[0.762, 0.0], [0.363, 0.642], [0.18, 0.594]])
W_XH, W_HH = np.array([[1.0], [0.0]]), np.array([[0.5, 0.0], [1.0, 0.5]])
AT_THE_END = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, -0.406]])
DELTAS = np.array([[-0.191, -0.039], [-0.262, -0.131], [0.0, -0.406]])
SIZES = np.tril(10.0 ** -np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
EPS = 10.0 ** np.arange(-13, 0.1)
V = 1e-16 / EPS + EPS**2
WINDOWS = [1, 2, 5, 10, 20, 50]
WITH_AXES = [
    lambda: plots.difference_errors(EPS, {"float64": V, "float32": 1e8 * V}),
    lambda: plots.by_step([SIZES[5], SIZES[11]], ["loss at 6", "loss at 12"]),
    lambda: plots.triangle(SIZES),
    lambda: plots.alignment(WINDOWS, [np.linspace(0, 1, 6)] * 2, ["echo 5", "echo 20"], [5, 20]),
    lambda: plots.held([1, 4, 16], [2, 5, 17], [2, 5, 17], "k + 1", "steps k in a window"),
]
GRAPHS = [
    lambda: plots.unrolled(X, STATES, (W_XH, W_HH), AT_THE_END),
    lambda: plots.unrolled(X, STATES, (W_XH, W_HH), AT_THE_END, DELTAS),
]


def arrows(ax):
    """Where each arrow of a graph starts and ends."""
    found = [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch]
    return {(tuple(arrow.xyann), tuple(arrow.xy)) for arrow in found}


def words(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("plot", WITH_AXES)
def test_every_plot_names_both_axes_and_says_numbers(plot):
    ax = plot()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    said = plots.bundle(ax, "See.")[0]["text/plain"]
    assert "greatest" in said
    assert not re.search(r"\b(line|points|image): ", said)


@pytest.mark.parametrize("plot", [*WITH_AXES, *GRAPHS])
def test_every_plot_draws_the_same_bytes_twice(plot):
    assert plots.bundle(plot(), "See.") == plots.bundle(plot(), "See.")


def test_a_graph_is_told_by_its_numbers():
    said = plots.bundle(GRAPHS[1](), "See.")[0]["text/plain"]
    assert "states of unit 1: 0.762, 0.363, 0.180; gradients at them: -0.191, -0.262, 0.000" in said
    assert "states of unit 2: 0.000, 0.642, 0.594" in said


def test_a_graph_has_an_arrow_for_every_weight_that_is_not_zero():
    inputs = {((t, 0), (t, 1)) for t in (1, 2, 3)}
    kept = {((t, i), (t + 1, i)) for t in (1, 2) for i in (1, 2)}
    crossed = {((t, 1), (t + 1, 2)) for t in (1, 2)}
    assert arrows(GRAPHS[0]()) == inputs | kept | crossed | {((3, 2), (3, 3))}


def test_with_gradients_the_arrows_run_backward_and_stop_at_the_states():
    forward, backward = (arrows(graph()) for graph in GRAPHS)
    assert backward == {(end, start) for start, end in forward if start[1] > 0}


def test_a_weight_stands_at_its_arrow_whichever_way_it_is_walked():
    found = graph_arrows(3, W_XH, W_HH, AT_THE_END)
    assert [weight for start, end, weight in found if (start, end) == ((1, 1), (2, 2))] == [1.0]
    assert [weight for start, end, weight in found if (start, end) == ((1, 2), (2, 1))] == []
    assert words(GRAPHS[0]()).count("0.5") == words(GRAPHS[1]()).count("0.5") == 4


def test_every_node_carries_its_state_and_its_gradient():
    shown = words(GRAPHS[1]())
    assert {f"{value:.3f}" for value in STATES.ravel()} <= set(shown)
    assert sorted(text for text in shown if text.startswith("δ")) == sorted(
        f"δ {value:.3f}" for value in DELTAS.ravel()
    )


def test_only_a_step_with_a_loss_has_one_in_the_graph():
    assert [text for text in words(GRAPHS[0]()) if "L" in text] == ["$L_3$"]


def test_no_words_of_the_graph_lie_on_each_other():
    ax = GRAPHS[1]()
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    pairs = [(one, other) for place, one in enumerate(boxes) for other in boxes[:place]]
    assert not any(one.overlaps(other) for one, other in pairs)


def test_the_guides_of_the_v_have_its_slopes_and_lie_on_it():
    ax = WITH_AXES[0]()
    for label, power in [("$\\varepsilon^2$: bending", 2), ("$1/\\varepsilon$: rounding", -1)]:
        eps, height = np.log10(line(ax, label).get_xydata()).T
        np.testing.assert_allclose(np.diff(height) / np.diff(eps), power)
        assert np.interp(eps[0], np.log10(EPS), np.log10(V)) == pytest.approx(height[0], abs=0.1)


def test_the_guides_of_the_v_are_told_apart_by_their_dashes():
    ax = WITH_AXES[0]()
    bending, rounding = line(ax, "$\\varepsilon^2$: bending"), line(ax, "$1/\\varepsilon$: rounding")
    assert bending.get_linestyle() != rounding.get_linestyle()


def test_an_error_of_zero_is_left_out():
    drawn = line(plots.difference_errors(EPS, {"float64": np.where(EPS < 1e-3, V, 0)}), "float64")
    assert np.isnan(drawn.get_ydata()[-1])
    assert np.isfinite(drawn.get_ydata()[0])


def test_parts_are_drawn_from_step_one_on_and_end_where_they_are_zero():
    drawn = line(plots.by_step([SIZES[5]], ["loss at 6"]), "loss at 6")
    np.testing.assert_array_equal(drawn.get_xdata(), np.arange(1, 13))
    np.testing.assert_array_equal(drawn.get_ydata()[:6], SIZES[5, :6])
    assert np.isnan(drawn.get_ydata()[6:]).all()


def test_the_triangle_has_a_row_a_loss_and_nothing_above_the_diagonal():
    (image,) = plots.triangle(SIZES).images
    powers = image.get_array()
    assert np.ma.getmaskarray(np.ma.masked_invalid(powers))[np.triu_indices(12, 1)].all()
    assert powers[7, 3] == pytest.approx(-4)
    assert image.get_extent() == [0.5, 12.5, 12.5, 0.5]


def test_the_cosines_stand_over_their_windows_and_marks_are_in_no_legend():
    ax = WITH_AXES[3]()
    np.testing.assert_array_equal(line(ax, "echo 20").get_xdata(), WINDOWS)
    assert line(ax, "window 20").get_xdata() == [20, 20]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["echo 5", "echo 20"]


def test_the_legend_of_the_cosines_meets_no_point_and_no_guide():
    rows = [[-0.4, 0.1, 0.2, 0.3, -0.4, 1], [-0.3, -0.4, 0.1, -0.4, 0, 0.2]]
    ax = plots.alignment(WINDOWS, rows, ["echo 20 late", "echo 50 late"], [5, 20, 50])
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert not any(box.count_contains(ax.transData.transform(drawn.get_xydata())) for drawn in ax.lines[:2])
    assert not any(box.overlaps(line(ax, f"window {mark}").get_window_extent()) for mark in (5, 20, 50))


def test_what_was_measured_is_drawn_as_dots_beside_the_formula():
    ax = plots.held([1, 4], [2, 6], [2, 5], "k + 1", "steps")
    np.testing.assert_array_equal(line(ax, "measured").get_ydata(), [2, 6])
    assert line(ax, "measured").get_linestyle() == "None"
    np.testing.assert_array_equal(line(ax, "k + 1").get_ydata(), [2, 5])
