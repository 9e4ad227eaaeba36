"""The shorthand markers of a source cell, written out: nbgrader metadata, solutions, shown source, ids.

===================================== ==========================================================
``# %% answer="one_pole"``            the stub of an answer; the builder inserts the solution
``# %% check="one_pole" points=5``    a check cell, graded, locked
``# %% [markdown] written="why" ...`` a written answer with ``points=``, marked by a person
``# %% shows="module.function"``      the source of a library function
``# %% id="a-name"``                  a cell id of one's own choice
``<<alpha>>`` in a text               a number of a concept question, which its bank holds
===================================== ==========================================================
"""

import ast
import importlib
import inspect
import re
import textwrap

from grading import CANARY
from grading.bank import Bank, Function, Question
from grading.errors import UserError

MARKERS = ("answer", "check", "written", "points", "shows", "id")


def expand(cell, bank, ids):
    """One source cell with its marker written out: text, id and metadata of the notebook cell."""
    marker = {key: cell.metadata[key] for key in MARKERS if key in cell.metadata}
    source = _with_numbers(cell.source, bank.numbers()) if bank else cell.source
    new = {"cell_type": cell.cell_type, "source": source, "metadata": {}}
    if cell.cell_type == "code":
        new |= {"outputs": [], "execution_count": None}
    if "tags" in cell.metadata:
        new["metadata"]["tags"] = cell.metadata["tags"]
    for kind in ("answer", "check", "written"):
        if kind in marker:
            new["metadata"] |= _nbgrader(kind, marker, cell.cell_type, bank)
    if "answer" in marker:
        new["source"] = _with_solution(source, bank.questions[marker["answer"]])
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


def _with_numbers(text, numbers):
    """A text of an exercise with the numbers of the term in their places."""

    def number(place):
        if place[1] not in numbers:
            raise UserError(f"{place[0]} is no number of a concept question; there are: {', '.join(numbers)}")
        value = numbers[place[1]]
        return value if isinstance(value, str) else f"{value:g}"

    return re.sub(r"<<(\w+)>>", number, text)


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
    wanted = marker.get("id") or (f"{kind}-{marker[kind]}" if kind else _slug(first_line(cell)))
    candidate, count = wanted, 1
    while candidate in ids:
        count += 1
        candidate = f"{wanted}-{count}"
    ids.add(candidate)
    return candidate


def first_line(cell):
    return next((line for line in cell["source"].splitlines() if line.strip()), "")


def _slug(line):
    words = re.findall(r"[A-Za-z0-9]+", line.lower())
    return textwrap.shorten(" ".join(words), 40, placeholder="").replace(" ", "-") or "cell"
