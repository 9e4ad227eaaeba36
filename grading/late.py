"""Late submissions: due dates, extensions and penalties in the gradebook, as the class's file has them."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy import select, update

from grading.bank import load_bank
from grading.deadlines import FILE, days_late, read_deadlines
from grading.errors import UserError
from grading.marks import class_marks


@dataclass(frozen=True)
class Change:
    """A penalty that is another one now."""

    student: str
    days: int
    before: float
    now: float


@dataclass
class Update:
    """What a look at all submissions of an exercise came to; ``told`` is for people."""

    changes: list[Change] = field(default_factory=list)
    due: datetime | None = None
    total: int = 0
    late: int = 0
    told: list[str] = field(default_factory=list)


def sentence(days, penalty):
    """What student and LMS are told of a penalty; nothing where there is none.

    >>> sentence(2, 4.0)
    'It came 2 days late: 4 points were taken off.'
    """
    if not penalty:
        return ""
    when = "" if not days else "1 day " if days == 1 else f"{days} days "
    points = "point was" if penalty == 1 else "points were"
    return f"It came {when}late: {round(penalty, 2):g} {points} taken off."


def set_due(gradebook, exercise, deadline, submissions):
    """Write due date and extensions into the gradebook; None takes them out."""
    assignment = gradebook.find_assignment(exercise)
    assignment.duedate = deadline and deadline.due.replace(tzinfo=None)
    for submission in submissions:
        later = deadline and deadline.extensions.get(submission.student_id)
        submission.extension = later - deadline.due if later else None
    gradebook.db.commit()


def recompute(classroom, exercise):
    """Set due dates and penalties of an exercise anew as the class's file says; see ``update_penalties``.

    Raises
    ------
    UserError : without such a file, and for an exercise that is not in the gradebook.
    """
    load_bank(exercise)  # refuses an unknown exercise
    deadlines = read_deadlines(classroom.folder)
    if deadlines is None:
        raise UserError(f"there is no {FILE} in {classroom.name}; docs/instructors.md shows how to write one")
    first = UserError(f"{exercise} is not graded in {classroom.name}; run first: course grade {exercise}")
    if not classroom.database.exists():
        raise first
    with classroom.gradebook() as gradebook:
        if exercise not in {assignment.name for assignment in gradebook.assignments}:
            raise first
        return update_penalties(gradebook, exercise, deadlines)


def keep_penalties_current(classroom):
    """Let the marks that are about to leave the gradebook follow the class's file, if it has one."""
    deadlines = read_deadlines(classroom.folder)
    if deadlines is not None:
        with classroom.gradebook() as gradebook:
            for name in [assignment.name for assignment in gradebook.assignments]:
                update_penalties(gradebook, name, deadlines)


def update_penalties(gradebook, exercise, deadlines):
    """Set due dates and penalties of an exercise anew, from what the gradebook holds; nothing is run.

    Parameters
    ----------
    deadlines : of the class; None where it has no such file: nothing is taken off, and due dates stay.

    Returns
    -------
    Update
    """
    deadline = (deadlines or {}).get(exercise)
    assignment = gradebook.find_assignment(exercise)
    if deadlines is not None:
        set_due(gradebook, exercise, deadline, assignment.submissions)
    marks, worth = class_marks(gradebook, exercise), assignment.max_score
    found = Update(due=deadline and deadline.due, total=len(marks), told=_doubts(marks, deadline))
    for mark in marks:
        now = 0.0
        if deadline and deadline.rule:
            now = min(mark.raw, deadline.rule.penalty(mark.seconds_late, worth))
        if now != mark.penalty:
            found.changes.append(Change(mark.student, days_late(mark.seconds_late), mark.penalty, now))
        found.late += mark.seconds_late > 0
    _write_penalties(gradebook, exercise, {change.student: change.now for change in found.changes})
    return found


def _write_penalties(gradebook, exercise, penalties):
    """Write the penalties of some students in one go; nbgrader's look-ups take a second for a hundred."""
    ids = gradebook.db.execute(
        select(SubmittedAssignment.student_id, SubmittedNotebook.id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .where(Assignment.name == exercise)
    )
    rows = [
        {"id": notebook, "late_submission_penalty": penalties[student] or None}
        for student, notebook in ids
        if student in penalties
    ]
    if rows:
        gradebook.db.execute(update(SubmittedNotebook), rows)
    gradebook.db.commit()


def _doubts(marks, deadline):
    """What an instructor should know who relies on the penalties."""
    if deadline is None:
        return [f"{FILE} names no due date for it; nothing is late"]
    told = [] if deadline.rule else [f"{FILE} has no [rule]; nothing is taken off"]
    unknown = sorted(set(deadline.extensions) - {mark.student for mark in marks})
    if unknown:
        told.append(f"extensions for who has handed in nothing, or is called otherwise: {', '.join(unknown)}")
    if undated := sum(mark.timestamp is None for mark in marks):
        told.append(f"submissions without a time, which count as in time: {undated}")
    return told


def _beside(db_url):
    """The folder of a gradebook; where that is on a server, nbgrader's commands run in the class's folder."""
    return Path(db_url.removeprefix("sqlite:///")).parent if db_url.startswith("sqlite:///") else Path()


class SetDue(NbGraderPreprocessor):
    """Before nbgrader assigns penalties: due date and extension as the class's file has them now."""

    def preprocess(self, nb, resources):
        about = resources["nbgrader"]
        deadlines = read_deadlines(_beside(about["db_url"]))
        if deadlines is not None:
            with Gradebook(about["db_url"]) as gradebook:
                submission = gradebook.find_submission(about["assignment"], about["student"])
                set_due(gradebook, about["assignment"], deadlines.get(about["assignment"]), [submission])
        return nb, resources


class PerDay(LateSubmissionPlugin):
    """nbgrader's plugin for late submissions: the rule of the class's file."""

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        exercise = self.parent.assignment_id
        deadline = (read_deadlines(_beside(self.parent.db_url)) or {}).get(exercise)
        if deadline is None or deadline.rule is None:
            return None
        worth = self.parent.gradebook.find_assignment(exercise).max_score
        return min(score, deadline.rule.penalty(total_seconds_late, worth)) or None
