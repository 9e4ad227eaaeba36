"""Feedback for bulk upload: each file reaches the student and the upload that it is about."""

import io
import stat
import zipfile

import nbformat
import pytest
from gradebooks import make_class
from typer.testing import CliRunner

from grading.cli import app
from grading.collect import collect
from grading.collected import recall
from grading.errors import UserError
from grading.feedback_zip import pack
from grading.tables import read_table

CANVAS = {
    "leeanna_12345_678900_ex02.ipynb": "old",
    "leeanna_LATE_12345_678910_ex02-1.ipynb": "new",
    "7of9_777_678905_ex02_2.ipynb": "seven",
}
MOODLE = {
    "Ana Müller_123456_assignsubmission_file_/ex02.ipynb": "ana",
    "Bo_Li_123457_assignsubmission_file_/work/ex02.ipynb": "bo",
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "submitted"


@pytest.fixture
def collected(tmp_path, folder):
    """Collect the download of a platform; returns the students."""

    def run(files):
        with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
            for number, (name, text) in enumerate(files.items(), start=1):
                archive.writestr(zipfile.ZipInfo(name, (2026, 11, number, 12, 0, 0)), text)
        return collect(tmp_path / "class.zip", "ex02", folder).students

    return run


@pytest.fixture
def packed(tmp_path, folder):
    """Pack made-up feedback of these students; returns what is in the zip and what came of it."""

    def run(students, platform):
        pages = {}
        for student in students:
            place = tmp_path / "feedback" / student / "ex02"
            place.mkdir(parents=True, exist_ok=True)
            pages[student] = place / "ex02.html"
            pages[student].write_text(f"<html><main>Page of {student}</main></html>", encoding="utf-8")
            (place / f"{student}.txt").write_text(f"Text for {student}\n", encoding="utf-8")
        result = pack(pages, "ex02", platform, folder, tmp_path / "feedback")
        with zipfile.ZipFile(result.path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}, result

    return run


def upload_in_canvas(name):
    """The numbers of student and upload, as Canvas finds them in the name of a file that comes back."""
    user, upload = [part for part in name.split("_") if part != "LATE" and part.isdigit()][:2]
    return int(user), int(upload)


def participant_in_moodle(path):
    """The number of the student, as Moodle finds it in the first part of a path."""
    _, number, kind, plugin, _ = path.split("/")[0].split("_", 4)
    assert (kind, plugin) == ("assignfeedback", "file")
    return int(number)


def test_canvas_gets_the_names_of_the_uploads_that_were_graded(collected, packed):
    files, result = packed(collected(CANVAS), "canvas")
    assert set(files) == {"leeanna_LATE_12345_678910_ex02-1.ipynb", "7of9_777_678905_ex02_2.ipynb"}
    assert sorted(map(upload_in_canvas, files)) == [(777, 678905), (12345, 678910)]
    assert (result.count, result.left) == (2, [])


def test_for_a_notebook_canvas_gets_a_notebook_that_shows_the_page(collected, packed):
    files, _ = packed(collected(CANVAS), "canvas")
    notebook = nbformat.reads(files["7of9_777_678905_ex02_2.ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    assert "Page of 7of9_777" in notebook.cells[1].outputs[0].data["text/html"]
    assert "Text for 7of9_777" in notebook.cells[0].source
    assert "not" not in notebook.cells[1].source


KINDS = {
    "ex02.html": b"<html><main>Page of a_1</main></html>",
    "ex02.txt": b"Text for a_1\n",
}


@pytest.mark.parametrize(("name", "content"), KINDS.items(), ids=KINDS)
def test_another_kind_of_file_comes_back_as_that_kind(collected, packed, name, content):
    files, _ = packed(collected({f"a_1_2_{name}": "x"}), "canvas")
    assert files == {f"a_1_2_{name}": content}


def test_for_a_zip_canvas_gets_a_zip_with_the_page(collected, packed):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("ex02.ipynb", "x")
    files, _ = packed(collected({"a_1_2_ex02.zip": inner.getvalue()}), "canvas")
    with zipfile.ZipFile(io.BytesIO(files["a_1_2_ex02.zip"])) as archive:
        assert archive.namelist() == ["ex02.html"]


def test_a_file_that_cannot_show_a_page_is_named(collected, packed):
    _, result = packed(collected({"a_1_2_ex02.pdf": "x", "b_3_4_ex02.ipynb": "x"}), "canvas")
    assert result.left == ["a_1: Canvas would show the page as a_1_2_ex02.pdf; hand it out otherwise"]


def test_moodle_gets_a_folder_for_each_number(collected, packed):
    files, result = packed(collected(MOODLE), "moodle")
    assert set(map(participant_in_moodle, files)) == {123456, 123457}
    assert files["Ana Müller_123456_assignfeedback_file_/ex02_feedback.html"].startswith(b"<html>")
    assert (result.count, result.left) == (2, [])


def test_who_came_another_way_is_named(collected, packed):
    students = collected(CANVAS)
    _, result = packed([*students, "by_hand"], "canvas")
    assert result.left == ["by_hand: was not collected from Canvas"]


@pytest.mark.parametrize("files", [CANVAS, {}], ids=["another platform", "nothing collected"])
def test_where_nobody_can_get_feedback_nothing_is_written(collected, packed, tmp_path, files):
    students = collected(files) if files else ["anna"]
    with pytest.raises(UserError, match="can get feedback through Moodle; is it the folder"):
        packed(students, "moodle")
    assert list((tmp_path / "feedback").glob("*.zip")) == []


def test_only_its_owner_reads_zip_and_record(collected, packed, folder):
    _, result = packed(collected(CANVAS), "canvas")
    for path in (result.path, folder / ".collected-ex02.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_same_feedback_gives_the_same_bytes(collected, packed):
    students = collected(CANVAS)
    first = packed(students, "canvas")[1].path.read_bytes()
    assert packed(students, "canvas")[1].path.read_bytes() == first


def test_what_was_collected_before_is_still_known(collected, folder):
    collected(CANVAS)
    collected({"newone_9_99_ex02.ipynb": "x"})
    known = recall(folder, "ex02")
    assert set(known) == {"leeanna_12345", "7of9_777", "newone_9"}
    assert known["newone_9"] == {
        **{"lms": "Canvas", "path": "newone_9_99_ex02.ipynb", "name": "newone", "number": "9"},
    }


def test_an_older_upload_collected_later_changes_no_name(collected, folder):
    collected(CANVAS)  # of which the newer one has the later date
    collected({"leeanna_12345_678900_ex02.ipynb": "older"})
    assert recall(folder, "ex02")["leeanna_12345"]["path"] == "leeanna_LATE_12345_678910_ex02-1.ipynb"


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"s1": "Canvas"}', '{"s1": {"lms": "Canvas"}}'])
def test_a_damaged_record_is_told_with_the_way_out(collected, packed, folder, text):
    students = collected(CANVAS)
    (folder / ".collected-ex02.json").write_text(text)
    with pytest.raises(UserError, match="is damaged; delete it and run course collect again"):
        packed(students, "canvas")


def test_the_command_packs_what_it_wrote(collected, packed, tmp_path, monkeypatch):
    students = collected(CANVAS)
    packed(students, "canvas")[1].path.unlink()
    pages = {student: tmp_path / f"feedback/{student}/ex02/ex02.html" for student in [*students]}
    monkeypatch.setattr("grading.classroom.Classroom.feedback", lambda *_: pages)
    monkeypatch.setattr("grading.classroom.Classroom.waiting", lambda *_: [])
    arguments = ["feedback", "ex02", "--zip", "canvas", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, (tmp_path / "feedback/ex02_for_canvas.zip").exists()) == (0, True)
    assert "packed feedback for 2 students into" in done.stdout


def test_moodles_worksheet_finds_students_by_the_number_of_the_collection(collected, tmp_path):
    """Two of one name cannot be told apart otherwise: their worksheet may not even hold addresses."""
    names = {f"Bo Li_{number}_assignsubmission_file_/ex02.ipynb": str(number) for number in (7, 8)}
    students = collected(names)
    make_class(tmp_path, dict(zip(students, (3.0, 4.0), strict=True)))
    worksheet = tmp_path / "sheet.csv"
    worksheet.write_text(
        "Identifier,Full name,Grade,Maximum Grade,Last modified (grade)\n"
        "Participant 7,Bo Li,,20,-\nParticipant 8,Bo Li,,20,-\n"
    )
    arguments = ["export", tmp_path / "to.csv", "--format", "moodle", "--into", worksheet, "--out", tmp_path]
    assert CliRunner().invoke(app, list(map(str, arguments))).exit_code == 0
    table = read_table(tmp_path / "to.csv")
    assert [table.get(row, "Grade") for row in table.rows] == ["3", "4"]
