"""What the gradebook knows: points and comments that a person gave, and the marks of a class."""

import math
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from nbgrader.api import Assignment, Grade, MissingEntry, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import func, select

from grading.results import CORRECT, MARKED


@dataclass
class Mark:
    """The gradebook's word on one question; ``manual`` is None where no person gave points."""

    manual: float | None = None
    extra: float = 0.0
    comment: str = ""


def grade_of(gradebook, exercise, student, question):
    """The row of a question in the gradebook, whether it is checked or written."""
    return _find(gradebook.find_grade, ("check", "written"), exercise, student, question)


def _find(look_up, kinds, exercise, student, question):
    for kind in kinds:
        with suppress(MissingEntry):
            return look_up(f"{kind}-{question}", exercise, exercise, student)
    raise MissingEntry(f"{question} of {exercise} is not in the gradebook")


def marks(gradebook, exercise, student, questions):
    """The marks of the named questions: {name: Mark}."""
    found = {}
    for name in questions:
        grade = grade_of(gradebook, exercise, student, name)
        comment = _find(gradebook.find_comment, ("answer", "written"), exercise, student, name)
        found[name] = Mark(grade.manual_score, grade.extra_credit or 0.0, comment.manual_comment or "")
    return found


def take_over_marks(gradebook, student, outcome):
    """Points that a person gave count in the outcome too."""
    for name, mark in marks(gradebook, outcome.exercise, student, outcome.questions).items():
        if mark.manual is not None:
            question = outcome.questions[name]
            question.points, question.verdict = mark.manual, MARKED


def stands(gradebook, student, outcome):
    """Whether the gradebook holds the points of an outcome, or those of a person where it says so."""
    for name, question in outcome.questions.items():
        grade = grade_of(gradebook, outcome.exercise, student, name)
        if question.verdict == MARKED:
            if grade.manual_score is None:
                return False
        elif not math.isclose(question.points, grade.auto_score or 0.0, abs_tol=1e-6):
            return False
    return True


def settle(gradebook, student, outcome):
    """Write into the gradebook what nbgrader cannot see: who has to be looked at, who has full marks.

    A file that could not be graded waits for a person; the model answer of a written question does not. A
    file that was graded but should be looked at waits with its first question, once: points settle it.
    """
    first = next(iter(outcome.questions))
    for name, question in outcome.questions.items():
        grade = grade_of(gradebook, outcome.exercise, student, name)
        if outcome.problem or (outcome.attention and name == first and grade.manual_score is None):
            grade.needs_manual_grade = True
        elif grade.auto_score is None and question.verdict == CORRECT:
            grade.auto_score, grade.needs_manual_grade = question.points, False
    gradebook.db.commit()


@dataclass(frozen=True)
class ClassMark:
    """One submission in the table of a class: points before and after the penalty, and its times in UTC."""

    exercise: str
    student: str
    raw: float
    penalty: float
    waits: bool  # for a person's points
    timestamp: datetime | None = None
    due: datetime | None = None  # of this student

    @property
    def score(self):
        return max(0.0, self.raw - self.penalty)

    @property
    def seconds_late(self):
        if self.timestamp is None or self.due is None:
            return 0.0
        return max(0.0, (self.timestamp - self.due).total_seconds())


def class_marks(gradebook, exercise=None):
    """The submissions of an exercise, or of all: list of ClassMark.

    One query for the whole class; nbgrader's own look-ups cost several for each submission.
    """
    notebooks = (
        select(
            SubmittedNotebook.assignment_id.label("id"),
            SubmittedNotebook.late_submission_penalty.label("penalty"),
            func.sum(Grade.score).label("raw"),
            func.max(Grade.needs_manual_grade).label("waits"),
        )
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .group_by(SubmittedNotebook.id)
        .subquery()
    )
    query = (
        select(
            Assignment.name,
            SubmittedAssignment.student_id,
            func.sum(notebooks.c.raw),
            func.coalesce(func.sum(notebooks.c.penalty), 0.0),
            func.max(notebooks.c.waits),
            SubmittedAssignment.timestamp,
            Assignment.duedate,
            SubmittedAssignment.extension,
        )
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(notebooks, notebooks.c.id == SubmittedAssignment.id)
        .group_by(SubmittedAssignment.id)
        .order_by(Assignment.name, SubmittedAssignment.student_id)
    )
    if exercise:
        query = query.where(Assignment.name == exercise)
    return [
        ClassMark(*row, bool(waits), timestamp, due and due + (extension or timedelta()))
        for *row, waits, timestamp, due, extension in gradebook.db.execute(query)
    ]
