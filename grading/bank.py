"""The bank of an exercise: for each question its cases, its wrong ideas and its legitimate variants.

A module ``grading/exercises/exNN_bank.py`` holds one ``Bank``::

    bank = Bank("ex02")
    one_pole = bank.function("one_pole", reference.one_pole)

    @one_pole.visible
    def _():
        yield Case("an impulse", [1.0, 0.0, 0.0], 0.5)

    @one_pole.hidden
    def _(rng):
        yield Case("a random row", rng.normal(size=7), 0.9)

    @one_pole.wrong("The start state h0 is never used.")
    def forgets_the_start(x, alpha, beta=1.0, h0=0.0): ...

    @one_pole.variant
    def vectorised(x, alpha, beta=1.0, h0=0.0): ...

A concept question whose numbers may change from term to term has a maker, which is given the numbers::

    @bank.numbered((0.6,), (0.7,))  # of other terms
    def pole_at_400_hz(alpha=0.8):
        return Question("pole_at_400_hz", alpha**0.25, ..., numbers={"alpha": alpha})

The source of the exercise then says ``<<alpha>>``. A function may also name the ``terms`` of its formula, and
its cases those that play a part in them. Then a mistake that is in no bank is still traced to its term;
``@one_pole.fault("input")`` registers one to show it.
"""

import importlib
import math
import re
from dataclasses import dataclass, field

import numpy as np

from grading import ROOT, term
from grading.errors import UserError

MAX_SECONDS = 120
"""The most time that a bank may give to one function: a class has to be graded within the evening."""


class Case:
    """One call of a graded function: a title for people and the positional arguments.

    A fresh case counts with its ``weight``; an edge case that a constant answers too counts for less.
    ``terms`` names those terms of the function's formula that play a part in the case; none when the case
    is not to say anything about terms. A case in which something is trained has a ``band``, what the answer
    is held against in place of the reference's: it tells no wrong idea from another, and is asked once.
    """

    def __init__(self, title, *args, hint="", weight=1.0, terms=(), band=None):
        if not 0 < weight < math.inf:
            raise ValueError(f"the case {title!r} has the weight {weight}; it has to be above 0")
        self.title, self.args, self.hint, self.weight, self.terms = title, args, hint, weight, terms
        self.band = band


@dataclass
class WrongIdea:
    """A known mistake: an implementation and one sentence of advice to who made it."""

    name: str
    function: object
    advice: str


@dataclass
class Function:
    """A graded function: reference, visible and hidden cases, wrong ideas, legitimate variants."""

    name: str
    reference: object
    terms: dict = field(default_factory=dict)  # name -> what the student is told to look at
    wrong_ideas: list[WrongIdea] = field(default_factory=list)
    variants: list = field(default_factory=list)
    faults: list = field(default_factory=list)  # (name of a term, implementation)
    seconds: float = 10.0  # wall time for all its cases together; twice that when some are too slow

    def __post_init__(self):
        if not 0 < self.seconds <= MAX_SECONDS:
            raise ValueError(
                f"{self.name} asks for {self.seconds:g} seconds; at most {MAX_SECONDS} are given: "
                "make its cases smaller"
            )

    def visible(self, cases):
        """Register the generator of the open cases (no arguments: they are always the same)."""
        self._visible = cases
        return cases

    def hidden(self, cases):
        """Register the generator of the hidden cases, called with a NumPy ``Generator``."""
        self._hidden = cases
        return cases

    def wrong(self, advice):
        """Register a wrong idea together with the advice that names it."""

        def register(function):
            self.wrong_ideas.append(WrongIdea(function.__name__, function, advice))
            return function

        return register

    def variant(self, function):
        """Register a correct answer in another style: it must always earn full points."""
        self.variants.append(function)
        return function

    def fault(self, term):
        """Register a mistake that is no known idea and lies in one term: the hint has to name that term."""

        def register(function):
            self.faults.append((term, function))
            return function

        return register

    def visible_cases(self):
        return list(self._visible())

    def hidden_cases(self, seed):
        """The hidden cases of one grading run; the same seed draws the same cases."""
        return list(self._hidden(np.random.default_rng([seed, *self.name.encode()])))


@dataclass
class Question:
    """A concept question with a choice (``choices``) or a number (``tolerance``) as its answer."""

    name: str
    answer: object
    explanation: str
    choices: tuple = ()
    tolerance: float = 0.0
    replies: dict = field(default_factory=dict)  # wrong answer -> advice
    numbers: dict = field(default_factory=dict)  # what the source of the exercise takes from it, as <<name>>

    def is_right(self, answer):
        if self.choices:
            return answer == self.answer
        return abs(answer - self.answer) <= self.tolerance

    def reply(self, answer):
        """The advice for a wrong answer, or ""; a number may miss the known one by the tolerance."""
        if self.choices:
            return self.replies.get(answer, "")
        known = (advice for wrong, advice in self.replies.items() if abs(answer - wrong) <= self.tolerance)
        return next(known, "")


@dataclass
class Written:
    """A written answer, marked by a person along the rubric."""

    name: str
    rubric: str


class Bank:
    """All questions of one exercise, in the order in which they are registered."""

    def __init__(self, exercise):
        self.exercise = exercise
        self.questions = {}
        self.makers = {}  # name of a numbered question -> (maker, numbers of other terms)

    def function(self, name, reference, **options):
        return self._add(Function(name, reference, **options))

    def question(self, name, answer, explanation, **options):
        return self._add(Question(name, answer, explanation, **options))

    def numbered(self, *others):
        """Register the maker of a concept question, with its numbers in other terms; see ``grading.term``."""

        def register(make):
            self.makers[make.__name__] = (make, others)
            return self._add(term.numbered(make, others, term.seeds().get(self.exercise, 0)))

        return register

    def numbers(self):
        """What the source of the exercise takes from its concept questions: {name: number or text}."""
        return {name: value for q in self.of_kind(Question) for name, value in q.numbers.items()}

    def written(self, name, rubric):
        return self._add(Written(name, rubric))

    def _add(self, question):
        self.questions[question.name] = question
        return question

    def of_kind(self, kind):
        return [question for question in self.questions.values() if isinstance(question, kind)]


def exercise_names():
    """The exercises that exist, e.g. ``["ex02"]``."""
    return sorted(path.stem for path in (ROOT / "grading/exercises").glob("ex??.py"))


def load_bank(exercise):
    """The bank of an exercise.

    Raises
    ------
    UserError : when there is no such exercise.
    """
    if not re.fullmatch(r"ex\d\d", exercise) or exercise not in exercise_names():
        raise UserError(f"there is no exercise {exercise!r}; there are: {', '.join(exercise_names())}")
    return importlib.import_module(f"grading.exercises.{exercise}_bank").bank
