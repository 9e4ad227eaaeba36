"""Rebuilding a submission: the cells are ours, the answers the student's, whatever happened between."""

import copy
import multiprocessing

import nbformat
import pytest
from conftest import answer_cell
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.exercise import released_notebook, source_notebook
from grading.rebuild import EXTRA_CHARACTERS, MOST_EXTRAS, rebuild
from grading.texts import answer_name, is_answer

ANSWER = "def one_pole(x, alpha, beta=1.0, h0=None):\n    return 42"
WRITTEN = "The curve is calm because each state averages many inputs."
EXTRA = "my_notes = 1"


@pytest.fixture
def submitted(released):
    notebook = copy.deepcopy(released)
    answer_cell(notebook, "one_pole").source = ANSWER
    return notebook


@pytest.fixture
def ours(released):
    return released


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def code(text):
    return nbformat.v4.new_code_cell(text)


def text(words):
    return nbformat.v4.new_markdown_cell(words)


def place_of(notebook, start):
    """Where the first cell stands whose text begins like this."""
    return next(i for i, cell in enumerate(notebook.cells) if cell.source.startswith(start))


def check_place(notebook, name="one_pole"):
    return next(
        i for i, cell in enumerate(notebook.cells) if answer_name(cell) == name and not is_answer(cell)
    )


def without_ids(notebook):
    """As a program leaves it that knows neither metadata nor cell ids."""
    for number, cell in enumerate(without_marks(notebook).cells):
        cell.id = f"new-{number}"
    return notebook


def answered(notebook, name="one_pole"):
    return answer_cell(notebook, name).source


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


# lost marks


def test_an_answer_that_lost_its_mark_is_found_by_its_cell_id(submitted, ours):
    answer_cell(submitted, "one_pole").metadata = nbformat.from_dict({})
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert rebuilt.repairs == ["The answer cell of one_pole had lost its mark; it was found by its cell id."]


def test_when_all_marks_are_lost_one_line_says_how_answers_were_found(submitted, ours):
    answer_cell(submitted, "delay_argument").source = WRITTEN
    assert rebuild(without_ids(submitted), ours).repairs == [
        "All cells had lost their marks; answers were found by what they define (one_pole) "
        "and their places (delay_argument)."
    ]


def test_an_answer_that_lost_its_id_is_found_by_its_mark(submitted, ours):
    answer_cell(submitted, "one_pole").update(id="new", source="print(1)")
    rebuilt = rebuild(submitted, ours)
    assert (answered(rebuilt.notebook), rebuilt.repairs) == ("print(1)", [])


def test_an_answer_without_marks_and_ids_is_found_by_what_it_defines(submitted, ours):
    assert answered(rebuild(without_ids(submitted), ours).notebook) == ANSWER


def test_a_written_answer_without_marks_and_ids_is_found_below_its_prompt(submitted, ours):
    answer_cell(submitted, "delay_argument").source = WRITTEN
    assert answered(rebuild(without_ids(submitted), ours).notebook, "delay_argument") == WRITTEN


def test_a_notebook_without_ids_whose_prompts_were_edited_gives_every_answer(solved, ours):
    wanted = [cell.source for cell in solved.cells if is_answer(cell)]
    for cell in without_ids(solved).cells:
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            cell.source += "\n(done)"
    rebuilt = rebuild(solved, ours)
    assert [cell.source for cell in rebuilt.notebook.cells if is_answer(cell)] == wanted


def test_a_notebook_with_nothing_but_answers_gives_every_code_answer(solved, ours):
    wanted = [cell.source for cell in solved.cells if is_answer(cell) and cell.cell_type == "code"]
    solved.cells = [code(source) for source in wanted]
    rebuilt = rebuild(solved, ours).notebook
    assert [cell.source for cell in rebuilt.cells if is_answer(cell)][:-1] == wanted


