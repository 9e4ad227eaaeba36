"""Run a rebuilt notebook and ask its functions: answers come back as plain values, nothing else.

A question that is too slow or ends the kernel costs only itself: the kernel is started again, the cells
that did no harm run once more, and the next question is asked. One deadline holds for the submission.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from course_utils import plain
from course_utils.plain import from_plain, to_plain
from grading import kernel_side
from grading.magics import runnable
from grading.session import Session, readable
from grading.stages import stage
from grading.texts import answer_name, is_answer, is_check, is_extra

SUBMISSION_SECONDS = 240  # afterwards nothing is started any more
NOTEBOOK_SECONDS = 120  # afterwards a student's own cells are left out, and answers get ANSWER_SECONDS
CELL_SECONDS = 20  # the answer cell of a function may take as long as its calls, if that is longer
ANSWER_SECONDS = 5
READ_SECONDS = 10  # for a concept answer; a function has the seconds of its bank
MOST_STARTS = 30  # of the kernel, for one submission; a function that always ends it takes four
MOST_OUTPUTS = 100  # kept of one cell
COURSE = "__import__('sys').modules['_course']"
NO_VALUE = "no plain value came back"
TOO_LONG = "the time for the whole notebook is used up"


@dataclass
class Answer:
    """What one call gave.

    status : ``ok``, ``raised``, ``unsupported``, ``missing``, ``unanswered``, ``too slow`` or ``crashed``.
    value : the returned value when ``ok``.
    detail : the error, the unsupported type or the reason, in words.
    error_type : the exception's class name when ``raised``.
    changed : the positions of the inputs that the function changed.
    final : whether every other call of the same function would end like this one.
    seconds : how long it took.
    """

    status: str
    value: object = None
    detail: str = ""
    error_type: str = ""
    changed: tuple = ()
    final: bool = False
    seconds: float = 0.0


class Sitting:
    """One submission in its kernel: loads the cells, then answers calls.

    Parameters
    ----------
    notebook : the rebuilt notebook; it gets the outputs of its cells, from before the first fresh input.
    stubs : {question: text of its untouched answer cell}; an untouched stub is never run.
    session : an entered ``Session``.
    seconds : {question: time for all calls of a function}.
    """

    def __init__(self, notebook, stubs, session: Session, seconds=None):
        self.notebook, self.stubs, self.session = notebook, stubs, session
        self.seconds = seconds or {}
        self.harmful = {}  # cell id -> "too slow" or "crashed"
        self.reasons = {}  # cell id -> why the kernel was ended, if the session says so
        self.errors = {}  # question name -> the error that ended its answer cell
        self.starts = 0
        self.sealed = False  # once a fresh input is in the kernel, nothing that it says is repeated to anyone
        self.began = time.monotonic()

    def _left(self, seconds=None):
        """What is left of so many seconds, or of all that this submission has."""
        return self.began + (seconds or SUBMISSION_SECONDS) - time.monotonic()

    def _late(self):
        return TOO_LONG if self._left() <= 0 else ""

    def ready(self):
        """Load the cells if the kernel is not running; False when it may not be started again."""
        while not self.session.alive():
            if self.starts == MOST_STARTS or self._left() <= 0:
                return False
            self._run_cells()
        return self._left() > 0

    def _run_cells(self):
        """Start the kernel and run every cell; one that ends the kernel is left out the next time."""
        self.starts += 1
        self.session.start()
        self._install()
        for cell in self.notebook.cells:
            if not self.session.alive() or self._left() <= 0:
                return
            if cell.cell_type != "code" or cell.id in self.harmful:
                continue
            if is_check(cell):
                self.session.run(f"{COURSE}.keep({answer_name(cell)!r})", CELL_SECONDS)
            elif not is_answer(cell) or cell.source != self.stubs[answer_name(cell)]:
                with stage("student code" if is_answer(cell) or is_extra(cell) else "import"):
                    self._run_cell(cell)

    def _run_cell(self, cell):
        left = self._left(NOTEBOOK_SECONDS)
        if left <= 0 and not is_answer(cell) and is_extra(cell):
            self.harmful[cell.id] = "too slow"
            return
        seconds = min(self._longest(cell), max(left, ANSWER_SECONDS), self._left())
        reply = self.session.run(runnable(cell.source), seconds)
        if reply.status in ("too slow", "crashed"):
            self.harmful[cell.id] = reply.status
            self.reasons[cell.id] = reply.reason
        if self.sealed:
            return
        cell.outputs = _first(reply.outputs)
        if is_answer(cell) and reply.error():
            self.errors[answer_name(cell)] = reply.error()

    def _longest(self, cell):
        own = self.seconds.get(answer_name(cell), 0) if is_answer(cell) else 0
        return max(CELL_SECONDS, own)

    @stage("import")
    def _install(self):
        """Put the caller's side into the kernel, in a module of its own; exit() must not end the kernel."""
        text = Path(plain.__file__).read_text("utf-8") + Path(kernel_side.__file__).read_text("utf-8")
        self.session.run(
            "import sys, types\n"
            "sys.modules['_course'] = types.ModuleType('_course')\n"
            f"exec({text!r}, vars(sys.modules['_course']))\n"
            "sys.modules['_course'].limit_output()\n"
            "get_ipython().ask_exit = lambda: None\n"
            "del sys, types",
            CELL_SECONDS,
        )

    def calls(self, name, cases, seconds):
        """Call the student's function on one case after another, in one execution.

        Parameters
        ----------
        cases : the arguments of each call.
        seconds : for all of them.

        Returns
        -------
        the Answers up to the first call that is too slow or that something else came between; one at least,
        unless the kernel ended and it cannot be told at which of several
        """
        inputs = [json.dumps([to_plain(argument, inputs=True) for argument in case]) for case in cases]
        answers = self._ask(f"call({name!r}, {inputs!r})", name, seconds, len(cases))
        for answer, arguments in zip(answers, cases, strict=False):
            answer.changed = tuple(n for n in range(len(arguments)) if n in answer.changed)
        return answers

    def read(self, name):
        """Read the student's variable."""
        return self._ask(f"read({name!r})", name, READ_SECONDS)[0]

    @stage("probe")
    def _ask(self, code, name, seconds, asked=1):
        if not self.ready():
            return [Answer("too slow" if self._late() else "crashed", detail=self._late(), final=True)]
        started = time.monotonic()
        reply = self.session.run(f"{COURSE}.{code}", min(seconds, self._left()), asked)
        answers = _answers(reply, started)
        if reply.status == "too slow" or (reply.status == "crashed" and asked == 1):
            trouble = Answer(reply.status, detail=reply.reason or self._late())
            return [*answers[: asked - 1], trouble]
        if not answers and asked == 1:
            return [Answer("unsupported", detail=NO_VALUE)]
        return [self._why_missing(name) if one.status == "missing" else one for one in answers]

    def _why_missing(self, name):
        """A name that does not exist: its cell failed, did harm, or was never answered."""
        error = self.errors.get(name, "NotImplementedError")
        cell = next(c for c in self.notebook.cells if is_answer(c) and answer_name(c) == name)
        if cell.id in self.harmful:
            detail = self.reasons.get(cell.id) or "its answer cell did not come to its end"
            return Answer(self.harmful[cell.id], detail=detail, final=True)
        if error.startswith("NotImplementedError"):
            return Answer("missing", final=True)
        detail, kind = f"the answer cell ends with {error}", error.partition(":")[0]
        return Answer("raised", detail=detail, error_type=kind, final=True)

    def notes(self):
        """One line for the student about each of their own cells that could not be run to its end."""
        words = {"too slow": "took too long and was stopped", "crashed": "ended the Python process"}
        lines, last = [], ""
        for cell in self.notebook.cells:
            last = answer_name(cell) if is_answer(cell) else last
            if cell.id in self.harmful:
                place = f"A cell after the answer to {last}" if last else "A cell above the first answer"
                what = f"The answer cell of {last}" if is_answer(cell) else place
                why = f": {self.reasons[cell.id]}" if self.reasons.get(cell.id) else ""
                lines.append(f"{what} {words[self.harmful[cell.id]]}{why}.")
        return lines


