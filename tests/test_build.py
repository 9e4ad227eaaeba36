"""The builder: markers, solutions, ids, and errors that name file and cell."""

import subprocess
import sys

import nbformat
import pytest
from conftest import answer_cell

from course_utils.reference import ex02 as reference
from grading import CANARY
from grading.build import NOT_STORED, Target, assemble, build, execute, targets, to_text
from grading.errors import UserError

EXERCISE = next(target for target in targets() if target.name == "ex02")


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Write a py:percent source; returns its target."""
    monkeypatch.setattr("grading.build.ROOT", tmp_path)

    def make(text, name="99_try", is_exercise=False):
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return Target(name, path, tmp_path / f"{name}.ipynb", is_exercise)

    return make


def test_a_rebuild_gives_the_same_bytes():
    assert to_text(assemble(EXERCISE)) == EXERCISE.notebook.read_text(encoding="utf-8")


def test_ids_come_from_markers_headings_and_first_lines(source):
    text = "# %% [markdown]\n# # One pole\n\n# %%\nx = 1\n\n# %%\nx = 1\n\n# %% id='mine'\nx\n"
    assert [cell.id for cell in assemble(source(text)).cells] == ["one-pole", "x-1", "x-1-2", "mine"]


def test_the_solution_is_the_reference(solved):
    cell = answer_cell(solved, "memory_horizon")
    space = {"np": __import__("numpy")}
    exec(cell.source, space)
    assert space["memory_horizon"](0.9) == reference.memory_horizon(0.9)


def test_every_solution_carries_the_canary(solved):
    functions = ["one_pole", "memory_horizon", "frequency_response", "estimate_pole"]
    assert all(CANARY in answer_cell(solved, name).source for name in functions)


def test_a_stub_with_other_arguments_than_the_reference_is_refused(source):
    stub = '# %% answer="memory_horizon"\ndef memory_horizon(pole):\n    """Steps."""\n    ...\n'
    with pytest.raises(UserError, match=r"ex02\.py, cell 1 .*arguments \(pole\)"):
        assemble(source(stub, "ex02", is_exercise=True))


def test_a_marker_for_an_unknown_question_is_refused(source):
    with pytest.raises(UserError, match="'nothing', which is no question"):
        assemble(source('# %% check="nothing" points=1\n1\n', "ex02", is_exercise=True))


def test_a_check_without_points_is_refused(source):
    with pytest.raises(UserError, match="needs points="):
        assemble(source('# %% check="one_pole"\ncheck(one_pole)\n', "ex02", is_exercise=True))


def test_a_failing_cell_is_named_with_its_file(source):
    target = source("# %%\nfine = 1\n\n# %% id='broken'\n1 / 0\n")
    with pytest.raises(UserError, match=r"99_try\.py, cell 'broken' failed: ZeroDivisionError"):
        execute(assemble(target), target)


def test_a_failed_build_leaves_the_old_notebook(source):
    target = source("# %%\n1 / 0\n")
    target.notebook.write_text("old", encoding="utf-8")
    with pytest.raises(UserError):
        build(target)
    assert target.notebook.read_text(encoding="utf-8") == "old"


def test_a_lesson_is_stored_with_its_outputs(source):
    target = source("# %%\nprint(6 * 7)\n")
    build(target)
    assert nbformat.read(target.notebook, as_version=4).cells[0].outputs[0].text == "42\n"


def test_what_is_not_ours_is_not_stored(source):
    target = source('# %% tags=["unstored", "nbval-ignore-output"]\nprint("their sentence")\n6 * 7\n')
    build(target)
    assert [output.text for output in nbformat.read(target.notebook, as_version=4).cells[0].outputs] == [
        NOT_STORED
    ]


def test_a_name_without_a_source_is_refused():
    with pytest.raises(UserError, match="nothing to build is called '13_more'"):
        targets(["13_more"])


def test_nbgrader_accepts_the_built_exercise(tmp_path):
    path = tmp_path / "ex02.ipynb"
    path.write_text(to_text(assemble(EXERCISE)), encoding="utf-8")
    command = [sys.executable, "-m", "nbgrader", "validate", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Success! Your notebook passes all the tests." in done.stdout
