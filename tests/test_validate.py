"""The student's own check of a notebook, and the command that prints it."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from typer.testing import CliRunner

from course_utils.compare import NO_INPUT
from course_utils.student_cli import app
from course_utils.validate import NotValidatable, Result, validate

IMPORTS = "import numpy as np\nfrom course_utils.checks import check, check_answer"
RIGHT = "def running_total(x):\n    return np.cumsum(x)"
WRONG = "def running_total(x):\n    return x"
EMPTY = "def running_total(x):\n    raise NotImplementedError"
CHECK = "check(running_total)"
ENDLESS = "def running_total(x):\n    while True:\n        pass"
STUBBORN = """def running_total(x):
    while True:
        try:
            while True: pass
        except BaseException: pass"""
DYING = "def running_total(x):\n    import os\n    os._exit(1)"
run = CliRunner().invoke


@pytest.fixture
def write(tmp_path):
    """A function that writes code cells to a notebook, after the imports, and returns its path."""

    def written(*sources):
        notebook = new_notebook(cells=[new_code_cell(source) for source in (IMPORTS, *sources)])
        nbformat.write(notebook, tmp_path / "ex.ipynb")
        return tmp_path / "ex.ipynb"

    return written


def test_a_right_answer_passes(write):
    assert validate(write(RIGHT, CHECK)) == [Result("running_total", "passed")]


def test_a_wrong_answer_fails_with_the_last_line_of_its_error(write):
    (result,) = validate(write(WRONG, CHECK))
    assert (result.name, result.verdict) == ("running_total", "failed")
    assert result.message.startswith("running_total: 2 of 3 visible checks failed; three numbers: wrong: ")


def test_an_empty_answer_is_not_answered(write):
    assert validate(write(EMPTY, CHECK))[0].verdict == "not answered"


def test_a_question_whose_stub_raises_is_not_answered(write):
    results = validate(write("raise NotImplementedError()", 'check_answer("regime", regime)'))
    assert results == [Result("regime", "not answered", "regime is not answered yet")]


def test_an_answer_that_raises_fails(write):
    assert validate(write("def running_total(x):\n    return 1 / 0", CHECK))[0].verdict == "failed"


def test_every_check_has_a_row_in_order(write):
    results = validate(write(WRONG, CHECK, RIGHT, CHECK))
    assert [one.verdict for one in results] == ["failed", "passed"]


def test_of_two_checks_in_a_cell_the_one_that_raised_is_named(write):
    other = "def check_answer(name, answer):\n    raise ValueError('no')"
    results = validate(write(RIGHT, other, f"check_answer('q', 1)\n{CHECK}"))
    assert [one.verdict for one in results] == ["failed", "failed"]
    assert results[1].message.startswith("not reached")


def test_checks_before_the_one_that_failed_have_passed(write):
    imported = "from course_utils.checks import CheckFailed"
    other = "def check_answer(name, answer):\n    raise CheckFailed('q: no')"
    results = validate(write(RIGHT, imported, other, f"{CHECK}\ncheck_answer('q', 1)"))
    assert results == [Result("running_total", "passed"), Result("q", "failed", "q: no")]


def test_a_missing_function_is_explained_by_the_cell_that_should_have_made_it(write):
    message = validate(write("def running_total(x) return x", CHECK))[0].message
    assert message.startswith("NameError")
    assert "code cell 2: SyntaxError" in message


@pytest.mark.parametrize("answer", [ENDLESS, STUBBORN], ids=["endless", "cannot be interrupted"])
def test_an_endless_check_ends_as_a_row(answer, write):
    assert validate(write(answer, CHECK), seconds=1)[0].message == "took longer than 1 s and was stopped"


def test_a_check_that_was_deleted_is_missed(write):
    results = validate(write('check_answer("first_to_settle", "c")'))
    lost = {result.name for result in results if "its check cell is missing" in result.message}
    assert results[0] == Result("first_to_settle", "passed")
    assert lost == {"one_pole", "memory_horizon", "frequency_response", "estimate_pole", "pole_at_400_hz"}


def test_a_dying_kernel_ends_as_a_row(write):
    assert validate(write(DYING, CHECK))[0].message == "the kernel died in this cell"


@pytest.mark.parametrize("first", [ENDLESS, DYING], ids=["endless", "dying"])
def test_the_checks_after_a_broken_cell_are_run_all_the_same(first, write):
    results = validate(write(first, CHECK, WRONG, CHECK, RIGHT, CHECK), seconds=2)
    assert "visible checks failed" in results[1].message
    assert results[2].verdict == "passed"


def test_an_endless_cell_without_a_check_stops_nothing_else(write):
    assert validate(write("while True:\n    pass", RIGHT, CHECK), seconds=1)[0].verdict == "passed"


def test_asking_for_input_is_an_error_and_does_not_wait(write):
    assert "StdinNotImplementedError" in validate(write(RIGHT, f"input()\n{CHECK}"))[0].message


def test_an_answer_that_asks_for_input_raises_as_in_grading(write):
    (result,) = validate(write("def running_total(x):\n    return input()", CHECK))
    assert result.message.endswith(f"raised: {NO_INPUT}")


def test_noise_on_stderr_is_no_failure(write):
    noise = "import os, sys, warnings\nwarnings.warn('w')\nprint('e', file=sys.stderr)\nos.write(2, b'raw')"
    assert validate(write(f"{noise}\n{RIGHT}", CHECK))[0].verdict == "passed"


def test_the_file_is_not_changed(write):
    path = write(RIGHT, CHECK)
    before = path.read_bytes(), path.stat().st_mtime_ns
    validate(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_the_notebook_runs_in_its_own_folder(write):
    path = write("text = open('beside.txt').read()", RIGHT, f"assert text == 'here'\n{CHECK}")
    (path.parent / "beside.txt").write_text("here", encoding="utf-8")
    assert validate(path)[0].verdict == "passed"


def test_a_notebook_of_another_kernel_runs_in_ours(write):
    path = write(RIGHT, CHECK)
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.kernelspec = {"name": "conda-env-x", "display_name": "x", "language": "python"}
    nbformat.write(notebook, path)
    assert validate(path)[0].verdict == "passed"


def test_a_byte_order_mark_is_read_over(write):
    path = write(RIGHT, CHECK)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert validate(path)[0].verdict == "passed"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b'{"cells": [', "not JSON"),
        (b"<html></html>", "not JSON"),
        (b"\xff\xfe\x00", "what is in it is not text"),
        (b"[1, 2]", "no list of cells"),
        (b'{"a": 1}', "no list of cells"),
        (b'{"cells": 3, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "no list of cells"),
        (b"null", "no list of cells"),
        (nbformat.writes(new_notebook()).encode(), "no check cells"),
        (nbformat.writes(new_notebook(cells=[new_markdown_cell(CHECK)])).encode(), "no check cells"),
    ],
)
def test_what_is_no_exercise_gets_one_sentence(content, sentence, tmp_path):
    (tmp_path / "x.ipynb").write_bytes(content)
    with pytest.raises(NotValidatable, match=sentence):
        validate(tmp_path / "x.ipynb")


@pytest.mark.parametrize(("name", "sentence"), [("", "is a folder"), ("missing.ipynb", "there is no file")])
def test_a_wrong_path_gets_one_sentence(name, sentence, tmp_path):
    with pytest.raises(NotValidatable, match=sentence):
        validate(tmp_path / name)


def test_the_command_exits_with_zero_when_all_pass(write):
    result = run(app, ["validate", str(write(RIGHT, CHECK))])
    assert result.exit_code == 0
    assert "1 of 1 visible checks passed" in result.stdout


def test_the_command_exits_with_one_when_a_check_fails(write):
    result = run(app, ["validate", str(write(WRONG, CHECK))])
    assert result.exit_code == 1
    assert "failed" in result.stdout


def test_the_command_says_that_grading_adds_fresh_cases(write):
    assert "Grading adds fresh cases" in run(app, ["validate", str(write(RIGHT, CHECK))]).stdout


def test_the_command_prints_json(write):
    path = write(WRONG, CHECK, RIGHT, CHECK)
    answer = json.loads(run(app, ["validate", str(path), "--json"]).stdout)
    assert (answer["file"], answer["passed"], answer["failed"]) == (str(path), 1, 1)
    assert answer["checks"][1] == {"name": "running_total", "verdict": "passed", "message": ""}


def test_a_message_with_brackets_is_printed_as_it_is(write):
    path = write("def check(f):\n    raise ValueError('[red]')", RIGHT, CHECK)
    assert "[red]" in run(app, ["validate", str(path)]).stdout


def test_the_command_exits_with_two_and_one_line_for_a_wrong_file(tmp_path):
    result = run(app, ["validate", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1


def test_check_exits_with_zero_here():
    assert run(app, ["check"]).exit_code == 0


def test_check_exits_with_one_when_something_is_missing(monkeypatch):
    monkeypatch.setattr("course_utils.doctor.FLOORS", {"no-such-package-here": "1.0"})
    result = run(app, ["check"])
    assert result.exit_code == 1
    assert 'pip install "no-such-package-here>=1.0"' in result.stdout


def test_check_prints_json():
    findings = json.loads(run(app, ["check", "--json"]).stdout)
    assert set(findings[0]) == {"what", "ok", "found", "mend"}
