"""Figures of language models: perplexity by epoch and by prefix; what may come next."""

import numpy as np
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from course_utils.alt_text import SILENT
from course_utils.drawing import GUIDE, INPUT, MODELS, OUTPUT, panels
from course_utils.publishing import styled


@styled
def perplexity_by_epoch(runs, counts, what="validation perplexity", ax=None):
    """Perplexity after each epoch, beside the levels of models that only count.

    Parameters
    ----------
    runs : dict from a label, which begins with a key of ``MODELS``, to (S, N) perplexities of S seeds after
        each of N epochs: the mean, and shaded from the least to the greatest. The first run of a kind of
        network has its marker, filled, a second and a third one hollow ones.
    counts : dict from a label to a perplexity, drawn as a level.
    what : of which texts, the title of the upright axis.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for (label, rows), look in zip(runs.items(), _looks(runs), strict=True):
        _mean_and_range(ax, np.arange(1, len(rows[0]) + 1), rows, label, look)
    for label, level in counts.items():
        ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=label)
        near = [other for other in counts.values() if other != level and abs(np.log(other / level)) < 0.15]
        side = ("bottom" if level > near[0] else "top") if near else "center"
        place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        ax.annotate(label, (1, level), (4, 0), va=side, color=GUIDE, fontsize=8, **place)
    ax.set(xlabel="epoch", ylabel=what, yscale="log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _plain_numbers(ax)
    lines = [line for line in ax.lines if line.get_color() != GUIDE]
    ax.legend(handles=lines, loc="upper right")
    return ax


@styled
def perplexity_by_prefix(kept, runs, ax=None):
    """Perplexity on the same targets against how many tokens before each are read.

    Parameters
    ----------
    kept : (N,) numbers of tokens.
    runs : dict from a label to (S, n) perplexities of S seeds for the first n of ``kept``: the mean, and
        shaded from the least to the greatest. Networks have the look that they have by epoch.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for (label, rows), look in zip(runs.items(), _looks(runs), strict=True):
        _mean_and_range(ax, kept[: len(rows[0])], rows, label, look)
    ax.set(xlabel="tokens of the prefix that are read", ylabel="test perplexity", xscale="log", yscale="log")
    ax.set_xticks(kept, labels=[str(k) for k in kept])
    ax.xaxis.minorticks_off()
    _plain_numbers(ax)
    ax.legend(loc="upper right")
    return ax


@styled
def next_tokens(words, rows, ax=None):
    """Probabilities of the likeliest next tokens, a row of bars for each rule of choosing.

    Parameters
    ----------
    words : list of N texts.
    rows : dict of at most four, from the name of a rule to (N,) probabilities.
    ax : axes or None, when given only the first rule is drawn.

    Returns
    -------
    the axes of the first rule; each has its words and probabilities as its label.
    """
    axes = [ax] if ax else panels(len(rows), width=2.6)
    reach = 1.05 * max(max(row) for row in rows.values())
    for at, (label, row) in zip(axes, rows.items(), strict=False):
        at.barh(np.arange(len(words)), row, color=OUTPUT, label=label)
        at.set_yticks(np.arange(len(words)), labels=words)
        at.set(title=label, xlabel="probability", xlim=(0, reach), ylim=(len(words) - 0.5, -0.5))
        at.set_ylabel("next token" if at is axes[0] else "")
        said = ", ".join(f"{word} {share:.3f}" for word, share in zip(words, row, strict=True))
        at.set_label(f"{label}: probability of the next token. {said}.")
    for at in axes[1:]:
        at.set_yticklabels([])
        at.set_ylabel(" ")
    return axes[0]


def _looks(labels):
    """Colour by the kind of network, marker and dash by its turn among those of its kind."""
    kinds = [label.partition(",")[0] for label in labels]
    for at, kind in enumerate(kinds):
        colour, marker, dash = MODELS.get(kind, (INPUT, "D", ":"))
        again = kinds[:at].count(kind)
        look = {"color": colour, "marker": (marker, "o", "s")[again], "linestyle": (dash, ":", "-")[again]}
        yield look | {"markerfacecolor": "white" if again else colour}


def _mean_and_range(ax, across, rows, label, look):
    """The mean of (S, N) rows as a line, and all that lies between the least and the greatest shaded."""
    rows = np.asarray(rows, dtype=float)
    ax.plot(across, rows.mean(axis=0), label=label, **look)
    if len(rows) > 1:
        shade = {"color": look["color"], "alpha": 0.2, "linewidth": 0, "label": SILENT}
        ax.fill_between(across, rows.min(axis=0), rows.max(axis=0), **shade)


def _plain_numbers(ax):
    """Numbers at the height axis as they are read, at 1, 2 and 5 of each decade."""
    low, high = ax.get_ylim()
    ticks = [step * 10**power for power in range(0, 5) for step in (1, 2, 3, 5)]
    ax.set_yticks([tick for tick in ticks if low <= tick <= high])
    ax.yaxis.set_major_formatter(ScalarFormatter())
    ax.yaxis.minorticks_off()
