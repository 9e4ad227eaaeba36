"""What all figures share: colours by meaning, panels, curves that differ in shade and dash, their names."""

import numpy as np
from matplotlib.figure import Figure

from course_utils.publishing import styled

INPUT, STATE, WEIGHT, OUTPUT = "#009E73", "#0072B2", "#B87400", "#C8452B"
"""Colours by meaning: inputs green, states blue, weights and gates amber, outputs red."""
GUIDE = "#6B6B6B"
FADED = "#CCCCCC"
"""Axes through zero, behind what is drawn."""
MODELS = {"RNN": ("#555555", "o", "-"), "GRU": ("#AA4499", "s", "--"), "LSTM": ("#332288", "^", "-.")}
"""Colour, marker and dash of each kind of network, the same in every lesson."""
SHADES = ("#0A3F66", "#0072B2", "#4C9BCF", "#8FC1E3")
DASHES = ("-", "--", "-.", ":")
MARKED = 30
"""Rows of at most this many points show each of them."""
APART = 0.09
"""Least distance of two names at the ends of curves, as a share of the panel's height."""


@styled
def panels(count, width=4):
    """Axes side by side in one figure.

    Parameters
    ----------
    count : int, how many panels.
    width : float, inches a panel when there are several; near 3 for square pictures.

    Returns
    -------
    list of axes; pass one to each plot function and any of them to ``show``.
    """
    whole = 6 if count == 1 else width * count
    return list(Figure(figsize=(whole, 3)).subplots(1, count, squeeze=False)[0])


def look_of(place):
    """Shade and dash of the first, second, ... of several curves: they come again after the fourth."""
    return {"color": SHADES[place % len(SHADES)], "linestyle": DASHES[place % len(DASHES)]}


def curves(ax, across, rows, labels):
    """One curve a row; shade and dash tell them apart, markers show the points of short rows."""
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        marker = "o" if len(across) <= MARKED else ""
        ax.plot(across, row, marker=marker, label=label, **look_of(place))


def guide(ax, level):
    """A thin line at one height, with its value written on it."""
    ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"level {level:.3g}")
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    ax.annotate(f"{level:.2f}", (1, level), (0, 2), ha="right", va="bottom", color=GUIDE, **place)


def name_curves(ax):
    """Write each name at the end of its curve; a legend for more than three, or when ends coincide."""
    lines = [line for line in ax.lines if line.get_color() != GUIDE]
    ax.get_ylim()  # settles the limits that the next lines measure in
    ends = [ax.transData.transform((0, line.get_ydata()[-1]))[1] for line in lines]
    heights = ax.transAxes.inverted().transform([(0, end) for end in ends])[:, 1]
    order = np.argsort(heights, kind="stable")
    settled = np.clip(heights[order], 0, 1)
    places = _spread(settled)
    moved = np.abs(places - settled).max()
    if len(lines) > 3 or moved > 0.7 * APART:  # a name must not stand at another's end
        ax.legend(loc="best")
        return ax
    for place, height in zip(order, places, strict=True):
        words = {"color": lines[place].get_color(), "transform": ax.transAxes, "va": "center"}
        ax.text(1.02, height, lines[place].get_label(), **words)
    return ax


def _spread(heights):
    """Rising heights moved until neighbours keep their distance, none above 1."""
    heights = np.array(heights)
    for place in range(1, len(heights)):
        heights[place] = max(heights[place], heights[place - 1] + APART)
    ceilings = 1 - APART * np.arange(len(heights))[::-1]
    return np.minimum(heights, ceilings)
