"""The judge: compares answers with the references, outside the student's process, and chooses the words.

It holds what must never enter the kernel: references, hidden cases, expected values, wrong ideas.
"""

import builtins
import inspect

import numpy as np

from course_utils import terms
from course_utils.compare import NO_INPUT, Band, changed_inputs, full_stop, holds_nan, mismatch
from grading import results
from grading.asking import NOT_ASKED, Asking
from grading.bank import Function, Question, Written
from grading.ideas import agree, recognise
from grading.paper import paper
from grading.results import CaseResult, QuestionResult
from grading.runner import TOO_LONG, Answer
from grading.shown import shown

UNSTEADY = (
    "called twice with the same input it gave two different answers; "
    "does it keep something from the call before, or draw random numbers?"
)


def open_question(question, sitting):
    """Ask what may be asked before any fresh input is in the kernel; see ``grading.asking``."""
    if isinstance(question, Function):
        return Asking(question, sitting).open_round()
    return sitting.read(question.name)


def judge_question(question, exercise, max_points, sitting, seed, opened=None):
    """Judge one question of a sitting.

    Parameters
    ----------
    opened : what ``open_question`` gave; asked here when left out.

    Returns
    -------
    QuestionResult
    """
    opened = opened or open_question(question, sitting)
    if isinstance(question, Function):
        return _judge_function(question, exercise, max_points, opened, seed)
    if isinstance(question, Question):
        return _judge_concept(question, max_points, opened)
    raise TypeError(f"a {type(question).__name__} is not judged by running it")


def judge_written(question: Written, max_points, text, stub, model):
    """A written answer waits for a person, unless it is empty or the model answer itself."""
    if text.strip() in ("", stub.strip()):
        return QuestionResult(question.name, 0.0, max_points, results.NOT_ANSWERED)
    if text.strip() == model.strip():
        return QuestionResult(question.name, max_points, max_points, results.CORRECT, text=text)
    hint = "A person reads this answer and gives its points."
    return QuestionResult(question.name, 0.0, max_points, results.TO_BE_MARKED, hint, text=text)


def _judge_function(function, exercise, max_points, asking, seed):
    sheet = paper(exercise, function.name, seed)
    telling = [number for number, expected in enumerate(sheet.expected) if _says_something(expected)]
    asking.closed_round(sheet.cases, telling, seed)
    answers = _settled([asking.first[number] for number in range(len(sheet.cases))])
    unsteady = {
        n for n, again in asking.second.items() if not sheet.cases[n].band and _differ(asking.first[n], again)
    }
    cases = [_judge_case(function, sheet, n, answer, n in unsteady) for n, answer in enumerate(answers)]
    verdict = _overall(cases)
    named, explained = {}, False
    if verdict in (results.WRONG, results.RAISED):
        named, explained = recognise(sheet, answers, telling)
    if unsteady:
        named, hint = {}, f"{function.name}, {UNSTEADY}"
    else:
        hint = " ".join([*named.values(), *([] if explained else [_hint(function, sheet, cases, answers)])])
    return QuestionResult(
        function.name,
        round(max_points * _share(sheet, cases), 2),
        max_points,
        verdict,
        f"{hint} {_about_inputs(function, answers)}".strip(),
        list(named),
        cases,
        seconds=round(asking.seconds, 2),
    )


def _says_something(expected):
    """Whether an expected value holds any number; of several values one that does is enough.

    A band says nothing of how its answer came about.
    """
    if isinstance(expected, Band):
        return False
    if isinstance(expected, (tuple, list)):
        return any(map(_says_something, expected))
    return np.size(expected) > 0


def _settled(answers):
    """A function that leaves some cases unanswered raises there; one that leaves all is not written."""
    if all(answer.status == "unanswered" for answer in answers):
        return answers
    raised = Answer("raised", detail="NotImplementedError", error_type="NotImplementedError")
    return [raised if answer.status == "unanswered" else answer for answer in answers]


def _differ(first, second):
    """Whether two answers on the same input are not the same, float rounding aside."""
    if {first.status, second.status} - {"ok", "raised", "unsupported"}:
        return False  # a call that was stopped says nothing
    if first.status != second.status or first.status != "ok":
        return first.status != second.status
    return repr(first.value) != repr(second.value) and not agree(first.value, second.value)


def _judge_case(function, sheet, number, answer, unsteady):
    case, expected, visible = sheet.cases[number], sheet.expected[number], number < sheet.visible
    verdict, message = _verdict(function, answer, expected, visible)
    if unsteady:
        verdict, message = results.WRONG, UNSTEADY
    open_parts = shown(function.name, case, expected, answer, verdict) if visible else {}
    return CaseResult(case.title, visible, verdict, message, **open_parts)


def _about_inputs(function, answers):
    """A sentence about inputs that were changed. That alone costs no points: only the values count.

    An array cannot be changed, since it is read-only: such a call raises, as it does in the visible checks.
    """
    changed = sorted({position for answer in answers if answer.status == "ok" for position in answer.changed})
    sentence = _changed(function, changed) if changed else ""
    return full_stop(sentence[:1].upper() + sentence[1:]) if sentence else ""


