"""Marks as Canvas's gradebook import takes them, alone or put into the gradebook that it exported.

A gradebook has the columns ``Student, ID, SIS User ID, SIS Login ID, Section``, one for each assignment,
named ``Title (id)``, and the row *Points Possible*. Canvas knows students by ID, else by login.
"""

import re

from grading.errors import UserError
from grading.lms_export import (
    Exported,
    chosen_exercises,
    filled,
    mark_columns,
    mark_text,
    number_in,
    points,
    row_keys,
)
from grading.people import is_canvas, is_no_student, match, name_key
from grading.tables import guarded, read_table

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas_marks(marks, wishes, into=None):
    """Marks for Canvas's gradebook import."""
    if into is None:
        return _alone(marks, wishes)
    table = read_table(into)
    if not is_canvas(table):
        raise UserError(f"{into} is no gradebook of Canvas: it has no columns Student, ID and Section")
    own = [place for place, row in enumerate(table.rows) if not is_no_student(row)]
    possible = next((row for row in table.rows if row[0].strip() == "Points Possible"), None)
    columns = mark_columns(table, marks, wishes, table.find("section") + 1)
    most = {name: number_in(possible[place]) if possible else None for name, place in columns.items()}
    keep = [*range(table.find("section") + 1), *columns.values()]
    found = match(marks.owners(), [_keys_of(table, table.rows[place]) for place in own])
    result = filled(table, dict(zip(own, found, strict=True)), columns, most, marks, wishes)
    result.rows = [[row[place] for place in keep] for row in result.rows]
    result.header = [table.header[place] for place in keep]
    return result


def _keys_of(table, row):
    last, _, first = table.get(row, "student").partition(",")
    if table.find("student") is None:
        last, first = table.get(row, "lastname"), table.get(row, "firstname")
    return row_keys(
        ("number", table.get(row, "id")),
        ("id", table.get(row, "sis login id")),
        ("id", table.get(row, "sis user id")),
        ("name", name_key(first, last)),
    )


def _alone(marks, wishes):
    exercises = chosen_exercises(marks, wishes)
    titles = [wishes.column or name for name in exercises]
    rows = [["    Points Possible", "", "", "", "", *(points(marks.worth[name]) for name in exercises)]]
    result = Exported([*COLUMNS, *titles], rows)
    for one in marks.students:
        number = one.lms_user_id or (re.search(r"_(\d+)$", one.id) or ("", ""))[1]
        login = "" if one.id.endswith(f"_{number}") else one.id
        name = ", ".join(filter(None, [one.last_name, one.first_name])) or one.id
        who = [guarded(text) for text in (name, number, "", login, "")]
        rows.append([*who, *(mark_text(marks, name, one.id, wishes, result) for name in exercises)])
    result.told.append(
        "Canvas makes new assignments of columns that it does not know; better give its export with --into"
    )
    return result
