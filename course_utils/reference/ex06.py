"""Reference answers of exercise 06, backpropagation through time; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def bptt_deltas(upstream, states, W_hh):
    """Gradient at every state: upstream, states (B, T, H), W_hh (H, H) -> (B, T, H)."""
    deltas = torch.zeros_like(upstream)
    back = torch.zeros_like(upstream[:, 0])  # (B, H), from the step after
    for t in reversed(range(upstream.shape[1])):
        deltas[:, t] = upstream[:, t] + back
        back = (deltas[:, t] * (1 - states[:, t] ** 2)) @ W_hh
    return deltas


def bptt_gradients(x, states, h0, deltas, W_xh, W_hh):
    """Gradients of W_xh (H, d), W_hh (H, H), b (H,), h0 (B, H) and x (B, T, d) from deltas (B, T, H)."""
    before = torch.cat([h0[:, None], states[:, :-1]], dim=1)  # (B, T, H), the state that each step read
    inside = deltas * (1 - states**2)  # (B, T, H), before the tanh
    dW_xh = torch.einsum("bth,btd->hd", inside, x)
    dW_hh = torch.einsum("bth,btj->hj", inside, before)
    db = inside.sum(dim=(0, 1))
    return dW_xh, dW_hh, db, inside[:, 0] @ W_hh, inside @ W_xh


def masked_loss(y, targets, mask):
    """Mean over real steps of half the squared error, and its gradient: y (B, T, K) -> float, (B, T, K)."""
    real = mask.to(y.dtype)[:, :, None]  # (B, T, 1)
    error = real * (y - targets)
    count = real.sum().clamp(min=1)  # without a real step the sums are 0, and so are the answers
    return (error**2).sum() / (2 * count), error / count


def truncated_bptt(x, upstream, h0, W_xh, W_hh, b, k):
    """Gradients of W_xh, W_hh, b of sum(upstream * states), cut after every k steps: x (B, T, d)."""
    weights = [weight.clone().requires_grad_() for weight in (W_xh, W_hh, b)]
    W_xh, W_hh, b = weights
    h, loss = h0, 0.0
    for t in range(x.shape[1]):
        if t % k == 0:
            h = h.detach()  # the number is carried on, its history is not
        h = torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
        loss = loss + (upstream[:, t] * h).sum()
    return torch.autograd.grad(loss, weights)


def numerical_gradient(x, upstream, h0, W_xh, W_hh, b, eps):
    """Central difference quotients of sum(upstream * states) in each entry of W_hh: (H, H)."""

    def loss(W):
        h, total = h0, 0.0
        for t in range(x.shape[1]):
            h = torch.tanh(x[:, t] @ W_xh.T + h @ W.T + b)
            total = total + (upstream[:, t] * h).sum()
        return total

    gradient = torch.zeros_like(W_hh)
    for i in range(len(W_hh)):
        for j in range(len(W_hh)):
            nudge = torch.zeros_like(W_hh)
            nudge[i, j] = eps
            gradient[i, j] = (loss(W_hh + nudge) - loss(W_hh - nudge)) / (2 * eps)
    return gradient
