"""Small made-up tasks that ask for one ability each; their rows have unequal lengths.

Every generator takes a NumPy generator and returns ``Rows``; half of the rows are labelled 1.
"""

from typing import NamedTuple

import numpy as np

LONGEST = 48
"""Steps in a padded row."""
RAMP = np.linspace(-1.5, 1.5, 5)
MARK = 15
"""Step of the marked value in ``returning_rows``."""


class Rows(NamedTuple):
    """Labelled rows, padded with zeros behind their last step."""

    x: np.ndarray  # (B, LONGEST, 2)
    lengths: np.ndarray  # (B,)
    labels: np.ndarray  # (B,), 0 or 1


def ramp_rows(count, position, rng, noise=0.3):
    """Order: does the ramp in the row rise (1) or fall (0)? Both have the same five values.

    Parameters
    ----------
    count : int, how many rows.
    position : int or list of ints, the step (from 1) where the ramp begins; of several one is drawn a row.
    rng : NumPy generator.
    noise : float, standard deviation of the other values.

    Returns
    -------
    Rows: noise, the ramp, and 1 to 3 steps after it; the second number of each step is 0.

    Raises
    ------
    ValueError : when a ramp would not fit into the longest row.

    >>> rows = ramp_rows(4, 3, np.random.default_rng(0))
    >>> rows.x.shape, rows.labels.tolist(), (rows.x[1, 2:7, 0] - rows.x[1, 2, 0]).tolist()
    ((4, 48, 2), [0, 1, 0, 1], [0.0, 0.75, 1.5, 2.25, 3.0])
    """
    x, starts, lengths, labels = _noisy_rows(count, position, rng, noise)
    for step, value in enumerate(RAMP):
        x[np.arange(count), starts + step, 0] = np.where(labels, value, -value)
    return Rows(_cut(x, lengths), lengths, labels)


def spike_rows(count, position, rng):
    """Presence: is there a spike in the row (1) or not (0)?

    As ``ramp_rows``, with one value raised by 3, or none, at the position.
    """
    x, starts, lengths, labels = _noisy_rows(count, position, rng, 0.3)
    x[np.arange(count), starts, 0] += 3.0 * labels
    return Rows(_cut(x, lengths), lengths, labels)


def returning_rows(count, k, rng):
    """Distance: does the marked value return k steps later, at the last step (1), or its opposite (0)?

    Every value is +1 or -1, at random. The second number of a step is 1 at the mark and 0 elsewhere. The
    first step holds the opposite of the last, so that counting the values tells nothing.

    Parameters
    ----------
    count : int, how many rows.
    k : int, the distance, 1 to LONGEST - MARK.
    rng : NumPy generator.

    Returns
    -------
    Rows of MARK + k steps.

    Raises
    ------
    ValueError : when k does not fit into the longest row.
    """
    if not 1 <= k <= LONGEST - MARK:
        raise ValueError(f"the distance is {k}; expected 1 to {LONGEST - MARK}")
    labels = np.arange(count) % 2
    x = np.zeros((count, LONGEST, 2))
    x[:, :, 0] = rng.choice([-1.0, 1.0], size=(count, LONGEST))
    x[:, MARK - 1, 1] = 1
    x[:, MARK - 1 + k, 0] = np.where(labels, 1, -1) * x[:, MARK - 1, 0]
    x[:, 0, 0] = -x[:, MARK - 1 + k, 0]
    lengths = np.full(count, MARK + k)
    return Rows(_cut(x, lengths), lengths, labels)


def _noisy_rows(count, position, rng, noise):
    """Noise, the index where each pattern begins, the lengths and the labels."""
    starts = rng.choice(np.atleast_1d(position), size=count) - 1
    if starts.min() < 0 or starts.max() + len(RAMP) + 3 > LONGEST:
        raise ValueError(f"the position is {position}; expected steps 1 to {LONGEST - len(RAMP) - 2}")
    x = np.zeros((count, LONGEST, 2))
    x[:, :, 0] = noise * rng.normal(size=(count, LONGEST))
    return x, starts, starts + len(RAMP) + rng.integers(1, 4, size=count), np.arange(count) % 2


def _cut(x, lengths):
    """Zeros behind the last step of each row."""
    return np.where((np.arange(LONGEST) < lengths[:, None])[:, :, None], x, 0.0)
