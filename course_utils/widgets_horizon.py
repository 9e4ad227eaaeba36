"""The dials of lesson 07: a start and its horizon, and the recorded recall runs one by one."""

import functools
import math

import numpy as np
import torch

from course_utils.cells import rnn_forward
from course_utils.filters import horizon
from course_utils.horizon import STARTS, carried_back, driven_states, fitted_factors, typical_factor
from course_utils.scenes_horizon import horizon_scene, recall_scene
from course_utils.widgets import Dial, choice, next_double, slider

LAGS, UNITS, SEEDS, SETTLED = 60, 64, (0, 1, 2), 10
"""What the horizon dial draws; the slopes are read after the first SETTLED steps."""


def horizon_dial(kind="orthogonal", sigma=1.0, spread=0.5):
    """Choose the start of W_hh, its largest singular value and the size of the inputs; see the horizon.

    Parameters
    ----------
    kind : "orthogonal" or "gaussian", the start.
    sigma : float, its largest singular value at the start, 0.25 to 4.
    spread : float, the standard deviation of the input terms at the start, 0.05 to 3.

    Returns
    -------
    Dial with the controls sigma, spread and kind.
    """
    controls = {
        "sigma": slider("largest sv", sigma, 0.25, 4.0, 0.05),
        "spread": slider("input size", spread, 0.05, 3.0, 0.05),
        "kind": choice("start", {name: name for name in STARTS}, kind),
    }
    scene = horizon_scene(LAGS)

    def move(sigma, spread, kind):
        sigma, spread = round(sigma, 6), round(spread, 6)
        runs = [_scaled_run(kind, sigma, spread, seed) for seed in SEEDS]
        rows = np.array([carried_back(run.states, run.W_hh, run.end).numpy() for run in runs])
        stretch, slope = np.mean([typical_factor(run.states[SETTLED:], run.W_hh) for run in runs], axis=0)
        slopes = np.sort(np.concatenate([1 - run.states[SETTLED:].numpy().ravel() ** 2 for run in runs]))
        lags = np.arange(LAGS + 1)
        for number, row in enumerate(rows, start=1):
            scene[f"run {number}"].set_data(lags, row)
        scene["bound"].set_data(lags, sigma**lags)
        scene["formula"].set_data(lags, (stretch * slope) ** lags)
        scene["slopes"].set_data(np.linspace(0, 1, 201), np.quantile(slopes, np.linspace(0, 1, 201)))
        scene["typical"].set_data([0, 1], [slope, slope])
        powers = next_double(12, np.abs(np.log10(rows)).max())
        scene["bound"].axes.set(
            ylim=(10.0**-powers, 10.0**powers), yticks=10.0 ** np.linspace(-powers, powers, 5)
        )
        return _horizon_words(kind, sigma, spread, fitted_factors(rows).mean(), stretch, slope)

    return Dial(controls, scene, move)


def recall_browser(runs, T=20, seed=0):
    """Look at the recorded recall runs one by one: accuracy, and the gradient at the first and last state.

    Parameters
    ----------
    runs : list of recorded runs of one cell, as ``records.runs`` gives them, one a distance.
    T, seed : ints, the run at the start.

    Returns
    -------
    Dial with the controls seed and T.
    """
    by_distance = {run["T"]: run for run in sorted(runs, key=lambda run: run["T"])}
    seeds = by_distance[T]["seeds"]
    controls = {
        "seed": slider("seed", seed, seeds[0], seeds[-1], 1),
        "T": choice("steps T", {str(distance): distance for distance in by_distance}, T),
    }
    scene = recall_scene(by_distance[T]["at"][-1] + 1)

    def move(seed, T):
        run = by_distance[T]
        place = run["seeds"].index(seed)
        at, right, first, last = (
            np.array(row) for row in (run["at"], *(run[k][place] for k in ("accuracies", "first", "last")))
        )
        scene["accuracy"].set_data(at, right)
        scene["first"].set_data(at, np.clip(first, 1e-14, None))
        scene["last"].set_data(at, np.clip(last, 1e-14, None))
        return _recall_words(T, seed, run["accuracy"][place], at, first, last)

    return Dial(controls, scene, move)


@functools.cache
def _unit_run(kind, seed):
    """A run at size 1, of which the others are scaled: drawing a matrix takes longer than a redraw may."""
    return driven_states(kind, 1.0, 1.0, seed, LAGS + 1, UNITS)


def _scaled_run(kind, sigma, spread, seed):
    """``driven_states`` from random numbers that are drawn once."""
    run = _unit_run(kind, seed)
    W_hh, terms = sigma * run.W_hh, spread * run.terms
    eye = torch.eye(UNITS, dtype=terms.dtype)
    states = rnn_forward(terms[None], eye, W_hh, terms.new_zeros(UNITS))[0]
    return run._replace(states=states, W_hh=W_hh, terms=terms)


def _horizon_words(kind, sigma, spread, gamma, stretch, slope):
    """What the horizon dial shows, in numbers."""
    name = f"{kind.capitalize()}, largest singular value {sigma:.4g}, input terms of size {spread:.4g}"
    parts = f"typical singular value {stretch:.3g} times typical slope {slope:.3g} = {stretch * slope:.3g}"
    tau = horizon(gamma) * math.log(1e6)
    seen = f"1e-6 is reached after {tau:.3g} steps" if math.isfinite(tau) else "the gradient grows"
    return f"{name}: {gamma:.3g} a step, {seen}; {parts}; the bound is {sigma:.4g} a step."


def _recall_words(T, seed, accuracy, at, first, last):
    """What the recall browser shows, in numbers."""
    factor = (first / last) ** (1 / (T - 1))
    best = int(factor.argmax())
    return (
        f"T = {T}, seed {seed}: {accuracy:.3g} of fresh sequences right at the end. "
        f"The gradient at h_1 starts at {first[0]:.2g}, {factor[0]:.2f} a step; "
        f"the factor is largest at update {at[best]}, {factor[best]:.2f} a step, "
        f"and {factor[-1]:.2f} at the end."
    )
