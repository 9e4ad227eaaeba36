"""One question of one submission once more, with all that a student is never told: for a disputed mark.

The stored file is run in the sandbox with the stored seed, up to the question, in the order of a grading
run. What comes back is shown beside what was expected, with the rule that decided.
"""

import hashlib
import inspect
from dataclasses import dataclass, field

import numpy as np

from course_utils.compare import RTOL, SCALE_TOL, Band, describe, mismatch, numbers
from course_utils.plain import from_plain, to_plain
from grading.bank import Function, Written, load_bank
from grading.errors import UserError
from grading.exercise import worth
from grading.grade import opened_sitting, prepare
from grading.judge import judge_question
from grading.outcomes import graded
from grading.paper import paper
from grading.results import CORRECT, MARKED, QuestionResult
from grading.session import Session
from grading.submissions import find_submissions

SHOWN = 60  # numbers of an array, before its middle is left out
TEXT = 2000  # characters of a value
NUMBERS = (
    f"numbers: each may miss the expected one by {RTOL:g} of itself plus {SCALE_TOL:g} of the largest one; "
    "the shape has to be the same; whole, single and double precision count alike"
)
COMPLEX = f"{NUMBERS}; they have to be complex"


@dataclass
class Explanation:
    """The lines of an explanation, and whether the replay gave what was stored."""

    lines: list = field(default_factory=list)
    same: bool = True


def explain(folder, submitted, exercise, student, name):
    """Replay a question of a stored submission.

    Parameters
    ----------
    folder : the class folder, with the outcomes of the run.
    submitted : the folder of the submissions.
    name : of the question.

    Returns
    -------
    Explanation

    Raises
    ------
    UserError : when there is nothing to replay: an unknown name, a written answer, a file that was not
        graded, is gone or has changed.
    """
    outcomes = graded(folder, exercise)
    if student not in outcomes:
        raise UserError(f"no graded {exercise} of {student!r} in {folder}; is the name right?")
    outcome, questions = outcomes[student], load_bank(exercise).questions
    if name not in outcome.questions:
        raise UserError(f"{exercise} has no question {name!r}; it has: {', '.join(outcome.questions)}")
    if isinstance(questions[name], Written):
        raise UserError(f"{name} is a written answer: a person marks it, along the rubric in its bank")
    if outcome.problem:
        raise UserError(f"the {exercise} of {student} was not graded: {outcome.problem}")
    notebook = prepare(_stored_file(submitted, exercise, student, outcome.digest), exercise).notebook
    result, opened = _replay(notebook, exercise, name, outcome.seed)
    stored = outcome.questions[name]
    explanation = Explanation(same=stored.verdict == MARKED or _told(stored) == _told(result))
    explanation.lines = [
        f"{exercise}, {student}, {name}; seed of the fresh cases {outcome.seed}",
        f"stored: {_words(stored)}",
        f"replay: {_words(result)}" + ("" if explanation.same else ", NOT the same"),
        *([f"hint: {result.hint}"] if result.hint else []),
    ]
    if not explanation.same:
        explanation.lines.append("The exercise has changed since, or the answer is not the same each time.")
    tell = _function_lines if isinstance(questions[name], Function) else _concept_lines
    explanation.lines += tell(questions[name], exercise, outcome.seed, result, opened)
    return explanation


def _stored_file(submitted, exercise, student, digest):
    found = [one for one in find_submissions(submitted, exercise) if one.student == student]
    if not found or found[0].problem:
        raise UserError(
            f"the file of {student} is not in {submitted} any more; say where it lies with --submitted"
        )
    data = found[0].read()
    if digest and hashlib.sha256(data).hexdigest() != digest:
        raise UserError(
            f"the file of {student} has changed since it was graded: {found[0].path}; "
            "put the graded one back (older attempts lie in attempts/), or grade again"
        )
    return data


def _replay(notebook, exercise, name, seed):
    """Run a notebook as grading does, up to a question: its result, and what it answered."""
    questions = load_bank(exercise).questions
    with Session() as session:
        sitting, opened = opened_sitting(notebook, exercise, session)
        for one, points in worth(exercise).items():
            if one in opened:
                result = judge_question(questions[one], exercise, points, sitting, seed, opened[one])
            if one == name:
                return result, opened[name]
    raise UserError(f"{exercise} has no question {name!r}")


def _told(question: QuestionResult):
    return question.points, question.verdict, question.misconceptions


def _words(question):
    ideas = f", misconception {', '.join(question.misconceptions)}" if question.misconceptions else ""
    return f"{question.verdict}, {question.points:g} of {question.max_points:g} points{ideas}"


