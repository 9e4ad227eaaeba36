"""The sample class: who hands in what for exercise 02, and what grading has to make of it.

``STUDENTS`` is a table of ``Student`` rows. Answers are source text per answer cell; a question without an
answer keeps its stub. The expected points do not depend on the seed of the hidden cases.
"""

from dataclasses import dataclass

POINTS = {
    "one_pole": 5,
    "memory_horizon": 3,
    "frequency_response": 4,
    "estimate_pole": 4,
    "first_to_settle": 1,
    "pole_at_400_hz": 1,
    "delay_argument": 2,
}


@dataclass(frozen=True)
class Student:
    """One submission.

    id : name of the folder.
    shows : what grading must get right here, in one line.
    answers : {question: source text of its answer cell}.
    expected : {question: (points, verdict, recognised wrong idea or None)}.
    extra : (text, released cell id) pairs: a code cell of the student's, placed below that cell.
    damage : what happened to the file: "strip_metadata" empties the metadata of every cell and gives
        each a new random cell id.
    """

    id: str
    shows: str
    answers: dict
    expected: dict
    extra: tuple = ()
    damage: tuple = ()


def marks(**others):
    """Full points for everything and a written answer that waits for a person, except for ``others``."""
    full = {name: (points, "correct", None) for name, points in POINTS.items()}
    return full | {"delay_argument": (0, "to be marked", None)} | others


BLANK = (0, "not answered", None)


# Right answers, in several styles

LOOPS = {
    "one_pole": """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.array(x, dtype=float)
    B, T = x.shape
    if np.ndim(alpha) == 0:
        alpha = np.full(T, alpha)
    states = np.zeros((B, T))
    for b in range(B):
        h = 0.0 if h0 is None else h0[b]
        for t in range(T):
            h = alpha[t] * h + beta * x[b, t]
            states[b, t] = h
    return states
""",
    "memory_horizon": """\
def memory_horizon(alpha, fraction=1 / np.e):
    a = abs(alpha)
    if a == 0:
        return 0.0
    if a >= 1:
        return np.inf
    return np.log(fraction) / np.log(a)
""",
    "frequency_response": """\
def frequency_response(poles, gain, omega):
    z = np.exp(-1j * np.array(omega))
    H = gain * np.ones(len(z), dtype=complex)
    for p in poles:
        H = H / (1 - p * z)
    return H
""",
    "estimate_pole": """\
def estimate_pole(h):
    top = bottom = 0.0
    for t in range(1, len(h)):
        top += h[t] * h[t - 1]
        bottom += h[t - 1] ** 2
    return top / bottom
""",
    "first_to_settle": 'first_to_settle = "c"\n',
    "pole_at_400_hz": "pole_at_400_hz = 0.946\n",
    "delay_argument": (
        "The alarm needs 22 steps with 0.9 and 230 with 0.99. The filtered value is a weighted mean over "
        "the past. To be calm it has to average many values, and then most of them are still from before the "
        "jump. A larger beta scales the noise as well, so it does not help."
    ),
}

VECTORISED = LOOPS | {
    "one_pole": """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, (T,))
    start = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    kept = np.zeros((T, T))
    for s in range(T):
        kept[s, s] = 1.0
        kept[s + 1 :, s] = np.cumprod(alpha[s + 1 :])
    return beta * x @ kept.T + np.outer(start, np.cumprod(alpha))
""",
    "memory_horizon": """\
def memory_horizon(alpha, fraction=1 / np.e):
    with np.errstate(divide="ignore"):
        n = np.log10(fraction) / np.log10(np.abs(alpha))
    return np.where(np.abs(alpha) < 1, n, np.inf)
""",
    "frequency_response": """\
def frequency_response(poles, gain, omega):
    z = np.exp(1j * np.asarray(omega))[:, None]
    return gain * np.prod(z / (z - np.asarray(poles)), axis=-1)
""",
    "estimate_pole": """\
def estimate_pole(h):
    h = np.asarray(h, dtype=float)
    return np.linalg.lstsq(h[:-1, None], h[1:], rcond=None)[0].item()
""",
    "pole_at_400_hz": "pole_at_400_hz = 0.8 ** (1 / 4)\n",
}

