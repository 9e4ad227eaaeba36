"""What the parts of the bank of exercise 11 share: how the numbers of their cases are drawn.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

EDGE = 0.25  # the weight of a fresh case that says little about an answer
TERM = 0.5  # the weight of a fresh case in which all terms but one are silent


def drawn(rng, *shape, scale=1.0):
    """A float32 tensor of numbers between 0.3 and 1.2 times the scale, of either sign, in whole 64ths."""
    signs = np.where(rng.random(shape) < 0.5, -1, 1)
    return torch.tensor(scale * signs * rng.integers(20, 77, size=shape) / 64, dtype=torch.float32)


def scattered(values):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    return values.transpose(0, -1).contiguous().transpose(0, -1)
