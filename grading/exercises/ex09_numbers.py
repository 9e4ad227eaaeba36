"""What the parts of the bank of exercise 09 share: how the numbers of their cases are drawn.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

TERM = 0.25  # the weight of a fresh case in which all terms but one or two are silent
EDGE = 0.25  # the weight of a fresh case that says little about an answer


def drawn(rng, *shape):
    """A float32 tensor of numbers between 0.3 and 1.2 of either sign.

    They are whole 64ths: the same in float32 as in float64, and short where they are written out.
    """
    signs = np.where(rng.random(shape) < 0.5, -1, 1)
    return torch.tensor(signs * rng.integers(20, 77, size=shape) / 64, dtype=torch.float32)


def silent(values):
    """Zeros in place of a tensor, or of a tuple of tensors."""
    return torch.zeros_like(values) if isinstance(values, torch.Tensor) else tuple(map(silent, values))


def double(*values):
    """Tensors, and tuples of them, in float64; whole numbers, truth values and texts as they are."""
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


def sizes(rng):
    """B, d, H, all different."""
    return rng.permutation([2, 3, 4]).tolist()
