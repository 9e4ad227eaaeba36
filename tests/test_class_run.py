"""A class run: what is kept, what is graded again, and what a broken machine may cost. Workers are stubs."""

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import nbformat
import pytest

from grading import ROOT
from grading import classroom as module
from grading.classroom import Classroom
from grading.errors import UserError
from grading.exercise import released_notebook, worth
from grading.gradebooks import COPY, damaged
from grading.results import Outcome, QuestionResult
from grading.submissions import find_submissions

RELEASED = nbformat.writes(released_notebook("ex02"))
STUDENTS = [f"s{number}" for number in range(5)]


def graded(seed):
    """What a worker answers: one point for each question but the written one, which waits."""
    questions = {name: QuestionResult(name, 1.0, most, "wrong") for name, most in worth("ex02").items()}
    questions["delay_argument"] = QuestionResult("delay_argument", 0.0, 2.0, "to be marked")
    outcome = Outcome("ex02", questions, seed=seed, isolation="a wall").to_dict()
    return {"outcome": outcome, "notebook": RELEASED, "seconds": {"probe": 0.5}}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with a gradebook that knows the exercise; making one takes seconds."""
    folder = tmp_path_factory.mktemp("prepared")
    Classroom(folder).release("ex02")
    return folder


class Class:
    """A class of five whose workers answer at once, and all that was asked of them and of the gradebook."""

    def __init__(self, folder):
        self.folder = folder
        self.asked, self.recorded = [], []
        self.answer = lambda data, seed: graded(seed)
        for student in STUDENTS:
            self.hand_in(student, student)

    def hand_in(self, student, text):
        path = self.folder / "in" / student / "ex02/ex02.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, **options):
        """Grade the class; returns the outcomes, and what was graded: {text of the submission}."""
        self.asked.clear()
        submissions = find_submissions(self.folder / "in", "ex02")
        self.last = Classroom(self.folder / "out").run("ex02", workers=2, **options)
        outcomes = dict(self.last.grade(submissions))
        return outcomes, {data for data, _ in self.asked}

    def kept(self):
        return json.loads((self.folder / "out/outcomes/ex02.json").read_text(encoding="utf-8"))


@pytest.fixture
def five(tmp_path, prepared, monkeypatch):
    shutil.copytree(prepared, tmp_path / "out")
    made = Class(tmp_path)

    def answer(_worker, data, _exercise, seed):
        made.asked.append((data.decode(), seed))
        return made.answer(data.decode(), seed)

    def record(self, submission, outcome, notebook, record=Classroom.record):
        made.recorded.append(submission.student)
        record(self, submission, outcome, notebook)

    monkeypatch.setattr("grading.worker.Worker.answer", answer)
    monkeypatch.setattr(Classroom, "record", record)
    monkeypatch.setattr(Classroom, "release", lambda *_: None)
    return made


def test_what_did_not_change_is_kept_and_said(five):
    first, _ = five.run()
    second, asked = five.run()
    assert asked == set()
    assert second == first
    assert five.last.notes() == ["Unchanged and kept: 5 of 5 (--again grades them too)."]


def test_what_changed_meets_the_same_cases_as_the_class(five):
    first, _ = five.run()
    five.hand_in("s3", "corrected")
    second, asked = five.run()
    assert asked == {"corrected"}
    assert {outcome.seed for outcome in second.values()} == {outcome.seed for outcome in first.values()}


def test_a_second_run_in_the_same_folder_is_refused_and_touches_nothing(five):
    five.run()
    before = {path: path.stat().st_mtime_ns for path in (five.folder / "out").rglob("*")}
    with Classroom(five.folder / "out").alone(), pytest.raises(UserError, match="another course grade is at"):
        five.run(again=True)
    assert {path: path.stat().st_mtime_ns for path in (five.folder / "out").rglob("*")} == before
    _, asked = five.run(again=True)
    assert asked == set(STUDENTS)


def test_again_grades_all_on_fresh_cases(five):
    first, _ = five.run()
    second, asked = five.run(again=True)
    assert asked == set(STUDENTS)
    assert first["s0"].seed != second["s0"].seed


def test_another_seed_grades_all(five):
    five.run(seed=1)
    assert five.run(seed=1)[1] == set()
    assert five.run(seed=2)[1] == set(STUDENTS)


CHANGES = {
    "the exercise": ("grading.fingerprint.course", lambda _: "another"),
    "the packages": ("grading.fingerprint.packages", lambda: "others"),
    "the isolation": ("grading.sandbox.isolation", lambda: "none"),
}


@pytest.mark.parametrize(("name", "value"), CHANGES.values(), ids=CHANGES)
def test_a_change_elsewhere_grades_all(five, monkeypatch, name, value):
    five.run()
    monkeypatch.setattr(name, value)
    assert five.run()[1] == set(STUDENTS)


def test_another_time_of_submission_is_recorded(five):
    five.run()
    (five.folder / "in/s2/ex02/timestamp.txt").write_text("2026-01-02 03:04:05", encoding="utf-8")
    assert five.run()[1] == {"s2"}


LOST = {
    "the graded copy": lambda out: shutil.rmtree(out / "autograded/s4"),
    "the outcome": lambda out: (out / "outcomes/ex02/s4.json").unlink(),
    "half of the outcome": lambda out: (out / "outcomes/ex02/s4.json").write_text('{"student": "s4"'),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
def test_what_was_lost_is_graded_again(five, lose):
    five.run()
    lose(five.folder / "out")
    assert five.run()[1] == {"s4"}


def test_what_failed_is_tried_again(five):
    five.answer = lambda data, seed: {"fault": "no", "traceback": "here"} if data == "s1" else graded(seed)
    outcomes, _ = five.run()
    assert outcomes["s1"].problem == "grading it failed (no)"
    assert (five.folder / "out/failures/s1.txt").read_text(encoding="utf-8").startswith("here")
    five.answer = lambda data, seed: graded(seed)
    outcomes, asked = five.run()
    assert asked == {"s1"}
    assert outcomes["s1"].score == 6


def test_points_that_a_person_took_back_are_graded_again(five):
    five.run()
    give = "update grade set manual_score = ? where id = (select min(id) from grade where auto_score = 1)"
    with closing(sqlite3.connect(five.folder / "out/gradebook.db")) as gradebook:
        for points, asked in ((0.5, 0), (None, 1)):
            gradebook.execute(give, [points])
            gradebook.commit()
            assert len(five.run()[1]) == asked


def test_where_the_gradebook_holds_other_points_it_is_graded_again(five):
    five.run()
    change = "update grade set auto_score = 0.25 where id = (select min(id) from grade where auto_score = 1)"
    with closing(sqlite3.connect(five.folder / "out/gradebook.db")) as gradebook:
        gradebook.execute(change)
        gradebook.commit()
    assert len(five.run()[1]) == 1
    assert five.run()[1] == set()


def test_ctrl_c_keeps_what_is_done_and_the_next_run_goes_on(five):
    def answer(data, seed):
        if data == "s2":
            os.kill(os.getpid(), signal.SIGINT)
        return graded(seed)

    five.answer = answer
    with pytest.raises(UserError, match=r"interrupted: \d of 5 are graded and kept"):
        five.run()
    done = set(five.recorded)
    assert set(five.kept()) == done
    five.answer = lambda data, seed: graded(seed)
    outcomes, asked = five.run()
    assert asked == set(STUDENTS) - done
    assert sorted(five.recorded) == STUDENTS
    assert len({outcome.seed for outcome in outcomes.values()}) == 1


def test_a_machine_without_room_ends_the_run_and_nobody_fails(five):
    full = {"unfit": "No space left on device (/tmp)"}
    five.answer = lambda data, seed: full if len(five.asked) > 2 else graded(seed)
    with pytest.raises(UserError, match=r"No space left on device .* what is graded is kept"):
        five.run()
    assert [entry["problem"] for entry in five.kept().values() if entry["problem"]] == []
    five.answer = lambda data, seed: graded(seed)
    assert len(five.run()[0]) == 5
    assert sorted(five.recorded) == STUDENTS


def test_without_room_for_outcomes_the_table_is_complete(five, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grading.kept.write_text", full)
    monkeypatch.setattr("grading.kept.write_pieces", lambda *_: None)
    assert {outcome.score for outcome in five.run()[0].values()} == {6}


def test_a_damaged_gradebook_stays_as_it_is_and_its_copy_brings_it_back(five):
    five.run()
    five.run(again=True)  # now the copy holds the marks of the first run
    gradebook, copy = five.folder / "out/gradebook.db", five.folder / "out" / COPY
    sound = copy.read_bytes()
    gradebook.write_bytes(b"\0garbage" * 999)
    with pytest.raises(UserError, match=rf"gradebook\.db is damaged .* {COPY} is how it was .* copy it over"):
        five.run()
    assert gradebook.read_bytes() == b"\0garbage" * 999
    assert copy.read_bytes() == sound
    assert len(five.kept()) == 5
    shutil.copy(copy, gradebook)
    assert five.run()[1] == set()


def test_an_emptied_gradebook_is_damaged(five):
    (five.folder / "out/gradebook.db").write_bytes(b"")
    with pytest.raises(UserError, match="it is empty"):
        five.run()


def test_a_damaged_copy_is_replaced_by_a_sound_one(five):
    copy = five.folder / "out" / COPY
    copy.write_bytes(b"garbage")
    five.run()
    assert damaged(copy) == ""
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_where_both_are_damaged_it_says_what_is_kept(five):
    for name in ("gradebook.db", COPY):
        (five.folder / "out" / name).write_bytes(b"garbage" * 999)
    with pytest.raises(UserError, match=r"no sound copy .* points that you gave by hand stand in outcomes/"):
        five.run()


def test_a_lost_gradebook_is_filled_again_with_the_same_cases(five, prepared):
    first, _ = five.run(seed=3)
    shutil.copy(prepared / "gradebook.db", five.folder / "out")
    second, asked = five.run(seed=3)
    assert asked == set(STUDENTS)
    assert second == first


KILLED = """
import os, signal, sys
from pathlib import Path
from grading.classroom import Classroom
from grading.submissions import find_submissions
from grading.worker import Worker
from test_class_run import graded

