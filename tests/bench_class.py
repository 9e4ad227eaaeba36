"""A class of forty beside stock ``nbgrader autograde``, and where the time goes: ``make bench`` prints it.

Stock runs the same answers in one process, without isolation, with tests as asserts inside the notebook: the
same cases that our judge draws. Both write a gradebook. ``python tests/bench_class.py 12 ex02`` takes a
smaller class, or one exercise.
"""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbgrader.utils import compute_checksum

from course_utils.plain import to_plain
from grading import ROOT, sandbox, stages
from grading.bank import Function, load_bank
from grading.classroom import Classroom
from grading.exercise import released_notebook, source_notebook
from grading.paper import paper
from grading.texts import answer_name, is_answer

EXERCISES = ("ex02", "ex05")
SIZE = 40
SEED = 7
STOCK_CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "stock"\n'
TEST = """\
import json
from course_utils.compare import mismatch
from course_utils.plain import from_plain, to_plain
for arguments, expected in json.loads({cases!r}):
    got = {name}(*(from_plain(argument, inputs=True) for argument in arguments))
    reason = mismatch(from_plain(expected), from_plain(to_plain(got)))
    assert not reason, reason
"""


def submissions(exercise, size):
    """Notebooks of a class: all answered, in a text of its own each; every fourth lacks one function."""
    functions = [question.name for question in load_bank(exercise).of_kind(Function)]
    solved = {answer_name(c): c.source for c in source_notebook(exercise).cells if is_answer(c)}
    for number in range(size):
        notebook = released_notebook(exercise)
        missing = functions[number // 4 % len(functions)] if number % 4 == 3 else None
        for cell in notebook.cells:
            if is_answer(cell) and answer_name(cell) != missing:
                mark = "#" if cell.cell_type == "code" else "\n"
                cell.source = f"{solved[answer_name(cell)]}\n\n{mark} {number}"
        yield f"s{number:03}", notebook


def with_asserts(notebook, exercise):
    """The same notebook with the cases of our judge as asserts in its test cells."""
    functions = {question.name for question in load_bank(exercise).of_kind(Function)}
    for cell in notebook.cells:
        name = answer_name(cell) if "nbgrader" in cell.metadata else None
        if cell.cell_type == "code" and name in functions and not is_answer(cell):
            drawn = paper(exercise, name, SEED)
            pairs = zip(drawn.cases, drawn.expected, strict=True)
            cases = [
                ([to_plain(argument, inputs=True) for argument in case.args], to_plain(value))
                for case, value in pairs
            ]
            cell.source = TEST.format(cases=json.dumps(cases), name=name)
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
    return notebook


def write(folder, exercise, notebooks):
    for student, notebook in notebooks:
        path = folder / student / exercise / f"{exercise}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)


def seconds(*command, cwd):
    """How long a command takes; it has to succeed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-4000:])
    return time.perf_counter() - start


def stock(folder, exercise, size):
    """Seconds of ``nbgrader autograde`` for the class, with nothing of ours configured."""
    (folder / "nbgrader_config.py").write_text(STOCK_CONFIG, encoding="utf-8")
    source = folder / "source" / exercise
    source.mkdir(parents=True)
    nbformat.write(with_asserts(source_notebook(exercise), exercise), source / f"{exercise}.ipynb")
    write(folder / "submitted", exercise, submissions(exercise, size))
    nbgrader = (sys.executable, "-m", "nbgrader")
    seconds(*nbgrader, "generate_assignment", exercise, cwd=folder)
    return seconds(*nbgrader, "autograde", exercise, cwd=folder)


def ours(folder, exercise, size):
    """Seconds of ``course grade`` for the class; what each submission spent in each stage."""
    write(folder / "in", exercise, submissions(exercise, size))
    classroom = Classroom(folder / "out")
    classroom.release(exercise)
    grade = ("grade", exercise, "--submitted", folder / "in", "--out", folder / "out", "--require-isolation")
    took = seconds(sys.executable, "-m", "grading.cli", *map(str, grade), cwd=ROOT)
    kept = (folder / "out/outcomes" / exercise).glob("*.json")
    return took, [json.loads(path.read_text(encoding="utf-8")) for path in sorted(kept)]


def versions():
    names = ("nbgrader", "distributed", "numpy", "torch", "ipykernel")
    found = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {found}, {sandbox.isolation()}"


def main(size, exercises):
    print(versions())
    rows, spent = [], {}
    for exercise in exercises:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stock").mkdir()
            theirs = stock(Path(folder) / "stock", exercise, size) / size
            took, entries = ours(Path(folder) / "ours", exercise, size)
            rows.append((exercise, theirs, took / size, theirs / (took / size)))
            spent[exercise] = [entry["seconds"] for entry in entries]
    print(f"\nseconds a submission, class of {size}\n")
    print("| exercise | stock | `course grade` | times as fast |\n|---|---|---|---|")
    for exercise, theirs, took, ratio in rows:
        print(f"| {exercise} | {theirs:.2f} | {took:.2f} | {ratio:.1f} |")
    print("\nmedian seconds in each stage of one submission (the workers' run side by side)\n")
    print("| exercise |", " | ".join(stages.STAGES), "|\n" + "|---" * (len(stages.STAGES) + 1) + "|")
    for exercise, found in spent.items():
        medians = (statistics.median(one.get(name, 0) for one in found) for name in stages.STAGES)
        print(f"| {exercise} |", " | ".join(f"{median:.2f}" for median in medians), "|")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nlargest process: {peak:.0f} MB")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(numbers[0] if numbers else SIZE, [word for word in sys.argv[1:] if word[:2] == "ex"] or EXERCISES)
