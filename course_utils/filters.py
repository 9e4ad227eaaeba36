"""The one-pole filter of lesson 02: one number, carried by one factor a step.

Everything here is NumPy in float64 and takes one row ``x`` of shape ``(T,)``.
"""

import math

import numpy as np


def one_pole(x, alpha, beta=1.0, h0=0.0):
    """Run the one-pole recursion over a row and return every state.

    h_t = alpha * h_(t-1) + beta * x_t

    Parameters
    ----------
    x : (T,) array, the inputs; T = 0 is allowed.
    alpha : float, the pole: the factor that the state is multiplied by at every step.
    beta : float, the input gain.
    h0 : float, the state before the first input.

    Returns
    -------
    (T,) float64 array, the states h_1 ... h_T.

    Raises
    ------
    ValueError : when x is not one row of numbers.

    >>> one_pole([1, 0, 0, 0], alpha=0.5)
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    x = np.asarray(x, dtype=float)
    if x.ndim != 1:
        raise ValueError(
            f"x has shape {x.shape}, expected one row (T,); did you pass a batch or a single number?"
        )
    states = np.empty(len(x))
    h = h0
    for t, x_t in enumerate(x):
        h = alpha * h + beta * x_t
        states[t] = h
    return states


def fir(x, taps):
    """Weigh the last k inputs with k fixed taps: a finite impulse response filter.

    y_t = sum_i taps[i] * x_(t-i), inputs before the first counting as zero

    Parameters
    ----------
    x : (T,) array, the inputs.
    taps : (k,) array, the weights, newest input first.

    Returns
    -------
    (T,) float64 array, the outputs.

    >>> fir([1, 0, 0, 0], taps=[1, 0.5])
    array([1. , 0.5, 0. , 0. ])
    """
    x, taps = np.asarray(x, dtype=float), np.asarray(taps, dtype=float)
    if x.ndim != 1 or taps.ndim != 1:
        raise ValueError(f"x has shape {x.shape} and taps {taps.shape}, expected one row each: (T,) and (k,)")
    y = np.zeros(len(x))
    for i, tap in enumerate(taps[: len(x)]):
        y[i:] += tap * x[: len(x) - i]
    return y


def impulse_response(alpha, steps, beta=1.0):
    """The states after a single 1 at the first step: beta * alpha^t for t = 0 ... steps - 1.

    Parameters
    ----------
    alpha : float, the pole.
    steps : int, how many states.
    beta : float, the input gain.

    Returns
    -------
    (steps,) float64 array.

    >>> impulse_response(-0.5, 4)
    array([ 1.   , -0.5  ,  0.25 , -0.125])
    """
    return beta * float(alpha) ** np.arange(steps)


def dc_gain(alpha, beta=1.0):
    """The state that a constant input of 1 settles at: beta / (1 - alpha).

    Raises
    ------
    ValueError : when |alpha| >= 1, where nothing settles.

    >>> round(dc_gain(0.99), 6)
    100.0
    """
    _require_stable(alpha)
    return beta / (1 - alpha)


def frequency_response(alpha, omega, beta=1.0):
    """What the filter does to a sinusoid: beta / (1 - alpha * e^(-i omega)).

    Parameters
    ----------
    alpha : float, the pole, with |alpha| < 1.
    omega : float or array, frequency in radians per step, 0 to pi.
    beta : float, the input gain.

    Returns
    -------
    complex, of the shape of omega; its size is the gain, its angle the shift of the sinusoid.

    Raises
    ------
    ValueError : when |alpha| >= 1, where no output settles.

    >>> abs(frequency_response(0.9, np.array([0, np.pi]))).round(3)
    array([10.   ,  0.526])
    """
    _require_stable(alpha)
    return beta / (1 - alpha * np.exp(-1j * np.asarray(omega, dtype=float)))


def bandwidth(alpha):
    """The frequency at which the gain has fallen to 1/sqrt(2) of the gain for a constant.

    The gain squared is beta^2 / (1 - 2 alpha cos(omega) + alpha^2); half of its value at 0 gives omega.

    Returns
    -------
    float, radians per step; pi when the gain never falls that far (alpha below 0.172).

    >>> round(bandwidth(0.9), 4)
    0.1055
    """
    _require_stable(alpha)
    if alpha < 3 - 2 * math.sqrt(2):
        return math.pi
    return math.acos((4 * alpha - 1 - alpha**2) / (2 * alpha))


def horizon(alpha):
    """Steps until the impulse response has fallen to 1/e = 37 per cent: -1 / ln|alpha|.

    Parameters
    ----------
    alpha : float, the pole.

    Returns
    -------
    float, the horizon tau in steps; inf for |alpha| >= 1 and 0 for alpha = 0.

    >>> round(horizon(0.9), 2)
    9.49
    """
    size = abs(alpha)
    if size >= 1:
        return math.inf
    return -1 / math.log(size) if size else 0.0


def taps_to_match(alpha, tolerance):
    """How many taps alpha^0, alpha^1, ... leave out at most this share of the pole's response.

    The taps from the k-th on add up to |alpha|^k of the whole, so k = ln(tolerance) / ln|alpha|, rounded up.

    Parameters
    ----------
    alpha : float, the pole, with |alpha| < 1.
    tolerance : float between 0 and 1, the share that may be missing.

    Returns
    -------
    int, at least 1.

    >>> taps_to_match(0.99, 0.01)
    459
    """
    _require_stable(alpha)
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}, expected a share between 0 and 1; one per cent is 0.01")
    if alpha == 0:
        return 1
    return max(1, math.ceil(math.log(tolerance) / math.log(abs(alpha)) - 1e-9))


def _require_stable(alpha):
    if abs(alpha) >= 1:
        raise ValueError(
            f"alpha is {alpha}; only |alpha| < 1 settles, expected a pole inside the unit circle"
        )
