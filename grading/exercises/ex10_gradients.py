"""Gradients of the classifier of exercise 10 by hand, in NumPy: two hundred papers ask for them often.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def one_hot(labels, K):
    return np.eye(K)[labels]


def cross_entropy(scores, labels):
    """The gradient of the mean cross-entropy with respect to the scores (B, K)."""
    return (softmax(scores) - one_hot(labels, scores.shape[1])) / len(labels)


def at_the_end(upstream_of=cross_entropy, ends=lambda lengths, T: lengths - 1):
    """The loss at one state of each row: scores (B, T, K), labels, lengths -> their gradient."""

    def upstream(scores, labels, lengths):
        rows, end = np.arange(len(labels)), ends(lengths, scores.shape[1])
        gradient = np.zeros_like(scores)
        gradient[rows, end] = upstream_of(scores[rows, end], labels)
        return gradient

    return upstream


def gradients_of(weights, ids, lengths, labels, upstream, h=None):
    """The gradients of the six weights and the last states.

    ``upstream`` gives the gradient of the loss at the scores of every step; ``h`` the states before the
    first one, zeros when None.
    """
    vectors, W_xh, W_hh, b, W_hy, b_y = weights
    h = np.zeros((len(ids), len(b))) if h is None else h
    x, before, states = vectors[ids], h, []
    for t in range(ids.shape[1]):
        h = np.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
        states.append(h)
    at_scores = upstream(np.stack(states, axis=1) @ W_hy.T + b_y, labels, lengths)
    found, back = [np.zeros_like(weight) for weight in weights], 0.0
    for t in reversed(range(ids.shape[1])):
        inside = (at_scores[:, t] @ W_hy + back) * (1 - states[t] ** 2)
        np.add.at(found[0], ids[:, t], inside @ W_xh)
        found[1] += inside.T @ x[:, t]
        found[2] += inside.T @ (states[t - 1] if t else before)
        found[3] += inside.sum(axis=0)
        found[4] += at_scores[:, t].T @ states[t]
        found[5] += at_scores[:, t].sum(axis=0)
        back = inside @ W_hh
    return found, states[-1]


def length_of(gradients):
    return math.sqrt(sum((gradient**2).sum() for gradient in gradients))
