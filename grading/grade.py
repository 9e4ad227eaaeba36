"""Grade one submission: a pure function from the bytes of a file to an outcome and a notebook."""

import json
import logging
import secrets
import warnings
from contextlib import contextmanager

import nbformat
from traitlets.log import get_logger

from grading import results
from grading.bank import Written, exercise_names, load_bank
from grading.errors import UserError
from grading.exercise import released_notebook, source_notebook, worth
from grading.judge import judge_question, judge_written
from grading.rebuild import answer_name, is_answer, rebuild
from grading.results import Outcome, QuestionResult
from grading.runner import Sitting
from grading.session import Session


class Unreadable(UserError):
    """The submitted bytes are no notebook."""


def read_submission(data):
    """Parse the bytes of a submitted file into a notebook of format 4.

    Raises
    ------
    Unreadable : with the reason in one sentence.
    """
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("the file is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the file is not a notebook, or is cut off: {error}") from None
    if not isinstance(content, dict) or not {"cells", "worksheets"} & set(content):
        raise Unreadable("the file is not a notebook: it has no cells")
    if isinstance(content.get("cells"), list):
        content |= {"nbformat": 4, "nbformat_minor": 5}  # where cells stand on top, it is format 4
        for cell in content["cells"]:
            if isinstance(cell, dict) and not isinstance(cell.get("metadata"), dict):
                cell["metadata"] = {}
    try:
        with _quiet_nbformat():
            notebook = nbformat.reads(json.dumps(content), as_version=4)
        if not all(isinstance(cell, dict) for cell in notebook.cells):
            raise ValueError("a cell is not a dict")
        return notebook
    except Exception as error:  # nbformat raises many kinds for a notebook it cannot convert
        raise Unreadable(
            f"the notebook cannot be read: {(str(error) or type(error).__name__).splitlines()[0][:120]}"
        ) from None


@contextmanager
def _quiet_nbformat():
    """What nbformat remarks on (missing ids, keys of other versions) is of no concern: cells are rebuilt."""
    log = get_logger()
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


def exercise_of(path, data):
    """The exercise that a submitted file answers: by its name, else by the marks of its cells.

    Raises
    ------
    UserError : when neither tells.
    """
    names = exercise_names()
    named = [name for name in names if name in path.stem.lower()]
    if named:
        return named[0]
    marks = _grade_ids(read_submission(data))
    likely = max(names, key=lambda name: len(marks & _grade_ids(released_notebook(name))))
    if not marks & _grade_ids(released_notebook(likely)):
        raise UserError(f"{path} does not say which exercise it answers; name it with --exercise")
    return likely


def _grade_ids(notebook):
    metadata = (cell.get("metadata") for cell in notebook.cells)
    marks = (data.get("nbgrader") for data in metadata if isinstance(data, dict))
    ids = (mark.get("grade_id") for mark in marks if isinstance(mark, dict))
    return {name for name in ids if isinstance(name, str)}


def new_seed():
    """A fresh seed for the hidden cases of one grading run."""
    return secrets.randbelow(2**31)


def grade_bytes(data, exercise, seed=None):
    """Grade the bytes of one submitted file.

    Returns
    -------
    (Outcome, notebook) : the notebook is the rebuilt one with verdicts in its check cells, or None when
        the file is unreadable.
    """
    try:
        submitted = read_submission(data)
    except Unreadable as error:
        return unreadable(exercise, str(error)), None
    rebuilt = rebuild(submitted, released_notebook(exercise))
    if not rebuilt.found:
        return unreadable(exercise, no_answer(exercise)), None
    outcome = run_and_judge(rebuilt.notebook, exercise, seed)
    outcome.repairs = rebuilt.repairs + outcome.repairs
    return outcome, rebuilt.notebook


def run_and_judge(notebook, exercise, seed=None):
    """Run a rebuilt notebook and judge every question, in the order of the notebook."""
    seed = new_seed() if seed is None else seed
    bank = load_bank(exercise)
    outcome = Outcome(exercise, {}, seed=seed)
    stubs, models = (_answer_texts(nb) for nb in (released_notebook(exercise), source_notebook(exercise)))
    with Session() as session:
        sitting = Sitting(notebook, stubs, session)
        sitting.ready()
        for name, points in worth(exercise).items():
            question = bank.questions[name]
            if isinstance(question, Written):
                text = _answer_texts(notebook)[name]
                outcome.questions[name] = judge_written(question, points, text, stubs[name], models[name])
            else:
                outcome.questions[name] = judge_question(question, exercise, points, sitting, seed)
        outcome.repairs = sitting.notes()
    return outcome


def no_answer(exercise):
    """The problem of a notebook in which no cell answers the exercise."""
    return f"no cell of it answers {exercise}; is it the right file?"


def unreadable(exercise, reason):
    """The outcome of a file that cannot be graded: nothing earned, a person has to look."""
    questions = {
        name: QuestionResult(name, 0.0, points, results.UNREADABLE)
        for name, points in worth(exercise).items()
    }
    return Outcome(exercise, questions, problem=reason)


def _answer_texts(notebook):
    """The text of every answer cell: {question: text}."""
    return {answer_name(cell): cell.source for cell in notebook.cells if is_answer(cell)}
