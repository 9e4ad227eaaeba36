"""Run a rebuilt notebook and ask its functions: answers come back as plain values, nothing else.

A question that is too slow or ends the kernel costs only itself: the kernel is started again, the cells
that did no harm run once more, and the next question is asked.
"""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from course_utils import plain
from course_utils.plain import from_plain, to_plain
from grading import kernel_side
from grading.kernel_side import MIME
from grading.rebuild import answer_name, is_answer
from grading.session import Session, readable

CELL_SECONDS = 20
CALL_SECONDS = 10
NOTEBOOK_SECONDS = 120  # afterwards a student's own cells are left out, and answers get ANSWER_SECONDS
ANSWER_SECONDS = 5
MOST_STARTS = 6  # of the kernel, for one submission
COURSE = "__import__('sys').modules['_course']"


@dataclass
class Answer:
    """What one call gave.

    status : ``ok``, ``raised``, ``unsupported``, ``missing``, ``unanswered``, ``too slow`` or ``crashed``.
    value : the returned value when ``ok``.
    detail : the error or the unsupported type, in words.
    error_type : the exception's class name when ``raised``.
    """

    status: str
    value: object = None
    detail: str = ""
    error_type: str = ""


class Sitting:
    """One submission in its kernel: loads the cells, then answers calls.

    Parameters
    ----------
    notebook : the rebuilt notebook; it gets the outputs of its cells, from before the first question.
    stubs : {question: text of its untouched answer cell}; an untouched stub is never run.
    session : an entered ``Session``.
    """

    def __init__(self, notebook, stubs, session: Session):
        self.notebook, self.stubs, self.session = notebook, stubs, session
        self.harmful = {}  # cell id -> "too slow" or "crashed"
        self.errors = {}  # question name -> the error that ended its answer cell
        self.starts = 0
        self.asked = False  # whether the student's code has met an input of ours
        self.deadline = time.monotonic() + NOTEBOOK_SECONDS

    def ready(self):
        """Load the cells if the kernel is not running; False when it may not be started again."""
        while not self.session.alive():
            if self.starts == MOST_STARTS:
                return False
            self._run_cells()
        return True

    def _run_cells(self):
        """Start the kernel and run every cell; one that ends the kernel is left out the next time."""
        self.starts += 1
        self.session.start()
        self._install()
        for cell in self.notebook.cells:
            if cell.cell_type != "code" or cell.id in self.harmful:
                continue
            if _is_check(cell):
                self.session.run(f"{COURSE}.keep({answer_name(cell)!r})", CELL_SECONDS)
            elif not is_answer(cell) or cell.source != self.stubs[answer_name(cell)]:
                self._run_cell(cell)
            if not self.session.alive():
                return

    def _run_cell(self, cell):
        left = self.deadline - time.monotonic()
        if left <= 0 and not is_answer(cell) and cell.id.startswith("extra-"):
            self.harmful[cell.id] = "too slow"
            return
        reply = self.session.run(_without_magics(cell.source), min(CELL_SECONDS, max(left, ANSWER_SECONDS)))
        if not self.asked:  # afterwards a cell may show inputs that it should not have seen
            cell.outputs = reply.outputs
        if is_answer(cell) and reply.error():
            self.errors[answer_name(cell)] = reply.error()
        if reply.status in ("too slow", "crashed"):
            self.harmful[cell.id] = reply.status

    def _install(self):
        """Put the caller's side into the kernel, in a module of its own; exit() must not end the kernel."""
        text = Path(plain.__file__).read_text("utf-8") + Path(kernel_side.__file__).read_text("utf-8")
        self.session.run(
            "import sys, types\n"
            "sys.modules['_course'] = types.ModuleType('_course')\n"
            f"exec({text!r}, vars(sys.modules['_course']))\n"
            "get_ipython().ask_exit = lambda: None\n"
            "del sys, types",
            CELL_SECONDS,
        )

    def call(self, name, arguments, seconds=CALL_SECONDS):
        """Call the student's function on these arguments.

        Returns
        -------
        Answer
        """
        return self._ask(f"call({name!r}, {json.dumps([to_plain(a) for a in arguments])!r})", name, seconds)

    def read(self, name):
        """Read the student's variable."""
        return self._ask(f"read({name!r})", name, CALL_SECONDS)

    def _ask(self, code, name, seconds):
        if not self.ready():
            return Answer("crashed")
        self.asked = True
        reply = self.session.run(f"{COURSE}.{code}", seconds)
        if reply.status in ("too slow", "crashed"):
            return Answer(reply.status)
        answer = _parse(reply)
        if answer.status == "missing":
            return self._why_missing(name)
        return answer

    def _why_missing(self, name):
        """A name that does not exist: its cell failed, did harm, or was never answered."""
        error = self.errors.get(name, "NotImplementedError")
        cell = next(c for c in self.notebook.cells if is_answer(c) and answer_name(c) == name)
        if cell.id in self.harmful:
            return Answer(self.harmful[cell.id])
        if error.startswith("NotImplementedError"):
            return Answer("missing")
        return Answer(
            "raised", detail=f"the answer cell ends with {error}", error_type=error.partition(":")[0]
        )

    def notes(self):
        """One line for the student about each of their own cells that could not be run to its end."""
        names = {cell.id: answer_name(cell) for cell in self.notebook.cells if is_answer(cell)}
        words = {"too slow": "took too long and was stopped", "crashed": "ended the Python process"}
        return [
            f"{f'The answer cell of {names[cell]}' if cell in names else 'A cell of yours'} {words[why]}."
            for cell, why in self.harmful.items()
        ]


def _without_magics(source):
    """The source without ``%matplotlib`` lines: which window a plot opens in is of no concern here."""
    return re.sub(r"^\s*%matplotlib\b.*$", "", source, flags=re.M)


def _is_check(cell):
    return "nbgrader" in cell.metadata and not is_answer(cell)


def _parse(reply):
    """The last plain answer among the outputs; anything that has not its form counts as unsupported."""
    published = [output.data[MIME] for output in reply.outputs if MIME in output.get("data", {})]
    try:
        if not published:
            raise ValueError
        outcome = json.loads(published[-1])
        status = outcome["status"]
        if status == "ok":
            return Answer("ok", from_plain(outcome["value"]))
        if status == "raised":
            line = f" (line {outcome['line']:d} of your cell)" if outcome["line"] else ""
            kind = readable(str(outcome["type"]))
            return Answer("raised", detail=readable(f"{kind}: {outcome['message']}{line}"), error_type=kind)
        if status in ("missing", "unanswered", "unsupported"):
            return Answer(status, detail=readable(str(outcome.get("what", ""))))
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return Answer("unsupported", detail="no plain value came back")
