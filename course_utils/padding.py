"""What pads do to a recurrent state, and a small reader that can be trained with and without the mistake.

Rows are padded with zeros behind their last step; ``lengths`` (B,) counts their real steps.
"""

import math

import torch
from torch import nn

from course_utils.cells import rnn_forward
from course_utils.readers import accuracy, fit


def turning_weights(size, degrees, pairs=1):
    """Recurrent weights that multiply every pair of units by a size and turn it by an angle.

    Parameters
    ----------
    size : float, the factor of a step, |lambda| of every eigenvalue.
    degrees : float, its angle.
    pairs : int, how many pairs; H is twice that.

    Returns
    -------
    (H, H) float64 tensor.

    >>> turning_weights(0.5, 90)
    tensor([[ 0.0000, -0.5000],
            [ 0.5000,  0.0000]], dtype=torch.float64)
    """
    angle = math.radians(degrees)
    turn = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    pair = (size * torch.tensor(turn, dtype=torch.float64)).round(decimals=12)
    return torch.block_diag(*[pair] * pairs)


def states_through_pads(h, W_hh, b, pads):
    """The states of a loop that reads pads: h_t = tanh(W_hh h_(t-1) + b), for an input of zeros.

    Parameters
    ----------
    h : (B, H) tensor, the states at each row's own length.
    W_hh, b : (H, H) and (H,) tensors.
    pads : int, how many pads follow.

    Returns
    -------
    (B, pads + 1, H) tensor, ``h`` first.
    """
    nothing = h.new_zeros(len(h), max(pads, 1), 1)
    walk = rnn_forward(nothing, h.new_zeros(len(b), 1), W_hh, b, h)[:, :pads]
    return torch.cat([h[:, None], walk], dim=1)  # (B, pads + 1, H)


def distance_walked(h, W_hh, b, pads):
    """How far pads move a state: |h_T - h_n| / |h_n|, n the row's own length, averaged over the rows.

    Parameters
    ----------
    h, W_hh, b, pads : as for ``states_through_pads``.

    Returns
    -------
    (pads + 1,) tensor, from no pad on: 0 is untouched; at 1 the way is as long as the state was.
    """
    walk = states_through_pads(h, W_hh, b, pads)
    far = (walk - walk[:, :1]).norm(dim=2) / walk[:, :1].norm(dim=2)
    return far.mean(dim=0)


class LastStateReader(nn.Module):
    """A plain unit, PyTorch's start, and one score a row, read from a single state.

    Parameters
    ----------
    own_length : bool, read the state at each row's own length; else at the end of the padded row.
    units : int, H.
    """

    def __init__(self, own_length, units=16):
        super().__init__()
        self.rule, self.score = nn.RNN(2, units, batch_first=True), nn.Linear(units, 1)
        self.own_length = own_length

    def forward(self, x, lengths):
        states, _ = self.rule(x)  # (B, T, H)
        read_at = lengths if self.own_length else torch.full_like(lengths, x.shape[1])
        return self.score(states[torch.arange(len(x)), read_at - 1]).squeeze(1)


def padding_scores(train, test, paddings, seeds, steps=100):
    """Accuracy of readers with and without the padding mistake, for rows padded to several lengths.

    Parameters
    ----------
    train, test : tasks.Rows.
    paddings : list of ints, to how many steps the rows are padded; at most those that they have.
    seeds : list of ints.
    steps : int, updates of each training.

    Returns
    -------
    dict from a name to a list, one entry a padding, of lists, one accuracy a seed: "own length" trained and
        read at each row's length, "mistake in the test" trained so and read at the end of the padded row,
        "mistake throughout" trained and read there.
    """
    scores = {name: [[] for _ in paddings] for name in MISTAKES}
    for seed in seeds:
        right = fit(lambda: LastStateReader(True), _padded(train, paddings[0]), seed, steps)
        misread = LastStateReader(False)
        misread.load_state_dict(right.state_dict())
        for place, padding in enumerate(paddings):
            rows = _padded(train, padding)
            wrong = fit(lambda: LastStateReader(False), rows, seed, steps)
            for name, reader in zip(MISTAKES, [right, misread, wrong], strict=True):
                scores[name][place].append(accuracy(reader, _padded(test, padding)))
    return scores


MISTAKES = ("own length", "mistake in the test", "mistake throughout")


def _padded(rows, steps):
    """The rows with fewer pads behind them."""
    if steps < rows.lengths.max():
        raise ValueError(f"the longest row has {rows.lengths.max()} steps, more than {steps}")
    return rows._replace(x=rows.x[:, :steps])
