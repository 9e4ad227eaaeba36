"""Our steps in nbgrader's pipelines, whether our command starts them or plain ``nbgrader``."""

import html
from datetime import datetime

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from grading import sandbox
from grading.bank import exercise_names
from grading.exercise import released_notebook
from grading.grade import Prepared, prepare, run_and_judge, unreadable
from grading.harmless import harmless_markdown
from grading.marks import settle
from grading.results import Outcome, QuestionResult, failure
from grading.texts import answer_name, is_answer


class SubmissionReader(NotebookExporter):
    """Reads and rebuilds a submitted file as ``course grade`` does: no file ends a run of nbgrader's own.

    What was found is kept in the notebook for ``Judge``. The second of nbgrader's two steps reads what the
    first one wrote, which is ours. What the class run has graded, and wrote itself, is taken as it is.
    """

    def from_filename(self, filename, resources=None, **options):
        about = (resources or {}).get("nbgrader", {})
        exercise = about.get("assignment")
        graded = (about.get("student"), exercise) in Judge.prepared
        if graded or exercise not in exercise_names() or not self.parent._sanitizing:
            return super().from_filename(filename, resources=resources, **options)
        try:
            with open(filename, "rb") as file:
                prepared = prepare(file.read(), exercise)
        except Exception as error:  # no file ends the run of a class
            self.log.exception("reading failed")
            prepared = Prepared(released_notebook(exercise), problem=failure(error))
        found = {name: getattr(prepared, name) for name in ("repairs", "attention", "problem")}
        prepared.notebook.metadata["course"] = found
        return self.from_notebook_node(prepared.notebook, resources=resources, **options)


class Judge(NbGraderPreprocessor):
    """Puts our verdicts into the check cells, in the form from which nbgrader reads points.

    ``prepared`` holds outcomes that were computed before: {(student, exercise): (Outcome, notebook)}.
    Without one, the notebook is run and judged here.
    """

    require_isolation = Bool(
        False, help="Whether to refuse grading where students' code cannot be kept from this machine."
    ).tag(config=True)

    prepared = {}  # noqa: RUF012 - shared on purpose: the class run fills it, nbgrader makes the instances

    def preprocess(self, nb, resources):
        exercise = resources["nbgrader"]["assignment"]
        if exercise not in exercise_names():
            return nb, resources
        key = (resources["nbgrader"]["student"], exercise)
        if key in self.prepared:
            outcome, nb = self.prepared[key]
        else:
            outcome = self._outcome(nb, exercise)
        graded = datetime.now().astimezone().isoformat(timespec="minutes")
        nb.metadata["course"] = {"outcome": outcome.to_dict(), "graded": graded}
        return write_verdicts(nb, outcome), resources

    def _outcome(self, nb, exercise):
        """Run and judge a rebuilt notebook; whatever goes wrong costs this one alone."""
        seen = nb.metadata["course"]
        if seen["problem"]:
            return unreadable(exercise, seen["problem"])
        if self.require_isolation:
            sandbox.demand_isolation()
        if note := sandbox.warning():
            self.log.warning(note)
        try:
            outcome = run_and_judge(nb, exercise)
        except Exception as error:  # the rest of the class is graded all the same
            self.log.exception("grading failed")
            return unreadable(exercise, failure(error))
        outcome.repairs = [*seen["repairs"], *outcome.repairs]
        outcome.attention = seen["attention"]
        return outcome


class Settle(NbGraderPreprocessor):
    """After nbgrader has taken the points: flags in the gradebook what waits for a person."""

    def preprocess(self, nb, resources):
        kept = nb.metadata.get("course", {}).get("outcome")
        if kept:
            with Gradebook(resources["nbgrader"]["db_url"]) as gradebook:
                settle(gradebook, resources["nbgrader"]["student"], Outcome.from_dict(kept))
        return nb, resources


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
    """A first cell that tells what was repaired, or why the file could not be read."""
    lines = [f"The file could not be graded: {outcome.problem}."] if outcome.problem else outcome.repairs
    notes = "\n".join(f"- {harmless_markdown(line)}" for line in lines)
    return nbformat.v4.new_markdown_cell(f"**About the file**\n\n{notes}", id="file-notes")


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
