"""Real series that the environment brings along, read where pip put them, and how late a copy of one is."""

import numpy as np
from matplotlib import cbook


def google_close():
    """Daily closing price of one share over four years, from the sample data inside matplotlib.

    Returns
    -------
    days : (1047,) array of dates, trading days from 2004-08-19 to 2008-10-14.
    price : (1047,) float64 array, US dollars.

    >>> days, price = google_close()
    >>> print(days[0], price[0], len(price))
    2004-08-19 100.34 1047
    """
    with cbook.get_sample_data("goog.npz") as archive:
        rows = archive["price_data"]
    return rows["date"], np.array(rows["close"])


def delay(x, y, longest):
    """The shift in steps at which y looks most like x: where the mean squared difference is smallest.

    Parameters
    ----------
    x : (T,) array, the original.
    y : (T,) array, the later copy.
    longest : int, the largest shift tried, below T.

    Returns
    -------
    int, 0 ... longest.

    >>> delay(np.array([0, 1, 2, 1, 0, 0]), np.array([0, 0, 0, 1, 2, 1]), longest=3)
    2
    """
    T = len(x)
    if len(y) != T or not 0 <= longest < T:
        raise ValueError(
            f"x, y and longest are {T}, {len(y)} and {longest}; expected equal lengths above longest"
        )
    apart = [np.mean((y[shift:] - x[: T - shift]) ** 2) for shift in range(longest + 1)]
    return int(np.argmin(apart))
