"""Checks that answer back: visible checks of an exercise, concept checks of a lesson, claims.

A visible check compares a student's function with recorded values on a few open cases. Passing it is
not a mark: the grader runs the function again, on fresh inputs.
"""

import contextlib
import functools
import io
import json
import numbers
import os
import sys
import tempfile
import tomllib
import warnings
from pathlib import Path

from course_utils.claims import ClaimFailed, claim
from course_utils.compare import describe, mismatch
from course_utils.plain import from_plain

__all__ = ["CheckFailed", "ClaimFailed", "check", "check_answer", "claim", "concept_check"]

VISIBLE = Path(__file__).with_name("visible")
CONCEPTS_FILE = Path(__file__).with_name("concepts.toml")


class CheckFailed(AssertionError):
    """A visible check did not pass. Notebooks show its one line without a traceback."""

    def _render_traceback_(self):
        return [f"CheckFailed: {self}"]


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
    rows = [_run_case(function, case) for case in cases]
    print(f"{name}: visible checks")
    width = max(len(case["title"]) for case in cases)
    for case, (shown, verdict) in zip(cases, rows, strict=True):
        word, _, reason = verdict.partition(": ")
        expected = describe(from_plain(case["expected"]))
        print(f"  {case['title']:<{width}}   expected {expected:<14} {shown:<20} {word}")
        if reason:
            print(f"      {reason}")
    failed = [verdict for _, verdict in rows if verdict != "ok"]
    if all(verdict == "not answered yet" for _, verdict in rows):
        raise CheckFailed(f"{name} is not answered yet")
    if failed:
        raise CheckFailed(f"{name}: {len(failed)} of {len(rows)} visible checks failed")
    print(f"All {len(rows)} visible checks passed. Grading adds fresh cases of the same kinds.")


def check_answer(name, answer):
    """Check the form of a concept answer (a choice or a number) without saying whether it is right.

    Raises
    ------
    CheckFailed : when the answer is missing or has the wrong form.
    """
    question = _known(name, "questions")
    if answer is ... or answer is None:
        raise CheckFailed(f"{name} is not answered yet")
    if "choices" in question:
        if not isinstance(answer, str) or answer not in question["choices"]:
            choices = ", ".join(repr(choice) for choice in question["choices"])
            raise CheckFailed(f"{name}: {answer!r} is none of the choices {choices}")
    elif isinstance(answer, bool) or not isinstance(_as_number(answer), numbers.Real):
        raise CheckFailed(f"{name}: {answer!r} is not a number")
    print(f"{name}: {answer!r} is noted. Whether it is right is said after grading, with the reason.")


def _as_number(answer):
    """A number out of an array or tensor that holds just one."""
    return answer.item() if getattr(answer, "shape", None) == () else answer


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
    elif answer not in options:
        print(f"{answer!r} is not among the options {letters}.")
    else:
        right = answer == _concepts()[concept_id]["answer"]
        print(f"{'Yes' if right else 'Not quite'}. {options[answer]}")


def _run_case(function, case):
    """Call the function on one visible case: (what came back in words, verdict)."""
    try:
        with _quiet() as printed:
            got = function(*[from_plain(argument) for argument in case["args"]])
    except NotImplementedError:
        return "", "not answered yet"
    except (Exception, SystemExit) as error:  # any exception of the student's code becomes a row of the table
        return f"raised {type(error).__name__}", f"raised: {str(error)[:200]}"
    if printed.getvalue():
        print(f"  (your function printed: {printed.getvalue().strip()[:200]})")
    sentence = mismatch(from_plain(case["expected"]), _as_plain_value(got))
    stop = "" if sentence and sentence.endswith("?") else "."
    hint = f" Hint: {case['hint']}" if sentence and case.get("hint") else ""
    return f"yours {_describe_any(got)}", f"wrong: {sentence}{stop}{hint}" if sentence else "ok"


def _as_plain_value(got):
    return got.detach().cpu().numpy() if hasattr(got, "detach") else got


def _describe_any(got):
    try:
        return describe(_as_plain_value(got))
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
    called = getattr(function, "__name__", repr(function))
    raise CheckFailed(f"no visible checks for {called}; there are some for: {', '.join(sorted(known))}")


def _known(name, section):
    if name not in _visible(section):
        known = ", ".join(sorted(_visible(section)))
        raise CheckFailed(f"no visible checks for {name!r}; there are some for: {known}")
    return _visible(section)[name]


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