def answer(_worker, data, _exercise, seed):
    if data == b"s2":
        os.kill(os.getpid(), signal.SIGKILL)
    return graded(seed)

Worker.answer = answer
Classroom.release = lambda *_: None
folder = Path(sys.argv[1])
Classroom(folder / "out").run("ex02", workers=1).grade(find_submissions(folder / "in", "ex02"))
"""


def test_a_killed_command_loses_what_was_under_way_and_no_more(five):
    search = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, "-c", KILLED, five.folder]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": search}, check=False, stderr=subprocess.PIPE
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    kept = {path.stem for path in (five.folder / "out/outcomes/ex02").glob("*.json")}
    outcomes, asked = five.run()
    assert 0 < len(kept) < 5
    assert asked == set(STUDENTS) - kept
    assert sorted(outcomes) == STUDENTS
    assert list((five.folder / "out").glob(f"{module.STAGED}*")) == []


def test_what_a_killed_run_left_is_taken_away(five):
    left, ours = (five.folder / f"out/{module.STAGED}{pid}-x" for pid in (2**22 + 1, os.getpid()))
    left.mkdir()
    ours.mkdir()
    five.run()
    assert not left.exists()
    assert ours.exists()


def test_outcomes_and_their_folder_are_closed_to_others(five):
    five.run()
    kept = [five.folder / "out/outcomes", *(five.folder / "out/outcomes").rglob("*")]
    assert len(kept) == 9
    assert [path for path in kept if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_seconds_of_each_stage_are_kept_beside_the_outcome(five):
    five.run()
    seconds = five.last.outcomes.before("s0")["seconds"]
    assert seconds["probe"] == 0.5
    assert seconds["write"] > 0
