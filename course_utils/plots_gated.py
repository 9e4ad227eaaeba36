"""Figures of gated units: two ways of a gradient, recall by distance, shares of runs, confusions, gates."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import FADED, GUIDE, INPUT, MODELS, SHADES, STATE, WEIGHT, curves, panels
from course_utils.intervals import wilson
from course_utils.publishing import styled

GATES = {"f": ("forget f", "-"), "i": ("write i", "--"), "o": ("read o", ":")}


@styled
def two_ways(line, whole, second, ax=None):
    """Size of dc_T/dc_s by the steps between: along the cell, by all ways, and by all others.

    Parameters
    ----------
    line, whole, second : (T,) arrays for k = 1 ... T, the last at distance 0.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(len(whole))
    looks = [(whole, "all ways", STATE, "-"), (line, "along the cell", WEIGHT, "--")]
    for row, label, colour, dash in [*looks, (second, "all other ways", GUIDE, ":")]:
        ax.plot(steps, np.asarray(row)[::-1], color=colour, linestyle=dash, label=label)
    ax.set(xlabel="steps from $c_s$ to $c_T$", ylabel="size of $dc_T/dc_s$")
    ax.set_yscale("log", nonpositive="mask")  # over 0 steps there is no other way: no line down to it
    ax.yaxis.set_major_formatter("{x:g}")
    ax.grid(True)
    ax.legend(loc="lower left")
    return ax


@styled
def recall_by_distance(scores, chance, ax=None):
    """Accuracy of every run against the length of the row; the cells stand beside each other at a length.

    Parameters
    ----------
    scores : dict from the name of a cell, a key of ``MODELS``, to a dict from T to a list of accuracies.
    chance : float, marked with a guide.
    ax : axes or None.

    Returns
    -------
    the axes; across is the place of T among the lengths, which are written below.
    """
    ax = ax or panels(1)[0]
    lengths = sorted({T for by_length in scores.values() for T in by_length})
    for turn, (name, by_length) in enumerate(scores.items()):
        colour, marker, _ = MODELS[name]
        pairs = [(lengths.index(T), score) for T, row in by_length.items() for score in row]
        spread = [0.018 * (number % 8 - 3.5) for number in range(len(pairs))]
        across = [place + 0.25 * (turn - 1) + move for (place, _), move in zip(pairs, spread, strict=True)]
        points = {"s": 16, "facecolors": "none", "edgecolors": colour, "linewidths": 1}
        ax.scatter(across, [score for _, score in pairs], marker=marker, label=name, **points)
    ax.axhline(chance, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"chance {chance:g}")
    ax.set(xlabel="length of the row T (steps)", ylabel="accuracy", ylim=(0, 1.05))
    ax.set_xticks(range(len(lengths)), labels=[str(T) for T in lengths])
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


@styled
def shares(counts, what="share of runs that learned", ax=None):
    """Shares as dots with their intervals of 95 per cent, side by side.

    Parameters
    ----------
    counts : dict from a label to (successes, runs); a comma begins a new line of a label.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    names = [f"{label}, {won} of {runs}" for label, (won, runs) in counts.items()]
    for place, (name, (won, runs)) in enumerate(zip(names, counts.values(), strict=True)):
        low, high = wilson(won, runs)
        look = {"color": WEIGHT, "marker": "o", "markevery": [1], "markerfacecolor": STATE}
        ax.plot(3 * [place], [low, won / runs, high], linewidth=1.5, label=name, **look)
    ax.set_xticks(range(len(counts)), labels=[name.replace(", ", "\n") for name in names], fontsize=8)
    ax.set(xlabel="cell and start", ylabel=what, ylim=(-0.03, 1.03))
    ax.grid(True, axis="y")
    return ax


@styled
def accuracy_over_updates(updates, rows, labels, levels=(), ax=None):
    """Accuracy of single runs while they train, with thin lines at given heights.

    Parameters
    ----------
    updates : (N,) array. rows : list of (N,) arrays.
    labels : list of texts.
    levels : heights to mark.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for level in levels:
        ax.axhline(level, color="#DDDDDD", linewidth=0.8, label=SILENT, zorder=0)
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        look = {"color": SHADES[place % 4], "linestyle": ("-", "--", "-.", ":")[place % 4]}
        ax.plot(updates, row, linewidth=1.4, label=label, **look)
    ax.set(xlabel="update", ylabel="accuracy on the batch", ylim=(0, 1.05))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


@styled
def confusions(table, title="", ax=None):
    """What was named for each true symbol, as shares of a row.

    Parameters
    ----------
    table : (V, V) array of counts, rows the truth.
    title : text.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    table = np.asarray(table, dtype=float)
    ax.imshow(table / table.sum(axis=1, keepdims=True), cmap="Blues", vmin=0, vmax=1, label="share named")
    ax.set(xlabel="symbol named", ylabel="symbol at step 1", title=title)
    ax.set(xticks=range(len(table)), yticks=range(len(table)))
    return ax


@styled
def gates_by_word(trace, words, title="", ax=None):
    """The three gates of one unit, word by word.

    Parameters
    ----------
    trace : dict with (T,) arrays f, i and o.
    words : list of T texts.
    title : text.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for letter, (name, dash) in GATES.items():
        ax.plot(range(len(words)), trace[letter], dash, color=WEIGHT, marker=".", label=name)
    ax.set(ylabel="gate", ylim=(0, 1.05), title=title)
    ax.legend(loc="lower right")
    return _words_below(ax, words)


@styled
def cell_values(rows, labels, offered=None, words=None, start=1, ax=None):
    """A cell over time, of several sequences or under several gates.

    Parameters
    ----------
    rows : list of (T,) arrays.
    labels : list of texts.
    offered : (T,) array or None, what could be written at each step, drawn behind.
    words : list of T texts or None; step numbers when None.
    start : int, the number of the first step.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(len(rows[0])) + (0 if words else start)
    ax.axhline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)
    if offered is not None:
        ax.plot(steps, offered, color=INPUT, linestyle=":", label="offered")
    curves(ax, steps, rows, labels)
    ax.set(xlabel="step t", ylabel="cell $c_t$")
    ax.legend(loc="best")
    if words:
        return _words_below(ax, words)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    return ax


def _words_below(ax, words):
    ax.set_xticks(range(len(words)), labels=words, rotation=55, ha="right", rotation_mode="anchor")
    ax.set(xlabel="word read")
    return ax
