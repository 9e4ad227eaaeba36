"""The course's weights as PyTorch keeps them, and back. What differs is told in docs/conventions.md.

The course has one triple (W_xh, W_hh, b) for each layer and direction; PyTorch has four tensors, named by
layer and direction, and two biases of which only the sum counts, the candidate of a GRU apart.
"""

import torch


def rnn_to_torch(layers, bidirectional=False):
    """The state dict of an ``nn.RNN`` that computes the same as these weights.

    The course's bias becomes ``bias_ih``; ``bias_hh`` is zero.

    Parameters
    ----------
    layers : list of triples (W_xh, W_hh, b) of shapes (H, d), (H, H) and (H,), first layer first; with two
        directions forward and backward take turns: forward 0, backward 0, forward 1, ...
        From the second layer on, d is H, or 2 H with two directions.
    bidirectional : bool, whether they take turns.

    Returns
    -------
    dict of tensors for ``nn.RNN.load_state_dict``; the axis order of x (``batch_first``) is not part of it.

    Raises
    ------
    ValueError : for an odd number of triples with two directions, or shapes that do not fit each other.
    """
    directions = 2 if bidirectional else 1
    if not layers or len(layers) % directions:
        raise ValueError(f"{len(layers)} triples came for {directions} direction(s) a layer")
    state = {}
    for number, (W_xh, W_hh, b) in enumerate(layers):
        layer, backward = divmod(number, directions)
        _check_triple(W_xh, W_hh, b, layer, directions)
        names = _names(layer, backward)
        state |= dict(zip(names, (W_xh, W_hh, b, torch.zeros_like(b)), strict=True))
    return state


def rnn_from_torch(state, layer=0, backward=False):
    """The weights of one layer and direction of an ``nn.RNN``, in the course's form.

    Parameters
    ----------
    state : dict of tensors, what ``nn.RNN.state_dict()`` gives.
    layer : int, from 0.
    backward : bool, whether the direction that reads from the end is wanted.

    Returns
    -------
    (W_xh, W_hh, b) of shapes (H, d), (H, H) and (H,): new tensors; b is the sum of PyTorch's two biases.

    Raises
    ------
    KeyError : when the network has no such layer or direction.
    """
    names = _names(layer, backward)
    if names[0] not in state:
        there = ", ".join(sorted(name for name in state if name.startswith("weight_ih")))
        raise KeyError(f"there is no {names[0]}; there are: {there}")
    W_xh, W_hh = (state[name].detach().clone() for name in names[:2])
    biases = [state[name].detach() for name in names[2:] if name in state]  # none with bias=False
    return W_xh, W_hh, sum(biases) if biases else W_xh.new_zeros(len(W_xh))


def lstm_to_torch(W_x, W_h, b):
    """The state dict of an ``nn.LSTM`` of one layer that computes the same as these weights.

    Parameters
    ----------
    W_x, W_h, b : tensors (4H, d), (4H, H) and (4H,), H rows each for write, forget, candidate, read:
        PyTorch's i, f, g, o.

    Returns
    -------
    dict of tensors for ``nn.LSTM.load_state_dict``; the second bias is zero.

    Raises
    ------
    ValueError : for shapes that do not fit each other.
    """
    _check_blocks(W_x, W_h, b, 4)
    return dict(zip(_names(0, False), (W_x, W_h, b, torch.zeros_like(b)), strict=True))


def lstm_from_torch(state):
    """The weights (W_x, W_h, b) of the first layer of an ``nn.LSTM``: new tensors, b the sum of both biases.

    ``rnn_from_torch`` reads the same names; the rows come in blocks here, write, forget, candidate, read.
    """
    W_x, W_h, b = rnn_from_torch(state)
    _check_blocks(W_x, W_h, b, 4)
    return W_x, W_h, b


def reset_after_gru_to_torch(W_x, W_h, b, b_hn):
    """The state dict of an ``nn.GRU`` of one layer for the weights of ``gated.gru_step_reset_after``.

    Parameters
    ----------
    W_x, W_h, b : tensors (3H, d), (3H, H) and (3H,), H rows each for reset, update, candidate.
    b_hn : (H,) tensor, the bias inside the reset product; it cannot be merged with b.

    Returns
    -------
    dict of tensors for ``nn.GRU.load_state_dict``.

    Raises
    ------
    ValueError : for shapes that do not fit each other.
    """
    _check_blocks(W_x, W_h, b, 3)
    second = torch.cat([torch.zeros_like(b[: 2 * len(b_hn)]), b_hn])
    return dict(zip(_names(0, False), (W_x, W_h, b, second), strict=True))


def _check_blocks(W_x, W_h, b, blocks):
    H = W_h.shape[1]
    if len(W_x) != blocks * H or len(W_h) != blocks * H or b.shape != (blocks * H,):
        came = f"W_x {tuple(W_x.shape)}, W_h {tuple(W_h.shape)}, b {tuple(b.shape)}"
        raise ValueError(f"{came}; expected ({blocks}H, d), ({blocks}H, H), ({blocks}H,)")


def _names(layer, backward):
    """PyTorch's four names, in the order W_xh, W_hh, b, second bias."""
    end = f"l{layer}{'_reverse' if backward else ''}"
    return [f"{part}_{end}" for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def _check_triple(W_xh, W_hh, b, layer, directions):
    H = len(b)
    if W_hh.shape != (H, H) or W_xh.ndim != 2 or len(W_xh) != H:
        came = f"W_xh {tuple(W_xh.shape)}, W_hh {tuple(W_hh.shape)}, b {tuple(b.shape)}"
        raise ValueError(f"layer {layer}: {came}; expected (H, d), (H, H), (H,)")
    if layer and W_xh.shape[1] != directions * H:
        came = f"W_xh has {W_xh.shape[1]} columns, but the layer below gives {directions * H}"
        raise ValueError(f"layer {layer}: {came}")
