"""Pictures for the dials of lesson 08: a clipped gradient; a start of W_hh and how far back it carries."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from course_utils.drawing import GUIDE, SHADES, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out

REACH = 4
"""The plane of the clipped gradient shows numbers up to this size."""


def clip_scene():
    """Two panels: a gradient of two numbers clipped in two ways, and by how much each way turns it.

    Returns
    -------
    Scene with the artists box, ball, before, by value, by length, angles (a curve) and here.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4))
        plane, turn = figure.subplots(1, 2)
        plane.set(title="the gradient, clipped two ways", xlabel="first number", ylabel="second number")
        plane.set(xlim=(-1.7 * REACH, 1.3 * REACH), ylim=(-1.15 * REACH, 1.15 * REACH), aspect="equal")
        turn.set(title="how far it is turned", xlabel="direction before (degrees)", ylabel="degrees")
        turn.set(xlim=(0, 360), ylim=(-1, 46), xticks=[0, 90, 180, 270, 360])
        edge = {"fill": False, "color": WEIGHT, "linestyle": (0, (4, 2))}
        moving = {
            "box": plane.add_patch(Rectangle((-1, -1), 2, 2, **edge)),
            "ball": plane.add_patch(Circle((0, 0), 1, **edge)),
            "before": plane.plot([], [], ":", color=GUIDE, marker="o", markevery=[1], label="before")[0],
            "by value": plane.plot([], [], "--", color=SHADES[2], marker="D", markevery=[1])[0],
            "by length": plane.plot([], [], color=STATE, marker="s", markevery=[1])[0],
            "angles": turn.plot([], [], "--", color=SHADES[2], label="by value")[0],
            "straight": turn.plot([0, 360], [0, 0], color=STATE, label="by length")[0],
            "here": turn.plot([], [], "D", color=SHADES[2])[0],
        }
        moving["by value"].set_label("by value")
        moving["by length"].set_label("by length")
        plane.legend(handles=[moving[name] for name in ("before", "by value", "by length")], loc="upper left")
        return laid_out(figure, moving)


def spectrum_scene(lags):
    """Three panels: eigenvalues, singular values, and the length of a gradient against the lag.

    Parameters
    ----------
    lags : int, how many are drawn.

    Returns
    -------
    Scene with the artists eigenvalues, singular values and gradient.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.2))
        plane, values, back = figure.subplots(1, 3)
        angle = np.linspace(0, 2 * np.pi, 121)
        plane.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1)
        plane.set(title="eigenvalues", xlabel="real part", ylabel="imaginary part", aspect="equal")
        plane.set(xlim=(-3.4, 3.4), ylim=(-3.4, 3.4), xticks=[-2, 0, 2], yticks=[-2, 0, 2])
        values.set(title="singular values", xlabel="place, largest first", ylabel="size", ylim=(-0.1, 6.2))
        values.axhline(1, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        back.set(title="gradient", xlabel="lag (steps back)", ylabel="length", yscale="log")
        back.set(xlim=(0, lags), ylim=(1e-15, 1e15), yticks=[1e-12, 1e-6, 1, 1e6, 1e12])
        back.axhline(1e-6, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        moving = {
            "eigenvalues": plane.plot([], [], ".", color=WEIGHT, markersize=4)[0],
            "singular values": values.plot([], [], ".", color=WEIGHT, markersize=4)[0],
            "gradient": back.plot([], [], color=STATE)[0],
        }
        return laid_out(figure, moving)
