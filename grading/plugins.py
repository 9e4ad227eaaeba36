"""Our steps in nbgrader's pipelines, whether our command starts them or plain ``nbgrader``."""

import html

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.bank import exercise_names
from grading.exercise import released_notebook
from grading.grade import run_and_judge
from grading.rebuild import answer_name, is_answer, rebuild
from grading.report import ISOLATION_NOTE
from grading.results import Outcome, QuestionResult


class Rebuild(NbGraderPreprocessor):
    """Replaces a submission by our released copy with the student's answers in it."""

    def preprocess(self, nb, resources):
        exercise = resources["nbgrader"]["assignment"]
        if exercise not in exercise_names():
            return nb, resources
        rebuilt = rebuild(nb, released_notebook(exercise))
        rebuilt.notebook.metadata["course"] = {"repairs": rebuilt.repairs}
        return rebuilt.notebook, resources


class Judge(NbGraderPreprocessor):
    """Puts our verdicts into the check cells, in the form from which nbgrader reads points.

    ``prepared`` holds outcomes that were computed before: {(student, exercise): (Outcome, notebook)}.
    Without one, the notebook is run and judged here.
    """

    prepared = {}  # noqa: RUF012 - shared on purpose: the class run fills it, nbgrader makes the instances

    def preprocess(self, nb, resources):
        exercise = resources["nbgrader"]["assignment"]
        if exercise not in exercise_names():
            return nb, resources
        key = (resources["nbgrader"]["student"], exercise)
        repairs = nb.metadata.get("course", {}).get("repairs", [])
        if key in self.prepared:
            outcome, nb = self.prepared[key]
        else:
            self.log.warning(ISOLATION_NOTE)
            outcome = run_and_judge(nb, exercise)
            outcome.repairs = [*repairs, *outcome.repairs]
        nb.metadata["course"] = {"outcome": outcome.to_dict()}
        return write_verdicts(nb, outcome), resources


def write_verdicts(notebook, outcome: Outcome):
    """Give each check cell two outputs: the verdict in words, and the points as nbgrader's result.

    A note about the file itself, if there is one, becomes the first cell.
    """
    for cell in notebook.cells:
        mark = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and mark.get("grade") and not is_answer(cell):
            question = outcome.questions[answer_name(cell)]
            words = {"text/plain": _text(question), "text/html": _html(question)}
            points = {"text/plain": repr(question.points)}
            cell.outputs = [
                nbformat.v4.new_output("display_data", words),
                nbformat.v4.new_output("execute_result", points, execution_count=None),
            ]
    if outcome.problem or outcome.repairs:
        notebook.cells.insert(0, _file_notes(outcome))
    return notebook


def _file_notes(outcome):
    """A first cell that tells the student what was repaired, or why the file could not be read."""
    again = f"Your file could not be graded: {outcome.problem}. Please hand it in again."
    lines = [again] if outcome.problem else outcome.repairs
    notes = "\n".join(f"- {line}" for line in lines)
    return nbformat.v4.new_markdown_cell(f"**About your file**\n\n{notes}", id="file-notes")


def _text(question: QuestionResult):
    points = f"{question.name}: {question.verdict}, {question.points:g} of {question.max_points:g} points."
    return f"{points} {question.hint}".strip()


def _html(question: QuestionResult):
    rows = [("case", "kind", "verdict")] if question.cases else []
    rows += [(case.title, "visible" if case.visible else "fresh", case.verdict) for case in question.cases]
    lines = (
        "".join(f'<td style="padding-right: 1em">{html.escape(text)}</td>' for text in row) for row in rows
    )
    table = "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>" if rows else ""
    return f"<p><strong>{html.escape(_text(question))}</strong></p>{table}"
