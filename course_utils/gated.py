"""Gated units: a cell that is added to, the LSTM and the GRU built on it, their gates as they run.

    c_t = f_t c_(t-1) + i_t g_t,    h_t = o_t tanh(c_t)

The weights of all blocks are stacked, H rows a block: W_x (G H, d), W_h (G H, H) and b (G H,). The blocks of
an LSTM (G = 4) are write i, forget f, candidate g, read o; those of a GRU (G = 3) reset r, write z,
candidate n.
Everything here takes and returns torch tensors, batch first, in the dtype of its inputs.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Hochreiter and Schmidhuber, "Long
short-term memory", Neural Computation 9 (1997); Gers, Schmidhuber and Cummins, "Learning to forget", Neural
Computation 12 (2000), for the forget gate; Cho et al., "Learning phrase representations using RNN
encoder-decoder", EMNLP 2014, for the GRU.
"""

from typing import NamedTuple

import torch


class Trace(NamedTuple):
    """What an LSTM did at every step, each (B, T, H)."""

    i: torch.Tensor  # write gate
    f: torch.Tensor  # forget gate
    g: torch.Tensor  # candidate
    o: torch.Tensor  # read gate
    c: torch.Tensor  # cell
    h: torch.Tensor  # state


def gated_line(values, keep, write, start=0.0):
    """One cell whose gates are given: c_t = keep_t * c_(t-1) + write_t * value_t.

    Parameters
    ----------
    values : (T,) tensor, what is offered at each step.
    keep, write : (T,) tensors or floats, how much of the old and of the offered value goes in.
    start : float or tensor without axes, the cell before the first step.

    Returns
    -------
    (T,) tensor, the cell after each step.

    >>> gated_line(torch.tensor([1.0, 0.0, 0.0]), keep=0.5, write=1.0).tolist()
    [1.0, 0.5, 0.25]
    """
    keep, write = (torch.as_tensor(gate, dtype=values.dtype).expand(len(values)) for gate in (keep, write))
    c, cells = torch.as_tensor(start, dtype=values.dtype), []
    for value, kept, written in zip(values, keep, write, strict=True):
        c = kept * c + written * value
        cells.append(c)
    return torch.stack(cells)


def lstm_gates(x_t, h, W_x, W_h, b):
    """What an LSTM decides at one step, from the input and the state: sigma and tanh of four affine maps.

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h : (B, H) tensor, the states before it.
    W_x, W_h, b : (4H, d), (4H, H) and (4H,) tensors, H rows each for write, forget, candidate, read.

    Returns
    -------
    i, f, g, o : (B, H) tensors: write gate, forget gate, candidate, read gate.
    """
    rows = x_t @ W_x.T + h @ W_h.T + b  # (B, 4H)
    write, forget, candidate, read = rows.chunk(4, dim=1)
    return torch.sigmoid(write), torch.sigmoid(forget), torch.tanh(candidate), torch.sigmoid(read)


def lstm_step(x_t, h, c, W_x, W_h, b):
    """One step of an LSTM: c_t = f c_(t-1) + i g, h_t = o tanh(c_t).

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h, c : (B, H) tensors, states and cells before it.
    W_x, W_h, b : (4H, d), (4H, H) and (4H,) tensors.

    Returns
    -------
    h, c : (B, H) tensors, states and cells after it.
    """
    i, f, g, o = lstm_gates(x_t, h, W_x, W_h, b)
    c = f * c + i * g  # forget, then write
    h = o * torch.tanh(c)  # read
    return h, c


def gru_step(x_t, h, W_x, W_h, b):
    """One step of the lecture's GRU: reset acts before the recurrent product, z writes.

    n = tanh(W_xn x_t + W_hn (r * h) + b_n), h_t = (1 - z) h_(t-1) + z n

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h : (B, H) tensor, the states before it.
    W_x, W_h, b : (3H, d), (3H, H) and (3H,) tensors, H rows each for reset, write, candidate.

    Returns
    -------
    (B, H) tensor, the states after it.
    """
    H = h.shape[1]
    from_x, W_hn = x_t @ W_x.T + b, W_h[2 * H :]  # (B, 3H), (H, H)
    r, z = torch.sigmoid(from_x[:, : 2 * H] + h @ W_h[: 2 * H].T).chunk(2, dim=1)
    n = torch.tanh(from_x[:, 2 * H :] + (r * h) @ W_hn.T)
    return (1 - z) * h + z * n


