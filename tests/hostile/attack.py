"""Rows that are attacks: each is also run on the unprotected path, where it has to succeed."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from string import Template

import decoys
from table import Row, append, chain, prepend, replace

FIRST_LINE = "def memory_horizon(alpha, fraction=1 / np.e):\n"
END = "import os\nos._exit(1)"
WRONG = f"{FIRST_LINE}    return -1.0"


@dataclass
class Score(Row):
    """An attack on the score: a wrong answer and, perhaps, a trick in a cell above all others.

    ``hidden`` names the hidden test that it gets past on the unprotected path; see ``unprotected.HIDDEN``.
    """

    trick: str = ""
    answer: str = WRONG
    hidden: str = "allclose"


def score(name, trick="", answer=WRONG, hidden="allclose", question="memory_horizon", verdict="wrong"):
    """An attack on the score of a question; it earns nothing and costs the other questions nothing."""
    steps = [replace(question, answer), *([prepend(trick)] if trick else [])]
    parts = {"trick": trick, "answer": answer, "hidden": hidden}
    return Score(name, chain(*steps), {question: 0.0}, {question: verdict}, **parts)


@dataclass
class Cells(Row):
    """An attack on the score by the cells of the file.

    ``bites`` are the points that some tests earn if the file's own test cells are run: {grade_id: points}.
    """

    bites: dict = field(default_factory=dict)


@dataclass
class Reach(Row):
    """An attack on secrets, on others or on the machine: code in a cell of its own at the end.

    decoy : what it is after; see ``decoys.py``.
    code : its text, with the decoy's names as ``$name``.
    small, full : more names; how far it goes on the unprotected path, and in the sandbox.
    runs : in how many kernels, one after the other; the cell after it ends the one before.
    """

    decoy: Callable = decoys.course
    code: str = ""
    small: dict = field(default_factory=dict)
    full: dict = field(default_factory=dict)
    runs: int = 1

    def filled(self, values, sizes):
        """The code with its names; a size may itself name a part of the decoy."""
        sizes = {name: Template(str(size)).safe_substitute(values) for name, size in sizes.items()}
        return Template(self.code).safe_substitute(values | sizes)

    @contextmanager
    def prepared(self):
        with self.decoy() as (values, succeeded):
            ends = [append(END)] * (self.runs - 1)
            self.build = chain(append(self.filled(values, self.full)), *ends)
            yield succeeded


def reach(name, decoy, code, **options):
    """An attack that reaches nothing and costs nothing: the answers are right and earn everything."""
    return Reach(name, None, decoy=decoy, code=code, **options)


@dataclass
class Smuggled(Row):
    """An answer that tells its hidden inputs; ``answer`` is its cell."""

    answer: str = ""
