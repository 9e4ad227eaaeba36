"""Late submissions: due dates, extensions and what a day costs, from ``deadlines.toml`` of the class.

The file lies beside the gradebook and governs all exercises: one that it does not name has no due date.
nbgrader keeps due dates, extensions and penalties in its gradebook; everything here writes them there.
"""

import math
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.bank import exercise_names, load_bank
from grading.errors import UserError
from grading.marks import class_marks

FILE = "deadlines.toml"
DAY = 86400  # seconds
RULE = ("points_a_day", "percent_a_day", "at_most", "grace_minutes")


@dataclass(frozen=True)
class Rule:
    """What each day begun costs, in points or in percent of an exercise's points; ``at_most`` likewise."""

    a_day: float
    in_percent: bool = False
    at_most: float = math.inf
    grace: float = 0.0  # seconds in which nothing is taken off

    def penalty(self, seconds, max_score):
        """The points to take off.

        >>> Rule(10, in_percent=True).penalty(1.5 * 86400, 20)
        4.0
        """
        if seconds <= self.grace:
            return 0.0
        unit = max_score / 100 if self.in_percent else 1.0
        return round(min(days_late(seconds) * self.a_day, self.at_most) * unit, 2)


@dataclass(frozen=True)
class Deadline:
    """When an exercise is due, in UTC, for whom later, and the rule after that."""

    due: datetime
    rule: Rule | None = None
    extensions: dict[str, datetime] = field(default_factory=dict)


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


def days_late(seconds):
    """Days begun after the due date."""
    return math.ceil(seconds / DAY)


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


def read_deadlines(folder):
    """The deadlines of a class: {exercise: Deadline}, or None where its folder holds no such file.

    Raises
    ------
    UserError : naming the entry that cannot be used, and how it should look.
    """
    path = Path(folder) / FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{FILE} cannot be read as TOML: {error}") from None
    zone, rule = _zone(data.pop("time_zone", None)), _rule(data.pop("rule", None), "rule")
    _demand_known(data, exercise_names(), "the file", "time_zone, rule and exercises such as ex02")
    return {exercise: _deadline(exercise, entry, rule, zone) for exercise, entry in data.items()}


def _zone(name):
    try:
        return ZoneInfo(name) if name is not None else None
    except (ValueError, TypeError, OSError, KeyError):
        raise UserError(
            f"{FILE}: there is no time zone {name!r}; write for instance Europe/Berlin or UTC"
        ) from None


def _rule(entry, where):
    if entry is None:
        return None
    _demand_table(entry, where)
    _demand_known(entry, RULE, f"[{where}]", ", ".join(RULE))
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise UserError(f"{FILE}: {name} in [{where}] has to be a number, 0 or more; it is {value!r}")
    if ("points_a_day" in entry) == ("percent_a_day" in entry):
        raise UserError(f"{FILE}: [{where}] needs either points_a_day or percent_a_day")
    in_percent = "percent_a_day" in entry
    a_day = entry["percent_a_day" if in_percent else "points_a_day"]
    return Rule(a_day, in_percent, entry.get("at_most", math.inf), 60 * entry.get("grace_minutes", 0))


def _deadline(exercise, entry, rule, zone):
    _demand_table(entry, exercise)
    _demand_known(entry, ("due", "rule", "extensions"), f"[{exercise}]", "due, rule and extensions")
    if "due" not in entry:
        raise UserError(f"{FILE}: [{exercise}] needs a due date, e.g. due = 2026-11-15 23:59:00")
    due = _time(entry["due"], f"due in [{exercise}]", zone)
    where, extensions = f"{exercise}.extensions", entry.get("extensions", {})
    _demand_table(extensions, where)
    later = {
        student: _later(due, value, f"{student} in [{where}]", zone) for student, value in extensions.items()
    }
    return Deadline(due, _rule(entry.get("rule"), f"{exercise}.rule") or rule, later)


def _later(due, value, where, zone):
    """The due date of one student, who has a date or a number of days more."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 3650:
        return due + timedelta(days=value)
    return _time(value, where, zone, " or a number of days")


def _time(value, where, zone, otherwise=""):
    if not isinstance(value, datetime):
        raise UserError(
            f"{FILE}: {where} has to be a date with a time, e.g. 2026-11-15 23:59:00{otherwise}; "
            f"it is {value if isinstance(value, int | float) else str(value)!r}"
        )
    if value.tzinfo is None and zone is None:
        raise UserError(
            f"{FILE}: {where} has no time zone; begin the file with a line such as "
            'time_zone = "Europe/Berlin"'
        )
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)


def _demand_table(entry, where):
    if not isinstance(entry, dict):
        raise UserError(f"{FILE}: {where} has to be a section, [{where}]")


def _demand_known(entry, known, where, listed):
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise UserError(f"{FILE}: {where} knows no {unknown[0]!r}; it takes {listed}")


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
    if not (classroom.folder / "gradebook.db").exists():
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

    Returns
    -------
    Update
    """
    deadline = deadlines.get(exercise)
    assignment = gradebook.find_assignment(exercise)
    set_due(gradebook, exercise, deadline, assignment.submissions)
    marks, worth = class_marks(gradebook, exercise), assignment.max_score
    update = Update(due=deadline and deadline.due, total=len(marks), told=_doubts(marks, deadline))
    for mark in marks:
        now = 0.0
        if deadline and deadline.rule:
            now = min(mark.raw, deadline.rule.penalty(mark.seconds_late, worth))
        if now != mark.penalty:
            notebook = gradebook.find_submission_notebook(exercise, exercise, mark.student)
            notebook.late_submission_penalty = now or None
            update.changes.append(Change(mark.student, days_late(mark.seconds_late), mark.penalty, now))
        update.late += mark.seconds_late > 0
    gradebook.db.commit()
    return update


def _doubts(marks, deadline):
    """What an instructor should know who relies on the penalties."""
    if deadline is None:
        return [f"{FILE} names no due date for it; nothing is late"]
    told = [] if deadline.rule else [f"{FILE} has no [rule]; nothing is taken off"]
    unknown = sorted(set(deadline.extensions) - {mark.student for mark in marks})
    if unknown:
        told.append(f"extensions for who has handed in nothing, or is called otherwise: {', '.join(unknown)}")
    if undated := sum(mark.timestamp is None for mark in marks):
        told.append(f"{undated} submissions have no time and count as in time")
    return told


class SetDue(NbGraderPreprocessor):
    """Before nbgrader assigns penalties: due date and extension as the class's file has them now.

    nbgrader's commands run in the course directory, where the file lies.
    """

    def preprocess(self, nb, resources):
        deadlines, about = read_deadlines("."), resources["nbgrader"]
        if deadlines is not None:
            with Gradebook(about["db_url"]) as gradebook:
                submission = gradebook.find_submission(about["assignment"], about["student"])
                set_due(gradebook, about["assignment"], deadlines.get(about["assignment"]), [submission])
        return nb, resources


class PerDay(LateSubmissionPlugin):
    """nbgrader's plugin for late submissions: the rule of the class's file."""

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        exercise = self.parent.assignment_id
        deadline = (read_deadlines(".") or {}).get(exercise)
        if deadline is None or deadline.rule is None:
            return None
        worth = self.parent.gradebook.find_assignment(exercise).max_score
        return min(score, deadline.rule.penalty(total_seconds_late, worth)) or None
