"""The plain recurrent unit: one step, and the loop that repeats it.

    h_t = tanh(W_xh x_t + W_hh h_(t-1) + b)

Everything here takes and returns torch tensors, batch first, in the dtype of its inputs.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Elman, "Finding structure in time",
Cognitive Science 14 (1990), for the unit.
"""

import torch


def rnn_step(x_t, h, W_xh, W_hh, b):
    """One step of the plain unit: h_t = tanh(W_xh x_t + W_hh h_(t-1) + b).

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h : (B, H) tensor, the states before it.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.

    Returns
    -------
    (B, H) tensor, the states after it.

    >>> one = torch.ones(1, 1)
    >>> rnn_step(one, torch.zeros(1, 1), one, 0.5 * one, torch.zeros(1))
    tensor([[0.7616]])
    """
    return torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)  # (B, H)


def rnn_forward(x, W_xh, W_hh, b, h0=None):
    """Read a batch step by step and keep every state.

    Parameters
    ----------
    x : (B, T, d) tensor, T >= 1.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors, the same at every step.
    h0 : (B, H) tensor, the states before the first step; zeros when None.

    Returns
    -------
    (B, T, H) tensor: ``states[:, t]`` is the state after input ``x[:, t]``.

    Raises
    ------
    ValueError : when a shape does not fit.
    """
    check_shapes(x, W_xh, W_hh, b, h0)
    h = x.new_zeros(len(x), len(b)) if h0 is None else h0
    states = []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_xh, W_hh, b)
        states.append(h)
    return torch.stack(states, dim=1)  # (B, T, H)


def check_shapes(x, W_xh, W_hh, b, h0=None):
    """Say in words which argument of ``rnn_forward`` has a shape that does not fit.

    Raises
    ------
    ValueError : naming the argument, its shape and the expected one.
    """
    if x.ndim != 3 or x.shape[1] == 0:
        raise ValueError(f"x has shape {tuple(x.shape)}, expected (B, T, d) with T >= 1: batch, time, input")
    B, H, d = len(x), len(b), x.shape[2]
    wanted = {"W_xh": (W_xh, (H, d)), "W_hh": (W_hh, (H, H)), "h0": (h0, (B, H))}
    for name, (value, shape) in wanted.items():
        if value is not None and tuple(value.shape) != shape:
            slip = "; is it transposed?" if tuple(value.shape) == shape[::-1] else ""
            raise ValueError(f"{name} has shape {tuple(value.shape)}, expected {shape}{slip}")
