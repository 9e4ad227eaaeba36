"""How sure a share of a few runs is."""

import math


def wilson(successes, runs, z=1.96):
    """The interval of shares that a count is compatible with, by Wilson's formula.

    It stays inside 0 to 1 and does not shrink to a point when all runs or none succeed.

    Parameters
    ----------
    successes, runs : ints, how many of how many.
    z : float, 1.96 for an interval of 95 per cent.

    Returns
    -------
    (low, high) floats.

    Raises
    ------
    ValueError : when the counts are impossible.

    >>> [round(end, 2) for end in wilson(2, 3)]
    [0.21, 0.94]

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    if not 0 <= successes <= runs or not runs:
        raise ValueError(f"{successes} of {runs} runs; expected at least one run, and no more successes")
    share, room = successes / runs, z**2 / runs
    middle = (share + room / 2) / (1 + room)
    half = z / (1 + room) * math.sqrt(share * (1 - share) / runs + room / (4 * runs))
    return max(0.0, middle - half), min(1.0, middle + half)
