"""``course release``: the bundle a student receives, and the guard that keeps solutions out of it."""

import html
import json
import re
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbgrader.preprocessors import ClearOutput

from grading import CANARY, ROOT
from grading.build import to_text
from grading.canary import find
from grading.classroom import Classroom
from grading.errors import UserError
from grading.exercise import source_notebook
from grading.files import write_bytes, write_text, zipped
from grading.library import library_files

STUDENT_FILES = ROOT / "grading/student_files"
SHORT = 24  # a solution line shorter than this proves nothing


class Leak(UserError):
    """Something that only the instructor may see would leave with a release."""


def release(exercise, folder, course=None):
    """Make the student bundle of an exercise: a folder and a zip file beside it.

    It holds the lessons up to the exercise, without their outputs, the released exercise, the library
    without its references, the environment files and a README for students. A course directory of nbgrader,
    if given, gets the released notebook as ``release/EXERCISE``, from which nbgrader hands it out.

    Returns
    -------
    Path of the zip file.

    Raises
    ------
    Leak : when a canary or a line of a solution would be in it; then nothing is written.
    """
    folder = Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        bundle = Path(scratch) / f"rnn-course-{exercise}"
        released = Classroom(Path(scratch) / "class").release(exercise)
        _fill(bundle, exercise, released)
        guard(bundle, exercise)
        inside = sorted(path for path in bundle.rglob("*") if path.is_file())
        packed = zipped({str(path.relative_to(scratch)): path.read_bytes() for path in inside})
        if course is not None:
            target = Path(course) / "release" / exercise / released.name
            write_bytes(target, released.read_bytes())
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / bundle.name, ignore_errors=True)
        shutil.copytree(bundle, folder / bundle.name)
        write_bytes(folder / f"{bundle.name}.zip", packed)
        return folder / f"{bundle.name}.zip"


def _fill(bundle, exercise, released):
    number = exercise.removeprefix("ex")
    for lesson in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        if lesson.name[:2] <= number:
            write_text(bundle / "notebooks" / lesson.name, without_outputs(lesson))
    _copy(released, bundle / "exercises" / exercise / released.name)
    for path in library_files():
        later = re.fullmatch(r"ex\d\d", path.stem) and path.stem > exercise
        if not (path.parent.name == "visible" and later):
            _copy(path, bundle / path.relative_to(ROOT))
    for path in sorted((ROOT / "data").glob("*.json")):
        _copy(path, bundle / "data" / path.name)
    for name in ("requirements.lock", "environment.yml", "LICENSE", "docs/conventions.md"):
        _copy(ROOT / name, bundle / name)
    for path in STUDENT_FILES.iterdir():
        if path.is_file():
            _copy(path, bundle / path.name)


def without_outputs(lesson):
    """The text of a lesson as a student should meet it: predict first, then run."""
    notebook, _ = ClearOutput().preprocess(nbformat.read(lesson, as_version=4), {})
    notebook.metadata.pop("widgets", None)
    return to_text(notebook)


def _copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def guard(folder, *exercises):
    """Refuse a folder that would give a student what only the instructor may see.

    Raises
    ------
    Leak : naming the file and what was found in it.
    """
    lines = [line for exercise in exercises for line in solution_lines(exercise)]
    for path in sorted(p for p in Path(folder).rglob("*") if p.is_file() or p.is_symlink()):
        name = path.relative_to(folder)
        if path.is_symlink():
            raise Leak(f"{name} is a link and could lead anywhere; nothing was released")
        data = path.read_bytes()
        if form := find(CANARY, data):
            raise Leak(f"{name} contains the canary of a solution ({form}); nothing was released")
        if "reference" in name.parts:
            raise Leak(f"{name} belongs to the references; nothing was released")
        _refuse_lines(path, name, lines)


def _refuse_lines(path, name, lines):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".ipynb", ".json"):
        text = "\n".join(_texts(json.loads(text)))
    if path.suffix == ".html":
        text = html.unescape(re.sub("<[^>]*>", "", text))
    text = _squeezed(text)
    for line in lines:
        if _squeezed(line) in text:
            raise Leak(f"{name} contains the solution line {line!r}; nothing was released")


def _texts(value):
    """Every string in a JSON document, cell texts joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield "".join(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _squeezed(text):
    """Lines with single spaces only, so that other spacing does not hide a line."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


def solution_lines(exercise):
    """The lines of the solutions that prove a leak: long, and nowhere in the library or a lesson."""
    begin, end = "### BEGIN SOLUTION", "### END SOLUTION"
    found = set()
    for cell in source_notebook(exercise).cells:
        if cell.cell_type == "code" and begin in cell.source:
            inside = cell.source.split(begin, 1)[1].split(end, 1)[0]
            found |= {line.strip() for line in inside.splitlines() if len(line.strip()) >= SHORT}
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "markdown":
            found |= {line.strip() for line in cell.source.splitlines() if len(line.strip()) >= SHORT}
    lessons = (ROOT / "notebooks/src").glob("*.py")
    public = "\n".join(path.read_text(encoding="utf-8") for path in [*library_files(), *lessons])
    return sorted(line for line in found if CANARY not in line and line not in public)