FLOAT32 = LOOPS | {
    "one_pole": """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=np.float32)
    alpha = np.broadcast_to(np.float32(alpha), x.shape[1:])
    h = np.zeros(len(x), dtype=np.float32) if h0 is None else np.asarray(h0, dtype=np.float32)
    out = np.empty_like(x)
    for t in range(x.shape[1]):
        h = alpha[t] * h + np.float32(beta) * x[:, t]
        out[:, t] = h
    return out
""",
    "frequency_response": """\
def frequency_response(poles, gain, omega):
    z = np.exp(-1j * np.asarray(omega)).astype(np.complex64)
    return np.float32(gain) / np.prod([1 - np.float32(p) * z for p in poles], axis=0)
""",
    "estimate_pole": """\
def estimate_pole(h):
    h = np.asarray(h, dtype=np.float32)
    return np.vdot(h[1:], h[:-1]) / np.vdot(h[:-1], h[:-1])
""",
}

LISTS = LOOPS | {
    "one_pole": """\
def one_pole(x, alpha, beta=1.0, h0=None):
    states = []
    for b, row in enumerate(x):
        h = 0.0 if h0 is None else float(h0[b])
        states.append([])
        for t, value in enumerate(row):
            a = alpha[t] if hasattr(alpha, "__len__") else alpha
            h = float(a * h + beta * value)
            states[-1].append(h)
    return states
""",
    "memory_horizon": """\
import math

def memory_horizon(alpha, fraction=1 / math.e):
    if alpha == 0:
        return 0
    return math.inf if abs(alpha) >= 1 else math.log(fraction, abs(alpha))
""",
    "frequency_response": """\
import cmath

def frequency_response(poles, gain, omega):
    result = []
    for w in omega:
        H = complex(gain)
        for p in poles:
            H /= 1 - p * cmath.exp(-1j * w)
        result.append(H)
    return result
""",
}


# Answers with a known wrong idea

IGNORES_THE_START = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    states = np.zeros((B, T))
    h = np.zeros(B)
    for t in range(T):
        h = alpha[t] * h + beta * x[:, t]
        states[:, t] = h
    return states
"""

FIRST_POLE_FOR_ALL = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    if np.size(alpha) > 1:
        alpha = alpha[0]
    h = np.zeros(len(x)) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros(x.shape)
    for t in range(x.shape[1]):
        h = alpha * h + beta * x[:, t]
        states[:, t] = h
    return states
"""

TIME_FIRST = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = []
    for t in range(T):
        h = alpha[t] * h + beta * x[:, t]
        states.append(h)
    return np.array(states)
"""

RUNNING_AVERAGE = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros((B, T))
    for t in range(T):
        h = alpha[t] * h + (1 - alpha[t]) * x[:, t]
        states[:, t] = h
    return states
"""

STORES_BEFORE_THE_UPDATE = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros((B, T))
    for t in range(T):
        states[:, t] = h
        h = alpha[t] * h + beta * x[:, t]
    return states
"""

NEVER_CARRIES = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros((B, T))
    for t in range(T):
        states[:, t] = alpha[t] * h + beta * x[:, t]
    return states
"""

RULE_OF_THUMB = """\
def memory_horizon(alpha, fraction=1 / np.e):
    if alpha == 0:
        return 0.0
    if abs(alpha) >= 1:
        return np.inf
    return 1 / (1 - abs(alpha))
"""

FORGETS_ABS = """\
def memory_horizon(alpha, fraction=1 / np.e):
    if alpha == 0:
        return 0.0
    if alpha >= 1:
        return np.inf
    return np.log(fraction) / np.log(alpha)
"""

NO_LIMIT_AT_ONE = """\
def memory_horizon(alpha, fraction=1 / np.e):
    return np.log(fraction) / np.log(np.abs(alpha))
"""

POSITIVE_ANGLE = """\
def frequency_response(poles, gain, omega):
    z = np.exp(1j * np.asarray(omega))
    return gain / np.prod([1 - p * z for p in poles], axis=0)
"""

MAGNITUDE_ONLY = """\
def frequency_response(poles, gain, omega):
    z = np.exp(-1j * np.asarray(omega))
    H = gain
    for p in poles:
        H = H / np.abs(1 - p * z)
    return H
"""

GAIN_FOR_EACH_POLE = """\
def frequency_response(poles, gain, omega):
    z = np.exp(-1j * np.asarray(omega))
    H = np.ones(len(z), dtype=complex)
    for p in poles:
        H *= gain / (1 - p * z)
    return H
"""

