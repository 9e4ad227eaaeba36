"""A pole that learns: the gradient of a loop is a loop of its own (lesson 04).

Everything here is NumPy in float64. An input is one row ``x`` of shape ``(T,)``, its target ``d`` another.
"""

import math

import numpy as np


def slope_of_pole(x, alpha, beta=1.0):
    """The outputs of a one-pole filter and how each changes with alpha and with beta.

    y_t         = alpha * y_(t-1) + beta * x_t
    dy_t/dalpha = y_(t-1) + alpha * dy_(t-1)/dalpha
    dy_t/dbeta  = x_t     + alpha * dy_(t-1)/dbeta

    Parameters
    ----------
    x : (T,) array, the inputs.
    alpha, beta : floats, the pole and the input gain; y_0 = 0.

    Returns
    -------
    three (T,) float64 arrays: y, dy/dalpha, dy/dbeta.

    >>> slope_of_pole([1, 0, 0, 0], alpha=0.5)[1]
    array([0.  , 1.  , 1.  , 0.75])
    """
    rows = []
    y = by_alpha = by_beta = 0.0
    for x_t in np.asarray(x, dtype=float).tolist():
        by_alpha = y + alpha * by_alpha
        by_beta = x_t + alpha * by_beta
        y = alpha * y + beta * x_t
        rows.append((y, by_alpha, by_beta))
    return tuple(np.reshape(rows, (-1, 3)).T.copy())


def pole_loss(x, d, alpha, beta):
    """Half the mean squared error of a one-pole filter, and its gradient.

    Parameters
    ----------
    x, d : (T,) arrays, inputs and targets, T >= 1.
    alpha, beta : floats.

    Returns
    -------
    J : float.
    gradient : (2,) array, dJ/dalpha and dJ/dbeta; not finite once the filter has exploded.

    Raises
    ------
    ValueError : when x and d are not rows of one length.

    >>> J, gradient = pole_loss([1, 0], [0, 1], alpha=0.0, beta=1.0)
    >>> J, gradient
    (0.5, array([-0.5,  0.5]))
    """
    if np.ndim(x) != 1 or np.shape(x) != np.shape(d):
        raise ValueError(f"x has shape {np.shape(x)} and d {np.shape(d)}, expected one length (T,) for both")
    with np.errstate(over="ignore", invalid="ignore"):  # an unstable pole is a case, not an accident
        y, by_alpha, by_beta = slope_of_pole(x, alpha, beta)
        e = np.asarray(d, dtype=float) - y
        return float(np.mean(e**2)) / 2, -np.array([np.mean(e * by_alpha), np.mean(e * by_beta)])


def pole_surface(x, d, alphas, betas):
    """J over a grid of poles and gains, all filters carried side by side.

    Parameters
    ----------
    x, d : (T,) arrays, inputs and targets.
    alphas : (n,) array. betas : (m,) array.

    Returns
    -------
    (m, n) float64 array: rows are gains, columns are poles.

    >>> pole_surface([1.0], [1.0], alphas=[0.5, 0.9], betas=[0.0, 1.0])
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    alpha, beta = np.meshgrid(alphas, betas)  # (m, n)
    y, total = np.zeros(alpha.shape), np.zeros(alpha.shape)
    for x_t, d_t in zip(x, d, strict=True):
        y = alpha * y + beta * x_t
        total += (d_t - y) ** 2
    return total / (2 * len(x))


def learn_pole(x, d, start, mu, updates, limit=math.inf, inside=False):
    """Gradient descent on J(alpha, beta), every update over the whole row.

    Parameters
    ----------
    x, d : (T,) arrays, inputs and targets.
    start : (alpha, beta), where the path begins.
    mu : float, the step.
    updates : int, how many at most.
    limit : float, alpha is put back to -limit or limit when an update leaves them: projection.
    inside : bool, learn a in alpha = tanh(a) instead of alpha: the slope of tanh, 1 - alpha^2, shortens
        the step near the unit circle.

    Returns
    -------
    path : (n + 1, 2) float64 array, alpha and beta from the start on. n is below updates when the filter
        explodes: the path ends where no finite gradient shows the way, or one step went beyond 1e6.
    heights : (n + 1,) float64 array, J at each point of the path.

    >>> path, heights = learn_pole([1.0, 0.0], [1.0, 0.5], (0.0, 0.0), mu=1.0, updates=1)
    >>> path
    array([[0. , 0. ],
           [0. , 0.5]])
    >>> heights
    array([0.3125, 0.125 ])
    """
    (alpha, beta), path, heights = start, [], []
    a = math.atanh(alpha) if inside else None
    while True:
        J, gradient = pole_loss(x, d, alpha, beta)
        path.append((alpha, beta))
        heights.append(J)
        lost = max(abs(alpha), abs(beta)) > 1e6 or not np.isfinite(gradient).all()
        if lost or len(path) > updates:
            return np.array(path, dtype=float), np.array(heights)
        by_alpha, by_beta = gradient.tolist()
        if inside:
            a -= mu * by_alpha * (1 - alpha**2)
            alpha = math.tanh(a)
        else:
            alpha = max(-limit, min(limit, alpha - mu * by_alpha))
        beta = beta - mu * by_beta


def tanh_loop(x, w=2.0, h0=0.0):
    """A loop with one nonlinearity in it: h_t = tanh(w * h_(t-1) + x_t).

    Parameters
    ----------
    x : (T,) array, the inputs.
    w : float, the factor on the state.
    h0 : float, the state before the first input.

    Returns
    -------
    (T,) float64 array, the states, between -1 and 1.

    >>> tanh_loop([1, 0]).round(3)
    array([0.762, 0.909])
    """
    h, states = h0, np.empty(len(x))
    for t, x_t in enumerate(x):
        states[t] = h = np.tanh(w * h + x_t)
    return states
