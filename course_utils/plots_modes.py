"""Figures of matrix recursions: paths in the plane, lengths over time, eigenvalues, stretched circles."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import (
    FADED,
    GUIDE,
    MARKED,
    SHADES,
    STATE,
    WEIGHT,
    curves,
    guide,
    name_curves,
    panels,
)
from course_utils.publishing import styled


@styled
def phase_plane(paths, axes=None, names=None, title="", ax=None):
    """Paths of a state of two numbers: a dot a step, an open square at the start, the axes dashed.

    Parameters
    ----------
    paths : list of (T, 2) arrays.
    axes : (2, n) real array, one axis a column, or None.
    names : list of texts, one an axis.
    title : text.
    ax : axes of the figure or None.

    Returns
    -------
    the axes of the figure.
    """
    ax = ax or panels(1)[0]
    reach = 1.12 * max(np.abs(path).max() for path in paths)
    _cross(ax)
    for axis, name in zip([] if axes is None else axes.T, names or [], strict=True):
        _axis(ax, axis, name, reach)
    for turn, path in enumerate(paths):
        first = path[0]
        label = f"from ({first[0]:.2g}, {first[1]:.2g})"
        ax.plot(*path.T, color=STATE, marker="o", markersize=3, linewidth=0.8, label=label, zorder=3)
        ax.plot(*first, "s", color=STATE, markerfacecolor="white", label=SILENT, zorder=4 + turn)
    ax.set(xlabel="first number", ylabel="second number", aspect="equal", title=title)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    return ax


@styled
def over_time(rows, labels, what="length of the state", level=None, legend=None, ax=None):
    """Sizes on a logarithmic axis against the steps since the start.

    Parameters
    ----------
    rows : list of (T,) arrays, from step 0 on; their sizes are drawn.
    labels : list of texts.
    what : text, the quantity.
    level : float or None, a height to mark with a guide.
    legend : text or None, the corner for a legend; names at the ends of the curves when None.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    curves(ax, np.arange(len(rows[0])), np.abs(rows), labels)
    if level is not None:
        guide(ax, level)
    ax.set(xlabel="steps since the start", ylabel=what, yscale="log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.grid(True)
    if not legend:
        return name_curves(ax)
    ax.legend(handles=[line for line in ax.lines if line.get_color() != GUIDE], loc=legend)
    return ax


@styled
def swings(rows, sizes, labels, ax=None):
    """Oscillations with the sizes that hold them, above and below, as thin dashed lines.

    Parameters
    ----------
    rows, sizes : lists of (T,) arrays, from step 0 on.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(len(rows[0]))
    for place, (size, label) in enumerate(zip(sizes, labels, strict=True)):
        look = {"color": SHADES[2 * place], "linewidth": 1, "linestyle": (0, (4, 2)), "zorder": 1}
        ax.plot(steps, size, label=f"envelope, {label}", **look)
        ax.plot(steps, -size, label=SILENT, **look)
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        marker = "o" if len(steps) <= MARKED else ""
        ax.plot(steps, row, color=SHADES[2 * place], linestyle=("-", "-.")[place], marker=marker, label=label)
    ax.set(xlabel="steps since the start", ylabel="coordinate")
    ax.legend(handles=[line for line in ax.lines if line.get_label() in labels], loc="upper right")
    return ax


@styled
def eigenvalue_plane(factors, title="", ax=None):
    """Eigenvalues as dots in the complex plane, with the unit circle.

    Parameters
    ----------
    factors : (H,) array, real or complex.
    title : text.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    factors = np.asarray(factors, dtype=complex)
    angle = np.linspace(0, 2 * np.pi, 181)
    _cross(ax)
    ax.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1, label="unit circle")
    ax.scatter(factors.real, factors.imag, s=10, color=WEIGHT, label="eigenvalues", zorder=3)
    ax.set(xlabel="real part", ylabel="imaginary part", aspect="equal", title=title)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    return ax


@styled
def stretched_circles(matrices, labels, ax=None):
    """What matrices make of the circle of all starts of length 1.

    Parameters
    ----------
    matrices : list of (2, 2) arrays.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    angle = np.linspace(0, 2 * np.pi, 361)
    circle = np.array([np.cos(angle), np.sin(angle)])
    _cross(ax)
    ax.plot(*circle, color=GUIDE, label="all starts of length 1")
    for place, (matrix, label) in enumerate(zip(matrices, labels, strict=True)):
        look = {"color": SHADES[2 * place], "linestyle": ("--", "-")[place]}
        ax.plot(*(np.asarray(matrix) @ circle), label=label, **look)
    ax.set(xlabel="first number", ylabel="second number")
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(loc="upper left")
    return ax


def _cross(ax):
    """Thin lines through zero."""
    ax.axhline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)
    ax.axvline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)


def _axis(ax, axis, name, reach):
    """A dashed line through zero along an axis, its name beside its far end, inside the picture."""
    far = 3 * reach * axis / np.abs(axis).max()
    label = f"axis ({axis[0]:.2g}, {axis[1]:.2g}), factor {name}"
    ax.plot([-far[0], far[0]], [-far[1], far[1]], "--", color=WEIGHT, linewidth=1, label=label, zorder=2)
    normal = np.array([axis[1], -axis[0]]) / np.hypot(*axis)
    normal = -normal if normal[0] < 0 else normal
    gap = 4 + np.abs(normal) @ [3.2 * len(name), 7]  # points, from the line to the middle of the name
    place, shift = 0.75 * reach * axis / np.abs(axis).max(), gap * normal
    ax.annotate(name, place, shift, textcoords="offset points", ha="center", va="center", color=WEIGHT)
