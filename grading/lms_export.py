"""Marks for a learning platform: into which rows and columns of its file they go, and who is left out.

The file that a platform exported knows its own ids, so marks go into it rather than beside it. What comes out
holds the columns that say who a student is and those of the marks, no others: an old mark of another
assignment is never imported again.
"""

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from grading.candidates import names
from grading.collected import recall
from grading.errors import UserError
from grading.files import demand_writable
from grading.late import keep_penalties_current
from grading.marks import class_marks
from grading.people import keys
from grading.tables import Table, guarded, unguarded, write_table

KEPT = ("EX", "N/A")  # Canvas's words for who is excused, and for whom it is not assigned
DERIVED = re.compile(
    r"\((percentage|letter|feedback)\)$|(current|final|override|unposted) (score|points|grade|status)", re.I
)
"""Columns of a platform that hold no points of an assignment."""


@dataclass
class Marks:
    """What is exported: students of the gradebook, points of each exercise, marks by exercise and student."""

    students: list
    worth: dict[str, float]
    marks: dict
    numbers: dict[str, set[str]] = field(default_factory=dict)  # what Moodle calls a student: see collect

    def owners(self):
        """By which keys a student may be found in a file."""
        return {
            one.id: keys(one) | {("participant", number) for number in self.numbers.get(one.id, ())}
            for one in self.students
        }


@dataclass
class Wishes:
    """How an instructor wants it: the column, whether points are scaled, what who is missing gets."""

    exercise: str | None = None
    column: str | None = None
    scale: bool = False
    zero: bool = False


@dataclass
class Exported:
    """The table that is written, how many marks are in it, what to know, and who is not in it."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","
    count: int = 0
    told: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def row_keys(*found):
    """By what a row may be found among students: what the file holds of these, as ``keys`` compares it."""
    return [(kind, unguarded(text).casefold()) for kind, text in found if text]


def chosen_exercises(marks, wishes):
    """The exercises that are exported."""
    if wishes.exercise and wishes.exercise not in marks.worth:
        raise UserError(f"{wishes.exercise} is not graded yet; run first: course grade {wishes.exercise}")
    chosen = [wishes.exercise] if wishes.exercise else list(marks.worth)
    if wishes.column and len(chosen) > 1:
        raise UserError("--column is for one exercise; say which with --exercise ex02")
    return chosen


def mark_columns(table, marks, wishes, start):
    """Where the marks of each exercise go: {exercise: place}."""
    found, chosen = {}, chosen_exercises(marks, wishes)
    for exercise in chosen:
        there = [
            place
            for place, title in enumerate(table.header)
            if place >= start and (title == wishes.column if wishes.column else _is_title(title, exercise))
        ]
        if len(there) > 1:
            listed = ", ".join(repr(table.header[place]) for place in there)
            raise UserError(f"several columns may be those of {exercise}: {listed}; say which with --column")
        if there:
            found[exercise] = there[0]
    if not found or (wishes.exercise and wishes.exercise not in found):
        what = wishes.column or " or ".join(chosen)
        raise UserError(f"no column of the file is called {what}; say which with --column 'TITLE (id)'")
    return found


def _is_title(title, exercise):
    return names(title, exercise) and not DERIVED.search(title)


def filled(table: Table, students, columns, most, marks, wishes):
    """Copies of all rows with the marks in their columns, and an account of who is missing.

    Parameters
    ----------
    students : {place of the row: student or None}
    columns : {exercise: place}
    most : {exercise: points that the platform gives at most, or None}
    """
    result = Exported(table.header, [], table.delimiter, told=list(table.told))
    if without := [name for name in chosen_exercises(marks, wishes) if name not in columns]:
        result.told.append(f"the file has no column for {', '.join(without)}")
    factor = {name: _factor(name, marks.worth[name], most[name], wishes) for name in columns}
    rows_of = Counter(filter(None, students.values()))
    for place, row in enumerate(table.rows):
        new, student = [guarded(cell) if cell.strip() != "-" else cell for cell in row], students.get(place)
        for exercise, column in columns.items():
            new[column] = row[column]
            if student and rows_of[student] == 1 and row[column].strip() not in KEPT:
                text = mark_text(marks, exercise, student, wishes, result, factor[exercise])
                new[column] = text or row[column]
        result.rows.append(new)
    _account(result, list(students.values()), rows_of, columns, marks)
    return result


def _account(result, found, rows_of, columns, marks):
    """Say whose marks did not go into the file, and why."""
    handed_in = sorted({student for exercise, student in marks.marks if exercise in columns})
    unknown = sum(student is None for student in found)
    if unknown:
        result.told.append(f"rows of nobody in the gradebook, left as they are: {unknown}")
    for student in handed_in:
        if rows_of[student] != 1:
            why = "several rows may be theirs" if rows_of[student] else "no row of the file is theirs"
            result.left.append(f"{student}: {why}")


def _factor(exercise, worth, most, wishes):
    """From points of the course to those of the platform."""
    if most is None or most == worth:
        return 1.0
    if wishes.scale and most > 0:
        return most / worth
    raise UserError(
        f"{exercise} is worth {points(worth)} points, in the file {points(most)}; change it, or give --scale"
    )


def mark_text(marks, exercise, student, wishes, result, factor=1.0):
    """The text of a mark; empty, or zero where that is wished, for who handed in nothing."""
    mark = marks.marks.get((exercise, student))
    if mark is None:
        return "0" if wishes.zero else ""
    result.count += 1
    return points(factor * mark.score)


def points(number):
    """Points as both platforms read them: a decimal point, at most two decimals.

    >>> points(12.870000000000001), points(1234.5), points(0.0)
    ('12.87', '1234.5', '0')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")


def number_in(text):
    """The number in a cell, also with a comma; None where there is none."""
    text = text.strip().replace(",", ".")
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def export_marks(classroom, to, fill, into, wishes, collected=None):
    """Write the marks of a class for a learning platform.

    Parameters
    ----------
    fill : what knows the platform's files: ``canvas_marks`` or ``moodle_marks``.
    into : a file that it exported, or None.
    collected : the folder that ``course collect`` filled; by default ``submitted`` in that of the class.

    Returns
    -------
    Exported

    Raises
    ------
    UserError : when nothing can be exported; then nothing is written.
    """
    classroom.demand_gradebook()
    if into is not None and Path(to).resolve() == Path(into).resolve():
        raise UserError(f"{to} would be overwritten; choose another name for what is written")
    demand_writable(to)
    keep_penalties_current(classroom)
    with classroom.gradebook() as gradebook:
        found = class_marks(gradebook)
        marks = Marks(
            list(gradebook.students),
            {assignment.name: assignment.max_score for assignment in gradebook.assignments},
            {(mark.exercise, mark.student): mark for mark in found},
        )
        marks.numbers = _numbers(marks, wishes, collected or classroom.folder / "submitted")
        result = fill(marks, wishes, into)
    waiting = sorted(
        {mark.student for mark in found if mark.waits and wishes.exercise in (None, mark.exercise)}
    )
    if waiting:
        result.told.append(f"still waiting for a person's points: {', '.join(waiting)}")
    write_table(to, result.header, result.rows, result.delimiter, csv.QUOTE_MINIMAL)
    return result


def _numbers(marks, wishes, collected):
    """By which numbers Moodle knew students when their work was collected; they differ by assignment."""
    numbers = {}
    for exercise in chosen_exercises(marks, wishes):
        for student, origin in recall(collected, exercise).items():
            if origin["lms"] == "Moodle":
                numbers.setdefault(student, set()).add(origin["number"])
    return numbers
