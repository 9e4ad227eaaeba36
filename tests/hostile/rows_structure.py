"""Cells that were lost, moved, copied, split, retyped or edited: right answers keep all their points."""

import copy
import re

import nbformat
from conftest import answer_cell
from table import Row, append, chain, edit, own_cell, prepend, replace

from grading.exercise import released_notebook
from grading.texts import answer_name, is_answer

WRONG = "def memory_horizon(alpha, fraction=0.5):\n    return -1.0"
UNANSWERED = {"memory_horizon": "not answered"}
WRITTEN = "delay_argument"


def answers(notebook, kind="code"):
    return [cell for cell in notebook.cells if is_answer(cell) and cell.cell_type == kind]


def checks(notebook):
    return [cell for cell in notebook.cells if "nbgrader" in cell.metadata and not is_answer(cell)]


def stub(name):
    return answer_cell(released_notebook("ex02"), name)


def place(notebook, name):
    """Where the answer cell of a question stands."""
    return notebook.cells.index(answer_cell(notebook, name))


def for_answers(change):
    """Build by changing every code answer."""
    return edit(lambda notebook: [change(cell) for cell in answers(notebook)] and None)


def for_checks(change):
    return edit(lambda notebook: [change(cell) for cell in checks(notebook)] and None)


# marks and ids


@edit
def without_metadata(notebook):
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()


