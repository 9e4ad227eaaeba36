"""Grading a class: the sample class as expected, the gradebook, feedback, export, and broken files."""

import csv
import json
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest
from conftest import answer_cell
from nbgrader.api import Gradebook

from grading import CANARY, ROOT, sample
from grading.build import to_text
from grading.classroom import Classroom
from grading.errors import UserError
from grading.report import problems
from grading.submissions import find_submissions
from grading.worker import Worker

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
    assert [line.startswith("All cells had lost their marks") for line in outcomes["s16"].repairs] == [True]
    assert outcomes["s01"].repairs == []


def test_the_sample_submissions_were_not_written_to():
    assert sample.stale() == []


def test_feedback_names_verdict_and_advice(pages, outcomes):
    question = outcomes["s05"].questions["memory_horizon"]
    assert "0.6 of 3 points" in pages["s05"]
    assert question.hint.split(";")[0] in pages["s05"]


def test_feedback_tells_repairs(pages):
    assert "All cells had lost their marks; answers were found by" in pages["s16"]


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


@pytest.fixture
def graded_with_a_neighbour(tmp_path):
    """Grade a class of two: a good submission and one that was made by the given function."""

    def grade(spoil):
        for student in ("bad", "good"):
            submit(tmp_path / "in", student, sample.path_of(STUDENTS["s01"]).read_bytes())
        spoil(tmp_path / "in/bad")
        return Classroom(tmp_path / "out").grade("ex02", find_submissions(tmp_path / "in", "ex02"))

    return grade


def rename(old, new):
    return lambda place: (place / old).rename(place / new)


def test_what_the_table_says_of_a_lost_file_the_gradebook_says_too(tmp_path):
    classroom = Classroom(tmp_path / "out")
    for student in ("gone", "stays"):
        submit(tmp_path / "in", student, sample.path_of(STUDENTS["s01"]).read_bytes())
    classroom.grade("ex02", find_submissions(tmp_path / "in", "ex02"))
    (tmp_path / "in/gone/ex02/ex02.ipynb").unlink()
    outcomes = classroom.grade("ex02", find_submissions(tmp_path / "in", "ex02"))
    with classroom.gradebook() as gradebook:
        assert gradebook.find_submission("ex02", "gone").score == outcomes["gone"].score == 0
    assert classroom.waiting("ex02") == ["gone", "stays"]


def test_points_stay_in_the_table_when_the_gradebook_fails(graded_with_a_neighbour, monkeypatch):
    monkeypatch.setattr("grading.classroom.Classroom.record", lambda *_: 1 / 0)
    outcomes = graded_with_a_neighbour(lambda place: None)
    assert outcomes["good"].score == 18
    assert outcomes["good"].problem == "graded, but not in the gradebook (division by zero)"


@pytest.mark.parametrize("name", ["s[1]", "<b>s1", 's"1'])
def test_a_folder_name_that_nbgrader_cannot_take_is_told(graded_with_a_neighbour, tmp_path, name):
    outcomes = graded_with_a_neighbour(lambda place: place.rename(place.with_name(name)))
    assert "rename it" in outcomes[name].problem
    with Classroom(tmp_path / "out").gradebook() as gradebook:
        assert [student.id for student in gradebook.students] == ["good"]


WRITTEN = {"emptied": "  ", "the model's": None}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_a_written_answer_is_judged_alike_in_table_and_gradebook(tmp_path, solved, text):
    cell = answer_cell(solved, "delay_argument")
    cell.source = cell.source if text is None else text
    submit(tmp_path / "in", "anna", to_text(solved).encode())
    classroom = Classroom(tmp_path / "out")
    outcome = classroom.grade("ex02", find_submissions(tmp_path / "in", "ex02"))["anna"]
    with classroom.gradebook() as gradebook:
        assert gradebook.find_submission("ex02", "anna").score == outcome.score
    assert classroom.waiting("ex02") == []


STRAY = {
    "an empty folder": lambda place: shutil.rmtree(place / "ex02"),
    "a folder for a file": lambda place: [
        (place / "ex02/ex02.ipynb").unlink(),
        (place / "ex02/ex02.ipynb").mkdir(),
    ],
}


