"""The thread of the course in four lines: what is left of a 1 in a filter, a matrix, a gradient, a cell."""

import numpy as np
import torch

from course_utils.cells import rnn_forward
from course_utils.filters import one_pole
from course_utils.gated import lstm_trace
from course_utils.modes import free_run, lengths


def four_lines(factor, steps):
    """What is left of a 1 after 0, 1, ... steps when a step multiplies by one factor, measured four times.

    A filter with that pole; a matrix with a pair of eigenvalues of that size; the gradient through a plain
    unit that rests at 0.5, where tanh has the slope 0.75; a cell of an LSTM whose write gate is shut.

    Parameters
    ----------
    factor : float between 0 and 1.
    steps : int.

    Returns
    -------
    dict from "pole", "eigenvalue", "Jacobian factor" and "forget gate" to (steps + 1,) float64 arrays.

    >>> [line.round(3).tolist() for line in four_lines(0.5, 2).values()]
    [[1.0, 0.5, 0.25], [1.0, 0.5, 0.25], [1.0, 0.5, 0.25], [1.0, 0.5, 0.25]]
    """
    silence, one = torch.zeros(1, steps, 1, dtype=torch.float64), torch.ones(1, 1, dtype=torch.float64)
    pole = one_pole(np.eye(1, steps + 1)[0], alpha=factor)
    turn = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    eigenvalue = lengths(free_run(factor * turn, (1, 0), steps))
    weight, start = factor / 0.75 * one, (0.5 * one).requires_grad_()
    bias = np.arctanh(0.5) - 0.5 * weight[0]  # so that the unit rests at 0.5
    states = rnn_forward(silence, 0 * one, weight, bias, start)[0, :, 0]
    slopes = [torch.autograd.grad(h, start, retain_graph=True)[0].item() for h in states]
    biases = torch.tensor([-1000.0, np.log(factor / (1 - factor)), 0, 0], dtype=torch.float64)  # i, f, g, o
    cells = lstm_trace(silence, *torch.zeros(2, 4, 1, dtype=torch.float64), biases, one).c.flatten()
    return {
        "pole": pole,
        "eigenvalue": eigenvalue,
        "Jacobian factor": np.array([1.0, *slopes]),
        "forget gate": np.array([1.0, *cells.tolist()]),
    }