def _first(outputs):
    """The outputs of a cell up to the limit, and the error that ended it."""
    return outputs[:MOST_OUTPUTS] + [o for o in outputs[MOST_OUTPUTS:] if o.output_type == "error"]


def _answers(reply, started):
    """The answers up to the first that did not come."""
    answers = []
    for number in range(reply.asked):
        if number not in reply.answers:
            break
        text, came = reply.answers[number]
        answers.append(_parse(text))
        answers[-1].seconds, started = came - started, came
    return answers


def _parse(text):
    """A plain answer; anything that has not its form counts as unsupported."""
    try:
        outcome = json.loads(text)
        status = outcome["status"]
        changed = tuple(outcome.get("changed", []))
        if status == "ok":
            return Answer("ok", from_plain(outcome["value"]), changed=changed)
        if status == "raised":
            line = f" (line {outcome['line']:d} of your cell)" if outcome["line"] else ""
            kind = readable(str(outcome["type"]))[:100]
            detail = readable(f"{kind}: {str(outcome['message'])[:300]}{line[:40]}")
            return Answer("raised", detail=detail, error_type=kind, changed=changed)
        if status in ("missing", "unanswered", "unsupported"):
            return Answer(status, detail=readable(str(outcome.get("what", "")))[:300])
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return Answer("unsupported", detail=NO_VALUE)
