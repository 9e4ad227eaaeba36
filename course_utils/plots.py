"""Figures of the course: a plot function takes arrays and returns the axes; ``show`` puts them on the page.

Lessons import this module only. Curves over time are here; what a topic adds lives in a module of its own.
"""

import numpy as np
from matplotlib import dates
from matplotlib.ticker import MaxNLocator

from course_utils.drawing import (
    GUIDE,
    INPUT,
    MARKED,
    MODELS,
    OUTPUT,
    SHADES,
    STATE,
    WEIGHT,
    curves,
    guide,
    name_curves,
    panels,
)
from course_utils.plots_adaptive import (
    echo_left,
    error_surface,
    poles_learned,
    shrinking,
    step_sizes,
    waves,
)
from course_utils.plots_bptt import alignment, by_step, difference_errors, held, triangle, unrolled
from course_utils.plots_classifier import accuracies_by_model, accuracy_behind_pads, probabilities_by_word
from course_utils.plots_conditioning import (
    clip_plane,
    gradient_trace,
    over_updates,
    seeds_against,
    share_longer,
    singular_values,
    slopes_against_scale,
)
from course_utils.plots_filters import against_taps, gain, measured_gain, pole_plane
from course_utils.plots_gated import (
    accuracy_over_updates,
    cell_values,
    confusions,
    gates_by_word,
    recall_by_distance,
    shares,
    two_ways,
)
from course_utils.plots_horizon import (
    by_depth,
    carried,
    factor_lines,
    recall_dots,
    stack_paths,
    while_training,
)
from course_utils.plots_language import next_tokens, perplexity_by_epoch, perplexity_by_prefix
from course_utils.plots_modes import eigenvalue_plane, over_time, phase_plane, stretched_circles, swings
from course_utils.plots_rnn import (
    cost,
    influences,
    memory,
    next_state,
    reading_scores,
    term_by_term,
    walk_through_pads,
)
from course_utils.plots_seq2seq import answer, attention, by_length, two_feeds
from course_utils.plots_sequences import accuracies, dependence, length_spread, moves, padded, shuffled
from course_utils.publishing import bundle, show, styled

__all__ = [
    "GUIDE",
    "INPUT",
    "MODELS",
    "OUTPUT",
    "STATE",
    "WEIGHT",
    "accuracies",
    "accuracies_by_model",
    "accuracy_behind_pads",
    "accuracy_over_updates",
    "against_taps",
    "alignment",
    "answer",
    "attention",
    "bundle",
    "by_depth",
    "by_length",
    "by_step",
    "carried",
    "cell_values",
    "clip_plane",
    "confusions",
    "cost",
    "dependence",
    "difference_errors",
    "echo_left",
    "eigenvalue_plane",
    "error_surface",
    "factor_lines",
    "gain",
    "gates_by_word",
    "gradient_trace",
    "held",
    "impulse",
    "influences",
    "length_spread",
    "measured_gain",
    "memory",
    "moves",
    "next_state",
    "next_tokens",
    "one_factor",
    "over_time",
    "over_updates",
    "padded",
    "panels",
    "perplexity_by_epoch",
    "perplexity_by_prefix",
    "phase_plane",
    "pole_plane",
    "poles_learned",
    "probabilities_by_word",
    "reading_scores",
    "recall_by_distance",
    "recall_dots",
    "seeds_against",
    "share_longer",
    "shares",
    "show",
    "shrinking",
    "shuffled",
    "singular_values",
    "slopes_against_scale",
    "smoothed",
    "stack_paths",
    "states",
    "step_sizes",
    "stretched_circles",
    "swings",
    "term_by_term",
    "triangle",
    "two_feeds",
    "two_ways",
    "unrolled",
    "walk_through_pads",
    "waves",
    "while_training",
]


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
        marker = "s" if len(steps) <= MARKED else ""
        ax.plot(steps, inputs, color=INPUT, linestyle=":", marker=marker, label="input")
    curves(ax, steps, rows, labels)
    ax.set(xlabel="step t", ylabel="input $x_t$, state $h_t$" if inputs is not None else "state $h_t$")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    return name_curves(ax)


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
    curves(ax, steps, np.abs(rows) if log else rows, labels)
    if level is not None:
        guide(ax, level)
    ax.set(xlabel="steps after the 1", ylabel="size of the state" if log else "state")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    if log:
        ax.set_yscale("log", nonpositive="mask")  # a state of 0 has no place there: no line down to it
        ax.grid(True)
    return name_curves(ax)


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
    curves(ax, days, rows, labels)
    ax.set(xlabel="day", ylabel=f"price ({unit})")
    ax.xaxis.set_major_locator(dates.YearLocator())
    ax.legend(loc="upper left")
    return ax
