"""One kernel under limits: what a cell may do to it, and that nothing is left behind."""

import time
from pathlib import Path

import psutil
import pytest

from grading import sandbox
from grading.kernel_side import MIME
from grading.session import ANSWER_BYTES, OUTPUT_BYTES, Reply, Session

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


def test_an_interrupt_that_comes_late_does_not_hit_what_is_run_next(session, monkeypatch):
    monkeypatch.setattr("grading.session.LATE_SECONDS", 1)
    monkeypatch.setattr(session.manager, "interrupt_kernel", lambda: None)
    late = "import _thread, threading, time\nthreading.Timer(0.6, _thread.interrupt_main).start()"
    assert session.run(f"{late}\ntime.sleep(0.3)", 0.2).status == "too slow"
    assert session.run("time.sleep(0.5)", 10).status == "ok"


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


@pytest.fixture(params=["course-limits", "course-sandbox"])
def any_session(request):
    if request.param == "course-sandbox" and sandbox.obstacle():
        pytest.skip(f"no sandbox here: {sandbox.obstacle()}")
    return Session(request.param)


def gone(pids, seconds=5):
    """Whether none of these processes is left after a while; one that only waits to be reaped is gone."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        left = [pid for pid in pids if psutil.pid_exists(pid)]
        if all(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE for pid in left):
            return True
        time.sleep(0.05)
    return False


def processes_of(session):
    """The process ids, as seen from outside, of the kernel and everything below it."""
    kernel = psutil.Process(session.manager.provisioner.pid)
    return [kernel.pid, *(child.pid for child in kernel.children(recursive=True))]


def test_neither_process_nor_folder_is_left_behind(any_session):
    with any_session as session:
        session.start()
        pids = processes_of(session)
        folders = [session.folder, getattr(session.manager.provisioner, "folder", None)]
    assert gone(pids)
    assert not any(Path(folder).exists() for folder in folders if folder)


def test_a_process_that_a_cell_started_ends_with_the_session(any_session):
    start = "import subprocess; subprocess.Popen(['sleep', '300'], start_new_session=True)"
    with any_session as session:
        session.start()
        before = processes_of(session)
        session.run(start, 10)
        started = set(processes_of(session)) - set(before)
    assert len(started) == 1
    assert gone(started)


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(300)
    os._exit(0)
os.wait()
"""


def test_a_daemon_ends_with_the_session():
    if sandbox.obstacle():
        pytest.skip(f"no sandbox here: {sandbox.obstacle()}")
    with Session() as session:
        session.start()
        session.run(DAEMON, 10)
        pids = processes_of(session)
    assert len(pids) == 4  # bubblewrap twice, the kernel, the daemon
    assert gone(pids)


def test_temporary_files_of_a_cell_go_with_the_session():
    with Session() as session:
        session.start()
        made = session.run("import tempfile; print(tempfile.mkdtemp())", 10).outputs[0].text.strip()
    assert not Path(made).exists()


def test_the_kernel_is_started_through_the_named_provisioner():
    with Session("no-such-provisioner") as session, pytest.raises(Exception, match="no-such-provisioner"):
        session.start()


GREEDY = {
    "memory": (
        "kept = []\nwhile True: kept.append(bytearray(10**6))",
        "it used more than 0.25 GiB of memory",
    ),
    "processes": (
        "import subprocess, time\nfor _ in range(20): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)",
        "it started more than 8 processes",
    ),
    "threads": (
        "import threading, time\n"
        "for _ in range(80): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "time.sleep(60)",
        "it started more than 40 threads",
    ),
}


@pytest.mark.parametrize(("code", "reason"), GREEDY.values(), ids=GREEDY)
def test_a_kernel_that_uses_too_much_is_ended_with_the_reason(monkeypatch, code, reason):
    monkeypatch.setattr("grading.sandbox.MEMORY_BYTES", 2**28)
    monkeypatch.setattr("grading.sandbox.PROCESSES", 8)
    monkeypatch.setattr("grading.sandbox.THREADS", 40)
    with Session() as session:
        session.start()
        reply = session.run(code, 30)
        assert (reply.status, reply.reason) == ("crashed", reason)
        assert not session.alive()


