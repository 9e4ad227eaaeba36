"""Every row of the hostile suite is graded once: points, verdicts, phrases, and no secret anywhere."""

import copy
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from attack import Reach
from conftest import SEED
from leaks import numbers_in
from table import EXERCISE, Row, all_rows

from grading import CANARY, grade, sandbox, warm
from grading.canary import find
from grading.feedback import Record, page, short_text
from grading.plugins import write_verdicts
from grading.results import Outcome

ROWS = all_rows()
MEMORY = 400  # megabytes that the grader may need for one submission, whatever it does


@dataclass
class Graded:
    """A graded row, and everything of it that the student can get."""

    row: Row
    outcome: Outcome
    text: str
    succeeded: bool  # in what it was after, if it is an attack
    grown: float  # megabytes of memory that the grader needed at most
    left: set  # processes that were not there before


def run_once(run):
    """The same, but equal notebooks run once: nothing but their cells decides what comes of them."""
    known = {}

    def run_if_new(notebook, exercise, seed=None):
        key = json.dumps([[cell.id, cell.cell_type, cell.source] for cell in notebook.cells])
        if key not in known:
            known[key] = run(notebook, exercise, seed), notebook.cells
        outcome, notebook.cells = copy.deepcopy(known[key])
        return outcome

    return run_if_new


RUN_ONCE = run_once(grade.run_and_judge)


@pytest.fixture(scope="module", autouse=True)
def template():
    """Kernels are forked, as in a class run; ``tests/test_warm.py`` compares them with started ones."""
    warm.use(EXERCISE)


@pytest.fixture(scope="module", params=ROWS, ids=lambda row: row.id)
def graded(request):
    row = request.param
    if isinstance(row, Reach) and sandbox.obstacle():
        pytest.skip(f"NOT TESTED, no sandbox here: {sandbox.obstacle()}")
    with pytest.MonkeyPatch.context() as patch, row.prepared() as succeeded:
        if not row.limits:
            patch.setattr(grade, "run_and_judge", RUN_ONCE)
        for name, value in row.limits.items():
            patch.setattr(name, value)
        data, before, processes = row.submission(), memory("VmRSS"), below()
        outcome, notebook = grade.grade_bytes(data, EXERCISE, SEED)
        grown, left = memory("VmHWM") - before, below() - processes
        text = all_texts(outcome, notebook)
        return Graded(row, outcome, text, succeeded(text), grown, left)


def memory(kind):
    """Megabytes that this process has (``VmRSS``), or had at most since the last look (``VmHWM``)."""
    if sys.platform != "linux":
        return 0.0
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    return int(re.search(rf"{kind}:\s+(\d+) kB", status)[1]) / 1000


def below():
    """The processes that this one started and that still run."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def all_texts(outcome, notebook):
    """Every text in the outcome, in the feedback, and in the graded notebook."""
    record = Record("kim", outcome)
    shown = [outcome.to_dict(), page(record), short_text(record)]
    return "\n".join(_strings([*shown, write_verdicts(notebook, outcome)] if notebook else shown))


def _strings(value):
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _strings(item)]
    return [str(value)]


def test_points(graded):
    earned = {name: question.points for name, question in graded.outcome.questions.items()}
    assert earned == graded.row.expected_points()
    assert graded.outcome.max_score == 20


def test_verdicts(graded):
    verdicts = {name: question.verdict for name, question in graded.outcome.questions.items()}
    assert verdicts == graded.row.expected_verdicts()


def test_what_is_said(graded):
    assert [phrase for phrase in graded.row.says if phrase not in graded.text] == []
    assert [phrase for phrase in graded.row.hides if phrase in graded.text] == []


def test_no_secret_leaks(graded):
    assert find(CANARY, graded.text) == ""
    assert numbers_in(graded.text, EXERCISE, SEED) == set()


def test_an_attack_reaches_nothing(graded):
    assert not graded.succeeded


def test_the_grader_needs_little_memory(graded):
    assert graded.grown < MEMORY


def test_no_process_is_left(graded):
    assert not graded.left


def test_ids_are_unique():
    assert len({row.id for row in ROWS}) == len(ROWS)