def test_an_answer_of_another_name_is_found_by_its_likeness_to_the_stub(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    cell.source = answered(ours).replace("def one_pole", "def onepole")
    assert "def onepole" in answered(rebuild(without_ids(submitted), ours).notebook)


def test_an_answer_of_another_name_is_found_by_its_likeness_elsewhere_too(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    cell.source = answered(ours).replace("def one_pole", "def onepole")
    submitted.cells.remove(cell)
    submitted.cells.append(cell)
    assert "def onepole" in answered(rebuild(without_ids(submitted), ours).notebook)


def test_a_cell_below_the_prompt_takes_the_place_of_a_deleted_answer(submitted, ours):
    answer_cell(submitted, "one_pole").update(code("one_ploe = 1"))
    rebuilt = rebuild(without_ids(submitted), ours)
    assert answered(rebuilt.notebook) == "one_ploe = 1"


def test_marks_of_another_course_are_no_marks(submitted, ours):
    for cell in submitted.cells:
        cell.metadata = nbformat.from_dict({"nbgrader": {"grade_id": "cell-1", "schema_version": 1}})
    assert answered(rebuild(submitted, ours).notebook) == ANSWER


@pytest.mark.parametrize("version", [None, 1, 2, 4, "three"])
def test_the_version_of_the_marks_does_not_matter(submitted, ours, version):
    for cell in submitted.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.update(schema_version=version, unknown=[1])
    rebuilt = rebuild(submitted, ours)
    assert (answered(rebuilt.notebook), rebuilt.repairs) == (ANSWER, [])


def test_nothing_of_an_unrelated_notebook_counts_as_found(ours):
    other = nbformat.v4.new_notebook(cells=[text("# My diary"), code("x = 1"), text("A fine day.")])
    assert rebuild(other, ours).found == 0


@pytest.mark.parametrize("written", ["YOUR ANSWER HERE", WRITTEN])
def test_the_texts_of_another_exercise_are_no_answers(ours, written):
    other = released_notebook("ex01")
    answer_cell(other, "concat_weights").source = "def concat_weights(T, d, widths):\n    return 1, 2"
    answer_cell(other, "reader_argument").source = written
    assert rebuild(other, ours).found == 0


def test_a_cell_copied_from_another_exercise_costs_no_text(empty, ours):
    notebook, place = empty
    notebook.cells[place + 1 :] = [answer_cell(released_notebook("ex01"), "concat_weights"), text(WRITTEN)]
    assert answered(rebuild(notebook, ours).notebook, "delay_argument") == WRITTEN


# copies and parts


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


def test_an_exact_copy_of_an_answer_does_not_run_twice(submitted, ours):
    submitted.cells.insert(0, copy.deepcopy(answer_cell(submitted, "one_pole")))
    assert len(rebuild(submitted, ours).notebook.cells) == len(ours.cells)


def test_the_earlier_of_two_edited_copies_still_runs_before_the_last(submitted, ours):
    helper = copy.deepcopy(answer_cell(submitted, "one_pole"))
    helper.source = "def step(h):\n    return h"
    submitted.cells.insert(submitted.cells.index(answer_cell(submitted, "one_pole")), helper)
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[texts.index(helper.source) + 1] == ANSWER


def test_of_two_edited_copies_the_one_that_defines_the_name_counts(submitted, ours):
    tried = copy.deepcopy(answer_cell(submitted, "one_pole"))
    tried.source = "print(one_pole([[1]], 0))"
    submitted.cells.insert(submitted.cells.index(answer_cell(submitted, "one_pole")) + 1, tried)
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert (
        "The answer cell of one_pole occurs 2 times; the last one that defines it counts." in rebuilt.repairs
    )


def test_of_a_stub_and_a_copy_that_defines_nothing_the_edited_copy_counts(ours):
    submitted = copy.deepcopy(ours)
    tried = copy.deepcopy(answer_cell(submitted, "one_pole"))
    tried.source = "print('how?')"
    submitted.cells.insert(3, tried)
    assert answered(rebuild(submitted, ours).notebook) == "print('how?')"


def test_a_cell_with_two_answers_is_used_once(submitted, ours):
    both = f"{ANSWER}\n\ndef estimate_pole(h):\n    return 1.0"
    answer_cell(submitted, "one_pole").source = both
    rebuilt = rebuild(submitted, ours)
    assert sources(rebuilt.notebook) == [both if c == answered(ours) else c for c in sources(ours)]
    assert rebuilt.repairs == []


@pytest.mark.parametrize("marked", [True, False], ids=["both marked", "second half unmarked"])
def test_a_function_that_was_split_is_put_together(submitted, ours, marked):
    first = answer_cell(submitted, "one_pole")
    second = copy.deepcopy(first) if marked else code("")
    first.source, second.source = ANSWER.split("\n")
    submitted.cells.insert(submitted.cells.index(first) + 1, second)
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert rebuilt.repairs == ["The answer of one_pole stood in several cells; they were put together."]


def test_a_copy_that_was_used_for_another_answer_counts_there(submitted, ours):
    other = copy.deepcopy(answer_cell(submitted, "one_pole"))
    other.source = "def estimate_pole(h):\n    return 1.0"
    submitted.cells.append(other)
    rebuilt = rebuild(submitted, ours).notebook
    assert (answered(rebuilt), answered(rebuilt, "estimate_pole")) == (ANSWER, other.source)


def test_a_copied_check_does_nothing(submitted, ours):
    submitted.cells.append(copy.deepcopy(submitted.cells[check_place(submitted)]))
    rebuilt = rebuild(submitted, ours)
    assert len(rebuilt.notebook.cells) == len(ours.cells)
    assert rebuilt.repairs == []


# answers in other cells


@pytest.mark.parametrize("shift", [0, 1, 2], ids=["above the stub", "below it", "below the check"])
def test_an_answer_beside_its_untouched_stub_counts(ours, shift):
    submitted = copy.deepcopy(ours)
    place = submitted.cells.index(answer_cell(submitted, "one_pole"))
    submitted.cells.insert(place + shift, code(ANSWER))
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert rebuilt.repairs == [
        "The answer of one_pole was taken from another cell, because its own does not hold it."
    ]


def test_an_answer_at_the_very_end_is_checked_below_it(ours):
    submitted = copy.deepcopy(ours)
    submitted.cells += [code(EXTRA), code(ANSWER)]
    rebuilt = rebuild(submitted, ours).notebook
    assert sources(rebuilt)[-3:] == [EXTRA, ANSWER, "check(one_pole)"]


def test_of_answers_above_and_below_the_check_the_one_above_counts(ours):
    submitted = copy.deepcopy(ours)
    submitted.cells.insert(submitted.cells.index(answer_cell(submitted, "one_pole")), code(ANSWER))
    submitted.cells.append(code("one_pole = 3"))
    assert answered(rebuild(submitted, ours).notebook) == ANSWER


def test_code_goes_before_code_that_is_quoted_in_a_note(ours):
    submitted = copy.deepcopy(ours)
    submitted.cells[4:4] = [code(ANSWER), text(f"```\n{ANSWER.replace('42', '43')}\n```")]
    assert answered(rebuild(submitted, ours).notebook) == ANSWER


def test_an_answer_typed_over_the_check_counts_and_the_check_comes_back(ours):
    submitted = copy.deepcopy(ours)
    submitted.cells[check_place(submitted)].source = f"{ANSWER}\n\ncheck(one_pole)"
    rebuilt = rebuild(submitted, ours)
    texts = sources(rebuilt.notebook)
    assert texts[texts.index(ANSWER) + 1] == "check(one_pole)"
    assert rebuilt.repairs == [
        "The answer of one_pole stood where a check belongs; it counts, and the check was put back."
    ]


def test_an_answer_that_was_moved_below_a_helper_runs_below_it(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    submitted.cells.remove(cell)
    submitted.cells += [code(EXTRA), cell]
    assert sources(rebuild(submitted, ours).notebook)[-3:] == [EXTRA, ANSWER, "check(one_pole)"]


def test_imports_run_before_an_answer_that_was_moved_above_them(submitted, ours):
    cell = answer_cell(submitted, "one_pole")
    submitted.cells.remove(cell)
    submitted.cells.insert(0, cell)
    rebuilt = rebuild(submitted, ours).notebook
    assert place_of(rebuilt, "import numpy") < place_of(rebuilt, "def one_pole")


@pytest.mark.parametrize(
    "source",
    [f"Mine:\n\n```python\n{ANSWER}\n```\nDone.", f"```\n{ANSWER}\n```", ANSWER],
    ids=["fenced", "bare fence", "plain"],
)
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_that_became_text_is_read_as_code(submitted, ours, kind, source):
    answer_cell(submitted, "one_pole").update(cell_type=kind, source=source)
    rebuilt = rebuild(submitted, ours)
    cell = answer_cell(rebuilt.notebook, "one_pole")
    assert (cell.cell_type, cell.source) == ("code", ANSWER)
    assert rebuilt.repairs == [f"The answer cell of one_pole had become a {kind} cell; it was read as code."]


def test_the_fences_of_pasted_code_are_left_out(submitted, ours):
    answer_cell(submitted, "one_pole").source = f"```python\n{ANSWER}\n```"
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert rebuilt.repairs == ["The ``` lines around the code of one_pole were left out."]


def test_fences_inside_the_code_stay(submitted, ours):
    source = f'{ANSWER}\nusage = """\n```\none_pole([[1]], 0)\n```\n"""'
    answer_cell(submitted, "one_pole").source = source
    assert answered(rebuild(submitted, ours).notebook) == source


def test_spaces_of_a_web_page_become_plain_and_it_is_said(submitted, ours):
    answer_cell(submitted, "one_pole").source = ANSWER.replace("    ", "\u00a0\u00a0\u00a0\u00a0")
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == ANSWER
    assert rebuilt.repairs == [
        "Spaces that Python does not know, in the code of one_pole, were replaced by plain ones."
    ]


def test_spaces_in_a_text_of_right_code_stay(submitted, ours):
    answer_cell(submitted, "one_pole").source = f"{ANSWER}\nunit = '20\u00a0s'"
    assert "\u00a0" in answered(rebuild(submitted, ours).notebook)


def test_a_stub_with_other_line_ends_is_untouched(ours):
    submitted = copy.deepcopy(ours)
    for cell in submitted.cells:
        cell.source = cell.source.replace("\n", "\r\n") + "\r\n"
    assert rebuild(submitted, ours).notebook == ours


# our cells


def test_a_deleted_check_cell_comes_back_and_is_said(submitted, ours):
    submitted.cells = [cell for cell in submitted.cells if answer_name(cell) != "one_pole" or is_answer(cell)]
    rebuilt = rebuild(submitted, ours)
    assert sources(rebuilt.notebook) == [ANSWER if c == answered(ours) else c for c in sources(ours)]
    assert rebuilt.repairs == ["The check cell of one_pole was missing; it was put back."]


def test_a_deleted_check_comes_back_below_what_follows_its_answer(submitted, ours):
    submitted.cells[check_place(submitted)] = code(EXTRA)
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[4:7] == [ANSWER, EXTRA, "check(one_pole)"]


def test_a_deleted_prompt_comes_back_above_the_students_own_cells(submitted, ours):
    submitted.cells[3] = code(EXTRA)
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[3:6] == [ours.cells[3].source, EXTRA, ANSWER]


def test_the_same_repair_of_several_questions_is_one_line(submitted, ours):
    submitted.cells = [cell for cell in submitted.cells if not cell.source.startswith("check(")]
    assert rebuild(submitted, ours).repairs == [
        "The check cells of one_pole, memory_horizon, frequency_response and estimate_pole were missing; "
        "they were put back."
    ]


def test_an_edited_check_cell_is_ours_again(submitted, ours):
    submitted.cells[check_place(submitted)].source = "print('all passed')"
    rebuilt = rebuild(submitted, ours)
    assert "print('all passed')" not in sources(rebuilt.notebook)
    assert rebuilt.repairs == ["The check cell of one_pole had been changed; ours was used."]


def test_a_check_cell_that_became_text_is_ours_again(submitted, ours):
    submitted.cells[check_place(submitted)].cell_type = "raw"
    assert sources(rebuild(submitted, ours).notebook) == sources(submitted)


def test_a_helper_in_an_edited_check_cell_is_kept_without_our_lines(submitted, ours):
    cell = submitted.cells[check_place(submitted)]
    cell.source = "import math\ncheck(one_pole)\nprint(1)\n\n@print\ndef helper():\n    return 2"
    texts = sources(rebuild(submitted, ours).notebook)
    kept = texts[texts.index("check(one_pole)") + 1]
    assert kept == "import math\n@print\ndef helper():\n    return 2"


def test_a_check_that_lost_its_mark_is_said(submitted, ours):
    submitted.cells[check_place(submitted)].metadata = nbformat.from_dict({})
    rebuilt = rebuild(submitted, ours)
    assert sources(rebuilt.notebook) == sources(submitted)
    assert rebuilt.repairs == ["The check cell of one_pole had lost its mark; ours was used."]


def test_imports_that_a_student_added_to_our_cell_run_after_it(submitted, ours):
    submitted.cells[place_of(submitted, "import numpy")].source += "\nimport math\nmath.pi"
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[texts.index(ours.cells[2].source) + 1] == "import math\nmath.pi"


def test_deleted_imports_come_back_and_it_is_said(submitted, ours):
    del submitted.cells[place_of(submitted, "import numpy")]
    rebuilt = rebuild(submitted, ours)
    assert sources(rebuilt.notebook)[2] == sources(ours)[2]
    assert rebuilt.repairs == ["The cell with the imports was missing; it was put back."]


def test_an_edited_prompt_is_ours_and_the_note_in_it_is_kept(submitted, ours):
    prompt = submitted.cells[place_of(submitted, "## 1.")]
    prompt.source = prompt.source.replace("side by side", "SIDE by side") + "\n\nAsk about T = 0!"
    texts = sources(rebuild(submitted, ours).notebook)
    assert texts[3:5] == [ours.cells[3].source, "Ask about T = 0!"]


def test_a_deleted_answer_cell_comes_back_empty_and_is_said(submitted, ours):
    submitted.cells.remove(answer_cell(submitted, "one_pole"))
    rebuilt = rebuild(submitted, ours)
    assert answered(rebuilt.notebook) == answered(ours)
    assert rebuilt.repairs == ["The answer cell of one_pole was missing; it was put back empty."]


# written answers


@pytest.fixture
def empty(ours):
    """The release, untouched, with the place of the written answer."""
    notebook = copy.deepcopy(ours)
    return notebook, notebook.cells.index(answer_cell(notebook, "delay_argument"))


@pytest.mark.parametrize("shift", [0, 1], ids=["above", "below"])
def test_a_text_beside_the_empty_answer_counts(empty, ours, shift):
    notebook, place = empty
    notebook.cells.insert(place + shift, text(WRITTEN))
    rebuilt = rebuild(notebook, ours)
    assert answered(rebuilt.notebook, "delay_argument") == WRITTEN
    assert rebuilt.repairs == ["The answer of delay_argument was taken from the cell beside it."]
    assert len(rebuilt.notebook.cells) == len(ours.cells)


def test_several_texts_beside_the_empty_answer_are_joined(empty, ours):
    notebook, _ = empty
    notebook.cells += [text("One."), nbformat.v4.new_raw_cell("Two."), code("It takes 22 steps, then 230.")]
    rebuilt = rebuild(notebook, ours).notebook
    assert answered(rebuilt, "delay_argument") == "One.\n\nTwo.\n\nIt takes 22 steps, then 230."


def test_code_beside_the_empty_answer_is_none(empty, ours):
    notebook, place = empty
    notebook.cells.append(code(EXTRA))
    assert answered(rebuild(notebook, ours).notebook, "delay_argument") == notebook.cells[place].source


@pytest.mark.parametrize("kind", ["raw", "code"])
def test_a_written_answer_in_a_cell_of_another_kind_counts(empty, ours, kind):
    notebook, place = empty
    notebook.cells[place].update(cell_type=kind, source=WRITTEN)
    cell = answer_cell(rebuild(notebook, ours).notebook, "delay_argument")
    assert (cell.cell_type, cell.source) == ("markdown", WRITTEN)


@pytest.mark.parametrize("glue", ["\n\n", " "], ids=["below", "in its last line"])
def test_an_answer_written_into_the_question_counts(empty, ours, glue):
    notebook, place = empty
    notebook.cells[place - 1].source += glue + WRITTEN
    rebuilt = rebuild(notebook, ours)
    assert answered(rebuilt.notebook, "delay_argument") == WRITTEN
    assert rebuilt.repairs == ["The answer of delay_argument was taken from the cell of its question."]
    assert WRITTEN not in "".join(sources(rebuilt.notebook)[:-1])


def test_a_corrected_word_in_the_question_is_no_answer(empty, ours):
    notebook, place = empty
    notebook.cells[place - 1].source = notebook.cells[place - 1].source.replace("restless", "nervous")
    assert rebuild(notebook, ours).notebook == ours


def test_a_text_at_the_end_counts_when_the_answer_is_elsewhere(empty, ours):
    notebook, place = empty
    question, cell = notebook.cells[place - 1 : place + 1]
    notebook.cells = [question, cell, *notebook.cells[: place - 1], code(EXTRA), text(WRITTEN)]
    rebuilt = rebuild(notebook, ours)
    assert answered(rebuilt.notebook, "delay_argument") == WRITTEN
    assert rebuilt.repairs == ["The answer of delay_argument was taken from the end of the notebook."]


def test_two_different_texts_in_copies_of_the_answer_are_joined(empty, ours):
    notebook, place = empty
    notebook.cells.append(copy.deepcopy(notebook.cells[place]))
    notebook.cells[place].source, notebook.cells[-1].source = "One.", "Two."
    rebuilt = rebuild(notebook, ours).notebook
    assert answered(rebuilt, "delay_argument") == "One.\n\nTwo."
    assert len(rebuilt.cells) == len(ours.cells)


@pytest.mark.parametrize("name", ["one_pole", "delay_argument"])
def test_an_emptied_answer_was_never_given(submitted, ours, name):
    answer_cell(submitted, name).source = " \n"
    assert answered(rebuild(submitted, ours).notebook, name) == answered(ours, name)


# lines that only a notebook understands


def test_lines_that_are_left_out_are_told_once(submitted, ours):
    answer_cell(submitted, "one_pole").source = f"%%time\n{ANSWER}"
    submitted.cells.insert(0, code("%matplotlib widget\n!pip install torch\nfrom google.colab import drive"))
    assert rebuild(submitted, ours).repairs == [
        "Grading runs without these lines: !pip install torch; from google.colab import drive; %%time."
    ]


def test_lines_of_our_own_cells_are_not_told(submitted, ours):
    for notebook in (submitted, ours):
        notebook.cells[2].source = f"%load_ext autoreload\n{notebook.cells[2].source}"
    assert rebuild(submitted, ours).repairs == []


# many cells


def test_more_extra_cells_than_can_be_run_are_left_out_and_it_is_said(submitted, ours):
    submitted.cells += [code(f"x = {number}") for number in range(MOST_EXTRAS + 3)]
    rebuilt = rebuild(submitted, ours)
    assert len(rebuilt.notebook.cells) == len(ours.cells) + MOST_EXTRAS
    assert f"3 of {MOST_EXTRAS + 3} were left out" in rebuilt.repairs[0]


def test_extra_cells_that_are_too_long_are_left_out(submitted, ours):
    submitted.cells += [code("x = 1"), code("#" * EXTRA_CHARACTERS)]
    rebuilt = rebuild(submitted, ours)
    assert len(rebuilt.notebook.cells) == len(ours.cells) + 1


def in_time(call, seconds=20):
    """Call it in a process of its own and say whether it came to its end: no test may wait for a slow one."""
    process = multiprocessing.get_context("fork").Process(target=call)
    process.start()
    process.join(seconds)
    ended = process.exitcode == 0
    process.kill()
    return ended


def made_slow(kind, notebook):
    """A notebook on which careless comparing takes minutes."""
    cells = {cell.id: cell for cell in notebook.cells}
    imports, prompt = cells["import-numpy-as-np"], cells["7-what-calm-costs-2-points"]
    match kind:
        case "empty lines":
            notebook.cells = [cell for cell in notebook.cells if answer_name(cell) != "delay_argument"]
            notebook.cells += [code("$" + "\n" * 19_900 + f"x{n}") for n in range(20)]
        case "a prompt of many lines":
            prompt.source = "x\n" * 1_500_000
        case "copies of a prompt":
            notebook.cells += [prompt | {"source": f"w{n} a\n" * 500} for n in range(4500)]
        case "copies of the imports":
            notebook.cells += [imports | {"source": f"x{n} = (1, 2)\n" * 1200} for n in range(1000)]
        case "copies of an answer":
            stub = cells["answer-one_pole"]
            notebook.cells += [
                stub | {"source": "print(one_pole)\n" + f"x{n} = (1, 2)\n" * 1200} for n in range(1000)
            ]
    return notebook


@pytest.mark.parametrize(
    "kind",
    [
        *("empty lines", "a prompt of many lines", "copies of a prompt"),
        *("copies of the imports", "copies of an answer"),
    ],
)
def test_no_text_keeps_the_grader_busy_for_long(ours, kind):
    slow = made_slow(kind, copy.deepcopy(ours))
    assert in_time(lambda: rebuild(slow, ours))


def test_a_prompt_that_is_too_long_to_be_compared_is_the_students_own(ours):
    slow = copy.deepcopy(ours)
    prompt = slow.cells[place_of(slow, "## 7")]
    prompt.source += "\nmine" * 2_100
    extras = [cell for cell in rebuild(slow, ours).notebook.cells if cell.id.startswith("extra-")]
    assert [cell.source for cell in extras] == []
    assert answered(rebuild(slow, ours).notebook, "delay_argument") == prompt.source


def test_a_line_that_is_left_out_is_told_without_control_characters(submitted, ours):
    submitted.cells.append(code("!ls \x1b]0;owned\x07"))
    assert "!ls 0;owned." in rebuild(submitted, ours).repairs[-1]


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


OURS, SOLVED = released_notebook("ex02"), source_notebook("ex02")


@st.composite
def mangled(draw):
    """The solved exercise with cells shuffled, deleted, copied, retyped, stripped, cut."""
    chosen = draw(st.lists(st.integers(0, len(SOLVED.cells) - 1), max_size=2 * len(SOLVED.cells)))
    cells = [copy.deepcopy(SOLVED.cells[index]) for index in chosen]
    for cell in cells:
        damage = draw(st.sampled_from(["", "", "type", "mark", "id", "all", "text", "mixed"]))
        if damage == "type":
            cell.cell_type = draw(st.sampled_from(["code", "markdown", "raw"]))
        if damage in ("mark", "all"):
            cell.metadata = nbformat.NotebookNode()
        if damage in ("id", "all"):
            cell.id = "x"
        if damage == "text":
            cell.source = draw(st.text(max_size=20)) + cell.source[draw(st.integers(0, 80)) :]
        if damage == "mixed":
            cell.metadata = copy.deepcopy(draw(st.sampled_from(SOLVED.cells)).metadata)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = cells  # not as an argument, which would be put right
    return notebook


@settings(max_examples=200, deadline=None)
@given(mangled())
def test_whatever_happened_to_the_cells_ours_are_all_there_and_worth_the_same(submitted):
    rebuilt = rebuild(submitted, OURS)
    own = [cell for cell in rebuilt.notebook.cells if cell.id.startswith("extra-")]
    cells = {cell.id: cell for cell in rebuilt.notebook.cells if cell not in own}
    assert len({cell.id for cell in rebuilt.notebook.cells}) == len(rebuilt.notebook.cells)
    assert sorted(cells) == sorted(cell.id for cell in OURS.cells)
    assert all(cells[cell.id].metadata == cell.metadata for cell in OURS.cells)
    assert all(cells[cell.id].source == cell.source for cell in OURS.cells if not is_answer(cell))
    assert not any("nbgrader" in cell.metadata for cell in own)
    nbformat.validate(rebuilt.notebook)


@settings(max_examples=200, deadline=None)
@given(mangled())
def test_every_check_of_a_mangled_notebook_comes_after_its_answer_and_the_imports(submitted):
    notebook = rebuild(submitted, OURS).notebook
    places = {cell.id: place for place, cell in enumerate(notebook.cells)}
    checks = [id for id in places if id.startswith("check-")]
    assert all(places[id] > places[id.replace("check-", "answer-")] for id in checks)
    assert all(places[id] > places["import-numpy-as-np"] for id in places if id.startswith("answer-"))


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(len(SOLVED.cells))))
def test_shuffled_cells_without_marks_and_ids_keep_every_code_answer(order):
    submitted = without_ids(copy.deepcopy(SOLVED))
    submitted.cells = [submitted.cells[index] for index in order]
    rebuilt = rebuild(submitted, OURS).notebook
    assert [
        answered(rebuilt, answer_name(c)) for c in SOLVED.cells if is_answer(c) and c.cell_type == "code"
    ] == [c.source for c in SOLVED.cells if is_answer(c) and c.cell_type == "code"]
