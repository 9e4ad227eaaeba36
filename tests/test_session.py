"""One kernel under limits: what a cell may do to it, and that nothing is left behind."""

from pathlib import Path

import psutil
import pytest

from grading.session import OUTPUT_BYTES, Session

STUBBORN = """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""


@pytest.fixture
def session():
    with Session() as session:
        session.start()
        yield session


def test_outputs_and_status_come_back(session):
    reply = session.run("print('a'); 1 + 1", 10)
    assert reply.status == "ok"
    assert reply.outputs[0].text == "a\n"
    assert reply.outputs[1].data["text/plain"] == "2"


def test_an_error_comes_back_as_one_line(session):
    reply = session.run("1 / 0", 10)
    assert (reply.status, reply.error()) == ("raised", "ZeroDivisionError: division by zero")


def test_a_slow_cell_is_interrupted_and_the_kernel_goes_on(session):
    session.run("x = 5", 10)
    assert session.run("while True: pass", 1).status == "too slow"
    assert session.run("print(x)", 10).outputs[0].text == "5\n"


def test_a_cell_that_swallows_interrupts_loses_its_kernel(session):
    assert session.run(STUBBORN, 1).status == "too slow"
    assert not session.alive()


def test_a_cell_that_ends_the_process_is_a_crash(session):
    assert session.run("import os; os._exit(3)", 10).status == "crashed"


def test_output_beyond_the_limit_is_dropped(session):
    reply = session.run(f"print('x' * {OUTPUT_BYTES}); print('y' * 100)", 20)
    assert sum(len(output.text) for output in reply.outputs) <= OUTPUT_BYTES


def test_waiting_for_input_is_an_error(session):
    assert session.run("input()", 10).status == "raised"


def test_neither_process_nor_folder_is_left_behind():
    with Session() as session:
        session.start()
        pid = int(session.run("import os; print(os.getpid())", 10).outputs[0].text)
        folder = Path(session.folder)
    assert not psutil.pid_exists(pid)
    assert not folder.exists()


def test_a_process_that_a_cell_started_ends_with_the_session():
    start = "import subprocess as s; print(s.Popen(['sleep', '300'], start_new_session=True).pid)"
    with Session() as session:
        session.start()
        pid = int(session.run(start, 10).outputs[0].text)
        assert psutil.pid_exists(pid)
    psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=5)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_temporary_files_of_a_cell_go_with_the_session():
    with Session() as session:
        session.start()
        made = session.run("import tempfile; print(tempfile.mkdtemp())", 10).outputs[0].text.strip()
    assert not Path(made).exists()


def test_the_kernel_is_started_through_the_named_provisioner():
    with Session("no-such-provisioner") as session, pytest.raises(Exception, match="no-such-provisioner"):
        session.start()
