"""The figure of lesson 00: four lines that coincide and can all be seen."""

import numpy as np

from course_utils import plots

LINES = {name: 0.9 ** np.arange(21.0) for name in ("filter", "matrix", "gradient", "gate")}


def test_every_line_is_drawn_as_it_is():
    for line, (name, values) in zip(plots.one_factor(LINES).lines, LINES.items(), strict=True):
        assert line.get_label() == name
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_no_two_lines_share_a_marker_a_colour_or_a_marked_step():
    lines = plots.one_factor(LINES).lines
    assert len({line.get_marker() for line in lines}) == 4
    assert len({line.get_color() for line in lines}) == 4
    assert sorted(line.get_markevery() for line in lines) == [(turn, 4) for turn in range(4)]


def test_a_constant_factor_is_a_straight_line_because_the_axis_is_logarithmic():
    assert plots.one_factor(LINES).get_yscale() == "log"
