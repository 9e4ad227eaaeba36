"""The judge and the order of its questions, with functions of this process in place of a kernel."""

import dataclasses
import json
import random
import re
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from conftest import answer_cell
from nbformat.v4 import new_notebook

from course_utils import checks, plain
from course_utils.compare import NO_INPUT, Band
from course_utils.plain import to_plain
from grading import ROOT, judge, kernel_side, paper
from grading.asking import MOST_TROUBLES, NOT_ASKED, TROUBLE, Asking
from grading.bank import Bank, Case, load_bank
from grading.errors import UserError
from grading.report import class_notes
from grading.results import Outcome
from grading.runner import TOO_LONG, Answer, Sitting, _parse
from grading.session import Reply

SEED = 7
EDGE = 0.38  # of the eight points: what the case without numbers is worth
Record = dataclasses.make_dataclass("Record", ["rows"])


def scaled(x, factor=2.0):
    """The reference of the small bank below: every number times the factor."""
    return np.asarray(x, dtype=float) * factor


def make_bank(reference=scaled):
    bank = Bank("small")
    function = bank.function("scale", reference)

    @function.visible
    def _():
        yield Case("an array", np.array([1.0, 2.0, 4.0]))
        yield Case("a list", [3.0, 1.0], 0.5)
        yield Case("nothing", np.zeros(0))

    @function.hidden
    def _(rng):
        for size in (3, 4, 5, 6):
            yield Case(f"{size} numbers", rng.normal(size=size), rng.uniform(2, 3))
        yield Case("numbers in a list", rng.normal(size=4).tolist(), rng.uniform(2, 3))
        yield Case("no numbers", np.zeros(0), 3.0, weight=0.25)

    @function.wrong("Your factor is ignored; multiply by it.")
    def ignores_the_factor(x, factor=2.0):
        return np.asarray(x, dtype=float)

    @function.wrong("Your answer is the input; scale it.")
    def returns_the_input(x, factor=2.0):
        return list(x)

    return bank


def make_trained_bank():
    """A bank whose function is asked for single rows, and for something like a training."""
    bank = Bank("small")
    function = bank.function("scale", lambda rows, drawn: np.asarray(rows) % 3)

    @function.visible
    def _():
        yield Case("two rows", np.arange(2), 0)
        yield Case("trained", np.arange(6), 1, band=Band(np.arange(6) % 3, 0.6))

    @function.hidden
    def _(rng):
        yield Case("three rows", rng.integers(3, 9, size=3), 0)
        truth = rng.integers(3, size=40)
        yield Case("trained anew", truth + 3, 1, band=Band(truth, 0.8), weight=3.0)

    @function.wrong("Your rows come back as they are; train on them.")
    def as_they_are(rows, drawn):
        return rows

    return bank


class TooSlow(Exception):
    """Raised by a function here that stands for an endless one."""


class Crash(Exception):
    """Raised by a function here that stands for one that ends its process."""


STOPS = {"TooSlow": "too slow", "Crash": "crashed"}


class InProcess:
    """A sitting without a kernel that runs the kernel's side here, and writes down what it is asked."""

    def __init__(self, function):
        self.function, self.sealed, self.asked = function, False, []
        self.side = {}
        for module in (plain, kernel_side):
            exec(Path(module.__file__).read_text("utf-8"), self.side)

    def ready(self):
        return True

    def calls(self, name, cases, seconds):
        return until_trouble(self.call(name, arguments, seconds) for arguments in cases)

    def call(self, name, arguments, seconds):
        given = to_plain(list(arguments), inputs=True)["list"]
        self.asked.append((given, seconds, self.sealed))
        outcome = self.side["_outcome"](lambda value: self.side["call_on"](value, given), self.function)
        stop = STOPS.get(outcome.get("type"))
        return Answer(stop) if stop else parsed(outcome)


def until_trouble(answers):
    """The answers up to the first call that was too slow or ended the kernel."""
    given = []
    for answer in answers:
        given.append(answer)
        if answer.status in TROUBLE:
            break
    return given


