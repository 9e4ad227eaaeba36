"""How sure a share, a mean of a few runs, or the difference of two models is."""

import math
import statistics


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


T_95 = {2: 12.71, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Student's t at 95 per cent, by the number of values."""


def mean_interval(values):
    """The mean of a few runs and its interval of 95 per cent: mean and t s / sqrt(n) to either side.

    It says how far another set of seeds would move the mean, and nothing about other test rows.

    Parameters
    ----------
    values : sequence of 2 to 10 numbers.

    Returns
    -------
    (mean, low, high) floats.

    Raises
    ------
    ValueError : for fewer or more values.

    >>> [round(end, 3) for end in mean_interval([0.80, 0.82, 0.81, 0.83, 0.84])]
    [0.82, 0.8, 0.84]

    Source: Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    if len(values) not in T_95:
        raise ValueError(f"{len(values)} values; expected 2 to {max(T_95)}")
    mean = statistics.mean(values)
    half = T_95[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def paired_difference(only_one, only_other, count, z=1.96):
    """How much more of the same test rows one model answers than another, with an interval.

    Rows that both answer, or neither, tell nothing of the difference; so it is known better than from two
    separate shares.

    Parameters
    ----------
    only_one, only_other : ints, rows that only the one or only the other answers.
    count : int, all rows.
    z : float, 1.96 for an interval of 95 per cent.

    Returns
    -------
    (difference, low, high) floats, shares of all rows.

    >>> [round(end, 3) for end in paired_difference(90, 50, 1000)]
    [0.04, 0.017, 0.063]

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions",
    Psychometrika 12 (1947).
    """
    difference = (only_one - only_other) / count
    half = z * math.sqrt((only_one + only_other) / count - difference**2) / math.sqrt(count)
    return difference, difference - half, difference + half
