"""Figures of how far back a loss can see: lengths against the lag, factors, recall, paths of a stack."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import DASHES, GUIDE, MODELS, OUTPUT, SHADES, STATE, WEIGHT, panels
from course_utils.publishing import styled

LOOKS = [*zip(SHADES, DASHES, strict=True), (WEIGHT, (0, (3, 1, 1, 1))), (GUIDE, (0, (1, 1)))]
"""Colour and dash of up to six curves; the shades first."""
BESIDE = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
THIN = {"color": GUIDE, "linewidth": 1, "linestyle": (0, (2, 2)), "zorder": 1}


@styled
def carried(rows, labels, bounds=(), what="length of the gradient", ax=None):
    """Lengths against the lag on a log axis: a thin line a run, a thick one for their geometric mean.

    Parameters
    ----------
    rows : list of up to six (S, T) arrays, lag 0 first.
    labels : list of texts.
    bounds : list of (label, lags, lengths), drawn as thin guides.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for (colour, dash), runs, label in zip(LOOKS, rows, labels, strict=False):
        lags = np.arange(runs.shape[1])
        for run in runs if len(runs) > 1 else []:
            ax.plot(lags, run, color=colour, linewidth=0.5, alpha=0.6, label=SILENT)
        mean = np.exp(np.log(runs).mean(axis=0))
        ax.plot(lags, mean, color=colour, linestyle=dash, label=label, zorder=3)
    for (label, lags, bound), marker in zip(bounds, ("", "."), strict=False):
        ax.plot(lags, bound, label=label, marker=marker, **THIN)
    ax.set(xlabel="lag (steps back)", ylabel=what, yscale="log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    _whole_powers(ax)
    ax.grid(True)
    ax.legend(**BESIDE)
    return ax


def _whole_powers(ax):
    """At most seven ticks on a logarithmic axis, at round powers of ten."""
    low, high = np.log10(ax.get_ylim())
    stride = next(stride for stride in (1, 2, 5, 10, 20, 50, 100) if high - low <= 7 * stride)
    ax.set_yticks(10.0 ** np.arange(np.ceil(low / stride) * stride, high, stride))
    ax.minorticks_off()


@styled
def factor_lines(across, measured, formula, labels, what, bound=None, ax=None):
    """Factors a step against a setting: a mark a run, a line for the formula, a guide at 1.

    Parameters
    ----------
    across : (n,) array, the setting.
    measured : list of (n, S) arrays.
    formula : list of (n,) arrays.
    labels : list of texts.
    what : text, the setting.
    bound : (n,) array or None, the largest factor possible; drawn as far as the panel reaches.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    looks = zip(LOOKS, "os^Dvx", measured, formula, labels, strict=False)
    for (colour, dash), marker, runs, line, label in looks:
        ax.plot(across, line, color=colour, linestyle=dash, linewidth=1.2, label=f"{label}, formula")
        look = {"marker": marker, "linestyle": "", "markersize": 4, "markerfacecolor": "none"}
        ax.plot(np.repeat(across, runs.shape[1]), runs.ravel(), color=colour, label=f"{label}, runs", **look)
    ax.axhline(1, label="level 1", **THIN)
    if bound is not None:
        ax.plot(across, bound, color=WEIGHT, linewidth=1.2, linestyle=(0, (5, 2)), label="bound")
    ax.set(xlabel=what, ylabel="factor a step", ylim=(0, 1.15 * max(runs.max() for runs in measured)))
    ax.grid(True)
    ax.legend(handles=[line for line in ax.lines if not line.get_label().startswith("level")], **BESIDE)
    return ax


@styled
def recall_dots(distances, accuracies, chance, ax=None):
    """Accuracy of every run against the length of the sequence, one open dot a seed, with a guide at chance.

    Parameters
    ----------
    distances : list of ints, steps T.
    accuracies : list of (S,) arrays.
    chance : float.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    colour, marker, _ = MODELS["RNN"]
    for place, (T, row) in enumerate(zip(distances, accuracies, strict=True)):
        beside = place + 0.05 * (np.arange(len(row)) - (len(row) - 1) / 2)  # dots that would coincide
        look = {"color": colour, "marker": marker, "markerfacecolor": "none", "linestyle": ""}
        ax.plot(beside, row, label=f"T = {T}", **look)
    ax.axhline(chance, label="chance", **THIN)
    ax.annotate("chance", (1, chance), (0, 3), xycoords=("axes fraction", "data"), color=GUIDE, **CORNER)
    ax.set_xticks(range(len(distances)), [str(T) for T in distances])
    ax.set(xlabel="steps T of the sequence", ylabel="right answers", ylim=(0, 1.05))
    return ax


CORNER = {"textcoords": "offset points", "ha": "right", "va": "bottom"}


@styled
def while_training(at, rows, labels, what, log=False, level=None, legend=True, ax=None):
    """What was watched during training against the updates, a curve a setting.

    Parameters
    ----------
    at : (N,) array, the updates.
    rows : list of up to six (N,) arrays.
    labels : list of texts.
    what : text, the quantity.
    log : bool, a logarithmic axis.
    level : float or None, a height to mark.
    legend : bool, whether this panel holds the names.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for (colour, dash), row, label in zip(LOOKS, rows, labels, strict=False):
        ax.plot(at, row, color=colour, linestyle=dash, label=label)
    if level is not None:
        ax.axhline(level, label=f"level {level:g}", **THIN)
    ax.set(xlabel="updates", ylabel=what, **({"yscale": "log"} if log else {"ylim": (0, 1.05)}))
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    if log:
        _whole_powers(ax)
    ax.grid(True)
    if legend:
        ax.legend(handles=[line for line in ax.lines if line.get_label() in labels], **BESIDE)
    return ax


@styled
def stack_paths(T, L, chosen, ax=None):
    """The unrolled stack as a grid of states, with some paths from the last output to the first state.

    Parameters
    ----------
    T, L : int, steps and layers.
    chosen : list of up to three paths, each a list of nodes (t, l).
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for t in range(1, T + 1):
        for layer in range(1, L + 1):
            _thin_arrow(ax, (t, layer), (t + 1, layer), t < T)
            _thin_arrow(ax, (t, layer), (t, layer + 1), layer < L)
    for turn, path in enumerate(chosen):
        shift = 0.07 * (turn - (len(chosen) - 1) / 2)  # so that paths side by side stay apart
        across, up = np.array(path, dtype=float).T + shift
        look = {"color": OUTPUT, "linestyle": DASHES[turn], "linewidth": 1.6, "zorder": 3}
        ax.plot(across, up, label=f"path {turn + 1}, {len(path) - 1} factors", **look)
    nodes = np.array([(t, layer) for t in range(1, T + 1) for layer in range(1, L + 1)])
    ax.plot(*nodes.T, "o", color=STATE, markersize=11, label=f"{T} x {L} states", zorder=4)
    ax.set(xlim=(0.6, T + 0.4), ylim=(0.6, L + 0.4), xlabel="step t", ylabel="layer")
    ax.set_xticks(range(1, T + 1))
    ax.set_yticks(range(1, L + 1))
    return ax


def _thin_arrow(ax, start, end, exists):
    """A thin arrow between neighbouring states."""
    if exists:
        style = {"arrowstyle": "-|>", "color": GUIDE, "linewidth": 0.8, "shrinkA": 7, "shrinkB": 7}
        ax.annotate("", end, start, arrowprops=style, zorder=1)


@styled
def by_depth(depths, rows, labels, what, ax=None):
    """Lengths against the number of layers: the geometric mean of each depth, and every run.

    Parameters
    ----------
    depths : list of ints.
    rows : list of (n, S) arrays, a row a depth.
    labels : list of texts.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for (colour, dash), marker, runs, label in zip(LOOKS[::2], "os^", rows, labels, strict=False):
        look = {"color": colour, "marker": marker, "markersize": 3, "linestyle": "", "alpha": 0.6}
        ax.plot(np.repeat(depths, runs.shape[1]), runs.ravel(), label=f"{label}, runs", **look)
        ax.plot(depths, np.exp(np.log(runs).mean(axis=1)), color=colour, linestyle=dash, label=label)
    ax.axhline(1, label="level 1", **THIN)
    ax.set(xlabel="layers L", ylabel=what, ylim=(0, None))
    ax.set_xticks(depths)
    ax.grid(True)
    ax.legend(handles=[line for line in ax.lines if line.get_label() in labels], **BESIDE)
    return ax
