"""What an answer may do when it runs: odd values, memory between calls, endless loops, ends, noise."""

from table import FULL, Row, append, chain, replace

from course_utils.compare import NO_INPUT
from grading.kernel_side import CUT
from grading.runner import TOO_LONG

HORIZON = "def memory_horizon(alpha, fraction=1 / np.e):\n    "
RIGHT = "np.inf if abs(alpha) >= 1 else np.log(fraction) / np.log(abs(alpha)) if alpha else 0.0"
POLE = "def estimate_pole(h):\n    h = np.array(h, dtype=float)\n    "
TWICE = "called twice with the same input it gave two different answers"
QUICK = {"grading.exercises.ex02_bank.memory_horizon.seconds": 2, "grading.runner.CELL_SECONDS": 6}
CASES = """
import sys
def all_cases():
    frame = sys._getframe(1)
    while frame and not isinstance(frame.f_locals.get('cases'), list):
        frame = frame.f_back
    return frame.f_locals['cases'] if frame else []
"""
ONE_POLE = """
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    h = np.zeros(len(x)) if h0 is None else np.array(h0, dtype=float)
    states = np.empty(x.shape)
    for t, a in enumerate(np.broadcast_to(alpha, x.shape[1])):
        states[:, t] = h = a * h + beta * x[:, t]
    return states
"""


def horizon(body, before=""):
    """Another text below the head of memory_horizon."""
    return replace("memory_horizon", f"{before}\n{HORIZON}{body}")


def loses(name, id, build, verdict="wrong", points=0.0, **more):
    """A row in which one question does not earn everything."""
    return Row(id, build, {name: points}, {name: verdict}, **more)


def no_horizon(id, body, says, verdict="wrong", before="", **more):
    return loses("memory_horizon", id, horizon(body, before), verdict, says=(says,), **more)


