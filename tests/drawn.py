"""What holds for every figure of the course, and how a test finds a line in one."""

import functools
import re

from course_utils import plots


def line(ax, label):
    """The line of that name."""
    return next(line for line in ax.lines if line.get_label() == label)


@functools.cache
def bundled(plot):
    """The forms of the figure that a function without arguments draws."""
    return plots.bundle(plot(), "See.")


def demand_axes_and_bytes(plot):
    """Both axes are named, and the same call draws the same bytes twice."""
    ax = plot()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert plots.bundle(ax, "See.") == bundled(plot)


def demand_words(plot, numbers="greatest"):
    """The text of a figure holds numbers and names all that is drawn: no word stands for a missing label."""
    words = bundled(plot)[0]["text/plain"]
    assert re.search(numbers, words)
    assert not re.search(r"\b(line|points|image|bars): ", words)