def _changed(function, positions):
    names = list(inspect.signature(function.reference).parameters)
    return changed_inputs([names[position] for position in positions])


def _share(sheet, verdicts):
    """The share of the points: fresh cases only, since the visible ones can be looked up."""
    weights = [case.weight for case in sheet.cases[sheet.visible :]]
    passed = (verdict.verdict == results.CORRECT for verdict in verdicts[sheet.visible :])
    return sum(weight for weight, right in zip(weights, passed, strict=False) if right) / sum(weights)


def _verdict(function, answer, expected, visible):
    """Verdict and message for one case; only a visible case may quote numbers or the student's error."""
    if answer.status == "ok":
        sentence = mismatch(expected, answer.value, reveal=visible)
        if not sentence and holds_nan(answer.value):  # NaN is never right, whatever was expected
            sentence = "some values are NaN (not a number)"
        return (results.WRONG, sentence) if sentence else (results.CORRECT, "")
    if answer.status == "raised" and answer.changed:
        return results.RAISED, _changed(function, answer.changed)
    if answer.status == "raised":
        return results.RAISED, _error_words(answer, visible)
    if answer.status == "unsupported":
        return results.WRONG, answer.detail if visible else "the answer is not a number, text or array"
    if answer.status in ("missing", "unanswered"):
        return results.NOT_ANSWERED, ""
    return answer.status, answer.detail  # the grader's own words


def _error_words(answer, visible):
    if answer.error_type == "StdinNotImplementedError":
        return NO_INPUT
    return answer.detail if visible else _harmless(answer.error_type)


def _harmless(error_type):
    """The name of a builtin exception; a name of the student's own making could carry a hidden input.

    The choice among some sixty names, like the choice of a verdict, still lets a few bits of each fresh
    case through. They are worth nothing: the next grading run draws new cases.
    """
    kind = getattr(builtins, error_type, None)
    return error_type if isinstance(kind, type) and issubclass(kind, BaseException) else "an exception"


def _overall(cases):
    found = {case.verdict for case in cases}
    order = (results.NOT_ANSWERED, results.CRASHED, results.TOO_SLOW, results.RAISED, results.WRONG)
    return next((verdict for verdict in order if verdict in found), results.CORRECT)


def _hint(function, sheet, cases, answers):
    """What no known idea explains: the first case that failed, and the terms of the formula at fault.

    A call that was stopped because it changes an input says nothing about terms.
    """
    if any(answer.status == "raised" and answer.changed for answer in answers):
        return _first_hint(function.name, cases)
    told = [
        ([function.terms[term] for term in case.terms], result.verdict == results.CORRECT)
        for case, result in zip(sheet.cases, cases, strict=True)
        if case.terms
    ]
    return f"{_first_hint(function.name, cases)} {terms.advice(terms.at_fault(told))}".strip()


def _first_hint(name, cases):
    """One sentence about the first case that failed; the title of a hidden case tells its kind only."""
    failed = [case for case in cases if case.verdict != results.CORRECT]
    if not failed:
        return ""
    case = next((case for case in failed if case.message != NOT_ASKED), failed[0])
    where = f'visible case "{case.title}"' if case.visible else f"a fresh case ({case.title})"
    if case.verdict == results.NOT_ANSWERED:
        return "The function is not written yet."
    if case.verdict in (results.TOO_SLOW, results.CRASHED):
        return _stopped(name, case.verdict, case.message, f" on {where}")
    return full_stop(f"On {where}: {case.message}" if case.message else f"On {where}")


def _stopped(name, verdict, reason, where=""):
    """The sentence about a question that was too slow or ended the kernel."""
    if reason == TOO_LONG:
        return full_stop(f"{name} was not run to its end: {reason}")
    if verdict == results.CRASHED:
        return full_stop(f"{name} ended the Python process{f': {reason}' if reason else where}")
    return f"{name} took too long{f': {reason}' if reason else where}; is there a loop that never ends?"


def _judge_concept(question, max_points, answer):
    if answer.status in ("missing", "unanswered"):
        return QuestionResult(question.name, 0.0, max_points, results.NOT_ANSWERED)
    if answer.status in (results.TOO_SLOW, results.CRASHED):
        hint = _stopped(question.name, answer.status, answer.detail)
        return QuestionResult(question.name, 0.0, max_points, answer.status, hint)
    if answer.status == results.RAISED:
        hint = full_stop(_error_words(answer, visible=True))
        return QuestionResult(question.name, 0.0, max_points, answer.status, hint)
    value = answer.value
    if isinstance(value, np.ndarray) and value.size == 1:  # a NumPy or torch number
        value = value.item()
    if not _has_form(question, value):
        form = f"one of {', '.join(question.choices)}" if question.choices else "a number"
        return QuestionResult(question.name, 0.0, max_points, results.WRONG, f"The answer must be {form}.")
    if question.is_right(value):
        return QuestionResult(question.name, max_points, max_points, results.CORRECT, question.explanation)
    hint = f"{question.reply(value)} {question.explanation}".strip()
    return QuestionResult(question.name, 0.0, max_points, results.WRONG, hint)


def _has_form(question, value):
    if question.choices:
        return isinstance(value, str) and value in question.choices
    return isinstance(value, (int, float)) and not isinstance(value, bool)
