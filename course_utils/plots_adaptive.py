"""Figures of adaptive filters: error surfaces with paths on them, errors that shrink, poles that move."""

import numpy as np

from course_utils.drawing import (
    DASHES,
    GUIDE,
    INPUT,
    MARKED,
    OUTPUT,
    STATE,
    WEIGHT,
    curves,
    look_of,
    name_curves,
    panels,
)
from course_utils.publishing import styled

MARKS = ("o", "s", "^")


@styled
def error_surface(across, up, J, levels, bottom, labels, paths=None, legend="upper right", ax=None):
    """An error surface as contour lines, its lowest point, and paths over it.

    Parameters
    ----------
    across : (n,) array. up : (m,) array, the two weights.
    J : (m, n) array, the error power.
    levels : rising list of heights to draw.
    bottom : the two weights at the lowest point.
    labels : two texts, the weights' names with their axis.
    paths : dict from a label to a (steps + 1, 2) array, two at most, or None.
    legend : text, the corner for the names of the paths.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    lines = ax.contour(across, up, J, levels=levels, colors="#9A9A9A", linewidths=0.9)
    lines.set_label("contour lines of J")
    ax.clabel(lines, fmt="%g", fontsize=7.5, colors=GUIDE)
    for place, (label, path) in enumerate((paths or {}).items()):
        look = {"color": (WEIGHT, "#5B3A00")[place % 2], "linestyle": DASHES[place % len(DASHES)]}
        marker = MARKS[place % len(MARKS)] if len(path) <= 2 * MARKED else ""
        ax.plot(*path.T, marker=marker, markersize=3, linewidth=1.4, label=label, **look)
    ax.plot(*bottom, "x", color=OUTPUT, markersize=9, markeredgewidth=2.2, label="bottom")
    ax.set(xlabel=labels[0], ylabel=labels[1])
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    if paths:
        handles = [line for line in ax.lines if line.get_label() in paths]
        ax.legend(handles=handles, loc=legend, frameon=True, framealpha=0.9, edgecolor="none")
    return ax


@styled
def shrinking(rows, labels, across="sample", up="distance from the target taps", level=None, ax=None):
    """Sizes on a log axis over samples or updates: straight lines shrink by one factor a step.

    Parameters
    ----------
    rows : list of (T,) arrays above zero.
    labels : list of texts.
    across, up : texts, what the axes carry.
    level : float or None, a height marked with a guide.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    longest = max(len(row) for row in rows)
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        ax.plot(np.arange(1, len(row) + 1), np.abs(row), label=label, **look_of(place))
    if level is not None:
        ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"level {level:.3g}")
    ax.set(xlabel=across, ylabel=up, xlim=(0, longest))
    ax.set_yscale("log", nonpositive="mask")
    ax.grid(True)
    return name_curves(ax)


@styled
def step_sizes(steps, runs, mean, bounds, ax=None):
    """What is left of the error against the step, for single runs and for their mean recursion.

    Parameters
    ----------
    steps : (M,) array, the steps tried with single runs.
    runs : (M, R) array, what is left in each run, as a share of the start.
    mean : pair of (N,) arrays, steps and what the mean recursion leaves.
    bounds : dict from a name to a step, drawn as upright guides.
    ax : axes or None.

    Returns
    -------
    the axes; what lies above 1e42 is not in the picture.
    """
    ax = ax or panels(1)[0]
    ax.plot(*mean, color=STATE, label="mean recursion")
    across = np.repeat(steps, runs.shape[1])
    ax.scatter(
        across, runs.ravel(), s=14, color=OUTPUT, marker="o", linewidths=0, label="single runs", zorder=3
    )
    ax.axhline(1, color=GUIDE, linewidth=1, label="nothing learned, nothing lost")
    ax.set(xscale="log", yscale="log", xlabel=r"step $\mu$", ylabel="error left / error at the start")
    for name, step in bounds.items():
        ax.axvline(step, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=name)
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        ax.annotate(name, (step, 1), (-3, -2), ha="right", va="top", rotation=90, color=GUIDE, **place)
    named = [line for line in ax.get_legend_handles_labels()[0] if line.get_label() not in bounds]
    ax.set(ylim=(1e-21, 1e42), yticks=10.0 ** np.arange(-20, 50, 10))
    ax.legend(handles=named, loc="upper left")
    return ax


@styled
def poles_learned(rows, labels, target, ax=None):
    """The pole over updates, with the unit circle at 1 and -1 and the pole that is looked for.

    Parameters
    ----------
    rows : list of (n,) arrays, one a path; a path may end early.
    labels : list of texts.
    target : float.
    ax : axes or None.

    Returns
    -------
    the axes; what lies beyond 1.5 is not in the picture.
    """
    ax = ax or panels(1)[0]
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        look = {"color": (OUTPUT, WEIGHT, STATE)[place], "linestyle": ("-", ":", "--")[place]}
        ax.plot(np.arange(len(row)), row, label=label, linewidth=(1.2, 1.4, 2.2)[place], **look)
    for edge in (1, -1):
        ax.axhline(edge, color=GUIDE, linewidth=1, label=f"unit circle at {edge}")
    ax.axhline(target, color=INPUT, linewidth=1, linestyle=(0, (1, 2)), label=f"target {target:g}")
    ax.set(xlabel="update", ylabel=r"pole $\alpha$", ylim=(-1.5, 1.5), xlim=(0, max(map(len, rows)) - 1))
    handles = [line for line in ax.lines if not line.get_label().startswith("unit circle")]
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1, 0.5))
    for edge in (1, -1):
        place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        beyond = {"va": "bottom" if edge > 0 else "top", "ha": "right", "color": GUIDE}
        ax.annotate("unit circle", (1, edge), (-3, 3 * edge), **beyond, **place)
    return ax


@styled
def echo_left(seconds, rows, labels, both, ax=None):
    """How much of an echo is left over time, in decibels.

    Parameters
    ----------
    seconds : (n,) array, the middle of each stretch.
    rows : list of (n,) arrays, decibels.
    labels : list of texts.
    both : float, from which second on both talk: marked with an upright guide.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    curves(ax, seconds, rows, labels)
    ax.axhline(0, color=GUIDE, linewidth=1, label="all of the echo")
    ax.axvline(both, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label="both talk from here")
    place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    ax.annotate("both talk from here", (both, 0.6), (14, 0), ha="left", color=GUIDE, **place)
    ax.set(xlabel="second", ylabel="echo left (dB)")
    return name_curves(ax)


@styled
def waves(rate, sounds, ax=None):
    """Sounds over seconds, the later ones drawn over the earlier.

    Parameters
    ----------
    rate : int, samples a second.
    sounds : dict from a label to a (T,) array, two at most.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for colour, (label, sound) in zip((INPUT, STATE), sounds.items(), strict=False):
        ax.plot(np.arange(len(sound)) / rate, sound, color=colour, linewidth=0.5, label=label)
    ax.set(xlabel="second", ylabel="size", xlim=(0, len(sound) / rate))
    names = ax.legend(loc="upper left")
    for line in names.get_lines():
        line.set_linewidth(2.5)
    return ax
