"""Dials: sliders over a picture whose words change with the numbers.

Only this module and those of the other lessons, ``widgets_*.py``, import ipywidgets.
"""

import html
import math

import ipywidgets
import numpy as np

from course_utils.filters import (
    bandwidth,
    dc_gain,
    frequency_response,
    horizon,
    impulse_response,
    taps_to_match,
)
from course_utils.scenes import fir_scene, pole_scene

GAINS = {"beta = 1": False, "beta = 1 - alpha": True}
STEPS = (20, 60, 200)
LONGEST = 360
"""Characters of a caption for which LOOK keeps room, so that a longer one pushes nothing down."""
LOOK = """<style>
.course-dial img { max-width: 100%; height: auto; }
.course-dial figure { margin: 8px 0 0; container-type: inline-size; }
.course-dial figcaption { line-height: 1.4; min-height: 3lh; }
@container (max-width: 800px) { .course-dial figcaption { min-height: 4lh; } }
@container (max-width: 500px) { .course-dial figcaption { min-height: 7lh; } }
.course-dial .widget-toggle-buttons { max-width: 100%; }
.course-dial .widget-toggle-buttons > div { min-width: 0; }
.course-dial .widget-toggle-button {
  width: auto; max-width: 100%; height: auto; line-height: 1.4; padding: 4px 10px; margin: 2px;
  white-space: normal; text-align: left;
}
.course-dial .mod-active { box-shadow: inset 0 -3px var(--jp-brand-color1); }
.course-dial :focus-visible { outline: 2px solid var(--jp-brand-color1); outline-offset: 1px; }
</style>"""


class Dial(ipywidgets.VBox):
    """Controls above a picture that follows them.

    Parameters
    ----------
    controls : dict from name to ipywidget; reachable as ``dial.controls``.
    scene : the picture, a ``scenes.Scene``.
    move : function of the controls' values by name; moves the artists, returns a sentence with the numbers.
    """

    def __init__(self, controls, scene, move):
        self.picture = ipywidgets.HTML()
        look = ipywidgets.HTML(LOOK, layout={"display": "none"})
        super().__init__([*controls.values(), self.picture, look])
        self.add_class("course-dial")
        self.controls, self.scene, self.move, self.alt = controls, scene, move, ""
        for control in controls.values():
            control.observe(self._redraw, names="value")
        self._redraw()

    def _redraw(self, _change=None):
        try:
            self.alt = self.move(**{name: control.value for name, control in self.controls.items()})
            self.picture.value = self.scene.picture(self.alt)
        except Exception as error:  # said on the page and raised: a stale picture would lie
            self.alt = f"This dial failed. {type(error).__name__}: {error}"
            self.picture.value = f'<pre role="alert">{html.escape(self.alt)}</pre>'
            raise

    def _repr_mimebundle_(self, **kwargs):
        """The live widget; where no kernel runs, its words and its last picture."""
        live = super()._repr_mimebundle_(**kwargs)
        return {**live, "text/plain": self.alt, "text/html": self.picture.value}


def pole_dial(alpha=0.9, steps=60):
    """Move one pole and see it four ways: impulse response, the same on a log axis, plane, gain.

    Parameters
    ----------
    alpha : float, the pole at the start, -1.05 to 1.05.
    steps : int, how many steps are drawn: 20, 60 or 200.

    Returns
    -------
    Dial with the controls alpha, normalised and steps.
    """
    controls = {
        "alpha": slider("pole alpha", alpha, -1.05, 1.05, 0.005),
        "normalised": choice("input gain", GAINS, False),
        "steps": choice("steps shown", {str(count): count for count in STEPS}, steps),
    }
    scene = pole_scene()

    def move(alpha, normalised, steps):
        alpha = round(alpha, 6) + 0.0
        beta = 1 - alpha if normalised else 1.0
        response = impulse_response(alpha, steps, beta)
        omega = np.geomspace(1e-3, np.pi, 150) if abs(alpha) < 1 else np.array([])
        scene["impulse"].set_data(np.arange(steps), response)
        scene["log"].set_data(np.arange(steps), np.abs(response))
        scene["pole"].set_data([alpha], [0])
        scene["gain"].set_data(omega, np.abs(frequency_response(alpha, omega, beta)) if omega.size else omega)
        scene["place"].set(position=(alpha - math.copysign(0.15, alpha), 0), text=_place(alpha))
        scene["place"].set_horizontalalignment("left" if alpha < 0 else "right")
        scene["empty"].set_visible(beta == 0)
        scene["unstable"].set_visible(abs(alpha) >= 1)
        tallest = 1.15 * next_double(0.02 if normalised else 1, np.abs(response).max())
        scene["impulse"].axes.set(xlim=(0, steps), ylim=(-tallest, tallest))
        scene["log"].axes.set(xlim=(0, steps))
        return _pole_words(alpha, beta, steps)

    return Dial(controls, scene, move)


