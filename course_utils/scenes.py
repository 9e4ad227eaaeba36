"""Pictures for dials: laid out once, then only the curves that move are drawn again.

Drawing axes and tick labels takes ten times as long as drawing a curve, so their image is kept.
"""

import base64
import html
import io

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from course_utils.drawing import GUIDE, STATE, WEIGHT
from course_utils.publishing import STYLE, img

DPI = 90
KEPT = 20
"""Backgrounds kept in memory: one for every set of axis limits met lately."""


class Scene:
    """A figure with artists that move over a background that stays.

    Parameters
    ----------
    figure : a matplotlib figure; its layout is settled here, once.
    moving : dict from name to artist; set their data, then call ``picture``.
    """

    def __init__(self, figure, moving):
        figure.set_dpi(DPI)
        self.canvas = FigureCanvasAgg(figure)
        self.figure, self.moving, self.backgrounds = figure, moving, {}
        for artist in moving.values():
            artist.set_animated(True)
        with matplotlib.rc_context(STYLE):
            self.canvas.draw()
        figure.set_layout_engine("none")

    def __getitem__(self, name):
        return self.moving[name]

    def picture(self, alt):
        """The figure as HTML: an image of fixed size, with its words as alternative text and below it."""
        self._restore_background()
        for artist in self.moving.values():
            artist.axes.draw_artist(artist)
        buffer = io.BytesIO()
        pixels = Image.fromarray(np.asarray(self.canvas.buffer_rgba())).convert("RGB")
        pixels.save(buffer, format="png", compress_level=1)
        image = img(base64.b64encode(buffer.getvalue()).decode(), alt, *pixels.size)
        return f"<figure>{image}<figcaption>{html.escape(alt)}</figcaption></figure>"

    def _restore_background(self):
        limits = tuple((*ax.get_xlim(), *ax.get_ylim()) for ax in self.figure.axes)
        if limits not in self.backgrounds:
            if len(self.backgrounds) >= KEPT:
                self.backgrounds.clear()
            with matplotlib.rc_context(STYLE):
                self.canvas.draw()
            self.backgrounds[limits] = self.canvas.copy_from_bbox(self.figure.bbox)
        self.canvas.restore_region(self.backgrounds[limits])


def pole_scene():
    """Four panels: impulse response, the same on a log axis, the pole in the plane, gain against frequency.

    Returns
    -------
    Scene with the artists impulse, log, pole and gain, and the texts empty (no log picture), place (where the
    pole is) and unstable (no gain).
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 5))
        impulse, log, plane, gain = figure.subplots(2, 2).ravel()
        impulse.set(title="impulse response", xlabel="steps after the 1", ylabel="state", xlim=(0, 60))
        impulse.set(ylim=(-1.15, 1.15))
        impulse.ticklabel_format(axis="y", scilimits=(-3, 3))  # so that wide numbers push no label off
        log.set(
            title="the same, log axis", xlabel="steps after the 1", ylabel="size of the state", xlim=(0, 60)
        )
        log.set(yscale="log", ylim=(1e-6, 1e5), yticks=[1e-6, 1e-3, 1, 1e3])
        angle = np.linspace(0, 2 * np.pi, 121)
        plane.plot(np.cos(angle), np.sin(angle), color=GUIDE, linewidth=1)
        plane.set(title="where the pole is", xlabel="real part", ylabel="imaginary part", aspect="equal")
        plane.set(xlim=(-2.2, 2.2), ylim=(-1.15, 1.15), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        gain.set(title="gain against frequency", xlabel="frequency (radians per step)", ylabel="gain")
        gain.set(xscale="log", yscale="log", xlim=(1e-3, np.pi), ylim=(3e-3, 1e3), yticks=[0.01, 1, 100])
        words = "no output settles:\nthe pole is not inside the circle"
        moving = {
            "impulse": impulse.plot([], [], color=STATE, marker=".")[0],
            "log": log.plot([], [], color=STATE, marker=".")[0],
            "pole": plane.plot([], [], "x", color=WEIGHT, markersize=11, markeredgewidth=2.5)[0],
            "place": plane.text(0, 0, "", va="center"),
            "empty": log.text(
                0.5, 0.5, "nothing enters:\nthe state stays 0", ha="center", transform=log.transAxes
            ),
            "gain": gain.plot([], [], color=STATE)[0],
            "unstable": gain.text(0.5, 0.5, words, ha="center", transform=gain.transAxes),
        }
        return laid_out(figure, moving)


def fir_scene():
    """Two panels: the weight of an old input, and the answer to a constant 1.

    Returns
    -------
    Scene with the artists pole weights, tap weights, pole rise and tap rise.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3))
        weights, rise = figure.subplots(1, 2)
        weights.set(
            title="weight of an old input", xlabel="age of the input (steps)", ylabel="weight / newest"
        )
        weights.set(yscale="log", ylim=(1e-5, 2), xlim=(0, 100))
        rise.set(title="answer to a constant 1", xlabel="steps so far", ylabel="output / end value")
        rise.set(ylim=(0, 1.1), xlim=(0, 100))
        pole, taps = {"color": STATE}, {"color": WEIGHT, "linestyle": "--"}
        moving = {
            "pole weights": weights.plot([], [], label="pole", **pole)[0],
            "tap weights": weights.plot([], [], label="k taps", **taps)[0],
            "pole rise": rise.plot([], [], **pole)[0],
            "tap rise": rise.plot([], [], **taps)[0],
        }
        weights.legend(loc="upper right")  # no curve ever comes there
        return laid_out(figure, moving)


def word_below(ax, place, rotation=60, right=2, **look):
    """A text that moves below a place of the horizontal axis, turned like a tick label, empty at first."""
    turned = {"rotation": rotation, "rotation_mode": "anchor", "ha": "right", "va": "top", "fontsize": 8}
    where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    return ax.annotate("", (place, 0), (right, -6), annotation_clip=False, **where, **turned, **look)


def laid_out(figure, moving):
    """A scene of a finished figure: without small ticks, with room for the outermost labels."""
    for ax in figure.axes:
        ax.minorticks_off()
    figure.get_layout_engine().set(rect=(0.01, 0, 0.97, 1))
    return Scene(figure, moving)