def parsed(outcome):
    return _parse(json.dumps(outcome))


@pytest.fixture
def judged(monkeypatch):
    """Judge a function as the answer of the small bank's question; returns the result."""

    def judge_function(function, seed=SEED, points=8.0, bank=None):
        bank = bank or make_bank()
        monkeypatch.setattr(paper, "load_bank", lambda _: bank)
        paper.paper.cache_clear()
        sitting = InProcess(function)
        try:
            result = judge.judge_question(bank.questions["scale"], "small", points, sitting, seed)
        finally:
            paper.paper.cache_clear()
        return SimpleNamespace(**vars(result), asked=sitting.asked)

    return judge_function


# what is trained


def nearly(share):
    """A function that is right on single rows and, whenever it trains, on this share of them."""

    def function(rows, drawn):
        right = np.asarray(rows) % 3
        wrong = random.sample(range(len(rows)), round((1 - share) * len(rows)) if drawn else 0)
        right[wrong] += 1
        return right

    return function


@pytest.mark.parametrize(("share", "points"), [(1.0, 8), (0.85, 8), (0.75, 2), (0.0, 2)])
def test_a_training_counts_when_enough_of_its_predictions_are_right(judged, share, points):
    result = judged(nearly(share), bank=make_trained_bank())
    assert result.points == points
    assert "twice with the same input" not in result.hint


def test_a_hidden_training_that_fails_says_so_and_quotes_nothing(judged):
    result = judged(nearly(0.5), bank=make_trained_bank())
    assert result.cases[-1].message == "too few of the predictions are right"


def test_a_wrong_idea_is_named_by_the_cases_without_training(judged):
    result = judged(lambda rows, drawn: rows, bank=make_trained_bank())
    assert result.misconceptions == ["as_they_are"]
    assert result.points == 0


def test_a_visible_training_shows_what_it_asks(judged):
    cases = judged(nearly(0.2), bank=make_trained_bank()).cases
    (trained,) = (case for case in cases if case.title == "trained")
    assert trained.expected == "60% of 6 right"
    assert "at least 60% are needed" in trained.message


# what comes back


def test_a_right_answer_earns_everything_without_a_word(judged):
    result = judged(scaled)
    assert (result.points, result.verdict, result.hint) == (8, "correct", "")


