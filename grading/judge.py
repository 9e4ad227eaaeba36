"""The judge: compares answers with the references, outside the student's process, and chooses the words.

It holds what must never enter the kernel: references, hidden cases, expected values, wrong ideas.
"""

import builtins
import copy
import functools
import time
from dataclasses import dataclass

import numpy as np

from course_utils.compare import full_stop, mismatch
from grading import results
from grading.bank import Function, Question, Written, load_bank
from grading.results import CaseResult, QuestionResult
from grading.runner import Answer
from grading.shown import shown

RAISED = object()
"""Stands for "this implementation raises on this case"."""


@dataclass
class Paper:
    """The cases of one function in one grading run, with what reference and wrong ideas answer."""

    cases: list
    visible: int  # how many of them are the open ones, which come first
    expected: list
    ideas: dict  # WrongIdea name -> (advice, answers)


@functools.lru_cache(maxsize=64)
def paper(exercise, name, seed):
    """Draw the cases of a function for a seed; the same seed gives the same paper to the whole class."""
    function = load_bank(exercise).questions[name]
    visible, hidden = function.visible_cases(), function.hidden_cases(seed)
    cases = visible + hidden
    ideas = {
        idea.name: (idea.advice, [_answer(idea.function, case) for case in cases])
        for idea in function.wrong_ideas
    }
    return Paper(cases, len(visible), [_answer(function.reference, case) for case in cases], ideas)


def _answer(function, case):
    try:
        return function(*copy.deepcopy(case.args))
    except Exception:  # a wrong idea may well raise on a legal input
        return RAISED


def judge_question(question, exercise, max_points, sitting, seed):
    """Judge one question of a sitting.

    Returns
    -------
    QuestionResult
    """
    if isinstance(question, Function):
        return _judge_function(question, exercise, max_points, sitting, seed)
    if isinstance(question, Question):
        return _judge_concept(question, max_points, sitting.read(question.name))
    raise TypeError(f"a {type(question).__name__} is not judged by running it")


def judge_written(question: Written, max_points, text, stub, model):
    """A written answer waits for a person, unless it is empty or the model answer itself."""
    if text.strip() in ("", stub.strip()):
        return QuestionResult(question.name, 0.0, max_points, results.NOT_ANSWERED)
    if text.strip() == model.strip():
        return QuestionResult(question.name, max_points, max_points, results.CORRECT, text=text)
    hint = "A person reads this answer and gives its points."
    return QuestionResult(question.name, 0.0, max_points, results.TO_BE_MARKED, hint, text=text)


def _judge_function(function, exercise, max_points, sitting, seed):
    sheet = paper(exercise, function.name, seed)
    answers, verdicts = [], []
    sitting.ready()  # so that a restart costs its question nothing of its time
    deadline = time.monotonic() + function.seconds
    for number, (case, expected) in enumerate(zip(sheet.cases, sheet.expected, strict=True)):
        answer = sitting.call(function.name, case.args, max(0.5, deadline - time.monotonic()))
        if answer.status == "unanswered" and answers:
            answer = Answer("raised", detail="NotImplementedError", error_type="NotImplementedError")
        visible = number < sheet.visible
        answers.append(answer)
        verdict, message = _verdict(answer, expected, visible)
        open_parts = shown(function.name, case, expected, answer, verdict) if visible else {}
        verdicts.append(CaseResult(case.title, visible, verdict, message, **open_parts))
        if answer.status not in ("ok", "raised", "unsupported"):
            break  # the next case would end the same way
    verdict = _overall(verdicts, complete=len(verdicts) == len(sheet.cases))
    named = _recognise(sheet, answers) if verdict in (results.WRONG, results.RAISED) else {}
    return QuestionResult(
        function.name,
        round(max_points * _share(sheet, verdicts), 2),
        max_points,
        verdict,
        " ".join(named.values()) or _first_hint(verdicts),
        list(named),
        verdicts,
    )


def _share(sheet, verdicts):
    """The share of the points: fresh cases only, since the visible ones can be looked up."""
    weights = [case.weight for case in sheet.cases[sheet.visible :]]
    passed = (verdict.verdict == results.CORRECT for verdict in verdicts[sheet.visible :])
    return sum(weight for weight, right in zip(weights, passed, strict=False) if right) / sum(weights)


def _verdict(answer, expected, visible):
    """Verdict and message for one case; only a visible case may quote numbers or the student's error."""
    if answer.status == "ok":
        sentence = mismatch(expected, answer.value, reveal=visible)
        return (results.WRONG, sentence) if sentence else (results.CORRECT, "")
    if answer.status == "raised":
        return results.RAISED, answer.detail if visible else _harmless(answer.error_type)
    if answer.status == "unsupported":
        return results.WRONG, answer.detail if visible else "the answer is not a number, text or array"
    if answer.status in ("missing", "unanswered"):
        return results.NOT_ANSWERED, ""
    return answer.status, ""


def _harmless(error_type):
    """The name of a builtin exception; a name of the student's own making could carry a hidden input."""
    return error_type if isinstance(getattr(builtins, error_type, None), type) else "an exception"


def _overall(cases, complete):
    found = {case.verdict for case in cases}
    if complete and found == {results.CORRECT}:
        return results.CORRECT
    order = (results.NOT_ANSWERED, results.CRASHED, results.TOO_SLOW, results.RAISED, results.WRONG)
    return next(verdict for verdict in order if verdict in found)


def _recognise(sheet, answers):
    """The wrong ideas that answer as the student did: {name: advice}.

    Cases without a single number (no steps at all) say nothing about an idea and are left out.
    """
    if len(answers) < len(sheet.cases):
        return {}
    telling = [number for number, expected in enumerate(sheet.expected) if np.size(expected)]
    return {
        name: advice
        for name, (advice, theirs) in sheet.ideas.items()
        if all(_same(theirs[number], answers[number]) for number in telling)
    }


def _same(idea, answer):
    if idea is RAISED:
        return answer.status == "raised"
    return answer.status == "ok" and mismatch(idea, answer.value) is None


def _first_hint(cases):
    """One sentence about the first case that failed; the title of a hidden case tells its kind only."""
    for case in cases:
        if case.verdict == results.CORRECT:
            continue
        where = f'visible case "{case.title}"' if case.visible else f"a fresh case ({case.title})"
        if case.verdict == results.NOT_ANSWERED:
            return "The function is not written yet."
        if case.verdict == results.TOO_SLOW:
            return f"It took too long on {where}; is there a loop that never ends?"
        if case.verdict == results.CRASHED:
            return f"It ended the Python process on {where}."
        return full_stop(f"On {where}: {case.message}" if case.message else f"On {where}")
    return ""


def _judge_concept(question, max_points, answer):
    if answer.status in ("missing", "unanswered"):
        return QuestionResult(question.name, 0.0, max_points, results.NOT_ANSWERED)
    if answer.status in (results.TOO_SLOW, results.CRASHED, results.RAISED):
        return QuestionResult(question.name, 0.0, max_points, answer.status, answer.detail)
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
