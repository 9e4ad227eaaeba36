"""The dials of lesson 08: a gradient clipped in two ways, and a start of W_hh with and without LayerNorm."""

import math

import numpy as np
import torch
from torch import nn

from course_utils.conditioning import (
    after_clipping,
    lengths_back,
    normalised_step,
    off_orthogonal,
    plain_step,
    starts,
    turned_by,
)
from course_utils.horizon import drive, fitted_factors
from course_utils.scenes_conditioning import clip_scene, spectrum_scene
from course_utils.widgets import Dial, choice, slider

UNITS, LAGS = 64, 60
STEPS = {"plain": plain_step, "with LayerNorm": normalised_step}


def clip_dial(length=3.0, direction=20, limit=1.0):
    """Turn and stretch a gradient of two numbers; see it clipped by value and by length.

    Parameters
    ----------
    length : float, of the gradient at the start, 0.1 to 4.
    direction : int, in degrees, 0 to 360.
    limit : float, 0.2 to 3.

    Returns
    -------
    Dial with the controls length, direction and limit.
    """
    controls = {
        "length": slider("length", length, 0.1, 4.0, 0.1),
        "direction": slider("direction", direction, 0, 360, 1),
        "limit": slider("limit c", limit, 0.2, 3.0, 0.1),
    }
    scene = clip_scene()
    around = np.arange(0, 361, 5)

    def move(length, direction, limit):
        length, limit = round(length, 6), round(limit, 6)
        before = _arrow(length, direction)
        by_value = after_clipping(nn.utils.clip_grad_value_, before, limit)
        by_length = after_clipping(nn.utils.clip_grad_norm_, before, limit)
        scene["box"].set_bounds(-limit, -limit, 2 * limit, 2 * limit)
        scene["ball"].set_radius(limit)
        for name, arrow in [("before", before), ("by value", by_value), ("by length", by_length)]:
            scene[name].set_data([0, arrow[0]], [0, arrow[1]])
        turned = round(turned_by(before, by_value), 6) + 0.0  # without rounding noise
        arrows = [_arrow(length, angle) for angle in around]
        scene["angles"].set_data(
            around,
            [turned_by(arrow, after_clipping(nn.utils.clip_grad_value_, arrow, limit)) for arrow in arrows],
        )
        scene["here"].set_data([direction], [turned])
        lengths = [arrow.norm().item() for arrow in (by_value, by_length)]
        return (
            f"Length {length:.3g} at {direction} degrees, limit {limit:.3g}: by value it is {lengths[0]:.3g} "
            f"long and turned by {turned:.3g} degrees; by length it is {lengths[1]:.3g} long and not turned."
        )

    return Dial(controls, scene, move)


def spectrum_dial(start="Gaussian", scale=1.0, unit="plain"):
    """Choose a start of W_hh, scale it, and see its spectra and how far a gradient is carried back.

    Parameters
    ----------
    start : "Gaussian", "orthogonal" or "identity".
    scale : float, a factor on W_hh, 0.2 to 3.
    unit : "plain" or "with LayerNorm".

    Returns
    -------
    Dial with the controls start, scale and unit.
    """
    generator = torch.Generator().manual_seed(0)
    matrices = starts(UNITS, generator)
    x, W_xh = drive(LAGS + 1, UNITS, 0.5, generator)
    terms, end = x @ W_xh.T, torch.randn(UNITS, generator=generator, dtype=torch.float64)
    end /= end.norm()
    factors = {name: torch.linalg.eigvals(W).numpy() for name, W in matrices.items()}
    stretches = {name: torch.linalg.svdvals(W).numpy() for name, W in matrices.items()}
    controls = {
        "start": choice("start", {name: name for name in matrices}, start),
        "scale": slider("scale", scale, 0.2, 3.0, 0.05),
        "unit": choice("unit", {name: name for name in STEPS}, unit),
    }
    scene = spectrum_scene(LAGS)
    scene["singular values"].axes.set_xlim(0, UNITS + 1)

    def move(start, scale, unit):
        scale = round(scale, 6)
        W = scale * matrices[start]
        lengths = lengths_back(STEPS[unit], terms, W, end).numpy()
        where, stretch = scale * factors[start], scale * stretches[start]
        scene["eigenvalues"].set_data(where.real, where.imag)
        scene["singular values"].set_data(np.arange(1, UNITS + 1), stretch)
        scene["gradient"].set_data(np.arange(LAGS + 1), lengths)
        gamma = fitted_factors(lengths[None])[0]
        fate = f"10^-6 after {math.log(1e-6) / math.log(gamma):.3g} steps" if gamma < 1 else "it grows"
        return (
            f"{start} start times {scale:.3g}, {unit}: spectral radius {np.abs(where).max():.3g}, singular "
            f"values {stretch.min():.3g} to {stretch.max():.3g}, {off_orthogonal(W):.3g} off the orthogonal "
            f"ones; a step multiplies the gradient by {gamma:.3g}, {fate}."
        )

    return Dial(controls, scene, move)


def _arrow(length, degrees):
    """A gradient of two numbers from its length and direction."""
    angle = math.radians(degrees)
    return length * torch.tensor([math.cos(angle), math.sin(angle)], dtype=torch.float64)
