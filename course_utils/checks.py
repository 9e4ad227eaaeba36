"""Checks that answer back: visible checks of an exercise, concept checks of a lesson, claims.

A visible check compares a student's function with recorded values on a few open cases. Passing it is
not a mark: the grader runs the function again, on fresh inputs.
"""

import contextlib
import functools
import inspect
import io
import json
import math
import os
import sys
import tempfile
import textwrap
import tomllib
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from course_utils import terms
from course_utils.claims import ClaimFailed, claim
from course_utils.compare import NO_INPUT, Band, changed_inputs, describe, full_stop, mismatch
from course_utils.plain import InputChanged, call_on, from_plain, to_plain

__all__ = ["CheckFailed", "ClaimFailed", "check", "check_answer", "claim", "concept_check"]

UNANSWERED = "not answered yet"
VISIBLE = Path(__file__).with_name("visible")
CONCEPTS_FILE = Path(__file__).with_name("concepts.toml")


class CheckFailed(AssertionError):
    """A visible check did not pass. Notebooks show its message without a traceback.

    The dialog of nbgrader's *Validate* cuts long lines off.
    """

    def _render_traceback_(self):
        return textwrap.wrap(f"CheckFailed: {self}", 100, break_on_hyphens=False)


def check(function, name=None):
    """Run the visible cases of an exercise function; print a table; raise when one fails.

    Parameters
    ----------
    function : the answer, a callable.
    name : the name in the exercise; found from the function or from the calling cell when left out.

    Raises
    ------
    CheckFailed : when a case fails, the function raises, or it is not written yet.
    """
    name = name or _name_of(function, sys._getframe(1).f_globals)
    cases = _known(name, "functions")
    rows = [_run_case(name, function, case) for case in cases]
    print(f"{name}: visible checks")
    width = max(len(case["title"]) for case in cases)
    for case, row in zip(cases, rows, strict=True):
        expected = describe(_expected(case))
        print(f"  {case['title']:<{width}}   expected {expected:<14} {row.shown:<20} {row.verdict}")
        for note in row.notes:
            print(f"      {note}")
    told = [(case.get("terms"), row.verdict == "ok") for case, row in zip(cases, rows, strict=True)]
    suspects = terms.at_fault([(named, right) for named, right in told if named])
    if suspects and not any(row.changed for row in rows):  # a call that was stopped says nothing of terms
        print(terms.advice(suspects))
    failed = [(case, row) for case, row in zip(cases, rows, strict=True) if row.verdict != "ok"]
    if all(row.verdict == UNANSWERED for row in rows):
        raise CheckFailed(f"{name} is not answered yet: raise NotImplementedError() still runs")
    if failed:
        case, row = failed[0]
        count = f"{len(failed)} of {len(rows)} visible checks failed"
        raise CheckFailed(f"{name}: {count}; {case['title']}: {': '.join([row.verdict, *row.notes[:1]])}")
    print(f"All {len(rows)} visible checks passed. Grading adds fresh cases of the same kinds.")


def check_answer(name, answer):
    """Check the form of a concept answer (a choice or a number) without saying whether it is right.

    Raises
    ------
    CheckFailed : when the answer is missing or has the wrong form.
    """
    question = _known(name, "questions")
    if answer is ... or answer is None:
        raise CheckFailed(f"{name} is not answered yet: set {name} = ... to your answer")
    graded = _as_graded(answer)
    if "choices" in question:
        if not isinstance(graded, str) or graded not in question["choices"]:
            choices = ", ".join(repr(choice) for choice in question["choices"])
            raise CheckFailed(f"{name}: {answer!r} is none of the choices {choices}")
    elif not _is_number(graded):
        raise CheckFailed(f"{name}: {answer!r} is not a number")
    print(f"{name}: {answer!r} is noted. Whether it is right is said after grading, with the reason.")


def _as_graded(answer):
    """A concept answer as grading will see it: a plain value, out of an array that holds just one."""
    try:
        answer = from_plain(to_plain(answer))
    except (TypeError, ValueError):
        return None
    return answer.item() if isinstance(answer, np.ndarray) and answer.size == 1 else answer


def _is_number(answer):
    return isinstance(answer, (int, float)) and not isinstance(answer, bool) and math.isfinite(answer)


def concept_check(concept_id, answer=None):
    """Answer back on a concept question of a lesson.

    Parameters
    ----------
    concept_id : id of a row in ``concepts.toml``.
    answer : the letter of the chosen option; None while undecided.
    """
    if concept_id not in _concepts():
        raise KeyError(f"no concept question {concept_id!r} in {CONCEPTS_FILE.name}")
    options = _concepts()[concept_id]["options"]
    letters = ", ".join(f'"{letter}"' for letter in options)
    if answer is None:
        print(f"No answer yet: put one of {letters} in place of None and run the cell again.")
    elif not isinstance(answer, str) or answer not in options:
        print(f"{answer!r} is not among the options {letters}.")
    else:
        right = answer == _concepts()[concept_id]["answer"]
        print(f"{'Yes' if right else 'Not quite'}. {options[answer]}")


