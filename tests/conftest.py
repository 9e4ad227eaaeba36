"""What several test files share: the built exercise, its answers, and a graded file."""

import copy
import os

import nbformat
import pytest

from grading.exercise import released_notebook, source_notebook
from grading.grade import grade_bytes
from grading.rebuild import answer_name, is_answer

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: two workers with two threads each are slower
SEED = 7
BLOCK = 30  # hostile rows that one worker grades in one go


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks in the same hook
def pytest_collection_modifyitems(items):
    """Which tests a worker runs in one go: those of a file, of an exercise, of a block of hostile rows.

    They share what they compute first; smaller groups leave no worker idle at the end.
    """
    for item in items:
        indices, params = (
            getattr(getattr(item, "callspec", None), part, {}) for part in ("indices", "params")
        )
        part = indices["graded"] // BLOCK if "graded" in indices else params.get("exercise", "")
        item.add_marker(pytest.mark.xdist_group(f"{item.path.stem}-{part}"))


@pytest.fixture
def released():
    """The released ex02, a fresh copy."""
    return released_notebook("ex02")


@pytest.fixture
def solved():
    """ex02 with the reference answers, a fresh copy."""
    return copy.deepcopy(source_notebook("ex02"))


@pytest.fixture(scope="session")
def grade():
    """Grade a notebook object with a fixed seed; returns the outcome."""
    return lambda notebook: grade_bytes(nbformat.writes(notebook).encode(), "ex02", SEED)[0]


def answer_cell(notebook, name):
    """The answer cell of a question in a released or solved notebook."""
    return next(cell for cell in notebook.cells if is_answer(cell) and answer_name(cell) == name)