ALSO_RIGHT = {
    "a list": lambda x, factor=2.0: (np.asarray(x, dtype=float) * factor).tolist(),
    "a tuple": lambda x, factor=2.0: tuple(factor * v for v in x),
    "a tensor": lambda x, factor=2.0: torch.tensor(x) * factor,
    "a tensor with a gradient": lambda x, factor=2.0: torch.tensor(x, requires_grad=True) * factor,
    "float32": lambda x, factor=2.0: np.float32(x) * np.float32(factor),
    "a row of a matrix": lambda x, factor=2.0: np.asmatrix(scaled(x, factor)).A1,
    "a named tuple": lambda x, factor=2.0: namedtuple("Row", [f"v{i}" for i in range(len(x))])(
        *(factor * v for v in x)
    ),
    "noise of rounding": lambda x, factor=2.0: scaled(x, factor) * (1 + random.uniform(-1e-9, 1e-9)),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("function", ALSO_RIGHT.values(), ids=ALSO_RIGHT)
def test_the_values_count_and_not_what_holds_them(judged, function):
    assert (judged(function).points, judged(function).verdict) == (8, "correct")


def itself(*_):
    inside = []
    inside.append(inside)
    return inside


def endless(*_):
    while True:
        yield 1.0


WRONG_KINDS = {
    "None": (lambda *_: None, "it returned None; is a return statement missing?"),
    "a generator": (lambda x, *_: (v for v in x), "a generator holds no values yet; return a list"),
    "an endless generator": (endless, "a generator holds no values yet"),
    "a map": (lambda x, *_: map(abs, x), "a map holds no values yet"),
    "a range": (lambda *_: range(3), "a range is no array"),
    "a function": (lambda *_: scaled, "is a call missing its parentheses?"),
    "a method": (lambda x, *_: [].append, "is a call missing its parentheses?"),
    "text": (lambda *_: "2.0 4.0", "numbers are written without quotes"),
    "numbers in quotes": (lambda x, *_: [str(2 * v) for v in x], "numbers are written without quotes"),
    "a dict": (lambda x, *_: dict(enumerate(x)), "return its values alone"),
    "a dataclass": (lambda x, *_: Record(x), "a Record is a dataclass; return its values as a tuple"),
    "a set": (lambda x, *_: set(x), "a set has no order"),
    "a masked array": (lambda x, *_: np.ma.masked_less(2 * np.asarray(x), 3), "a masked array hides"),
    "objects": (lambda x, *_: np.array([1.0, [2.0, 3.0]], dtype=object), "different lengths"),
    "rows of different lengths": (lambda *_: [[1.0], [2.0, 3.0]], "different lengths"),
    "complex numbers": (lambda x, *_: 2j * np.asarray(x), "expected real numbers, but complex ones came"),
    "a sparse tensor": (lambda x, *_: torch.tensor(x).to_sparse(), "with .to_dense()"),
    "a tensor without values": (lambda x, *_: torch.ones(3, device="meta"), "has no values"),
    "a list that contains itself": (itself, "does it contain itself?"),
    "a huge integer": (lambda *_: 10**5000, "a whole number of more than 64 bits came back"),
    "too many numbers": (lambda *_: np.zeros(300_001), "more than 300,000 numbers or letters"),
    "a huge text": (lambda *_: "x" * 10**7, "more than 300,000 numbers or letters"),
    "an object": (lambda *_: SimpleNamespace(), "a SimpleNamespace is not a number"),
    "one number": (lambda *_: 2.0, "a single number came back, expected shape (3,)"),
}


@pytest.mark.parametrize(("function", "words"), WRONG_KINDS.values(), ids=WRONG_KINDS)
def test_what_is_no_plain_answer_gets_its_sentence(judged, function, words):
    result = judged(function)
    assert result.verdict == "wrong"
    assert result.points <= EDGE
    assert result.hint.startswith('On visible case "an array": ')
    assert words in result.hint


@pytest.mark.parametrize("function", [function for function, _ in WRONG_KINDS.values()], ids=WRONG_KINDS)
def test_no_answer_to_a_fresh_case_is_quoted(judged, function):
    seen = ([1.0, 2.0, 4.0], [3.0, 1.0], [])
    result = judged(lambda x, factor=2.0: scaled(x, factor) if list(x) in seen else function(x, factor))
    messages = [case.message for case in result.cases if case.verdict == "wrong"]
    assert messages
    assert not any(re.search(r"\d|Record|Simple", message) for message in messages)


class Sly:
    """Equal to everything, of every kind, and never at rest."""

    __class__ = property(lambda self: np.ndarray)
    __eq__ = __le__ = __contains__ = lambda self, other: True
    __array__ = tolist = detach = cpu = numpy = lambda self, *_, **__: np.array([2.0, 4.0, 8.0])
    __array_function__ = __torch_function__ = __array_ufunc__ = lambda *_, **__: True
    __reduce__ = __iter__ = __len__ = lambda self: 1 / 0
    __hash__ = None


class SlyArray(np.ndarray):
    """An array that would like to be another one."""

    __eq__ = __le__ = lambda self, other: True
    __array__ = __array_function__ = __reduce__ = lambda self, *_, **__: np.array([2.0, 4.0, 8.0])
    tolist = ravel = lambda self, *_: [2.0, 4.0, 8.0]


class SlyTensor(torch.Tensor):
    """A tensor whose every operation gives a right answer."""

    __eq__ = lambda self, other: True  # noqa: E731

    @classmethod
    def __torch_function__(cls, *_, **__):
        raise SystemExit


class SlyFloat(float):
    """A float that equals everything."""

    __eq__ = __le__ = lambda self, other: True
    __hash__ = float.__hash__


class SlyText(str):
    """A text that equals everything."""

    __eq__ = lambda self, other: True  # noqa: E731
    __hash__ = str.__hash__


SLY = {
    "an object": lambda *_: Sly(),
    "an array": lambda *_: np.zeros(3).view(SlyArray),
    "a tensor": lambda *_: torch.zeros(3).as_subclass(SlyTensor),
    "a float": lambda *_: SlyFloat(0.0),
    "a text": lambda *_: SlyText(""),
    "a list of floats": lambda *_: [SlyFloat(0.0)] * 3,
    "an array of objects": lambda *_: np.array([Sly(), Sly(), Sly()], dtype=object),
}


@pytest.mark.parametrize("function", SLY.values(), ids=SLY)
def test_an_object_with_methods_of_its_own_gains_nothing(judged, function):
    result = judged(function)
    assert result.verdict == "wrong"
    assert {case.verdict for case in result.cases if case.title != "nothing"} <= {"wrong"}


NANS = {
    "alone": lambda x, *_: np.full(len(x), np.nan),
    "one of them": lambda x, *_: np.array([np.nan, *scaled(x)[1:]]) if len(x) else np.array([np.nan]),
    "in a list": lambda x, *_: [float("nan")] * len(x) or [np.nan],
    "complex": lambda x, *_: scaled(x) + complex(0, np.nan) if len(x) else [np.nan],
    "torch": lambda x, *_: torch.full((len(x) or 1,), torch.nan),
}


@pytest.mark.parametrize("function", NANS.values(), ids=NANS)
def test_nan_never_passes(judged, function):
    assert all(case.verdict == "wrong" for case in judged(function).cases if "no" not in case.title)


@pytest.mark.parametrize("value", [np.nan, (1.0, [np.nan]), {"a": np.array([1j * np.nan])}])
def test_nan_is_wrong_even_where_it_was_expected(value):
    verdict, message = judge._verdict(None, Answer("ok", value), value, False)
    assert verdict == "wrong"
    assert message == "some values are NaN (not a number)" or "without plain numbers" in message


@pytest.mark.parametrize("reference", [lambda x, f=2.0: scaled(x, f) * np.nan, lambda x, f=2.0: 1 / 0])
def test_a_bank_whose_reference_gives_nan_or_raises_is_refused(judged, reference):
    with pytest.raises(UserError, match="the reference of scale raises or gives NaN on 'an array'"):
        judged(scaled, bank=make_bank(reference))


FORGED = [
    {"status": "ok"},
    {"status": "ok", "value": 10**400},
    {"status": "ok", "value": {"complex": [10**400, 0]}},
    {"status": "ok", "value": {"list": [1.0, 10**400]}},
    {"status": "ok", "value": {"list": [None] * 300_001}},
    {"status": "ok", "value": {"array": [1.0], "dtype": "float64", "shape": [10**30]}},
    {"status": "ok", "value": {"array": [10**400], "dtype": "float32", "shape": [1]}},
    {"status": "ok", "value": 1.0, "changed": 3},
    {"status": ["ok"], "value": 1.0},
    {"status": "correct", "points": 20},
    {"status": "raised", "type": "E", "message": "", "line": "4"},
    {"status": "raised"},
    ["ok", 1.0],
    "ok",
    None,
]


@pytest.mark.parametrize("outcome", FORGED, ids=lambda outcome: str(outcome)[:60])
def test_a_forged_outcome_is_no_answer(outcome):
    assert parsed(outcome).status == "unsupported"


def test_a_number_too_large_for_its_kind_becomes_infinite():
    value = {"array": [1e300], "dtype": "float16", "shape": [1]}
    assert parsed({"status": "ok", "value": value}).value[0] == np.inf


# order, state and time


def rounds(result):
    """The arguments asked in the open and in the closed round, as text."""
    closed = [json.dumps(arguments) for arguments, _, sealed in result.asked if sealed]
    return [json.dumps(arguments) for arguments, _, sealed in result.asked if not sealed], closed


def test_the_visible_cases_are_asked_first_and_again_among_the_fresh_ones(judged):
    opened, closed = rounds(judged(scaled))
    assert len(opened) == 3
    assert set(opened) < set(closed)
    assert not set(closed[:3]) <= set(opened)


def test_the_order_is_shuffled_and_belongs_to_the_seed(judged):
    def sizes(seed):
        sealed = [given for given, _, sealed in judged(scaled, seed).asked if sealed]
        return [len(given[0].get("array", "a list")) for given in sealed]

    assert sizes(1) == sizes(1)
    assert len({str(sizes(seed)) for seed in (1, 2, 3)}) > 1


def test_cases_stand_in_their_own_order_in_the_result(judged):
    titles = [case.title for case in judged(scaled).cases]
    assert titles[:4] == ["an array", "a list", "nothing", "3 numbers"]


def keeps_a_list():
    kept = []

    def scale(x, factor=2.0):
        kept.extend(x)
        return np.array(kept) * factor

    return scale


def has_a_mutable_default():
    def scale(x, factor=2.0, total=[0.0]):  # noqa: B006
        total[0] += 1
        return scaled(x, factor) + total[0] - 1

    return scale


def draws_random_numbers():
    return lambda x, factor=2.0: scaled(x, factor) * random.random()


def answers_only_once():
    seen = set()

    def scale(x, factor=2.0):
        known = str(x) in seen
        seen.add(str(x))
        return scaled(x, factor) + known

    return scale


STATEFUL = [keeps_a_list, has_a_mutable_default, draws_random_numbers, answers_only_once]


@pytest.mark.parametrize("make", STATEFUL)
def test_a_function_that_keeps_something_between_calls_is_told(judged, make):
    result = judged(make())
    assert result.verdict == "wrong"
    assert result.hint.startswith("scale, called twice with the same input it gave two different answers")
    assert result.points < 8


def test_a_fresh_case_that_is_answered_in_two_ways_counts_as_wrong(judged):
    result = judged(answers_only_once())
    unsteady = [case for case in result.cases if not case.visible and case.verdict == "wrong"]
    assert [case.message for case in unsteady] == [judge.UNSTEADY] * 2
    assert result.points == round(8 * 3.25 / 5.25, 2)


def test_a_second_call_that_fails_differs_from_one_that_does_not(judged):
    calls = []

    def scale(x, factor=2.0):
        calls.append(str(x))
        return [][0] if calls.count(str(x)) > 1 else scaled(x, factor)

    assert judge.UNSTEADY in judged(scale).hint


def test_a_first_call_that_fails_differs_from_a_second_that_does_not(judged):
    seen = []

    def scale(x, factor=2.0):
        known = str(x) in seen
        seen.append(str(x))
        return scaled(x, factor) if known else [][0]

    result = judged(scale)
    assert judge.UNSTEADY in result.hint
    assert {case.verdict for case in result.cases if case.visible} == {"wrong"}


@pytest.mark.parametrize("value", [None, "text", {"a": 1}, [None, "a"], (np.zeros(2), "a"), np.nan])
def test_the_same_odd_answer_twice_is_steady(judged, value):
    assert judge.UNSTEADY not in judged(lambda *_: value).hint


def slow_on(condition, error=TooSlow):
    def scale(x, factor=2.0):
        if condition(x):
            raise error
        return scaled(x, factor)

    return scale


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("error", "verdict"), [(TooSlow, "too slow"), (Crash, "crashed")])
def test_one_case_that_is_stopped_costs_itself_wherever_it_comes(judged, seed, error, verdict):
    result = judged(slow_on(lambda x: len(x) == 5, error), seed)
    assert (result.points, result.verdict) == (round(8 * 4.25 / 5.25, 2), verdict)
    assert "scale " in result.hint
    assert "a fresh case (5 numbers)" in result.hint


