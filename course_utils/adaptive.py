"""Adaptive filters of lesson 04: taps that learn from the error of every sample (LMS).

Everything here is NumPy in float64. An input is one row ``x`` of shape ``(T,)``, its target ``d`` another.
"""

import math

import numpy as np

from course_utils.filters import one_pole


def windows(x, k):
    """The last k inputs at every step, newest first; before the first input there are zeros.

    Parameters
    ----------
    x : (T,) array, the inputs; T = 0 is allowed.
    k : int, how many inputs a window holds, at least 1.

    Returns
    -------
    (T, k) float64 array: row t is x[t], x[t - 1], ..., x[t - k + 1].

    Raises
    ------
    ValueError : when x is not one row, or k is below 1.

    >>> windows([1, 2, 3], k=2)
    array([[1., 0.],
           [2., 1.],
           [3., 2.]])
    """
    x = np.asarray(x, dtype=float)
    if x.ndim != 1 or k < 1:
        raise ValueError(f"x has shape {x.shape} and k is {k}, expected one row (T,) and at least one tap")
    padded = np.concatenate([np.zeros(k), x])
    return np.lib.stride_tricks.sliding_window_view(padded, k)[1:, ::-1]  # (T, k)


def lms(x, d, k, mu, normalised=False):
    """Learn k taps from the error of every sample: least mean squares.

    e_t = d_t - w . u_t and then w = w + mu * e_t * u_t, with the window u_t = (x_t, ..., x_(t-k+1))

    Parameters
    ----------
    x : (T,) array, the inputs.
    d : (T,) array, the targets.
    k : int, the number of taps; they start from zero.
    mu : float, the step.
    normalised : bool, divide each step by the energy u_t . u_t of its window (normalised LMS).

    Returns
    -------
    weights : (T, k) float64 array, the taps after each sample.
    errors : (T,) float64 array, each taken before its own update.

    Raises
    ------
    ValueError : when x and d are not rows of one length.

    Source: Widrow and Hoff, Adaptive switching circuits, 1960.

    >>> weights, errors = lms([1, 2], [3, 6], k=1, mu=0.1)
    >>> weights.ravel().round(6), errors
    (array([0.3 , 1.38]), array([3. , 5.4]))
    """
    if np.shape(x) != np.shape(d):
        raise ValueError(f"x has shape {np.shape(x)} and d {np.shape(d)}, expected one length (T,) for both")
    weights, errors = np.empty((len(x), k)), np.empty(len(x))
    w = np.zeros(k)
    for t, u in enumerate(windows(x, k)):
        e = d[t] - w @ u
        step = mu / (u @ u + 1e-3) if normalised else mu
        w = w + step * e * u
        weights[t], errors[t] = w, e
    return weights, errors


def autocorrelation(x, k):
    """The mean of u_t u_t^T over the windows of a row: how the taps' inputs go together.

    Parameters
    ----------
    x : (T,) array, the inputs, T >= 1.
    k : int, the number of taps.

    Returns
    -------
    (k, k) float64 array R, symmetric; the power of x is about trace(R) / k.

    >>> autocorrelation([1.0, 1.0], k=2)
    array([[1. , 0.5],
           [0.5, 0.5]])
    """
    u = windows(x, k)  # (T, k)
    if not len(u):
        raise ValueError("x is empty; a mean needs at least one sample")
    return u.T @ u / len(u)


def mean_path(R, target, mu, steps):
    """What LMS does on average: steepest descent on the bowl J(w) = (w - target) . R (w - target) / 2.

    w = w + mu * R (target - w)

    Parameters
    ----------
    R : (k, k) array, the autocorrelation matrix of the input.
    target : (k,) array, the taps at the bottom of the bowl.
    mu : float, the step.
    steps : int, how many steps.

    Returns
    -------
    (steps + 1, k) float64 array, the taps from zero on.

    >>> mean_path(np.eye(1), [1.0], mu=0.5, steps=2).ravel()
    array([0.  , 0.5 , 0.75])
    """
    target = np.asarray(target, dtype=float)
    path = np.zeros((steps + 1, len(target)))
    for step in range(steps):
        path[step + 1] = path[step] + mu * R @ (target - path[step])
    return path


def coloured_noise(T, alpha, rng):
    """Noise of power 1 whose neighbours are alike: white noise through a one-pole filter.

    Parameters
    ----------
    T : int, how many samples.
    alpha : float, the pole, with |alpha| < 1; 0 gives white noise, in which no sample tells of another.
    rng : NumPy Generator.

    Returns
    -------
    (T,) float64 array; samples i apart have the mean product alpha^i.

    >>> coloured_noise(2, 0.9, np.random.default_rng(0)).shape
    (2,)
    """
    white = rng.normal(size=T)
    kept = white[:1] / math.sqrt(1 - alpha**2)  # so that the first sample has power 1 as well
    return one_pole(np.append(kept, white[1:]), alpha, math.sqrt(1 - alpha**2))
