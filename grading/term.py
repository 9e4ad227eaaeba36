"""The numbers of a term: concept questions that get other numbers, so that last year's answers are wrong."""

import re
import tomllib

from num2words import num2words

from grading import ROOT
from grading.errors import UserError

FILE = ROOT / "grading/term.toml"


def seeds():
    """The seeds of the term: {exercise: seed}; 0, or no entry, stands for the numbers as they were written.

    Raises
    ------
    UserError : when the file cannot be read.
    """
    if not FILE.exists():
        return {}
    try:
        kept = tomllib.loads(FILE.read_text(encoding="utf-8")).get("seeds", {})
    except ValueError as error:
        raise UserError(
            f"{FILE.name} is not TOML ({error}); mend it, or delete it for the first term"
        ) from None
    if not isinstance(kept, dict) or any(type(seed) is not int or seed < 0 for seed in kept.values()):
        raise UserError(f"{FILE.name}: each seed has to be a whole number from 0 on, like ex02 = 1")
    return kept


def with_seed(exercise, seed):
    """The text of the term's file after an exercise got this seed; its comments are kept."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else "[seeds]\n"
    head = [line for line in text.splitlines() if not re.match(r"ex\d\d\s*=", line)]
    entries = [f"{name} = {kept}" for name, kept in sorted((seeds() | {exercise: seed}).items()) if kept]
    return "\n".join([*head, *entries]) + "\n"


def numbered(make, others, seed):
    """A concept question with the numbers of a term.

    Parameters
    ----------
    make : function from numbers to a ``Question``; its defaults are the numbers as they were written.
    others : sets of numbers for other terms, each in the order of the arguments of ``make``. They come one
        after the other, so that neighbouring seeds never give the same.
    seed : of the term.
    """
    return make(*others[(seed - 1) % len(others)]) if seed else make()


def words(number):
    """A whole number in words.

    >>> words(9), words(20)
    ('nine', 'twenty')
    """
    return num2words(number)


def ordinal(number):
    """The word for one of so many parts.

    >>> ordinal(40)
    'fortieth'
    """
    return num2words(number, to="ordinal")
