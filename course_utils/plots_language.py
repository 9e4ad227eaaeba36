"""Figures of language models: perplexity by epoch and by prefix; what may come next."""

import numpy as np
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from course_utils.drawing import GUIDE, INPUT, MODELS, OUTPUT, panels
from course_utils.publishing import styled


@styled
def perplexity_by_epoch(runs, counts, ax=None):
    """Held-out perplexity after each epoch, beside the levels of models that only count.

    Parameters
    ----------
    runs : dict from a label, which begins with a key of ``MODELS``, to a list of perplexities. The first run
        of a kind of network has its marker, filled, a second and a third one hollow ones.
    counts : dict from a label to a perplexity, drawn as a level.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    seen = []
    for label, row in runs.items():
        kind = label.partition(",")[0]
        colour, marker, dash = MODELS[kind]
        again = seen.count(kind)
        look = {"color": colour, "marker": (marker, "o", "s")[again], "linestyle": (dash, ":", "-")[again]}
        look["markerfacecolor"] = "white" if again else colour
        ax.plot(np.arange(1, len(row) + 1), row, label=label, **look)
        seen.append(kind)
    for label, level in counts.items():
        ax.axhline(level, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=label)
        near = [other for other in counts.values() if other != level and abs(np.log(other / level)) < 0.15]
        side = ("bottom" if level > near[0] else "top") if near else "center"
        place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        ax.annotate(label, (1, level), (4, 0), va=side, color=GUIDE, fontsize=8, **place)
    ax.set(xlabel="epoch", ylabel="held-out perplexity", yscale="log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _plain_numbers(ax)
    lines = [line for line in ax.lines if line.get_color() != GUIDE]
    ax.legend(handles=lines, loc="upper right")
    return ax


@styled
def perplexity_by_prefix(kept, rows, ax=None):
    """Perplexity on the same targets against how many tokens before each are read.

    Parameters
    ----------
    kept : (N,) numbers of tokens.
    rows : dict from a label to (n,) perplexities for the first n of ``kept``; keys of ``MODELS`` have their
        colours.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for label, row in rows.items():
        colour, marker, dash = MODELS.get(label, (INPUT, "D", ":"))
        ax.plot(kept[: len(row)], row, color=colour, marker=marker, linestyle=dash, label=label)
    ax.set(
        xlabel="tokens of the prefix that are read", ylabel="held-out perplexity", xscale="log", yscale="log"
    )
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
    the axes of the first rule.
    """
    axes = [ax] if ax else panels(len(rows), width=2.6)
    reach = 1.05 * max(max(row) for row in rows.values())
    for at, (label, row) in zip(axes, rows.items(), strict=False):
        at.barh(np.arange(len(words)), row, color=OUTPUT, label=label)
        at.set_yticks(np.arange(len(words)), labels=words)
        at.set(title=label, xlabel="probability", xlim=(0, reach), ylim=(len(words) - 0.5, -0.5))
        at.set_ylabel("next token" if at is axes[0] else "")
    for at in axes[1:]:
        at.set_yticklabels([])
        at.set_ylabel(" ")
    return axes[0]


def _plain_numbers(ax):
    """Numbers at the height axis as they are read, at 1, 2 and 5 of each decade."""
    low, high = ax.get_ylim()
    ticks = [step * 10**power for power in range(0, 5) for step in (1, 2, 3, 5)]
    ax.set_yticks([tick for tick in ticks if low <= tick <= high])
    ax.yaxis.set_major_formatter(ScalarFormatter())
    ax.yaxis.minorticks_off()
