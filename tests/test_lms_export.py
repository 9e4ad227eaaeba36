"""Marks in the files of Canvas and Moodle: read back they are the same, and nothing else was touched."""

import csv
import stat
import time
from datetime import datetime

import pytest
from gradebooks import make_class
from typer.testing import CliRunner

from grading.cli import app
from grading.tables import read_table, unguarded

CANVAS = '''Student,ID,SIS User ID,SIS Login ID,Section,Notes,Exercise 1 (51),Exercise 2 (52),Final Score
,,,,,,Manual Posting,,
    Points Possible,,,,,,10,20,(read only)
"Lee, Anna",101,u1,anna@x.edu,A,old,7,3,88
"O'Neil, Zoë",102,u2,zoe@x.edu,"A, ""B""",,8,,
"=cmd|' /C calc'!A0",103,u3,bad@x.edu,A,,,,
"Excused, Ed",104,u4,ed@x.edu,A,,,EX,
"Missing, Max",105,u5,max@x.edu,A,,9,,
"Stranger, Sue",106,u6,sue@x.edu,A,,,5,
"Student, Test",999,,,A,,,,
'''
MARKS = {"leeanna_101": 12.87, "zoe@x.edu": 20.0, "bad_103": 0.0, "ed@x.edu": 9.0}
LISTED = [{"id": "max@x.edu"}]
WORKSHEET = """Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Online text","Last modified (grade)","Feedback comments"
"Participant 7001","Anna Lee",anna@x.edu,"Submitted",,20.00,Yes,-,"=1+1",-,
"Participant 7002","Zoë O'Neil",zoe@x.edu,"Submitted",3.00,20.00,Yes,-,,"Monday, 2 March 2026","- good"
"Participant 7003","=Bad",bad@x.edu,"Submitted",,20.00,Yes,-,,-,
"Participant 7004","Ed Excused",ed@x.edu,"Submitted",1.00,20.00,No,-,,-,
"Participant 7005","Max Missing",max@x.edu,"No submission",,20.00,Yes,-,,-,
"""
MOODLE_BOOK = """"First name","Last name","ID number","Email address","Assignment: Exercise 2 (Real)",\
"Assignment: Exercise 2 (Feedback)","Course total (Real)"
Anna,Lee,1,anna@x.edu,-,-,3
Zoë,O'Neil,2,zoe@x.edu,-,-,4
"""


@pytest.fixture
def export(tmp_path):
    """Export into a file of these contents; returns what the command did and the table that it wrote."""

    def run(classroom, platform, text=None, *options):
        to, into = tmp_path / "marks.csv", tmp_path / "from_platform.csv"
        arguments = ["export", to, "--format", platform, "--out", classroom.folder, *options]
        if text is not None:
            into.write_text(text, encoding="utf-8")
            arguments += ["--into", into]
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if done.exception and not isinstance(done.exception, SystemExit):
            return str(done.exception), to.exists()
        return done, read_table(to)

    return run


@pytest.fixture
def classroom(tmp_path):
    return make_class(tmp_path / "class", MARKS, LISTED, waiting=["zoe@x.edu"])


def column(table, name, who):
    return {unguarded(row[table.find(who)]): row[table.find(name)] for row in table.rows}


def test_marks_put_into_canvass_gradebook_read_back_the_same(classroom, export):
    done, table = export(classroom, "canvas", CANVAS)
    assert column(table, "Exercise 2 (52)", "ID") == {
        "": "20",  # points possible, and the row of the posting policy before it
        **{"101": "12.87", "102": "20", "103": "0"},
        **{"104": "EX", "105": "", "106": "5", "999": ""},
    }
    assert done.exit_code == 0
    assert "marks in it: 3" in done.stdout


def test_of_canvass_gradebook_only_who_and_marks_come_back(classroom, export):
    """Other columns would bring old marks back into Canvas."""
    _, table = export(classroom, "canvas", CANVAS)
    assert table.header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Exercise 2 (52)"]
    with open(classroom.folder.parent / "from_platform.csv", encoding="utf-8", newline="") as file:
        before = [row[:5] for row in list(csv.reader(file))[1:]]
    kept = [[unguarded(cell) for cell in row[:5]] for row in table.rows]
    assert kept == [[" ".join(cell.split()) for cell in row] for row in before if any(row)]


def test_names_that_are_formulas_run_nowhere(classroom, export):
    for platform, text in (("canvas", CANVAS), ("moodle", WORKSHEET)):
        _, table = export(classroom, platform, text)
        assert [c for row in table.rows for c in row if c.startswith(("=", "+", "@"))] == []


