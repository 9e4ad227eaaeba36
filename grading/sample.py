"""The sample class: from the table in ``sample_class/students.py`` to submitted notebooks."""

import hashlib
import importlib.util

import nbformat

from grading import ROOT
from grading.build import to_text
from grading.exercise import released_notebook
from grading.files import write_text
from grading.texts import answer_name, is_answer

FOLDER = ROOT / "grading/sample_class"
EXERCISE = "ex02"  # the exercise that the class hands in


def students():
    """The rows of the table.

    Returns
    -------
    list of ``Student``
    """
    spec = importlib.util.spec_from_file_location("sample_students", FOLDER / "students.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.STUDENTS


def submission(student):
    """The notebook that a student of the table hands in."""
    notebook = released_notebook(EXERCISE)
    cells = []
    for cell in notebook.cells:
        if is_answer(cell) and answer_name(cell) in student.answers:
            cell.source = student.answers[answer_name(cell)].rstrip("\n")
        cells.append(cell)
        cells += [_own_cell(text, student.id) for text, below in student.extra if below == cell.id]
    if "strip_metadata" in student.damage:
        cells = [_stripped(cell, student.id) for cell in cells]
    notebook.cells = cells
    return notebook


def _own_cell(text, student):
    return nbformat.v4.new_code_cell(text.rstrip("\n"), id=_made_up_id(student + text))


def _stripped(cell, student):
    cell.metadata = nbformat.NotebookNode()
    cell.id = _made_up_id(student + cell.id)
    return cell


def _made_up_id(text):
    """An id like JupyterLab's random ones, but the same in every build."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def path_of(student):
    return FOLDER / student.id / EXERCISE / f"{EXERCISE}.ipynb"


def build():
    """Write every sample submission; returns how many there are."""
    for student in students():
        write_text(path_of(student), to_text(submission(student)))
    return len(students())


def stale():
    """The files that differ from the table: [(path from the repository's root, reason)]."""
    return [
        (path_of(student).relative_to(ROOT), "it differs from the table in students.py")
        for student in students()
        if not path_of(student).exists()
        or path_of(student).read_text(encoding="utf-8") != to_text(submission(student))
    ]
