"""Four ways to read a row of steps and answer yes or no, with about 400 parameters each.

Each takes x (B, T, 2), padded behind, and lengths (B,), and returns one score a row, (B,): above 0 is yes.
"""

import numpy as np
import torch
from torch import nn

from course_utils.tasks import LONGEST


class Concatenation(nn.Module):
    """All steps side by side in one long vector, then a layer of units: a weight for each position."""

    def __init__(self, units=4):
        super().__init__()
        self.first, self.score = nn.Linear(2 * LONGEST, units), nn.Linear(units, 1)

    def forward(self, x, lengths):
        return self.score(torch.relu(self.first(x.flatten(1)))).squeeze(1)  # (B,)


class Pooling(nn.Module):
    """The same layer of units at each step, then their mean over the real steps."""

    def __init__(self, units=98):
        super().__init__()
        self.first, self.score = nn.Linear(2, units), nn.Linear(units, 1)

    def forward(self, x, lengths):
        x = x[:, : int(lengths.max())]  # (B, T, 2)
        shares = _real(x, lengths) / lengths[:, None]  # (B, T), they add up to 1
        mean = torch.einsum("bth,bt->bh", torch.relu(self.first(x)), shares)
        return self.score(mean).squeeze(1)


class Window(nn.Module):
    """Units that see neighbouring steps, at every place of the row; of each the largest answer counts."""

    def __init__(self, units=20, taps=9):
        super().__init__()
        self.first, self.score, self.taps = nn.Conv1d(2, units, taps), nn.Linear(units, 1), taps

    def forward(self, x, lengths):
        x = x[:, : max(self.taps, int(lengths.max()))]
        found = torch.relu(self.first(x.transpose(1, 2)))  # (B, units, places)
        places = _real(found.transpose(1, 2), (lengths - self.taps + 1).clamp(min=1))
        return self.score((found * places[:, None]).amax(dim=2)).squeeze(1)


class CarriedState(nn.Module):
    """A state that the same rule updates at every step; the last one answers.

    h_t = tanh(W_xh x_t + W_hh h_(t-1) + b), from h_0 = 0, W_hh orthogonal at the start.
    """

    def __init__(self, units=18):
        super().__init__()
        self.rule, self.score = nn.RNN(2, units, batch_first=True), nn.Linear(units, 1)
        nn.init.orthogonal_(self.rule.weight_hh_l0)
        nn.init.zeros_(self.rule.bias_ih_l0)
        nn.init.zeros_(self.rule.bias_hh_l0).requires_grad_(False)  # one bias is enough

    def forward(self, x, lengths):
        states, _ = self.rule(x[:, : int(lengths.max())])  # (B, T, units)
        return self.score(states[torch.arange(len(x)), lengths - 1]).squeeze(1)


WAYS = {
    "concatenation": Concatenation,
    "pooling": Pooling,
    "window": Window,
    "carried state": CarriedState,
}
"""The four ways by name."""


def parameters(model):
    """How many numbers training may change."""
    return sum(weights.numel() for weights in model.parameters() if weights.requires_grad)


def fit(kind, rows, seed=0, steps=500, batch=64):
    """Train a fresh model: Adam, cross-entropy, gradients clipped to length 1.

    Parameters
    ----------
    kind : one of the four classes above.
    rows : tasks.Rows, the examples.
    seed : int, for the first weights and the order of the examples.
    steps : int, updates.
    batch : int, examples an update.

    Returns
    -------
    the trained model.
    """
    torch.manual_seed(seed)
    model, rng, threads = kind(), np.random.default_rng(seed), torch.get_num_threads()
    x, lengths, labels = _tensors(rows)
    torch.set_num_threads(1)  # the products are too small to share
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3 if kind is CarriedState else 1e-2)
    for _ in range(steps):
        pick = torch.as_tensor(rng.integers(len(x), size=batch))
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[pick], lengths[pick]), labels[pick])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    torch.set_num_threads(threads)
    return model


def accuracy(model, rows):
    """The share of rows that a model answers right."""
    x, lengths, labels = _tensors(rows)
    with torch.no_grad():
        return ((model(x, lengths) > 0) == (labels > 0)).float().mean().item()


def _tensors(rows):
    return (
        torch.as_tensor(rows.x).float(),
        torch.as_tensor(rows.lengths),
        torch.as_tensor(rows.labels).float(),
    )


def _real(values, lengths):
    """1.0 at the real steps of each row, 0.0 behind: (B, T) for values (B, T, ...)."""
    return (torch.arange(values.shape[1]) < lengths[:, None]).to(values.dtype)
