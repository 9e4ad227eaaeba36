"""Figures of repairs: gradients during a run, clipping as geometry, choosing a limit, spectra, slopes."""

import numpy as np
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import GUIDE, OUTPUT, STATE, WEIGHT, look_of, name_curves, panels
from course_utils.publishing import styled

LIMIT = {"color": WEIGHT, "linewidth": 1.2, "linestyle": (0, (4, 2))}
FORMS = {"box": "each number on its own", "ball": "the length"}


@styled
def gradient_trace(lengths, marked=None, limit=None, ax=None):
    """The length of the gradient at every update, on a log axis.

    Parameters
    ----------
    lengths : (N,) array.
    marked : int or None, an update (from 0) to mark.
    limit : float or None, a height to draw.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    updates = np.arange(1, len(lengths) + 1)
    ax.plot(updates, lengths, color=STATE, linewidth=0.8, label="length of the gradient")
    if marked is not None:
        place, height = marked + 1, lengths[marked]
        ax.plot([place], [height], "o", color=OUTPUT, label="the jump")
        ax.annotate(f"{height:.3g}", (place, height), (7, 0), textcoords="offset points", va="center")
    if limit is not None:
        ax.axhline(limit, label=f"limit {limit:g}", **LIMIT)
        ax.annotate(f"c = {limit:g}", (1, limit), (2, 2), color=WEIGHT, textcoords="offset points")
    ax.set(xlabel="update", ylabel="length of the gradient", yscale="log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.grid(True, axis="y")
    return ax


@styled
def clip_plane(gradient, clipped, limit, form, ax=None):
    """A gradient of two numbers before and after clipping, with the region that it is brought into.

    Parameters
    ----------
    gradient, clipped : (2,) arrays.
    limit : float, half the side of the box or the radius of the ball.
    form : "box" or "ball".
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    reach = 1.15 * max(*np.abs(gradient), limit)
    if form == "box":
        ax.add_patch(Rectangle((-limit, -limit), 2 * limit, 2 * limit, fill=False, **LIMIT))
    else:
        ax.add_patch(Circle((0, 0), limit, fill=False, **LIMIT))
    for arrow, label, look in [
        (gradient, "before", {"color": GUIDE, "marker": "o", "linestyle": ":"}),
        (clipped, "after", {"color": STATE, "marker": "s", "linestyle": "-"}),
    ]:
        ax.plot([0, arrow[0]], [0, arrow[1]], label=label, markevery=[1], **look)
    ax.set(xlabel="first number", ylabel="second number", aspect="equal", title=FORMS[form])
    ax.set(xlim=(-1.3 * limit, reach), ylim=(-1.3 * limit, max(reach, 1.3 * limit)))
    ax.legend(loc="upper left")
    return ax


@styled
def share_longer(lengths, limits, ax=None):
    """Which share of a run's gradients is longer than c, against c.

    Parameters
    ----------
    lengths : array of lengths, of any shape.
    limits : list of floats, values of c to mark.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    ordered = np.sort(np.ravel(lengths))
    shares = 1 - np.arange(len(ordered)) / len(ordered)
    ax.plot(ordered, shares, color=STATE, label="share of the updates")
    for limit in limits:
        share = float(np.mean(ordered > limit))
        ax.plot([limit], [share], "s", color=WEIGHT, label=f"c = {limit:g}")
        ax.annotate(f"c = {limit:g}: {share:.0%}", (limit, share), (7, 3), textcoords="offset points")
    ax.set(xlabel="limit c", ylabel="share of longer gradients", xscale="log", ylim=(0, 1.08))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.grid(True)
    return ax


@styled
def seeds_against(names, rows, chance, what="accuracy on fresh sequences", ax=None):
    """One mark for each seed and one for their mean, side by side for several settings.

    Parameters
    ----------
    names : list of texts, the settings.
    rows : list of (S,) arrays.
    chance : float, what guessing reaches.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for place, (name, row) in enumerate(zip(names, rows, strict=True)):
        beside = np.linspace(-0.22, 0.22, len(row))  # the same seed always stands at the same side
        ax.scatter(place + beside, row, s=14, color=STATE, label=f"{name}: seeds", zorder=3)
        label = f"{name}: mean"
        ax.plot([place - 0.33, place + 0.33], [np.mean(row)] * 2, color=OUTPUT, label=label, zorder=2)
    ax.axhline(chance, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"chance, {chance:g}")
    ax.text(len(names) - 0.35, chance, "chance", color=GUIDE, va="center")
    ax.set(xlabel="limit c", ylabel=what, ylim=(0, 1.05), xlim=(-0.6, len(names) - 0.4))
    ax.set_xticks(range(len(names)), names)
    return ax


@styled
def singular_values(rows, labels, what="singular value", ax=None):
    """Singular values, largest first, on a log axis.

    Parameters
    ----------
    rows : list of (H,) arrays of positive numbers.
    labels : list of texts.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for row, label, look in _looks(rows, labels):
        ax.plot(np.arange(1, len(row) + 1), np.sort(row)[::-1], label=label, **look)
    ax.set(xlabel="place, largest first", ylabel=what, yscale="log")
    ax.grid(True, axis="y")
    return name_curves(ax)


@styled
def over_updates(rows, labels, what, ax=None):
    """A quantity before the first update and after each.

    Parameters
    ----------
    rows : list of (updates + 1,) arrays.
    labels : list of texts.
    what : text, the quantity.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for row, label, look in _looks(rows, labels):
        ax.plot(np.arange(len(row)), row, label=label, **look)
    ax.set(xlabel="updates done", ylabel=what)
    ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return name_curves(ax)


@styled
def slopes_against_scale(scales, rows, labels, level=None, ax=None):
    """The mean slope of the tanh against a factor on all weights, on a log axis across.

    Parameters
    ----------
    scales : (n,) array.
    rows : list of (n,) arrays.
    labels : list of texts.
    level : float or None, a height to mark with a guide.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for row, label, look in _looks(rows, labels):
        ax.plot(scales, row, marker="o", label=label, **look)
    if level is not None:
        ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=SILENT, zorder=1)
    ax.set(xlabel="all weights times", ylabel="mean slope of the tanh", xscale="log", ylim=(0, 1.05))
    ax.set_xticks(scales, [f"{scale:g}" for scale in scales])
    ax.minorticks_off()
    return name_curves(ax)


def _looks(rows, labels):
    """Each row with its label, shade and dash."""
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        yield row, label, look_of(place)
