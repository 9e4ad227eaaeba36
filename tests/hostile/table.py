"""The hostile suite: files and answers that try to break or to fool the grader, one row each.

To add a row, write it into a module ``rows_<topic>.py`` in this folder, in its list ``ROWS``::

    from table import NOTHING, UNREADABLE, Row, chain, edit, replace

    def without_metadata(notebook):
        for cell in notebook.cells:
            cell.metadata = {}

    ROWS = [
        Row("all metadata gone", edit(without_metadata), says=("had lost its mark",)),
        Row("one wrong answer", replace("memory_horizon", "..."), {"memory_horizon": 0},
            {"memory_horizon": "wrong"}),
        Row("an empty file", lambda solved: b"", NOTHING, UNREADABLE, says=("the file is empty",)),
    ]

``build`` gets ex02 with its reference answers, a fresh copy, and returns what is handed in: a notebook, or
bytes. ``points`` and ``verdicts`` name only the questions that do not earn everything and are not
"correct". ``says`` must appear, and ``hides`` must not, somewhere in all that the student can get; ``limits``
are set for this row. ``test_hostile.py`` finds the modules by their name, grades each row once, and looks
for our secrets in every row. A row that is an attack is an ``Attack``; see ``attack.py``.
"""

import importlib
import json
import re
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from conftest import answer_cell

from grading import CANARY
from grading.exercise import source_notebook, worth

EXERCISE = "ex02"
FULL = worth(EXERCISE)
NOTHING = dict.fromkeys(FULL, 0.0)
UNREADABLE = dict.fromkeys(FULL, "unreadable")


@dataclass
class Row:
    """One submission and what has to come of it."""

    id: str
    build: Callable
    points: dict = field(default_factory=dict)
    verdicts: dict = field(default_factory=dict)
    says: tuple = ()
    hides: tuple = ()
    limits: dict = field(default_factory=dict)  # e.g. {"grading.runner.CELL_SECONDS": 6}

    def submission(self):
        """The bytes that are handed in."""
        built = self.build(solved())
        return built if isinstance(built, bytes) else json.dumps(built).encode()

    @contextmanager
    def prepared(self):
        """What has to be there while the row is graded; gives how to tell that an attack succeeded."""
        yield lambda _text: False

    def expected_points(self):
        return FULL | self.points

    def expected_verdicts(self):
        return dict.fromkeys(FULL, "correct") | self.verdicts


def all_rows():
    """The rows of all modules."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("rows_*.py"))
    return [row for name in modules for row in importlib.import_module(name).ROWS]


def solved():
    """ex02 with the reference answers, but without the mark that tells them from a student's."""
    notebook = source_notebook(EXERCISE)
    for cell in notebook.cells:
        cell.source = re.sub(rf"\s*# {CANARY}", "", cell.source)
    return notebook


def edit(change):
    """Build by changing the notebook in place."""

    def build(solved):
        change(solved)
        return solved

    return build


def edit_json(change):
    """Build by changing the JSON of the notebook in place: parts may be missing or of any type."""

    def build(solved):
        content = json.loads(nbformat.writes(solved))
        change(content)
        return json.dumps(content).encode()

    return build


def replace(name, text):
    """Build with another text in the answer cell of a question."""
    return edit(lambda solved: answer_cell(solved, name).update(source=text))


def append(text, kind="code"):
    """Build with one more cell at the end."""
    return edit(lambda solved: solved.cells.append(own_cell(text, kind)))


def prepend(text, kind="code"):
    """Build with one more cell at the top."""
    return edit(lambda solved: solved.cells.insert(0, own_cell(text, kind)))


def chain(*builds):
    """Build by several steps; all but the last have to return a notebook."""

    def build(solved):
        for step in builds:
            solved = step(solved)
        return solved

    return build


def own_cell(text, kind="code"):
    """A cell of the student's own."""
    new = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
    return new(text)
