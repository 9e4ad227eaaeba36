"""What a class's size costs the command: memory, and seconds of table and export. ``make bench`` prints it.

Workers are stubs that answer at once, so that only the command is measured.
"""

import io
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import nbformat
from rich.console import Console
from sqlalchemy.exc import SAWarning

from grading.classroom import Classroom
from grading.exercise import released_notebook
from grading.grade import grade_bytes
from grading.report import class_notes, class_table, problems
from grading.submissions import find_submissions
from grading.worker import Worker

SIZES = (40, 200)
MANY = 1000
EXERCISE = "ex02"


def hand_in(folder, size):
    path = folder / "in/s0000" / EXERCISE / f"{EXERCISE}.ipynb"
    for number in range(size):
        path = folder / f"in/s{number:04}" / EXERCISE / f"{EXERCISE}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(released_notebook(EXERCISE), path)
    return find_submissions(folder / "in", EXERCISE)


def memory(size):
    """Print the largest memory of a command that grades a class of this size, in MB."""
    data = nbformat.writes(released_notebook(EXERCISE)).encode()
    outcome, notebook = grade_bytes(data, EXERCISE, 7)
    answer = {"outcome": outcome.to_dict(), "notebook": nbformat.writes(notebook), "seconds": {}}
    Worker.answer = lambda *_: answer
    with tempfile.TemporaryDirectory() as folder:
        submissions = hand_in(Path(folder), size)
        Classroom(Path(folder) / "out").grade(EXERCISE, submissions, workers=2)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def many():
    """Print the seconds of table and export for a class of a thousand, whose marks are put in directly."""
    outcome, _ = grade_bytes(nbformat.writes(released_notebook(EXERCISE)).encode(), EXERCISE, 7)
    with tempfile.TemporaryDirectory() as folder:
        classroom = Classroom(Path(folder))
        classroom.release(EXERCISE)
        run = classroom.run(EXERCISE)
        with classroom.gradebook() as gradebook, warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # see Classroom
            for number in range(MANY):
                gradebook.add_student(f"s{number:04}")
                gradebook.add_submission(EXERCISE, f"s{number:04}")
                run.outcomes.keep(f"s{number:04}", outcome)
        start = time.perf_counter()
        Console(file=io.StringIO(), width=80).print(class_table(EXERCISE, run.outcomes))
        class_notes(run.outcomes)
        problems(run.outcomes)
        table = time.perf_counter() - start
        start = time.perf_counter()
        classroom.export(Path(folder) / "marks.csv")
        print(f"{MANY} submissions: table {table:.1f} s, export {time.perf_counter() - start:.1f} s")


def main():
    for size in SIZES:
        command = [sys.executable, __file__, str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        print(f"memory of the command, class of {size}: {float(done.stdout):.0f} MB")
    many()


if __name__ == "__main__":
    memory(int(sys.argv[1])) if sys.argv[1:] else main()
