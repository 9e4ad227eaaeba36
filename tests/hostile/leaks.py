"""The numbers that must stay hidden."""

import functools

import numpy as np

from grading.bank import Function, load_bank
from grading.judge import paper

DIGITS = 10  # of a number's text; fewer could agree by chance


@functools.lru_cache(maxsize=4)
def hidden_numbers(exercise, seed):
    """The long numbers of the hidden cases, of what is expected of them, and of what wrong ideas answer.

    Those that occur in a visible case as well are no secret.
    """
    secret, known = set(), set()
    for function in load_bank(exercise).of_kind(Function):
        sheet = paper(exercise, function.name, seed)
        answers = [sheet.expected, *(theirs for _, theirs in sheet.ideas.values())]
        for number, case in enumerate(sheet.cases):
            found = secret if number >= sheet.visible else known
            for values in (*case.args, *(given[number] for given in answers)):
                found.update(_long_texts(values))
    return frozenset(secret - known)


def _long_texts(values):
    try:
        array = np.asarray(values, dtype=complex)
    except (TypeError, ValueError):  # None, or the mark of an implementation that raises
        return set()
    parts = np.abs([array.real, array.imag]).ravel().tolist()
    return {repr(part)[:DIGITS] for part in parts if len(repr(part)) > DIGITS}