def test_a_function_that_never_ends_is_given_up(judged):
    result = judged(slow_on(lambda x: True))
    assert (result.points, result.verdict, len(result.asked)) == (0, "too slow", MOST_TROUBLES)
    assert result.hint == 'scale took too long on visible case "an array"; is there a loop that never ends?'
    assert [case.message for case in result.cases[3:]] == [NOT_ASKED] * 6


def test_after_a_stop_the_other_cases_get_less_time(judged):
    seconds = [seconds for _, seconds, _ in judged(slow_on(lambda x: len(x) == 2)).asked]
    assert seconds[:2] == pytest.approx([10, 10], abs=0.5)
    assert set(seconds[2:]) == {2.0}


def test_the_hint_is_about_a_case_that_was_asked(judged):
    for seed in range(6):  # in some of these orders the last case that is asked stands late in the result
        hint = judged(slow_on(lambda x: len(x) in (4, 5, 6)), seed).hint
        assert "(3 numbers)" not in hint
        assert "took too long on a fresh case" in hint


@pytest.mark.parametrize("seed", range(6))
def test_what_is_asked_twice_has_numbers_in_it(judged, seed):
    closed = rounds(judged(scaled, seed))[1]
    twice = [json.loads(text)[0] for text in closed if closed.count(text) > 1]
    assert len(twice) == 4
    assert all(given.get("array", given.get("list")) for given in twice)