def test_whose_points_are_not_complete_is_told(classroom, export):
    done, _ = export(classroom, "canvas", CANVAS)
    assert "still waiting for a person's points: zoe@x.edu" in done.stderr


def test_rows_of_nobody_are_counted(classroom, export):
    done, _ = export(classroom, "canvas", CANVAS)
    assert "rows of nobody in the gradebook, left as they are: 1" in done.stderr


def test_who_has_a_mark_and_no_row_is_named_and_the_exit_code_is_1(tmp_path, export):
    classroom = make_class(tmp_path / "class", MARKS | {"ghost": 3.0}, LISTED)
    done, table = export(classroom, "canvas", CANVAS)
    assert done.exit_code == 1
    assert "not in it: ghost: no row of the file is theirs" in done.stderr
    assert column(table, "Exercise 2 (52)", "ID")["101"] == "12.87"


def test_two_rows_of_one_student_get_no_mark(classroom, export):
    done, table = export(classroom, "canvas", CANVAS + '"Lee, A",107,,leeanna_101,A,,,,\n')
    assert "leeanna_101: several rows may be theirs" in done.stderr
    assert column(table, "Exercise 2 (52)", "ID")["101"] == "3"


def test_zero_for_who_handed_in_nothing_is_a_wish(classroom, export):
    _, table = export(classroom, "canvas", CANVAS, "--zero")
    found = column(table, "Exercise 2 (52)", "ID")
    assert (found["105"], found["106"]) == ("0", "5")


def test_semicolons_and_decimal_commas_of_canvas_are_read_and_kept(classroom, export):
    text = "Student;ID;SIS Login ID;Section;Exercise 2 (52)\nPoints Possible;;;;20,0\nLee;101;a;A;3,5\n"
    _, table = export(classroom, "canvas", text)
    assert (table.delimiter, table.rows[1]) == (";", ["Lee", "101", "a", "A", "12.87"])


SCALES = {"canvas": CANVAS.replace("10,20,", "10,100,"), "moodle": WORKSHEET.replace("20.00", "100.00")}


@pytest.mark.parametrize(("platform", "text"), SCALES.items(), ids=SCALES)
def test_other_points_in_the_platform_are_refused_or_scaled(classroom, export, platform, text):
    told, written = export(classroom, platform, text)
    assert told == "ex02 is worth 20 points, in the file 100; change it, or give --scale"
    assert not written
    done, table = export(classroom, platform, text, "--scale", "--exercise", "ex02")
    cells = {cell for row in table.rows for cell in row}
    assert "64.35" in cells if platform == "canvas" else "100" in cells
    assert "Traceback" not in done.output


def test_marks_put_into_moodles_worksheet_read_back_the_same(classroom, export):
    done, table = export(classroom, "moodle", WORKSHEET)
    assert column(table, "Grade", "Email address") == {
        **{"anna@x.edu": "", "zoe@x.edu": "20", "bad@x.edu": "", "ed@x.edu": "1.00", "max@x.edu": ""},
    }
    assert done.exit_code == 1  # two are called otherwise in Moodle, and Ed's grade is locked
    assert "ed@x.edu: Moodle does not let this grade be changed" in done.stderr
    assert "Online text" not in table.header


def test_a_mark_above_moodles_maximum_is_named_because_moodle_passes_over_it(tmp_path, export):
    done, table = export(make_class(tmp_path / "class", {"zoe@x.edu": 21.0}), "moodle", WORKSHEET)
    assert "not in it: zoe@x.edu: 21 points are above Moodle's maximum" in done.stderr
    assert column(table, "Grade", "Email address")["zoe@x.edu"] == "3.00"


def test_a_comment_in_moodle_stays_as_it_is(classroom, export):
    _, table = export(classroom, "moodle", WORKSHEET)
    assert column(table, "Feedback comments", "Email address")["zoe@x.edu"] == "- good"


def test_a_penalty_is_a_comment_in_moodle_and_a_note_in_the_table(tmp_path, export):
    classroom = make_class(tmp_path / "class", {"anna@x.edu": (18.0, datetime(2026, 11, 17, 12))})
    (classroom.folder / "deadlines.toml").write_text(
        "[rule]\npoints_a_day = 2\n[ex02]\ndue = 2026-11-15T23:00:00Z\n"
    )
    _, table = export(classroom, "moodle", WORKSHEET)
    said = "It came 2 days late: 4 points were taken off."
    assert column(table, "Feedback comments", "Email address")["anna@x.edu"] == said
    assert column(table, "Grade", "Email address")["anna@x.edu"] == "14"
    classroom.export(tmp_path / "all.csv")
    whole = read_table(tmp_path / "all.csv")
    row = whole.rows[0]
    assert (whole.get(row, "note"), whole.get(row, "late_submission_penalty")) == (said, "4.0")


