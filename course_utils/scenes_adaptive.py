"""Pictures for the dials of lesson 04: errors that shrink or grow, a path on the surface J(alpha, beta)."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, OUTPUT, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out


def step_scene(samples, runs):
    """One panel: the distance from the target taps over samples, for single runs and their mean.

    Parameters
    ----------
    samples : int, how many samples are drawn.
    runs : int, how many single runs.

    Returns
    -------
    Scene with the artists mean, and run 1 up to the number of runs.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        ax = figure.subplots()
        ax.set(xlabel="sample", ylabel="distance / distance at the start", xlim=(0, samples))
        ax.set(yscale="log", ylim=(1e-6, 1e6), yticks=[1e-6, 1e-3, 1, 1e3, 1e6])
        ax.axhline(1, color=GUIDE, linewidth=1)
        moving = {}
        for number in range(1, runs + 1):
            name = {"label": "single runs"} if number == 1 else {}
            moving[f"run {number}"] = ax.plot([], [], color=OUTPUT, linewidth=0.9, **name)[0]
        moving["mean"] = ax.plot([], [], color=STATE, linestyle="--", linewidth=2.4, label="mean recursion")[
            0
        ]
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))  # beside the panel: curves go everywhere in it
        return laid_out(figure, moving)


def path_scene(alphas, betas, J, bottom):
    """Two panels: the surface J(alpha, beta) with a path on it, and J over the updates.

    Parameters
    ----------
    alphas : (n,) array. betas : (m,) array. J : (m, n) array.
    bottom : (alpha, beta) at the lowest point.

    Returns
    -------
    Scene with the artists path, start, end and J.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4))
        surface, height = figure.subplots(1, 2)
        surface.contour(
            alphas, betas, J, levels=[0.01, 0.05, 0.2, 0.5, 2, 20], colors="#9A9A9A", linewidths=0.9
        )
        for edge in (-1, 1):
            surface.axvline(edge, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        surface.annotate(
            "unit circle", (1, betas[0]), (2, 4), textcoords="offset points", color=GUIDE, fontsize=8
        )
        surface.plot(*bottom, "x", color=OUTPUT, markersize=9, markeredgewidth=2.2)
        surface.set(title="the path; unit circle dotted", xlabel=r"pole $\alpha$", ylabel=r"gain $\beta$")
        surface.set(xlim=(alphas[0], alphas[-1]), ylim=(betas[0], betas[-1]))
        height.set(title="error power along the path", xlabel="update", ylabel="J", xlim=(0, 200))
        height.set(yscale="log", ylim=(1e-9, 1e9), yticks=[1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9])
        moving = {
            "path": surface.plot([], [], color=WEIGHT, marker=".", linewidth=1.2)[0],
            "start": surface.plot([], [], "o", color=WEIGHT, markersize=7)[0],
            "end": surface.plot([], [], "D", color=STATE, markersize=6)[0],
            "J": height.plot([], [], color=STATE)[0],
        }
        return laid_out(figure, moving)


def inside_picture(values, least, greatest):
    """Values for a log axis: what is too large or no number stands just above it, what is too small below."""
    filled = np.nan_to_num(np.asarray(values, dtype=float), nan=np.inf, posinf=np.inf)
    return np.clip(filled, least / 10, greatest * 10)
