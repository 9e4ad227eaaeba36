"""The two notebooks of an exercise: the source with its solutions, and what students receive."""

import copy
import functools

import nbformat
from nbgrader.preprocessors import (
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
    NbGraderPreprocessor,
)

from grading import ROOT
from grading.bank import load_bank
from grading.errors import UserError
from grading.texts import answer_name, is_answer


class NameAnswers(NbGraderPreprocessor):
    """After nbgrader's ClearSolutions: the stub of a concept answer says which name to set."""

    def preprocess_cell(self, cell, resources, cell_index):
        stub = ClearSolutions().code_stub["python"]
        if cell.cell_type == "code" and is_answer(cell) and cell.source.strip() == stub:
            cell.source = f"{answer_name(cell)} = ...  # put your answer in place of the three dots"
        return cell, resources


RELEASE_STEPS = (LockCells, ClearSolutions, NameAnswers, ClearOutput, ComputeChecksums)
"""From the source notebook to the released one; nbgrader's ``generate_assignment`` runs the same."""


@functools.lru_cache(maxsize=16)
def _source(exercise):
    load_bank(exercise)  # refuses an unknown exercise
    path = ROOT / "grading/source" / exercise / f"{exercise}.ipynb"
    if not path.exists():
        raise UserError(f"{path.relative_to(ROOT)} is missing; build it with: course build {exercise}")
    return nbformat.read(path, as_version=4)


def source_notebook(exercise):
    """The built source notebook of an exercise, solutions included.

    Raises
    ------
    UserError : when it has not been built.
    """
    return copy.deepcopy(_source(exercise))


@functools.lru_cache(maxsize=16)
def _released(exercise):
    notebook = source_notebook(exercise)
    for step in RELEASE_STEPS:
        notebook, _ = step().preprocess(notebook, {})
    return notebook


def released_notebook(exercise):
    """What students receive: nbgrader's own steps applied to the source notebook."""
    return copy.deepcopy(_released(exercise))


def worth(exercise):
    """The points of every question, in the order of the notebook: {name: max_points}."""
    marked = (cell for cell in _released(exercise).cells if "nbgrader" in cell.metadata)
    return {answer_name(c): float(c.metadata.nbgrader.points) for c in marked if c.metadata.nbgrader.grade}
