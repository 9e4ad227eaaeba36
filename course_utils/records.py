"""Results of experiments that take too long for a lesson: recorded once, with the command that repeats them.

The records lie in ``data/``, one JSON file an experiment; ``python -m course_utils.experiments`` makes them.
"""

import functools
import json
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"


@functools.cache
def record(name):
    """The recorded results of an experiment.

    Parameters
    ----------
    name : of the experiment, e.g. "recall".

    Returns
    -------
    dict with ``command``, ``versions``, ``seconds`` (of processor time) and ``runs``, a list of dicts.

    Raises
    ------
    FileNotFoundError : when nothing of that name is recorded, with the command that does it.
    """
    path = DATA / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(
            f"no record {path.name}; make it with: python -m course_utils.experiments {name}"
        )
    return json.loads(path.read_text(encoding="utf-8"))


def runs(name, /, **wanted):
    """The runs of a record that have these settings, e.g. ``runs("recall", cell="lstm", T=50)``."""
    return [run for run in record(name)["runs"] if all(run[key] == value for key, value in wanted.items())]


def rounded(values):
    """The numbers of a tensor to four digits, in lists nested as its axes are."""
    if values.ndim > 1:
        return [rounded(row) for row in values]
    return [float(f"{number:.4g}") for number in values.tolist()]
