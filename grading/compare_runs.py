"""What changed between two gradings of an exercise: for whom, and why."""

import csv
import io
from dataclasses import astuple, dataclass, fields

from rich.table import Table
from rich.text import Text

from grading.errors import UserError
from grading.results import MARKED, Outcome
from grading.tables import number_or_guarded

FILE = "the file"  # stands where a change is of the submission as a whole
ONLY = "only in the {} run"


@dataclass
class Change:
    """One difference between two runs; the points are None where a run does not have them."""

    student: str
    question: str
    points_before: float | None
    points_after: float | None
    verdict_before: str
    verdict_after: str
    why: str


def compare(before, after):
    """Hold two runs against each other.

    Neither the seed of the fresh cases nor the text of a file is a difference by itself; where points,
    verdict, hint or misconception differ, they are the reason that is named.

    Parameters
    ----------
    before, after : {student: Outcome}.

    Returns
    -------
    list of Change, by student.

    Raises
    ------
    UserError : when the two are not of one exercise.
    """
    exercises = {outcome.exercise for outcome in [*before.values(), *after.values()]}
    if len(exercises) > 1:
        raise UserError(f"the two runs are of different exercises: {', '.join(sorted(exercises))}")
    changes = []
    for student in sorted({*before, *after}):
        if student in before and student in after:
            changes += _student_changes(student, before[student], after[student])
        else:
            changes.append(_only_in_one(student, before.get(student), after.get(student)))
    return changes


def _only_in_one(student, one, other):
    points = [outcome and outcome.score for outcome in (one, other)]
    return Change(student, FILE, *points, "", "", ONLY.format("first" if one else "second"))


def _student_changes(student, one: Outcome, other: Outcome):
    changes, reasons = [], _reasons(one, other)
    told = [
        f"{words}: {getattr(one, name) or 'nothing'}, then: {getattr(other, name) or 'nothing'}"
        for name, words in (("problem", "not graded"), ("attention", "look at the file"))
        if getattr(one, name) != getattr(other, name)
    ]
    if told:
        changes.append(Change(student, FILE, one.score, other.score, "", "", "; ".join(told + reasons)))
    for name in dict.fromkeys([*one.questions, *other.questions]):
        if name in one.questions and name in other.questions:
            changes += _question_change(student, one.questions[name], other.questions[name], reasons)
        else:
            old, new = one.questions.get(name), other.questions.get(name)
            points = [question and question.points for question in (old, new)]
            why = ONLY.format("first" if old else "second")
            changes.append(Change(student, name, *points, "", "", why))
    return changes


def _reasons(one, other):
    """What differs in how a submission was graded, and may be the reason of other points."""
    reasons = ["another file"] if one.digest != other.digest else []
    if one.seed != other.seed:
        reasons.append(f"seed {one.seed}, then {other.seed}")
    if one.isolation != other.isolation:
        reasons.append(f"isolation {one.isolation}, then {other.isolation}")
    return reasons


def _question_change(student, old, new, reasons):
    """At most one Change: of points, verdict, misconceptions or hint."""
    ideas = [", ".join(question.misconceptions) or "none" for question in (old, new)]
    moved = (old.points, old.verdict) != (new.points, new.verdict)
    if not moved and ideas[0] == ideas[1] and old.hint == new.hint:
        return []
    why = list(reasons)
    if MARKED in (old.verdict, new.verdict) and moved:
        why = ["points by a person"]
    if ideas[0] != ideas[1]:
        why.append(f"misconception {ideas[0]}, then {ideas[1]}")
    elif old.hint != new.hint and not moved:
        why.append("another hint")
    if not why:
        why = ["same file and seed: the exercise or the grader changed, or the answer does"]
    return [Change(student, new.name, old.points, new.points, old.verdict, new.verdict, "; ".join(why))]


def change_table(changes):
    """One row a change, for the terminal."""
    table = Table(title=f"{len({change.student for change in changes})} students changed")
    for column in ("student", "question", "points", "verdict", "why"):
        table.add_column(column, overflow="fold")
    for change in changes:
        points = _pair(_number(change.points_before), _number(change.points_after))
        verdict = _pair(change.verdict_before, change.verdict_after)
        table.add_row(Text(change.student), change.question, points, verdict, Text(change.why))
    return table


def _number(points):
    return "nothing" if points is None else f"{points:g}"


def _pair(one, other):
    return one if one == other else f"{one} → {other}"


def change_csv(changes):
    """The same as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([field.name for field in fields(Change)])
    writer.writerows([number_or_guarded(value) for value in astuple(change)] for change in changes)
    return text.getvalue()
