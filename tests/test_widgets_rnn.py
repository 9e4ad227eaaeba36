"""The dials of lesson 05 say and draw their numbers."""

import itertools
import math

import numpy as np
import pytest
from dials import corners, set_to

from course_utils import widgets_rnn


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "are 0.762, 0.363, 0.180; step 20: 0.000. A small change there is multiplied by 0.5 in"),
        ({"w_h": 2.0}, "0.762, 0.909, 0.949; step 20: 0.958. A small change there is multiplied by 0.166"),
        ({"w_h": 1.0}, "still moving"),
        ({"w_h": -2.0}, "step 20: -0.958, still moving"),
        ({"w_h": 0.0, "b": 0.5}, "step 20: 0.462. A small change there is multiplied by 0 in a step"),
        ({"w_x": -2.0, "w_h": 2.0, "b": 0.5}, "step 20: -0.802"),
        ({"w_x": -2.0, "w_h": 2.0, "b": 0.55}, "step 20: -0.604, still moving"),
        ({"w_x": -2.0, "w_h": 2.0, "b": 0.6}, "step 20: 0.989"),
    ],
)
def test_the_cell_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_rnn.cell_dial(), **values)


@pytest.mark.parametrize(
    ("w_h", "b", "count"), [(0.5, 0.0, 1), (2.0, 0.0, 2), (2.0, 0.5, 2), (2.0, 0.55, 1), (-2.0, 0.0, 0)]
)
def test_a_state_near_a_resting_state_returns_to_it(w_h, b, count):
    found = widgets_rnn.resting_states(w_h, b)
    assert len(found) == count
    for h in found:
        assert math.tanh(w_h * h + b) == pytest.approx(h, abs=1e-3)
        near = h + 0.01
        for _ in range(200):
            near = math.tanh(w_h * near + b)
        assert near == pytest.approx(h, abs=1e-3)


def test_the_cell_dial_draws_the_rule_of_its_weights():
    dial = widgets_rnn.cell_dial()
    set_to(dial, w_h=2.0, b=0.25)
    h, after = dial.scene["rule"].get_xydata().T
    np.testing.assert_allclose(after, np.tanh(2 * h + 0.25))
    states = dial.scene["states"].get_ydata()
    np.testing.assert_allclose(states[1:], np.tanh(2 * states[:-1] + 0.25))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pads": 0}, "0 pads: the state, of size 0.671, is read where it should be"),
        ({"pads": 1, "size": 0.97}, "1 pad: the state is 0.116 times its own size (0.671) away"),
        ({"pads": 2, "angle": 90}, "the state is 1.8"),
        ({"pads": 40, "size": 0.5}, "the state is 1 times its own size"),
    ],
)
def test_the_padding_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_rnn.padding_dial(), **values)


def test_the_cross_stands_where_the_state_is_read():
    dial = widgets_rnn.padding_dial()
    set_to(dial, pads=7, angle=30, b=0.2)
    end, way = dial.scene["end"].get_xydata()[0], dial.scene["way"].get_xydata()
    assert len(way) == 8
    np.testing.assert_array_equal(end, way[-1])
    (pads, far), walked = dial.scene["here"].get_xydata()[0], dial.scene["distance"].get_ydata()
    assert pads == 7
    assert far == walked[7] == pytest.approx(np.linalg.norm(end - way[0]) / np.linalg.norm(way[0]))


def test_at_40_pads_every_size_has_lost_the_state():
    dial = widgets_rnn.padding_dial()
    for size, angle in itertools.product(np.arange(0.5, 1.21, 0.05), [0, 20, 90]):
        set_to(dial, size=float(size), angle=angle)
        assert dial.scene["distance"].get_ydata()[-1] > 0.1


@pytest.mark.parametrize("make", [widgets_rnn.cell_dial, widgets_rnn.padding_dial])
def test_nothing_that_is_drawn_leaves_its_panel(make):
    dial = make()
    for values in itertools.product(*map(corners, dial.controls.values())):
        set_to(dial, **dict(zip(dial.controls, values, strict=True)))
        for artist in dial.scene.moving.values():
            (left, right), (low, high) = artist.axes.get_xlim(), artist.axes.get_ylim()
            across, up = artist.get_xydata().T if len(artist.get_xydata()) else ([0], [0])
            assert left <= min(across) <= max(across) <= right
            assert low <= min(up) <= max(up) <= high
