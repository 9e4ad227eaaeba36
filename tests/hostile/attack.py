"""Rows that are attacks: each is also run on the unprotected path, where it has to succeed."""

from dataclasses import dataclass

from table import Row, chain, prepend, replace

WRONG = "def memory_horizon(alpha, fraction=1 / np.e):\n    return -1.0"


@dataclass
class Score(Row):
    """An attack on the score: a wrong ``memory_horizon``, or another ``answer``, and a trick.

    trick : a cell of its own that stands above all others.
    hidden : the kind of hidden test that it gets past on the unprotected path; see ``unprotected.HIDDEN``.
    """

    trick: str = ""
    answer: str = WRONG
    hidden: str = "allclose"


def score(name, trick="", answer=WRONG, hidden="allclose", points=0.0, verdict="wrong", **options):
    """An attack on the score of ``memory_horizon``, which is worth nothing unless ``points`` says so."""
    steps = [replace("memory_horizon", answer)] + ([prepend(trick)] if trick else [])
    return Score(
        name,
        chain(*steps),
        {"memory_horizon": points},
        {"memory_horizon": verdict},
        trick=trick,
        answer=answer,
        hidden=hidden,
        **options,
    )
