"""Layers made of the plain loop: several above each other, two in opposite directions, one without sharing.

All sequences of a batch have the same length here. Everything is torch, batch first; a layer is a triple
(W_xh, W_hh, b) of shapes (H, d), (H, H) and (H,).

Source: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A).
"""

import torch

from course_utils.cells import rnn_forward, rnn_step


def start_weights(d, H, generator, dtype=torch.float64):
    """Random weights of one layer: uniform between -1/sqrt(H) and 1/sqrt(H), as PyTorch starts its own.

    Parameters
    ----------
    d, H : ints, numbers in an input and in a state.
    generator : torch.Generator.
    dtype : torch dtype.

    Returns
    -------
    (W_xh, W_hh, b) : (H, d), (H, H) and (H,) tensors.
    """
    bound = H**-0.5

    def drawn(*shape):
        return bound * (2 * torch.rand(*shape, generator=generator, dtype=dtype) - 1)

    return drawn(H, d), drawn(H, H), drawn(H)


def stacked_states(x, layers):
    """Layers above each other: the states of one are the inputs of the next.

    Parameters
    ----------
    x : (B, T, d) tensor.
    layers : list of triples (W_xh, W_hh, b), the lowest first; from the second on d is H.

    Returns
    -------
    (B, T, H) tensor, the states of the uppermost layer.
    """
    for weights in layers:
        x = rnn_forward(x, *weights)  # (B, T, H)
    return x


def both_directions(x, forward, backward):
    """Two loops over the same sequence, one from its start and one from its end, side by side.

    Parameters
    ----------
    x : (B, T, d) tensor.
    forward, backward : triples (W_xh, W_hh, b).

    Returns
    -------
    (B, T, 2H) tensor: at step t the state of the loop that has read x_1 ... x_t, then that of the loop that
        has read x_T ... x_t.
    """
    ahead = rnn_forward(x, *forward)
    back = rnn_forward(x.flip(1), *backward).flip(1)
    return torch.cat([ahead, back], dim=2)  # (B, T, 2H)


def unshared_states(x, steps):
    """A recurrence in which every step has weights of its own.

    Parameters
    ----------
    x : (B, T, d) tensor.
    steps : list of triples (W_xh, W_hh, b), one for each step that there may be.

    Returns
    -------
    (B, T, H) tensor, the states from a start of zeros.

    Raises
    ------
    ValueError : when the sequence is longer than there are weights.
    """
    if x.shape[1] > len(steps):
        raise ValueError(f"the sequence has {x.shape[1]} steps, but there are weights for {len(steps)} only")
    h = x.new_zeros(len(x), len(steps[0][2]))
    states = []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, *steps[t])
        states.append(h)
    return torch.stack(states, dim=1)  # (B, T, H)


def influence(layer, x, step):
    """Which states change when one input changes: the size of each state's change, the batch averaged.

    Parameters
    ----------
    layer : function from (B, T, d) to (B, T, any).
    x : (B, T, d) tensor.
    step : int, the index of the input that gets 1 added to its numbers.

    Returns
    -------
    (T,) tensor.
    """
    changed = x.clone()
    changed[:, step] += 1
    return (layer(changed) - layer(x)).norm(dim=2).mean(dim=0)  # (T,)