def test_moodles_gradebook_gets_marks_in_the_column_of_points(tmp_path, export):
    classroom = make_class(tmp_path / "class", {"Anna_Lee": 12.87, "zoe@x.edu": 20.0})
    _, table = export(classroom, "moodle", MOODLE_BOOK)
    assert table.header == [*MOODLE_BOOK.replace('"', "").split("\n")[0].split(",")[:5]]
    assert column(table, "Assignment: Exercise 2 (Real)", "Email address") == {
        "anna@x.edu": "12.87",
        "zoe@x.edu": "20",
    }


def test_a_table_for_canvas_alone_has_its_columns(classroom, export):
    done, table = export(classroom, "canvas")
    assert table.header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "ex02"]
    assert table.rows[0][0].strip() == "Points Possible"
    assert ["leeanna_101", "101", "", "", "", "12.87"] in table.rows
    assert ["max@x.edu", "", "", "max@x.edu", "", ""] in table.rows
    assert "new assignments" in done.stderr


def test_a_table_for_moodle_alone_has_its_columns(tmp_path, export):
    anna = {"id": "a1", "first_name": "Ana", "last_name": "=Lee, B", "email": "anna@x.edu"}
    _, table = export(make_class(tmp_path / "class", {"a1": 12.87}, [anna]), "moodle")
    assert table.header == ["First name", "Last name", "ID number", "Email address", "ex02"]
    assert table.rows == [["Ana", "'=Lee, B", "a1", "anna@x.edu", "12.87"]]


WRONG = {
    "another table": ("canvas", WORKSHEET, [], "is no gradebook of Canvas"),
    "another language": ("moodle", "Vorname,Nachname\na,b\n", [], "set Moodle to English"),
    "no such column": (
        "canvas",
        CANVAS.replace("Exercise 2", "Homework"),
        [],
        "no column of the file is called ex02; say which with --column",
    ),
    "two columns": (
        "canvas",
        CANVAS.replace("Exercise 1", "Ex 2"),
        [],
        "several columns may be those of ex02: 'Ex 2 (51)', 'Exercise 2 (52)'",
    ),
    "not graded": ("canvas", CANVAS, ["--exercise", "ex03"], "ex03 is not graded yet"),
    "wishes for plain CSV": ("csv", CANVAS, [], "choose canvas or moodle for that"),
}


@pytest.mark.parametrize(("platform", "text", "options", "told"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_one_sentence_and_nothing_is_written(
    classroom, export, platform, text, options, told
):
    sentence, written = export(classroom, platform, text, *options)
    assert told in sentence
    assert not written


def test_the_column_can_be_named(classroom, export):
    text = CANVAS.replace("Exercise 2", "Homework")
    _, table = export(classroom, "canvas", text, "--exercise", "ex02", "--column", "Homework (52)")
    assert column(table, "Homework (52)", "ID")["101"] == "12.87"


def test_the_file_of_the_platform_is_never_written_over(classroom, tmp_path):
    path = tmp_path / "canvas.csv"
    path.write_text(CANVAS, encoding="utf-8")
    arguments = ["export", path, "--format", "canvas", "--into", path, "--out", classroom.folder]
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert "would be overwritten" in str(done.exception)
    assert path.read_text(encoding="utf-8") == CANVAS


def test_only_its_owner_can_read_what_is_exported(classroom, export, tmp_path):
    export(classroom, "canvas", CANVAS)
    assert stat.S_IMODE((tmp_path / "marks.csv").stat().st_mode) == 0o600


def test_a_thousand_students_are_exported_in_seconds(tmp_path):
    marks = {f"s{number}": (12.5, datetime(2026, 11, 17, 12)) for number in range(1000)}
    exercises = tuple(f"ex{number:02}" for number in range(1, 4))
    classroom = make_class(tmp_path / "class", marks, exercises=exercises)
    (classroom.folder / "deadlines.toml").write_text(
        "[rule]\npoints_a_day = 2\n[ex02]\ndue = 2026-11-15T23:00:00Z\n"
    )
    started = time.process_time()
    classroom.export(tmp_path / "all.csv")
    assert time.process_time() - started < 10
    assert len(read_table(tmp_path / "all.csv").rows) == 3000
