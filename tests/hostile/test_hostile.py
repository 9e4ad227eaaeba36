"""Every row of the hostile suite is graded once: points, verdicts, phrases, and no secret anywhere."""

from dataclasses import dataclass

import pytest
from attack import Reach
from conftest import SEED
from leaks import numbers_in
from table import EXERCISE, Row, all_rows

from grading import CANARY, sandbox
from grading.canary import find
from grading.feedback import Record, page, short_text
from grading.grade import grade_bytes
from grading.plugins import write_verdicts
from grading.results import Outcome

ROWS = all_rows()


@dataclass
class Graded:
    """A graded row, and everything of it that the student can get."""

    row: Row
    outcome: Outcome
    text: str
    succeeded: bool  # in what it was after, if it is an attack


@pytest.fixture(scope="module", params=ROWS, ids=lambda row: row.id)
def graded(request):
    row = request.param
    if isinstance(row, Reach) and sandbox.obstacle():
        pytest.skip(f"NOT TESTED, no sandbox here: {sandbox.obstacle()}")
    with pytest.MonkeyPatch.context() as patch, row.prepared() as succeeded:
        for name, value in row.limits.items():
            patch.setattr(name, value)
        outcome, notebook = grade_bytes(row.submission(), EXERCISE, SEED)
        text = all_texts(outcome, notebook)
        return Graded(row, outcome, text, succeeded(text))


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


def test_ids_are_unique():
    assert len({row.id for row in ROWS}) == len(ROWS)
