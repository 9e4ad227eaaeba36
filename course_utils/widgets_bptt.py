"""The dials of lesson 06: a graph played forward and backward, and windows that cut a sequence."""

import math

import ipywidgets
import torch

from course_utils.bptt import backward
from course_utils.cells import rnn_forward
from course_utils.plots_bptt import delta_text, graph_arrows
from course_utils.scenes_bptt import truncation_scene, unroll_scene
from course_utils.widgets import Dial, choice, in_column, slider

X = torch.tensor([[1.0], [0.0], [0.0]], dtype=torch.float64)
W_XH = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
W_HH = torch.tensor([[0.5, 0.0], [1.0, 0.5]], dtype=torch.float64)
"""The graph of lesson 06: unit 1 reads the input, unit 2 reads unit 1 a step later."""
LOSSES = {"only at the end": (3,), "at every step": (1, 2, 3), "only at step 1": (1,)}
ARC_EVERY = 3


def unroll_player(move=0, losses="only at the end"):
    """Play the lesson's graph of three steps: three moves forward, then three backward.

    Parameters
    ----------
    move : int, the moves already made at the start, 0 to 6.
    losses : text, where there is a loss: only at the end, at every step, only at step 1.

    Returns
    -------
    Dial with the controls move, losses and input.
    """
    controls = {
        "move": slider("move", move, 0, 6, 1),
        "losses": choice("loss", {name: name for name in LOSSES}, losses),
        "input": slider("input at t = 1", 1.0, -3.0, 3.0, 0.25),
    }
    scene = unroll_scene(3, (W_XH, W_HH))

    def play(move, losses, input):
        x = X * input
        states = rnn_forward(x[None], W_XH, W_HH, torch.zeros(2, dtype=torch.float64))[0]
        upstream = torch.zeros_like(states)
        for t in LOSSES[losses]:
            upstream[t - 1, 1] = states[t - 1, 1] - 1
        deltas, _ = backward(upstream, states, W_HH)
        _write_numbers(scene, x, states, deltas, move, LOSSES[losses])
        _light_up(scene, move, LOSSES[losses])
        return _player_words(move, states, upstream, deltas)

    return Dial(controls, scene, play)


def truncation_dial(windows, cosines, T, window=20, lag=20):
    """Choose a window and how late the echo is; see what the gradient cannot see.

    Parameters
    ----------
    windows : list of ints, the windows measured, rising.
    cosines : dict from a lag to a dict with lists "W_xh" and "W_hh": the cosine with the full gradient, one
        number a window.
    T : int, steps of a sequence.
    window, lag : ints, those at the start, one of the windows and one of the lags.

    Returns
    -------
    Dial with the controls window and lag.
    """
    names = [(str(k), k) for k in windows]
    steps = in_column(ipywidgets.SelectionSlider(options=names, value=window, description="window k"))
    lags = {f"{lag} steps late": lag for lag in cosines}
    controls = {"window": steps, "lag": choice("echo", lags, lag)}
    scene = truncation_scene(T, max(windows))

    def move(window, lag):
        edges = range(0, T + 1, window)
        scene["edges"].set_data(*_joined([((at, 0), (at, 1.06)) for at in edges]))
        arcs = {"seen": [], "cut": []}
        for t in range(lag + 1, T + 1, ARC_EVERY):
            name = "seen" if (t - 1) // window == (t - 1 - lag) // window else "cut"
            arcs[name].append(((t - 1 - lag + 0.5, 0), (t - 0.5 - lag / 2, 1), (t - 0.5, 0)))
        for name, lines in arcs.items():
            scene[name].set_data(*_joined(lines))
        place = windows.index(window)
        for name, row in cosines[lag].items():
            scene[name].set_data(windows, row)
            scene[f"{name} mark"].set_data([window], [row[place]])
        return _truncation_words(window, lag, T, {name: row[place] for name, row in cosines[lag].items()})

    return Dial(controls, scene, move)


def _write_numbers(scene, x, states, deltas, move, losses):
    """The numbers that are known after so many moves."""
    for t in (1, 2, 3):
        scene["input", t].set_text(f"{x[t - 1, 0]:g}")
        scene["loss", t].set_text(f"$L_{t}$" if t in losses else "")
        for i in (1, 2):
            scene["state", t, i].set_text(f"{states[t - 1, i - 1]:.3f}" if move >= t else "")
            known = move >= 7 - t
            scene["delta", t, i].set_text(delta_text(float(deltas[t - 1, i - 1])) if known else "")
            scene["delta", t, i].set_visible(known)
    scene["losses"].set_data(losses, [3] * len(losses))
    scene["stems"].set_data(*_joined([((t, 2), (t, 3)) for t in losses]))


def _light_up(scene, move, losses):
    """The arrows that the last move used, and the nodes that it reached."""
    upstream = torch.tensor([[0, t in losses] for t in (1, 2, 3)])
    arrows = [(start, end) for start, end, _ in graph_arrows(3, W_XH, W_HH, upstream)]
    t = move if move <= 3 else 7 - move
    into = [(start, end) for start, end in arrows if end[0] == t and end[1] <= 2]
    out = [(start, end) for start, end in arrows if start[0] == t and start[1] >= 1]
    nodes = [[t, t], [1, 2]]
    scene["forward"].set_data(*_joined(into if 0 < move <= 3 else []))
    scene["back"].set_data(*_joined(out if move > 3 else []))
    scene["reached"].set_data(*(nodes if 0 < move <= 3 else [[], []]))
    scene["touched"].set_data(*(nodes if move > 3 else [[], []]))


def _joined(lines):
    """Many lines as one: their places across and up, with gaps between."""
    gap = (math.nan, math.nan)
    points = [point for line in lines for point in (*line, gap)]
    return tuple(zip(*points, strict=True)) if points else ([], [])


def _player_words(move, states, upstream, deltas):
    """What the last move computed, in numbers."""
    if move == 0:
        return "Nothing is computed yet. Moves 1 to 3 run forward, 4 to 6 backward."
    if move <= 3:
        return f"Move {move}, forward: the state after step {move} is {_pair(states[move - 1])}."
    t = 7 - move
    own, later = upstream[t - 1], deltas[t - 1] - upstream[t - 1]
    parts = f"{_pair(own)} from its own loss and {_pair(later)} from step {t + 1}"
    if t == 3:
        parts = f"{_pair(own)} from its own loss; no step follows"
    return f"Move {move}, backward: the gradient at the state of step {t} is {_pair(deltas[t - 1])}: {parts}."


def _pair(values):
    return "(" + ", ".join(f"{float(value) + 0.0:.3f}" for value in values) + ")"


def _truncation_words(window, lag, T, cosine):
    """What the truncation dial shows, in numbers."""
    inside = sum((t - 1) // window == (t - 1 - lag) // window for t in range(lag + 1, T + 1))
    steps = "step" if window == 1 else "steps"
    return (
        f"Windows of {window} {steps}, an echo {lag} steps late: {inside} of {T - lag} echoes lie in one "
        f"window with their input. Cosine with the full gradient: {cosine['W_xh'] + 0.0:.2f} for W_xh, "
        f"{cosine['W_hh'] + 0.0:.2f} for W_hh. Held: {min(window, T) + 1} states in place of {T + 1}."
    )
