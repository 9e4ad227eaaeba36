"""A class of forty with ten broken files in the middle of the alphabet: each costs itself alone."""

import json
import subprocess
import sys

import nbformat
import pytest
from conftest import answer_cell

from grading import ROOT
from grading.exercise import released_notebook, source_notebook

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

GOOD = [f"{letter}{number:02}" for letter in "az" for number in range(15)]  # before and behind the others
READ = ["m08", "m09"]  # broken, and graded all the same


def answered():
    """The released notebook with one answer, worth one point."""
    notebook = released_notebook("ex02")
    answer_cell(notebook, "first_to_settle").source = answer_cell(
        source_notebook("ex02"), "first_to_settle"
    ).source
    return nbformat.writes(notebook).encode()


def conflicting(data):
    line = next(line for line in data.split(b"\n") if b"first_to_settle =" in line)
    return data.replace(line, b"<<<<<<< HEAD\n" + line + b"\n=======\n" + line + b"\n>>>>>>> b")


def broken():
    """Ten files and the beginning of the line that the instructor reads of each."""
    data = answered()
    return {
        "m00": (b"", "the file is empty"),
        "m01": (b"\0" * 4000, "the file holds only zero bytes"),
        "m02": (b"<!DOCTYPE html><html></html>", "the file is not a notebook: it is a web page (HTML)"),
        "m03": (b"%PDF-1.7", "the file is not a notebook: it is a PDF document"),
        "m04": (b'{"cells": ' + b"[" * 100_000, "the file is not a notebook, or is cut off"),
        "m05": (b'{"cells": []}', "the notebook has no cells"),
        "m06": (b"print('my homework')", "the file is not a notebook"),
        "m07": (json.dumps({"cells": [{"source": "x = 1"}]}).encode(), "no cell of it answers ex02"),
        "m08": (
            data[: int(len(data) * 0.95)],
            "graded, but look at the file: the file is damaged or cut off",
        ),
        "m09": (conflicting(data), "graded, but look at the file: the file holds conflict marks of git"),
    }


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Run the command on the class; its output, and what it wrote as JSON."""
    folder = tmp_path_factory.mktemp("forty")
    data = answered()
    files = dict.fromkeys(GOOD, data) | {name: bad for name, (bad, _) in broken().items()}
    for student, content in files.items():
        path = folder / "in" / student / "ex02/ex02.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    options = ["--submitted", folder / "in", "--out", folder / "out", "--json", folder / "out.json"]
    command = [sys.executable, "-m", "grading.cli", "grade", "ex02", *map(str, options)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    run.outcomes = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return run


def test_forty_rows_and_an_exit_code_that_asks_for_a_person(done):
    assert done.returncode == 1
    assert len(done.outcomes) == 40
    assert "40 submissions" in done.stdout


def test_the_thirty_others_have_their_points(done):
    assert {done.outcomes[student]["score"] for student in GOOD} == {1.0}
    assert [student for student in GOOD if done.outcomes[student]["problem"]] == []


@pytest.mark.parametrize("student", broken())
def test_each_broken_file_has_one_line(done, student):
    lines = [line for line in done.stderr.splitlines() if line.startswith(f"{student}:")]
    assert len(lines) == 1
    assert lines[0].startswith(f"{student}: {broken()[student][1]}")


def test_nobody_else_has_a_line(done):
    lines = [line for line in done.stderr.splitlines() if line[:3] in done.outcomes]
    assert len(lines) == 10


def test_what_could_be_read_of_the_broken_ones_has_its_points(done):
    scores = {student: done.outcomes[student]["score"] for student in broken()}
    assert scores == dict.fromkeys(scores, 0.0) | dict.fromkeys(READ, 1.0)
