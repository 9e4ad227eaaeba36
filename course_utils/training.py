"""Several seeds of one small recurrent model, trained at once as a batch of models.

Each weight has a leading seed axis: W_hh is (S, H, H) and one ``torch.baddbmm`` makes a step of all S models.
The models share nothing else. The run of a seed is, rounding aside, that of the plain loop which begins with
``torch.manual_seed(seed)``, makes PyTorch's module and its ``Linear``, and draws every batch with
``torch.randint``; so it is the same whichever seeds are trained beside it.

The models read symbols 0 to V - 1 and name one at the end: h_T is turned into V scores.
"""

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

MODULES = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


class Weights(NamedTuple):
    """The weights of S models. A step multiplies from the right: x_t @ W_x.

    G blocks of H columns, in PyTorch's order: one of a plain unit; write, forget, candidate, read of an LSTM;
    reset, write, candidate of a GRU.
    """

    W_x: torch.Tensor  # (S, V, G H)
    W_h: torch.Tensor  # (S, H, G H)
    b: torch.Tensor  # (S, 1, G H)
    b_h: torch.Tensor  # (S, 1, G H), added to b: two biases, as in PyTorch, learn twice as fast as one
    W_y: torch.Tensor  # (S, H, V)
    c: torch.Tensor  # (S, 1, V), bias of the scores


class Trained(NamedTuple):
    """What a training left behind: the weights, and what was watched on the way, a row for each seed."""

    weights: Weights
    accuracy: torch.Tensor  # (S,), share of fresh sequences answered right at the end
    updates: torch.Tensor  # (N,), the updates at which the next four were taken
    losses: torch.Tensor  # (S, N), nats
    accuracies: torch.Tensor  # (S, N), on the batch of the update
    first: torch.Tensor  # (S, N), length of the gradient of the loss at h_1, mean over the batch
    last: torch.Tensor  # (S, N), the same at h_T
    norms: torch.Tensor  # (S, updates), length of the gradient of all weights, before clipping


def first_symbol(count, T, V, generator):
    """Recall: T random symbols, of which the first is to be named after the last: (count, T) and (count,)."""
    symbols = torch.randint(V, (count, T), generator=generator)
    return symbols, symbols[:, 0]


def new_weights(cell, seeds, H, V, gate_bias=0.0):
    """The first weights that PyTorch's own modules draw for each seed, and generators that draw on.

    Parameters
    ----------
    cell : "rnn", "lstm" or "gru".
    seeds : list of S ints.
    H, V : int, sizes of state and alphabet.
    gate_bias : float: all forget gates of an LSTM start with this bias, all write gates of a GRU with minus
        this, so that a larger number keeps more in either; a plain unit has no gate.

    Returns
    -------
    (Weights, list of S torch generators)
    """
    drawn, generators = [], [torch.Generator() for _ in seeds]
    for seed, generator in zip(seeds, generators, strict=True):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            layers = MODULES[cell](V, H), nn.Linear(H, V)
            generator.set_state(torch.get_rng_state())
        drawn.append(
            [part.detach().view(-1, part.shape[-1]) for layer in layers for part in layer.parameters()]
        )
    W_x, W_h, b, b_h, W_y, c = (torch.stack(parts) for parts in zip(*drawn, strict=True))
    if cell != "rnn" and gate_bias:
        b[..., H : 2 * H], b_h[..., H : 2 * H] = gate_bias if cell == "lstm" else -gate_bias, 0.0
    return Weights(W_x.mT.contiguous(), W_h.mT.contiguous(), b, b_h, W_y.mT.contiguous(), c), generators


def read(cell, weights, symbols):
    """Let S models read S batches.

    Parameters
    ----------
    cell : "rnn", "lstm" or "gru", the GRU in the lecture's form (reset before the product, z writes).
    weights : Weights of S models.
    symbols : (S, B, T) tensor of ints, a batch for each model.

    Returns
    -------
    (states, scores) : list of T tensors (S, B, H), and (S, B, V).
    """
    S, B, _T = symbols.shape
    H, models = weights.W_h.shape[1], torch.arange(S)[:, None]
    table = weights.W_x + weights.b + weights.b_h  # (S, V, G H): input term and biases for each symbol
    carried = (table.new_zeros(S, B, H),) * (2 if cell == "lstm" else 1)
    states = []
    for symbols_t in symbols.unbind(2):  # (S, B)
        carried = STEPS[cell](table[models, symbols_t], carried, weights.W_h)
        states.append(carried[0])
    return states, torch.baddbmm(weights.c, states[-1], weights.W_y)


def _rnn_step(term, carried, W_h):
    return (torch.tanh(torch.baddbmm(term, carried[0], W_h)),)


