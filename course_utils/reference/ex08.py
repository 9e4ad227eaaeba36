"""Reference answers of exercise 08, conditioning; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def clip_by_norm(gradients, limit):
    """Shorten all gradients by one factor, so that together they are at most ``limit`` long: list -> list."""
    length = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    if torch.isinf(length):
        return [torch.zeros_like(gradient) for gradient in gradients]
    factor = limit / length if length > limit else 1.0
    return [factor * gradient for gradient in gradients]


def clip_by_value(gradient, limit):
    """Each number cut to -limit ... limit, and the cosine of the angle by which that turns the gradient."""
    clipped = gradient.clamp(-limit, limit)
    lengths = gradient.norm() * clipped.norm()
    if lengths == 0:
        return clipped, 1.0
    return clipped, (gradient * clipped).sum() / lengths


def orthogonal_(gaussian, gain):
    """An (m, n) matrix with orthonormal columns (rows, if m < n) times gain, from random numbers (m, n)."""
    wide = gaussian.shape[0] < gaussian.shape[1]
    Q, R = torch.linalg.qr(gaussian.T if wide else gaussian)
    Q = Q * torch.sign(torch.diagonal(R))  # a sign for each column
    return gain * (Q.T if wide else Q)


def layernorm_rnn_step(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    """One step with both sums normalised over the units: (B, d), (B, H) -> (B, H)."""

    def normalised(a):
        centred = a - a.mean(dim=1, keepdim=True)
        return centred / torch.sqrt((centred**2).mean(dim=1, keepdim=True) + eps)

    return torch.tanh(gain_x * normalised(x_t @ W_xh.T) + gain_h * normalised(h @ W_hh.T) + b)


def training_step(x, targets, W_xh, W_hh, b, old_gradients, rate, limit):
    """One update of plain gradient descent, clipped: the three new weights and the length before clipping."""
    weights = [weight.clone().requires_grad_() for weight in (W_xh, W_hh, b)]
    for weight, old in zip(weights, old_gradients, strict=True):
        weight.grad = old.clone()
    optimiser = torch.optim.SGD(weights, lr=rate)
    optimiser.zero_grad()
    h = torch.zeros_like(targets)
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ weights[0].T + h @ weights[1].T + weights[2])
    ((h - targets).square().sum() / (2 * len(x))).backward()
    length = torch.nn.utils.clip_grad_norm_(weights, limit)
    optimiser.step()
    return *(weight.detach() for weight in weights), length
