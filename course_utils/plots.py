"""Figures of the course: a plot function takes arrays and returns the axes; ``show`` puts them on the page.

One meaning for each colour in every lesson; a marker or a dash says it again.
"""

import numpy as np
from matplotlib import dates
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.publishing import bundle, show, styled

__all__ = [
    "GUIDE",
    "INPUT",
    "MODELS",
    "OUTPUT",
    "STATE",
    "WEIGHT",
    "bundle",
    "gain",
    "impulse",
    "measured_gain",
    "one_factor",
    "outputs",
    "panels",
    "pole_plane",
    "show",
    "smoothed",
    "states",
]

INPUT, STATE, WEIGHT, OUTPUT = "#009E73", "#0072B2", "#B87400", "#C8452B"
"""Colours by meaning: inputs green, states blue, weights and gates amber, outputs red."""
GUIDE = "#6B6B6B"
MODELS = {"RNN": ("#555555", "o", "-"), "GRU": ("#AA4499", "s", "--"), "LSTM": ("#332288", "^", "-.")}
"""Colour, marker and dash of each kind of network, the same in every lesson."""
SHADES = ("#0A3F66", "#0072B2", "#4C9BCF", "#8FC1E3")
DASHES = ("-", "--", "-.", ":")


@styled
def panels(count):
    """Axes side by side in one figure.

    Parameters
    ----------
    count : int, how many panels.

    Returns
    -------
    list of axes; pass one to each plot function and any of them to ``show``.
    """
    width = 6 if count == 1 else 4 * count
    return list(Figure(figsize=(width, 3)).subplots(1, count, squeeze=False)[0])


@styled
def states(rows, labels, inputs=None, ax=None):
    """States over time, with the inputs behind them when given.

    Parameters
    ----------
    rows : list of (T,) arrays, one a curve.
    labels : list of texts, one a curve.
    inputs : (T,) array or None.
    ax : axes to draw on; a new figure when None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(1, len(rows[0]) + 1)
    if inputs is not None:
        ax.plot(
            steps, inputs, color=INPUT, linestyle=":", marker="s" if len(steps) <= 25 else "", label="input"
        )
    _curves(ax, steps, rows, labels)
    ax.set(xlabel="step t", ylabel="input $x_t$, state $h_t$" if inputs is not None else "state $h_t$")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _name_curves(ax)


@styled
def outputs(rows, labels, ax=None):
    """What several filters answer to one input, over time.

    Parameters
    ----------
    rows : list of (T,) arrays, one a filter.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = states(rows, labels, ax=ax)
    ax.set_ylabel("output")
    return ax


