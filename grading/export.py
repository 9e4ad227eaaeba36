"""All marks as CSV, for ``course export`` and ``nbgrader export``."""

import csv
import io
import re

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin

from grading.files import PRIVATE, write_text

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
FORMULA = re.compile(
    "((?:^|;)[\\s\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*)(?=[=+\\-@＝＋－＠﹦﹢﹣﹫])"
)
"""A sign, plain or of full width, after what cannot be seen at the beginning of a cell."""


class CsvExport(ExportPlugin):
    """One row for each assignment and student, with the columns of nbgrader's own exporter.

    Points are rounded to two decimals; names with commas or quotes stay in their column and on one line; a
    text that a spreadsheet would take for a formula, also where it splits at semicolons, gets an apostrophe
    in front.
    """

    def export(self, gradebook):
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                if self._wanted(self.assignment, assignment.name) and self._wanted(self.student, student.id):
                    row = _row(gradebook, assignment, student)
                    writer.writerow({name: _cell(value) for name, value in row.items()})
        write_text(self.to or "grades.csv", text.getvalue(), PRIVATE)

    @staticmethod
    def _wanted(chosen, name):
        return not chosen or name in map(str, chosen)


def _row(gradebook, assignment, student):
    """One student's marks in one assignment; zero without a submission."""
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
        timestamp, raw = submission.timestamp, submission.score
        penalty = submission.late_submission_penalty or 0.0
    except MissingEntry:
        timestamp, raw, penalty = None, 0.0, 0.0
    return {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": timestamp,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "raw_score": raw,
        "late_submission_penalty": penalty,
        "score": max(0.0, raw - penalty),
        "max_score": assignment.max_score,
    }


def _cell(value):
    if isinstance(value, float):
        return round(value, 2)
    text = "" if value is None else " ".join(CONTROLS.sub(" ", str(value)).split())
    return FORMULA.sub(r"\1'", text)
