"""A class: grading its submissions and recording the marks in nbgrader's gradebook."""

import json
import logging
import os
import re
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from grading import ROOT
from grading.bank import load_bank
from grading.deadlines import read_deadlines
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.export import CsvExport
from grading.feedback import page, read_record, short_text
from grading.files import PRIVATE, private, write_text
from grading.grade import new_seed, unreadable
from grading.late import keep_penalties_current
from grading.lms import MARKUP
from grading.marks import marks
from grading.nbgrader_setup import configure
from grading.plugins import Judge
from grading.results import FAILED, MARKED, failure
from grading.worker import Worker

COURSE = ROOT / "grading"


class Classroom:
    """The nbgrader side of a class: one folder with gradebook, graded copies and feedback.

    Parameters
    ----------
    folder : where ``gradebook.db``, ``autograded`` and ``feedback`` lie; nbgrader's course directory.
    """

    def __init__(self, folder=COURSE):
        self.name = str(folder)
        self.folder = Path(folder).resolve()
        config = configure(Config())
        config.CourseDirectory.root = str(self.folder)
        config.CourseDirectory.source_directory = str(ROOT / "grading/source")
        config.CourseDirectory.db_url = f"sqlite:///{self.folder}/gradebook.db"
        self.config = config

    def demand_writable(self):
        """Refuse a folder in which nothing can be kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK):
            raise UserError(f"nothing can be written to {self.name}; choose another folder with --out")

    def _nbgrader(self, command, *arguments, what):
        """Run one of nbgrader's commands; raise what its log says when it went wrong."""
        self.demand_writable()
        api = NbGraderAPI(config=self.config)
        api.log_level = logging.ERROR
        with warnings.catch_warnings(), private():
            # nbgrader 0.9.6 leaves objects out of its session for a moment; SQLAlchemy 2.1 remarks on it
            warnings.simplefilter("ignore", SAWarning)
            result = getattr(api, command)(*arguments)
        if not result["success"]:
            log = f"{result.get('log') or ''}\n{result.get('error') or ''}"
            reasons = re.findall(r"^\s*[\w.]*(?:Error|Exception|Missing\w*): .*", log, re.M)
            reason = reasons[0].strip() if reasons else log.strip()[-200:]
            raise UserError(f"nbgrader could not {what}: {reason}")

    def release(self, exercise):
        """Run ``nbgrader generate_assignment``: the released notebook, and the exercise in the gradebook."""
        released_notebook(exercise)  # refuses an exercise that is unknown or not built
        read_deadlines(self.folder)  # refuses a file that says nothing clear, before anything is graded
        self._nbgrader("generate_assignment", exercise, what=f"release {exercise}")
        return self.folder / "release" / exercise / f"{exercise}.ipynb"

    def grade(self, exercise, submissions, seed=None, on_done=lambda submission: None):
        """Grade submissions one by one and record each in the gradebook as soon as it is done.

        All of a run meet the same hidden cases. A file that cannot be read earns nothing and is marked
        for a person; the run goes on.

        Returns
        -------
        {student: Outcome}
        """
        seed = new_seed() if seed is None else seed
        self.release(exercise)
        outcomes = {}
        with self._staging(), Worker() as worker:
            for submission in submissions:
                outcomes[submission.student] = self._grade_one(submission, exercise, seed, worker)
                on_done(submission)
        report = {student: outcome.to_dict() for student, outcome in outcomes.items()}
        with private():
            write_text(
                self.folder / "outcomes" / f"{exercise}.json", json.dumps(report, indent=1) + "\n", PRIVATE
            )
        return outcomes

    def _grade_one(self, submission, exercise, seed, worker):
        """Grade and record one submission; whatever goes wrong with it costs it alone."""
        notebook = None
        try:
            if submission.problem:
                outcome = unreadable(exercise, submission.problem)
            else:
                outcome, notebook = worker.grade(submission.read(), exercise, seed)
                outcome.repairs = submission.repairs + outcome.repairs
                outcome.attention = "; ".join(filter(None, [submission.attention, outcome.attention]))
        except UserError as error:  # what is wrong with the file, in a sentence
            outcome = unreadable(exercise, str(error))
        except Exception as error:  # a class run never stops at one file
            self._keep_error(submission.student)
            outcome = unreadable(exercise, failure(error))
        try:
            self._record(submission, exercise, outcome, notebook or released_notebook(exercise))
        except Exception as error:  # the points stand in the table all the same
            self._keep_error(submission.student)
            outcome.problem = outcome.problem or failure(error, FAILED[1])
        return outcome

    def _keep_error(self, student):
        """Keep the error that is being handled, for whoever mends the grader."""
        with private():
            write_text(self.folder / "failures" / f"{student}.txt", traceback.format_exc(), PRIVATE)

    @contextmanager
    def _staging(self):
        """A folder of this run from which nbgrader reads; what was submitted is never written to."""
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".staged-") as staged:
            self.config.CourseDirectory.submitted_directory = staged
            yield

    def _record(self, submission, exercise, outcome, notebook):
        """Let nbgrader take the outcome into gradebook and ``autograded``.

        The notebook is staged where nbgrader looks for a submission; nbgrader then calls our ``Judge`` on
        it, which finds the outcome in ``Judge.prepared`` and writes it into the check cells.
        """
        if MARKUP.search(submission.student):
            raise UserError('no folder may be named with < > " & ` or a backslash; rename it')
        folder = Path(self.config.CourseDirectory.submitted_directory) / submission.student / exercise
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{exercise}.ipynb")
        if submission.timestamp:
            self._stamp(submission, folder, outcome)
        Judge.prepared[submission.student, exercise] = (outcome, notebook)
        try:
            self._nbgrader("autograde", exercise, submission.student, what=f"record {submission.student}")
        finally:
            del Judge.prepared[submission.student, exercise]
        self._take_over_marks(submission.student, exercise, outcome)

    def _take_over_marks(self, student, exercise, outcome):
        """Points that a person gave count in the outcome too."""
        with self.gradebook() as gradebook:
            for name, mark in marks(gradebook, exercise, student, outcome.questions).items():
                if mark.manual is not None:
                    question = outcome.questions[name]
                    question.points, question.verdict = mark.manual, MARKED

    def _stamp(self, submission, folder, outcome):
        text = submission.timestamp.read_text(encoding="utf-8", errors="replace").strip()
        try:
            parse_utc(text)
        except (ValueError, OverflowError):
            outcome.repairs.append(
                f"The time of submission, {text[:40]!r}, could not be read and was left out."
            )
        else:
            (folder / "timestamp.txt").write_text(text, encoding="utf-8")

    def gradebook(self):
        """nbgrader's gradebook of this class, a context manager."""
        return Gradebook(self.config.CourseDirectory.db_url, self.config.CourseDirectory.course_id)

    def waiting(self, exercise):
        """The students whose submission waits for a person."""
        with self.gradebook() as gradebook:
            submissions = gradebook.assignment_submissions(exercise)
            return sorted(one.student.id for one in submissions if one.needs_manual_grade)

    def feedback(self, exercise, student=None):
        """Write page and text of every graded student, or of one: what ``nbgrader generate_feedback`` writes.

        Returns
        -------
        {student: path of the HTML page}
        """
        load_bank(exercise)  # refuses an unknown exercise
        graded = {
            path.parent.parent.name: path
            for path in sorted((self.folder / "autograded").glob(f"*/{exercise}/{exercise}.ipynb"))
        }
        if not graded:
            raise UserError(f"nothing graded yet in {self.name}; run first: course grade {exercise}")
        if student is not None and student not in graded:  # nor is a name ever taken as a path
            raise UserError(f"no graded {exercise} of {student!r} in {self.name}; is the name right?")
        chosen = graded if student is None else {student: graded[student]}
        pages, failed = {}, []
        keep_penalties_current(self)
        with self.gradebook() as gradebook, private():
            for name, path in chosen.items():
                try:
                    pages[name] = self._write_feedback(gradebook, name, path)
                except Exception as error:  # the others get theirs
                    failed.append(f"{name} ({_in_words(error)})")
        if failed:
            raise UserError(f"no feedback for {', '.join(failed)}; grade again with: course grade {exercise}")
        return pages

    def _write_feedback(self, gradebook, student, graded):
        exercise = graded.stem
        course = nbformat.read(graded, as_version=4).metadata["course"]
        record = read_record(gradebook, student, course)
        folder = self.folder / "feedback" / student / exercise
        write_text(folder / f"{exercise}.html", page(record), PRIVATE)
        write_text(folder / f"{student}.txt", short_text(record), PRIVATE)
        return folder / f"{exercise}.html"

    def export(self, path):
        """Write all marks of the gradebook as CSV."""
        if not (self.folder / "gradebook.db").exists():
            raise UserError(f"there is no gradebook in {self.name}; run first: course grade EXERCISE")
        keep_penalties_current(self)
        with self.gradebook() as gradebook:
            CsvExport(to=str(path)).export(gradebook)


def _in_words(error):
    return (str(error).strip() or type(error).__name__)[:200]
