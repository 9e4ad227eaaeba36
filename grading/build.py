"""``course build``: from a py:percent source to its notebook, one way.

Sources are edited by hand; notebooks are generated, with fixed readable cell ids, so that a rebuild of
the same source gives the same bytes (the outputs of lessons come from running them).
"""

import ast
import copy
import importlib
import inspect
import json
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from course_utils.plain import to_plain
from grading import CANARY, ROOT
from grading.bank import Bank, Function, Question, load_bank
from grading.errors import UserError
from grading.files import write_text

LESSON_SECONDS = 180
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
MARKERS = ("answer", "check", "written", "points", "shows", "id")


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
            cells.append(_expand(cell, bank, ids))
        except UserError as error:
            where = target.source.relative_to(ROOT)
            raise UserError(f"{where}, cell {number} ({_first_line(cell)!r}): {error}") from None
    return nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def _expand(cell, bank, ids):
    """One source cell with its marker written out: text, id and metadata of the notebook cell."""
    marker = {key: cell.metadata[key] for key in MARKERS if key in cell.metadata}
    new = {"cell_type": cell.cell_type, "source": cell.source, "metadata": {}}
    if cell.cell_type == "code":
        new |= {"outputs": [], "execution_count": None}
    if "tags" in cell.metadata:
        new["metadata"]["tags"] = cell.metadata["tags"]
    for kind in ("answer", "check", "written"):
        if kind in marker:
            new["metadata"] |= _nbgrader(kind, marker, cell.cell_type, bank)
    if "answer" in marker:
        new["source"] = _with_solution(cell.source, bank.questions[marker["answer"]])
    if "shows" in marker:
        new["source"] = shown_source(marker["shows"])
    new["id"] = _cell_id(marker, new, ids)
    return new


def _nbgrader(kind, marker, cell_type, bank: Bank | None):
    """The nbgrader metadata that a shorthand marker stands for."""
    name = marker[kind]
    if bank is None or name not in bank.questions:
        raise UserError(f"the marker names {name!r}, which is no question of the exercise's bank")
    if kind != "answer" and not isinstance(marker.get("points"), int | float):
        raise UserError(f'{kind}="{name}" needs points=, the number of points it is worth')
    fields = {
        "schema_version": 3,
        "grade_id": f"{kind}-{name}",
        "grade": kind != "answer",
        "solution": kind != "check",
        "locked": kind == "check",
        "task": False,
        "cell_type": cell_type,
    }
    if kind != "answer":
        fields["points"] = marker["points"]
    return {"nbgrader": fields}


def _with_solution(stub, question):
    """The answer cell of the source notebook: the stub with the right answer between nbgrader's marks."""
    if isinstance(question, Question):
        begin, end = "### BEGIN SOLUTION", "### END SOLUTION"
        answer = f"{begin}\n{question.name} = {question.answer!r}\n{end}"
        solved = re.sub(rf"^{question.name} = \.\.\.$", lambda _: answer, stub, flags=re.M)
        if solved == stub:
            raise UserError(f"the cell needs the line {question.name} = ...")
        return solved
    return _function_solution(stub, question)


def _function_solution(stub, question: Function):
    reference = ast.parse(textwrap.dedent(inspect.getsource(question.reference))).body[0]
    ours = next((node for node in ast.parse(stub).body if getattr(node, "name", "") == question.name), None)
    if ours is None or ast.unparse(ours.body[-1]) != "...":
        raise UserError(f"the stub must define {question.name} with a docstring and a body of ...")
    if ast.unparse(ours.args) != ast.unparse(reference.args):
        raise UserError(
            f"the stub's arguments ({ast.unparse(ours.args)}) are not those of the reference "
            f"({ast.unparse(reference.args)})"
        )
    lines = stub.splitlines()
    body = textwrap.indent(_body(question.reference), "    ")
    solution = [f"    ### BEGIN SOLUTION\n    # {CANARY}", body, "    ### END SOLUTION"]
    last = ours.body[-1].lineno
    return "\n".join([*lines[: last - 1], *solution, *lines[last:]])


def _body(function):
    """The statements of a function as text, without signature and docstring."""
    text = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(text).body[0]
    first = node.body[1] if ast.get_docstring(node) else node.body[0]
    return textwrap.dedent("\n".join(text.splitlines()[first.lineno - 1 :]))


def shown_source(dotted):
    """The text of a library function for "show once, then import": its docstring is cut to one line.

    >>> print(shown_source("course_utils.filters.horizon").splitlines()[0])
    def horizon(alpha):
    """
    module, _, name = dotted.rpartition(".")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise UserError(f"shows={dotted!r} is not in the library") from None
    text = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(text).body[0]
    signature = "\n".join(text.splitlines()[: node.body[0].lineno - 1])
    doc = f'    """{inspect.getdoc(function).splitlines()[0]}"""'
    return "\n".join([signature, doc, textwrap.indent(_body(function), "    ")])


def _cell_id(marker, cell, ids):
    """A readable id: from the marker, else from the first words; a repeated one gets a number."""
    kind = next((key for key in ("answer", "check", "written") if key in marker), None)
    wanted = marker.get("id") or (f"{kind}-{marker[kind]}" if kind else _slug(_first_line(cell)))
    candidate, count = wanted, 1
    while candidate in ids:
        count += 1
        candidate = f"{wanted}-{count}"
    ids.add(candidate)
    return candidate


def _first_line(cell):
    return next((line for line in cell["source"].splitlines() if line.strip()), "")


def _slug(line):
    words = re.findall(r"[A-Za-z0-9]+", line.lower())
    return "-".join(words)[:40].strip("-") or "cell"


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
        resources={"metadata": {"path": str(target.notebook.parent)}},
        on_cell_executed=lambda cell_index, **_: on_cell(cell_index + 1),
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        failed = next((c for c in notebook.cells if _has_error(c)), None)
        cell = f"cell {failed.id!r}" if failed else "a cell"
        reason = str(error).strip().splitlines()[-1]
        raise UserError(f"{target.source.relative_to(ROOT)}, {cell} failed: {reason}") from None
    notebook.metadata.language_info = nbformat.from_dict(METADATA["language_info"])
    return _tidy_outputs(notebook)


def _has_error(cell):
    tags = cell.metadata.get("tags", [])
    outputs = cell.get("outputs", []) if "raises-exception" not in tags else []
    return any(output.output_type == "error" for output in outputs)


def _tidy_outputs(notebook):
    """Join split streams and number the widget models, so that a rebuild changes only what changed."""
    for cell in notebook.cells:
        joined = []
        for output in cell.get("outputs", []):
            before = joined[-1] if joined else None
            if before and output.output_type == before.output_type == "stream" and output.name == before.name:
                before.text += output.text
            else:
                joined.append(output)
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
    committed = nbformat.read(target.notebook, as_version=4)
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
                "args": [to_plain(argument) for argument in case.args],
                "expected": to_plain(function.reference(*copy.deepcopy(case.args))),
                "hint": case.hint,
            }
            for case in function.visible_cases()
        ]
    questions = {q.name: {"choices": list(q.choices)} if q.choices else {} for q in bank.of_kind(Question)}
    text = json.dumps({"functions": functions, "questions": questions}, indent=1)
    return re.sub(r"\n\s+(?=[-\d\]])", " ", text) + "\n"


def write_visible(exercise):
    """Record the visible cases of an exercise in the student's library."""
    write_text(visible_path(exercise), visible(exercise))
