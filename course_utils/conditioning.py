"""Repairs of a plain unit's training: clipping, the start of W_hh, LayerNorm inside the loop.

What each does to the gradient is measured as in ``course_utils.horizon``, for one sequence: states (T, H).

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Pascanu, Mikolov and Bengio, "On the
difficulty of training recurrent neural networks", ICML 2013, for clipping; Saxe, McClelland and Ganguli,
"Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", ICLR 2014, and Le,
Jaitly and Hinton, "A simple way to initialize recurrent networks of rectified linear units" (2015), for the
starts; Ba, Kiros and Hinton, "Layer normalization" (2016).
"""

import math

import torch
from torch import nn

KEPT = 0.95
"""Size of the scaled identity."""


def largest_jump(lengths, window=10):
    """Where a gradient stands out most from the updates just before it.

    Parameters
    ----------
    lengths : (N,) tensor, the length of the gradient at each update, N > 2 * window.
    window : int, updates before and after that count as near.

    Returns
    -------
    (update, jump, after) : its index from 0; its length divided by the median of the window before; the
        median of the window after, divided by the same.

    >>> calm = torch.ones(50)
    >>> calm[30] = 200.0
    >>> largest_jump(calm)
    (30, 200.0, 1.0)
    """
    near = lengths.unfold(0, window, 1).median(dim=1).values  # near[u]: updates u to u + window - 1
    before, after = near[: -window - 1], near[window + 1 :]
    jumps = lengths[window:-window] / before
    place = int(jumps.argmax())
    return place + window, jumps[place].item(), (after[place] / before[place]).item()


def after_clipping(clip, gradient, limit):
    """What one of PyTorch's two functions makes of a gradient.

    Parameters
    ----------
    clip : ``nn.utils.clip_grad_norm_`` or ``nn.utils.clip_grad_value_``.
    gradient : tensor.
    limit : float > 0, for the length of the gradient or for the size of each number.

    Returns
    -------
    tensor of the same shape.

    >>> after_clipping(nn.utils.clip_grad_value_, torch.tensor([3.0, 0.4]), 1.0)
    tensor([1.0000, 0.4000])
    """
    weight = torch.zeros_like(gradient, requires_grad=True)
    weight.grad = gradient.clone()
    clip([weight], limit)
    return weight.grad


def turned_by(one, other):
    """The angle between two gradients in degrees, each read as one long vector.

    >>> round(turned_by(torch.tensor([2.0, 0.0]), torch.tensor([0.3, 0.3])), 3)
    45.0
    """
    one, other = (vector.double().flatten() / vector.double().norm() for vector in (one, other))
    return math.degrees(2 * math.atan2((one - other).norm(), (one + other).norm()))


def starts(H, generator, dtype=torch.float64):
    """Three ways to start W_hh: independent normal numbers of variance 1/H, orthogonal, scaled identity.

    Returns
    -------
    dict from "Gaussian", "orthogonal" and "identity" to an (H, H) tensor.
    """
    return {
        "Gaussian": torch.randn(H, H, generator=generator, dtype=dtype) / math.sqrt(H),
        "orthogonal": nn.init.orthogonal_(torch.empty(H, H, dtype=dtype), generator=generator),
        "identity": KEPT * torch.eye(H, dtype=dtype),
    }


def off_orthogonal(W):
    """How far W (..., H, H) is from the nearest orthogonal matrix: the root of the mean of (sigma_i - 1)^2.

    >>> off_orthogonal(torch.diag(torch.tensor([1.0, -1.0, 0.5, 1.5]))).item() ** 2
    0.125
    """
    return (torch.linalg.svdvals(W) - 1).square().mean(dim=-1).sqrt()


def plain_step(term, h, W_hh):
    """A step of the plain unit, the input's term W_xh x_t + b given: (H,), (H,), (H, H) -> (H,)."""
    return torch.tanh(term + W_hh @ h)


def normalised_step(term, h, W_hh):
    """The same with LayerNorm before the tanh: over the H units, mean 0 and variance 1 at every step."""
    return torch.tanh(nn.functional.layer_norm(term + W_hh @ h, h.shape))


def states_of(step, terms, W_hh):
    """The states of a unit that starts from 0: terms (T, H), W_hh (H, H) -> (T, H)."""
    h, states = torch.zeros_like(terms[0]), []
    for term in terms:
        h = step(term, h, W_hh)
        states.append(h)
    return torch.stack(states)


def lengths_back(step, terms, W_hh, end):
    """Carry a gradient from the last state back through any step, by autograd; how long is it at each lag?

    Parameters
    ----------
    step : function of (term, h, W_hh) that gives the next state.
    terms : (T, H) tensor, what the inputs add before the tanh.
    W_hh : (H, H) tensor.
    end : (H,) tensor, the gradient at h_T.

    Returns
    -------
    (T,) tensor, the lengths at h_T, h_(T-1), ... h_1: lag 0 first.
    """
    h, states = torch.zeros_like(end, requires_grad=True), []
    for term in terms:
        h = step(term, h, W_hh)
        states.append(h)
    gradients = torch.autograd.grad(states[-1] @ end, states)
    return torch.stack([gradient.norm() for gradient in reversed(gradients)])


def model_from(W_hh, V, seed=0):
    """A plain unit that starts with this W_hh, and a layer that reads V scores off its state.

    Parameters
    ----------
    W_hh : (H, H) tensor.
    V : int, numbers in an input, and scores.
    seed : int, of all other weights.

    Returns
    -------
    (nn.RNN, nn.Linear)
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        rnn, read_out = nn.RNN(V, len(W_hh), batch_first=True), nn.Linear(len(W_hh), V)
    rnn.weight_hh_l0.data.copy_(W_hh)
    return rnn, read_out


def train_from(rnn, read_out, draw, updates, T=10, batch=64, limit=1.0, seed=0):
    """Train a unit and keep its W_hh after every update of Adam at 3e-3.

    Parameters
    ----------
    rnn, read_out : from ``model_from``.
    draw : function of (batch, T, V, generator) that gives symbols (batch, T) and targets (batch,).
    updates : int.
    T, batch : int, steps of a sequence, sequences in a batch.
    limit : float, the largest length of the gradient.
    seed : int, of the batches.

    Returns
    -------
    (updates + 1, H, H) tensor, the start first.
    """
    generator, V = torch.Generator().manual_seed(seed), rnn.input_size
    weights = [*rnn.parameters(), *read_out.parameters()]
    optimiser = torch.optim.Adam(weights, lr=3e-3)
    kept = [rnn.weight_hh_l0.detach().clone()]
    for _ in range(updates):
        symbols, targets = draw(batch, T, V, generator)
        states, _last = rnn(nn.functional.one_hot(symbols, V).float())
        optimiser.zero_grad()
        nn.functional.cross_entropy(read_out(states[:, -1]), targets).backward()
        nn.utils.clip_grad_norm_(weights, limit)
        optimiser.step()
        kept.append(rnn.weight_hh_l0.detach().clone())
    return torch.stack(kept)