def test_what_takes_long_is_not_asked_twice(judged, monkeypatch):
    monkeypatch.setattr("grading.asking.QUICK_SECONDS", 0)
    assert len(judged(scaled).asked) == 9


def test_once_a_fresh_input_is_known_nothing_that_is_said_is_quoted(judged):
    seen = []

    def scale(x, factor=2.0):
        seen.append(x)
        raise ValueError(f"seen {[list(x) for x in seen[3:]]}" if len(seen) > 3 else "too early")

    result = judged(scale)
    said = " ".join([result.hint, *(case.message for case in result.cases)])
    assert "too early" in said
    assert "seen" not in said


def test_a_function_that_leaves_some_cases_raises_there(judged):
    def scale(x, factor=2.0):
        if isinstance(x, np.ndarray):
            raise NotImplementedError
        return scaled(x, factor)

    result = judged(scale)
    assert (result.verdict, result.points) == ("raised", round(8 / 5.25, 2))


def test_a_stub_is_asked_no_further_than_the_visible_cases(judged):
    def scale(x, factor=2.0):
        raise NotImplementedError

    result = judged(scale)
    assert (result.verdict, len(result.asked)) == ("not answered", 3)


# inputs


def test_an_array_that_is_changed_raises_and_is_named(judged):
    def scale(x, factor=2.0):
        x *= factor
        return x

    result = judged(scale)
    assert (result.verdict, result.points) == ("raised", EDGE)
    assert result.hint == 'On visible case "an array": it changes its input x; work on a copy.'


