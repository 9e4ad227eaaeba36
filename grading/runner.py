"""Run a rebuilt notebook and ask its functions: answers come back as plain values, nothing else.

A question that is too slow or ends the kernel costs only itself: the kernel is started again, the cells
that did no harm run once more, and the next question is asked.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from course_utils import plain
from course_utils.plain import from_plain, to_plain
from grading import kernel_side
from grading.kernel_side import MIME
from grading.rebuild import answer_name, is_answer
from grading.session import Session

CELL_SECONDS = 20
NOTEBOOK_SECONDS = 120
ANSWER_BYTES = 50_000_000


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
    """One submission in its kernel: loads the cells, then answers calls."""

    def __init__(self, notebook, session: Session):
        self.notebook = notebook
        self.session = session
        self.harmful = {}  # cell id -> "too slow" or "crashed"
        self.errors = {}  # question name -> the error that ended its answer cell

    def load(self):
        """Run every cell but the checks; a harmful one is left out and the rest run again without it."""
        deadline = time.monotonic() + NOTEBOOK_SECONDS
        while not self._run_cells(deadline):
            pass
        self.session.fresh = False

    def _run_cells(self, deadline):
        self.session.start()
        self._install()
        for cell in self.notebook.cells:
            if cell.cell_type != "code" or _is_check(cell) or cell.id in self.harmful:
                continue
            left = max(0.1, deadline - time.monotonic())
            reply = self.session.run(cell.source, min(CELL_SECONDS, left))
            cell.outputs = reply.outputs
            if is_answer(cell) and reply.error():
                self.errors[answer_name(cell)] = reply.error()
            if reply.status in ("too slow", "crashed"):
                self.harmful[cell.id] = reply.status
                return False
        return True

    def _install(self):
        """Put the caller's side into the kernel, in a module of its own."""
        text = Path(plain.__file__).read_text("utf-8") + Path(kernel_side.__file__).read_text("utf-8")
        self.session.run(
            "import sys, types\n"
            "sys.modules['_course'] = types.ModuleType('_course')\n"
            f"exec({text!r}, vars(sys.modules['_course']))\n"
            "del sys, types",
            CELL_SECONDS,
        )

    def call(self, name, arguments, seconds):
        """Call the student's function on these arguments.

        Returns
        -------
        Answer
        """
        return self._ask(f"call({name!r}, {json.dumps([to_plain(a) for a in arguments])!r})", name, seconds)

    def read(self, name):
        """Read the student's variable."""
        return self._ask(f"read({name!r})", name, CELL_SECONDS)

    def _ask(self, code, name, seconds):
        if not self.session.alive():
            self.load()
        reply = self.session.run(f"import sys; sys.modules['_course'].{code}", seconds)
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


def _is_check(cell):
    return "nbgrader" in cell.metadata and not is_answer(cell)


def _parse(reply):
    """The last plain answer among the outputs; anything that has not its form counts as unsupported."""
    published = [output.data[MIME] for output in reply.outputs if MIME in output.get("data", {})]
    try:
        if not published or len(published[-1]) > ANSWER_BYTES:
            raise ValueError
        outcome = json.loads(published[-1])
        status = outcome["status"]
        if status == "ok":
            return Answer("ok", from_plain(outcome["value"]))
        if status == "raised":
            line = f" (line {outcome['line']:d} of your cell)" if outcome["line"] else ""
            kind = str(outcome["type"])
            return Answer("raised", detail=f"{kind}: {outcome['message']}{line}", error_type=kind)
        if status in ("missing", "unanswered", "unsupported"):
            return Answer(status, detail=str(outcome.get("what", "")))
    except (ValueError, KeyError, TypeError):
        pass
    return Answer("unsupported", detail="no plain value came back")
