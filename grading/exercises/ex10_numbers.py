"""What the parts of the bank of exercise 10 share: how the numbers of their cases are drawn.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

EDGE = 0.25  # the weight of a fresh case that says little about an answer


def drawn(rng, *shape):
    """A float32 tensor of numbers between 0.3 and 1.2 of either sign.

    They are whole 64ths: the same in float32 as in float64, and short where they are written out.
    """
    whole = rng.integers(20, 77, size=shape) * rng.choice((-1, 1), size=shape)
    return torch.from_numpy((whole / 64).astype(np.float32))


def ragged(rng, B, longest):
    """Lengths (B,), all different, at least 1; one row has the longest."""
    others = rng.permutation(np.arange(1, longest))[: B - 1]
    return torch.from_numpy(rng.permutation([*others, longest]))


def scattered(value):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    return value.transpose(0, -1).contiguous().transpose(0, -1)
