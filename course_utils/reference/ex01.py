"""Reference answers of exercise 01, sequences; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where NumPy is the only import.
"""

import numpy as np


def concat_weights(T, d, widths):
    """Weights and biases of a network over T concatenated vectors, and with one first block shared by all."""
    above = sum((widths[i] + 1) * widths[i + 1] for i in range(len(widths) - 1))
    concatenated = (T * d + 1) * widths[0] + above
    shared = (d + 1) * widths[0] + above
    return concatenated, shared


def receptive_field(k, dilations):
    """Reach in steps, and how many of these steps the output depends on: k (L,) taps, dilations (L,)."""
    ages = {0}
    for taps, dilation in zip(k, dilations, strict=True):
        ages = {age + i * dilation for age in ages for i in range(taps)}
    return max(ages) + 1, len(ages)


def causal_conv1d(x, W, b=None, dilation=1):
    """Causal convolution: x (B, T, d), W (C, d, k) with the newest tap first, b (C,) -> (B, T, C)."""
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    B, T, _ = x.shape
    C, _, k = W.shape
    y = np.zeros((B, T, C)) if b is None else np.tile(np.asarray(b, dtype=float), (B, T, 1))
    for i in range(k):
        lag = i * dilation
        if lag < T:
            y[:, lag:] += x[:, : T - lag] @ W[:, :, i].T  # (B, T - lag, C)
    return y


def running_statistics(x, lengths):
    """Mean, variance and maximum so far at every step, held behind the end: x (B, T) -> 3 x (B, T)."""
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    mean, squares, highest = np.zeros(B), np.zeros(B), np.full(B, -np.inf)
    means, variances, maxima = np.empty((B, T)), np.empty((B, T)), np.empty((B, T))
    for t in range(T):
        count = np.minimum(t + 1, lengths)  # (B,)
        real = np.asarray(lengths) > t
        apart = np.where(real, x[:, t] - mean, 0.0)  # (B,), from the old mean
        mean = mean + apart / count
        squares = squares + apart * np.where(real, x[:, t] - mean, 0.0)
        highest = np.where(real, np.maximum(highest, x[:, t]), highest)
        means[:, t], variances[:, t], maxima[:, t] = mean, squares / count, highest
    return means, variances, maxima


def order_sensitivity(x, W, orders):
    """Mean |change| of sum_t W_t . x_t over the orders: x (B, T, d), W (T, d), orders (S, T) -> (B,)."""
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    own = np.einsum("btd,td->b", x, W)
    changes = [np.abs(np.einsum("btd,td->b", x[:, order], W) - own) for order in np.asarray(orders)]
    return np.mean(changes, axis=0)
