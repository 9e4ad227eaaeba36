"""What the gradebook knows of one submission: points and comments that a person gave."""

from contextlib import suppress
from dataclasses import dataclass

from nbgrader.api import MissingEntry

from grading.results import CORRECT


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
