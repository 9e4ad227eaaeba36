"""Grading in a process of its own: what a file may do to it, and that the next one is graded."""

import time

import nbformat
import psutil
import pytest
from conftest import SEED, answer_cell

from grading import worker as module
from grading.errors import UserError
from grading.worker import Worker


@pytest.fixture
def worker():
    with Worker() as worker:
        yield worker


def test_it_grades_as_in_this_process(worker, solved, grade):
    outcome, notebook = worker.grade(nbformat.writes(solved).encode(), "ex02", SEED)
    assert outcome == grade(solved)
    assert answer_cell(notebook, "one_pole").source == answer_cell(solved, "one_pole").source


def test_a_file_without_a_notebook_has_no_graded_copy(worker):
    outcome, notebook = worker.grade(b"", "ex02", SEED)
    assert (outcome.problem, notebook) == ("the file is empty", None)


def test_an_unknown_exercise_is_told_in_a_sentence(worker):
    with pytest.raises(UserError, match="there is no exercise 'ex99'"):
        worker.grade(b"", "ex99", SEED)


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_graded(monkeypatch):
    with Worker(seconds=1) as worker:
        monkeypatch.setattr(worker, "_start", lambda _: _start_with(worker, _sleep))
        started = time.monotonic()
        with pytest.raises(UserError, match="took more than 1 seconds"):
            worker.grade(b"", "ex02", SEED)
        assert time.monotonic() - started < 10
        assert worker.process is None
        monkeypatch.undo()
        worker.seconds = 60
        assert worker.grade(b"", "ex02", SEED)[0].problem == "the file is empty"


def test_a_file_that_ends_the_process_is_told_and_the_next_is_graded(worker, monkeypatch):
    monkeypatch.setattr(worker, "_start", lambda _: _start_with(worker, _exit))
    with pytest.raises(UserError, match="ended the process"):
        worker.grade(b"", "ex02", SEED)
    monkeypatch.undo()
    assert worker.grade(b"", "ex02", SEED)[0].problem == "the file is empty"


def test_a_fault_of_the_grader_comes_with_its_traceback(worker, monkeypatch):
    monkeypatch.setattr(worker, "_start", lambda _: _start_with(worker, _fault))
    with pytest.raises(RuntimeError, match="division by zero") as raised:
        worker.grade(b"", "ex02", SEED)
    assert "ZeroDivisionError" in raised.value.__notes__[0]


def test_memory_is_limited_and_told(worker, monkeypatch):
    monkeypatch.setattr(worker, "_start", lambda _: _start_with(worker, _greedy))
    with pytest.raises(UserError, match="more memory than there is for one file"):
        worker.grade(b"", "ex02", SEED)


def test_no_process_is_left_behind(solved):
    with Worker() as worker:
        worker.grade(nbformat.writes(solved).encode(), "ex02", SEED)
        pids = [
            worker.process.pid,
            *(child.pid for child in psutil.Process(worker.process.pid).children(True)),
        ]
    assert not any(map(psutil.pid_exists, pids))


def _start_with(worker, serve):
    """Start the worker with another main function in place of ``_serve``."""
    before, module._serve = module._serve, serve
    try:
        Worker._start(worker, "ex02")
    finally:
        module._serve = before


def _sleep(connection, _findings):
    connection.recv()
    time.sleep(60)


def _exit(connection, _findings):
    connection.recv()


def _with_grade_bytes(connection, findings, grade_bytes):
    module.grade_bytes = grade_bytes
    module._serve(connection, findings)


def _fault(connection, findings):
    _with_grade_bytes(connection, findings, lambda *_: 1 / 0)


def _greedy(connection, findings):
    _with_grade_bytes(connection, findings, lambda *_: bytearray(module.WORKER_BYTES))
