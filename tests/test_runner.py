"""A sitting with a kernel: what the student's code may do there, and what comes back of it."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grading.asking import Asking
from grading.bank import Case
from grading.kernel_side import CUT, DISPLAYS, OUTPUT
from grading.runner import Sitting
from grading.session import Reply, Session

FUNCTIONS = """
import atexit, ctypes, os, signal, sys, threading, time
import numpy as np

def sleeps(x): return time.sleep(x) or x
def double(x): return 2 * np.asarray(x)
def exits(x): sys.exit(0)
def interrupts(x): raise KeyboardInterrupt
def leaves_generator(x):
    while True: yield x
class Iterable:
    def __iter__(self):
        while True: yield 1.0
    def __len__(self): return self.__len__()
def iterable(x): return Iterable()
class Mute(Exception):
    def __str__(self): raise SystemExit
    __repr__ = __str__
def mute(x): raise Mute
class Nameless(type):
    __name__ = property(lambda cls: 1 / 0)
class NoName(Exception, metaclass=Nameless): pass
def nameless(x): raise NoName
class Hanging(Exception):
    def __str__(self):
        while True: pass
def hangs(x): raise Hanging
def asks(x): return float(input('how much? '))
def prints(x):
    for _ in range(200_000): print('x' * 1000)
    print('e' * 50_000_000, file=sys.stderr)
    return x
def writes(x):
    os.write(2, b'raw'); import warnings; warnings.warn('careful'); sys.stderr.write('e')
    return x
def starts_thread(x):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    atexit.register(time.sleep, 60)
    return x
def sets_alarm(x):
    signal.alarm(1)
    return x
def sets_timers(x):
    for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF): signal.setitimer(timer, 0.05)
    return x
def works(x):
    until = time.process_time() + 0.2
    while time.process_time() < until: pass
    return x
