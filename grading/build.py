"""``course build``: from a py:percent source to its notebook, one way.

Sources are edited by hand; notebooks are generated, with fixed readable cell ids, so that a rebuild of
the same source gives the same bytes (the outputs of lessons come from running them).
"""

import copy
import json
import re
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from course_utils.plain import to_plain
from grading import ROOT
from grading.bank import Function, Question, load_bank
from grading.errors import UserError
from grading.files import write_text
from grading.markers import expand, first_line

LESSON_SECONDS = 180
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
UNSTORED = "unstored"
"""Tag of a cell whose output is other people's text, read from the installed libraries: it is not kept."""
NOT_STORED = "(text of the libraries on your machine: run the cell to see it)\n"
METADATA = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}


@dataclass
class Target:
    """One generated notebook: its name, its source and where it goes."""

    name: str
    source: Path
    notebook: Path
    is_exercise: bool


def targets(names=()):
    """The lessons and exercises that exist, or those named.

    Raises
    ------
    UserError : for a name that has no source.
    """
    found = [
        Target(path.stem, path, ROOT / "notebooks" / f"{path.stem}.ipynb", False)
        for path in sorted((ROOT / "notebooks/src").glob("[0-9][0-9]_*.py"))
    ] + [
        Target(path.stem, path, ROOT / "grading/source" / path.stem / f"{path.stem}.ipynb", True)
        for path in sorted((ROOT / "grading/exercises").glob("ex??.py"))
    ]
    by_name = {target.name: target for target in found}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise UserError(f"nothing to build is called {unknown[0]!r}; there are: {', '.join(by_name)}")
    return [by_name[name] for name in names] if names else found


def assemble(target):
    """The notebook of a source, without outputs.

    Returns
    -------
    nbformat.NotebookNode, with cell ids taken from markers, headings or first lines.

    Raises
    ------
    UserError : naming file and cell, for a marker that cannot be expanded.
    """
    parsed = jupytext.reads(target.source.read_text(encoding="utf-8"), fmt="py:percent")
    bank = load_bank(target.name) if target.is_exercise else None
    cells, ids = [], set()
    for number, cell in enumerate(parsed.cells, start=1):
        try:
            cells.append(expand(cell, bank, ids))
        except UserError as error:
            where = target.source.relative_to(ROOT)
            raise UserError(f"{where}, cell {number} ({first_line(cell)!r}): {error}") from None
    return nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def execute(notebook, target, on_cell=lambda done: None):
    """Run a lesson and keep its outputs.

    Raises
    ------
    UserError : naming file and cell, when a cell fails or takes too long.
    """
    client = NotebookClient(
        notebook,
        timeout=LESSON_SECONDS,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(target.notebook.parent)}},
        on_cell_executed=lambda cell_index, **_: on_cell(cell_index + 1),
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        failed = next((cell for cell in notebook.cells if _error(cell)), None)
        where = f"{target.source.relative_to(ROOT)}, cell {failed.id!r}" if failed else target.source.name
        reason = _error(failed) if failed else str(error).strip().splitlines()[0]
        raise UserError(f"{where} failed: {reason}") from None
    notebook.metadata.language_info = nbformat.from_dict(METADATA["language_info"])
    return _tidy_outputs(notebook)


def _error(cell):
    """The error that a cell was not meant to raise, as one line, or None."""
    if "raises-exception" not in cell.metadata.get("tags", []):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"{output.ename}: {output.evalue}"
    return None


def _tidy_outputs(notebook):
    """Join split streams and number the widget models, so that a rebuild changes only what changed.

    What a cell with the tag ``unstored`` shows is replaced by a line that says so.
    """
    for cell in notebook.cells:
        joined = []
        for output in cell.get("outputs", []):
            before = joined[-1] if joined else None
            if before and output.output_type == before.output_type == "stream" and output.name == before.name:
                before.text += output.text
            else:
                joined.append(output)
        if UNSTORED in cell.metadata.get("tags", []):
            joined = [nbformat.v4.new_output("stream", name="stdout", text=NOT_STORED)]
        if cell.cell_type == "code":
            cell.outputs = joined
    text = json.dumps(notebook)
    models = dict.fromkeys(re.findall(r'"(?:IPY_MODEL_)?([0-9a-f]{32})"', text))
    for number, model in enumerate(models):
        text = text.replace(model, f"{number:032x}")
    return nbformat.from_dict(json.loads(text))


def to_text(notebook):
    """The bytes of a notebook file, as text: sorted keys, one space, final newline."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def build(target, on_cell=lambda done: None):
    """Build one notebook and write it; a lesson is executed first."""
    notebook = assemble(target)
    if not target.is_exercise:
        notebook = execute(notebook, target, on_cell)
    else:
        write_visible(target.name)
    write_text(target.notebook, to_text(notebook))


def stale(target):
    """Why the committed notebook is not what its source builds, or None. Outputs are not compared."""
    if not target.notebook.exists():
        return "it is missing"
    try:
        committed = nbformat.read(target.notebook, as_version=4)
    except ValueError:
        return "it cannot be read"
    fresh = assemble(target)
    if len(committed.cells) != len(fresh.cells):
        return f"it has {len(committed.cells)} cells, its source {len(fresh.cells)}"
    for old, new in zip(committed.cells, fresh.cells, strict=True):
        for key in ("id", "cell_type", "source", "metadata"):
            if old[key] != new[key]:
                return f"the {key} of cell {new['id']!r} differs"
    without_widgets = {key: value for key, value in committed.metadata.items() if key != "widgets"}
    if without_widgets != fresh.metadata:
        return "the notebook's metadata differ"
    if not target.is_exercise and not any(cell.get("outputs") for cell in committed.cells):
        return "it was never executed"
    if target.is_exercise and not visible_path(target.name).exists():
        return "its recorded visible cases are missing"
    if target.is_exercise and visible_path(target.name).read_text(encoding="utf-8") != visible(target.name):
        return "the recorded visible cases differ from the bank's"
    return None


def visible_path(exercise):
    """Where the visible cases of an exercise are recorded for students."""
    return ROOT / "course_utils/visible" / f"{exercise}.json"


def visible(exercise):
    """The text of the visible-case file: inputs and recorded values, computed by the references."""
    bank = load_bank(exercise)
    functions = {}
    for function in bank.of_kind(Function):
        functions[function.name] = [
            {
                "title": case.title,
                "args": [to_plain(argument, inputs=True) for argument in case.args],
                **_expected(function, case),
                "hint": case.hint,
                **({"terms": [function.terms[term] for term in case.terms]} if case.terms else {}),
            }
            for case in function.visible_cases()
        ]
    questions = {q.name: {"choices": list(q.choices)} if q.choices else {} for q in bank.of_kind(Question)}
    text = json.dumps({"functions": functions, "questions": questions}, indent=1)
    return re.sub(r"\n\s+(?=[-\d\]])", " ", text) + "\n"


def _expected(function, case):
    """What a visible case expects: the reference's answer, or the parts of its band."""
    if case.band:
        return {"truth": to_plain(case.band.truth), "at_least": case.band.at_least}
    return {"expected": to_plain(function.reference(*copy.deepcopy(case.args)))}


def write_visible(exercise):
    """Record the visible cases of an exercise in the student's library."""
    write_text(visible_path(exercise), visible(exercise))
