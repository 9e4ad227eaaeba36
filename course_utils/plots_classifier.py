"""Figures of classifiers: accuracies with intervals, with and without pads; probabilities word by word."""

import numpy as np

from course_utils.alt_text import SILENT
from course_utils.drawing import DASHES, GUIDE, SHADES, STATE, panels
from course_utils.intervals import mean_interval
from course_utils.publishing import styled

MARKS = "os^D"
"""Marks of groups, or of classes."""
BESIDE = 0.09
"""How far left of the mean the marks of the runs stand; models are 1 apart."""
COLOURS = (STATE, "#D55E00", "#8FC1E3", "#555555")


@styled
def accuracies_by_model(scores, chance, least=None, ax=None):
    """Every run of each model as a small hollow mark, beside it the mean with its interval of 95 per cent.

    Parameters
    ----------
    scores : dict from the name of a group (a way of reading) to a dict from the name of a model to a list of
        accuracies, one a seed.
    chance : float, marked with a guide.
    least : float or None, where the axis begins, or lower if a run is lower; 0 when None.
    ax : axes or None.

    Returns
    -------
    the axes; equal accuracies of all seeds have no interval.
    """
    ax = ax or panels(1)[0]
    names = list(dict.fromkeys(name for group in scores.values() for name in group))
    for turn, (group, by_model) in enumerate(scores.items()):
        look = {"color": COLOURS[turn], "marker": MARKS[turn]}
        move = 0.22 * (turn - (len(scores) - 1) / 2)
        places = [names.index(name) + move for name in by_model]
        pairs = [(at, run) for at, runs in zip(places, by_model.values(), strict=True) for run in runs]
        across, up = np.array(pairs).T
        ax.scatter(across - BESIDE, up, s=16, facecolors="none", linewidths=1.1, label=SILENT, **look)
        means = [mean_interval(runs) for runs in by_model.values()]
        ax.plot(places, [mean for mean, _, _ in means], linestyle="", markersize=6, label=group, **look)
        for at, (_, low, high) in zip(places, means, strict=True):
            ax.plot([at, at], [low, high], color=COLOURS[turn], linewidth=1.3, label=SILENT)
    _mark_chance(ax, chance)
    ax.set_xticks(range(len(names)), labels=[name.replace(", ", ",\n") for name in names], fontsize=8)
    drawn = [value for group in scores.values() for runs in group.values() for value in _extent(runs)]
    bottom = 0.0 if least is None else min(least, min(drawn) - 0.02)
    ax.set(xlabel="model", ylabel="accuracy", ylim=(bottom, max(1.0, *drawn) + 0.03))
    ax.grid(True, axis="y")
    if len(scores) > 1 or least is None:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set_label(f"accuracy against model; chance {chance:g}. {'; '.join(map(_in_words, scores.items()))}.")
    return ax


def _mark_chance(ax, chance):
    """A guide at the accuracy of guessing."""
    ax.axhline(chance, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"chance {chance:g}")


def _extent(runs):
    """All heights at which something is drawn for a model: its runs, and its interval, which may pass 1."""
    return [*runs, *mean_interval(runs)]


def _in_words(group):
    """Every model of a group by name, with the mean of its runs and the interval."""
    means = {name: mean_interval(runs) for name, runs in group[1].items()}
    said = [f"{name} {mean:.3f} ({low:.3f} to {high:.3f})" for name, (mean, low, high) in means.items()]
    return f"{group[0]}: {', '.join(said)}"


@styled
def probabilities_by_word(rows, classes, words, ax=None):
    """The probability of each class after each word.

    Parameters
    ----------
    rows : (T, K) array.
    classes : list of K texts.
    words : list of T texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for place, (label, row) in enumerate(zip(classes, np.asarray(rows).T, strict=True)):
        look = {"color": COLOURS[place], "marker": MARKS[place], "linestyle": DASHES[place]}
        ax.plot(range(len(words)), row, label=label, **look)
    ax.set_xticks(range(len(words)), labels=words, rotation=55, ha="right", rotation_mode="anchor")
    ax.set(xlabel="word read", ylabel="probability", ylim=(-0.02, 1.02))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


@styled
def accuracy_behind_pads(pads, rows, labels, chance=None, least=None, ax=None):
    """Accuracy when rows are read after more and more pads, a curve a model.

    Parameters
    ----------
    pads : (N,) array. rows : list of (N,) arrays.
    labels : list of texts.
    chance : float or None, marked with a guide where the axis reaches so low.
    least : float or None, where the axis begins, or lower if a row is lower; 0 when None.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        ax.plot(pads, row, color=SHADES[place], linestyle=DASHES[place], marker=MARKS[place], label=label)
    bottom = 0.0 if least is None else min(least, np.min(rows) - 0.02)
    if chance is not None and chance > bottom:
        _mark_chance(ax, chance)
    ax.set(xlabel="pads behind the row (steps)", ylabel="accuracy", ylim=(bottom, 1.02))
    ax.grid(True, axis="y")
    ax.legend(loc="best")
    return ax
