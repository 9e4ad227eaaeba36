"""The class list: from the CSV of a learning platform, or of one's own, into nbgrader's gradebook.

======== ======================================================================================
Canvas   the exported gradebook: ``Student, ID, SIS User ID, SIS Login ID, Section, ...``
Moodle   participants, gradebook or grading worksheet: ``First name, Last name, Email address ...``
others   ``id, first_name, last_name, email, lms_user_id``, also ``Username``, ``Student ID``
======== ======================================================================================
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook, Student

from grading.errors import UserError
from grading.files import private
from grading.lms import MARKUP, clean
from grading.tables import read_table, unguarded

CANVAS_IDS = ("sis login id", "sis user id")
OWN_IDS = ("id", "student_id")
MAILS = ("email", "email address", "e-mail")
OTHER_IDS = ("username", "id number", "student id", *MAILS)
LONGEST = 128  # characters of a column in nbgrader's gradebook
MOST_TOLD = 5


@dataclass
class Person:
    """A student of the list; ``number`` is what the learning platform calls the account."""

    id: str
    first: str = ""
    last: str = ""
    email: str = ""
    number: str = ""
    line: int = 0


@dataclass
class Listed:
    """What came of a list: how many students are new, how many were known, what a person should know."""

    added: int = 0
    known: int = 0
    told: list[str] = field(default_factory=list)


def is_canvas(table):
    """Whether a table has the columns of Canvas's gradebook."""
    named = table.find("student") is not None or table.find("lastname") is not None
    return named and table.find("id") is not None and table.find("section") is not None


def is_no_student(row):
    """Whether a row of Canvas's gradebook is one of its own: points, posting policy, the test student."""
    return row[0].strip() in ("", "Points Possible", "Student, Test") or row[:2] == ["Student", "Test"]


def read_people(path):
    """The students of a list, and what a person should know about it.

    Raises
    ------
    UserError : naming every line that cannot be used; then no line is.
    """
    table = read_table(path)
    canvas, told = is_canvas(table), table.told
    rows = zip(table.rows, table.lines, strict=True)
    rows = [(row, line) for row, line in rows if not (canvas and is_no_student(row))]
    column = _id_column(table, [row for row, _ in rows], canvas, path)
    as_listed = [_person(table, row, line, column, canvas) for row, line in rows]
    people = [_usable(one) for one in as_listed]
    if not people:
        raise UserError(f"{path} lists no students")
    problems = [f"line {one.line} has no {column or 'name'}" for one in people if not one.id]
    lines = {}
    for one in people:
        lines.setdefault(one.id.casefold(), []).append(str(one.line))
    problems += [
        f"lines {' and '.join(same)} have the same id {student!r}"
        for student, same in lines.items()
        if student and len(same) > 1
    ]
    if problems:
        more = f"; and {len(problems) - MOST_TOLD} more" if len(problems) > MOST_TOLD else ""
        raise UserError(f"{path}: {'; '.join(problems[:MOST_TOLD])}{more}; nothing was taken over")
    pairs = list(zip(as_listed, people, strict=True))
    if others := [new.id for old, new in pairs if old.id != new.id]:
        told.append(f"ids that no folder can have were changed: {len(others)}, e.g. to {others[0]}")
    if changed := [new.id for old, new in pairs if (old.first, old.last) != (new.first, new.last)]:
        more = f" and {len(changed) - MOST_TOLD} more" if len(changed) > MOST_TOLD else ""
        told.append(
            "signs that nbgrader's pages cannot show were left out of the names of "
            f"{', '.join(changed[:MOST_TOLD])}{more}"
        )
    return people, told


def _id_column(table, rows, canvas, path):
    """The column that names students: ``id`` of one's own list, else the first that no row leaves empty."""
    there = [name for name in (CANVAS_IDS if canvas else OTHER_IDS) if table.find(name) is not None]
    filled = [name for name in there if all(table.get(row, name) for row in rows)]
    if canvas:
        return next(iter(filled), "")
    own = [name for name in OWN_IDS if table.find(name) is not None]
    if not own + there:
        raise UserError(
            f"{path} has no column that names students; call it id, or export the list from Canvas, or from "
            "Moodle in English"
        )
    return (own + filled + there)[0]


