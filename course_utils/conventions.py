"""The course's weights as PyTorch keeps them, and back. What differs is told in docs/conventions.md.

The course has one triple (W_xh, W_hh, b) for each layer and direction; PyTorch has four tensors, named by
layer and direction, and two biases of which only the sum counts.
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