def _function_lines(function, exercise, seed, result, asking):
    """The rules, the cases one by one, then how they become points."""
    sheet = paper(exercise, function.name, seed)
    lines = [f"rule: {rule}" for rule in dict.fromkeys(map(_rule, sheet.expected))]
    names = list(inspect.signature(function.reference).parameters)
    for number, (case, expected) in enumerate(zip(sheet.cases, sheet.expected, strict=True)):
        told, first, again = result.cases[number], asking.first[number], asking.second.get(number)
        kind = f"fresh, weight {case.weight:g}" if number >= sheet.visible else "visible, no points"
        lines += ["", f"case {number + 1} ({kind}): {case.title}: {told.verdict}"]
        lines += [f"  {name} = {text(value)}" for name, value in zip(names, case.args, strict=False)]
        lines += [f"  expected: {text(expected)}", f"  answer: {_answer(first)}"]
        if again and _answer(again) != _answer(first):
            lines.append(f"  asked again: {_answer(again)}")
        lines.append(f"  {_decided(expected, first, told)}")
    weights = [case.weight for case in sheet.cases[sheet.visible :]]
    right = [case.verdict == CORRECT for case in result.cases[sheet.visible :]]
    passed = sum(weight for weight, good in zip(weights, right, strict=True) if good)
    whole = f"{passed:g} of {sum(weights):g} by weight"
    lines += ["", f"points: fresh cases passed {whole}, so {result.points:g} of {result.max_points:g}"]
    for idea in result.misconceptions:
        lines.append(f"misconception: {idea} gives this answer on every case that tells them apart")
    return lines


def _rule(expected):
    """What an answer is held against, in words."""
    if isinstance(expected, Band):
        return f"at least {expected.at_least:.0%} of the predictions right"
    if isinstance(expected, str):
        return "the same text, letter by letter"
    if isinstance(expected, (tuple, list)):
        return f"{len(expected)} values, each by itself; {NUMBERS}"
    return COMPLEX if np.iscomplexobj(expected) else NUMBERS


def _decided(expected, answer, told):
    """How the rule came out on a case, in one line."""
    if answer.status != "ok":
        return f"no value came back: {told.verdict}"
    broken = mismatch(expected, answer.value) or (told.message if told.verdict != CORRECT else "")
    return "; ".join(
        filter(None, [f"broken: {broken}" if broken else "kept", _worst(expected, answer.value)])
    )


def _worst(expected, value):
    """The entry that is most wrong for what is allowed there; "" for no numbers."""
    wanted, came = (None if isinstance(one, Band) else numbers(one) for one in (expected, value))
    if wanted is None or came is None or wanted.shape != came.shape or not wanted.size:
        return ""
    wanted, came = np.asarray(wanted, dtype=complex), np.asarray(came, dtype=complex)
    finite = np.isfinite(wanted) & np.isfinite(came)
    if not finite.any():
        return ""
    errors = np.where(finite, np.abs(np.where(finite, came - wanted, 0)), -1)
    allowed = RTOL * np.abs(wanted) + SCALE_TOL * np.abs(wanted[finite]).max()
    share = np.where(finite, errors / np.maximum(allowed, np.finfo(float).tiny), -1)
    place = tuple(map(int, np.unravel_index(np.argmax(share), share.shape)))
    where = f" at {list(place)}" if place else ""
    return f"worst{where}: off by {errors[place]:.3g}, allowed {allowed[place]:.3g}"


def _answer(answer):
    if answer.status == "ok":
        changed = "; it changed its inputs" if answer.changed else ""
        return text(answer.value) + changed
    return f"{answer.status}{f': {answer.detail}' if answer.detail else ''}"


def text(value):
    """A value for the instructor: kind, shape and numbers to eight digits.

    >>> text(np.array([0.1, 0.2], dtype=np.float32))
    'float32 of shape (2,) [0.1 0.2]'
    """
    if isinstance(value, Band):
        return describe(value)
    value = from_plain(to_plain(value, inputs=True))
    if isinstance(value, np.ndarray) and value.ndim:
        shown = np.array2string(value, precision=8, threshold=SHOWN, max_line_width=96, prefix="    ")
        return f"{value.dtype} of shape {value.shape}{chr(10) + '    ' if value.ndim > 1 else ' '}{shown}"[
            :TEXT
        ]
    if isinstance(value, (list, tuple)) and any(isinstance(part, np.ndarray) for part in value):
        return "".join(f"\n    {number}: {text(part)}" for number, part in enumerate(value, start=1))[:TEXT]
    return repr(value)[:TEXT]


def _concept_lines(question, _exercise, _seed, _result, answer):
    """A concept question: what came, what is right, and why."""
    rule = f"one of {', '.join(question.choices)}" if question.choices else "a number"
    near = "" if question.choices else f", wrong by at most {question.tolerance:g}"
    return [
        "",
        f"answer: {_answer(answer)}",
        f"right: {question.answer!r}",
        f"rule: {rule}{near}",
        f"explanation: {question.explanation}",
    ]
