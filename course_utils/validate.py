"""The student's own check of a notebook: run it from top to bottom and read what its check cells say."""

import json
import os
import re
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from course_utils.checks import VISIBLE

SECONDS_PER_CELL = 60
CHECK_CALL = re.compile(r"""^[ \t]*check(?:_answer)?\(\s*["']?([^\W\d]\w*)""", re.MULTILINE)
COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*m")


class NotValidatable(ValueError):
    """The file cannot be run as an exercise; the message is one sentence for the student."""


@dataclass(frozen=True)
class Result:
    """What one check said: ``passed``, ``failed`` or ``not answered``, and the last line of its error."""

    name: str
    verdict: str
    message: str = ""


def validate(path, seconds=SECONDS_PER_CELL):
    """Run a notebook in a fresh kernel and report on each check in it. The file is only read.

    A cell that takes too long or kills the kernel counts as failed; everything else is then run again
    without it, in a new kernel.

    Parameters
    ----------
    path : the notebook.
    seconds : wall time allowed to one cell.

    Returns
    -------
    List of ``Result``, one for each ``check(...)`` and ``check_answer(...)`` line, in order.

    Raises
    ------
    NotValidatable : when there is nothing to run.
    """
    path = Path(path)
    cells = _code_cells(_read(path))
    if not any(CHECK_CALL.search(cell.source) for cell in cells):
        raise NotValidatable(f"{path} has no check cells: is it an exercise notebook?")
    errors = _run(cells, path.parent, seconds)
    results, earlier = [], ""
    for number, (cell, error) in enumerate(zip(cells, errors, strict=True), start=1):
        names = CHECK_CALL.findall(cell.source)
        results += _judge(names, error, earlier)
        if error and not names:
            earlier = f"code cell {number}: {error}"
    return results + _missing({result.name for result in results})


def _missing(found):
    """A failed result for each check of the same exercise that the notebook no longer makes."""
    for path in sorted(VISIBLE.glob("*.json")):
        exercise = json.loads(path.read_text(encoding="utf-8"))
        names = [*exercise["functions"], *exercise["questions"]]
        if found & set(names):
            lost = "its check cell is missing; grading puts it back and runs it"
            return [Result(name, "failed", lost) for name in names if name not in found]
    return []


def _read(path):
    """The notebook in the current format, or one sentence that says why there is none."""
    if path.is_dir():
        raise NotValidatable(f"{path} is a folder: give the notebook in it, a file that ends in .ipynb")
    if not path.is_file():
        raise NotValidatable(f"there is no file {path}; the path counts from the folder you are in")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotValidatable(f"{path} is not a notebook: what is in it is not text") from error
    except OSError as error:
        raise NotValidatable(f"{path} cannot be read: {error.strerror}") from error
    if not text.strip():
        raise NotValidatable(f"{path} is empty: was it saved?")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing cell ids are of no concern here
            return nbformat.reads(text, as_version=4)
    except (nbformat.reader.NotJSONError, json.JSONDecodeError) as error:
        raise NotValidatable(f"{path} is not a notebook: what is in it is not JSON") from error
    except Exception as error:  # nbformat raises many kinds for JSON of another shape
        raise NotValidatable(f"{path} is not a notebook: it has no list of cells") from error


def _code_cells(notebook):
    cells = notebook.get("cells", [])
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def _run(cells, folder, seconds):
    """The last line of the error of each cell, "" where there was none."""
    broken = {}
    while True:
        fresh = [nbformat.v4.new_code_cell("" if i in broken else c.source) for i, c in enumerate(cells)]
        failure = _run_once(fresh, folder, seconds)
        if failure is None:
            return [broken.get(i) or _last_line(cell) for i, cell in enumerate(fresh)]
        broken |= failure


def _run_once(cells, folder, seconds):
    """Run cells in a new kernel; {position: sentence} when one could not be brought to an end."""
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook, timeout=seconds, kernel_name="python3", allow_errors=True, resources=resources
    )
    library = str(Path(__file__).resolve().parents[1])
    search = os.pathsep.join(filter(None, [library, os.environ.get("PYTHONPATH")]))
    try:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with client.setup_kernel(env=os.environ | {"PYTHONPATH": search}, **quiet):
            for position, cell in enumerate(cells):
                client.execute_cell(cell, position)
    except NoSuchKernel as error:
        raise NotValidatable("there is no Jupyter kernel named python3: run `course check`") from error
    except CellTimeoutError:
        return {position: f"took longer than {seconds:g} s and was stopped"}
    except DeadKernelError:
        return {position: "the kernel died in this cell"}
    return None


def _last_line(cell):
    for output in cell.outputs:
        if output.output_type == "error":
            text = COLOUR_CODES.sub("", output.evalue).strip()
            line = text.splitlines()[-1] if text else ""
            return line if output.ename == "CheckFailed" else f"{output.ename}: {line}".rstrip(": ")
    return ""


def _judge(names, error, earlier):
    """Results of the checks of one cell. Those before the one that the error names have passed."""
    if not error:
        return [Result(name, "passed") for name in names]
    failing = next((i for i, name in enumerate(names) if error.startswith((f"{name}:", f"{name} "))), 0)
    if error.startswith("NameError") and earlier.endswith("NotImplementedError"):
        error = f"{names[failing]} is not answered yet"
    elif error.startswith("NameError") and earlier:
        error = f"{error} ({earlier})"
    verdict = "not answered" if " is not answered yet" in error else "failed"
    results = [Result(name, "passed") for name in names[:failing]]
    results += [Result(name, verdict, error) for name in names[failing : failing + 1]]
    return results + [Result(n, "failed", "not reached: see the check above") for n in names[failing + 1 :]]
