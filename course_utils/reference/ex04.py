"""Reference answers of exercise 04, adaptive filters; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where NumPy is the only import.
"""

import numpy as np


def lms(x, d, taps, mu):
    """LMS on every row of a batch: x, d (B, T) -> weights at the end (B, taps), errors (B, T)."""
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    B, T = x.shape
    padded = np.hstack([np.zeros((B, taps - 1)), x])
    w, errors = np.zeros((B, taps)), np.zeros((B, T))
    for t in range(T):
        u = padded[:, t : t + taps][:, ::-1]  # (B, taps), newest first
        errors[:, t] = d[:, t] - (w * u).sum(axis=1)
        w = w + mu * errors[:, t, None] * u
    return w, errors


def largest_stable_step(x, taps):
    """2 / lambda_max of R, the mean of u_t u_t^T over the windows of x (T,); infinite for silence."""
    padded = np.concatenate([np.zeros(taps - 1), np.asarray(x, dtype=float)])
    u = np.array([padded[t : t + taps][::-1] for t in range(len(x))])  # (T, taps)
    largest = np.linalg.eigvalsh(u.T @ u / len(u))[-1]
    return 2 / largest if largest > 0 else np.inf


def pole_gradient(x, d, alpha, beta, h0):
    """Gradient of half the mean squared error with respect to (alpha, beta, h0): x, d (B, T) -> (3,)."""
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    B, T = x.shape
    y, by_alpha, by_beta, by_h0 = h0 * np.ones(B), np.zeros(B), np.zeros(B), 1.0
    total = np.zeros(3)
    for t in range(T):
        by_alpha = y + alpha * by_alpha  # (B,), with the y of the step before
        by_beta = x[:, t] + alpha * by_beta
        by_h0 = alpha * by_h0
        y = alpha * y + beta * x[:, t]
        e = d[:, t] - y
        total -= [(e * by_alpha).sum(), (e * by_beta).sum(), (e * by_h0).sum()]
    return total / (B * T)


def adapt_pole(x, d, alpha, beta, mu, limit):
    """Learn pole and gain sample by sample, the pole kept in [-limit, limit]: x, d (T,) -> path (T, 2)."""
    path = np.zeros((len(x), 2))
    y = by_alpha = by_beta = 0.0
    for t in range(len(x)):
        by_alpha = y + alpha * by_alpha
        by_beta = x[t] + alpha * by_beta
        y = alpha * y + beta * x[t]
        e = d[t] - y
        alpha = min(max(alpha + mu * e * by_alpha, -limit), limit)
        beta = beta + mu * e * by_beta
        path[t] = alpha, beta
    return path
