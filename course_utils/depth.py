"""Gradients in a stack: every path from the last output to the first state, one by one and all together.

A node of the unrolled stack is a pair (t, l), step and layer, both from 1. Along time an arrow runs from
(t - 1, l) to (t, l), upward from (t, l - 1) to (t, l). A path goes back against the arrows, from (T, L) to
(1, 1). One sequence; the layers are lists of (W_in, W_hh), in which W_in reads the layer below.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); He and others, "Deep residual learning
for image recognition", CVPR 2016, for residual connections.
"""

from itertools import pairwise

import torch

from course_utils.horizon import start_matrix


def paths(T, L):
    """Every path from (T, L) back to (1, 1), found one by one.

    It has T - 1 moves back in time and L - 1 moves down, in any order.

    Parameters
    ----------
    T, L : int, steps and layers, at least 1.

    Yields
    ------
    list of T + L - 1 nodes (t, l), from (T, L) to (1, 1).

    >>> list(paths(2, 2))
    [[(2, 2), (1, 2), (1, 1)], [(2, 2), (2, 1), (1, 1)]]
    """
    if (T, L) == (1, 1):
        yield [(1, 1)]
    if T > 1:
        yield from ([(T, L), *rest] for rest in paths(T - 1, L))
    if L > 1:
        yield from ([(T, L), *rest] for rest in paths(T, L - 1))


def start_stack(kind, L, H, generator):
    """L layers whose matrices, W_in and W_hh alike, have the largest singular value 1."""
    return [tuple(start_matrix(kind, H, 1.0, generator) for _ in range(2)) for _ in range(L)]


def run_stack(terms, layers, residual=False):
    """Run a stack from zero states and keep every state in the graph.

    Parameters
    ----------
    terms : (T, H) tensor, what the inputs add to the first layer before its tanh.
    layers : list of (W_in, W_hh), tensors (H, H); W_in of the first layer is not used.
    residual : bool; with it, the output of a layer above the first is its state plus what it read.

    Returns
    -------
    states : list of T lists of L tensors (H,).
    output : (H,) tensor, the output of the top layer at the last step.
    """
    h, states = [torch.zeros_like(terms[0])] * len(layers), []
    for term in terms:
        output, now = None, []
        for number, (W_in, W_hh) in enumerate(layers):
            pre = term if number == 0 else W_in @ output
            now.append(torch.tanh(pre + W_hh @ h[number]))
            output = now[-1] + output if residual and number else now[-1]
        h = now
        states.append(now)
    return states, output


def through_all_paths(terms, layers, end, residual=False):
    """Length of the gradient of end . (last output) at the first layer's state, against the lag.

    Parameters
    ----------
    terms : (T, H) tensor, see ``run_stack``.
    layers : list of (W_in, W_hh).
    end : (H,) tensor, the gradient at the last output.
    residual : bool.

    Returns
    -------
    (T,) tensor, lag 0 first.
    """
    terms = terms.clone().requires_grad_()  # so that the states are in a graph
    states, output = run_stack(terms, layers, residual)
    gradients = torch.autograd.grad(output @ end, [row[0] for row in states])
    return torch.stack(gradients[::-1]).norm(dim=1)


def along_path(path, states, layers, end):
    """Carry a gradient back along one path: every move is a slope and a matrix.

    Parameters
    ----------
    path : list of nodes, from the last output down.
    states : list of T lists of L tensors (H,), of a stack without residual connections.
    layers : list of (W_in, W_hh).
    end : (H,) tensor, the gradient at the first node; (n, H) for n of them at once.

    Returns
    -------
    (len(path), H) or (len(path), n, H) tensor, the gradient at every node of the path.
    """
    delta, carried = end, [end]
    for (t, layer), (earlier, _) in pairwise(path):
        W_in, W_hh = layers[layer - 1]
        W = W_hh if earlier < t else W_in
        delta = (delta * (1 - states[t - 1][layer - 1] ** 2)) @ W
        carried.append(delta)
    return torch.stack(carried)
