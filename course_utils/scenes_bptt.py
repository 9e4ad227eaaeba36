"""Pictures for the dials of lesson 06: the unrolled graph, played both ways; windows of a sequence."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE, WEIGHT
from course_utils.plots_bptt import GRAPH_SIZE, NODE, UNDER, draw_arrow, graph_arrows, graph_frame
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out

FAINT = "#A8A8A8"
CUT = "#C9C9C9"
INSIDE = {"ha": "center", "va": "center", "fontsize": 9, "color": STATE, "zorder": 6}


def unroll_scene(T, weights):
    """The graph of a short sequence, all arrows faint: numbers, the active arrows and nodes move.

    Parameters
    ----------
    T : int, steps.
    weights : W_xh (H, 1) and W_hh (H, H) arrays.

    Returns
    -------
    Scene with the artists forward and back (the active arrows), reached and touched (rings around nodes),
    losses and stems (their nodes and what joins them to the last unit), and the texts ("input", t),
    ("state", t, i), ("delta", t, i) and ("loss", t), counted from 1.
    """
    H = len(weights[1])
    no_loss = np.zeros((T, H))  # losses come and go, so they are not part of the background
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=GRAPH_SIZE)
        ax = figure.subplots()
        graph_frame(ax, T, H)
        for start, end, weight in graph_arrows(T, *weights, no_loss):
            draw_arrow(ax, start, end, weight, FAINT)
        thick = {"linewidth": 5, "alpha": 0.35, "solid_capstyle": "butt"}
        ring = {"markersize": NODE + 6, "markerfacecolor": "none", "markeredgewidth": 2.5}
        hollow = {"markersize": NODE, "markerfacecolor": "white", "markeredgewidth": 1.6}
        steps = range(1, T + 1)
        moving = {
            "stems": ax.plot([], [], color=FAINT, linewidth=1.3)[0],
            "forward": ax.plot([], [], color=WEIGHT, **thick)[0],
            "back": ax.plot([], [], color=OUTPUT, **thick)[0],
            "inputs": ax.plot(steps, [0] * T, "s", color=INPUT, **hollow)[0],
            "units": ax.plot(
                [t for t in steps for _ in range(H)], [*range(1, H + 1)] * T, "o", color=STATE, **hollow
            )[0],
            "losses": ax.plot([], [], "o", color=OUTPUT, **hollow)[0],
            "reached": ax.plot([], [], "o", color=STATE, **ring)[0],
            "touched": ax.plot([], [], "o", color=OUTPUT, **ring)[0],
        }
        for t in steps:
            moving["input", t] = ax.text(t, 0, "", **INSIDE | {"color": INPUT})
            moving["loss", t] = ax.text(t, H + 1, "", **INSIDE | {"color": OUTPUT})
            for i in range(1, H + 1):
                moving["state", t, i] = ax.text(t, i, "", **INSIDE)
                moving["delta", t, i] = ax.annotate("", (t, i), **UNDER)
        return laid_out(figure, moving)


def truncation_scene(T, longest):
    """Two panels: which echoes lie inside a window, and how far the truncated gradients point astray.

    Parameters
    ----------
    T : int, steps of a sequence.
    longest : int, the longest window in the right panel.

    Returns
    -------
    Scene with the artists edges, seen and cut (left), and for W_xh and W_hh a curve and a mark (right).
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        arcs, angle = figure.subplots(1, 2)
        arcs.set(title="from an input to its echo", xlabel="step t", xlim=(0, T), ylim=(0, 1.25), yticks=[])
        arcs.spines["left"].set_visible(False)
        angle.set(title="truncated against full gradient", xlabel="steps k in a window", ylabel="cosine")
        angle.set(xscale="log", xlim=(0.9, 1.1 * longest), ylim=(-1.05, 1.1))
        angle.set(xticks=[1, 2, 5, 10, 20, 50, 100], yticks=[-1, -0.5, 0, 0.5, 1])
        angle.xaxis.set_major_formatter("{x:g}")
        angle.axhline(0, color=GUIDE, linewidth=0.6)
        writes, keeps = {"color": WEIGHT}, {"color": STATE, "linestyle": "--"}
        dot = {"marker": "o", "markersize": 8, "linestyle": ""}
        moving = {
            "edges": arcs.plot([], [], color=GUIDE, linewidth=0.7)[0],
            "cut": arcs.plot([], [], color=CUT, linewidth=1.2, label="cut by an edge")[0],
            "seen": arcs.plot([], [], color=OUTPUT, linewidth=1.4, label="inside a window")[0],
            "W_xh": angle.plot([], [], label="$W_{xh}$, which writes", **writes)[0],
            "W_hh": angle.plot([], [], label="$W_{hh}$, which keeps", **keeps)[0],
            "W_xh mark": angle.plot([], [], color=WEIGHT, **dot)[0],
            "W_hh mark": angle.plot([], [], color=STATE, **dot)[0],
        }
        arcs.legend(loc="upper center", ncols=2)
        angle.legend(loc="lower right")
        return laid_out(figure, moving)