def fir_match(alpha=0.9, taps=10):
    """Set a number of taps against a pole: what the taps see, what they miss, what they cost.

    Parameters
    ----------
    alpha : float, the pole at the start, 0.5 to 0.99.
    taps : int, the number of taps at the start, 1 to 1000.

    Returns
    -------
    Dial with the controls alpha and taps.
    """
    controls = {
        "alpha": slider("pole alpha", alpha, 0.5, 0.99, 0.005),
        "taps": slider("taps k", taps, 1, 1000, 1),
    }
    scene = fir_scene()

    def move(alpha, taps):
        alpha = round(alpha, 6)
        needed = taps_to_match(alpha, 0.01)
        reach = next_double(50, 1.2 * max(needed, taps))
        age = np.arange(reach)
        scene["pole weights"].set_data(age, alpha**age)
        scene["tap weights"].set_data([*age[:taps], taps - 1], [*alpha ** age[:taps], 1e-12])
        scene["pole rise"].set_data(age, 1 - alpha ** (age + 1))
        scene["tap rise"].set_data(age, 1 - alpha ** np.minimum(age + 1, taps))
        for name in ("pole weights", "pole rise"):
            scene[name].axes.set(xlim=(0, reach))
        return (
            f"Pole {alpha:.4g} against {_count(taps, 'tap')}: the window sees exactly "
            f"{_count(taps, 'step')} and leaves out {100 * alpha**taps:.3g} per cent of the pole's response. "
            f"Cost: {_count(taps, 'multiplication')} a step against 1. One per cent needs {needed} taps."
        )

    return Dial(controls, scene, move)


def _pole_words(alpha, beta, steps):
    """What the pole dial shows, in numbers."""
    name = f"Pole {alpha:.4g}, {_place(alpha)} the circle, input gain {beta:.4g}"
    if beta == 0:
        return f"{name}: nothing enters, the state stays 0."
    left = f"{abs(alpha) ** (steps - 1):.3g} of an impulse is left after {steps - 1} steps"
    turn = ", its sign alternating" if alpha < 0 else ""
    if abs(alpha) >= 1:
        fate = "grows" if abs(alpha) > 1 else "holds for ever"
        return f"{name}: the state {fate}{turn}; {left}. The horizon is infinite and no output settles."
    fastest, band = abs(frequency_response(alpha, np.pi, beta)), bandwidth(alpha)
    cut = f"above {band:.3g} radians per step the power is less than half that of a constant"
    return (
        f"{name}: horizon {horizon(alpha):.4g} steps{turn}; {left}. A constant 1 settles at "
        f"{dc_gain(alpha, beta):.4g}, the fastest input has gain {fastest:.4g}, "
        f"{cut if band < np.pi else 'no frequency falls below half the power of a constant'}."
    )


def _place(alpha):
    """Where a pole lies, in one word."""
    return "inside" if abs(alpha) < 1 else "on" if abs(alpha) == 1 else "outside"


def _count(number, noun):
    """A number and its noun: 1 tap, 2 taps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def next_double(start, value):
    """The first of start, 2 start, 4 start, ... that is not below value: axes that rarely change."""
    return start * 2 ** math.ceil(math.log2(max(1, value / start)))


def slider(description, value, least, greatest, step):
    """A slider with its name and number beside it; whole numbers when the step is one."""
    kind = ipywidgets.FloatSlider if isinstance(step, float) else ipywidgets.IntSlider
    made = kind(value=value, min=least, max=greatest, step=step, description=description)
    made.readout_format = ".3f" if isinstance(step, float) else "d"
    return in_column(made)


def in_column(control):
    """A slider as wide as all others, with room for its name, and no wider than the page."""
    control.style.description_width, control.layout.width = "8em", "35em"
    control.layout.max_width = "calc(100% - 4px)"  # beside its margins
    return control


def choice(description, options, value):
    """Buttons of which one is down, with their name beside them; options is a dict from text to value.

    JupyterLab takes arrow keys and letters from a list (ipywidgets issue 3912); Tab and Space reach a button.
    """
    made = ipywidgets.ToggleButtons(options=list(options.items()), value=value, description=description)
    made.style.description_width = "8em"
    made.add_class("widget-inline-hbox")  # the name in front, as with a slider
    return made
