"""All marks as CSV, for ``course export`` and ``nbgrader export``."""

from nbgrader.plugins import ExportPlugin

from grading.deadlines import days_late
from grading.late import sentence
from grading.marks import class_marks
from grading.tables import number_or_guarded, write_table

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score", "note"),
)


class CsvExport(ExportPlugin):
    """One row for each assignment and student, with the columns of nbgrader's own exporter and a note.

    Points are rounded to two decimals; names with commas or quotes stay in their column and on one line; a
    text that a spreadsheet would take for a formula, also where it splits at semicolons, gets an apostrophe
    in front.
    """

    def export(self, gradebook):
        marks = {(mark.exercise, mark.student): mark for mark in class_marks(gradebook)}
        students = [one for one in gradebook.students if self._wanted(self.student, one.id)]
        rows = [
            [
                number_or_guarded(value)
                for value in _row(assignment, student, marks.get((assignment.name, student.id)))
            ]
            for assignment in gradebook.assignments
            if self._wanted(self.assignment, assignment.name)
            for student in students
        ]
        write_table(self.to or "grades.csv", COLUMNS, rows)

    @staticmethod
    def _wanted(chosen, name):
        return not chosen or name in map(str, chosen)


def _row(assignment, student, mark):
    """One student's marks in one assignment; zero without a submission."""
    raw, penalty, score = (mark.raw, mark.penalty, mark.score) if mark else (0.0, 0.0, 0.0)
    return (
        *(assignment.name, assignment.duedate, mark and mark.timestamp),
        *(student.id, student.last_name, student.first_name, student.email),
        *(raw, penalty, score, assignment.max_score),
        sentence(days_late(mark.seconds_late), penalty) if mark else "",
    )