@edit
def without_ids(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.id = f"new-{number}"


@edit
def with_edited_prompts(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and not is_answer(cell):
            cell.source = re.sub(
                r"^## (\d)\. ", r"## Task \1: ", cell.source.replace("Write", "Please write")
            )


@edit
def without_prompts(notebook):
    notebook.cells = [c for c in notebook.cells if c.cell_type == "code" or is_answer(c)]


@edit
def with_foreign_marks(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.metadata["nbgrader"] = {"grade_id": f"cell-{number}", "solution": True, "schema_version": 1}


@edit
def with_old_marks(notebook):
    for cell in checks(notebook) + answers(notebook):
        cell.metadata.nbgrader.update(schema_version=1, points=1000, toBeGraded=True)


@edit
def with_a_check_of_its_own(notebook):
    cell = own_cell("1000")
    cell.metadata["nbgrader"] = {"grade_id": "check-bonus", "grade": True, "points": 1000, "locked": True}
    notebook.cells.append(cell)


def strip(cell):
    cell.metadata = nbformat.NotebookNode()


# copies and parts


def copied(name, text, below=True):
    """Build with a marked copy of an answer cell, with another text."""

    def change(notebook):
        cell = copy.deepcopy(answer_cell(notebook, name))
        cell.update(source=text, id="copied")
        notebook.cells.insert(place(notebook, name) + below, cell)

    return edit(change)


@edit
def everything_twice(notebook):
    notebook.cells += copy.deepcopy(notebook.cells)


@edit
def with_copied_checks(notebook):
    notebook.cells += copy.deepcopy(checks(notebook))


@edit
def with_split_functions(notebook):
    for name in ("one_pole", "estimate_pole"):
        cell = answer_cell(notebook, name)
        second = copy.deepcopy(cell)
        end = cell.source.rindex("    return")
        cell.source, second.source = cell.source[: end - 1], cell.source[end:]
        notebook.cells.insert(place(notebook, name) + 1, second)


HELPER_AND_ANSWER = chain(
    replace("estimate_pole", "def ratio(top, bottom):\n    return top / bottom"),
    copied(
        "estimate_pole",
        "def estimate_pole(h, ratio=ratio):\n    h = np.asarray(h, dtype=float)\n"
        "    return ratio(h[1:] @ h[:-1], h[:-1] @ h[:-1])",
    ),
)


@edit
def all_in_one_cell(notebook):
    cells = answers(notebook)
    cells[0].source = "\n\n".join(cell.source for cell in cells)
    for cell in cells[1:]:
        cell.source = stub(answer_name(cell)).source


# places


def moved(name, shift=None):
    """Build with an answer in a new cell, its own stub untouched; at the end when there is no shift."""

    def change(notebook):
        cell = answer_cell(notebook, name)
        answer, cell.source = own_cell(cell.source), stub(name).source
        at = len(notebook.cells) if shift is None else place(notebook, name) + shift
        notebook.cells.insert(at, answer)

    return edit(change)


@edit
def typed_over_the_check(notebook):
    cell = answer_cell(notebook, "one_pole")
    notebook.cells[place(notebook, "one_pole") + 1].source = f"{cell.source}\n\ncheck(one_pole)"
    notebook.cells.remove(cell)


@edit
def below_a_helper(notebook):
    cell = answer_cell(notebook, "pole_at_400_hz")
    cell.source = "pole_at_400_hz = slower(0.8)"
    notebook.cells.remove(cell)
    notebook.cells += [own_cell("def slower(pole):\n    return pole ** (1 / 4)"), cell]


@edit
def reversed_cells(notebook):
    notebook.cells.reverse()


@edit
def first_of_all(notebook):
    cell = answer_cell(notebook, "memory_horizon")
    notebook.cells.remove(cell)
    notebook.cells.insert(0, cell)


# cells of ours


@edit
def without_checks(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell not in checks(notebook)]


@edit
def with_an_import_in_a_check(notebook):
    cell = answer_cell(notebook, "memory_horizon")
    cell.source = "def memory_horizon(alpha, fraction=1 / np.e):\n    return own_horizon(alpha, fraction)"
    notebook.cells[place(notebook, "memory_horizon") + 1].source = (
        "import math\n\ndef own_horizon(alpha, fraction):\n    a = abs(alpha)\n"
        "    return math.inf if a >= 1 else math.log(fraction) / math.log(a) if a else 0.0\n\n"
        "check(memory_horizon)"
    )


@edit
def with_other_imports(notebook):
    cell = next(cell for cell in notebook.cells if cell.source.startswith("import numpy"))
    cell.source = "from math import pi\ncheck = print\nraise SystemExit"


@edit
def without_imports(notebook):
    notebook.cells = [c for c in notebook.cells if not c.source.startswith("import numpy")]


# written answers


def written(change):
    """Build by a change of (notebook, place of the written answer, its text); its own cell is emptied."""

    def build(notebook):
        cell = answer_cell(notebook, WRITTEN)
        text, cell.source = cell.source, stub(WRITTEN).source
        change(notebook, place(notebook, WRITTEN), text)

    return edit(build)


@written
def beside(notebook, at, text):
    notebook.cells.insert(at, own_cell(text, "markdown"))


@written
def in_several_cells(notebook, at, text):
    notebook.cells += [own_cell(part, "markdown") for part in text.split("\n\n")]


@written
def in_the_question(notebook, at, text):
    notebook.cells[at - 1].source += f"\n\n{text}"


@written
def far_at_the_end(notebook, at, text):
    question = notebook.cells[at - 1 : at + 1]
    del notebook.cells[at - 1 : at + 1]
    notebook.cells[3:3] = question
    notebook.cells.append(own_cell(text, "markdown"))


# what only a notebook understands

SHELL = "!pip install torch\n%cd ..\n%load_ext autoreload\nnp.exp?\nfiles = !ls\n"
COLAB = (
    "from google.colab import drive\n"
    "drive.mount(\n    '/content/drive')\n"
    "%cd /content/drive/MyDrive\n"
    "import os\nos.chdir('/content/drive')\n"
)


def headed(text):
    """Build with these lines at the head of every code answer."""
    return for_answers(lambda cell: cell.update(source=text + cell.source))


LOST = "All cells had lost their marks; answers were found by"
ROWS = [
    Row("all metadata gone", without_metadata, says=(LOST, "their cell ids (one_pole, ")),
    Row("no metadata, no ids", chain(without_metadata, without_ids), says=(LOST, "what they define")),
    Row(
        "no metadata, no ids, edited prompts",
        chain(with_edited_prompts, without_metadata, without_ids),
        says=(LOST, "their places (delay_argument)"),
    ),
    Row(
        "no metadata, no ids, no prompts", chain(without_prompts, without_metadata, without_ids), says=(LOST,)
    ),
    Row("no metadata, no ids, no checks", chain(without_checks, without_metadata, without_ids), says=(LOST,)),
    Row("marks of another course", chain(with_foreign_marks, without_ids), says=(LOST,)),
    Row("old marks worth a thousand points", with_old_marks, hides=("1000",)),
    Row("a check of the student's own", with_a_check_of_its_own),
    Row("checks without marks", for_checks(strip), says=("had lost their marks; ours were used.",)),
    Row(
        "an answer copied below itself", copied("one_pole", stub("one_pole").source), says=("occurs 2 times",)
    ),
    Row("every cell twice", everything_twice, says=("occur 2 times each; the last edited one counts",)),
    Row("checks copied to the end", with_copied_checks),
    Row(
        "a wrong copy below the answer",
        copied("memory_horizon", WRONG),
        {"memory_horizon": 0},
        {"memory_horizon": "wrong"},
        says=("The answer cell of memory_horizon occurs 2 times; the last edited one counts.",),
    ),
    Row("a wrong copy above the answer", copied("memory_horizon", WRONG, below=False)),
    Row("a helper and its answer in two copies", HELPER_AND_ANSWER),
    Row("functions split in the middle", with_split_functions, says=("they were put together",)),
    Row("all answers in the first cell", all_in_one_cell),
    Row(
        "code answers as text",
        for_answers(lambda c: c.update(cell_type="markdown", source=f"```python\n{c.source}\n```")),
        says=("had become markdown cells; they were read as code.",),
    ),
    Row(
        "code answers as raw text, unmarked",
        chain(for_answers(lambda c: c.update(cell_type="raw")), without_metadata, without_ids),
        says=("had become raw cells; they were read as code.",),
    ),
    Row("checks as text", for_checks(lambda c: c.update(cell_type="markdown"))),
    Row(
        "an answer below its stub",
        chain(moved("one_pole", 1), prepend("%matplotlib notebook")),
        says=("The answer of one_pole was taken from another cell",),
    ),
    Row("an answer above its stub", moved("first_to_settle", 0), says=("taken from another cell",)),
    Row("an answer at the very end", moved("frequency_response"), says=("taken from another cell",)),
    Row("an answer typed over its check", typed_over_the_check, says=("stood where a check belongs",)),
    Row("an answer below a helper at the end", below_a_helper),
    Row("an answer above the imports", first_of_all),
    Row("the name used for something else later", append("one_pole = memory_horizon = 0.9")),
    Row("all cells in reverse order", reversed_cells),
    Row("all checks deleted", without_checks, says=("were missing; they were put back.",)),
    Row(
        "checks edited to pass", for_checks(lambda c: c.update(source="print('passed')")), hides=("'passed'",)
    ),
    Row("a helper in an edited check", with_an_import_in_a_check, says=("had been changed; ours was used.",)),
    Row("other imports", with_other_imports),
    Row("no imports", without_imports, says=("The cell with the imports was missing",)),
    Row(
        "an answer deleted",
        edit(lambda notebook: notebook.cells.remove(answer_cell(notebook, "memory_horizon"))),
        {"memory_horizon": 0},
        UNANSWERED,
        says=("The answer cell of memory_horizon was missing; it was put back empty.",),
    ),
    Row("a written answer beside its cell", beside, says=("taken from the cell beside it",)),
    Row("a written answer in several cells", in_several_cells, says=("taken from the cell beside it",)),
    Row("a written answer in the question", in_the_question, says=("taken from the cell of its question",)),
    Row("a written answer at the end", far_at_the_end, says=("taken from the end of the notebook",)),
    Row(
        "a written answer as raw text",
        edit(lambda notebook: answer_cell(notebook, WRITTEN).update(cell_type="raw")),
        says=("had become a raw cell; it was read as text.",),
    ),
    Row("a written answer emptied", replace(WRITTEN, " \n"), {WRITTEN: 0}, {WRITTEN: "not answered"}),
    Row("answers timed", headed("%%time\n"), says=("Grading runs without these lines: %%time.",)),
    Row(
        "answers below shell lines", headed(SHELL), says=("!pip install torch; %cd ..; %load_ext autoreload",)
    ),
    Row("answers from Colab", headed(COLAB), says=("from google.colab import drive; drive.mount(",)),
    Row(
        "spaces of a web page",
        for_answers(lambda c: c.update(source=c.source.replace("    ", "\u00a0   "))),
        says=("were replaced by plain ones.",),
    ),
    Row(
        "quotes of a web page",
        replace("first_to_settle", "first_to_settle = \u201cc\u201d"),
        {"first_to_settle": 0},
        {"first_to_settle": "raised"},
        says=("invalid character",),
    ),
    Row("three hundred cells more", chain(*[append("own = 1")] * 300), says=("100 of 300 were left out",)),
]
