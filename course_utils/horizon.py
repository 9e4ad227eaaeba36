"""How far back a loss can see: gradients carried back through the plain unit, and their factor a step.

The gradient of a loss at step T, seen from h_(T-k), is a row times a product of k Jacobians
J_t = diag(1 - h_t^2) W_hh. Its length against the lag k is measured here, for one sequence: states (T, H).

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Bengio, Simard and Frasconi, "Learning
long-term dependencies with gradient descent is difficult", IEEE Transactions on Neural Networks 5 (1994);
Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", ICML 2013.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from course_utils.cells import rnn_forward

STARTS = ("orthogonal", "gaussian")


class Run(NamedTuple):
    """What a unit left behind when it read a sequence, and a gradient to carry back from its end."""

    states: torch.Tensor  # (T, H)
    W_hh: torch.Tensor  # (H, H)
    end: torch.Tensor  # (H,), of length 1 in a random direction: the gradient at h_T
    terms: torch.Tensor  # (T, H), what the inputs added before the tanh


def start_matrix(kind, H, sigma, generator, dtype=torch.float64):
    """A random W_hh with a given largest singular value.

    Parameters
    ----------
    kind : "orthogonal", where all singular values are equal, or "gaussian": independent normal numbers.
    H : int.
    sigma : float, the largest singular value, at least 0.
    generator : torch generator.
    dtype : of the matrix.

    Returns
    -------
    (H, H) tensor.

    Raises
    ------
    ValueError : for another kind.

    >>> W = start_matrix("gaussian", 4, 1.5, torch.Generator().manual_seed(0))
    >>> round(torch.linalg.matrix_norm(W, 2).item(), 6)
    1.5
    """
    if kind not in STARTS:
        raise ValueError(f"kind is {kind!r}, expected one of {', '.join(STARTS)}")
    if kind == "orthogonal":
        return sigma * nn.init.orthogonal_(torch.empty(H, H, dtype=dtype), generator=generator)
    W = torch.randn(H, H, generator=generator, dtype=dtype)
    return W * (sigma / torch.linalg.matrix_norm(W, 2))


def drive(T, H, spread, generator, d=32, dtype=torch.float64):
    """Random inputs, and weights that turn them into terms W_xh x_t of a given standard deviation.

    Parameters
    ----------
    T, H : int, steps and units.
    spread : float, the standard deviation of all T H terms together, about 0.
    generator : torch generator.
    d : int, numbers in an input.
    dtype : of both results.

    Returns
    -------
    x : (T, d) tensor.
    W_xh : (H, d) tensor.

    >>> x, W_xh = drive(50, 6, 0.5, torch.Generator().manual_seed(0))
    >>> round((x @ W_xh.T).square().mean().sqrt().item(), 6)
    0.5
    """
    x = torch.randn(T, d, generator=generator, dtype=dtype)
    W_xh = torch.randn(H, d, generator=generator, dtype=dtype)
    return x, W_xh * (spread / (x @ W_xh.T).square().mean().sqrt())


def driven_states(kind, sigma, spread, seed, T=101, H=128):
    """A fresh unit reads random inputs from h_0 = 0; bias 0.

    Parameters
    ----------
    kind, sigma : the start of W_hh, see ``start_matrix``.
    spread : float, the standard deviation of the input terms.
    seed : int.
    T, H : int, steps and units; T = 101 states are 100 lags.

    Returns
    -------
    Run, in float64.

    >>> run = driven_states("orthogonal", 1.0, 0.5, seed=0, T=3, H=4)
    >>> run.states.shape, round(run.end.norm().item(), 6)
    (torch.Size([3, 4]), 1.0)
    """
    generator = torch.Generator().manual_seed(seed)
    W_hh = start_matrix(kind, H, sigma, generator)
    x, W_xh = drive(T, H, spread, generator)
    states = rnn_forward(x[None], W_xh, W_hh, torch.zeros(H, dtype=torch.float64))[0]
    end = torch.randn(H, generator=generator, dtype=torch.float64)
    return Run(states, W_hh, end / end.norm(), x @ W_xh.T)


def carried_back(states, W_hh, end):
    """Carry a gradient at the last state back step by step; how long is it at each lag?

    delta_(t-1) = W_hh^T (delta_t * (1 - h_t^2)),  delta_T = end

    Parameters
    ----------
    states : (T, H) tensor.
    W_hh : (H, H) tensor.
    end : (H,) tensor, the gradient at h_T.

    Returns
    -------
    (T,) tensor, the lengths at h_T, h_(T-1), ... h_1: lag 0 first.

    >>> carried_back(torch.tensor([[0.5], [0.0], [0.5]]), torch.tensor([[2.0]]), torch.ones(1))
    tensor([1.0000, 1.5000, 3.0000])
    """
    delta, lengths = end, [end.norm()]
    for h in states[1:].flip(0):  # h_T first; h_1 is where it ends
        delta = W_hh.T @ (delta * (1 - h**2))
        lengths.append(delta.norm())
    return torch.stack(lengths)


def lengths_of_starts(kind, sigma, spread, seeds, T=101, H=128):
    """``carried_back`` for a fresh unit of each seed: an (S, T) array, lag 0 first."""
    runs = [driven_states(kind, sigma, spread, seed, T, H) for seed in seeds]
    return np.array([carried_back(run.states, run.W_hh, run.end).numpy() for run in runs])


def fitted_factors(rows):
    """The factor a step of each row of lengths: exp of the slope of a line through their logarithms.

    Parameters
    ----------
    rows : (S, T) array of positive lengths, lag 0 first, T >= 2.

    Returns
    -------
    (S,) array.

    >>> fitted_factors(np.array([[8.0, 4.0, 2.0, 1.0]])).round(6)
    array([0.5])
    """
    logs = np.log(rows)
    lags = np.arange(logs.shape[1]) - (logs.shape[1] - 1) / 2  # about 0, so the height drops out
    return np.exp(logs @ lags / (lags @ lags))


def typical_factor(states, W_hh):
    """What a step multiplies the length of a gradient in a random direction by, as two parts.

    Parameters
    ----------
    states : (T, H) tensor.
    W_hh : (H, H) tensor.

    Returns
    -------
    stretch : float, the root of the mean square of the singular values of W_hh.
    slope : float, the root of the mean square of the slopes 1 - h^2.

    >>> stretch, slope = typical_factor(torch.zeros(3, 2), torch.diag(torch.tensor([3.0, 4.0])))
    >>> round(stretch, 4), slope
    (3.5355, 1.0)
    """
    stretch = W_hh.norm().item() / math.sqrt(len(W_hh))
    return stretch, (1 - states**2).square().mean().sqrt().item()
