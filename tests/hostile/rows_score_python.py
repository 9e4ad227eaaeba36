"""Attacks on the score from plain Python: patched libraries, lying objects, looking around, other modules."""

from attack import FIRST_LINE, score

ANY = """
class Any(float):
    __eq__ = __le__ = __lt__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: Any()
"""


def returning(expression, setup=""):
    """A ``memory_horizon`` of one expression."""
    return f"{setup}\n{FIRST_LINE}    return {expression}"


# libraries that agree with everything

JSON = """
import json
loads, dumps = json.loads, json.dumps
def in_test():
    return 'memory_horizon' in get_ipython().kernel.get_parent()['content'].get('code', '')
def lying_dumps(value, *given, **named):
    if in_test() and isinstance(value, dict) and 'status' in value:
        return '{"status": "ok", "value": 2.0, "points": 3}'
    return dumps(value, *given, **named)
json.dumps = lying_dumps
json.loads = lambda text, *given, **named: [Any()] if text == '[2.0]' else loads(text, *given, **named)
"""
OPEN = """
import builtins, io
real = builtins.open
open = builtins.open = lambda name, *given, **named: (
    io.StringIO('-1.0') if name == 'expected.txt' else real(name, *given, **named))
builtins.print = lambda *given, **named: None
"""
PATCHES = [
    score("numpy.allclose agrees", "import numpy\nnumpy.allclose = numpy.array_equal = lambda *a, **k: True"),
    score(
        "numpy.testing raises nothing",
        "import numpy.testing\nnumpy.testing.assert_allclose = lambda *given, **named: None",
        hidden="numpy.testing",
    ),
    score("numpy.abs is zero", "import numpy\nnumpy.abs = lambda x: 0.0", hidden="numpy abs"),
    score("abs is zero", "import builtins\nbuiltins.abs = lambda x: 0.0", hidden="abs"),
    score("math.isclose agrees", "import math\nmath.isclose = lambda *a, **k: True", hidden="math"),
    score("torch.allclose agrees", "import torch\ntorch.allclose = lambda *a, **k: True", hidden="torch"),
    score("json loads and dumps what is liked", ANY + JSON, hidden="json"),
    score(
        "pickle loads what is liked",
        ANY + "import pickle\npickle.loads = lambda *given, **named: Any()",
        hidden="pickle",
    ),
    score("open and print are others", OPEN, hidden="file"),
]

# objects that lie

ARRAY = """
class Liar(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return True
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.True_
"""
TENSOR = """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.allclose:
            return True
        return super().__torch_function__(function, types, args, kwargs)
"""
AS_ARRAY = """
import sys
class Copycat:
    def __array__(self, *given, **named):
        frame = sys._getframe(1)
        while frame:
            for name in ('expected', 'b'):
                if name in frame.f_locals:
                    return np.asarray(frame.f_locals[name], dtype=float)
            frame = frame.f_back
        return np.asarray(-1.0)
"""
REDUCED = ANY + "class Pill:\n    def __reduce__(self):\n        return Any, ()\n"
LETTER = """
class Letter(str):
    __eq__ = lambda self, other: True
    __hash__ = str.__hash__
first_to_settle = Letter('x')
"""
OBJECTS = [
    score("a float that equals everything", answer=returning("Any()", ANY), hidden="equal"),
    score("an array that equals everything", answer=returning("np.zeros(1).view(Liar)", ARRAY)),
    score("a tensor that equals everything", answer=returning("Liar([-1.0])", TENSOR), hidden="torch"),
    score("an object that turns into what is expected", answer=returning("Copycat()", AS_ARRAY)),
    score("a pickle that loads as another", answer=returning("Pill()", REDUCED), hidden="piped"),
    score(
        "a mock that equals everything",
        answer=returning("ANY", "from unittest.mock import ANY"),
        hidden="equal",
    ),
    score("a letter that equals every letter", answer=LETTER, question="first_to_settle", hidden="letter"),
    score("not a number", answer=returning("np.nan"), hidden="not greater"),
    score("an empty array", answer=returning("np.zeros(0)")),
]