def gru_step_reset_after(x_t, h, W_x, W_h, b, b_hn):
    """One step of PyTorch's GRU: reset acts after the recurrent product, z keeps.

    n = tanh(W_xn x_t + b_n + r * (W_hn h + b_hn)), h_t = (1 - z) n + z h_(t-1)

    Parameters
    ----------
    x_t, h : (B, d) and (B, H) tensors.
    W_x, W_h, b : (3H, d), (3H, H) and (3H,) tensors, H rows each for reset, update, candidate.
    b_hn : (H,) tensor, the bias inside the reset product.

    Returns
    -------
    (B, H) tensor, the states after it.
    """
    r_x, z_x, n_x = (x_t @ W_x.T + b).chunk(3, dim=1)
    r_h, z_h, n_h = (h @ W_h.T).chunk(3, dim=1)
    r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
    n = torch.tanh(n_x + r * (n_h + b_hn))
    return (1 - z) * n + z * h


def gru_states(step, x, *weights):
    """Read a batch with one of the two GRU steps, from zero states.

    Parameters
    ----------
    step : ``gru_step`` or ``gru_step_reset_after``.
    x : (B, T, d) tensor, T >= 1.
    weights : what the step takes behind x_t and h; W_x first.

    Returns
    -------
    (B, T, H) tensor.
    """
    h, states = x.new_zeros(len(x), len(weights[0]) // 3), []
    for x_t in x.unbind(1):
        h = step(x_t, h, *weights)
        states.append(h)
    return torch.stack(states, dim=1)  # (B, T, H)


def lstm_trace(x, W_x, W_h, b, c0=None, cut=False):
    """Read a batch with an LSTM, from a zero state, and keep all it did.

    Parameters
    ----------
    x : (B, T, d) tensor, T >= 1.
    W_x, W_h, b : (4H, d), (4H, H) and (4H,) tensors.
    c0 : (B, H) tensor, the cells before the first step; zeros when None.
    cut : bool: gates and candidate read a copy of the state without its history. The numbers stay the same;
        gradients have one way left, along the cell.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError : when the shapes do not fit.
    """
    c0 = x.new_zeros(len(x), _state_size(x, W_x, W_h, b)) if c0 is None else c0
    steps = _steps(x, W_x, W_h, b, c0, cut)
    return Trace(*(torch.stack(part, dim=1) for part in zip(*steps, strict=True)))


def cell_jacobians(x, W_x, W_h, b, cut=False):
    """How the last cell of one sequence depends on each cell before it: dc_T/dc_s, by autograd.

    Parameters
    ----------
    x : (T, d) tensor, one sequence, read from zero states.
    W_x, W_h, b : tensors as for ``lstm_trace``.
    cut : bool, whether only the way along the cell counts.

    Returns
    -------
    (T, H, H) tensor; entry [s, i, j] is the derivative of c_T[i] by c_s[j], the last one the identity.
    """
    c0 = x.new_zeros(1, _state_size(x[None], W_x, W_h, b)).requires_grad_()  # so that there is a graph
    cells = [step[4] for step in _steps(x[None], W_x, W_h, b, c0, cut)]
    rows = [torch.autograd.grad(last, cells, retain_graph=True) for last in cells[-1][0]]
    return torch.stack([torch.cat(row) for row in rows], dim=1)  # (T, H, H)


def model_of(weights, number):
    """The weights of one of several models that were trained at once, as this module's functions take them.

    Parameters
    ----------
    weights : ``training.Weights`` of S models.
    number : int, which of them.

    Returns
    -------
    W_x, W_h, b : tensors (G H, V), (G H, H) and (G H,); b is the sum of the two biases.
    """
    return weights.W_x[number].T, weights.W_h[number].T, (weights.b + weights.b_h)[number, 0]


def _steps(x, W_x, W_h, b, c, cut):
    """The parts of a ``Trace``, a tuple a step."""
    h, steps = torch.zeros_like(c), []
    for x_t in x.unbind(1):
        i, f, g, o = lstm_gates(x_t, h.detach() if cut else h, W_x, W_h, b)
        c = f * c + i * g
        h = o * torch.tanh(c)
        steps.append((i, f, g, o, c, h))
    return steps


def _state_size(x, W_x, W_h, b):
    """H, after a look at the shapes."""
    H, wrong = W_h.shape[1], x.ndim != 3 or x.shape[1] == 0
    if wrong or W_x.shape != (4 * H, x.shape[2]) or W_h.shape != (4 * H, H) or b.shape != (4 * H,):
        came = ", ".join(
            f"{name} {tuple(value.shape)}" for name, value in dict(x=x, W_x=W_x, W_h=W_h, b=b).items()
        )
        raise ValueError(
            f"{came}; expected (B, T, d) with T >= 1, (4H, d), (4H, H), (4H,): four blocks, one under another"
        )
    return H
