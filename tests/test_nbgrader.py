"""nbgrader's own commands with our configuration: they survive what we survive and leak nothing."""

import csv
import shutil
import stat
import subprocess
import sys

import nbformat
import pytest
from nbgrader.api import Gradebook

from grading import ROOT, sample
from grading.feedback import page, read_record

pytestmark = pytest.mark.slow

STUDENTS = {student.id: student for student in sample.students()}
SECRET = "another student's marks"


def submit(folder, student, data):
    path = folder / "submitted" / student / "ex02/ex02.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path.parent


def nbgrader(folder, *arguments):
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A class that plain nbgrader released, graded, gave feedback to and exported."""
    folder = tmp_path_factory.mktemp("plain")
    shutil.copytree(ROOT / "grading/source", folder / "source")
    shutil.copy(ROOT / "grading/nbgrader_config.py", folder)
    good = sample.path_of(STUDENTS["s05"]).read_bytes()
    submit(folder, "good", good)
    submit(folder, "other", (ROOT / "notebooks/00_start.ipynb").read_bytes())
    submit(folder, "torn", b"{ torn")
    (folder / "secret.txt").write_text(SECRET)
    beside = submit(folder, "tricky", good)
    (beside / "nbgrader_config.py").write_text("raise SystemExit\n")
    (beside / "notes.txt").symlink_to(folder / "secret.txt")
    for command in ("generate_assignment", "autograde", "generate_feedback", "export"):
        done = nbgrader(folder, command, *(["ex02"] if command != "export" else []))
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def gradebook(folder):
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        yield gradebook


@pytest.mark.parametrize(
    ("student", "points"), {"good": 11.46, "tricky": 11.46, "other": 0, "torn": 0}.items()
)
def test_every_file_gets_its_points(gradebook, student, points):
    assert gradebook.find_submission("ex02", student).score == pytest.approx(points)


@pytest.mark.parametrize("student", ["other", "torn"])
def test_a_file_that_cannot_be_graded_waits_for_a_person(gradebook, student):
    grades = gradebook.find_submission_notebook("ex02", "ex02", student).grades
    assert all(grade.needs_manual_grade for grade in grades)


def test_the_page_is_the_one_that_course_feedback_writes(folder, gradebook):
    copy = nbformat.read(folder / "autograded/good/ex02/ex02.ipynb", as_version=4)
    record = read_record(gradebook, "good", copy.metadata["course"])
    assert (folder / "feedback/good/ex02/ex02.html").read_text(encoding="utf-8") == page(record)
    assert (folder / "feedback/good/ex02/good.txt").exists()


@pytest.mark.parametrize("step", ["autograded", "feedback"])
def test_what_lay_beside_a_submission_goes_no_further(folder, step):
    left = {path.name for path in (folder / step / "tricky/ex02").iterdir()}
    assert left == ({"ex02.ipynb"} if step == "autograded" else {"ex02.html", "tricky.txt"})


def test_other_users_cannot_look_in(folder):
    closed = [folder / name for name in ("autograded", "feedback", "gradebook.db", "grades.csv")]
    files = [path for step in closed[:2] for path in step.rglob("*") if path.is_file()]
    assert len(files) == 12
    assert [p for p in [*closed, *files] if stat.S_IMODE(p.stat().st_mode) & 0o077] == []


def test_export_has_a_row_for_everyone(folder):
    with open(folder / "grades.csv", encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: row["score"] for row in csv.DictReader(file)}
    assert rows == {"good": "11.46", "tricky": "11.46", "other": "0.0", "torn": "0.0"}


def test_validate_says_what_fails(folder):
    done = nbgrader(folder, "validate", "submitted/good/ex02/ex02.ipynb")
    assert "memory_horizon: 3 of 4 visible checks failed" in done.stdout


def test_where_isolation_is_demanded_and_missing_nothing_is_graded(folder, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(
        "from grading import sandbox\n"
        "from grading.nbgrader_setup import configure\n"
        "configure(get_config()).Judge.require_isolation = True\n"
        "sandbox._working_bwrap = lambda: ('', 'there is no bubblewrap')\n"
    )
    shutil.copytree(folder / "source", tmp_path / "source")
    submit(tmp_path, "good", sample.path_of(STUDENTS["s05"]).read_bytes())
    assert nbgrader(tmp_path, "generate_assignment", "ex02").returncode == 0
    done = nbgrader(tmp_path, "autograde", "ex02")
    assert done.returncode == 1
    assert "there is no bubblewrap; nothing was graded" in done.stderr
