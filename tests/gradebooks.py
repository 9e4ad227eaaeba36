"""Small gradebooks made by hand, for tests of what is done with marks."""

import functools
import tempfile
import uuid
from pathlib import Path
from unittest.mock import patch

from nbgrader.api import Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook

from grading.classroom import Classroom

QUESTION = "check-one_pole"
WORTH = 20.0


@functools.cache
def _empty(exercises):
    """The bytes of a gradebook with these exercises, of one question each.

    For the version of its tables, which no test asks for, nbgrader would start a program of some seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        version = patch("nbgrader.api.get_alembic_version", return_value="tests")
        with version, Gradebook(f"sqlite:///{folder}/gradebook.db", "rnn-course") as gradebook:
            for exercise in exercises:
                gradebook.add_assignment(exercise)
                gradebook.add_notebook(exercise, exercise)
                gradebook.add_grade_cell(QUESTION, exercise, exercise, max_score=WORTH, cell_type="code")
        return (Path(folder) / "gradebook.db").read_bytes()


def make_class(folder, marks, students=(), exercises=("ex02",), waiting=()):
    """A class whose gradebook holds one question for each exercise.

    Parameters
    ----------
    marks : {student: points}, or {student: (points, time of submission in UTC)}, in every exercise.
    students : further ones, or more about them: dicts of what nbgrader's gradebook holds of a student.
    waiting : those whose work waits for a person.

    Returns
    -------
    Classroom
    """
    classroom = Classroom(folder)
    Path(folder).mkdir(exist_ok=True)
    Path(folder, "gradebook.db").write_bytes(_empty(tuple(exercises)))
    with classroom.gradebook() as gradebook:
        known = {student: {"id": student} for student in marks} | {one["id"]: one for one in students}
        gradebook.db.add_all(Student(**details) for details in known.values())
        for exercise in exercises:
            cell = gradebook.find_grade_cell(QUESTION, exercise, exercise)
            for student, mark in marks.items():
                points, time = mark if isinstance(mark, tuple) else (mark, None)
                assignment, notebook = uuid.uuid4().hex, uuid.uuid4().hex
                about = {"assignment_id": cell.notebook.assignment_id, "student_id": student}
                gradebook.db.add_all(
                    [
                        SubmittedAssignment(id=assignment, timestamp=time, **about),
                        SubmittedNotebook(
                            id=notebook, assignment_id=assignment, notebook_id=cell.notebook_id
                        ),
                        Grade(
                            cell_id=cell.id,
                            notebook_id=notebook,
                            auto_score=points,
                            needs_manual_grade=student in waiting,
                        ),
                    ]
                )
        gradebook.db.commit()
    return classroom
