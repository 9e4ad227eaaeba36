"""Which of a student's files is the notebook of an exercise: by its name, else by its cells."""

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grading.bank import exercise_names
from grading.decoding import CHECKPOINTS, LARGEST_FILE, Unreadable
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.intake import read_notebook
from grading.texts import answer_name, is_answer

NOTEBOOK = re.compile(r"\.ipynb(\.(txt|json|ipynb))?$|\.json$", re.I)
MOST_READ = 20  # notebooks of one student that are looked into


@dataclass
class Candidate:
    """A file that may be the notebook.

    label : its path as people know it, through an archive too.
    read : gives its bytes.
    time : seconds since 1970, 0 when unknown.
    file : the real file, which is the archive for one that is packed.
    """

    label: str
    read: Callable
    time: float = 0.0
    file: Path | None = None

    @property
    def name(self):
        return PurePosixPath(self.label).name

    @property
    def is_checkpoint(self):
        return CHECKPOINTS in PurePosixPath(self.label).parts


def read_file(path):
    """The bytes of a file that is no link; of one that is too large only so many that reading it says so."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Unreadable(f"the file cannot be opened ({error.strerror})") from None


def _pattern(exercise):
    """``ex02`` as people write it: EX02, ex_2, Exercise 02."""
    word, number = re.fullmatch(r"([a-z]+)0*(\d+)", exercise).groups()
    return re.compile(rf"(?<![a-z0-9]){word}(?:ercise)?[ _.-]*0*{number}(?![0-9])", re.I)


def names(name, exercise):
    """Whether a name says that a file or folder belongs to the exercise."""
    return bool(_pattern(exercise).search(name))


def is_folder_of(name, exercise):
    """Whether a folder is named like the exercise and nothing else."""
    return bool(_pattern(exercise).fullmatch(name.strip()))


def names_another(name, exercise):
    """Whether a name says that a file or folder belongs to another exercise."""
    others = [other for other in exercise_names() if other != exercise]
    return any(names(name, other) for other in others) and not names(name, exercise)


def without_exercise(name, exercise):
    """What else a file's name says, e.g. who handed it in; without endings and marks of copies."""
    stem = NOTEBOOK.sub("", name)
    rest = _pattern(exercise).sub("", stem)
    return re.sub(r"(?<![ _-])[ _-]*(copy ?\d*|\(\d+\))", "", rest, flags=re.I).strip(" _-.")


def copy_number(name, exercise):
    """Which copy a name says it is: 2 for ``ex02 (2).ipynb`` and ``ex02-Copy2.ipynb``; 0 for the original."""
    rest = _pattern(exercise).sub("", NOTEBOOK.sub("", name))
    found = re.search(r"(?:copy|[-_ (])(\d{1,4})\)?$", rest.rstrip(), re.I)
    return int(found[1]) if found else int(bool(re.search("copy", rest, re.I)))


def choose(candidates, exercise):
    """The notebook that counts.

    The exact name goes first, then a name that says the exercise, then what the cells say; last of all an
    automatic copy, and a file of another kind. Of several the highest number counts, then the newest.

    Returns
    -------
    (Candidate or None, attention) : attention says why a person should look, or is "".
    """
    notebooks = [one for one in candidates if NOTEBOOK.search(one.name)]
    real = [one for one in notebooks if not one.is_checkpoint]
    named = [one for one in real if names(one.name, exercise)]
    if named:
        return _best(named, exercise, lambda one: one.name == f"{exercise}.ipynb")
    if ours := [one for one in real[:MOST_READ] if answers_in(one, exercise)]:
        return _best(ours, exercise, lambda one: answers_in(one, exercise))
    if copies := [one for one in notebooks if one.is_checkpoint and names(one.name, exercise)]:
        chosen, _ = _best(copies, exercise, lambda one: True)
        return chosen, f"only an automatic copy was handed in ({chosen.label})"
    last = real or [one for one in candidates if names(one.name, exercise)] or candidates
    return (last[0], "") if len(last) == 1 else (None, "")


def _best(found, exercise, prefer):
    """The best of some candidates; the others are named for a person when they hold something else."""
    if len(found) == 1:
        return found[0], ""
    found = sorted(found, key=lambda one: (copy_number(one.name, exercise), one.time), reverse=True)
    looked = [(one, *_looked_into(one)) for one in found[:MOST_READ]]
    chosen, digest, _ = max(
        looked,
        key=lambda seen: (
            seen[2],
            prefer(seen[0]),
            copy_number(seen[0].name, exercise),
            seen[0].time,
            seen[0].label,
        ),
    )
    others = [one.label for one, other, _ in looked if other != digest]
    others += [one.label for one in found[MOST_READ:]]
    if not others:
        return chosen, ""
    listed = ", ".join(sorted(others)[:3]) + (" and more" if len(others) > 3 else "")
    return chosen, f"{chosen.label} was graded; there is also {listed}"


def _looked_into(candidate):
    """What stands for the content of a candidate, and whether it can be read; the content is not kept."""
    data = _bytes(candidate)
    return hashlib.sha256(data).digest(), _readable(data)


def _bytes(candidate):
    try:
        return candidate.read()
    except UserError:
        return b""


def _readable(data):
    try:
        return not read_notebook(data).attention
    except Unreadable:
        return False


def answers_in(candidate, exercise):
    """How many answers of the exercise a notebook holds, by the marks of its cells or what they define."""
    try:
        cells = read_notebook(_bytes(candidate)).notebook.cells
    except Unreadable:
        return 0
    marks = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in cells}
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    ours = [cell for cell in released_notebook(exercise).cells if is_answer(cell)]
    return sum(
        cell.metadata.nbgrader.grade_id in marks
        or bool(re.search(rf"^(def {answer_name(cell)}\s*\(|{answer_name(cell)}\s*=)", code, re.M))
        for cell in ours
    )
