"""The paper of a grading run: the cases of a function, drawn for its seed, and what is expected on each."""

import copy
import functools
from dataclasses import dataclass

from course_utils.compare import holds_nan
from course_utils.plain import from_plain, to_plain
from grading.bank import load_bank
from grading.errors import UserError

RAISED = object()
"""Stands for "this implementation raises on this case"."""


@dataclass
class Paper:
    """The cases of one function in one grading run, with what reference and wrong ideas answer."""

    cases: list
    visible: int  # how many of them are the open ones, which come first
    expected: list  # what the reference answers, or a Band
    ideas: dict  # WrongIdea name -> (advice, answers); None for a case with a band


@functools.lru_cache(maxsize=64)
def paper(exercise, name, seed):
    """Draw the cases of a function for a seed; the same seed gives the same paper to the whole class."""
    function = load_bank(exercise).questions[name]
    visible, hidden = function.visible_cases(), function.hidden_cases(seed)
    cases = visible + hidden
    expected = [case.band or _answer(function.reference, case) for case in cases]
    for case, value in zip(cases, expected, strict=True):
        if value is RAISED or holds_nan(value):
            reason = f"the reference of {name} raises or gives NaN on {case.title!r}"
            raise UserError(f"{reason} with the seed {seed}; mend the bank, or draw other cases with --seed")
    ideas = {
        idea.name: (idea.advice, [None if case.band else _answer(idea.function, case) for case in cases])
        for idea in function.wrong_ideas
    }
    return Paper(cases, len(visible), expected, ideas)


def _answer(function, case):
    try:
        return from_plain(to_plain(function(*copy.deepcopy(case.args))))  # as an answer comes back
    except Exception:  # a wrong idea may well raise on a legal input
        return RAISED
