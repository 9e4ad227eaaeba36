"""The dials of lesson 03: a pair of complex factors, and two axes that are tilted towards each other."""

import math

import numpy as np

from course_utils.filters import horizon
from course_utils.modes import free_run, largest_growth, lengths, period, swing, with_axes
from course_utils.scenes_modes import axes_scene, mode_scene
from course_utils.widgets import Dial, next_double, slider

SWING_STEPS, GROWTH_STEPS = 60, 80


def mode_dial(radius=0.95, angle=18):
    """Move a pair of complex factors by radius and angle; see their swing and its envelope.

    Parameters
    ----------
    radius : float, the size of the factors at the start, 0.5 to 1.02.
    angle : int, their angle at the start in degrees, 0 to 180.

    Returns
    -------
    Dial with the controls radius and angle.
    """
    controls = {
        "radius": slider("radius r", radius, 0.5, 1.02, 0.005),
        "angle": slider("angle (degrees)", angle, 0, 180, 1),
    }
    scene = mode_scene(SWING_STEPS)

    def move(radius, angle):
        radius, steps = round(radius, 6), np.arange(SWING_STEPS + 1)
        factor = radius * np.exp(1j * math.radians(angle))
        envelope = radius**steps
        scene["pair"].set_data([factor.real, factor.real], [factor.imag, -factor.imag])
        scene["arrow"].set_data([factor.real, 0, factor.real], [factor.imag, 0, -factor.imag])
        scene["swing"].set_data(steps, swing(radius, math.radians(angle), SWING_STEPS))
        scene["upper"].set_data(steps, envelope)
        scene["lower"].set_data(steps, -envelope)
        tallest = 1.1 * next_double(1, envelope.max())
        scene["swing"].axes.set(ylim=(-tallest, tallest))
        return _mode_words(radius, angle)

    return Dial(controls, scene, move)


def axes_dial(first=0.95, second=0.8, apart=90):
    """Tilt the two axes of a 2 x 2 matrix, its factors kept; see the state of (0, 1) decay or grow first.

    Parameters
    ----------
    first, second : floats, the factors at the start, 0.5 to 1.02 and 0 to 1.
    apart : int, the angle between the axes at the start in degrees, 2 to 90.

    Returns
    -------
    Dial with the controls first, second and apart.
    """
    controls = {
        "first": slider("first factor", first, 0.5, 1.02, 0.005),
        "second": slider("second factor", second, 0.0, 1.0, 0.005),
        "apart": slider("angle of axes", apart, 2, 90, 1),
    }
    scene = axes_scene(GROWTH_STEPS)

    def move(first, second, apart):
        A = with_axes(round(first, 6), round(second, 6), apart)
        path, steps = free_run(A, (0, 1), GROWTH_STEPS), np.arange(GROWTH_STEPS + 1)
        size, largest = lengths(path), largest_growth(A, GROWTH_STEPS)
        reach = 1.2 * next_double(1, np.abs(path[:, 0]).max())
        tilt = math.radians(apart)
        scene["first axis"].set_data([-reach, reach], [0, 0])
        scene["second axis"].set_data(
            [reach * math.cos(tilt), -reach * math.cos(tilt)],
            [-reach * math.sin(tilt), reach * math.sin(tilt)],
        )
        scene["path"].set_data(*path.T)
        scene["length"].set_data(steps, size)
        scene["largest"].set_data(steps, largest)
        scene["path"].axes.set(xlim=(-reach, reach))
        scene["length"].axes.set(ylim=(0.03, 30 * next_double(1, largest.max() / 4)))
        return _axes_words(A, apart, size)

    return Dial(controls, scene, move)


def _mode_words(radius, angle):
    """What the mode dial shows, in numbers."""
    name = f"Radius {radius:.4g} at {angle} degrees"
    tau = horizon(radius)
    lasts = f"horizon {tau:.4g} steps" if math.isfinite(tau) else "no decay, the horizon is infinite"
    turn = period(np.exp(1j * math.radians(angle)))
    if not math.isfinite(turn):
        return f"{name}: {lasts}; it does not turn, the two factors are one real number."
    left = f"{radius**turn:.3g} is left after one turn"
    flips = " The sign flips at every step, as with a negative pole." if angle == 180 else ""
    return f"{name}: {lasts}; period {turn:.4g} steps; {left}.{flips}"


def _axes_words(A, apart, size):
    """What the axes dial shows, in numbers."""
    name = f"Factors {A[0, 0]:.4g} and {A[1, 1]:.4g}, axes {apart} degrees apart"
    stretch = f"the largest singular value is {np.linalg.norm(A, 2):.3g}"
    peak = int(size.argmax())
    if peak == 0:
        fate = "the state is never longer than at the start"
    elif peak == len(size) - 1:
        fate = f"the state is {size[peak]:.3g} times as long after {peak} steps, its longest so far"
    else:
        fate = f"the state grows {size[peak]:.3g}-fold until step {peak}, then it decays"
    return f"{name}: {stretch}; {fate}; after {len(size) - 1} steps {size[-1]:.3g} is left."
