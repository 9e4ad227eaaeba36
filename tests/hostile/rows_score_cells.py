"""Attacks on the score by what stands in the file: test cells and their marks changed, others added."""

from attack import WRONG, Cells
from table import chain, edit, own_cell, replace


def check_cell(notebook, name):
    marks = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    return notebook.cells[marks.index(f"check-{name}")]


def test_emptied(notebook):
    check_cell(notebook, "memory_horizon").source = "pass"


def points_raised(notebook):
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.points = 1000


def marks_swapped(notebook):
    first, second = (check_cell(notebook, name) for name in ("one_pole", "memory_horizon"))
    first.metadata, second.metadata = second.metadata, first.metadata


def test_of_ones_own(notebook):
    notebook.cells.append(own_cell("pass"))
    mark = {"grade": True, "solution": False, "locked": True, "points": 50, "schema_version": 3}
    notebook.cells[-1].metadata["nbgrader"] = mark | {"grade_id": "check-own", "cell_type": "code"}


def test_that_shows_points(notebook):
    test = check_cell(notebook, "memory_horizon")
    test.source = f"3.0\n# {test.source}"


def cells(name, change, bites, **options):
    """A wrong ``memory_horizon`` and a change of the file; ``bites`` as in ``Cells``."""
    steps = chain(replace("memory_horizon", WRONG), edit(change))
    return Cells(name, steps, {"memory_horizon": 0.0}, {"memory_horizon": "wrong"}, bites=bites, **options)


ROWS = [
    cells("a test cell emptied", test_emptied, {"check-memory_horizon": 3}),
    cells("a test cell that shows its points", test_that_shows_points, {"check-memory_horizon": 3}),
    cells("points raised to 1000", points_raised, {"check-one_pole": 1000}),
    cells("the marks of two tests swapped", marks_swapped, {"check-memory_horizon": 3}),
    cells("a test cell of ones own", test_of_ones_own, {"check-own": 50}),
]
