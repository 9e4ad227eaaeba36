"""Pictures for the dials of lesson 12: an answer with its rivals, and the state that it was written from."""

import matplotlib
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out, word_below

LINES = 8
"""Answers of a beam that are listed."""


def translation_scene(steps):
    """Two panels: the probability of each word said and of the next best, and the answers of a beam.

    Parameters
    ----------
    steps : int, how many words there is room for.

    Returns
    -------
    Scene with the artists said and next; the texts question, ("word", t) and ("other", t) from 1 on, and
    ("answer", n) from 1 on.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.5, 4))
        chances, beam = figure.subplots(1, 2, width_ratios=(3, 2))
        blank = [" " * 12 + "\n" + " " * 12] * steps  # room below for the words, which move
        chances.set_xticks(range(1, steps + 1), labels=blank, rotation=60, fontsize=8)
        chances.set(ylabel="probability", xlim=(0.4, steps + 0.6), ylim=(0, 1.08))
        chances.set_xlabel("word said, and the next best below it")
        beam.set(xlim=(0, 1), ylim=(LINES + 0.5, 0.0), title="answers of the beam")
        beam.set_axis_off()
        look = {"linestyle": "none", "markersize": 7}
        moving = {
            "said": chances.plot([], [], "o", color=OUTPUT, label="said", **look)[0],
            "next": chances.plot([], [], "s", color=GUIDE, markerfacecolor="none", label="next best", **look)[
                0
            ],
            "question": chances.set_title(" ", loc="left", color=INPUT, fontsize=8, pad=24),
        }
        chances.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
        for t in range(1, steps + 1):
            for name, colour, move in (("word", OUTPUT, 0), ("other", GUIDE, 11)):
                moving[name, t] = word_below(chances, t, right=move - 2, color=colour)
        for line in range(1, LINES + 1):
            moving["answer", line] = beam.text(0, line, "", va="center", fontsize=8)
        return laid_out(figure, moving)


def state_scene(H):
    """One panel: the encoder's state number by number, and what the decoder gets of it.

    Parameters
    ----------
    H : int, numbers of the state.

    Returns
    -------
    Scene with the artists state and got, and the texts question, answer and grid.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4))
        ax = figure.subplots()
        ax.set(xlabel="number of the state", ylabel="value", xlim=(0, H + 1), ylim=(-1.1, 1.9))
        ax.axhline(0, color=GUIDE, linewidth=0.6)
        words = {"transform": ax.transAxes, "fontsize": 9}
        moving = {
            "state": ax.plot([], [], "o", color=STATE, markersize=3, label="the encoder's state")[0],
            "got": ax.plot([], [], drawstyle="steps-mid", color=OUTPUT, linewidth=1, label="handed over")[0],
            "question": ax.text(0.01, 0.93, "", color=INPUT, **words),
            "answer": ax.text(0.01, 0.85, "", color=OUTPUT, **words),
            "grid": ax.text(0.01, 0.77, "", color=GUIDE, **words),
        }
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
        ax.legend(loc="upper right", fontsize=8)
        return laid_out(figure, moving)
