"""What a student may see of a visible case: the call, the expected value and the answer, as short texts.

Nothing here is ever asked for a hidden case.
"""

import numpy as np

from course_utils.compare import Band, describe, numbers
from course_utils.plain import from_plain, to_plain
from grading import results

TEXT = 160  # characters of one value
ITEMS = 12  # of a list, before it is cut
DEPTH = 4  # of lists in lists
STEPS = (4, 200)  # fewer are read faster as numbers, more are no small figure
ROWS = 3  # of a batch, in a figure


def shown(name, case, expected, answer, verdict):
    """The parts of a visible case that its ``CaseResult`` keeps.

    Parameters
    ----------
    name : of the function.
    case : the ``Case``.
    expected : what the reference returned, or a Band.
    answer : the ``Answer`` of the student's function.
    verdict : what the judge said of it.

    Returns
    -------
    dict with ``call``, ``expected``, ``answer`` (texts) and ``curves`` (numbers to draw, for a wrong answer).
    """
    inputs = from_plain(to_plain(list(case.args)))  # a tensor reads as an array does
    wanted = describe(expected) if isinstance(expected, Band) else value_text(expected)
    kept = {"call": f"{name}({', '.join(map(value_text, inputs))})", "expected": wanted}
    if answer.status == "ok":
        kept["answer"] = value_text(answer.value)
        if verdict == results.WRONG:
            kept["curves"] = curves(expected, answer.value)
    return kept


def value_text(value):
    """A value in at most ``TEXT`` characters, numbers to four digits.

    >>> value_text([[1, 2.0], (0.123456, None)])
    '[[1, 2], (0.1235, None)]'
    """
    text = _text(value, DEPTH)
    return text if len(text) <= TEXT else f"{text[: TEXT - 2]} …"


def _text(value, depth):
    if isinstance(value, np.ndarray) and value.size == 0:
        return f"array of shape {value.shape}"
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist() if value.size <= ITEMS**2 else value[:ITEMS].tolist()
    if isinstance(value, (list, tuple)):
        inside = [_text(item, depth - 1) for item in value[:ITEMS]] if depth else ["…"]
        inside += ["…"] if depth and len(value) > ITEMS else []
        return f"({', '.join(inside)})" if isinstance(value, tuple) else f"[{', '.join(inside)}]"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, (str, bool)) or value is None:
        return repr(value[:TEXT] if isinstance(value, str) else value)
    return _number(np.asarray(value).item())


def _number(number):
    if isinstance(number, complex):  # a part that is but rounding error is left out
        small = 1e-12 * abs(number)
        number = complex(*(0.0 if abs(part) <= small else part for part in (number.real, number.imag)))
    return f"{number:.4g}" if isinstance(number, (float, complex)) else str(number)


def curves(expected, answer):
    """The rows of two arrays, to be drawn over each other; {} where a figure would show nothing.

    Complex numbers are drawn by their magnitude; what is not finite becomes None.
    """
    pair = [_rows(numbers(value)) for value in (expected, answer)]
    if any(rows is None for rows in pair) or len(pair[0]) != len(pair[1]):
        return {}
    wanted, came = ([_finite(row) for row in rows[:ROWS]] for rows in pair)
    magnitude = any(np.iscomplexobj(rows) for rows in pair)
    return {"expected": wanted, "answer": came, "quantity": "magnitude" if magnitude else "value"}


def _rows(array):
    """The array as rows of a drawable length, or None."""
    if array is None or array.ndim not in (1, 2):
        return None
    return np.atleast_2d(array) if STEPS[0] <= array.shape[-1] <= STEPS[1] else None


def _finite(row):
    numbers = np.abs(row) if np.iscomplexobj(row) else row.astype(float)
    return [float(f"{number:.6g}") if np.isfinite(number) else None for number in numbers]