def test_work_on_a_copy_is_right(judged):
    def scale(x, factor=2.0):
        x = np.array(x, dtype=float)
        x *= factor
        return x

    assert (judged(scale).verdict, judged(scale).hint) == ("correct", "")


def changes_a_list(x, factor=2.0):
    answer = scaled(x, factor)
    if isinstance(x, list):
        x.clear()
    return answer


def unlocks_the_array(x, factor=2.0):
    answer = scaled(x, factor)
    if isinstance(x, np.ndarray):
        x.flags.writeable = True
        x[:] = 0
    return answer


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def shares_memory_with_a_tensor(x, factor=2.0):
    return torch.from_numpy(x).mul_(factor) if isinstance(x, np.ndarray) else scaled(x, factor)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize("function", [changes_a_list, unlocks_the_array, shares_memory_with_a_tensor])
def test_a_change_of_an_input_with_a_right_answer_is_told_and_costs_nothing(judged, function):
    result = judged(function)
    assert (result.points, result.verdict) == (8, "correct")
    assert result.hint == "It changes its input x; work on a copy."


def test_a_library_that_only_reads_but_asks_for_more_is_accepted(judged):
    def scale(x, factor=2.0):
        if isinstance(x, np.ndarray) and not x.flags.writeable:
            raise ValueError("buffer source array is read-only")
        return scaled(x, factor)

    assert judged(scale).verdict == "correct"


def test_a_change_is_told_after_the_hint_of_a_wrong_answer(judged):
    def scale(x, factor=2.0):
        return changes_a_list(x, factor) + 1

    assert judged(scale).hint.endswith(". It changes its input x; work on a copy.")


