"""Marks as Moodle takes them: in the grading worksheet of an assignment, or as a table for the gradebook.

A worksheet has the columns ``Identifier, Full name, ... Grade, Maximum Grade, ...``; Moodle knows students by
the first of them. The gradebook's CSV import lets a person say which column holds e-mail addresses and which
one marks. Moodle names columns in the language of whoever downloads them; only English is known here.
"""

import re

from grading.deadlines import days_late
from grading.errors import UserError
from grading.late import sentence
from grading.lms_export import (
    Exported,
    chosen_exercises,
    filled,
    mark_columns,
    mark_text,
    number_in,
    row_keys,
)
from grading.people import match, name_key
from grading.tables import guarded, read_table

COLUMNS = ("First name", "Last name", "ID number", "Email address")
WHO = ("Username", *COLUMNS, "Surname", "Full name", "Identifier")
WORKSHEET = (
    *("Identifier", "Full name", "Username", "ID number", "Email address", "Status", "Grade"),
    *("Maximum Grade", "Grade can be changed", "Last modified (grade)", "Feedback comments"),
)


def moodle_marks(marks, wishes, into=None):
    """Marks for Moodle: a grading worksheet, or a table for the gradebook's CSV import."""
    if into is None:
        return _alone(marks, wishes)
    table = read_table(into)
    worksheet = table.find("identifier") is not None and table.find("grade") is not None
    if not worksheet and table.find("email address") is None:
        raise UserError(
            f"{into} is neither a grading worksheet nor a gradebook of Moodle; set Moodle to English before "
            "you download it"
        )
    found = match(marks.owners(), [_keys_of(table, row) for row in table.rows])
    if worksheet:
        return _worksheet(table, found, marks, wishes)
    columns = mark_columns(table, marks, wishes, 0)
    result = filled(table, dict(enumerate(found)), columns, dict.fromkeys(columns), marks, wishes)
    keep = [*(table.find(name) for name in WHO if table.find(name) is not None), *columns.values()]
    result.rows = [[row[place] for place in keep] for row in result.rows]
    result.header = [table.header[place] for place in keep]
    return result


def _keys_of(table, row):
    number = re.search(r"(\d+)$", table.get(row, "identifier"))
    full = table.get(row, "full name")
    return row_keys(
        ("participant", number[1] if number else ""),
        ("id", table.get(row, "username")),
        ("id", table.get(row, "id number")),
        ("id", table.get(row, "email address")),
        ("name", name_key(table.get(row, "first name"), table.get(row, "last name", "surname"))),
        ("name", name_key(full)),
    )


def _worksheet(table, found, marks, wishes):
    """Moodle's worksheet of one assignment; Moodle passes over in silence what it does not take."""
    exercises = chosen_exercises(marks, wishes)
    if len(exercises) > 1:
        raise UserError("a grading worksheet is of one assignment; say of which with --exercise ex02")
    exercise, place, most = exercises[0], table.find("grade"), table.find("maximum grade")
    maxima = [number_in(row[most]) or 0.0 for row in table.rows] if most is not None else []
    highest = max(maxima, default=None)
    result = filled(table, dict(enumerate(found)), {exercise: place}, {exercise: highest}, marks, wishes)
    comments = table.find("feedback comments")
    for new, old, student in zip(result.rows, table.rows, found, strict=True):
        if why := new[place] != old[place] and _why_not(table, old, new[place], highest):
            result.left.append(f"{student}: {why}")
            result.count -= 1
            new[place] = old[place]
        if comments is not None:
            mark = None if why else marks.marks.get((exercise, student))
            new[comments] = old[comments] or _comment(mark)
    keep = [table.find(name) for name in WORKSHEET if table.find(name) is not None]
    result.header = [table.header[place] for place in keep]
    result.rows = [[row[place] for place in keep] for row in result.rows]
    return result


def _why_not(table, row, mark, highest):
    """Why Moodle would not take a mark; "" where it does."""
    if table.get(row, "grade can be changed").casefold() == "no":
        return "Moodle does not let this grade be changed"
    if highest is not None and number_in(mark) > highest:
        return f"{mark} points are above Moodle's maximum"
    return ""


def _comment(mark):
    return sentence(days_late(mark.seconds_late), mark.penalty) if mark else ""


def _alone(marks, wishes):
    exercises = chosen_exercises(marks, wishes)
    result = Exported([*COLUMNS, *(wishes.column or name for name in exercises)], [])
    for one in marks.students:
        who = [guarded(text) for text in (one.first_name, one.last_name, one.id, one.email)]
        result.rows.append([*who, *(mark_text(marks, name, one.id, wishes, result) for name in exercises)])
    return result