@styled
def impulse(rows, labels, log=False, level=None, ax=None):
    """Impulse responses: what is left of a single 1, some steps later.

    Parameters
    ----------
    rows : list of (T,) arrays; on a log axis their sizes are drawn.
    labels : list of texts.
    log : bool, a logarithmic vertical axis.
    level : float or None, a height to mark with a guide.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(len(rows[0]))
    _curves(ax, steps, np.abs(rows) if log else rows, labels)
    if level is not None:
        _guide(ax, level)
    ax.set(xlabel="steps after the 1", ylabel="size of the state" if log else "state")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if log:
        ax.set_yscale("log")
        ax.grid(True)
    return _name_curves(ax)


@styled
def one_factor(lines, ax=None):
    """Lines that lie on each other, on a log axis: their markers take turns, so that all can be seen.

    Parameters
    ----------
    lines : dict from a label to its (T,) array, four at most.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    colours = (STATE, SHADES[3], MODELS["RNN"][0], WEIGHT)
    for turn, (label, values) in enumerate(lines.items()):
        marks = {"marker": "osD^"[turn], "markersize": 6.5, "markevery": (turn, len(lines))}
        ax.plot(np.arange(len(values)), values, color=colours[turn], linewidth=0.8, label=label, **marks)
    ax.set(xlabel="steps", ylabel="what is left of a 1", yscale="log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.grid(True)
    ax.legend(loc="lower left")
    return ax


@styled
def gain(omega, rows, labels, ax=None):
    """Gain against frequency, both logarithmic.

    Parameters
    ----------
    omega : (F,) array, radians per step, above zero.
    rows : list of (F,) arrays, output size over input size.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    _curves(ax, omega, rows, labels)
    ax.set(xlabel="frequency (radians per step)", ylabel="gain (output / input)", xscale="log", yscale="log")
    ax.grid(True)
    ax.legend(loc="lower left")
    return ax


@styled
def measured_gain(omega, formula, sines, measured, ax=None):
    """A gain formula as a curve and measured gains as crosses on it.

    Parameters
    ----------
    omega, formula : (F,) arrays, radians per step and the gain there.
    sines, measured : (M,) arrays, the frequencies tried and the gains found.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = gain(omega, [formula], ["formula"], ax=ax)
    ax.plot(sines, measured, "x", color=OUTPUT, markersize=8, markeredgewidth=2, label="measured")
    ax.legend(loc="lower left")
    return ax


@styled
def pole_plane(poles, labels, ax=None):
    """Poles as crosses in the complex plane, with the unit circle.

    Parameters
    ----------
    poles : (n,) array, real or complex.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    angle = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1, label="unit circle")
    ax.axhline(0, color="#CCCCCC", linewidth=0.8, label=SILENT, zorder=0)
    ax.axvline(0, color="#CCCCCC", linewidth=0.8, label=SILENT, zorder=0)
    poles = np.asarray(poles, dtype=complex)
    for turn, place in enumerate(np.argsort(poles.real)):
        at = (poles[place].real, poles[place].imag)
        ax.plot(*at, "x", color=WEIGHT, markersize=9, markeredgewidth=2.2, label=labels[place])
        side = 9 if turn % 2 == 0 else -18  # neighbours are named above and below in turn
        ax.annotate(labels[place], at, (0, side), textcoords="offset points", ha="center")
    ax.set(xlabel="real part", ylabel="imaginary part", aspect="equal", xlim=(-1.35, 1.35), ylim=(-1.2, 1.2))
    return ax


@styled
def smoothed(days, price, rows, labels, unit="US dollars", ax=None):
    """A measured series and its smoothed copies over calendar time.

    Parameters
    ----------
    days : (T,) array of dates.
    price : (T,) array, the series.
    rows : list of (T,) arrays, the copies.
    labels : list of texts, one a copy.
    unit : text, the unit of the series.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    ax.plot(days, price, color=INPUT, linewidth=0.9, label="price")
    _curves(ax, days, rows, labels)
    ax.set(xlabel="day", ylabel=f"price ({unit})")
    ax.xaxis.set_major_locator(dates.YearLocator())
    ax.legend(loc="upper left")
    return ax


def _curves(ax, across, rows, labels):
    """One curve a row; shade and dash tell them apart, markers show the points of short rows."""
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        look = {"color": SHADES[place % len(SHADES)], "linestyle": DASHES[place % len(DASHES)]}
        ax.plot(across, row, marker="o" if len(across) <= 25 else "", label=label, **look)


def _guide(ax, level):
    """A thin line at one height, with its value written on it."""
    ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"level {level:.3g}")
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    ax.annotate(f"{level:.2f}", (1, level), (0, 2), ha="right", va="bottom", color=GUIDE, **place)


def _name_curves(ax):
    """Write each name at the end of its curve when there are three or fewer, otherwise a legend."""
    lines = [line for line in ax.lines if line.get_color() != GUIDE]
    if len(lines) > 3:
        ax.legend(loc="best")
        return ax
    ax.get_ylim()  # settles the limits that the next lines measure in
    ends = [ax.transData.transform((0, line.get_ydata()[-1]))[1] for line in lines]
    heights = ax.transAxes.inverted().transform([(0, end) for end in ends])[:, 1]
    order = np.argsort(heights, kind="stable")
    for place, height in zip(order, _spread(np.clip(heights[order], 0, 1), apart=0.09), strict=True):
        words = {"color": lines[place].get_color(), "transform": ax.transAxes, "va": "center"}
        ax.text(1.02, height, lines[place].get_label(), **words)
    return ax


def _spread(heights, apart):
    """Rising heights moved until neighbours keep their distance, none above 1."""
    heights = np.array(heights)
    for place in range(1, len(heights)):
        heights[place] = max(heights[place], heights[place - 1] + apart)
    ceilings = 1 - apart * np.arange(len(heights))[::-1]
    return np.minimum(heights, ceilings)
