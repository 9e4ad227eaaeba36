"""Figures of sequence to sequence: an answer word by word, shares by length, two ways to feed, attention."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import DASHES, GUIDE, INPUT, OUTPUT, SHADES, STATE, WEIGHT, panels
from course_utils.publishing import styled

MARKERS = ("o", "s", "^", "D")


@styled
def answer(words, chances, others, other_chances, ax=None):
    """An answer word by word: the chance of each word when it was said, and of the next best below it.

    The axis is logarithmic, since next best words often have less than a hundredth.

    Parameters
    ----------
    words, others : lists of T texts, what was said and the next best at each step.
    chances, other_chances : (T,) arrays, their probabilities.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(1, len(words) + 1)
    ax.plot(steps, chances, "o", color=OUTPUT, label="said")
    ax.plot(steps, other_chances, "s", color=GUIDE, markerfacecolor="none", label="next best")
    names = [f"{word} ({other})" for word, other in zip(words, others, strict=True)]
    ax.set_xticks(steps, labels=names, rotation=50, ha="right", rotation_mode="anchor", fontsize=8)
    ax.set_yscale("log")
    ax.set(xlabel="word said (next best)", ylabel="probability (log)", xlim=(0.5, len(words) + 0.5))
    ax.set_ylim(top=2)
    ax.minorticks_off()
    ax.grid(True, axis="y")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return ax


@styled
def by_length(
    across,
    rows,
    labels,
    xlabel,
    trained=None,
    log=False,
    ylabel="share of rows right",
    looks=None,
    corner="best",
    ax=None,
):
    """Curves of several sizes or ways, each the mean over seeds with a band from the least to the greatest.

    Parameters
    ----------
    across : (N,) array.
    rows : list of (R, N) arrays, a row for each of R seeds.
    labels : list of texts.
    xlabel, ylabel : texts.
    trained : float or None, the greatest value met in training, marked by a guide.
    log : bool, a logarithmic vertical axis; without it the axis goes from 0 to 1.
    looks : list of ints below 4, the shade, dash and marker of each curve, so that a size looks the same in
        two panels; None takes them in turn.
    corner : text, where the legend stands.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    looks = range(len(rows)) if looks is None else looks
    for place, row, label in zip(looks, rows, labels, strict=True):
        row, colour = np.atleast_2d(row), SHADES[place % len(SHADES)]
        ax.fill_between(across, row.min(axis=0), row.max(axis=0), color=colour, alpha=0.2, linewidth=0)
        look = {"color": colour, "linestyle": DASHES[place % 4], "marker": MARKERS[place % 4]}
        ax.plot(across, row.mean(axis=0), markersize=4, label=label, **look)
    if trained is not None:
        ax.axvline(trained, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label="longest trained")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(-0.03, 1.05)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(True, axis="y")
    ax.legend(loc=corner, fontsize=8)
    return ax


@styled
def two_feeds(groups, ax=None):
    """Share of words right with the right words before them and with its own, a mark a seed.

    Parameters
    ----------
    groups : dict from a name to two (R,) arrays, an entry for each of R seeds: fed the right words, fed
        its own.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    looks = {"fed the right words": (INPUT, "s", -0.12), "fed its own": (OUTPUT, "o", 0.12)}
    for turn, (name, (colour, marker, move)) in enumerate(looks.items()):
        values = [np.atleast_1d(pair[turn]) for pair in groups.values()]
        places = [np.full(len(row), place + move) for place, row in enumerate(values)]
        points = {"s": 28, "facecolors": "none", "edgecolors": colour, "marker": marker}
        ax.scatter(np.concatenate(places), np.concatenate(values), label=name, **points)
    ax.set_xticks(range(len(groups)), labels=list(groups))
    ax.set(xlabel="which words", ylabel="share of words right", ylim=(0, 1.05))
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.grid(True, axis="y")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


@styled
def attention(words, said, weights, turn, ax=None):
    """A diagram: one decoder step looks back at every state of the encoder, more at some than at others.

    Parameters
    ----------
    words : list of S texts that were read.
    said : text, the word that the step is about to say.
    weights : (S,) array, the shares of the look; they sum to 1.
    turn : int, which of the decoder's steps it is, from 1 on.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    S, weights = len(words), np.asarray(weights, dtype=float)
    mean, step = ((S - 1) / 2, 1.25), (S + 0.6, 0.0)
    arrow = {"arrowstyle": "-|>", "shrinkA": 11, "shrinkB": 11, "mutation_scale": 11}
    for place, (word, weight) in enumerate(zip(words, weights, strict=True)):
        ax.plot(place, 0, "o", color=STATE, markersize=19, markerfacecolor="white")
        ax.annotate(f"$h_{place + 1}$", (place, 0), ha="center", va="center", color=STATE)
        ax.annotate(word, (place, -0.3), ha="center", va="top", color=INPUT)
        look = arrow | {"color": WEIGHT, "linewidth": 0.5 + 4 * weight, "alpha": 0.9}
        ax.annotate("", mean, (place, 0), arrowprops=look)
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}  # a gap in the arrow for its share
        middle = {"xy": (place * 0.6 + mean[0] * 0.4, 0.5), "ha": "center", "va": "center", "zorder": 5}
        ax.annotate(f"{weight:.2f}", color=WEIGHT, fontsize=8, bbox=behind, **middle)
        if place:
            ax.annotate("", (place, 0), (place - 1, 0), arrowprops=arrow | {"color": GUIDE})
    ax.annotate("", step, (S - 1, 0), arrowprops=arrow | {"color": GUIDE, "linestyle": "--"})
    ax.annotate("one vector", (S - 0.2, -0.12), ha="center", va="top", color=GUIDE, fontsize=8)
    bend = arrow | {"color": WEIGHT, "linewidth": 2, "connectionstyle": "arc3,rad=-0.25"}
    ax.annotate("", step, mean, arrowprops=bend)
    ax.plot(*mean, "s", color=WEIGHT, markersize=22, markerfacecolor="white")
    ax.annotate(r"$\Sigma$", mean, ha="center", va="center", color=WEIGHT)
    ax.plot(*step, "o", color=STATE, markersize=19, markerfacecolor="white")
    ax.annotate(f"$h'_{turn}$", step, ha="center", va="center", color=STATE)
    ax.annotate(said, (step[0], 0.62), ha="center", va="bottom", color=OUTPUT)
    up = arrow | {"color": OUTPUT, "shrinkB": 2}
    ax.annotate("", (step[0], 0.62), step, arrowprops=up)
    ax.set(xlim=(-0.6, S + 1.3), ylim=(-0.65, 1.6))
    ax.axhline(0, visible=False, label=SILENT)
    ax.set_axis_off()
    shares = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(words, weights, strict=True))
    ax.set_label(
        f"Diagram of one step of attention: {S} states of the encoder, weighted {shares}, are added up and "
        f"handed to the decoder's step {turn}, which says {said}; beside it the one vector that it had before"
    )
    return ax