@pytest.mark.parametrize("spoil", STRAY.values(), ids=STRAY)
def test_a_submission_that_is_not_where_it_should_be_is_in_the_list(graded_with_a_neighbour, spoil):
    outcomes = graded_with_a_neighbour(spoil)
    assert outcomes["bad"].problem.startswith("there is no bad/ex02/ex02.ipynb")
    assert outcomes["good"].score == 18


ELSEWHERE = {
    "another file name": rename("ex02/ex02.ipynb", "ex02/ex02 (1).ipynb"),
    "another folder name": rename("ex02", "EX_2"),
}


@pytest.mark.parametrize("spoil", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_submission_under_another_name_is_graded_and_told(graded_with_a_neighbour, spoil):
    outcome = graded_with_a_neighbour(spoil)["bad"]
    assert outcome.score == 18
    assert outcome.repairs[0].endswith("it is expected as bad/ex02/ex02.ipynb.")


def test_a_folder_with_other_exercises_only_is_passed_over(graded_with_a_neighbour, monkeypatch):
    monkeypatch.setattr("grading.candidates.exercise_names", lambda: ["ex01", "ex02"])
    assert set(graded_with_a_neighbour(rename("ex02", "ex01"))) == {"good"}


def test_a_time_of_submission_that_cannot_be_read_is_left_out_and_told(graded_with_a_neighbour):
    outcomes = graded_with_a_neighbour(lambda place: (place / "ex02/timestamp.txt").write_text("yesterday"))
    assert outcomes["bad"].score == 18
    assert "'yesterday', could not be read" in outcomes["bad"].repairs[0]


def test_a_fault_of_the_grader_itself_costs_one_submission(graded_with_a_neighbour, monkeypatch):
    answer = Worker.answer
    monkeypatch.setattr(
        "grading.worker.Worker.answer", lambda self, data, *rest: answer(self, data, *rest) if data else 1 / 0
    )
    outcomes = graded_with_a_neighbour(lambda place: (place / "ex02/ex02.ipynb").write_bytes(b""))
    assert outcomes["bad"].problem == "grading it failed (division by zero)"
    assert outcomes["good"].score == 18


def test_an_unreadable_file_waits_for_a_person_in_the_gradebook(tmp_path):
    submit(tmp_path / "in", "torn", b"{ torn")
    classroom = Classroom(tmp_path / "out")
    classroom.grade("ex02", find_submissions(tmp_path / "in", "ex02"))
    assert classroom.waiting("ex02") == ["torn"]


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


def test_points_given_by_a_person_are_in_the_next_table(tmp_path):
    classroom = Classroom(tmp_path / "out")
    submit(tmp_path / "in", "s01", sample.path_of(STUDENTS["s01"]).read_bytes())
    submissions = find_submissions(tmp_path / "in", "ex02")
    classroom.grade("ex02", submissions)
    with classroom.gradebook() as gradebook:
        gradebook.find_grade("written-delay_argument", "ex02", "ex02", "s01").manual_score = 1.5
        gradebook.db.commit()
    question = classroom.grade("ex02", submissions)["s01"].questions["delay_argument"]
    assert (question.points, question.verdict) == (1.5, "marked")


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


def test_a_damaged_archive_is_no_fault_of_the_grader(tmp_path):
    folder = tmp_path / "in/anna"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "ex02.zip", "w") as archive:
        archive.writestr("ex02.ipynb", sample.path_of(STUDENTS["s01"]).read_bytes())
    packed = bytearray((folder / "ex02.zip").read_bytes())
    packed[200] ^= 1
    (folder / "ex02.zip").write_bytes(packed)
    outcome = Classroom(tmp_path / "out").grade("ex02", find_submissions(tmp_path / "in", "ex02"))["anna"]
    assert "cannot be unpacked" in outcome.problem
    assert not outcome.failed


def test_a_fault_of_the_grader_is_kept_for_whoever_mends_it(graded_with_a_neighbour, monkeypatch, tmp_path):
    monkeypatch.setattr("grading.worker.Worker.answer", lambda *_: 1 / 0)
    outcomes = graded_with_a_neighbour(lambda place: None)
    assert outcomes["bad"].failed
    assert "ZeroDivisionError" in (tmp_path / "out/failures/bad.txt").read_text(encoding="utf-8")
    assert problems(outcomes)[0].endswith("failures/bad.txt holds the error")
