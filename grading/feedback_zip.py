"""Feedback of a class in one zip, laid out as Canvas and Moodle take it for all students at once.

Canvas takes the zip of submissions back: a file belongs to the student and upload whose numbers are in its
name, and the student sees it under the name of the own upload. So what goes back has to be of that kind: for
a notebook it is a notebook that shows the page. Moodle wants a folder for each student, named as in its
download with ``assignfeedback`` for ``assignsubmission``.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import nbformat

from grading.candidates import NOTEBOOK
from grading.collected import recall
from grading.errors import UserError
from grading.files import PRIVATE, write_bytes, zipped

NOT_YOUR_WORK = "This is the feedback on your work. Canvas gives it the name of the file that you handed in."


@dataclass
class Packed:
    """The zip that was written, for how many students, and for whom not, with the reason."""

    path: Path
    count: int = 0
    left: list[str] = field(default_factory=list)


def pack(pages, exercise, platform, collected, folder):
    """Write the zip with the feedback of these students.

    Parameters
    ----------
    pages : {student: path of the page}; the short text lies beside it.
    platform : "canvas" or "moodle".
    collected : the folder into which ``course collect`` sorted the submissions.
    folder : where the zip is written.

    Raises
    ------
    UserError : when nobody's submission was collected from that platform.
    """
    origins = recall(collected, exercise)
    packed, files = Packed(Path(folder) / f"{exercise}_for_{platform}.zip"), {}
    for student, page in sorted(pages.items()):
        origin = origins.get(student)
        if origin is None or origin["lms"].lower() != platform:
            packed.left.append(f"{student}: was not collected from {platform.capitalize()}")
            continue
        name, data = PACK[platform](exercise, student, Path(page), origin)
        if data is None:
            packed.left.append(f"{student}: Canvas would show the page as {name}; hand it out otherwise")
        else:
            files[name] = data
    if not files and pages:
        raise UserError(
            f"nobody's {exercise} in {collected} can get feedback through {platform.capitalize()}; "
            "is it the folder that course collect filled from there?"
        )
    packed.count = len(files)
    write_bytes(packed.path, zipped(files, PRIVATE), PRIVATE)
    return packed


def _for_canvas(_exercise, student, page, origin):
    """The name of the upload, and feedback of the same kind of file; None for a kind that cannot show any."""
    name = PurePosixPath(origin["path"]).name
    if NOTEBOOK.search(name):
        return name, _as_notebook(page, student).encode()
    if name.lower().endswith((".html", ".htm")):
        return name, page.read_bytes()
    if name.lower().endswith((".txt", ".md")):
        return name, _short_text(page, student).encode()
    if name.lower().endswith(".zip"):
        return name, zipped({page.name: page.read_bytes()}, PRIVATE)
    return name, None


def _for_moodle(exercise, _student, page, origin):
    """A folder that begins with name and number; an underscore in the name would hide the number."""
    name = re.sub(r'[\x00-\x1f/\\:*?"<>|_]+', " ", origin["name"]).strip()
    return f"{name}_{origin['number']}_assignfeedback_file_/{exercise}_feedback.html", page.read_bytes()


PACK = {"canvas": _for_canvas, "moodle": _for_moodle}


def _short_text(page, student):
    return (page.parent / f"{student}.txt").read_text(encoding="utf-8")


def _as_notebook(page, student):
    """A notebook that shows the page, and the short text where only text is shown."""
    body = re.search(r"<main>.*</main>", page.read_text(encoding="utf-8"), re.S)
    text = _short_text(page, student).replace("```", "'''")
    shown = nbformat.v4.new_output("display_data", {"text/html": body[0] if body else "", "text/plain": text})
    cells = [
        nbformat.v4.new_markdown_cell(f"{NOT_YOUR_WORK}\n\n```\n{text}```", id="feedback"),
        nbformat.v4.new_code_cell("", outputs=[shown], id="page"),
    ]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells))
