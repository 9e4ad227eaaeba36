"""The dials of lesson 05: one unit, weight by weight; a state that walks through pads."""

import math

import numpy as np
import torch

from course_utils.cells import rnn_forward
from course_utils.padding import distance_walked, states_through_pads, turning_weights
from course_utils.scenes_rnn import cell_scene, padding_scene
from course_utils.widgets import Dial, slider

STEPS, MOST_PADS = 20, 40
OWN_STATE = ((0.6, 0.3),)
"""The state of the padding dial at the row's own length."""


def cell_dial(w_x=1.0, w_h=0.5, b=0.0):
    """Set the three weights of one unit that meets one input of 1; see its rule and its states.

    Parameters
    ----------
    w_x, w_h, b : floats, the weights at the start, -3 to 3, -3 to 3 and -1 to 1.

    Returns
    -------
    Dial with the controls w_x, w_h and b.
    """
    controls = {
        "w_x": slider("input weight", w_x, -3.0, 3.0, 0.1),
        "w_h": slider("state weight", w_h, -3.0, 3.0, 0.1),
        "b": slider("bias", b, -1.0, 1.0, 0.05),
    }
    scene = cell_scene(STEPS)
    grid, steps = np.linspace(-1, 1, 81), np.arange(1, STEPS + 1)
    x = np.where(steps == 1, 1.0, 0.0)
    scene["input"].set_data(steps, x)

    def move(w_x, w_h, b):
        w_x, w_h, b = (round(value, 6) + 0.0 for value in (w_x, w_h, b))
        states = _states_of_one_unit(x, w_x, w_h, b)
        rest = resting_states(w_h, b)
        scene["rule"].set_data(grid, np.tanh(w_h * grid + b))
        scene["resting"].set_data(rest, rest)
        scene["states"].set_data(steps, states)
        return _cell_words(w_x, w_h, b, states)

    return Dial(controls, scene, move)


def padding_dial(pads=10, size=0.97, angle=0, b=0.0):
    """Let a state of two numbers read pads; see where it goes and how far that is.

    Parameters
    ----------
    pads : int, pads at the start, 0 to 40.
    size, angle : the factor of a step at the start, 0.5 to 1.2, and its angle in degrees, 0 to 90.
    b : float, the bias of both units, 0 to 0.5.

    Returns
    -------
    Dial with the controls pads, size, angle and b.
    """
    controls = {
        "pads": slider("pads", pads, 0, MOST_PADS, 1),
        "size": slider("size of factor", size, 0.5, 1.2, 0.01),
        "angle": slider("angle (degrees)", angle, 0, 90, 1),
        "b": slider("bias", b, 0.0, 0.5, 0.05),
    }
    scene = padding_scene(MOST_PADS)
    own = torch.tensor(OWN_STATE, dtype=torch.float64)

    def move(pads, size, angle, b):
        size, b = round(size, 6), round(b, 6)
        W_hh, bias = turning_weights(size, angle), torch.full((2,), b, dtype=torch.float64)
        way = states_through_pads(own, W_hh, bias, MOST_PADS)[0].numpy()
        far = distance_walked(own, W_hh, bias, MOST_PADS).numpy()
        scene["way"].set_data(*way[: pads + 1].T)
        scene["own"].set_data(*way[:1].T)
        scene["end"].set_data(*way[pads : pads + 1].T)
        scene["distance"].set_data(np.arange(MOST_PADS + 1), far)
        scene["here"].set_data([pads], far[pads : pads + 1])
        return _padding_words(pads, size, angle, b, way, far)

    return Dial(controls, scene, move)


def resting_states(w_h, b):
    """The states at which h = tanh(w_h h + b) comes to rest: one, or two with a border between them.

    Returns
    -------
    list of floats, rising: states to which their neighbours return.
    """
    grid = np.linspace(-1, 1, 4001)
    rises = np.tanh(w_h * grid + b) - grid
    crossings = np.flatnonzero((rises[:-1] > 0) & (rises[1:] <= 0))
    found = [grid[place : place + 2].mean() for place in crossings]
    return [h for h in found if abs(w_h) * (1 - h**2) < 1]


def _states_of_one_unit(x, w_x, w_h, b):
    """Its states after each input: (T,) array."""
    W_xh, W_hh, bias = (torch.tensor(value, dtype=torch.float64) for value in ([[w_x]], [[w_h]], [b]))
    return rnn_forward(torch.as_tensor(x)[None, :, None], W_xh, W_hh, bias)[0, :, 0].numpy()


def _cell_words(w_x, w_h, b, states):
    """What the cell dial shows, in numbers."""
    first = ", ".join(f"{state:.3f}" for state in states[:3] + 0.0)
    kept = w_h * (1 - states[-1] ** 2)
    moving = abs(states[-1] - states[-2]) > 1e-3
    end = f"step {len(states)}: {states[-1] + 0.0:.3f}{', still moving' if moving else ''}"
    return (
        f"Input weight {w_x:.4g}, state weight {w_h:.4g}, bias {b:.4g}: the first states are {first}; {end}. "
        f"A small change there is multiplied by {kept:.3g} in a step."
    )


def _padding_words(pads, size, angle, b, way, far):
    """What the padding dial shows, in numbers."""
    own = math.hypot(*way[0])
    name = f"Factor {size:.4g} at {angle} degrees, bias {b:.4g}, {pads} pad{'' if pads == 1 else 's'}"
    if pads == 0:
        return f"{name}: the state, of size {own:.3g}, is read where it should be."
    return (
        f"{name}: the state is {far[pads]:.3g} times its own size ({own:.3g}) away; "
        f"after one pad it was {far[1]:.3g} times."
    )
