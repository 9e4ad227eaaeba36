"""Figures of lesson 01: lengths and padding, shuffles, receptive fields, four ways to read a row."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import GUIDE, INPUT, OUTPUT, STATE, WEIGHT, curves, panels
from course_utils.publishing import styled
from course_utils.sequences import lags_by_layer

PADDING = "#D9D9D9"
READERS = {
    "concatenation": (OUTPUT, "s", "--", 1.8),
    "pooling": (GUIDE, "D", ":", 1.8),
    "window": (WEIGHT, "^", "-.", 4.5),
    "carried state": (STATE, "o", "-", 1.5),
}
"""Colour, marker, dash and width of each way to read a row: a wide line shows under a narrow one."""


@styled
def length_spread(lengths, labels, ax=None):
    """Share of rows that are at most so long, against length on a log axis.

    Parameters
    ----------
    lengths : list of (N,) arrays of ints, one a kind of data.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.unique(np.geomspace(1, max(map(np.max, lengths)), 60).astype(int))
    shares = [[np.mean(np.asarray(row) <= step) for step in steps] for row in lengths]
    curves(ax, steps, shares, labels)
    ax.set(
        xlabel="length (steps)", ylabel="share of rows, this long or shorter", xscale="log", ylim=(0, 1.03)
    )
    ax.xaxis.set_major_formatter("{x:g}")
    ax.grid(True)
    ax.legend(loc="lower right")
    return ax


@styled
def padded(lengths, batch, ax=None):
    """Rows side by side as bars, each filled with padding up to the longest of its batch.

    Parameters
    ----------
    lengths : (N,) array of ints, in the order in which they are batched.
    batch : int, rows a batch.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    lengths = np.asarray(lengths)
    rows = np.arange(1, len(lengths) + 1)
    batches = np.split(lengths, range(batch, len(lengths), batch))
    tops = np.concatenate([np.full_like(part, part.max()) for part in batches])
    ax.bar(rows, tops, width=1, color=PADDING, label="padded to")
    ax.bar(rows, lengths, width=1, color=INPUT, label="real steps")
    ax.set(xlabel="row", ylabel="steps", xlim=(0.5, len(rows) + 0.5), ylim=(0, 1.28 * tops.max()))
    ax.legend(loc="upper left", ncols=2)
    return ax


@styled
def shuffled(answers, ax=None):
    """Answers of models to a row (bars) and to shuffles of it (dots).

    Parameters
    ----------
    answers : dict from the name of a model to (answer to the row, (S,) array of answers to its shuffles).
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for place, (name, (own, others)) in enumerate(answers.items()):
        across = place + np.linspace(-0.3, 0.3, len(others))
        ax.scatter(across, others, s=12, color=GUIDE, label=f"{name}, shuffled")
        ax.plot([place - 0.35, place + 0.35], [own, own], color=OUTPUT, label=f"{name}, as it is")
    ax.set(xlabel="model", ylabel="answer", xlim=(-0.6, len(answers) - 0.4))
    ax.set_xticks(range(len(answers)), answers)
    return ax


@styled
def dependence(k, dilations, seen=(), ax=None):
    """Which units of a stack of causal convolutions the last output depends on, and how they are joined.

    Parameters
    ----------
    k : int, taps of every layer.
    dilations : list of ints, one a layer, the lowest first.
    seen : array, the ages of the inputs that move the output when they are perturbed.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    lines, units = dependence_lines(k, dilations)
    ax.plot(*lines, color=WEIGHT, linewidth=0.8, label=SILENT)
    ax.plot(*units, "o", color=STATE, label="units that count")
    if len(seen):
        places = -np.asarray(seen)
        ax.scatter(places, 0 * places, s=24, marker="s", color=INPUT, label="inputs that count", zorder=3)
    ax.set(xlabel="step (0 is the newest)", ylabel="layer")
    ax.set_yticks(range(len(dilations) + 1), ["inputs", *range(1, len(dilations) + 1)])
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def dependence_lines(k, dilations):
    """The points of a picture of a stack: lines between layers, units above the inputs.

    Returns
    -------
    lines : (2, 3 N) array, steps and layers, a line from input to unit and then NaN.
    units : (2, M) array, steps and layers.
    """
    layers = lags_by_layer(k, dilations)
    lines = []
    for level, (dilation, ages) in enumerate(zip(dilations, layers[1:], strict=True)):
        for lag in dilation * np.arange(k):
            lines += [
                column for age in ages for column in ((-age - lag, level), (-age, level + 1), (np.nan, level))
            ]
    units = [(-age, level) for level, ages in enumerate(layers[1:], start=1) for age in ages]
    return np.array(lines, dtype=float).T, np.array(units, dtype=float).T


@styled
def moves(rows, labels, ax=None):
    """How far the last output moves when an input is perturbed, against the age of the input.

    Parameters
    ----------
    rows : list of (T,) arrays, the moves, newest input first.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    curves(ax, np.arange(len(rows[0])), rows, labels)
    ax.set(xlabel="age of the input (steps)", ylabel="move of the output")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="best")
    return ax


@styled
def accuracies(across, rows, xlabel, trained=None, log=False, legend=False, title="", ax=None):
    """Accuracy of ways to read a row; a dotted guide at chance, a shade over what was trained on.

    Parameters
    ----------
    across : (N,) array, positions, distances or numbers of examples.
    rows : dict from a way (a key of READERS) to its (N,) accuracies.
    xlabel : text.
    trained : (first, last) on the horizontal axis, shaded, or None.
    log : bool, a logarithmic horizontal axis with a tick at each point.
    legend : bool, name the curves here.
    title : text above the panel.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    if trained:
        ax.axvspan(*trained, color="#EFEFEF", label=SILENT, zorder=0)
        ax.text(np.mean(trained), 1.06, "trained", ha="center", color=GUIDE)
    ax.axhline(0.5, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label="chance")
    for name, values in rows.items():
        colour, marker, dash, width = READERS[name]
        look = {"color": colour, "marker": marker, "linestyle": dash, "linewidth": width}
        ax.plot(across, values, markersize=3 + 1.4 * width, zorder=4 - width / 4, label=name, **look)
    ax.set(
        xlabel=xlabel,
        ylabel="share of test rows right",
        ylim=(-0.04, 1.16),
        title=title,
        yticks=[0, 0.25, 0.5, 0.75, 1],
    )
    if log:
        ax.set_xscale("log")
        ax.set_xticks(across, [f"{value:g}" for value in across])
        ax.minorticks_off()
    if legend:
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax
