"""A class: grading its submissions and recording the marks in nbgrader's gradebook."""

import logging
import os
import re
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
from filelock import FileLock, Timeout
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from grading import ROOT
from grading.bank import load_bank
from grading.class_run import ClassRun
from grading.deadlines import read_deadlines
from grading.errors import UserError, in_words
from grading.exercise import released_notebook
from grading.export import CsvExport
from grading.feedback import page, read_record, short_text
from grading.files import PRIVATE, private, write_text
from grading.gradebooks import back_up
from grading.late import keep_penalties_current, update_penalties
from grading.lms import MARKUP
from grading.marks import take_over_marks
from grading.nbgrader_setup import configure
from grading.plugins import Judge
from grading.submissions import STAMP

COURSE = ROOT / "grading"
STAGED = ".staged-"
LOCK = ".running"  # among the outcomes, held during a run


class Classroom:
    """The nbgrader side of a class: one folder with gradebook, graded copies and feedback.

    Parameters
    ----------
    folder : where ``gradebook.db``, ``autograded`` and ``feedback`` lie; nbgrader's course directory.
    """

    def __init__(self, folder=COURSE):
        self.name = str(folder)
        self.folder = Path(folder).resolve()
        self.database = self.folder / "gradebook.db"
        config = configure(Config())
        config.CourseDirectory.root = str(self.folder)
        config.CourseDirectory.source_directory = str(ROOT / "grading/source")
        config.CourseDirectory.db_url = f"sqlite:///{self.database}"
        _spare_checks(config.Autograde)
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
        self._nbgrader("generate_assignment", exercise, what=f"release {exercise}")
        return self.folder / "release" / exercise / f"{exercise}.ipynb"

    def run(self, exercise, *arguments, **options):
        """A run over the submissions of an exercise, see ``ClassRun``; nothing happens until it grades."""
        return ClassRun(self, exercise, *arguments, **options)

    def grade(self, exercise, submissions, seed=None, **options):
        """Grade submissions in parallel and record each in the gradebook as soon as it is done.

        All of a run meet the same hidden cases. A file that cannot be read earns nothing and is marked
        for a person; the run goes on. What did not change since an earlier run is not run again.

        Returns
        -------
        {student: Outcome}
        """
        return self.run(exercise, seed, **options).grade(submissions)

    @contextmanager
    def alone(self):
        """Inside, no other run grades this class; refuses while one does, also one of another exercise."""
        self.demand_writable()
        read_deadlines(self.folder)  # refuses a file that says nothing clear, before anything is written
        lock = FileLock(self.folder / "outcomes" / LOCK, timeout=0, mode=PRIVATE)
        with private():
            Path(lock.lock_file).parent.mkdir(exist_ok=True)
        try:
            lock.acquire()
        except Timeout:
            raise UserError(
                f"another course grade is at work in {self.name}; wait for its end, then run this one again"
            ) from None
        except NotImplementedError:  # a file system without locks
            pass
        try:
            yield
        finally:
            lock.release()

    def prepare(self, exercise):
        """Make ready for a run: a copy of the gradebook, and the exercise in it."""
        self.demand_writable()
        back_up(self.database)
        self.release(exercise)

    def recorded(self, exercise):
        """The students of whom gradebook and graded copy are there."""
        with self.gradebook() as gradebook:
            found = [one.student.id for one in gradebook.assignment_submissions(exercise)]
        return {name for name in found if (self.folder / "autograded" / name / exercise).is_dir()}

    def refresh_penalties(self, exercise):
        """Bring the penalties of late work up to date with the class's file, and with points by hand."""
        with self.gradebook() as gradebook:
            update_penalties(gradebook, exercise, read_deadlines(self.folder))

    @contextmanager
    def recording(self):
        """Inside, outcomes are recorded, through a folder of this run from which nbgrader reads.

        What was submitted is never written to. A folder that a killed run left is taken away.
        """
        for left in self.folder.glob(f"{STAGED}*-*"):
            owner = left.name.removeprefix(STAGED).partition("-")[0]
            if owner.isdecimal() and not psutil.pid_exists(int(owner)):
                shutil.rmtree(left, ignore_errors=True)
        prefix = f"{STAGED}{os.getpid()}-"
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=prefix) as staged:
            self.config.CourseDirectory.submitted_directory = staged
            yield

    def record(self, submission, outcome, notebook):
        """Let nbgrader take the outcome into gradebook and ``autograded``.

        The notebook is staged where nbgrader looks for a submission; nbgrader then calls our ``Judge`` on
        it, which finds the outcome in ``Judge.prepared`` and writes it into the check cells.
        """
        exercise = outcome.exercise
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
            shutil.rmtree(folder.parent)
        with self.gradebook() as gradebook:
            take_over_marks(gradebook, submission.student, outcome)

    def _stamp(self, submission, folder, outcome):
        text = submission.time()
        try:
            parse_utc(text)
        except (ValueError, OverflowError):
            outcome.repairs.append(
                f"The time of submission, {text[:40]!r}, could not be read and was left out."
            )
        else:
            (folder / STAMP).write_text(text, encoding="utf-8")

    def gradebook(self):
        """nbgrader's gradebook of this class, a context manager."""
        return Gradebook(self.config.CourseDirectory.db_url, self.config.CourseDirectory.course_id)

    def demand_gradebook(self):
        """Refuse a class without a gradebook."""
        if not self.database.exists():
            raise UserError(f"there is no gradebook in {self.name}; run first: course grade EXERCISE")

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
                    failed.append(f"{name} ({in_words(error)})")
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
        self.demand_gradebook()
        keep_penalties_current(self)
        with self.gradebook() as gradebook:
            CsvExport(to=str(path)).export(gradebook)


def _spare_checks(autograde):
    """Leave out the steps that mend and check a stranger's notebook: a class run records its own."""
    autograde.sanitize_preprocessors = []
    steps = autograde.autograde_preprocessors
    autograde.autograde_preprocessors = [step for step in steps if step is not CheckCellMetadata]
