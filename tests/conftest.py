"""What several test files share: the built exercise, its answers, and a graded file."""

import copy
import os
import re

import nbformat
import pytest
from xdist.scheduler import LoadScopeScheduling

from grading.exercise import released_notebook, source_notebook
from grading.grade import grade_bytes
from grading.texts import answer_name, is_answer

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: two workers with two threads each are slower
SEED = 7


class InGroups(LoadScopeScheduling):
    """Which tests a worker runs in one go: those of a file, of an exercise, of a hostile row, of a lesson.

    They share what they compute first. (The marks of ``--dist loadgroup`` do nothing under pytest 9.2.)
    """

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        if file.endswith("test_exercises.py"):
            return file + "".join(re.findall(r"\[(ex\d\d)", test))
        if "/hostile/" in file:
            return file + test[test.find("[") :]
        if file.endswith("test_browser_lessons.py"):
            return file + "".join(re.findall(r"\[(\d\d_[a-z0-9_]+)", test))
        return file


@pytest.hookimpl(optionalhook=True)  # only there while pytest-xdist is
def pytest_xdist_make_scheduler(config, log):
    return InGroups(config, log)


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


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    from browsing import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    yield page
    page.close()


def answer_cell(notebook, name):
    """The answer cell of a question in a released or solved notebook."""
    return next(cell for cell in notebook.cells if is_answer(cell) and answer_name(cell) == name)
