"""Reference answers of exercise 02, the one-pole filter; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where NumPy is the only import.
"""

import numpy as np


def one_pole(x, alpha, beta=1.0, h0=None):
    """States h_t = alpha_t * h_(t-1) + beta * x_t of a batch: x (B, T), h0 (B,) -> (B, T)."""
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.empty((B, T))
    for t in range(T):
        h = alpha[t] * h + beta * x[:, t]  # (B,)
        states[:, t] = h
    return states


def memory_horizon(alpha, fraction=1 / np.e):
    """Steps n, a float, after which |alpha|^n has fallen to the fraction."""
    factor = abs(alpha)
    if factor >= 1:
        return np.inf
    if factor == 0:
        return 0.0
    return np.log(fraction) / np.log(factor)


def frequency_response(poles, gain, omega):
    """Complex response gain / prod_k (1 - p_k e^(-i omega)): poles (P,), omega (N,) -> (N,)."""
    delay = np.exp(-1j * np.asarray(omega))  # (N,)
    factors = 1 - np.outer(delay, poles)  # (N, P)
    return gain / factors.prod(axis=1)


def estimate_pole(h):
    """The alpha that minimises sum_t (h_t - alpha * h_(t-1))^2 of a decay h (T,)."""
    h = np.asarray(h, dtype=float)
    before, after = h[:-1], h[1:]  # (T - 1,)
    return before @ after / (before @ before)