# points, ideas, questions


def test_two_ideas_that_answer_alike_are_both_named_and_counted(judged):
    result = judged(lambda x, factor=2.0: np.asarray(x, dtype=float))
    assert result.misconceptions == ["ignores_the_factor", "returns_the_input"]
    assert result.hint == "Your factor is ignored; multiply by it. Your answer is the input; scale it."
    outcomes = {name: Outcome("small", {"scale": result}) for name in ("ann", "bob")}
    for idea in result.misconceptions:
        assert f"Misconception scale: {idea}: ann, bob" in class_notes(outcomes)


@pytest.mark.parametrize("value", [0, 0.0, -1, np.nan, None, np.float64(0), "20", True])
def test_an_answer_that_looks_like_points_earns_none(judged, value):
    assert judged(lambda *_: value).points == 0


def test_a_question_worth_nothing_is_judged_all_the_same(judged):
    assert (judged(scaled, points=0).points, judged(scaled, points=0).verdict) == (0, "correct")
    assert judged(lambda *_: 0, points=0).verdict == "wrong"


@pytest.mark.parametrize(
    ("name", "answers"), [("first_to_settle", "abcd"), ("pole_at_400_hz", [0.9457, 0.8, 0.4096, 100.0])]
)
def test_the_visible_check_of_a_question_looks_at_the_form_only(name, answers, capsys):
    said = []
    for answer in answers:
        checks.check_answer(name, answer)
        said.append(capsys.readouterr().out.replace(repr(answer), "?"))
    assert len(set(said)) == 1


def test_the_file_of_the_visible_checks_holds_no_answer_to_a_question():
    forms = json.loads((ROOT / "course_utils/visible/ex02.json").read_text("utf-8"))["questions"]
    assert forms == {"first_to_settle": {"choices": ["a", "b", "c", "d"]}, "pole_at_400_hz": {}}


ODD = [np.nan, np.inf, 1j, None, True, "0.9457", 2**62, [0.9457, 1], {"a": 1}, np.array([]), np.bool_(True)]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_odd_answer_to_a_question_is_wrong_in_words(value):
    question = load_bank("ex02").questions["pole_at_400_hz"]
    result = judge.judge_question(question, "ex02", 1, None, SEED, Answer("ok", value))
    assert (result.points, result.verdict) == (0, "wrong")
    assert result.hint


def test_what_a_question_raised_at_the_keyboard_is_said_plainly():
    question = load_bank("ex02").questions["pole_at_400_hz"]
    answer = Answer("raised", detail="x", error_type="StdinNotImplementedError")
    result = judge.judge_question(question, "ex02", 1, None, SEED, answer)
    assert (result.verdict, result.hint) == ("raised", f"{NO_INPUT}.")


@pytest.mark.parametrize("name", ["type", "int", "print", "__name__", "Saw_0_93", "\ud800", ""])
def test_only_the_name_of_a_builtin_exception_is_repeated(name):
    assert judge._harmless(name) == "an exception"


@pytest.mark.parametrize("seconds", [10_000, 121, 0, -1, float("nan")])
def test_a_bank_that_asks_for_too_much_time_is_refused(seconds):
    with pytest.raises(ValueError, match="at most 120 are given"):
        Bank("small").function("scale", scaled, seconds=seconds)


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_a_case_without_weight_is_refused(weight):
    with pytest.raises(ValueError, match="has to be above 0"):
        Case("a case", 1.0, weight=weight)


# the deadline of a submission


class Lasting:
    """A session in which every execution takes 50 seconds of a clock that is turned by hand."""

    def __init__(self):
        self.clock, self.ran = 0.0, []

    def start(self):
        self.ran.append("start")

    def alive(self):
        return bool(self.ran)

    def run(self, code, seconds, asked=0):
        self.ran.append(seconds)
        self.clock += min(seconds, 50)
        return Reply("too slow")


