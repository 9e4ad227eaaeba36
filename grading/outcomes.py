"""The outcomes of a grading run, read again from the class folder or from a file that was kept."""

import json
from pathlib import Path

from nbgrader.api import Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.exc import DatabaseError

from grading.bank import load_bank
from grading.errors import UserError
from grading.results import MARKED, Outcome


def read_outcomes(path):
    """What ``course grade`` kept of a run: {student: Outcome}.

    Raises
    ------
    UserError : when there is no such file, or something else is in it.
    """
    try:
        kept = json.loads(Path(path).read_text(encoding="utf-8"))
        outcomes = {student: Outcome.from_dict(one) for student, one in kept.items()}
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        outcomes = {}
    if not outcomes:
        raise UserError(f"{path} holds no outcomes; give a file that course grade EXERCISE --json FILE wrote")
    return outcomes


def graded(folder, exercise):
    """The outcomes of the last run of a class, with the points that a person gave since.

    Raises
    ------
    UserError : for an unknown exercise, one that was not graded in this folder, or one that was changed and
        not graded to the end since.
    """
    load_bank(exercise)  # refuses an unknown exercise
    path = Path(folder) / "outcomes" / f"{exercise}.json"
    if not path.is_file():
        raise UserError(f"nothing graded yet in {folder}; run first: course grade {exercise}")
    outcomes = read_outcomes(path)
    asked = {tuple((one.name, one.max_points) for one in o.questions.values()) for o in outcomes.values()}
    if len(asked) > 1:
        raise UserError(f"{exercise} was changed since some were graded; run again: course grade {exercise}")
    for student, name, manual, extra in _manual_marks(Path(folder) / "gradebook.db", exercise):
        question = outcomes[student].questions.get(name) if student in outcomes else None
        if question and manual is not None:
            question.points, question.verdict = manual, MARKED
        if question and extra:
            question.points += extra
    return outcomes


def _manual_marks(database, exercise):
    """(student, question, points, extra points) of every question at which a person gave some.

    One query: asking ``grading.marks`` for each student takes half a minute for a thousand.
    """
    if not database.is_file():
        return []
    try:
        with Gradebook(f"sqlite:///{database.resolve()}") as gradebook:
            rows = (
                gradebook.db.query(Grade, SubmittedAssignment.student_id)
                .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
                .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .filter(SubmittedAssignment.assignment.has(name=exercise))
                .filter(Grade.manual_score.is_not(None) | (Grade.extra_credit != 0))
            )
            return [
                (student, grade.name.partition("-")[2], grade.manual_score, grade.extra_credit or 0.0)
                for grade, student in rows
            ]
    except DatabaseError as error:
        reason = str(error.orig or error)
        raise UserError(
            f"the gradebook {database} cannot be read: {reason}; put a backup in its place"
        ) from None
