"""The dials of lesson 04: the step of LMS, and gradient descent on one pole."""

import numpy as np

from course_utils.adaptive import coloured_noise, mean_path, windows
from course_utils.pole_learning import learn_pole, pole_surface
from course_utils.scenes_adaptive import inside_picture, path_scene, step_scene
from course_utils.widgets import Dial, choice, slider

TAPS, SAMPLES, RUNS = 8, 200, 5
COLOURS = {"white": 0.0, "coloured, neighbours 0.9 alike": 0.9}
GUARDS = {
    "none": {},
    "put back to 0.95": {"limit": 0.95},
    "learn a in alpha = tanh(a)": {"inside": True},
}
UPDATES = 200


def step_dial(mu=0.05):
    """Turn the step of LMS: five single runs of eight taps against what they do on average.

    Parameters
    ----------
    mu : float, the step at the start, 0.01 to 2.1.

    Returns
    -------
    Dial with the controls mu and colour.
    """
    controls = {
        "mu": slider("step mu", mu, 0.01, 2.1, 0.01),
        "colour": choice("input", COLOURS, 0.0),
    }
    scene = step_scene(SAMPLES, RUNS)
    target = np.random.default_rng(4).normal(size=TAPS)
    target /= np.linalg.norm(target)
    inputs = {colour: _windows_of_runs(colour) for colour in COLOURS.values()}
    samples = np.arange(SAMPLES + 1)

    def move(mu, colour):
        mu = round(mu, 6)
        R = colour ** np.abs(np.subtract.outer(np.arange(TAPS), np.arange(TAPS)))
        with np.errstate(over="ignore", invalid="ignore"):  # a step far too large is a case as well
            mean = np.linalg.norm(mean_path(R, target, mu, SAMPLES) - target, axis=1)
            runs = _distances(inputs[colour], target, mu)
        scene["mean"].set_data(samples, inside_picture(mean, 1e-6, 1e6))
        for number, run in enumerate(runs, start=1):
            scene[f"run {number}"].set_data(samples, inside_picture(run, 1e-6, 1e6))
        return _step_words(mu, R, mean[-1], runs[:, -1])

    return Dial(controls, scene, move)


def pole_walk(x, d, bottom, start=(0.2, 0.1), mu=0.02):
    """Walk down J(alpha, beta) with a step and a guard of one's choice.

    Parameters
    ----------
    x, d : (T,) arrays, inputs and targets; short rows (300) keep the dial quick.
    bottom : (alpha, beta) that made the targets.
    start : (alpha, beta), where each walk begins.
    mu : float, the step at the beginning, 0.005 to 0.2.

    Returns
    -------
    Dial with the controls mu, alpha (where the walk starts) and guard.
    """
    controls = {
        "mu": slider("step mu", mu, 0.005, 0.2, 0.005),
        "alpha": slider("start alpha", start[0], -0.9, 0.95, 0.05),
        "guard": choice("guard", {name: name for name in GUARDS}, "none"),
    }
    alphas, betas = np.linspace(-1.1, 1.1, 111), np.linspace(0, 1, 51)
    scene = path_scene(alphas, betas, pole_surface(x, d, alphas, betas), bottom)

    def move(mu, alpha, guard):
        begin = (round(alpha, 6), start[1])
        path, heights = learn_pole(x, d, begin, round(mu, 6), UPDATES, **GUARDS[guard])
        scene["path"].set_data(*np.clip(path, -9, 9).T)
        scene["start"].set_data(*path[:1].T)
        scene["end"].set_data(*path[-1:].T)
        scene["J"].set_data(np.arange(len(path)), inside_picture(heights, 1e-9, 1e9))
        return _walk_words(mu, guard, path, heights)

    return Dial(controls, scene, move)


def _windows_of_runs(colour):
    """The windows of all runs, each run with noise of its own: (RUNS, SAMPLES, TAPS)."""
    rows = [coloured_noise(SAMPLES, colour, np.random.default_rng(seed)) for seed in range(RUNS)]
    return np.stack([windows(row, TAPS) for row in rows])


def _distances(u, target, mu):
    """LMS in all runs side by side: the distance from the target after each sample, (RUNS, SAMPLES + 1)."""
    off = np.empty((SAMPLES + 1, RUNS, TAPS))  # target - w: the error is off . u, the update mu e u
    off[0] = target
    for t in range(SAMPLES):
        e = np.sum(off[t] * u[:, t], axis=1, keepdims=True)  # (RUNS, 1)
        off[t + 1] = off[t] - mu * e * u[:, t]
    return np.linalg.norm(off, axis=2).T


def _step_words(mu, R, mean, runs):
    largest, total = np.linalg.eigvalsh(R).max(), np.trace(R)
    runs = np.nan_to_num(runs, nan=np.inf)
    return (
        f"Step {mu:.4g}. The mean recursion shrinks below 2 / lambda_max = {2 / largest:.3g}; after "
        f"{SAMPLES} samples it is at {_left(mean)} the first distance. Single runs give out near "
        f"2 / trace(R) = {2 / total:.3g} or before: {int(np.sum(runs < 1))} of {RUNS} came closer, "
        f"the worst is at {_left(runs.max())} the first distance."
    )


def _walk_words(mu, guard, path, heights):
    alpha, beta = path[-1]
    outside = np.flatnonzero(np.abs(path[:, 0]) > 1)
    begun = f"Step {mu:.3g}, guard: {guard}"
    if len(outside):
        first = outside[0]
        return (
            f"{begun}. Update {first} crosses the unit circle, from {path[first - 1, 0]:.3g} to "
            f"{path[first, 0]:.3g}; J goes from {heights[first - 1]:.3g} to {heights[first]:.1e} "
            f"and the walk ends after {len(path) - 1} updates."
        )
    return (
        f"{begun}. After {len(path) - 1} updates the pole is {alpha:.4g}, the gain {beta:.4g} and J is "
        f"{heights[-1]:.2g}; the largest pole on the way was {np.abs(path[:, 0]).max():.3g} in size."
    )


def _left(share):
    """A share of a distance in words; rounding noise and what has exploded are not told in digits."""
    if not share < 1e6:
        return "more than a million times"
    return "less than 1e-12 of" if share < 1e-12 else f"{share:.2g} of"
