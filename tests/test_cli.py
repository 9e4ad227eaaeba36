"""The course command: exit codes, one clear sentence for bad input, no traceback, nothing lost."""

import io
import json
import re
import sqlite3
import subprocess
import sys

import pytest
from rich.console import Console
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner

from grading import ROOT, cli, sample, sandbox
from grading.cli import _of_the_gradebook, app, main
from grading.errors import UserError
from grading.grade import unreadable

SOLVED = ROOT / "grading/source/ex02/ex02.ipynb"


def course(*arguments, cwd=ROOT):
    command = [sys.executable, "-m", "grading.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


BAD = {
    "unknown exercise": (["grade", "ex99"], "there is no exercise 'ex99'"),
    "exercise that is a path": (["release", "../ex02"], "there is no exercise '../ex02'"),
    "missing class folder": (["grade", "ex02", "--submitted", "nowhere"], "there is no folder nowhere"),
    "class folder without submissions": (
        ["grade", "ex02", "--submitted", "docs"],
        "no submissions of ex02 in docs",
    ),
    "missing file": (["grade-file", "no.ipynb"], "there is no file no.ipynb"),
    "folder for a file": (["grade-file", "docs"], "docs is a folder"),
    "file that is no notebook": (
        ["grade-file", "README.md", "--exercise", "ex02"],
        "README.md cannot be graded",
    ),
    "unknown lesson": (["build", "77_none"], "nothing to build is called '77_none'"),
    "feedback before grading": (["feedback", "ex02", "--out", "docs"], "nothing graded yet in docs"),
    "export before grading": (["export", "x.csv", "--out", "docs"], "there is no gradebook in docs"),
    "a negative seed": (["grade", "ex02", "--seed", "-1"], "Invalid value for '--seed'"),
    "validate a missing file": (["validate", "no.ipynb"], "no.ipynb"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_gives_one_sentence_and_exit_code_2(arguments, sentence):
    done = course(*arguments)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
    assert "Traceback" not in done.stdout + done.stderr


def test_a_damaged_gradebook_is_one_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "gradebook.db").write_bytes(b"no database at all" * 100)
    monkeypatch.setattr("sys.argv", ["course", "export", str(tmp_path / "x.csv"), "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("course: the gradebook cannot be used (file is not a database); put a copy")
    assert not (tmp_path / "x.csv").exists()


def test_a_gradebook_that_is_written_to_is_told():
    error = OperationalError("update", {}, sqlite3.OperationalError("database is locked"))
    assert "another command is writing to the gradebook" in _of_the_gradebook(error)


COMMANDS = (
    *("build", "release", "collect", "grade", "grade-file", "feedback"),
    *("export", "late", "students", "check", "validate"),
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert "Usage" in done.stdout


def test_grade_file_prints_json():
    done = course("grade-file", SOLVED, "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["score"], outcome["max_score"]) == (0, 20, 20)
    assert {"points", "max_points", "verdict", "hint"} <= set(outcome["questions"]["one_pole"])


def test_grade_file_finds_the_exercise_by_its_marks(tmp_path):
    copied = tmp_path / "homework (1).ipynb"
    copied.write_bytes(SOLVED.read_bytes())
    assert json.loads(course("grade-file", copied, "--json").stdout)["exercise"] == "ex02"


def test_a_class_with_an_unreadable_file_ends_with_exit_code_1(tmp_path):
    path = tmp_path / "in/anna/ex02/ex02.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text("<html>not a notebook</html>", encoding="utf-8")
    done = course("grade", "ex02", "--submitted", tmp_path / "in", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "anna: the file is not a notebook" in " ".join(done.stderr.split())


@pytest.fixture
def class_of_one(tmp_path):
    """A folder with one submission that answers nothing."""
    path = tmp_path / "in/ben/ex02/ex02.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(sample.path_of(sample.students()[10]).read_bytes())
    return tmp_path / "in"


def test_a_graded_class_says_whether_it_was_isolated(tmp_path, class_of_one):
    done = course("grade", "ex02", "--submitted", class_of_one, "--out", tmp_path / "out")
    assert done.returncode == 0
    assert f"Isolation: {sandbox.isolation()}." in done.stdout
    assert ("Isolation: none (" in done.stderr) == bool(sandbox.obstacle())
    assert re.search(r"ben\W+0/20(\W+0 -){7}", done.stdout)


@pytest.mark.parametrize("command", ["grade", "grade-file"])
def test_without_isolation_a_run_is_warned_of_or_refused(command, tmp_path, class_of_one, monkeypatch):
    monkeypatch.setattr(sandbox, "obstacle", lambda: "bubblewrap is not installed")
    where = {
        "grade": ["ex02", "--submitted", str(class_of_one), "--out", str(tmp_path / "out")],
        "grade-file": [str(class_of_one / "ben/ex02/ex02.ipynb")],
    }[command]
    done = CliRunner().invoke(app, [command, *where])
    assert done.exit_code == 0
    assert "Isolation: none (bubblewrap is not installed)." in " ".join(done.stderr.split())
    refused = CliRunner().invoke(app, [command, *where, "--require-isolation"])
    assert isinstance(refused.exception, UserError)
    assert str(refused.exception).endswith("bubblewrap is not installed; nothing was graded")


def test_the_validate_command_fails_on_the_released_and_passes_on_the_solved(tmp_path, released):
    from grading.build import to_text

    path = tmp_path / "ex02.ipynb"
    path.write_text(to_text(released), encoding="utf-8")
    assert (course("validate", path).returncode, course("validate", SOLVED).returncode) == (1, 0)


class TornRun:
    """A run of a class in which every file is torn."""

    def grade(self, submissions, on_done):
        outcomes = {one.student: unreadable("ex02", "torn") for one in submissions}
        for one in submissions:
            on_done(one, outcomes[one.student])
        return outcomes

    def notes(self):
        return ["what the run has to say"]


def test_the_bar_shows_count_failures_and_time_left(class_of_one, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(cli, "errors", Console(file=shown, force_terminal=True, width=120))
    monkeypatch.setattr("grading.classroom.Classroom.run", lambda *_: TornRun())
    done = CliRunner().invoke(app, ["grade", "ex02", "--submitted", str(class_of_one)])
    assert done.exit_code == 1
    assert "what the run has to say" in done.stdout
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue()).split("\r")[-1]
    assert re.search(r"grading ex02 .*1/1 0:00:00 1 failed", last)
