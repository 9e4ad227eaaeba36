"""The text that stands for a figure: computed from what was drawn, so that a changed curve changes it."""

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.contour import ContourSet

SILENT = "_axis"
"""Label of decoration (axis lines, shading) that the text leaves out."""


def summary(figure):
    """Say in words and numbers what a figure shows.

    Parameters
    ----------
    figure : a matplotlib figure.

    Returns
    -------
    text: for each panel its two axes, then for each line, cloud of points, set of bars and image its
        numbers to four digits. A panel that is a diagram says what its label (``ax.set_label``) says.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> _ = ax.plot([0, 1, 2], [1, 0.5, 0], label="state")
    >>> _ = ax.set(xlabel="step", ylabel="h")
    >>> print(summary(ax.figure))
    [h against step. state: 3 points, 0 to 2, first 1, last 0, least 0, greatest 1, mean 0.5.]
    """
    return " ".join(_panel(ax) for ax in figure.axes)


def _panel(ax):
    if ax.get_label():
        return f"[{ax.get_label()}]"
    drawn = [_line(line) for line in ax.lines if line.get_label() != SILENT]
    drawn += [_cloud(cloud) for cloud in ax.collections if isinstance(cloud, PathCollection)]
    drawn += [_contours(lines) for lines in ax.collections if isinstance(lines, ContourSet)]
    drawn += [_values(_name(bars, "bars"), [bar.get_height() for bar in bars]) for bars in ax.containers]
    drawn += [_values(_name(image, "image"), image.get_array()) for image in ax.images]
    title = f"{ax.get_title()}: " if ax.get_title() else ""
    axes = f"{ax.get_ylabel() or 'values'} against {ax.get_xlabel() or 'place'}"
    return f"[{title}{axes}. {'; '.join(drawn)}.]".replace("$", "")


def _line(line):
    across = line.get_xdata()  # as given: dates stay dates
    name, values = _name(line, "line"), np.asarray(line.get_ydata(orig=False), dtype=float)
    if len(values) == 1:
        return f"{name}: at {_short(across[0])}, {values[0]:.4g}"
    if len(values) == 2 and across[0] == across[1] and tuple(values) == (0, 1):
        return f"{name}: upright at {_short(across[0])}"
    if len(values) and np.ptp(values) == 0:
        return f"{name}: {values[0]:.4g} everywhere"
    ends = (across[0], across[-1]) if len(values) else ()
    return _values(name, values, ends, keep_tiny=line.axes.get_yscale() == "log")


def _cloud(cloud):
    across, up = np.ma.getdata(cloud.get_offsets()).T
    return _values(_name(cloud, "points"), up, (across.min(), across.max()) if len(across) else ())


def _contours(lines):
    """Each contour by its height and how far it reaches, across and up."""
    said = []
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            reach = np.round([path.vertices.min(axis=0), path.vertices.max(axis=0)], 9) + 0.0
            (left, low), (right, high) = reach  # without rounding noise, which differs between machines
            said.append(f"{level:g} from {left:.3g} to {right:.3g} across and {low:.3g} to {high:.3g} up")
    return f"{_name(lines, 'contour lines')}: {', '.join(said)}"


def _values(name, values, ends=(), keep_tiny=False):
    """Numbers in words: how many, over which range, first, last, extremes, mean, how many not finite."""
    values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    good = values[np.isfinite(values)]
    if not good.size:
        return f"{name}: no finite value"
    noise = 0.0 if keep_tiny else 1e-12 * np.abs(good).max()  # rounding differs between machines
    first, last, least, greatest, mean = (
        0.0 if abs(number) <= noise else number
        for number in (good[0], good[-1], good.min(), good.max(), good.mean())
    )
    over = f", {_short(ends[0])} to {_short(ends[1])}" if ends else ""
    lost = f", {values.size - good.size} not finite" if good.size < values.size else ""
    numbers = (
        f"first {first:.4g}, last {last:.4g}, least {least:.4g}, greatest {greatest:.4g}, mean {mean:.4g}"
    )
    return f"{name}: {values.size} points{over}, {numbers}{lost}"


def _name(artist, kind):
    label = str(artist.get_label())
    return kind if label.startswith("_") else label


def _short(value):
    return str(value) if isinstance(value, (np.datetime64, str)) else f"{float(value):.4g}"
