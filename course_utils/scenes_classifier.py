"""Pictures for the dials of lesson 10: probabilities word by word, and behind more and more pads."""

import matplotlib
from matplotlib.figure import Figure

from course_utils.drawing import DASHES, GUIDE
from course_utils.plots_classifier import COLOURS, MARKS
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out, word_below


def reading_scene(classes, most):
    """The probability of each class after each word of a document.

    Parameters
    ----------
    classes : list of K texts.
    most : int, words that there is room for.

    Returns
    -------
    Scene with an artist for each class and the texts word 1, word 2, ...
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6))
        ax = figure.subplots()
        ax.set_xticks(range(most), labels=[" " * 18] * most, rotation=60)  # room for the words, which move
        ax.set(xlim=(-0.5, most - 0.5), ylim=(-0.03, 1.03), ylabel="probability")
        moving = _curves(ax, classes)
        for place in range(most):
            moving[f"word {place + 1}"] = word_below(ax, place)
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return laid_out(figure, moving)


def pads_scene(classes, most):
    """The probability of each class behind 0, 1, 2, ... pads, and one number of pads marked.

    Parameters
    ----------
    classes : list of K texts.
    most : int, the largest number of pads.

    Returns
    -------
    Scene with an artist for each class, and the upright line pads.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        ax = figure.subplots()
        ax.set(xlim=(-1, most + 1), ylim=(-0.03, 1.03), xlabel="pads behind the document (steps)")
        ax.set(ylabel="probability")
        moving = _curves(ax, classes, marked=False)
        moving["pads"] = ax.plot([0, 0], [0, 1], color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))[0]
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return laid_out(figure, moving)


def _curves(ax, classes, marked=True):
    """An empty curve for each class."""
    looks = zip(classes, COLOURS, DASHES, MARKS, strict=True)
    return {
        name: ax.plot([], [], color=colour, linestyle=dash, marker=mark if marked else "", label=name)[0]
        for name, colour, dash, mark in looks
    }
