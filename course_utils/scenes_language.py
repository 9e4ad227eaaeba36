"""Pictures for the dials of lesson 11: what may come next, and what two models make of a cut prefix."""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out, word_below

ROOM = " " * 14


def sampler_scene(count):
    """The likeliest next tokens, before and after the rule of choosing, and the text that was drawn.

    Parameters
    ----------
    count : int, tokens that are shown.

    Returns
    -------
    Scene with the bars as lines, "model 1" and "drawn 1" to ``count``, the texts "word 1" ..., and "text".
    """
    title = "the next token after the beginning: as the model says, and as it is drawn"
    return _tokens_scene(count, {"model": GUIDE, "drawn": OUTPUT}, title)


def prefix_scene(count):
    """The likeliest next tokens of a recurrent model and of counts, which read the same last tokens.

    Parameters
    ----------
    count : int, tokens that are shown.

    Returns
    -------
    Scene with the bars "network 1", "counts 1" ..., the texts "word 1" ... and "text".
    """
    title = "what comes next, from the tokens that are read"
    return _tokens_scene(count, {"network": STATE, "counts": INPUT}, title)


def _tokens_scene(count, kinds, title):
    """Bars of two kinds over the likeliest tokens, and a line of text below them."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.2))
        ax, page = figure.subplots(2, 1, height_ratios=(5, 1))
        moving = _bars(ax, count, kinds)
        ax.set(title=title)
        page.set_axis_off()
        moving["text"] = page.text(0, 0.5, "", va="center", ha="left", fontsize=9)
        page.set(xlim=(0, 1), ylim=(0, 1))
        return laid_out(figure, moving)


def _bars(ax, count, kinds):
    """Two upright bars for each of ``count`` places, as thick lines, and a word below each."""
    ax.set(xlim=(-0.6, count - 0.4), ylim=(0, 1), ylabel="probability")
    ax.yaxis.set_major_formatter("{x:.3f}")  # of one width, so that the room left for it suffices
    ax.set_xticks(np.arange(count), labels=[ROOM] * count, rotation=40, ha="right")
    moving = {}
    for turn, (kind, colour) in enumerate(kinds.items()):
        for place in range(count):
            at = place + 0.3 * turn - 0.15
            moving[f"{kind} {place + 1}"] = ax.plot([at, at], [0, 0], color=colour, linewidth=9)[0]
            moving[f"{kind} {place + 1}"].set_solid_capstyle("butt")
        ax.plot([], [], color=colour, linewidth=6, label=kind)
    ax.legend(loc="upper right")
    for place in range(count):
        moving[f"word {place + 1}"] = word_below(ax, place, rotation=40)
    return moving
