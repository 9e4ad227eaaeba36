"""Grade one submission: from the bytes of a file to an outcome and a notebook, without a gradebook."""

import hashlib
import secrets
import time
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grading import results
from grading.bank import Function, Written, exercise_names, load_bank
from grading.candidates import Candidate, answers_in, names
from grading.errors import UserError
from grading.exercise import released_notebook, source_notebook, worth
from grading.intake import Unreadable, read_notebook
from grading.judge import judge_question, judge_written, open_question
from grading.rebuild import rebuild
from grading.results import Outcome, QuestionResult
from grading.runner import Sitting
from grading.session import Session
from grading.texts import answer_texts


def exercise_of(path, data):
    """The exercise that a submitted file answers: by its name, else by its cells.

    Raises
    ------
    UserError : when neither tells.
    """
    named = [exercise for exercise in exercise_names() if names(path.name, exercise)]
    if len(named) == 1:
        return named[0]
    file = Candidate(path.name, lambda: data)
    likely = max(named or exercise_names(), key=lambda exercise: answers_in(file, exercise))
    if not answers_in(file, likely):
        raise UserError(f"{path} does not say which exercise it answers; name it with --exercise")
    return likely


def new_seed():
    """A fresh seed for the hidden cases of one grading run."""
    return secrets.randbelow(2**31)


@dataclass
class Prepared:
    """A submission before it runs: the rebuilt notebook, or the problem that keeps it from being graded."""

    notebook: NotebookNode
    repairs: list[str] = field(default_factory=list)
    attention: str = ""
    problem: str = ""


def prepare(data, exercise):
    """Read the bytes of one submitted file and put its answers into our released notebook.

    Returns
    -------
    Prepared : with the untouched released notebook where there is a problem.
    """
    released = released_notebook(exercise)
    try:
        read = read_notebook(data, known={cell.source for cell in released.cells})
    except Unreadable as error:
        return Prepared(released, problem=str(error))
    rebuilt = rebuild(read.notebook, released)
    if not rebuilt.found:
        reasons = [read.attention, no_answer(exercise)]
        return Prepared(released, problem="; ".join(reason for reason in reasons if reason))
    return Prepared(rebuilt.notebook, read.repairs + rebuilt.repairs, read.attention)


def grade_bytes(data, exercise, seed=None):
    """Grade the bytes of one submitted file.

    Returns
    -------
    (Outcome, notebook) : the notebook is the rebuilt one with the outputs of its cells, or None when the
        file is unreadable.
    """
    started = time.monotonic()
    prepared = prepare(data, exercise)
    if prepared.problem:
        outcome, notebook = unreadable(exercise, prepared.problem), None
    else:
        outcome, notebook = run_and_judge(prepared.notebook, exercise, seed), prepared.notebook
        outcome.repairs = prepared.repairs + outcome.repairs
        outcome.attention = prepared.attention
    outcome.digest = hashlib.sha256(data).hexdigest()
    outcome.seconds = round(time.monotonic() - started, 2)
    return outcome, notebook


def run_and_judge(notebook, exercise, seed=None):
    """Run a rebuilt notebook and judge every question, in the order of the notebook."""
    seed = new_seed() if seed is None else seed
    bank = load_bank(exercise)
    outcome = Outcome(exercise, {}, seed=seed)
    texts, models = answer_texts(notebook), answer_texts(source_notebook(exercise))
    with Session() as session:
        outcome.isolation = session.isolation
        sitting, opened = opened_sitting(notebook, exercise, session)
        for name, points in worth(exercise).items():
            question, stub = bank.questions[name], sitting.stubs[name]
            if isinstance(question, Written):
                outcome.questions[name] = judge_written(question, points, texts[name], stub, models[name])
            else:
                outcome.questions[name] = judge_question(
                    question, exercise, points, sitting, seed, opened[name]
                )
        outcome.repairs = sitting.notes()
    return outcome


def opened_sitting(notebook, exercise, session):
    """Run the cells of a rebuilt notebook and ask all that may be asked before any fresh input.

    Returns
    -------
    (Sitting, {question: what ``open_question`` gave}), written answers left out.
    """
    bank, stubs = load_bank(exercise), answer_texts(released_notebook(exercise))
    seconds = {function.name: function.seconds for function in bank.of_kind(Function)}
    sitting = Sitting(notebook, stubs, session, seconds)
    sitting.ready()
    run = [question for question in bank.questions.values() if not isinstance(question, Written)]
    return sitting, {question.name: open_question(question, sitting) for question in run}


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
