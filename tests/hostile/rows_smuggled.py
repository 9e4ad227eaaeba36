"""Answers that try to carry hidden inputs out, to the student, in what the grader says about them."""

from attack import FIRST_LINE, Smuggled
from table import Row, append, chain, replace

RIGHT = "np.inf if abs(alpha) >= 1 else np.log(fraction) / np.log(abs(alpha)) if alpha else 0.0"
KNOWN = "alpha in (0.9, 0.5, -0.8, 1.0)"  # the visible cases; they stay right


def smuggled(name, body, verdict="raised"):
    """A ``memory_horizon`` that is right for the visible cases and tells its inputs on fresh ones."""
    answer = f"{FIRST_LINE}    if {KNOWN}:\n        return {RIGHT}\n{body}"
    row = replace("memory_horizon", answer)
    return Smuggled(name, row, {"memory_horizon": 0.0}, {"memory_horizon": verdict}, answer=answer)


MESSAGE = "    raise ValueError(f'{alpha} {fraction}')"
NAME = "    raise type(f'Saw{alpha}', (Exception,), {})"
WORDS = """
    class Telling(ArithmeticError):
        def __str__(self):
            return f'{alpha} and {fraction}'
    raise Telling()"""
PRINTED = "    print('I saw', alpha, fraction)\n    raise AssertionError"
NOTE = """
    error = KeyError('no')
    error.add_note(f'it was {alpha}')
    raise error"""
RENDERED = """
    class Shown(Exception):
        def _render_traceback_(self):
            return [f'it was {alpha}']
    raise Shown"""

# State that one function leaves to another. There is no such way out of a stock notebook, where hidden
# tests print their inputs anyway, so these rows are not run on the unprotected path.
KEPT = """
import builtins
builtins.seen = []
_right = one_pole
def one_pole(x, *others):
    builtins.seen += np.ravel(x).tolist()
    return _right(x, *others)
"""
RETURNED = f"{FIRST_LINE}    return [int(abs(x) * 1e14) for x in __import__('builtins').seen[-8:]] + [10**13]"
FORGED = """
import builtins, json, sys
def tell(status, **parts):
    seen = str(getattr(builtins, 'seen', ''))[-250:]
    told = {'status': status, 'type': seen, 'message': seen, 'what': seen, 'line': 3, **parts}
    ours.publish({ours.MIME: json.dumps(told)}, metadata={'number': 0})
ours = sys.modules['_course']
ours.read = lambda name: tell('STATUS')
"""
CRASHED = f"{FIRST_LINE}    import os\n    os._exit(1)"
LEFT = """
import builtins, pathlib
for folder in ('.', '/tmp', '/dev/shm', pathlib.Path.home()):
    path = pathlib.Path(folder) / 'hostile-seen.txt'
    if path.exists():
        print(path.read_text())
        raise ValueError(path.read_text())
"""
WRITTEN = KEPT.replace(
    "    return",
    "    for folder in ('.', '/tmp', '/dev/shm'):\n"
    "        open(folder + '/hostile-seen.txt', 'w').write(str(builtins.seen))\n    return",
)


def with_one_pole(extra):
    def change(solved):
        cell = next(cell for cell in solved.cells if cell.source.startswith("def one_pole"))
        cell.source += extra
        return solved

    return change


def forging(status):
    return chain(with_one_pole(KEPT), append(FORGED.replace("STATUS", status)))


ROWS = [
    smuggled("inputs in a message", MESSAGE),
    smuggled("inputs in the name of an exception", NAME),
    smuggled("inputs in the words of an exception", WORDS),
    smuggled("inputs in what is printed", PRINTED),
    smuggled("inputs in a note of an exception", NOTE),
    smuggled("inputs in a traceback of ones own", RENDERED),
    Row(
        "inputs in the answer to a later question",
        chain(with_one_pole(KEPT), replace("memory_horizon", RETURNED)),
        {"memory_horizon": 0.0},
        {"memory_horizon": "wrong"},
    ),
    Row(
        "inputs in the error of a later question",
        forging("raised"),
        {"first_to_settle": 0.0, "pole_at_400_hz": 0.0},
        {"first_to_settle": "raised", "pole_at_400_hz": "raised"},
    ),
    Row(
        "inputs in the type of a later answer",
        forging("unsupported"),
        {"first_to_settle": 0.0, "pole_at_400_hz": 0.0},
        {"first_to_settle": "wrong", "pole_at_400_hz": "wrong"},
    ),
    Row(
        "inputs in files for the next kernel",
        chain(with_one_pole(WRITTEN), replace("memory_horizon", CRASHED), append(LEFT)),
        {"memory_horizon": 0.0},
        {"memory_horizon": "crashed"},
    ),
]