def ignores_interrupts(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass
def holds_the_lock(x): return 10 ** 10 ** 9 if x == 2 else x
def leaves_at_two(x): os._exit(0) if x == 2 else None
def interrupted_at_two(x):
    if x == 2: raise KeyboardInterrupt
    return x
def leaves(x): os._exit(0)
def aborts(x): os.abort()
def reads_null(x): ctypes.string_at(0)
def recurses(x):
    sys.setrecursionlimit(10**6)
    return max([x], key=recurses)
def digits(x): return 10**100_000
def raises_on_read(x):
    x[0] = 1.0
    return x
def raises_here(x):
    return 1 / 0
"""


def call(sitting, name, arguments, seconds=10):
    """The answer on one case."""
    return sitting.calls(name, [arguments], seconds)[0]


@pytest.fixture(scope="module")
def sitting():
    with Session() as session:
        sitting = Sitting(new_notebook(cells=[new_code_cell(FUNCTIONS)]), {}, session)
        assert call(sitting, "double", [np.ones(2)]).status == "ok"
        yield sitting


@pytest.fixture(autouse=True)
def goes_on(sitting):
    """Whatever a test does to the kernel, the next question is answered."""
    yield
    np.testing.assert_array_equal(call(sitting, "double", [np.ones(2)]).value, [2, 2])
    sitting.starts = 1


@pytest.mark.parametrize(("name", "kind"), [("exits", "SystemExit"), ("interrupts", "KeyboardInterrupt")])
def test_an_exit_is_an_exception_like_others(sitting, name, kind):
    answer = call(sitting, name, [1.0])
    assert (answer.status, answer.error_type) == ("raised", kind)


def test_the_line_of_an_error_is_that_of_the_cell(sitting):
    line = FUNCTIONS.strip().splitlines().index("    return 1 / 0") + 1
    detail = call(sitting, "raises_here", [1.0]).detail
    assert detail == f"ZeroDivisionError: division by zero (line {line} of your cell)"


@pytest.mark.parametrize("name", ["mute", "nameless"])
def test_an_exception_that_fails_to_describe_itself_still_counts(sitting, name):
    assert call(sitting, name, [1.0]).status == "raised"


def test_an_exception_that_never_ends_describing_itself_is_too_slow(sitting):
    assert call(sitting, "hangs", [1.0], 1).status == "too slow"


@pytest.mark.parametrize("name", ["leaves_generator", "iterable", "digits"])
def test_what_came_back_is_not_iterated_and_not_printed(sitting, name):
    assert call(sitting, name, [1.0], 5).status == "unsupported"


def test_input_is_refused(sitting):
    assert call(sitting, "asks", [1.0]).error_type == "StdinNotImplementedError"


@pytest.mark.parametrize("name", ["prints", "writes", "starts_thread"])
def test_noise_costs_nothing(sitting, name):
    assert call(sitting, name, [1.0]).value == 1.0


def test_an_alarm_of_one_answer_does_not_ring_in_the_next(sitting):
    call(sitting, "sets_alarm", [1.0])
    call(sitting, "double", [1.0])
    time.sleep(1.2)
    assert sitting.session.alive()


def test_a_timer_of_the_processor_does_not_ring_in_the_next_either(sitting):
    call(sitting, "sets_timers", [1.0])
    assert call(sitting, "works", [1.0]).status == "ok"


@pytest.mark.parametrize("name", ["leaves", "aborts", "reads_null", "recurses"])
def test_what_ends_python_is_a_crash(sitting, name):
    assert call(sitting, name, [1.0]).status == "crashed"


def test_a_loop_that_ignores_interrupts_is_too_slow(sitting):
    assert call(sitting, "ignores_interrupts", [1.0], 1).status == "too slow"


def test_arrays_are_handed_over_read_only(sitting):
    answer = call(sitting, "raises_on_read", [np.zeros(3)])
    assert (answer.status, answer.changed) == ("raised", (0,))


def test_a_list_that_was_changed_is_noticed(sitting):
    assert call(sitting, "raises_on_read", [[0.0, 2.0]]).changed == (0,)


THREE = [[1.0], [2.0], [3.0]]


def test_cases_are_asked_in_one_execution_each_with_its_time(sitting, monkeypatch):
    ran = []
    run = sitting.session.run
    monkeypatch.setattr(sitting.session, "run", lambda *given: ran.append(given) or run(*given))
    answers = sitting.calls("sleeps", [[0.0], [0.3], [0.0]], 5)
    assert [answer.value for answer in answers] == [0.0, 0.3, 0.0]
    assert [answer.seconds > 0.25 for answer in answers] == [False, True, False]
    assert len(ran) == 1


def test_what_was_answered_before_a_case_that_never_ends_stands(sitting):
    answers = sitting.calls("holds_the_lock", THREE, 2)
    assert [answer.status for answer in answers] == ["ok", "too slow"]


def test_no_case_is_blamed_for_the_end_of_the_kernel_before_it_is_asked_alone(sitting):
    assert {answer.status for answer in sitting.calls("leaves_at_two", THREE, 5)} <= {"ok"}


def test_after_an_interrupt_the_others_are_asked_again(sitting):
    answers = sitting.calls("interrupted_at_two", THREE, 5)
    assert [answer.error_type for answer in answers] == ["", "KeyboardInterrupt"]


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("leaves_at_two", ["ok", "crashed", "ok"]),
        ("interrupted_at_two", ["ok", "raised", "ok"]),
        ("holds_the_lock", ["ok", "too slow", "ok"]),
    ],
)
def test_a_case_that_does_harm_costs_itself_alone(sitting, monkeypatch, name, statuses):
    monkeypatch.setattr("grading.session.GRACE_SECONDS", 0.2)
    function = SimpleNamespace(name=name, seconds=2, visible_cases=lambda: [Case("", x) for (x,) in THREE])
    asking = Asking(function, sitting).open_round()
    assert [asking.first[number].status for number in range(3)] == statuses


class Ended:
    """A session without a kernel, ended by every mention of ``fatal``; all else is answered."""

    up = False

    def start(self):
        self.up = True

    def alive(self):
        return self.up

    def run(self, code, seconds, asked=0):
        self.up = "fatal" not in code
        answers = {number: ('{"status": "ok", "value": 1.0}', 0.0) for number in range(asked)}
        return Reply(asked=asked, answers=answers) if self.up else Reply("crashed")


def test_functions_and_cells_that_end_the_kernel_cost_another_function_nothing():
    tries = [new_code_cell("fatal(1)", id=f"extra-{number}") for number in range(5)]
    sitting = Sitting(new_notebook(cells=tries), {}, Ended())
    for name, status in [*[("fatal", "crashed")] * 5, ("scale", "ok")]:
        cases = [Case("", x) for (x,) in THREE]
        function = SimpleNamespace(name=name, seconds=9, visible_cases=lambda cases=cases: cases)
        found = Asking(function, sitting).open_round().first
        assert [answer.status for answer in found.values()] == [status] * 3


def text_of(reply):
    return "".join(output.get("text", "") for output in reply.outputs)


@pytest.mark.parametrize(
    "code",
    [
        "for n in range(500_000): print(n)",
        "print('x' * 50_000_000)",
        "import sys; sys.stderr.write('e' * 50_000_000)",
    ],
)
def test_what_a_cell_prints_is_cut_in_the_kernel(sitting, code):
    text = text_of(sitting.session.run(code, 20))
    assert len(text) <= OUTPUT + len(CUT) + 2
    assert text.endswith(f"{CUT}\n")


def test_each_cell_may_print_again(sitting):
    sitting.session.run("print('x' * 300_000)", 10)
    assert text_of(sitting.session.run("print('y')", 10)) == "y\n"


def test_only_so_many_displays_of_a_cell_are_kept(sitting):
    reply = sitting.session.run("for n in range(10_000): display(n)", 20)
    assert len(reply.outputs) == DISPLAYS


def test_displays_of_a_cell_are_cut_together_in_the_kernel(sitting, monkeypatch):
    monkeypatch.setattr("grading.session.OUTPUT_BYTES", 10**9)  # the other cut, outside the kernel
    code = "from IPython.display import HTML\nfor _ in range(50): display(HTML('x' * 4_000_000))"
    assert sitting.session.run(code, 20).outputs == []