def test_the_answer_cell_of_a_slow_function_may_take_as_long_as_its_calls(solved):
    cell, session = answer_cell(solved, "one_pole"), Lasting()
    Sitting(new_notebook(cells=[cell]), {"one_pole": ""}, session, {"one_pole": 60}).ready()
    assert session.ran[-1] == 60


def test_after_the_deadline_nothing_is_run_and_the_reason_is_said(monkeypatch):
    session = Lasting()
    monkeypatch.setattr("grading.runner.time.monotonic", lambda: session.clock)
    sitting = Sitting(new_notebook(), {}, session)
    answers = [sitting.calls("scale", [[1.0]], 100)[0] for _ in range(8)]
    ran = [seconds for seconds in session.ran if seconds != "start"]
    assert sum(min(seconds, 50) for seconds in ran) <= 240
    assert (answers[-1].status, answers[-1].detail, answers[-1].final) == ("too slow", TOO_LONG, True)


def test_after_the_deadline_no_kernel_is_started(monkeypatch):
    session = Lasting()
    session.alive = lambda: False
    monkeypatch.setattr("grading.runner.time.monotonic", lambda: session.clock)
    monkeypatch.setattr(session, "start", lambda: setattr(session, "clock", session.clock + 50))
    sitting = Sitting(new_notebook(), {}, session)
    assert sitting.calls("scale", [[1.0]], 100)[0].detail == TOO_LONG
    assert sitting.starts == 4  # seventy seconds each, with what is put into the kernel


def test_a_question_that_came_too_late_is_told_so(monkeypatch):
    bank = make_bank()
    monkeypatch.setattr(paper, "load_bank", lambda _: bank)
    paper.paper.cache_clear()
    late = SimpleNamespace(
        ready=lambda: False, calls=lambda *_: [Answer("too slow", detail=TOO_LONG, final=True)]
    )
    asking = Asking(bank.questions["scale"], late).open_round()
    result = judge.judge_question(bank.questions["scale"], "small", 8, late, SEED, asking)
    assert (result.points, result.verdict) == (0, "too slow")
    assert result.hint == f"scale was not run to its end: {TOO_LONG}."


# the terms of a formula


def affine(x, factor, offset):
    return factor * x + offset


def make_bank_with_terms():
    bank = Bank("small")
    function = bank.function("scale", affine, terms={"input": "the factor on x", "bias": "the offset"})

    @function.visible
    def _():
        yield Case("both", torch.tensor([1.0, 2.0]), 3.0, 5.0, terms=("input", "bias"))

    @function.hidden
    def _(rng):
        x = torch.tensor(rng.uniform(1, 2, size=3))
        yield Case("the input alone", x, 3.0, 0.0, terms=("input",))
        yield Case("the offset alone", x, 0.0, 5.0, terms=("bias",))
        yield Case("both, freshly drawn", x, 3.0, 5.0, terms=("input", "bias"))

    @function.wrong("Your offset is missing; add it.")
    def forgets_the_offset(x, factor, offset):
        return factor * x

    return bank


ABOUT_THE_OFFSET = "Look at the offset: every case in which it plays a part fails"


def test_a_mistake_that_is_in_no_bank_is_traced_to_its_term(judged):
    result = judged(lambda x, factor, offset: factor * x + offset**2, bank=make_bank_with_terms())
    assert (result.misconceptions, result.points) == ([], 2.67)
    assert ABOUT_THE_OFFSET in result.hint
    assert "the factor" not in result.hint


def test_a_known_idea_is_named_in_place_of_its_term(judged):
    result = judged(lambda x, factor, offset: factor * x, bank=make_bank_with_terms())
    assert result.hint == "Your offset is missing; add it."


def test_no_term_is_blamed_when_every_case_is_wrong(judged):
    result = judged(lambda x, factor, offset: factor * x + offset + 1, bank=make_bank_with_terms())
    assert "Look at" not in result.hint


def test_a_function_that_changes_an_input_tensor_raises_as_with_an_array(judged):
    def in_place(x, factor, offset):
        x *= factor
        return x + offset

    result = judged(in_place, bank=make_bank_with_terms())
    assert result.hint.endswith("it changes its input x; work on a copy.")  # and no term is blamed
