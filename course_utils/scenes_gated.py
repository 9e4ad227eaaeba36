"""Pictures for the dials of lesson 09: a cell behind its gates, and the gates of a trained unit by word."""

import matplotlib
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out, word_below


def gate_scene(steps):
    """Two panels: a cell into which a 1 was written, with noise offered ever since; what is left by gate.

    Parameters
    ----------
    steps : int, how many steps are drawn.

    Returns
    -------
    Scene with the artists cell, kept and line.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        time, log = figure.subplots(1, 2)
        time.set(title="the cell: a 1 at step 0, then noise", xlabel="step", ylabel="cell c")
        time.set(xlim=(0, steps), ylim=(-2, 2))
        time.axhline(0, color=GUIDE, linewidth=0.6)
        log.set(title="product of the forget gates", xlabel="steps since the 1", ylabel="left of the 1")
        log.set(xlim=(0, steps), yscale="log", ylim=(1e-6, 2), yticks=[1e-6, 1e-4, 1e-2, 1])
        log.axhline(0.37, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        moving = {
            "cell": time.plot([], [], color=STATE, label="cell")[0],
            "kept": time.plot([], [], color=INPUT, linestyle="--", label="left of the 1")[0],
            "line": log.plot([], [], color=WEIGHT)[0],
        }
        time.legend(loc="lower right", ncols=2)
        return laid_out(figure, moving)


def trace_scene(words):
    """Two panels over the words of a sentence: the gates of a unit, its cell and its state.

    Parameters
    ----------
    words : int, how many words a sentence has.

    Returns
    -------
    Scene with the artists f, i, o, g, c and h, and the texts word 1, word 2, ...
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6))
        gates, cell = figure.subplots(1, 2)
        blank = [" " * 14] * words  # room below for the words, which move
        for ax in (gates, cell):
            ax.set_xticks(range(words), labels=blank, rotation=60)
            ax.set(xlim=(-0.5, words - 0.5))
        gates.set(title="gates and candidate", ylabel="f, i, o, g", ylim=(-1.05, 1.05))
        cell.set(title="cell and state", ylabel="c, h", ylim=(-8, 8))
        for ax in (gates, cell):
            ax.axhline(0, color=GUIDE, linewidth=0.6)
        look = {"color": WEIGHT, "marker": "."}
        moving = {
            "f": gates.plot([], [], "-", label="forget f", **look)[0],
            "i": gates.plot([], [], "--", label="write i", **look)[0],
            "o": gates.plot([], [], ":", label="read o", **look)[0],
            "g": gates.plot([], [], "-.", color=INPUT, marker=".", label="candidate g")[0],
            "c": cell.plot([], [], color=STATE, marker=".", label="cell c")[0],
            "h": cell.plot([], [], "--", color=STATE, marker=".", label="state h")[0],
        }
        for ax in (gates, cell):
            ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.12), ncols=4, fontsize=8)
            for place in range(words):
                moving[f"word {place + 1}{'' if ax is gates else ' again'}"] = word_below(ax, place)
        return laid_out(figure, moving)
