"""Grading in a process of its own that may be ended: no file, however it is made, holds a class up.

The sandbox ends a submission's code. Reading, rebuilding and judging meet what a stranger wrote as well, and
a text can be made on which they would take hours or all memory. So a class run leaves them to a worker with a
limit on its memory, waits so long and no longer, and takes a new worker after one that was ended.
"""

import json
import multiprocessing
import traceback

import nbformat

from grading.errors import UserError
from grading.grade import grade_bytes
from grading.results import Outcome
from grading.runner import SUBMISSION_SECONDS

WORKER_SECONDS = SUBMISSION_SECONDS + 90  # for one submission, reading and the start of kernels included
WORKER_BYTES = 3 * 2**30


class Worker:
    """A process that grades one submission after another; a context manager that leaves none behind."""

    def __init__(self, seconds=WORKER_SECONDS):
        self.seconds = seconds
        self.process = self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()

    def grade(self, data, exercise, seed):
        """Grade the bytes of one file, as ``grade.grade_bytes`` does.

        Raises
        ------
        UserError : when the file takes too long or needs too much memory, and what ``grade_bytes`` raises.
        RuntimeError : when the grader itself failed; its note is the worker's traceback.
        """
        if self.process is None:
            self._start()
        self.connection.send((data, exercise, seed))
        if not self.connection.poll(self.seconds):
            self._end()
            raise UserError(f"reading and grading it took more than {self.seconds} seconds")
        try:
            answer = json.loads(self.connection.recv_bytes())
        except EOFError:
            self._end()
            raise UserError("reading or grading it ended the process that did it") from None
        return _unpacked(answer)

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def _end(self):
        if self.process:
            self.connection.close()
            self.process.kill()
            self.process.join()
        self.process = self.connection = None


def _unpacked(answer):
    if "fault" in answer:
        error = RuntimeError(answer["fault"])
        error.add_note(answer["traceback"])
        raise error
    if "problem" in answer:
        raise UserError(answer["problem"])
    notebook = answer["notebook"] and nbformat.reads(answer["notebook"], as_version=4)
    return Outcome.from_dict(answer["outcome"]), notebook


def _serve(connection):
    """Grade what comes until the other end is closed."""
    _limit_memory()
    while True:
        try:
            data, exercise, seed = connection.recv()
        except EOFError:
            return
        connection.send_bytes(json.dumps(_graded(data, exercise, seed)).encode())


def _graded(data, exercise, seed):
    try:
        outcome, notebook = grade_bytes(data, exercise, seed)
        return {"outcome": outcome.to_dict(), "notebook": notebook and nbformat.writes(notebook)}
    except UserError as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": "reading and grading it needs more memory than there is for one file"}
    except Exception as error:
        fault = str(error).strip() or type(error).__name__
        return {"fault": fault, "traceback": traceback.format_exc()}


def _limit_memory():
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (WORKER_BYTES, WORKER_BYTES))
