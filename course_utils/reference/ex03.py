"""Reference answers of exercise 03, the matrix recursion and its modes; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where NumPy is the only import.
"""

import numpy as np


def linear_states(A, B, x, h0=None):
    """States h_t = A h_(t-1) + B x_t of N sequences: x (N, T, d), h0 (N, H) -> (N, T, H)."""
    A, B, x = (np.asarray(value, dtype=float) for value in (A, B, x))
    N, T, _ = x.shape
    h = np.zeros((N, len(A))) if h0 is None else np.asarray(h0, dtype=float)
    states = np.empty((N, T, len(A)))
    for t in range(T):
        h = h @ A.T + x[:, t] @ B.T  # (N, H)
        states[:, t] = h
    return states


def mode_table(A):
    """Radius, angle, period and horizon of every mode of A (H, H): four (H,) arrays, slowest first."""
    factors = np.linalg.eigvals(np.asarray(A, dtype=float))
    radius, angle = np.abs(factors), np.abs(np.angle(factors))
    order = np.argsort(-radius)
    radius, angle = radius[order], angle[order]
    with np.errstate(divide="ignore"):
        period = 2 * np.pi / angle
        horizon = np.where(radius < 1, -1 / np.log(radius), np.inf)
    return radius, angle, period, horizon


def power_by_modes(A, t):
    """A^t for any real t of a diagonalisable A (H, H): V diag(lambda^t) V^-1, real."""
    factors, axes = np.linalg.eig(np.asarray(A, dtype=float))
    power = (axes * factors.astype(complex) ** t) @ np.linalg.inv(axes)
    return power.real


def slowest_horizon(A):
    """Horizon -1 / ln(rho) of the whole state of A (H, H): 0 for rho = 0, inf for rho >= 1."""
    rho = np.abs(np.linalg.eigvals(np.asarray(A, dtype=float))).max()
    if rho >= 1:
        return np.inf
    if rho == 0:
        return 0.0
    return -1 / np.log(rho)
