"""Pictures for the dials of lesson 03: a pair of factors and its swing; two axes and what they let grow."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out


def mode_scene(steps):
    """Two panels: a pair of factors in the complex plane, and the swing that it makes.

    Parameters
    ----------
    steps : int, how many steps are drawn.

    Returns
    -------
    Scene with the artists arrow, pair, swing, upper and lower.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        plane, time = figure.subplots(1, 2)
        angle = np.linspace(0, 2 * np.pi, 121)
        plane.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1)
        plane.set(title="where the factors are", xlabel="real part", ylabel="imaginary part", aspect="equal")
        plane.set(xlim=(-1.7, 1.7), ylim=(-1.2, 1.2), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        time.set(title="the swing and its envelope", xlabel="steps since the start", ylabel="coordinate")
        time.set(xlim=(0, steps), ylim=(-1.1, 1.1))
        time.axhline(0, color=GUIDE, linewidth=0.6)
        envelope = {"color": STATE, "linewidth": 1, "linestyle": "--"}
        moving = {
            "arrow": plane.plot([], [], color=WEIGHT, linewidth=1)[0],
            "pair": plane.plot([], [], "x", color=WEIGHT, markersize=10, markeredgewidth=2.5)[0],
            "swing": time.plot([], [], color=STATE, marker=".")[0],
            "upper": time.plot([], [], **envelope)[0],
            "lower": time.plot([], [], **envelope)[0],
        }
        return laid_out(figure, moving)


def axes_scene(steps):
    """Two panels: two axes with the path of a state, and its length over time.

    Parameters
    ----------
    steps : int, how many steps are drawn.

    Returns
    -------
    Scene with the artists first axis, second axis, path, start, length and largest.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        plane, time = figure.subplots(1, 2)
        plane.set(title="the two axes and the path", xlabel="first number", ylabel="second number")
        plane.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
        time.set(title="how long the state is", xlabel="steps since the start", ylabel="length")
        time.set(xlim=(0, steps), yscale="log", ylim=(0.03, 30), yticks=[0.1, 1, 10])
        time.axhline(1, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        axis = {"color": WEIGHT, "linewidth": 1, "linestyle": "--"}
        moving = {
            "first axis": plane.plot([], [], **axis)[0],
            "second axis": plane.plot([], [], **axis)[0],
            "path": plane.plot([], [], color=STATE, marker=".", linewidth=0.8)[0],
            "start": plane.plot([0], [1], "s", color=STATE, markerfacecolor="white", markersize=6)[0],
            "largest": time.plot([], [], color=GUIDE, linestyle="--", label="largest possible")[0],
            "length": time.plot([], [], color=STATE, label="this start")[0],
        }
        time.legend(loc="upper right")
        return laid_out(figure, moving)
