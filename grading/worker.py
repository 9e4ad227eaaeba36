"""Grading in a process of its own that may be ended: no file, however it is made, holds a class up.

The sandbox ends a submission's code. Reading, rebuilding and judging meet what a stranger wrote as well, and
a text can be made on which they would take hours or all memory. So a class run leaves them to a worker with a
limit on its memory, waits so long and no longer, and takes a new worker after one that was ended.
"""

import contextlib
import errno
import json
import multiprocessing
import os
import signal
import sys
import threading
import traceback

import nbformat
import psutil

from grading import sandbox, stages, warm
from grading.errors import UserError, in_words
from grading.grade import grade_bytes
from grading.results import Outcome
from grading.runner import SUBMISSION_SECONDS

WORKER_SECONDS = SUBMISSION_SECONDS + 90  # for one submission, reading and the start of kernels included
WORKER_BYTES = 3 * 2**30
END_SECONDS = 3  # for a process to end its kernel, before it is ended itself
TRIES = 2  # of a file at which the process ended: it may have been somebody else who ended it
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EROFS}
"""What is wrong with the machine, and with no submission."""
FORKSERVER = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Worker:
    """A process that grades one submission after another; a context manager that leaves none behind."""

    def __init__(self, seconds=WORKER_SECONDS):
        self.seconds = seconds
        self.process = self.connection = None
        self.closed = False
        self.busy = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the process, also from another thread than the one that waits for its answer."""
        self.closed = True
        if process := self.process:
            process.terminate()  # it takes its kernel and their folders with it
        with self.busy:
            self._end()

    def grade(self, data, exercise, seed):
        """Grade the bytes of one file, as ``grade.grade_bytes`` does.

        Raises
        ------
        UserError : when the file takes too long or needs too much memory, and what ``grade_bytes`` raises.
        RuntimeError : when the grader itself failed; its note is the worker's traceback.
        """
        return unpacked(self.answer(data, exercise, seed))

    def answer(self, data, exercise, seed):
        """The same in JSON types: "outcome", "notebook" and "seconds", or "problem", "fault" or "unfit"."""
        with self.busy:
            for _ in range(TRIES):
                if self.closed:
                    break
                if self.process is None:
                    self._start(exercise)
                try:
                    self.connection.send((data, exercise, seed))
                    if self.connection.poll(self.seconds):
                        return json.loads(self.connection.recv_bytes())
                except (EOFError, ConnectionError):
                    self._end()
                    continue
                self._end()
                return {"problem": f"reading and grading it took more than {self.seconds} seconds"}
            return {"problem": "reading or grading it ended the process that did it"}

    def _start(self, exercise):
        """Start the process; what all of them import is imported once, in the server that forks them."""
        multiprocessing.current_process().daemon = False  # Dask's workers are, and could start no process
        make_ready(exercise)
        context = multiprocessing.get_context("forkserver" if FORKSERVER else "spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, sandbox.findings()), daemon=True)
        self.process.start()
        theirs.close()

    def _end(self):
        if self.process:
            left = self._below()
            self.process.terminate()
            self.process.join(END_SECONDS)
            self.process.kill()
            self.process.join()
            self.connection.close()
            for process in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        self.process = self.connection = None

    def _below(self):
        """The kernels that would be left without the sandbox, which ends them itself."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []


def make_ready(exercise):
    """Let a process begin to import what all workers need, while this one does something else."""
    for name in ONE_THREAD:  # one worker a core: more threads would only wait for each other
        os.environ.setdefault(name, "1")
    if FORKSERVER:
        from multiprocessing import forkserver  # there is none on Windows

        multiprocessing.set_forkserver_preload([__name__, f"grading.exercises.{exercise}_bank"])
        forkserver.ensure_running()


def unpacked(answer):
    """What ``Worker.answer`` gave, as an Outcome and a notebook; raises as ``Worker.grade`` does."""
    if "fault" in answer:
        error = RuntimeError(answer["fault"])
        error.add_note(answer["traceback"])
        raise error
    if "problem" in answer or "unfit" in answer:
        raise UserError(answer.get("problem") or answer["unfit"])
    notebook = answer["notebook"] and nbformat.reads(answer["notebook"], as_version=4)
    return Outcome.from_dict(answer["outcome"]), notebook


def _serve(connection, findings):
    """Grade what comes until the other end is closed."""
    sandbox.believe(findings)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what it opened is closed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the command hears from it alone
    _limit_memory()
    before = None
    while True:
        try:
            data, exercise, seed = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        if exercise == before:  # a template costs as much as it saves at the first two
            warm.use(exercise)
        before = exercise
        answer = json.dumps(_graded(data, exercise, seed)).encode()
        try:
            connection.send_bytes(answer)
        except BrokenPipeError:  # nobody waits for it any more
            return


def _graded(data, exercise, seed):
    try:
        with stages.collect() as seconds, stages.stage("judge"):
            outcome, notebook = grade_bytes(data, exercise, seed)
        text = notebook and nbformat.writes(notebook)
        return {"outcome": outcome.to_dict(), "notebook": text, "seconds": seconds}
    except UserError as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": "reading and grading it needs more memory than there is for one file"}
    except OSError as error:
        if error.errno in NO_ROOM:
            return {"unfit": f"{os.strerror(error.errno)} ({error.filename or 'temporary files'})"}
        return _fault(error)
    except Exception as error:
        return _fault(error)


def _fault(error):
    return {"fault": in_words(error), "traceback": traceback.format_exc()}


def _limit_memory():
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (WORKER_BYTES, WORKER_BYTES))
