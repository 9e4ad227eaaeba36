"""Truncated backpropagation through time: windows of k steps, and a task that shows what they cannot see."""

import torch
from torch import nn


def echo_task(count, T, lag, generator):
    """Rows of noise, and as targets the same rows ``lag`` steps late: how far back must a loss see?

    Parameters
    ----------
    count : int, how many rows.
    T : int, steps.
    lag : int, how late the echo is.
    generator : torch generator.

    Returns
    -------
    x, targets : (count, T, 1) float64 tensors; the first ``lag`` targets are 0.

    >>> x, targets = echo_task(2, 6, 4, torch.Generator().manual_seed(0))
    >>> bool((targets[:, 4:] == x[:, :2]).all()), int(targets[:, :4].count_nonzero())
    (True, 0)
    """
    x = torch.randn(count, T, 1, dtype=torch.float64, generator=generator)
    targets = torch.zeros_like(x)
    targets[:, lag:] = x[:, : T - lag]
    return x, targets


def echo_network(H, generator, gain=0.02):
    """A plain unit that hardly forgets: W_hh only turns the state; inputs are small, so slopes are near 1.

    Parameters
    ----------
    H : int, numbers in the state.
    generator : torch generator.
    gain : float, the size of the weights of the input.

    Returns
    -------
    rnn : float64 ``nn.RNN`` with one input. readout : ``nn.Linear`` to one output, without bias.

    >>> rnn, readout = echo_network(4, torch.Generator().manual_seed(0))
    >>> bool(torch.allclose(rnn.weight_hh_l0 @ rnn.weight_hh_l0.T, torch.eye(4, dtype=torch.float64)))
    True
    """
    wide = {"dtype": torch.float64}
    rnn, readout = nn.RNN(1, H, batch_first=True, **wide), nn.Linear(H, 1, bias=False, **wide)
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(gain * torch.randn(H, 1, generator=generator, **wide))
        rnn.weight_hh_l0.copy_(torch.linalg.qr(torch.randn(H, H, generator=generator, **wide))[0])
        rnn.bias_ih_l0.zero_()
        rnn.bias_hh_l0.zero_()
        readout.weight.copy_(0.1 * torch.randn(1, H, generator=generator, **wide))
    return rnn, readout


def windowed_gradients(rnn, readout, x, targets, k):
    """Gradients of half the squared error, backpropagated in windows of k steps.

    The state is carried from window to window as a number; its history is cut.

    Parameters
    ----------
    rnn : ``nn.RNN`` of one layer, batch first. readout : ``nn.Linear``.
    x : (B, T, d) tensor. targets : (B, T, K) tensor.
    k : int, steps a window; T or more gives the full gradient.

    Returns
    -------
    dict with the gradients of W_xh, W_hh and W_hy, the sum over steps, the mean over the batch.
    """
    rnn.zero_grad()
    readout.zero_grad()
    h = None
    for start in range(0, x.shape[1], k):
        window = slice(start, start + k)
        states, h = rnn(x[:, window], h)
        loss = (readout(states) - targets[:, window]).square().sum() / (2 * len(x))
        loss.backward()  # adds to the gradients of the windows before
        h = h.detach()
    weights = {"W_xh": rnn.weight_ih_l0, "W_hh": rnn.weight_hh_l0, "W_hy": readout.weight}
    return {name: weight.grad.clone() for name, weight in weights.items()}


def cosine(one, other):
    """Cosine of the angle between two gradients of one shape: 1 the same way, 0 at right angles.

    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 2.0]))
    0.7071067...
    """
    return torch.nn.functional.cosine_similarity(one.flatten(), other.flatten(), dim=0).item()
