"""Does an answer agree with the expected value, and if not, how does it differ?

The tolerances of the whole course stand here. They are wide enough for a correct answer in float32 and
for any order of summation, and far narrower than the mistakes the exercises look for.
"""

from typing import NamedTuple

import numpy as np

RTOL = 1e-4
"""Allowed error of each number, relative to that number."""

SCALE_TOL = 1e-5
"""Allowed error of each number, relative to the largest expected number."""

NO_INPUT = "it asks with input(), but nobody is there to answer; take the values from its arguments"
"""Said of an answer that calls ``input``, here and in grading."""


class Band(NamedTuple):
    """What a trained answer is held against: enough of its predictions have to be right, not each of them.

    No two trainings agree number by number, so none can be expected to repeat the reference's.
    """

    truth: np.ndarray  # (N,), what would be right
    at_least: float  # the share of it that has to be met, above 0 and at most 1


def close(expected, got):
    """Which entries of ``got`` agree with ``expected``: a boolean array of their common shape.

    Infinite values agree only with the same infinity, NaN only with NaN. (No reference returns NaN, but
    a wrong idea may, and is recognised by it.)
    """
    expected, got = _wide(expected), _wide(got)
    finite = np.isfinite(expected)
    scale = np.max(np.abs(expected), where=finite, initial=0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(got - expected) <= RTOL * np.abs(expected) + SCALE_TOL * scale
    return np.where(finite, near, (expected == got) | (np.isnan(expected) & np.isnan(got)))


def describe(value):
    """Name a value in few words: its shape for an array, the number for a number.

    >>> describe(np.zeros((2, 3)))
    'shape (2, 3)'
    >>> describe(9.4912)
    '9.4912'
    """
    if isinstance(value, Band):
        return f"{value.at_least:.0%} of {len(value.truth)} right"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"shape {value.shape}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, (str, bool)) or value is None:
        return repr(value)
    return f"{_number(value):.6g}"


def full_stop(sentence):
    """The sentence with its end: a question keeps its mark.

    >>> full_stop("is it transposed?"), full_stop("the sign is wrong")
    ('is it transposed?', 'the sign is wrong.')
    """
    return sentence if sentence.endswith("?") else f"{sentence}."


def mismatch(expected, got, reveal=True):
    """Say in one sentence how ``got`` differs from ``expected``.

    Parameters
    ----------
    expected : number, text, array, or tuple of these; or a Band.
    got : the answer, of any plain type; a list of numbers counts as an array.
    reveal : whether the sentence may quote numbers and sizes. For a hidden case it may not: neither
        what was expected, nor anything of the answer into which an input could be packed.

    Returns
    -------
    The sentence, or None when the two agree within the tolerances.
    """
    if got is None:
        return "it returned None; is a return statement missing?"
    if isinstance(expected, str):
        return None if isinstance(got, str) and got == expected else "the text differs"
    if _holds_arrays(expected):
        return _tuple_mismatch(expected, got, reveal)
    values = numbers(got)
    if values is None:
        wanted = describe(expected) if reveal else "numbers"
        came = f"expected {wanted}, but a {type(got).__name__} without plain numbers came back"
        return came + _why_no_numbers(got)
    if isinstance(expected, Band):
        return _below(expected, values, reveal)
    right = _wide(expected)
    sentence = _array_mismatch(right, _wide(values), reveal)
    return sentence + _why_whole(right, values) if sentence and reveal else sentence


def _holds_arrays(expected):
    """Whether several values are expected, not one array."""
    several = isinstance(expected, (tuple, list)) and not isinstance(expected, Band)
    return several and any(isinstance(part, str) or np.ndim(part) for part in expected)


def numbers(value):
    """The numbers of a plain value as one array; None when it holds anything else, or ragged rows.

    >>> numbers([[1, 2], [3, 4]]).shape, numbers([1, "2"]), numbers([1, [2, 3]])
    ((2, 2), None, None)
    """
    if _holds_text(value):  # in an array of texts each would take the room of the longest
        return None
    try:
        values = np.asarray(value)
    except ValueError:
        return None
    return values if values.dtype.kind in "biufc" else None


def _holds_text(value):
    return isinstance(value, str) or (isinstance(value, (tuple, list)) and any(map(_holds_text, value)))


def _why_no_numbers(got):
    """The likely slip behind an answer without numbers, as the end of a sentence."""
    if _holds_text(got):
        return "; numbers are written without quotes"
    if isinstance(got, dict):
        return "; return its values alone"
    if isinstance(got, tuple):
        return "; one array was expected, return it alone"
    return "; do its rows have different lengths?" if isinstance(got, (list, tuple)) else ""


def _why_whole(expected, got):
    """The likely slip behind whole numbers where others were expected, as the end of a sentence."""
    if got.dtype.kind not in "iu" or got.shape != expected.shape or expected.dtype.kind == "c":
        return ""
    decimals = expected[np.isfinite(expected)] % 1
    return "; whole numbers came back, are their decimals cut off?" if decimals.any() else ""


def holds_nan(value):
    """Whether there is a NaN anywhere in a plain value; no answer with one is ever right.

    >>> holds_nan((1.0, [np.array([2.0, np.nan])])), holds_nan({"a": 1})
    (True, False)
    """
    if isinstance(value, (tuple, list, dict)):
        return any(map(holds_nan, value.values() if isinstance(value, dict) else value))
    values = np.asarray(value)
    return values.dtype.kind in "fc" and bool(np.isnan(values).any())


def changed_inputs(names):
    """The sentence about a function that changes its inputs, given their names.

    >>> changed_inputs(["x"])
    'it changes its input x; work on a copy'
    """
    return f"it changes its input{'s' * (len(names) > 1)} {' and '.join(names)}; work on a copy"


def _wide(values):
    """The numbers in float64 or complex128: truth values cannot be subtracted, small integers wrap."""
    values = np.asarray(values)
    return values.astype(np.result_type(values.dtype, np.float64))


def _below(band, got, reveal):
    """Whether too few predictions are right, or their number is not the expected one."""
    if got.shape != band.truth.shape:
        return _array_mismatch(_wide(band.truth), _wide(got), reveal)
    right = np.mean(got == band.truth)
    if right >= band.at_least:
        return None
    if not reveal:
        return "too few of the predictions are right"
    return f"{right:.0%} of the {got.size} predictions are right; at least {band.at_least:.0%} are needed"


def _tuple_mismatch(expected, got, reveal):
    if not isinstance(got, (tuple, list)) or len(got) != len(expected):
        came = f"{len(got)} values" if isinstance(got, (tuple, list)) else f"one {type(got).__name__}"
        if not reveal:
            return "another number of values was expected"
        return f"expected {len(expected)} values, but {came} came back"
    sentences = [mismatch(one, other, reveal) for one, other in zip(expected, got, strict=True)]
    wrong = [position for position, sentence in enumerate(sentences, start=1) if sentence]
    if not wrong:
        return None
    others = ", ".join(map(str, wrong[1:])) if reveal else ""
    also = f" (wrong too: {others})" if others else ""
    return f"value {wrong[0]} of {len(expected)}{also}: {sentences[wrong[0] - 1]}"


def _array_mismatch(expected, got, reveal):
    if got.shape != expected.shape:
        hint = "; is it transposed?" if got.ndim > 1 and got.shape == expected.shape[::-1] else ""
        if not reveal:
            return f"the shape is not the expected one{hint}"
        return f"{_shape(got)} came back, expected {_shape(expected)}{hint}"
    if expected.dtype.kind == "c" and got.dtype.kind != "c":
        return "expected complex numbers, but real ones came back"
    agree = close(expected, got)
    if agree.all():
        return None
    if got.dtype.kind == "c" and expected.dtype.kind != "c" and np.any(got.imag != 0):
        return "expected real numbers, but complex ones came back"
    wrong_nan = np.isnan(got) & ~np.isnan(expected)
    if wrong_nan.any() and not reveal:
        return "some values are NaN (not a number)"
    if wrong_nan.any():
        which = f"{wrong_nan.sum()} of {got.size} values are" if got.ndim else "it is"
        return f"{which} NaN (not a number)"
    return _pattern(expected, got, reveal) or _first_difference(expected, got, agree, reveal)


def _pattern(expected, got, reveal):
    """Recognise an answer that is the expected one up to one simple slip."""
    if close(expected, -got).all():
        return "the sign is wrong everywhere" if expected.size > 1 else "the sign is wrong"
    if expected.dtype.kind == "c" and close(expected, got.conj()).all():
        return "it is the complex conjugate of what was expected; the sign of the angle is wrong"
    if expected.ndim and expected.shape[-1] > 2:
        if close(expected, got[..., ::-1]).all():
            return "the values are in reverse order"
        if close(expected[..., 1:], got[..., :-1]).all():
            return "the values come one step too early"
        if close(expected[..., :-1], got[..., 1:]).all():
            return "the values come one step too late"
    return _constant_factor(expected, got, reveal)


def _constant_factor(expected, got, reveal):
    usable = np.isfinite(expected) & (np.abs(expected) > 0) & np.isfinite(got)
    if usable.sum() < 2:
        return None
    with np.errstate(all="ignore"):  # a decayed response may hold numbers near 1e-310
        factor = np.median((got[usable] / expected[usable]).real)
        rescaled = got / factor if factor else got
    if close(expected, rescaled).all():
        size = f"{factor:.4g} times what was expected" if reveal else "off by the same factor"
        return f"every value is {size}"
    return None


def _first_difference(expected, got, agree, reveal):
    if not reveal:
        return "some values differ" if agree.ndim else "the number differs from the expected one"
    where = tuple(int(index) for index in np.argwhere(~agree)[0]) if agree.ndim else ()
    numbers = f"expected {_number(expected[where]):.6g}, got {_number(got[where]):.6g}"
    if not where:
        return f"the number differs: {numbers}"
    place = where[0] if len(where) == 1 else where
    return f"{(~agree).sum()} of {agree.size} values differ, the first at index {place}: {numbers}"


def _shape(array):
    return f"shape {array.shape}" if array.ndim else "a single number"


def _number(value):
    value = np.asarray(value).item()
    return complex(value) if isinstance(value, complex) else float(value)
