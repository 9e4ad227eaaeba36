"""Rows of unequal length, the order of steps, windows and running rules: the tools of lesson 01.

NumPy only. A row is ``(T,)`` or, with d numbers a step, ``(T, d)``.
"""

import numpy as np


def padding_share(lengths, batch):
    """Share of cells that hold no data when rows are batched and padded to the longest of their batch.

    Parameters
    ----------
    lengths : (N,) array of ints, in the order in which the rows are batched.
    batch : int, rows a batch; the last batch may be smaller.

    Returns
    -------
    float, 0 (none) to nearly 1.

    >>> padding_share([1, 9, 9, 1], batch=2)
    0.4444444444444444
    >>> padding_share([1, 1, 9, 9], batch=2)
    0.0
    """
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or not lengths.size or lengths.min() < 1:
        raise ValueError("lengths has to be one row of numbers of steps, each at least 1")
    groups = [lengths[start : start + batch] for start in range(0, len(lengths), batch)]
    cells = sum(len(group) * group.max() for group in groups)
    return float(1 - lengths.sum() / cells)


def order_sensitivity(model, x, shuffles, rng):
    """How far a model's answer moves, on average, when the steps of its input are shuffled.

    Parameters
    ----------
    model : function from a row (T, ...) to a number or an array.
    x : (T, ...) array, one row without padding; steps stay whole, only their order changes.
    shuffles : int, how many random orders.
    rng : NumPy generator.

    Returns
    -------
    float: the mean, over the shuffles and the numbers of the answer, of |model(shuffled) - model(x)|;
        0 up to rounding when the model never used the order.

    >>> order_sensitivity(np.mean, np.arange(5.0), 10, np.random.default_rng(0)) < 1e-12
    True
    """
    x = np.asarray(x)
    before = np.asarray(model(x), dtype=float)
    moved = [np.abs(model(x[rng.permutation(len(x))]) - before).mean() for _ in range(shuffles)]
    return float(np.mean(moved))


def block_order(T, block, rng):
    """A random order of T steps in which blocks of neighbours stay together; the last may be shorter.

    >>> block_order(5, 2, np.random.default_rng(0))
    array([4, 0, 1, 2, 3])
    """
    blocks = np.split(np.arange(T), range(block, T, block))
    return np.concatenate([blocks[place] for place in rng.permutation(len(blocks))])


def carry(rule, x, h0):
    """Carry a value over a row: every step replaces it by rule(old value, input, step).

    Parameters
    ----------
    rule : function of h (the old value), x_t and t = 1, 2, ...; returns the new value.
    x : (T,) array, the inputs.
    h0 : the value before the first input.

    Returns
    -------
    (T,) array, the value after every step.

    >>> carry(lambda h, x_t, t: h + x_t, [1, 2, 3], h0=0)
    array([1, 3, 6])
    """
    values, h = [], h0
    for t, x_t in enumerate(x, start=1):
        h = rule(h, x_t, t)
        values.append(h)
    return np.array(values)


def causal_conv(x, taps, dilation=1):
    """Weigh the newest input and k - 1 earlier ones, ``dilation`` steps apart: a causal convolution.

    y_t = sum_i taps[i] * x_(t - i * dilation), inputs before the first counting as zero

    Parameters
    ----------
    x : (..., T) array, the inputs; every row is treated alike.
    taps : (k,) array, the weights, newest input first.
    dilation : int, steps between two taps.

    Returns
    -------
    float64 array of the shape of x.

    >>> causal_conv([1, 0, 0, 0, 0], taps=[3, 2, 1], dilation=2)
    array([3., 0., 2., 0., 1.])
    """
    x = np.asarray(x, dtype=float)
    y = np.zeros(x.shape)
    for i, tap in enumerate(taps):
        lag = i * dilation
        y[..., lag:] += tap * x[..., : max(x.shape[-1] - lag, 0)]
    return y


def conv_stack(x, k, dilations):
    """Causal convolutions one upon the other, one for each dilation, all taps 1/k: x (..., T) -> (..., T).

    >>> conv_stack(np.array([4.0, 0, 0, 0]), 2, [1, 1])
    array([1., 2., 1., 0.])
    """
    for dilation in dilations:
        x = causal_conv(x, np.full(k, 1 / k), dilation)
    return x


def reach(k, dilations):
    """How many steps the last output of a stack of causal convolutions reaches back, itself included.

    1 + (k - 1) * (sum of the dilations): each layer adds k - 1 gaps of its dilation

    Parameters
    ----------
    k : int, taps of every layer.
    dilations : list of ints, one a layer.

    Returns
    -------
    int, the receptive field in steps.

    >>> reach(3, 10 * [1]), reach(2, [1, 2, 4, 8])
    (21, 16)
    """
    return 1 + (k - 1) * sum(dilations)


def influence(model, T):
    """Perturb each input of a row in turn: how far does the last output move?

    Parameters
    ----------
    model : function from (T, T), one row for each perturbed input, to outputs of the same shape.
    T : int, steps of the row, all zero but for the perturbation of 1.

    Returns
    -------
    (T,) array, the move against the age of the input: entry 0 is the newest.

    >>> influence(lambda x: conv_stack(x, 2, [1, 1]), 5)
    array([0.25, 0.5 , 0.25, 0.  , 0.  ])
    """
    moved = np.abs(model(np.eye(T)) - model(np.zeros((T, T))))[:, -1]
    return moved[::-1]


def lags_by_layer(k, dilations):
    """Which units of each layer the last output depends on, by their age.

    Returns
    -------
    list of sorted int arrays, from the inputs up to the output, which is [0].

    >>> [lags.tolist() for lags in lags_by_layer(2, [1, 2])]
    [[0, 1, 2, 3], [0, 2], [0]]
    """
    layers = [np.array([0])]
    for dilation in reversed(dilations):
        layers.append(np.unique(layers[-1][:, None] + dilation * np.arange(k)))
    return layers[::-1]