@dataclass
class _Row:
    """One row of the table: what came back in words, the verdict, and lines that explain it."""

    shown: str
    verdict: str
    notes: list[str] = field(default_factory=list)
    changed: bool = False  # it was stopped because it changes an input


def _run_case(name, function, case):
    """Call the function on one visible case."""
    arguments = [from_plain(argument, inputs=True) for argument in case["args"]]
    call = f"The call: {name}({', '.join(map(_short, arguments))})"
    with _quiet() as printed:
        try:
            got, changed = call_on(function, case["args"])
        except InputChanged as error:
            sentence = full_stop(_changed(function, error.positions))
            return _Row("", "raised", [sentence, call, *_said(printed)], changed=True)
        except (Exception, SystemExit) as error:  # any exception of the student's code becomes a row
            if type(error) is NotImplementedError:  # not its subclass, which refuses input()
                return _Row("", UNANSWERED)
            reason = f"{type(error).__name__}: {str(error)[:200]}{_line_in(function, error)}"
            if type(error).__name__ == "StdinNotImplementedError":
                reason = NO_INPUT
            return _Row("", "raised", [reason, call, *_said(printed)])
    try:
        got = from_plain(to_plain(got))  # the same way as in grading
    except (TypeError, ValueError) as error:
        return _Row(f"yours {type(got).__name__}", "wrong", [full_stop(str(error)), call, *_said(printed)])
    sentence = mismatch(_expected(case), got)
    shown = f"yours {_describe_any(got)}"
    notes = [f"Right, but {full_stop(_changed(function, changed))}"] if changed else []
    if not sentence:
        return _Row(shown, "ok", notes + _said(printed))
    hint = f" Hint: {case['hint']}" if case.get("hint") else ""
    return _Row(shown, "wrong", [f"{full_stop(sentence)}{hint}", call, *_said(printed)])


def _expected(case):
    """What a recorded case expects: a plain value, or a Band."""
    if "truth" in case:
        return Band(from_plain(case["truth"]), case["at_least"])
    return from_plain(case["expected"])


def _changed(function, positions):
    """The sentence about inputs that were changed, by the names they have in the function."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    return changed_inputs([names[n] if n < len(names) else f"number {n + 1}" for n in positions])


def _short(argument):
    """An argument as it might be typed, long arrays shortened."""
    if isinstance(argument, (tuple, list)) and not all(isinstance(part, (int, float)) for part in argument):
        inside = ", ".join(map(_short, argument))
        return f"[{inside}]" if isinstance(argument, list) else f"({inside})"
    if type(argument).__module__ == "torch":
        usual = str(argument.dtype) in ("torch.float32", "torch.int64", "torch.bool")
        return f"torch.tensor({_short(argument.numpy())}{'' if usual else f', dtype={argument.dtype}'})"
    if isinstance(argument, np.ndarray):
        text = np.array2string(argument, separator=", ", threshold=24, precision=4, floatmode="maxprec")
        return " ".join(text.split()) if argument.size else f"np.zeros({argument.shape})"
    return repr(argument)


def _line_in(function, error):
    """Where in the function's own cell the error arose, in words."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" (line {lines[-1]} of the cell)" if lines else ""


def _said(printed):
    """What the function printed, shortened, as a note; none when it was silent."""
    text = printed.getvalue().strip()
    return [f"It printed: {text[:500]}{' ...' if len(text) > 500 else ''}"] if text else []


def _describe_any(got):
    try:
        return describe(got)
    except (TypeError, ValueError):
        return type(got).__name__


@contextlib.contextmanager
def _quiet():
    """Keep warnings and everything written to stderr out of the cell: stderr is no failure."""
    printed = io.StringIO()
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as sink, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.dup2(sink.fileno(), 2)
        try:
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
                yield printed
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def _name_of(function, caller):
    known = _visible("functions")
    if getattr(function, "__name__", None) in known:
        return function.__name__
    for name, value in caller.items():
        if value is function and name in known:
            return name
    raise _none_for(getattr(function, "__name__", repr(function)), known)


def _known(name, section):
    if name not in _visible(section):
        raise _none_for(repr(name), _visible(section))
    return _visible(section)[name]


def _none_for(name, known):
    return CheckFailed(
        f"no visible checks for {name}; there are some for: {', '.join(sorted(known))}. Did the exercise "
        "come with a newer bundle? Then `course check` in its folder says how to use the library beside it."
    )


@functools.cache
def _visible(section):
    merged = {}
    for path in sorted(VISIBLE.glob("*.json")):
        merged |= json.loads(path.read_text(encoding="utf-8"))[section]
    return merged


@functools.cache
def _concepts():
    rows = tomllib.loads(CONCEPTS_FILE.read_text(encoding="utf-8"))["concept"]
    return {row["id"]: row for row in rows}