MEAN_OF_RATIOS = """\
def estimate_pole(h):
    h = np.asarray(h, dtype=float)
    return np.mean(h[1:] / h[:-1])
"""

LINE_WITH_AN_INTERCEPT = """\
def estimate_pole(h):
    slope, intercept = np.polyfit(h[:-1], h[1:], 1)
    return slope
"""

ALL_VALUES_BELOW = """\
def estimate_pole(h):
    h = np.asarray(h, dtype=float)
    return np.sum(h[1:] * h[:-1]) / np.sum(h**2)
"""


# Answers that go wrong in other ways

NEEDS_AN_ARRAY = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros((B, T))
    for t in range(T):
        h = alpha[t] * h + beta * x[:, t]
        states[:, t] = h
    return states
"""

SYNTAX_ERROR = """\
def one_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    for t in range(x.shape[1])
        h = alpha * h + beta * x[:, t]
    return h
"""

ENDLESS_LOOP = """\
def memory_horizon(alpha, fraction=1 / np.e):
    steps = 0
    left = 1.0
    while left > fraction:
        left = abs(alpha) ** steps
    return steps
"""

ENDS_PYTHON = """\
import os

def estimate_pole(h):
    os._exit(0)
"""

NOISY_ONE_POLE = """\
import os
import sys
import warnings

os.write(2, b"loaded one_pole\\n")

def one_pole(x, alpha, beta=1.0, h0=None):
    warnings.warn("slow loop")
    print("step by step", file=sys.stderr)
    os.write(2, b"running\\n")
    x = np.asarray(x, dtype=float)
    B, T = x.shape
    alpha = np.broadcast_to(alpha, T)
    h = np.zeros(B) if h0 is None else np.asarray(h0, dtype=float)
    states = np.zeros((B, T))
    for t in range(T):
        h = alpha[t] * h + beta * x[:, t]
        states[:, t] = h
    return states
"""

HORIZON_THAT_WARNS = """\
def memory_horizon(alpha, fraction=1 / np.e):
    if abs(alpha) >= 1:
        return np.inf
    return np.log(fraction) / np.log(np.abs(alpha))  # log(0) warns and gives the right 0
"""

STEP_IN_A_CELL_OF_ITS_OWN = """\
def step(h, x_t, a, b):
    return a * h + b * x_t
"""

USES_THE_STEP = """\
def one_pole(inputs, pole, b=1.0, start=None):
    inputs = np.asarray(inputs, dtype=float)
    pole = np.broadcast_to(pole, inputs.shape[1])
    h = np.zeros(len(inputs)) if start is None else np.asarray(start)
    states = np.empty(inputs.shape)
    for t, a in enumerate(pole):
        h = step(h, inputs[:, t], a, b)
        states[:, t] = h
    return states
