"""Backpropagation through time by hand, for one sequence: ``states`` (T, H), as lesson 06 derives it.

Gradients of a loss L = L_1 + ... + L_T. ``upstream[t]`` is what L_t alone says about h_t, its immediate
derivative; ``deltas[t]`` is what the whole loss says, through every later step as well: dL/dh_t.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Werbos, "Backpropagation through time:
what it does and how to do it", Proceedings of the IEEE 78 (1990).
"""

import torch

from course_utils.cells import rnn_step


def backward(upstream, states, W_hh, h0=None, slopes=None):
    """Run the loop backward: the gradient at every state, and what every step adds to that of W_hh.

    delta_t = upstream_t + W_hh^T (delta_(t+1) * slope_(t+1)),  delta_(T+1) = 0
    part_t  = (delta_t * slope_t) h_(t-1)^T,                    dL/dW_hh = part_1 + ... + part_T

    Parameters
    ----------
    upstream : (T, H) tensor, the gradient of L_t with respect to h_t.
    states : (T, H) tensor, what the forward pass kept.
    W_hh : (H, H) tensor.
    h0 : (H,) tensor, the state before the first step; zeros when None.
    slopes : (T, H) tensor, the slope of the nonlinearity at every step; that of tanh, 1 - h_t^2, when None.

    Returns
    -------
    deltas : (T, H) tensor.
    parts : (T, H, H) tensor, one matrix a step.

    >>> upstream, states = torch.tensor([[0.0], [1.0]]), torch.tensor([[0.5], [0.0]])
    >>> deltas, parts = backward(upstream, states, torch.tensor([[2.0]]))
    >>> deltas.tolist(), parts.sum(dim=0).tolist()
    ([[2.0], [1.0]], [[0.5]])
    """
    h0 = torch.zeros_like(states[0]) if h0 is None else h0
    before = torch.cat([h0[None], states[:-1]])  # (T, H), the state that each step read
    slopes = 1 - states**2 if slopes is None else slopes
    deltas, parts = [], []
    from_later = torch.zeros_like(states[0])
    for t in reversed(range(len(states))):
        delta = upstream[t] + from_later
        inside = delta * slopes[t]  # the gradient before the tanh
        from_later = W_hh.T @ inside
        deltas.append(delta)
        parts.append(torch.outer(inside, before[t]))
    return torch.stack(deltas[::-1]), torch.stack(parts[::-1])


def double_sum(upstream, states, W_hh, h0=None):
    """The gradient of W_hh term by term: how L_t changes because W_hh acts at step s, for all s <= t.

    term[t, s] = (upstream_t^T dh_t/dh_s * slope_s) h_(s-1)^T
    dh_t/dh_s  = J_t J_(t-1) ... J_(s+1),  J_t = diag(1 - h_t^2) W_hh

    It multiplies every chain of matrices anew, on purpose: about T^3/6 products. ``backward`` needs T.

    Parameters
    ----------
    upstream, states : (T, H) tensors.
    W_hh : (H, H) tensor.
    h0 : (H,) tensor, the state before the first step; zeros when None.

    Returns
    -------
    (T, T, H, H) tensor; zero for s > t. Its sum over the first two axes is dL/dW_hh.

    >>> upstream, states = torch.tensor([[0.0], [1.0]]), torch.tensor([[0.5], [0.0]])
    >>> double_sum(upstream, states, torch.tensor([[2.0]]), h0=torch.tensor([1.0])).squeeze()
    tensor([[0.0000, 0.0000],
            [1.5000, 0.5000]])
    """
    T, H = states.shape
    h0 = torch.zeros_like(states[0]) if h0 is None else h0
    before, slopes = torch.cat([h0[None], states[:-1]]), 1 - states**2
    terms = states.new_zeros(T, T, H, H)
    for t in range(T):
        for s in range(t + 1):
            chain = torch.eye(H, dtype=states.dtype)  # dh_t/dh_s
            for between in range(t, s, -1):
                chain = chain @ (slopes[between][:, None] * W_hh)
            terms[t, s] = torch.outer(upstream[t] @ chain * slopes[s], before[s])
    return terms


def total_gradients(x, targets, W_xh, W_hh, b, W_hy):
    """The gradient of half the squared error at every state by autograd, as a witness for ``backward``.

    It asks the states inside the loop. The row into which they are copied at the end would give the upstream
    gradients, since no step follows there.

    Parameters
    ----------
    x, targets : (T, d) and (T, K) tensors.
    W_xh, W_hh, b, W_hy : tensors (H, d), (H, H), (H,) and (K, H).

    Returns
    -------
    states : (T, H) tensor, without history.
    deltas : (T, H) tensor.

    >>> one, x = torch.ones(1, 1), torch.zeros(2, 1)
    >>> total_gradients(x, one.expand(2, 1), one, 0.5 * one, torch.zeros(1), one)[1].tolist()
    [[-1.5], [-1.0]]
    """
    h, states = torch.zeros_like(b, requires_grad=True), []
    for x_t in x:
        h = rnn_step(x_t, h, W_xh, W_hh, b)
        states.append(h)
    row = torch.stack(states)
    loss = (row @ W_hy.T - targets).square().sum() / 2
    return row.detach(), torch.stack(torch.autograd.grad(loss, states))


def slope_along(loss, theta, direction, eps):
    """How fast a loss rises when its argument moves one way, by a central difference.

    (loss(theta + eps * direction) - loss(theta - eps * direction)) / (2 eps)

    It is the sum of gradient * direction; a random direction tests every entry of a gradient at once.

    Parameters
    ----------
    loss : function of a tensor, returns a number.
    theta : tensor, the place.
    direction : tensor of its shape.
    eps : float, how far to step either way.

    Returns
    -------
    tensor without axes.

    >>> slope_along(torch.sum, torch.zeros(3), torch.ones(3), eps=0.5)
    tensor(3.)
    """
    with torch.no_grad():
        return (loss(theta + eps * direction) - loss(theta - eps * direction)) / (2 * eps)
