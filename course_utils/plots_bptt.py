"""Figures of backpropagation through time: the unrolled graph, gradients by step, errors, memory."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_utils.alt_text import SILENT
from course_utils.drawing import DASHES, FADED, GUIDE, INPUT, OUTPUT, SHADES, STATE, WEIGHT, look_of, panels
from course_utils.publishing import styled

NODE = 31
"""Size of a node of the graph, in points."""
BENDING = r"$\varepsilon^2$: bending"
ROUNDING = r"$1/\varepsilon$: rounding"
GRAPH_SIZE = (6.6, 3.9)
"""Inches of a graph of three steps and two units: its nodes hold numbers."""


@styled
def unrolled(x, states, weights, upstream, deltas=None, ax=None):
    """The graph of a short sequence: a column a step, inputs below, losses above, one arrow a weight.

    Parameters
    ----------
    x : (T, 1) array. states : (T, H) array.
    weights : W_xh (H, 1) and W_hh (H, H); a weight of 0 has no arrow.
    upstream : (T, H) array, the gradient of each step's loss; a step where it is 0 has no loss.
    deltas : (T, H) array or None; with it the arrows run backward and each node carries its gradient.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or Figure(figsize=GRAPH_SIZE).subplots()
    x, states, upstream = (np.asarray(values, dtype=float) for values in (x, states, upstream))
    W_xh, W_hh = (np.asarray(W, dtype=float) for W in weights)
    graph_frame(ax, len(states), len(W_hh))
    for start, end, weight in graph_arrows(len(states), W_xh, W_hh, upstream):
        if deltas is None:
            draw_arrow(ax, start, end, weight, WEIGHT)
        elif start[1] > 0:  # no gradient is asked for at the inputs
            draw_arrow(ax, end, start, weight, OUTPUT)
    draw_nodes(ax, x, states, np.any(upstream, axis=1))
    if deltas is not None:
        for (t, i), delta in np.ndenumerate(np.asarray(deltas, dtype=float)):
            ax.annotate(delta_text(delta), (t + 1, i + 1), **UNDER)
    ax.set_label(_graph_words(x, states, deltas))
    return ax


UNDER = {
    "xytext": (0, -NODE / 2 - 2),
    "textcoords": "offset points",
    "ha": "center",
    "va": "top",
    "color": OUTPUT,
    "fontsize": 9,
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    "zorder": 5,
}
"""How the gradient of a node stands below it."""


def graph_frame(ax, T, H):
    """Empty axes of a graph: a column a step, a row for the inputs, each unit and the losses."""
    ax.set(xlim=(0.5, T + 0.5), ylim=(-0.45, H + 1.45), xticks=range(1, T + 1))
    ax.set_xticklabels([f"$t = {t}$" for t in range(1, T + 1)])
    ax.set_yticks(range(H + 2), ["input", *(f"unit {i}" for i in range(1, H + 1)), "loss"])
    ax.tick_params(length=0)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)


def graph_arrows(T, W_xh, W_hh, upstream):
    """All arrows of a graph as (start, end, weight): places are (step, row), the weight None to a loss."""
    H = len(W_hh)
    found = []
    for t in range(1, T + 1):
        found += [((t, 0), (t, i + 1), W_xh[i, 0]) for i in range(H) if W_xh[i, 0]]
        found += [((t, i + 1), (t, H + 1), None) for i in range(H) if upstream[t - 1, i]]
        if t < T:
            pairs = [(i, j) for i in range(H) for j in range(H) if W_hh[j, i]]
            found += [((t, i + 1), (t + 1, j + 1), W_hh[j, i]) for i, j in pairs]
    return found


def draw_nodes(ax, x, states, has_loss):
    """The nodes of a graph with the numbers of the forward pass in them."""
    T, H = states.shape
    for t in range(1, T + 1):
        _node(ax, (t, 0), f"{x[t - 1, 0]:g}", INPUT, "s")
        for i in range(H):
            _node(ax, (t, i + 1), f"{states[t - 1, i]:.3f}", STATE, "o")
        if has_loss[t - 1]:
            _node(ax, (t, H + 1), f"$L_{t}$", OUTPUT, "o")


def delta_text(delta):
    """A gradient as it stands below its node.

    >>> delta_text(-0.1909)
    'δ -0.191'
    """
    return f"δ {delta + 0.0:.3f}"


def draw_arrow(ax, start, end, weight, colour):
    """An arrow from node to node with its weight in the middle; beside an upright one, which is short."""
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 17, "shrinkB": 17}
    ax.annotate("", end, start, arrowprops=style, zorder=2)
    if weight is None:
        return
    words = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
    middle = (np.array(start) + end) / 2
    middle[0] += 0.07 * (start[0] == end[0])
    ax.text(*middle, f"{weight:g}", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8}, **words)


