"""A class: finding its submissions, grading them, and recording the marks in nbgrader's gradebook."""

import json
import logging
import os
import re
import shutil
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    IncludeHeaderFooter,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
    SaveCells,
)
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from grading import ROOT
from grading.bank import load_bank
from grading.errors import UserError
from grading.exercise import RELEASE_STEPS, released_notebook
from grading.files import write_text
from grading.grade import grade_bytes, new_seed
from grading.plugins import Judge, Rebuild

COURSE = ROOT / "grading"


def configure(config):
    """Set what makes nbgrader grade our way; used by ``nbgrader_config.py`` and by every command here."""
    config.CourseDirectory.course_id = "rnn-course"
    config.GenerateAssignment.preprocessors = [
        IncludeHeaderFooter,
        *RELEASE_STEPS,
        SaveCells,
        CheckCellMetadata,
    ]
    config.Autograde.sanitize_preprocessors = [
        Rebuild,
        ClearOutput,
        OverwriteKernelspec,
        OverwriteCells,
        CheckCellMetadata,
    ]
    config.Autograde.autograde_preprocessors = [
        Judge,
        LimitOutput,
        SaveAutoGrades,
        AssignLatePenalties,
        CheckCellMetadata,
    ]
    return config


@dataclass
class Submission:
    """One student's file for one exercise."""

    student: str
    path: Path
    timestamp: Path | None = None


def find_submissions(folder, exercise):
    """The submissions below ``folder``, laid out as nbgrader does: STUDENT/EXERCISE/EXERCISE.ipynb.

    Raises
    ------
    UserError : for an unknown exercise; when the folder is missing or holds no submission, showing the
        expected path.
    """
    load_bank(exercise)  # refuses an unknown exercise
    folder = Path(folder)
    expected = f"{folder}/STUDENT/{exercise}/{exercise}.ipynb"
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; submissions are expected as {expected}")
    found = [
        Submission(path.parent.parent.name, path, _beside(path, "timestamp.txt"))
        for path in sorted(folder.glob(f"*/{exercise}/{exercise}.ipynb"))
    ]
    if not found:
        raise UserError(f"no submissions of {exercise} in {folder}; they are expected as {expected}")
    return found


def _beside(path, name):
    return path.parent / name if (path.parent / name).is_file() else None


class Classroom:
    """The nbgrader side of a class: one folder with gradebook, graded copies and feedback.

    Parameters
    ----------
    folder : where ``gradebook.db``, ``autograded`` and ``feedback`` lie; nbgrader's course directory.
    """

    def __init__(self, folder=COURSE):
        self.name = str(folder)
        self.folder = Path(folder).resolve()
        self.staged = self.folder / ".staged"
        config = configure(Config())
        config.CourseDirectory.root = str(self.folder)
        config.CourseDirectory.source_directory = str(ROOT / "grading/source")
        config.CourseDirectory.submitted_directory = str(self.staged)
        config.CourseDirectory.db_url = f"sqlite:///{self.folder}/gradebook.db"
        self.config = config

    def _nbgrader(self, command, *arguments, what):
        """Run one of nbgrader's commands; raise what its log says when it went wrong."""
        self.folder.mkdir(parents=True, exist_ok=True)
        beside = str(Path(sys.executable).parent)  # nbgrader calls alembic by its name
        if beside not in os.environ["PATH"].split(os.pathsep):
            os.environ["PATH"] = os.pathsep.join([beside, os.environ["PATH"]])
        api = NbGraderAPI(config=self.config)
        api.log_level = logging.ERROR
        with warnings.catch_warnings():
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
        with self._staging():
            for submission in submissions:
                outcome, notebook = grade_bytes(submission.path.read_bytes(), exercise, seed)
                self._record(submission, exercise, outcome, notebook or released_notebook(exercise))
                outcomes[submission.student] = outcome
                on_done(submission)
        report = {student: outcome.to_dict() for student, outcome in outcomes.items()}
        write_text(self.folder / "outcomes" / f"{exercise}.json", json.dumps(report, indent=1) + "\n")
        return outcomes

    @contextmanager
    def _staging(self):
        """The folder from which nbgrader reads; what was submitted is never written to."""
        shutil.rmtree(self.staged, ignore_errors=True)
        try:
            yield
        finally:
            shutil.rmtree(self.staged, ignore_errors=True)

    def _record(self, submission, exercise, outcome, notebook):
        """Let nbgrader take the outcome into gradebook and ``autograded``."""
        folder = self.staged / submission.student / exercise
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{exercise}.ipynb")
        if submission.timestamp:
            shutil.copy(submission.timestamp, folder / "timestamp.txt")
        Judge.prepared[submission.student, exercise] = (outcome, notebook)
        try:
            self._nbgrader("autograde", exercise, submission.student, what=f"record {submission.student}")
        finally:
            del Judge.prepared[submission.student, exercise]

    def feedback(self, exercise):
        """Run ``nbgrader generate_feedback`` for every graded student.

        Returns
        -------
        {student: path of the HTML page}
        """
        graded = sorted((self.folder / "autograded").glob(f"*/{exercise}/{exercise}.ipynb"))
        if not graded:
            raise UserError(f"nothing graded yet in {self.name}; run first: course grade {exercise}")
        pages = {}
        for path in graded:
            student = path.parent.parent.name
            self._nbgrader("generate_feedback", exercise, student, what=f"write feedback for {student}")
            pages[student] = self.folder / "feedback" / student / exercise / f"{exercise}.html"
        return pages

    def export(self, path):
        """Write all marks of the gradebook as CSV, by nbgrader's own exporter."""
        if not (self.folder / "gradebook.db").exists():
            raise UserError(f"there is no gradebook in {self.name}; run first: course grade EXERCISE")
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Gradebook(self.config.CourseDirectory.db_url, "rnn-course") as gradebook:
            CsvExportPlugin(to=str(path)).export(gradebook)
