"""The dials of lesson 06 say and draw their numbers."""

import numpy as np
import pytest
import torch
from dials import set_to, truncation_dial

from course_utils import widgets_bptt
from course_utils.bptt import backward
from course_utils.cells import rnn_forward


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"move": 0}, "Nothing is computed yet"),
        ({"move": 1}, "the state after step 1 is (0.762, 0.000)"),
        ({"move": 3}, "Move 3, forward: the state after step 3 is (0.180, 0.594)"),
        ({"move": 4}, "(0.000, -0.406) from its own loss; no step follows"),
        ({"move": 5}, "(-0.262, -0.131): (0.000, 0.000) from its own loss and (-0.262, -0.131) from step 3"),
        ({"move": 6}, "the gradient at the state of step 1 is (-0.191, -0.039)"),
        ({"move": 6, "losses": "only at step 1"}, "step 1 is (0.000, -1.000)"),
        ({"move": 5, "losses": "only at step 1"}, "step 2 is (0.000, 0.000)"),
        ({"move": 5, "losses": "at every step"}, "(0.000, -0.358) from its own loss and (-0.262, -0.131)"),
        ({"move": 2, "input": -3.0}, "(-0.460, -0.760)"),
    ],
)
def test_the_player_says_its_numbers(values, words):
    assert words in set_to(widgets_bptt.unroll_player(), **values)


def test_the_player_starts_where_it_is_told_to():
    dial = widgets_bptt.unroll_player(move=5, losses="at every step")
    assert dial.alt.startswith("Move 5, backward: the gradient at the state of step 2 is (-0.262, -0.489)")


def test_only_numbers_that_are_known_stand_in_the_graph():
    dial = widgets_bptt.unroll_player()
    set_to(dial, move=2)
    states = [dial.scene["state", t, 1].get_text() for t in (1, 2, 3)]
    assert states == ["0.762", "0.363", ""]
    assert not any(dial.scene["delta", t, i].get_text() for t in (1, 2, 3) for i in (1, 2))
    set_to(dial, move=5)
    assert [dial.scene["delta", t, 1].get_text() for t in (1, 2, 3)] == ["", "δ -0.262", "δ 0.000"]


def test_the_gradients_of_the_player_are_those_of_autograd():
    x = torch.tensor([[[1.5], [0.0], [0.0]]], dtype=torch.float64)
    W = widgets_bptt.W_HH.clone().requires_grad_()
    states = rnn_forward(x, widgets_bptt.W_XH, W, torch.zeros(2, dtype=torch.float64))[0]
    ((states[:, 1] - 1) ** 2).sum().div(2).backward()
    upstream = torch.zeros(3, 2, dtype=torch.float64)
    upstream[:, 1] = states.detach()[:, 1] - 1
    deltas, parts = backward(upstream, states.detach(), widgets_bptt.W_HH)
    torch.testing.assert_close(parts.sum(dim=0), W.grad)
    alt = set_to(widgets_bptt.unroll_player(), move=6, losses="at every step", input=1.5)
    assert f"({deltas[0, 0]:.3f}, {deltas[0, 1]:.3f})" in alt


def segments(artist):
    """The pieces between the gaps of one line."""
    points = np.asarray(artist.get_xydata(), dtype=float).reshape(-1, 2)
    gaps = np.flatnonzero(np.isnan(points[:, 0]))
    return [part[~np.isnan(part[:, 0])].tolist() for part in np.split(points, gaps + 1) if len(part)]


def test_a_move_lights_the_arrows_that_it_uses_and_the_nodes_that_it_reaches():
    dial = widgets_bptt.unroll_player()
    scene = dial.scene
    set_to(dial, move=2)
    assert [[2, 0], [2, 1]] in segments(scene["forward"])
    assert [[1, 1], [2, 2]] in segments(scene["forward"])
    assert segments(scene["back"]) == []
    set_to(dial, move=6)
    assert segments(scene["forward"]) == []
    assert sorted(segments(scene["back"])) == [[[1, 1], [2, 1]], [[1, 1], [2, 2]], [[1, 2], [2, 2]]]
    assert scene["touched"].get_xydata().tolist() == [[1, 1], [1, 2]]


def test_losses_come_and_go_with_their_arrows():
    dial = widgets_bptt.unroll_player()
    assert segments(dial.scene["stems"]) == [[[3, 2], [3, 3]]]
    set_to(dial, losses="at every step")
    assert segments(dial.scene["stems"]) == [[[t, 2], [t, 3]] for t in (1, 2, 3)]
    assert dial.scene["losses"].get_xydata().tolist() == [[1, 3], [2, 3], [3, 3]]


@pytest.mark.parametrize(
    ("window", "lag", "words"),
    [
        (40, 20, "60 of 100 echoes lie in one window"),
        (20, 20, "0 of 100 echoes"),
        (21, 20, "5 of 100 echoes"),
        (120, 5, "115 of 115 echoes"),
        (10, 5, "60 of 115 echoes"),
        (1, 5, "Windows of 1 step, an echo 5 steps late"),
        (40, 20, "1.00 for W_xh, 0.50 for W_hh. Held: 41 states in place of 121"),
    ],
)
def test_the_truncation_dial_says_its_numbers(window, lag, words):
    assert words in set_to(truncation_dial(), lag=lag, window=window)


def test_an_arc_is_red_when_input_and_echo_lie_between_the_same_edges():
    dial = truncation_dial()
    set_to(dial, window=40, lag=20)
    edges = [line[0][0] for line in segments(dial.scene["edges"])]
    assert edges == [0, 40, 80, 120]
    for name, apart in [("seen", 0), ("cut", 1)]:
        ends = [(arc[0][0], arc[-1][0]) for arc in segments(dial.scene[name])]
        assert ends
        assert all(end - start == 20 for start, end in ends)
        assert {int(end // 40 - start // 40) for start, end in ends} == {apart}


def test_the_marks_stand_on_their_curves():
    dial = truncation_dial()
    set_to(dial, window=21, lag=20)
    for name in ("W_xh", "W_hh"):
        (mark,) = dial.scene[f"{name} mark"].get_xydata().tolist()
        assert mark in dial.scene[name].get_xydata().tolist()
        assert mark[0] == 21


def test_the_legend_of_the_arcs_meets_no_arc():
    dial = truncation_dial()
    box_of = dial.scene.figure.axes[0]
    box = box_of.get_legend().get_window_extent()
    for name in ("edges", "seen", "cut"):
        assert not box.count_contains(box_of.transData.transform(dial.scene[name].get_xydata()))