"""


def without(answers, *names):
    """The answers but for those named, whose stubs are handed in untouched."""
    return {name: text for name, text in answers.items() if name not in names}


STUDENTS = [
    Student("s01", "all right, with loops", LOOPS, marks()),
    Student("s02", "all right, vectorised", VECTORISED, marks()),
    Student("s03", "all right, in single precision", FLOAT32, marks()),
    Student("s04", "all right, plain Python: lists come back", LISTS, marks()),
    Student(
        "s05",
        "h0 is ignored; the rule of thumb stands for the horizon",
        LOOPS | {"one_pole": IGNORES_THE_START, "memory_horizon": RULE_OF_THUMB},
        marks(
            one_pole=(0.86, "wrong", "ignores_the_start"),
            memory_horizon=(0.6, "wrong", "rule_of_thumb"),
        ),
    ),
    Student(
        "s06",
        "the first pole is used for all steps; ratios are averaged",
        LOOPS | {"one_pole": FIRST_POLE_FOR_ALL, "estimate_pole": MEAN_OF_RATIOS},
        marks(
            one_pole=(3.62, "wrong", "first_pole_for_all"),
            estimate_pole=(0.44, "wrong", "mean_of_ratios"),
        ),
    ),
    Student(
        "s07",
        "states come back time first; the angle has the wrong sign",
        VECTORISED | {"one_pole": TIME_FIRST, "frequency_response": POSITIVE_ANGLE},
        marks(
            one_pole=(0, "wrong", "time_first"),
            frequency_response=(0, "wrong", "positive_angle"),
        ),
    ),
    Student(
        "s08",
        "a running average instead of beta; NaN for negative poles",
        LOOPS | {"one_pole": RUNNING_AVERAGE, "memory_horizon": FORGETS_ABS},
        marks(
            one_pole=(0.17, "wrong", "running_average"),
            memory_horizon=(2, "wrong", "forgets_abs"),
        ),
    ),
    Student(
        "s09",
        "states one step late; the gain once for each pole; the line has an intercept",
        LOOPS
        | {
            "one_pole": STORES_BEFORE_THE_UPDATE,
            "frequency_response": GAIN_FOR_EACH_POLE,
            "estimate_pole": LINE_WITH_AN_INTERCEPT,
        },
        marks(
            one_pole=(0.17, "wrong", "stores_before_the_update"),
            frequency_response=(1.33, "wrong", "gain_for_each_pole"),
            estimate_pole=(0.22, "wrong", "line_with_an_intercept"),
        ),
    ),
    Student(
        "s10",
        "every function has another wrong idea, both concept answers are wrong, nothing is written",
        without(LOOPS, "delay_argument")
        | {
            "one_pole": NEVER_CARRIES,
            "memory_horizon": NO_LIMIT_AT_ONE,
            "frequency_response": MAGNITUDE_ONLY,
            "estimate_pole": ALL_VALUES_BELOW,
            "first_to_settle": 'first_to_settle = "a"\n',
            "pole_at_400_hz": "pole_at_400_hz = 0.95\n",
        },
        {
            "one_pole": (0.86, "wrong", "never_carries"),
            "memory_horizon": (2.6, "wrong", "no_limit_at_one"),
            "frequency_response": (0, "wrong", "magnitude_only"),
            "estimate_pole": (0, "wrong", "all_values_below"),
            "first_to_settle": (0, "wrong", None),
            "pole_at_400_hz": (0, "wrong", None),
            "delay_argument": BLANK,
        },
    ),
    Student("s11", "nothing was answered", {}, dict.fromkeys(POINTS, BLANK)),
    Student(
        "s12",
        "a syntax error in one answer; the others earn",
        LOOPS | {"one_pole": SYNTAX_ERROR},
        marks(one_pole=(0, "raised", None)),
    ),
    Student(
        "s13",
        "an endless loop in one function; the others earn",
        LOOPS | {"memory_horizon": ENDLESS_LOOP},
        marks(memory_horizon=(0, "too slow", None)),
    ),
    Student(
        "s14",
        "the answer stands in an extra cell below the untouched stub",
        without(LOOPS, "one_pole"),
        marks(),
        extra=((LOOPS["one_pole"], "answer-one_pole"),),
    ),
    Student(
        "s15",
        "warnings and text on stderr cost nothing",
        LOOPS | {"one_pole": NOISY_ONE_POLE, "memory_horizon": HORIZON_THAT_WARNS},
        marks(),
    ),
    Student(
        "s16",
        "all metadata and cell ids were lost on the way",
        VECTORISED,
        marks(),
        damage=("strip_metadata",),
    ),
    Student(
        "s17",
        "raises on lists, right on arrays",
        LOOPS | {"one_pole": NEEDS_AN_ARRAY},
        marks(one_pole=(4.31, "raised", None)),
    ),
    Student(
        "s18",
        "one function ends the Python process; the others earn",
        LOOPS | {"estimate_pole": ENDS_PYTHON},
        marks(estimate_pole=(0, "crashed", None)),
    ),
    Student(
        "s19",
        "half done: two functions and one concept answer of the wrong form",
        {name: LOOPS[name] for name in ("one_pole", "memory_horizon")}
        | {"first_to_settle": 'first_to_settle = "both at the same step"\n'},
        marks(
            frequency_response=BLANK,
            estimate_pole=BLANK,
            first_to_settle=(0, "wrong", None),
            pole_at_400_hz=BLANK,
            delay_argument=BLANK,
        ),
    ),
    Student(
        "s20",
        "a helper in a cell of its own, arguments renamed",
        LOOPS | {"one_pole": USES_THE_STEP},
        marks(),
        extra=((STEP_IN_A_CELL_OF_ITS_OWN, "import-numpy-as-np"),),
    ),
]
