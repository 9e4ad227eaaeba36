"""The figures of lesson 08 are tested by what was drawn."""

import numpy as np
import pytest
from drawn import demand_axes_and_bytes, demand_words, line

from course_utils import plots

LENGTHS = np.array([1.0, 2.0, 0.5, 40.0, 1.0])
ROWS = [np.array([0.2, 0.9, 1.0]), np.array([0.1, 0.1, 0.4])]
EVERY_PLOT = [
    lambda: plots.gradient_trace(LENGTHS, marked=3, limit=2.0),
    lambda: plots.clip_plane(np.array([3.0, 0.4]), np.array([1.0, 0.4]), 1.0, "box"),
    lambda: plots.clip_plane(np.array([3.0, 0.4]), np.array([0.99, 0.13]), 1.0, "ball"),
    lambda: plots.share_longer(LENGTHS, [0.7, 10]),
    lambda: plots.seeds_against(["none", "2"], ROWS, 0.125),
    lambda: plots.singular_values(ROWS, ["one", "other"]),
    lambda: plots.over_updates(ROWS, ["one", "other"], "distance"),
    lambda: plots.slopes_against_scale([0.5, 1, 2], ROWS, ["plain", "LayerNorm"], level=0.6),
]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_text_holds_numbers_and_names_all_that_is_drawn(plot):
    demand_words(plot, r"\d")


def test_a_trace_counts_updates_from_1_and_marks_the_jump_with_its_height():
    ax = EVERY_PLOT[0]()
    assert line(ax, "length of the gradient").get_xydata().tolist() == [
        [update, length] for update, length in enumerate(LENGTHS.tolist(), start=1)
    ]
    assert line(ax, "the jump").get_xydata().tolist() == [[4, 40]]
    assert [words.get_text() for words in ax.texts] == ["40", "c = 2"]


@pytest.mark.parametrize(("form", "size"), [("box", (2.0, 2.0)), ("ball", (2.0, 2.0))])
def test_a_clipped_arrow_stands_beside_the_one_before_and_its_region(form, size):
    ax = plots.clip_plane(np.array([3.0, 0.4]), np.array([1.0, 0.4]), 1.0, form)
    assert line(ax, "before").get_xydata()[1].tolist() == [3.0, 0.4]
    assert line(ax, "after").get_xydata()[1].tolist() == [1.0, 0.4]
    (region,) = ax.patches
    box = region.get_extents().transformed(ax.transData.inverted())
    assert (box.width, box.height) == pytest.approx(size)
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("plot", EVERY_PLOT[1:3])
def test_the_legend_of_a_clip_plane_meets_no_arrow(plot):
    ax = plot()
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for drawn in ax.lines:
        along = np.linspace(*drawn.get_xydata(), 100)
        assert not box.count_contains(ax.transData.transform(along))


def test_the_share_of_longer_gradients_falls_and_is_marked_at_each_limit():
    ax = plots.share_longer(LENGTHS, [0.7, 10])
    assert (np.diff(line(ax, "share of the updates").get_ydata()) < 0).all()
    assert line(ax, "c = 0.7").get_ydata().tolist() == pytest.approx([0.8])
    assert line(ax, "c = 10").get_ydata().tolist() == pytest.approx([0.2])


def test_every_seed_has_a_mark_and_every_setting_its_mean():
    ax = EVERY_PLOT[4]()
    assert [cloud.get_offsets()[:, 1].tolist() for cloud in ax.collections] == [row.tolist() for row in ROWS]
    assert line(ax, "2: mean").get_ydata()[0] == pytest.approx(0.2)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["none", "2"]


def test_singular_values_are_drawn_largest_first_on_a_log_axis():
    ax = EVERY_PLOT[5]()
    assert line(ax, "one").get_ydata().tolist() == [1.0, 0.9, 0.2]
    assert ax.get_yscale() == "log"


def test_a_quantity_over_updates_begins_before_the_first():
    assert line(EVERY_PLOT[6](), "one").get_xdata().tolist() == [0, 1, 2]


def test_slopes_stand_at_their_scales():
    ax = EVERY_PLOT[7]()
    np.testing.assert_array_equal(line(ax, "plain").get_xydata(), np.column_stack([[0.5, 1, 2], ROWS[0]]))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.5", "1", "2"]
