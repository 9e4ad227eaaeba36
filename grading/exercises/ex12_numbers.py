"""What the parts of the bank of exercise 12 share: how models, rows and lengths of its cases are drawn.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

TERM = 0.25  # the weight of a fresh case in which terms are silent
EDGE = 0.25  # the weight of a fresh case that says little about an answer
CLEAR = 0.02  # by how much a choice is clear, in log p: far above the rounding of float32
LN3 = math.log(3)
TRIES = 5000


def drawn(rng, *shape):
    """A float32 tensor of numbers between 0.3 and 1.2 of either sign.

    They are whole 64ths: the same in float32 as in float64, and short where they are written out.
    """
    whole = rng.integers(-57, 57, size=shape)
    return torch.from_numpy(np.where(whole < 0, whole - 19, whole + 20) / 64).float()


def silent(values):
    return torch.zeros_like(values)


def double(*values):
    """Tensors, and tuples of them, in float64; whole numbers as they are."""
    return [_double(value) for value in values]


def _double(value):
    if isinstance(value, tuple):
        return tuple(map(_double, value))
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def scattered(value):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    if isinstance(value, tuple):
        return tuple(map(scattered, value))
    return value.transpose(0, -1).contiguous().transpose(0, -1) if isinstance(value, torch.Tensor) else value


def drawn_at_once(rng, *shapes):
    """Tensors as ``drawn`` gives them, of one draw: some cases are looked for among many."""
    sizes = [math.prod(shape) for shape in shapes]
    parts = drawn(rng, sum(sizes)).split(sizes)
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))


def unit(rng, V, E, H):
    """embedding (V, E), W_xh (H, E), W_hh (H, H) and b (H,)."""
    return drawn_at_once(rng, (V, E), (H, E), (H, H), (H,))


def decoder_of(rng, V, E, H):
    """The four of ``unit`` and W_hy (V, H)."""
    *four, W_hy = drawn_at_once(rng, (V, E), (H, E), (H, H), (H,), (V, H))
    return *four, 1.5 * W_hy


def words(rng, V, *shape):
    """Numbers of words, int64."""
    return torch.from_numpy(rng.integers(0, V, size=shape))


def ragged(rng, B, longest, least=1):
    """Lengths (B,), all different, the greatest one ``longest``."""
    others = rng.permutation(np.arange(least, longest))[: B - 1]
    return torch.from_numpy(rng.permutation([*others, longest]))


def marks(rng, V):
    """The numbers of the begin and the end symbol, different and not 0."""
    begin, end = rng.choice(V - 1, size=2, replace=False).tolist()
    return begin + 1, end + 1


def drawn_until(draw, holds):
    """The first arguments drawn for which something holds."""
    for _ in range(TRIES):
        arguments = draw()
        if holds(*arguments):
            return arguments
    raise RuntimeError(f"nothing fits in {TRIES} draws")


def log_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def by_hand():
    """The decoder of the worked examples: words 0 "a", 1 end, 2 begin; E = H = 1."""
    embedding, b = torch.tensor([[-LN3], [2.0], [0.0]]), torch.zeros(1)
    W_hy = torch.tensor([[2 * LN3], [-2 * LN3], [0.0]])
    return embedding, torch.ones(1, 1), torch.tensor([[LN3]]), b, W_hy