def _person(table, row, line, column, canvas):
    first = table.get(row, "first name", "first_name", "firstname")
    last = table.get(row, "last name", "last_name", "lastname", "surname")
    number = table.get(row, "id") if canvas else table.get(row, "lms_user_id")
    if canvas and table.find("student") is not None:
        last, _, first = (part.strip() for part in table.get(row, "student").partition(","))
    elif not first + last:
        first, _, last = table.get(row, "full name", "name").rpartition(" ")
    email = table.get(row, *MAILS)
    if canvas and not email and "@" in table.get(row, "sis login id"):
        email = table.get(row, "sis login id")
    student = table.get(row, column) if column else ""
    if not student and not column and number:  # what course collect makes of a file's name
        student = re.sub(r"\W", "", f"{last}{first}".casefold()) + f"_{number}"
    return Person(*(unguarded(text) for text in (student, first, last, email, number)), line)


def _usable(person):
    """The same as nbgrader's folders, gradebook and pages can take it."""
    texts = (person.first, person.last, person.email, person.number)
    return Person(clean(person.id), *(MARKUP.sub("", text)[:LONGEST] for text in texts), person.line)


def import_people(classroom, path):
    """Take a class list over into the gradebook: all of it, or nothing.

    A student who is there already, also under the id that ``course collect`` made of the name and number in
    the platform, keeps that id and gets what the list says.

    Returns
    -------
    Listed
    """
    people, told = read_people(path)
    classroom.demand_writable()
    with private(), classroom.gradebook() as gradebook:
        known = {student.id: student for student in gradebook.students}
        found = match({student: keys(one) for student, one in known.items()}, [_keys(p) for p in people])
        twice = [student for student, count in Counter(filter(None, found)).items() if count > 1]
        if twice:
            listed = ", ".join(sorted(twice)[:MOST_TOLD])
            raise UserError(f"{path} lists {listed} twice; nothing was taken over")
        for person, student in zip(people, found, strict=True):
            _take_over(gradebook, person, known.get(student))
            if student and student != person.id:
                told.append(f"{person.id} is in the gradebook as {student} and keeps that id")
        gradebook.db.commit()
    count = sum(student is not None for student in found)
    return Listed(len(people) - count, count, told)


def _take_over(gradebook, person, student):
    if student is None:
        student = Student(id=person.id)
        gradebook.db.add(student)
    student.first_name = person.first or student.first_name
    student.last_name = person.last or student.last_name
    student.email = person.email or student.email
    student.lms_user_id = person.number or student.lms_user_id


def keys(student):
    """By what a student of the gradebook may be found in a list, as pairs of kind and text."""
    number = re.search(r"_(\d+)$", student.id)
    found = {
        ("id", student.id),
        ("id", student.email),
        ("number", student.lms_user_id or (number and number[1])),
        ("name", name_key(student.first_name, student.last_name)),
        ("name", student.id),
    }
    return {(kind, text.casefold()) for kind, text in found if text}


def name_key(first, last=""):
    """A name as ``course collect`` makes an id of it."""
    return clean(f"{first or ''} {last or ''}")


def _keys(person):
    """By what a student of a list may be in the gradebook; what tells most comes first."""
    found = [
        ("id", person.id),
        ("number", person.number),
        ("id", person.email),
        ("name", name_key(person.first, person.last)),
    ]
    return [(kind, text.casefold()) for kind, text in found if text]


def match(owners, rows):
    """Whose each row of a list is.

    Parameters
    ----------
    owners : {student: set of keys}
    rows : for each row its keys, the surest first.

    Returns
    -------
    list of the student, or None where no key belongs to exactly one.
    """
    held = {}
    for student, own in owners.items():
        for key in own:
            held.setdefault(key, []).append(student)
    return [next((held[key][0] for key in row if len(held.get(key, ())) == 1), None) for row in rows]


def names_in_lms(people):
    """What the platform calls students, for ``course collect``: {name or number: id}; doubtful names not."""
    called = Counter(f"{one.first} {one.last}".strip().casefold() for one in people)
    names = {f"{one.first} {one.last}".strip().casefold(): one.id for one in people}
    found = {name: student for name, student in names.items() if name and called[name] == 1}
    return found | {one.number.casefold(): one.id for one in people if one.number}


def names_in_gradebook(folder):
    """The same from the gradebook of a class folder; nothing where it holds no class list."""
    path = Path(folder).resolve() / "gradebook.db"
    if not path.exists():
        return {}
    with Gradebook(f"sqlite:///{path}", "rnn-course") as gradebook:
        students = [
            Person(one.id, one.first_name or "", one.last_name or "", "", one.lms_user_id or "")
            for one in gradebook.students
        ]
    return names_in_lms(students)
