"""Grading a class: the sample class as expected, the gradebook, feedback, export, and broken files."""

import csv
import json
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbgrader.api import Gradebook

from grading import CANARY, ROOT, sample
from grading.classroom import Classroom, find_submissions
from grading.errors import UserError

STUDENTS = {student.id: student for student in sample.students()}


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    return Classroom(tmp_path_factory.mktemp("class room"))


@pytest.fixture(scope="module")
def outcomes(classroom):
    return classroom.grade("ex02", find_submissions(sample.FOLDER, "ex02"))


@pytest.fixture(scope="module")
def pages(classroom, outcomes):
    return {student: page.read_text(encoding="utf-8") for student, page in classroom.feedback("ex02").items()}


def submit(folder, student, data):
    path = folder / student / "ex02" / "ex02.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)


@pytest.mark.parametrize("student", STUDENTS)
def test_points_and_verdicts_are_as_expected(student, outcomes):
    questions = outcomes[student].questions
    wanted = {name: (points, verdict) for name, (points, verdict, _) in STUDENTS[student].expected.items()}
    assert {name: (q.points, q.verdict) for name, q in questions.items()} == wanted


@pytest.mark.parametrize("student", STUDENTS)
def test_misconceptions_are_named_as_expected(student, outcomes):
    questions = outcomes[student].questions
    wanted = {name: [idea] if idea else [] for name, (_, _, idea) in STUDENTS[student].expected.items()}
    assert {name: question.misconceptions for name, question in questions.items()} == wanted


@pytest.mark.parametrize("student", STUDENTS)
def test_the_gradebook_holds_the_same_sum(student, classroom, outcomes):
    with Gradebook(classroom.config.CourseDirectory.db_url) as gradebook:
        assert gradebook.find_submission("ex02", student).score == pytest.approx(outcomes[student].score)


def test_only_written_answers_wait_for_a_person(classroom, outcomes):
    with Gradebook(classroom.config.CourseDirectory.db_url) as gradebook:
        waiting = {s.student.id for s in gradebook.assignment_submissions("ex02") if s.needs_manual_grade}
    assert waiting == {student for student, outcome in outcomes.items() if outcome.needs_human}


def test_repairs_are_told_to_the_student_whose_marks_were_lost(outcomes):
    assert len(outcomes["s16"].repairs) == 7
    assert outcomes["s01"].repairs == []


def test_the_sample_submissions_were_not_written_to():
    assert sample.stale() == []


def test_feedback_names_verdict_and_advice(pages, outcomes):
    question = outcomes["s05"].questions["memory_horizon"]
    assert "memory_horizon: wrong, 1.2 of 3 points." in pages["s05"]
    assert question.hint.split(";")[0] in pages["s05"]


def test_feedback_tells_repairs(pages):
    assert "had lost its mark; it was found by" in pages["s16"]


@pytest.mark.parametrize("secret", [CANARY, "BEGIN SOLUTION", "grading.exercises", "hidden_cases"])
def test_no_feedback_contains_what_only_instructors_see(pages, secret):
    assert [student for student, page in pages.items() if secret in page] == []


def test_export_has_one_row_a_student(classroom, outcomes, tmp_path):
    classroom.export(tmp_path / "marks.csv")
    with open(tmp_path / "marks.csv", encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert rows == {student: pytest.approx(outcome.score) for student, outcome in outcomes.items()}


def test_a_broken_file_does_not_stop_the_class(tmp_path):
    good = sample.path_of(STUDENTS["s01"]).read_bytes()
    for student, data in {"a": good, "b": b"{ torn", "c": b"", "d": good}.items():
        submit(tmp_path / "in", student, data)
    outcomes = Classroom(tmp_path / "out").grade("ex02", find_submissions(tmp_path / "in", "ex02"))
    assert {student: outcome.score for student, outcome in outcomes.items()} == {
        "a": 18,
        "b": 0,
        "c": 0,
        "d": 18,
    }
    assert outcomes["b"].needs_human
    assert outcomes["c"].problem == "the file is empty"


def test_a_second_grading_replaces_the_first(tmp_path):
    classroom = Classroom(tmp_path / "out")
    for student, score in (("s13", 15), ("s01", 18)):
        submit(tmp_path / student, "same", sample.path_of(STUDENTS[student]).read_bytes())
        graded = classroom.grade("ex02", find_submissions(tmp_path / student, "ex02"))
        with Gradebook(classroom.config.CourseDirectory.db_url) as gradebook:
            assert gradebook.find_submission("ex02", "same").score == graded["same"].score == score


def test_points_given_by_a_person_survive_a_second_grading(tmp_path):
    classroom = Classroom(tmp_path / "out")
    submit(tmp_path / "in", "s01", sample.path_of(STUDENTS["s01"]).read_bytes())
    submissions = find_submissions(tmp_path / "in", "ex02")
    classroom.grade("ex02", submissions)
    with Gradebook(classroom.config.CourseDirectory.db_url) as gradebook:
        gradebook.find_grade("written-delay_argument", "ex02", "ex02", "s01").manual_score = 1.5
        gradebook.db.commit()
    classroom.grade("ex02", submissions)
    with Gradebook(classroom.config.CourseDirectory.db_url) as gradebook:
        assert gradebook.find_submission("ex02", "s01").score == 18 + 1.5


def test_plain_nbgrader_gives_the_same_points(tmp_path, outcomes):
    """The commands of nbgrader alone, in a folder with our configuration file."""
    shutil.copytree(ROOT / "grading/source", tmp_path / "source")
    shutil.copy(ROOT / "grading/nbgrader_config.py", tmp_path)
    submit(tmp_path / "submitted", "s05", sample.path_of(STUDENTS["s05"]).read_bytes())
    for command in (["generate_assignment"], ["autograde", "--create"]):
        subprocess.run([sys.executable, "-m", "nbgrader", *command, "ex02"], cwd=tmp_path, check=True)
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        assert gradebook.find_submission("ex02", "s05").score == pytest.approx(outcomes["s05"].score)


def test_the_graded_copy_keeps_the_outcome_for_reports(classroom, outcomes):
    notebook = nbformat.read(classroom.folder / "autograded/s05/ex02/ex02.ipynb", as_version=4)
    assert notebook.metadata.course.outcome.score == outcomes["s05"].score


def test_the_outcomes_of_a_run_are_kept_as_json(classroom, outcomes):
    kept = json.loads((classroom.folder / "outcomes/ex02.json").read_text(encoding="utf-8"))
    assert kept["s05"]["questions"]["one_pole"]["misconceptions"] == ["ignores_the_start"]


def test_a_missing_class_folder_shows_the_expected_path(tmp_path):
    with pytest.raises(UserError, match=r"STUDENT/ex02/ex02\.ipynb"):
        find_submissions(tmp_path / "nowhere", "ex02")


def test_an_empty_class_folder_shows_the_expected_path(tmp_path):
    with pytest.raises(UserError, match=r"no submissions of ex02 .*/STUDENT/ex02/ex02\.ipynb"):
        find_submissions(tmp_path, "ex02")
