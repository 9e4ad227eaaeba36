"""Pictures for the dials of lesson 05: one unit, its rule and states; a state among pads."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out


def cell_scene(steps):
    """Two panels: what a step makes of a state without input, and the states after one input.

    Parameters
    ----------
    steps : int, how many steps are drawn.

    Returns
    -------
    Scene with the artists rule, resting, input and states.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        rule, time = figure.subplots(1, 2)
        rule.set(title="the rule of a step, input 0", xlabel="state before", ylabel="state after")
        rule.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        rule.plot([-1, 1], [-1, 1], color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        time.set(title="states after one input", xlabel="step t", ylabel="input, state")
        time.set(xlim=(0.5, steps + 0.5), ylim=(-1.6, 1.6), xticks=[1, *range(5, steps + 1, 5)])
        time.axhline(0, color=GUIDE, linewidth=0.6)
        moving = {
            "rule": rule.plot([], [], color=STATE)[0],
            "resting": rule.plot([], [], "D", color=OUTPUT, markersize=6, label="comes to rest")[0],
            "input": time.plot([], [], color=INPUT, linestyle=":", marker="s", label="input")[0],
            "states": time.plot([], [], color=STATE, marker="o", label="state")[0],
        }
        rule.legend(loc="upper left")
        time.legend(loc="lower right", ncols=2)
        return laid_out(figure, moving)


def padding_scene(pads):
    """Two panels: the way of a state of two numbers through pads, and its distance from where it began.

    Parameters
    ----------
    pads : int, the most pads.

    Returns
    -------
    Scene with the artists way, own, end, distance and here.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        plane, far = figure.subplots(1, 2)
        plane.set(title="where the state goes", xlabel="first number", ylabel="second number", aspect="equal")
        plane.set(xlim=(-1.75, 1.75), ylim=(-1.05, 1.05), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        far.set(title="how far it is from its own length", xlabel="pads", ylabel="distance / size")
        far.set(xlim=(-0.5, pads + 0.5), ylim=(0, 2.6))
        angle = np.linspace(0, 2 * np.pi, 61)
        plane.plot(0.02 * np.cos(angle), 0.02 * np.sin(angle), color=GUIDE, linewidth=1)
        moving = {
            "way": plane.plot([], [], color=STATE, marker=".", linewidth=0.8)[0],
            "own": plane.plot([], [], "s", color=STATE, markerfacecolor="white", markersize=7)[0],
            "end": plane.plot([], [], "X", color=OUTPUT, markersize=8)[0],
            "distance": far.plot([], [], color=STATE)[0],
            "here": far.plot([], [], "X", color=OUTPUT, markersize=8)[0],
        }
        moving["own"].set_label("own length")
        moving["end"].set_label("after the pads")
        plane.legend(loc="lower left", handles=[moving["own"], moving["end"]])
        return laid_out(figure, moving)
