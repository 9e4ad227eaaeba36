"""nbgrader's configuration of the course: which of our steps its commands take."""

import os
import sys
from pathlib import Path

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

from grading.exercise import RELEASE_STEPS
from grading.export import CsvExport
from grading.feedback import FeedbackExporter
from grading.harmless import Harmless
from grading.late import PerDay, SetDue
from grading.plugins import Judge, Settle, SubmissionReader
from grading.submissions import STAMP


def configure(config):
    """Set what makes nbgrader grade our way; used by ``nbgrader_config.py`` and by every command here."""
    _put_tools_on_path()
    config.CourseDirectory.course_id = "rnn-course"
    config.GenerateAssignment.preprocessors = [
        IncludeHeaderFooter,
        *RELEASE_STEPS,
        SaveCells,
        CheckCellMetadata,
    ]
    config.Autograde.exporter_class = SubmissionReader
    config.Autograde.sanitize_preprocessors = [
        ClearOutput,
        OverwriteKernelspec,
        OverwriteCells,
        CheckCellMetadata,
    ]
    config.Autograde.autograde_preprocessors = [
        Judge,
        LimitOutput,
        SaveAutoGrades,
        Settle,
        SetDue,
        AssignLatePenalties,
        Harmless,
        CheckCellMetadata,
    ]
    config.AssignLatePenalties.plugin_class = PerDay
    config.Autograde.permissions = 400
    config.Autograde.pre_convert_hook = close_folders
    config.Autograde.post_convert_hook = keep_the_graded_copy
    config.GenerateFeedback.preprocessors = []
    config.GenerateFeedback.exporter_class = FeedbackExporter
    config.GenerateFeedback.permissions = 600
    config.GenerateFeedback.pre_convert_hook = close_folders
    config.GenerateFeedback.post_convert_hook = keep_the_feedback
    config.ExportApp.plugin_class = CsvExport
    return config


def _put_tools_on_path():
    """nbgrader calls alembic by its name; it lies beside this Python, whether or not that is activated."""
    beside = str(Path(sys.executable).parent)
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if beside not in places:
        os.environ["PATH"] = os.pathsep.join([beside, *places])


def close_folders(**_):
    """Close what is about students to other users of the machine; nbgrader is in its course directory."""
    for name in ("autograded", "feedback"):
        Path(name).mkdir(mode=0o700, exist_ok=True)
        Path(name).chmod(0o700)
    if Path("gradebook.db").exists():
        Path("gradebook.db").chmod(0o600)


def keep_the_graded_copy(assignment, student, **_):
    """Take what lay beside a submission out of ``autograded`` again: it is not graded, and may be a trap."""
    _keep("autograded", assignment, student, lambda name: {f"{assignment}.ipynb", STAMP})


def keep_the_feedback(assignment, student, **_):
    """Take all but our page and text out of ``feedback``: nbgrader copies whatever lies in ``autograded``."""
    _keep("feedback", assignment, student, lambda name: {f"{assignment}.html", f"{name}.txt"})


def _keep(step, assignment, student, ours):
    """Remove the files of a step that are not ours, for one student or, with ``*``, for all."""
    for folder in Path(step).glob(f"{student}/{assignment}"):
        for path in folder.rglob("*"):
            wanted = path.parent == folder and path.name in ours(folder.parent.name)
            if not wanted and (path.is_file() or path.is_symlink()):
                path.unlink()