def test_a_message_that_is_too_large_ends_the_kernel_with_the_reason(session):
    reply = session.run("print('x' * 50_000_000)", 30)
    assert (reply.status, reply.reason) == ("crashed", "it sent more output than can be read")
    assert not session.alive()


def test_a_flood_of_large_messages_costs_no_memory_here(session):
    before = psutil.Process().memory_info().rss
    flood = (
        "text = 'x' * 15_000_000\nfor _ in range(60): get_ipython().display_pub.publish({'text/plain': text})"
    )
    session.run(flood, 10)
    assert psutil.Process().memory_info().rss - before < 500 * 2**20


FORGED = """
kernel = get_ipython().kernel
for number in range(40):
    content = {content}
    kernel.session.send(kernel.iopub_socket, {kind!r}, content, parent=kernel.get_parent())
"""
FLOODS = {
    "answers": (
        "display_data",
        "{'data': {'application/vnd.rnn-course.answer': f'{number}' + ' ' * 9_000_000},"
        " 'metadata': {'number': 0}}",
    ),
    "errors": (
        "error",
        "{'ename': 'E', 'evalue': f'{number}' + 'x' * 9_000_000, 'traceback': ['y' * 4_000_000]}",
    ),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_of_many_answers_or_errors_the_last_is_kept(session, kind):
    message, content = FLOODS[kind]
    reply = session.run(FORGED.format(content=content, kind=message), 60, asked=1)
    (kept,) = reply.outputs or [text for text, _ in reply.answers.values()]
    assert str(kept).count("39") >= 1
    assert len(str(kept)) < 10_000_000


ANSWER = "{{'data': {{'application/vnd.rnn-course.answer': {text}}}, 'metadata': {{'number': {number}}}}}"


@pytest.mark.parametrize(
    ("text", "number"),
    [("' ' * 10_000_001", "0"), ("'1'", "2"), ("'1'", "-1"), ("'1'", "[0]"), ("'1'", "None"), ("7", "0")],
)
def test_an_answer_that_is_too_long_or_that_nobody_asked_for_is_dropped(session, text, number):
    assert ANSWER_BYTES == 10_000_000
    code = FORGED.format(content=ANSWER.format(text=text, number=number), kind="display_data")
    reply = session.run(code.replace("40", "1"), 30, asked=2)
    assert (reply.outputs, reply.answers) == ([], {})


def shown(data, **metadata):
    """The message of a display."""
    content = {"data": data, "metadata": metadata}
    return {"msg_type": "display_data", "header": {"msg_type": "display_data"}, "content": content}


def test_answers_of_one_execution_are_limited_together(monkeypatch):
    monkeypatch.setattr("grading.session.ANSWER_BYTES", 10)
    reply = Reply(asked=3)
    for number, text in [(0, "1234"), (0, "12345"), (1, "12345"), (2, "1"), (1, "54321"), (0, "123456")]:
        reply.add(shown({MIME: text}, number=number))
    assert {number: text for number, (text, _) in reply.answers.items()} == {0: "12345", 1: "54321"}


def test_an_answer_that_is_a_list_is_dropped_however_much_is_in_it():
    reply = Reply(asked=1)
    reply.add(shown({MIME: [{}] * 1000}, number=0))
    assert reply.answers == {}


def test_what_is_too_large_to_be_kept_is_never_converted(monkeypatch):
    monkeypatch.setattr("grading.session.output_from_msg", lambda message: pytest.fail("converted"))
    reply = Reply()
    reply.add(shown({"application/json": [{}] * OUTPUT_BYTES}))
    assert reply.outputs == []


def test_an_error_of_any_form_is_cut_before_it_is_converted():
    content = {"ename": ["x"], "evalue": 3, "traceback": ["a", [{}] * 10_000]}
    reply = Reply()
    reply.add({"msg_type": "error", "header": {"msg_type": "error"}, "content": content})
    assert (reply.status, reply.error()) == ("raised", "['x']: 3")
    assert len(reply.outputs[0].traceback[1]) == 5_000
