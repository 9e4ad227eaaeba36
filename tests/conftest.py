"""What several test files share: the built exercise, its answers, and a graded file."""

import copy

import nbformat
import pytest

from grading.exercise import released_notebook, source_notebook
from grading.grade import grade_bytes
from grading.rebuild import answer_name, is_answer

SEED = 7


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