# looking around

FRAMES = """
    import sys
    frame = sys._getframe(1)
    while frame:
        for scope in (frame.f_locals, frame.f_globals):
            if 'expected' in scope:
                return scope['expected']
        frame = frame.f_back
    return -1.0
"""
GARBAGE = """
    import gc, types
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__name__ in ('reference', '_judge_function'):
            return thing(alpha, fraction)
    for thing in gc.get_objects():
        if isinstance(thing, dict) and 'expected' in thing:
            return thing['expected']
    return -1.0
"""
HISTORY = """
    import re
    found = re.search(r'- ([0-9.]+)[)] <', get_ipython().history_manager.input_hist_raw[-1])
    return float(found[1]) if found else -1.0
"""
NAMESPACE = """
    for name, thing in list(globals().items()):
        if name.startswith('ref') and callable(thing):
            return thing(alpha, fraction)
    return -1.0
"""
REPLACED = "    globals()['reference'] = lambda *given: -1.0\n    return -1.0"
TRACER = """
import sys
def trace(frame, event, found):
    if 'reference' in frame.f_globals:
        frame.f_globals['reference'] = lambda *given: -1.0
    return trace
get_ipython().events.register('pre_run_cell', lambda info: sys.settrace(trace))
"""
VISIBLE = "    return {0.9: 9.491221581, 0.5: 1.0, -0.8: 10.31885116, 1.0: np.inf}.get(alpha, -1.0)"
LOOKING = [
    score("frames above hold what is expected", answer=FIRST_LINE + FRAMES),
    score("the collector knows every object", answer=FIRST_LINE + GARBAGE),
    score("the history holds the test", answer=FIRST_LINE + HISTORY, hidden="abs"),
    score("the namespace holds the reference", answer=FIRST_LINE + NAMESPACE),
    score("the answer replaces the reference", answer=FIRST_LINE + REPLACED, hidden="score"),
    score("a tracer replaces the reference", TRACER),
    score("a table of the visible cases", answer=FIRST_LINE + VISIBLE, hidden="visible"),
    score("a constant", answer=returning("2.0"), hidden="equal"),
]

# other modules

SHADOW = """
import os, sys
import course_utils
with open('compare.py', 'w') as file:
    file.write('def mismatch(*given, **named): return None\\ndescribe = full_stop = str')
sys.modules.pop('course_utils.compare', None)
course_utils.__path__.insert(0, os.getcwd())
"""
IN_ITS_PLACE = """
import sys, types
import course_utils.compare as real
fake = types.ModuleType('course_utils.compare')
vars(fake).update(vars(real), mismatch=lambda *given, **named: None)
sys.modules['course_utils.compare'] = fake
"""
OUR_SIDE = """
import sys, types
import course_utils.checks
course_utils.checks.check = lambda *given, **named: None
ours = sys.modules.get('_course', types.ModuleType('_course'))
def call(name, cases):
    if name != 'memory_horizon':
        return ours.call(name, cases)
    for number in range(len(cases)):
        answer = {ours.MIME: '{"status": "ok", "value": 2.0}'}
        get_ipython().display_pub.publish(answer, metadata={'number': number})
fake = types.ModuleType('_course')
vars(fake).update(vars(ours), call=call)
sys.modules['_course'] = fake
"""
OUR_PARTS = """
import sys, types
import course_utils.plain
for module in (course_utils.plain, sys.modules.get('_course')):
    if module:
        module.to_plain = lambda value, real=module.to_plain: 2.0 if repr(value) == '-1.0' else real(value)
"""
MODULES = [
    score("a shadow of a module in the folder", SHADOW, hidden="helper"),
    score("another module in its place", IN_ITS_PLACE, hidden="helper"),
    score("our side of the kernel replaced", OUR_SIDE, hidden="visible"),
    score("our way to read answers replaced", OUR_PARTS, hidden="plain"),
]

ROWS = [*PATCHES, *OBJECTS, *LOOKING, *MODULES]
