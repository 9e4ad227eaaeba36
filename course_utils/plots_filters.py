"""Figures of filters: gain against frequency, poles on their map, windows of taps beside a loop."""

import numpy as np

from course_utils.alt_text import SILENT
from course_utils.drawing import (
    DASHES,
    FADED,
    GUIDE,
    INPUT,
    OUTPUT,
    STATE,
    WEIGHT,
    curves,
    name_curves,
    panels,
)
from course_utils.publishing import styled


@styled
def gain(omega, rows, labels, ax=None):
    """Gain against frequency, both logarithmic.

    Parameters
    ----------
    omega : (F,) array, radians per step, above zero.
    rows : list of (F,) arrays, output size over input size.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    curves(ax, omega, rows, labels)
    ax.set(xlabel="frequency (radians per step)", ylabel="gain (output / input)", xscale="log", yscale="log")
    ax.grid(True)
    ax.legend(loc="lower left")
    return ax


@styled
def measured_gain(omega, formula, sines, measured, ax=None):
    """A gain formula as a curve and measured gains as crosses on it.

    Parameters
    ----------
    omega, formula : (F,) arrays, radians per step and the gain there.
    sines, measured : (M,) arrays, the frequencies tried and the gains found.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = gain(omega, [formula], ["formula"], ax=ax)
    ax.plot(sines, measured, "x", color=OUTPUT, markersize=8, markeredgewidth=2, label="measured")
    ax.legend(loc="lower left")
    return ax


@styled
def pole_plane(poles, labels, ax=None):
    """Poles as crosses in the complex plane, with the unit circle and the frequencies 0, pi/2 and pi on it.

    Parameters
    ----------
    poles : (n,) array, real or complex.
    labels : list of texts.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    angle = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1, label="unit circle")
    ax.axhline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)
    ax.axvline(0, color=FADED, linewidth=0.8, label=SILENT, zorder=0)
    ax.plot([1, 0, -1], [0, 1, 0], "o", color=INPUT, markersize=4, label="frequencies 0, pi/2, pi")
    for words, at, shift, side in [
        (r"$\omega=0$", (1, 0), (6, -13), "left"),
        (r"$\omega=\pi/2$", (0, 1), (4, 4), "left"),
        (r"$\omega=\pi$", (-1, 0), (-7, -13), "right"),
    ]:
        ax.annotate(words, at, shift, textcoords="offset points", ha=side, color=INPUT)
    poles = np.asarray(poles, dtype=complex)
    for turn, place in enumerate(np.argsort(poles.real)):
        _pole(ax, poles[place], labels[place], above=turn % 2 == 1)  # neighbours: above and below in turn
    ax.set(xlabel="real part", ylabel="imaginary part", aspect="equal", xlim=(-1.75, 2.15), ylim=(-1.2, 1.3))
    return ax


@styled
def against_taps(pole, windows, labels, name="pole", ax=None):
    """What a loop answers to one input, and windows of taps that copy it: the loop blue, the taps amber.

    Parameters
    ----------
    pole : (T,) array, the outputs of the loop.
    windows : list of (T,) arrays, the outputs of the taps, two at most.
    labels : list of texts, one a window.
    name : text, the loop.
    ax : axes or None.

    Returns
    -------
    the axes.
    """
    ax = ax or panels(1)[0]
    steps = np.arange(1, len(pole) + 1)
    ax.plot(steps, pole, color=STATE, label=name)
    for dash, row, label in zip(DASHES[1:], windows, labels, strict=False):
        ax.plot(steps, row, color=WEIGHT, linestyle=dash, label=label)
    ax.set(xlabel="step t", ylabel="output")
    return name_curves(ax)


def _pole(ax, pole, label, above):
    """A cross; its name inside the circle on the side of the middle, outside it on the far side."""
    at, outside = (pole.real, pole.imag), abs(pole) > 1
    ax.plot(*at, "x", color=WEIGHT, markersize=9, markeredgewidth=2.2, label=label)
    side = "left" if outside == (pole.real > 0) else "right"
    shift = (
        (9 if side == "left" else -9, 3) if outside else (2 if side == "left" else -2, 8 if above else -16)
    )
    ax.annotate(label, at, shift, textcoords="offset points", ha=side)