VALUES = [
    no_horizon("prints and returns nothing", f"print({RIGHT})", "is a return statement missing?"),
    no_horizon("a generator", "yield 1.0", "a generator holds no values yet"),
    no_horizon("a function, not called", "return np.log", "a ufunc is not a number"),
    no_horizon("a lambda, not called", f"return lambda: {RIGHT}", "is a call missing its parentheses?"),
    no_horizon("a number in quotes", f"return str({RIGHT})", "numbers are written without quotes"),
    no_horizon("a dict", f"return {{'steps': {RIGHT}}}", "return its values alone"),
    no_horizon("a masked array", "return np.ma.array(1.0, mask=True)", "a masked array hides"),
    no_horizon("a list that contains itself", "a = []\n    a.append(a)\n    return a", "contain itself?"),
    no_horizon("a million numbers", "return np.zeros(10**6)", "more than 300,000 numbers or letters"),
    no_horizon("ten million letters", "return 'x' * 10**7", "more than 300,000 numbers or letters"),
    no_horizon("an integer of a million bits", "return 1 << 10**6", "more than 64 bits"),
    no_horizon("NaN", "return np.nan", "NaN (not a number)"),
    no_horizon("complex numbers", f"return 1j + ({RIGHT})", "real numbers, but complex ones"),
    no_horizon(
        "an own iterator without end",
        "return Endless()",
        "Endless",
        before="class Endless:\n    def __iter__(self):\n        while True: yield 1.0\n",
    ),
    no_horizon(
        "a class of its own",
        "return Steps(1.0)",
        "a Steps is a dataclass",
        before="import dataclasses\nSteps = dataclasses.make_dataclass('Steps', ['n'])",
    ),
    Row(
        "a tensor with a gradient",
        horizon(f"return torch.tensor({RIGHT}, requires_grad=True)", "import torch"),
    ),
    Row(
        "a named tuple of rows",
        replace(
            "one_pole",
            "from collections import namedtuple"
            + ONE_POLE.replace(
                "return states",
                "return namedtuple('Rows', [f'r{i}' for i in range(len(x))])(*states)",
            ),
        ),
    ),
]
STATE = [
    loses(
        "memory_horizon",
        "counts its calls",
        horizon(f"count.append(1)\n    return len(count) + ({RIGHT})", "count = []"),
        points=0.4,  # infinity and some more is infinity
        says=(TWICE,),
    ),
    no_horizon(
        "random numbers", f"return np.random.rand() * ({RIGHT}) if abs(alpha) < 1 and alpha else -1.0", TWICE
    ),
    loses(
        "memory_horizon",
        "gives later calls the input of the first",
        horizon(f"all_cases()[:] = all_cases()[:1] * len(all_cases())\n    return {RIGHT}", CASES),
        points=0.4,  # a pole beyond one comes first
        says=(TWICE,),
    ),
    Row("takes later calls away", horizon(f"all_cases().clear()\n    return {RIGHT}", CASES)),
    Row(
        "a cache that is right",
        replace("memory_horizon", f"import functools\n@functools.cache\n{HORIZON}return {RIGHT}"),
    ),
    Row(
        "a change of a list, told",
        replace(
            "frequency_response",
            "def frequency_response(poles, gain, omega):\n"
            "    if isinstance(poles, list): poles.append(0.0)\n"
            "    delay = np.exp(-1j * np.asarray(omega))\n"
            "    return gain / np.prod([1 - p * delay for p in poles], axis=0)",
        ),
        says=("It changes its input poles; work on a copy.",),
    ),
    Row(
        "in place on a copy",
        replace(
            "estimate_pole", f"{POLE}h /= np.abs(h).max()\n    return h[:-1] @ h[1:] / (h[:-1] @ h[:-1])"
        ),
    ),
    loses(
        "one_pole",
        "in place on the input",
        replace(
            "one_pole",
            ONE_POLE.replace(
                "x = np.asarray(x, dtype=float)", "x = np.asarray(x, dtype=float)\n    x *= beta"
            ).replace("beta * x", "x"),
        ),
        "raised",
        1.55,  # two cases have no gain to multiply by, and one has its numbers in lists
        says=("it changes its input x; work on a copy",),
    ),
]
ENDS = [
    loses(
        "one_pole",
        "endless for no steps",
        replace("one_pole", ONE_POLE.replace("    states =", "    while not x.size: pass\n    states =")),
        "too slow",
        4.83,
        says=("one_pole took too long on visible case",),
        limits={"grading.exercises.ex02_bank.one_pole.seconds": 3},
    ),
    no_horizon(
        "endless",
        "while True: pass",
        "memory_horizon took too long on visible case",
        "too slow",
        limits=QUICK,
    ),
    no_horizon(
        "endless, and deaf to interrupts",
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        "memory_horizon took too long",
        "too slow",
        limits=QUICK,
    ),
    loses(
        "memory_horizon",
        "ends Python for one case",
        horizon(f"if alpha == 0: __import__('os')._exit(0)\n    return {RIGHT}"),
        "crashed",
        2.8,
        says=("memory_horizon ended the Python process on a fresh case (a pole of zero)",),
    ),
    no_horizon("aborts", "__import__('os').abort()", "memory_horizon ended the Python process", "crashed"),
    no_horizon(
        "reads address zero",
        "return __import__('ctypes').string_at(0)",
        "memory_horizon ended the Python process",
        "crashed",
    ),
    no_horizon(
        "recurses until the stack ends",
        "import sys\n    sys.setrecursionlimit(10**6)\n    return max([alpha], key=memory_horizon)",
        "memory_horizon ended the Python process",
        "crashed",
    ),
    no_horizon("exits", "raise SystemExit", "SystemExit", "raised"),
    no_horizon("interrupts itself", "raise KeyboardInterrupt", "KeyboardInterrupt", "raised"),
    no_horizon("asks for input", "return float(input())", NO_INPUT, "raised"),
    loses(
        "pole_at_400_hz",
        "asks for input in a cell",
        replace("pole_at_400_hz", "pole_at_400_hz = float(input())"),
        "raised",
        says=(NO_INPUT,),
    ),
    no_horizon(
        "an exception that cannot be shown",
        "raise Mute",
        "Mute",
        "raised",
        before="class Mute(Exception):\n    def __str__(self): raise SystemExit\n",
    ),
    Row(
        "the time for the notebook is over",
        replace("one_pole", "import time\ntime.sleep(60)"),
        dict.fromkeys(FULL, 0.0) | {"delay_argument": 2.0},
        dict.fromkeys(FULL, "too slow") | {"delay_argument": "correct"},
        says=(TOO_LONG,),
        limits={"grading.runner.SUBMISSION_SECONDS": 5},
    ),
]
NOISE = [
    Row(
        "noise on stderr",
        horizon(
            f"os.write(2, b'r')\n    print('e', file=sys.stderr)\n    warnings.warn('w')\n    return {RIGHT}",
            "import os, sys, warnings, logging\nlogging.warning('careful')",
        ),
    ),
    Row("prints at every call", horizon(f"print('x' * 1_000_000)\n    return {RIGHT}")),
    Row("half a million lines", append("for n in range(500_000): print(n)"), says=(CUT,)),
    Row("one line of 50 MB", append("print('x' * 50_000_000)"), says=(CUT,)),
    Row("ten thousand displays", append("for n in range(10_000): display(n)")),
    Row(
        "200 MB of pictures",
        append(
            "from IPython.display import Image\npng = b'\\x89PNG' + bytes(3_000_000)\n"
            "for _ in range(50): display(Image(png))"
        ),
    ),
    Row("an alarm that rings later", horizon(f"return {RIGHT}", "import signal\nsignal.alarm(1)")),
    Row(
        "threads and exit handlers",
        horizon(
            f"threading.Thread(target=time.sleep, args=(99,)).start()\n    return {RIGHT}",
            "import atexit, threading, time\natexit.register(time.sleep, 99)",
        ),
    ),
    loses(
        "estimate_pole",
        "tells another question's inputs",
        chain(
            horizon(f"seen.append((alpha, fraction))\n    return {RIGHT}", "seen = []"),
            replace("estimate_pole", "def estimate_pole(h):\n    raise ValueError(str(seen[-3:]))"),
        ),
        "raised",
    ),
]
ROWS = [*VALUES, *STATE, *ENDS, *NOISE]
