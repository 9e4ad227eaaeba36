"""Figures of lesson 05: one unit's rule, its terms, pads, directions, and what a step costs."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.drawing import DASHES, GUIDE, INPUT, OUTPUT, SHADES, STATE, curves, name_curves, panels
from course_utils.publishing import styled

READINGS = {
    "own length": (STATE, "o", "-"),
    "mistake in the test": (GUIDE, "D", ":"),
    "mistake throughout": (OUTPUT, "s", "--"),
}
"""Colour, marker and dash of each way to read a padded row."""
ROUND = [digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)]


@styled
def next_state(h, rows, labels, ax=None):
    """What one unit makes of its state in a step, with the diagonal on which nothing would change.

    Parameters
    ----------
    h : (N,) array, the old states.
    rows : list of (N,) arrays, the new ones.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    ax.plot(h, h, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label="no change")
    curves(ax, h, rows, labels)
    ax.set(xlabel="state $h_{t-1}$", ylabel="state $h_t$, input 0", ylim=(-1.05, 1.05))
    ax.legend(loc="upper left")
    return ax


@styled
def term_by_term(runs):
    """States over time, one panel a run, all on the same scale.

    Parameters
    ----------
    runs : dict from a title to a (T, H) array, H at most 4.

    Returns
    -------
    the first of the axes.
    """
    axes = panels(len(runs), width=2.5)
    for ax, (title, states) in zip(axes, runs.items(), strict=True):
        names = [f"unit {unit}" for unit in range(1, states.shape[1] + 1)]
        curves(ax, np.arange(1, len(states) + 1), states.T, names)
        ax.set(title=title, xlabel="step t", ylim=(-1.05, 1.05))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        ax.set(ylabel="state $h_t$")
        ax.yaxis.label.set_visible(ax is axes[0])  # the same for all; the text for the figure still names it
        ax.tick_params(labelleft=ax is axes[0])
    axes[0].legend(loc="lower right")
    return axes[0]


@styled
def walk_through_pads(rows, labels, ax=None):
    """How far a state has moved from where it should be read, against the number of pads.

    Parameters
    ----------
    rows : list of (pads + 1,) arrays, from no pad on.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    pads = np.arange(len(rows[0]))
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        ax.plot(pads, row, color=SHADES[place], linestyle=DASHES[place], label=label)
    ax.set(xlabel="pads behind the row", ylabel="distance / size of the state", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.grid(True)
    ax.legend(loc="lower right")
    return ax


@styled
def reading_scores(paddings, scores, ax=None):
    """Accuracy of each way to read padded rows: a dot a seed, a line through their means, chance a thin line.

    Parameters
    ----------
    paddings : list of ints, steps of a padded row.
    scores : dict from a way in ``READINGS`` to a list, one entry a padding, of accuracies, one a seed.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    ax.axhline(0.5, color=GUIDE, linewidth=0.8, label="chance")
    for name, lists in scores.items():
        colour, marker, dash = READINGS[name]
        across = np.repeat(paddings, [len(seeds) for seeds in lists])
        look = {"color": colour, "marker": marker, "s": 14}
        ax.scatter(across, np.concatenate(lists), label=f"{name}, each seed", **look)
        ax.plot(paddings, [np.mean(seeds) for seeds in lists], color=colour, linestyle=dash, label=name)
    ax.set(xlabel="steps of a padded row (the longest has 17 real ones)", ylabel="accuracy", ylim=(0, 1.05))
    ax.set(xticks=paddings)
    lines = [line for line in ax.lines if line.get_label() in ["chance", *scores]]
    ax.legend(handles=lines, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


@styled
def influences(images, titles):
    """Which state changes when which input changes: one square a panel, dark where it does.

    Parameters
    ----------
    images : list of (T, T) arrays, the change of state t (row) when input k (column) changes.
    titles : list of texts.

    Returns
    -------
    the first of the axes.
    """
    axes = panels(len(images), width=3)
    for ax, image, title in zip(axes, images, titles, strict=True):
        T = len(image)
        touched = np.where(np.asarray(image) > 0, 1.0, 0.0)
        look = {"cmap": "Blues", "vmin": 0, "vmax": 1.4, "extent": (0.5, T + 0.5, T + 0.5, 0.5)}
        ax.imshow(touched, label="1 where the state changes", **look)
        ax.set(title=title, xlabel="changed input", ylabel="state t")
        ax.set(xticks=range(1, T + 1), yticks=range(1, T + 1))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(np.arange(1.5, T), minor=True)
        ax.grid(which="minor", color="white")
        ax.tick_params(which="minor", length=0)
    return axes[0]


@styled
def cost(sizes, seconds, slope, start, letter, fixed, ax=None):
    """Measured seconds against a size on log axes, with the line of a predicted slope.

    Parameters
    ----------
    sizes : list of ints.
    seconds : list of floats.
    slope : float, the exponent that the count of operations predicts.
    start : int, the size from which on the line is drawn, through the middle of what
        was measured there.
    letter : text, the size.
    fixed : text, the sizes that stay.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    sizes, milliseconds = np.asarray(sizes), 1e3 * np.asarray(seconds)
    far = sizes >= start
    height = np.exp(np.mean(np.log(milliseconds[far] / sizes[far] ** float(slope))))
    ax.plot(
        sizes[far], height * sizes[far] ** float(slope), color=GUIDE, linestyle="--", label=f"slope {slope}"
    )
    ax.plot(sizes, milliseconds, "o", color=STATE, label="measured")
    ax.set(xscale="log", yscale="log", xlabel=letter, ylabel="milliseconds, one core", title=fixed)
    ax.set(ylim=(milliseconds.min() / 2, 3 * milliseconds.max()), xticks=sizes)
    low, high = ax.get_ylim()
    ax.set(yticks=[tick for tick in ROUND if low <= tick <= high])
    ax.minorticks_off()
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    ax.legend(loc="upper left")
    return ax


@styled
def memory(steps, parts, fixed, ax=None):
    """Megabytes held for the way back against the length of the sequence, and what is held anyway.

    Parameters
    ----------
    steps : (N,) array of ints, lengths.
    parts : dict from a name to an (N,) array of megabytes.
    fixed : float, megabytes that do not depend on the length.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    colours = {"inputs": INPUT, "states": STATE, "outputs": OUTPUT}
    for place, (name, row) in enumerate(parts.items()):
        ax.plot(steps, row, color=colours.get(name, SHADES[0]), linestyle=DASHES[place % 4], label=name)
    ax.plot(steps, np.full(len(steps), fixed), color=SHADES[0], linewidth=1, label="weights and optimiser")
    ax.set(xlabel="steps T", ylabel="megabytes")
    ax.grid(True)
    return name_curves(ax)