def _lstm_step(term, carried, W_h):
    h, c = carried
    write, forget, candidate, read_out = torch.baddbmm(term, h, W_h).chunk(4, dim=2)
    c = torch.sigmoid(forget) * c + torch.sigmoid(write) * torch.tanh(candidate)
    return torch.sigmoid(read_out) * torch.tanh(c), c


def _gru_step(term, carried, W_h):
    (h,), H = carried, W_h.shape[1]
    reset, z = torch.sigmoid(torch.baddbmm(term[..., : 2 * H], h, W_h[..., : 2 * H])).chunk(2, dim=2)
    candidate = torch.tanh(torch.baddbmm(term[..., 2 * H :], reset * h, W_h[..., 2 * H :]))
    return (torch.lerp(h, candidate, z),)  # (1 - z) h + z candidate


STEPS = {"rnn": _rnn_step, "lstm": _lstm_step, "gru": _gru_step}
"""One step of each cell: (input term, what is carried, W_h) to what is carried on, the state first."""


def train(
    cell,
    T,
    seeds,
    *,
    draw=first_symbol,
    H=32,
    V=8,
    batch=64,
    updates=1500,
    rate=3e-3,
    gate_bias=0.0,
    optimiser=torch.optim.Adam,
    clip=math.inf,
    watch=50,
    tests=2000,
):
    """Train one model for each seed, all at once.

    Parameters
    ----------
    cell : "rnn", "lstm" or "gru".
    T : int, steps of a sequence.
    seeds : list of S ints, one model each.
    draw : function of (count, T, V, generator) that gives symbols (count, T) and targets (count,).
    H, V, batch, updates, rate : sizes of state, alphabet and batch, number and size of the updates.
    gate_bias : see ``new_weights``.
    optimiser : class of ``torch.optim``.
    clip : largest length of a model's gradient; a longer one is shortened to it.
    watch : int, every how many updates the run is looked at.
    tests : int, fresh sequences for the final accuracy.

    Returns
    -------
    Trained
    """
    weights, sources = new_weights(cell, seeds, H, V, gate_bias)
    for part in weights:
        part.requires_grad_()
    steps, watched, norms = optimiser(weights, lr=rate), [], []
    for update in range(updates):
        symbols, targets = _batches(draw, batch, T, V, sources)
        states, scores = read(cell, weights, symbols)
        losses = _losses(scores, targets)  # (S,)
        if update % watch == 0 or update == updates - 1:
            watched.append((update, losses.detach(), _right(scores, targets), *_ends(losses, states)))
        steps.zero_grad()
        losses.sum().backward()
        norms.append(clip_each(weights, clip))
        steps.step()
    numbers, *rows = zip(*watched, strict=True)
    weights = Weights(*(part.detach() for part in weights))
    accuracy = accuracy_of(cell, weights, _batches(draw, tests, T, V, sources))
    rows = [torch.stack(row, dim=1) for row in rows]
    return Trained(weights, accuracy, torch.tensor(numbers), *rows, torch.stack(norms, dim=1))


def accuracy_of(cell, weights, examples):
    """The share of examples that each model names right: symbols (S, B, T) and targets (S, B) to (S,)."""
    with torch.no_grad():
        return _right(read(cell, weights, examples[0])[1], examples[1])


def clip_each(weights, limit):
    """Shorten the gradient of each model to at most ``limit``; returns the lengths before that, (S,)."""
    squares = [part.grad.square().flatten(1).sum(dim=1) for part in weights]
    lengths = torch.stack(squares).sum(dim=0).sqrt()
    if math.isfinite(limit):
        factors = (limit / lengths).clamp(max=1)
        for part in weights:
            part.grad.mul_(factors[:, None, None])
    return lengths


def _batches(draw, count, T, V, sources):
    """A batch for each model from its own generator: (S, count, T) and (S, count)."""
    pairs = [draw(count, T, V, generator) for generator in sources]
    return tuple(torch.stack(parts) for parts in zip(*pairs, strict=True))


def _losses(scores, targets):
    """Mean cross-entropy of each model, (S,)."""
    return (
        cross_entropy(scores.flatten(0, 1), targets.flatten(), reduction="none")
        .view(targets.shape)
        .mean(dim=1)
    )


def _right(scores, targets):
    return (scores.argmax(dim=2) == targets).float().mean(dim=1)


def _ends(losses, states):
    """Length of the gradient of each model's loss at its first and last state, (S,) each."""
    count = states[0].shape[1]  # the loss is a mean, so a sequence has a share of its gradient
    ends = torch.autograd.grad(losses.sum(), (states[0], states[-1]), retain_graph=True)
    return [count * end.norm(dim=2).mean(dim=1) for end in ends]
