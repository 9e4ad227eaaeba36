"""Pictures for the dials of lesson 01: a stack of convolutions and its reach; a row and its shuffles."""

import matplotlib
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out

LIMITS = (-1.3, 1.8)
"""Limits with wide tick labels: the layout that is settled with them has room for all others."""


def reach_scene(most_layers):
    """A stack of convolutions: lines, units, inputs that count and inputs in holes.

    Parameters
    ----------
    most_layers : int, room upwards.

    Returns
    -------
    Scene with the artists lines, units and inputs.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        ax = figure.subplots()
        ax.set(xlabel="step (0 is the newest)", ylabel="layer", ylim=(-0.4, most_layers + 0.4))
        ax.set_yticks(range(most_layers + 1), ["inputs", *range(1, most_layers + 1)])
        moving = {
            "lines": ax.plot([], [], color=WEIGHT, linewidth=0.6)[0],
            "units": ax.plot([], [], "o", color=STATE)[0],
            "inputs": ax.plot([], [], "s", color=INPUT, markersize=4)[0],
        }
        return laid_out(figure, moving)


def shuffle_scene():
    """Two panels: a row and one shuffle of it; answers to many shuffles beside the answer to the row.

    Returns
    -------
    Scene with the artists row, shuffled, answers and own.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        rows, answers = figure.subplots(1, 2)
        rows.set(title="the row (squares), one shuffle (dots)", xlabel="step t", ylabel="input", ylim=LIMITS)
        answers.set(title="answer to the row (line), to shuffles (dots)", xlabel="shuffle", ylabel="answer")
        answers.set(ylim=LIMITS)
        moving = {
            "row": rows.plot([], [], color=INPUT, marker="s", linestyle=":")[0],
            "shuffled": rows.plot([], [], "o", color=GUIDE)[0],
            "answers": answers.plot([], [], "o", color=GUIDE)[0],
            "own": answers.plot([], [], color=OUTPUT)[0],
        }
        return laid_out(figure, moving)
