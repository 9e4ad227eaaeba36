"""Rebuilding a submission: the cells are ours, the answers the student's, whatever happened between."""

import copy

import nbformat
import pytest
from conftest import answer_cell

from grading.rebuild import answer_name, is_answer, rebuild

ANSWER = "def one_pole(x, alpha, beta=1.0, h0=None):\n    return 42"
EXTRA = "my_notes = 1"


@pytest.fixture
def submitted(released):
    answer_cell(released, "one_pole").source = ANSWER
    return released


@pytest.fixture
def ours(released):
    return copy.deepcopy(released)


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def without_marks(notebook):
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return notebook


def test_an_untouched_release_comes_back_as_it_is(ours):
    rebuilt = rebuild(ours, ours)
    assert rebuilt.notebook == ours
    assert rebuilt.repairs == []


def test_the_answer_stands_in_our_cell(submitted, ours):
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "one_pole").source == ANSWER
    assert rebuilt.repairs == []


def test_an_answer_without_marks_is_found_by_its_cell_id(submitted, ours):
    rebuilt = rebuild(without_marks(submitted), ours)
    assert answer_cell(rebuilt.notebook, "one_pole").source == ANSWER
    assert "The answer cell of one_pole had lost its mark; it was found by its cell id." in rebuilt.repairs


def test_an_answer_without_marks_and_ids_is_found_by_what_it_defines(submitted, ours):
    for number, cell in enumerate(without_marks(submitted).cells):
        cell.id = f"new-{number}"
    assert answer_cell(rebuild(submitted, ours).notebook, "one_pole").source == ANSWER


def test_a_written_answer_without_marks_and_ids_is_found_below_its_prompt(submitted, ours):
    answer_cell(submitted, "delay_argument").source = "Because it averages."
    for number, cell in enumerate(without_marks(submitted).cells):
        cell.id = f"new-{number}"
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "delay_argument").source == "Because it averages."


def test_of_two_copies_the_edited_one_counts(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    stub = copy.deepcopy(answer_cell(ours, "one_pole"))
    submitted.cells.insert(submitted.cells.index(cell) + 1, stub)
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "one_pole").source == ANSWER
    assert len(rebuilt.notebook.cells) == len(ours.cells)


def test_of_two_edited_copies_the_last_counts_and_is_said(submitted, ours):
    cell = copy.deepcopy(answer_cell(submitted, "one_pole"))
    cell.source = ANSWER.replace("42", "43")
    submitted.cells.append(cell)
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "one_pole").source == cell.source
    assert "The answer cell of one_pole occurs 2 times; the last edited one counts." in rebuilt.repairs


def test_a_deleted_check_cell_comes_back(submitted, ours):
    submitted.cells = [cell for cell in submitted.cells if not cell.source.startswith("check(")]
    assert sources(rebuild(submitted, ours).notebook).count("check(one_pole)") == 1


def test_an_edited_check_cell_is_ours_again(submitted, ours):
    check = next(cell for cell in submitted.cells if cell.source == "check(one_pole)")
    check.source = "print('all passed')"
    assert "print('all passed')" not in sources(rebuild(submitted, ours).notebook)


def test_a_deleted_answer_cell_comes_back_empty_and_is_said(submitted, ours):
    submitted.cells.remove(answer_cell(submitted, "one_pole"))
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "one_pole").source == answer_cell(ours, "one_pole").source
    assert rebuilt.repairs == ["The answer cell of one_pole was missing; it was put back empty."]


def test_an_extra_cell_stays_where_it_stood(submitted, ours):
    place = submitted.cells.index(answer_cell(submitted, "one_pole"))
    submitted.cells.insert(place + 1, nbformat.v4.new_code_cell(EXTRA))
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[texts.index(ANSWER) + 1] == EXTRA


def test_an_extra_cell_at_the_top_stays_at_the_top(submitted, ours):
    submitted.cells.insert(0, nbformat.v4.new_code_cell(EXTRA))
    assert sources(rebuild(submitted, ours).notebook)[0] == EXTRA


def test_imports_that_a_student_added_to_our_cell_run_after_it(submitted, ours):
    cell = next(cell for cell in submitted.cells if cell.source.startswith("import numpy"))
    cell.source += "\nimport math"
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts.index(cell.source) == texts.index(ours.cells[2].source) + 1


def test_an_answer_that_became_text_is_read_as_code(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    cell.cell_type = "markdown"
    rebuilt = rebuild(submitted, ours)
    assert answer_cell(rebuilt.notebook, "one_pole").cell_type == "code"
    assert "had become a markdown cell; it was read as code." in rebuilt.repairs[0]


def test_foreign_and_broken_marks_do_no_harm(submitted, ours):
    for cell in submitted.cells:
        cell.metadata["nbgrader"] = "torn"
    assert answer_cell(rebuild(submitted, ours).notebook, "one_pole").source == ANSWER


def test_the_points_never_change(submitted, ours):
    for cell in submitted.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["points"] = 1000
    marks = [cell.metadata.get("nbgrader") for cell in rebuild(submitted, ours).notebook.cells]
    assert marks == [cell.metadata.get("nbgrader") for cell in ours.cells]


def test_the_arguments_are_left_alone(submitted, ours):
    before = copy.deepcopy(submitted), copy.deepcopy(ours)
    rebuild(submitted, ours)
    assert (submitted, ours) == before


def test_every_answer_cell_knows_its_question(ours):
    names = [answer_name(cell) for cell in ours.cells if is_answer(cell)]
    assert names[0] == "one_pole"
    assert len(names) == len(set(names)) == 7