@styled
def difference_errors(eps, errors, ax=None):
    """Relative errors of difference quotients against their step, on log axes, with both slopes as guides.

    Parameters
    ----------
    eps : (n,) array, the steps.
    errors : dict from a label to an (n,) array, two at most; zeros are left out.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    eps = np.asarray(eps, dtype=float)
    for place, (label, row) in enumerate(errors.items()):
        row = np.where(np.asarray(row) > 0, row, np.nan)
        look = {"color": (SHADES[0], SHADES[2])[place], "marker": ("o", "s")[place], "markersize": 3}
        ax.plot(eps, row, label=label, linewidth=1, linestyle=DASHES[place], **look)
    first = np.asarray(next(iter(errors.values())), dtype=float)
    for power, name, dash, ends in [(2, BENDING, ":", (1e-5, 1)), (-1, ROUNDING, "--", (1e-12, 1e-6))]:
        part = (eps >= ends[0]) & (eps <= ends[1])
        height = np.median(first[part] / eps[part] ** power)  # where the first curve runs
        thin = {"color": GUIDE, "linewidth": 1, "linestyle": dash}
        ax.plot(eps[part], height * eps[part] ** power, label=name, **thin)
    ax.set(
        xscale="log", yscale="log", xlabel=r"step $\varepsilon$", ylabel="relative error", ylim=(1e-13, 1e4)
    )
    ax.grid(True)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


@styled
def by_step(rows, labels, what="size of the part", step="step s", floor=1e-12, ax=None):
    """Sizes by step of the sequence, on a log axis; zeros and sizes below the floor are not drawn.

    Parameters
    ----------
    rows : list of (T,) arrays, one number a step; a curve ends where its numbers are zero.
    labels : list of texts.
    what, step : texts, what the axes carry.
    floor : float, the lowest size in the picture.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(1, len(rows[0]) + 1)
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        sizes = np.asarray(row, dtype=float)
        sizes = np.where(sizes > floor, sizes, np.nan)
        marker = {"marker": "os^D"[place % 4], "markersize": 3 + 2 * place, "markerfacecolor": "none"}
        ax.plot(steps, sizes, linewidth=1.4, label=label, **marker, **look_of(place))
    ax.set(xlabel=step, ylabel=what, yscale="log", xlim=(0, len(steps) + 1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.grid(True)
    ax.legend(loc="lower right")
    return ax


@styled
def triangle(sizes, ax=None):
    """The double sum as a picture: a row a loss, a column a step, darker the larger the term.

    Parameters
    ----------
    sizes : (T, T) array, the size of each term; zero above the diagonal.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    T = len(sizes)
    with np.errstate(divide="ignore"):
        powers = np.where(sizes > 0, np.log10(sizes), np.nan)
    image = ax.imshow(powers, cmap="Blues", extent=(0.5, T + 0.5, T + 0.5, 0.5), vmin=-8, vmax=1)
    image.set_label("log10 of the size")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.9)
    bar.ax.set_ylabel("log10 of the size")
    bar.ax.set_label("colours from -8, light, to 1, dark")
    ax.set(xlabel="step s", ylabel="loss at step t")
    return ax


@styled
def alignment(windows, rows, labels, marks=(), title="", ax=None):
    """Cosine of truncated and full gradient against the length of a window.

    Parameters
    ----------
    windows : (n,) array, steps a window.
    rows : list of (n,) arrays, the cosines.
    labels : list of texts.
    marks : list of window lengths to mark with upright guides.
    title : text above the panel.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        ax.plot(windows, row, marker="os^D"[place % 4], label=label, **look_of(place))
    for mark in marks:
        ax.axvline(mark, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)), label=f"window {mark}", zorder=0)
    ax.axhline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)
    ax.set(xscale="log", xlabel="steps k in a window", ylabel="cosine with the full gradient", title=title)
    ax.set(ylim=(-1.05, 1.1), xticks=[1, 2, 5, 10, 20, 50, 100], yticks=[-1, -0.5, 0, 0.5, 1])
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    named = [line for line in ax.lines if line.get_label() in labels]
    small = {"fontsize": "small", "handlelength": 2.2, "borderaxespad": 0, "borderpad": 0.2}
    ax.legend(handles=named, loc="lower left", **small)  # between the upright guides
    return ax


@styled
def held(across, measured, formula, label, xlabel, ax=None):
    """How many states a graph holds, measured and by the formula.

    Parameters
    ----------
    across : (n,) array, what is varied.
    measured, formula : (n,) arrays.
    label : text, the formula.
    xlabel : text with its unit.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    ax.plot(across, formula, color=GUIDE, linewidth=1, linestyle="--", label=label)
    ax.plot(across, measured, "o", color=STATE, label="measured")
    ax.set(xscale="log", xlabel=xlabel, ylabel="states held at most", ylim=(0, None), xticks=across)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.legend(loc="best")
    return ax


def _node(ax, place, text, colour, marker):
    look = {"color": colour, "markerfacecolor": "white", "markersize": NODE, "markeredgewidth": 1.6}
    ax.plot(*place, marker, label=SILENT, zorder=3, **look)
    ax.text(*place, text, ha="center", va="center", fontsize=9, color=colour, zorder=4)


def _graph_words(x, states, deltas):
    """A graph in words and numbers."""
    T, H = states.shape
    said = [f"Graph of {T} steps. Inputs {', '.join(f'{value:g}' for value in x[:, 0])}"]
    for i in range(H):
        said.append(f"states of unit {i + 1}: {', '.join(f'{value:.3f}' for value in states[:, i])}")
        if deltas is not None:
            row = np.asarray(deltas, dtype=float)[:, i] + 0.0
            said.append(f"gradients at them: {', '.join(f'{value:.3f}' for value in row)}")
    return "; ".join(said) + "."
