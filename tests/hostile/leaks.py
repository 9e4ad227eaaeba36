"""The numbers that must stay hidden."""

import functools

import numpy as np

from grading.bank import Function, load_bank
from grading.paper import paper

DIGITS = 9  # of a number; fewer could agree by chance


@functools.lru_cache(maxsize=4)
def hidden_numbers(exercise, seed):
    """The digits of the long numbers in hidden cases, in what is expected, in what wrong ideas answer.

    Those that occur in a visible case as well are no secret.
    """
    secret, known = set(), set()
    for function in load_bank(exercise).of_kind(Function):
        sheet = paper(exercise, function.name, seed)
        answers = [sheet.expected, *(theirs for _, theirs in sheet.ideas.values())]
        for number, case in enumerate(sheet.cases):
            found = secret if number >= sheet.visible else known
            for values in (*case.args, *(given[number] for given in answers)):
                found.update(_long_digits(values))
    return frozenset(secret - known)


def _long_digits(values):
    try:
        array = np.asarray(values, dtype=complex)
    except (TypeError, ValueError):  # None, or the mark of an implementation that raises
        return set()
    parts = np.abs([array.real, array.imag]).ravel().tolist()
    digits = (repr(part).replace(".", "").lstrip("0") for part in parts)
    return {text[:DIGITS] for text in digits if len(text) >= DIGITS}


def numbers_in(text, exercise, seed):
    """The hidden numbers that a text holds, wherever their point stands."""
    digits = text.replace(".", "")
    return {number for number in hidden_numbers(exercise, seed) if number in digits}
