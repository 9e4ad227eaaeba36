"""Finding the submissions of a class in its folder, whatever the files and folders are called."""

import glob
import itertools
import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from grading.archives import BadArchive, Budget, is_archive, is_side_file, members, shown
from grading.bank import load_bank
from grading.candidates import (
    NOTEBOOK,
    Candidate,
    choose,
    is_folder_of,
    names,
    names_another,
    read_file,
    without_exercise,
)
from grading.decoding import CHECKPOINTS
from grading.errors import UserError

STAMP = "timestamp.txt"  # when a file was handed in, as nbgrader reads it
ATTEMPTS = "attempts"  # the folder of older attempts, as ``course collect`` leaves it; never graded
MOST_FILES = 5000  # of one student
LARGEST_UNPACKED = 500_000_000  # bytes in one student's archives together
MOST_UNPACKED = 4 * LARGEST_UNPACKED  # bytes, when the same archive is read again


@dataclass
class Submission:
    """One student's file for one exercise; ``problem`` says why there is none to grade.

    ``repairs`` are lines to the student, ``attention`` says why a person should look, ``timestamp`` is the
    file with the time of submission as nbgrader keeps it. Nothing is ever written here.
    """

    student: str
    path: Path
    problem: str = ""
    repairs: list[str] = field(default_factory=list)
    attention: str = ""
    timestamp: Path | None = None
    load: Callable | None = None

    def __post_init__(self):
        """Messages hold names of files, which go to a terminal."""
        self.problem, self.attention = shown(self.problem), shown(self.attention)
        self.repairs = [shown(line) for line in self.repairs]

    def read(self):
        """The bytes of the file, also of one inside an archive."""
        return self.load() if self.load else read_file(self.path)

    def time(self):
        """The text that says when it was handed in; "" where nobody noted it."""
        return self.timestamp.read_text(encoding="utf-8", errors="replace").strip() if self.timestamp else ""


@dataclass
class _Pile:
    """All that lies in the folders of one student."""

    files: list[Path] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)  # why something in it is left alone
    others: int = 0  # files of other exercises
    budget: Budget = field(default_factory=lambda: Budget(LARGEST_UNPACKED, MOST_UNPACKED))
    broken: str = ""  # why its files cannot be looked through


def find_submissions(folder, exercise):
    """The submissions below ``folder``, laid out as nbgrader does: STUDENT/EXERCISE/EXERCISE.ipynb.

    Other layouts and names are accepted, with a line that says so. A student's folder in which there is no
    notebook is in the list too, with its problem; only one that holds nothing but other exercises is passed
    over. Links are never followed.

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
    piles = {}
    for student, place in _places(folder, exercise):
        pile = piles.setdefault(student, _Pile())
        with _kept_in(pile):
            _gather(place, exercise, pile)
    found = [
        _submission_or_problem(student, pile, folder, exercise) for student, pile in sorted(piles.items())
    ]
    packed = any(is_archive(path.name) for pile in piles.values() for path in pile.files)
    broken = any(pile.broken for pile in piles.values())
    if not (packed or broken or any(one and _is_handed_in(one, exercise) for one in found)):
        raise UserError(f"no submissions of {exercise} in {folder}; they are expected as {expected}")
    return [one for one in found if one]


@contextmanager
def _kept_in(pile):
    """Whatever goes wrong with the files of one student is noted, and ends nothing else."""
    try:
        yield
    except Exception as error:  # a folder that cannot be opened, too many levels, too little memory
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        pile.broken = f"the files cannot be looked through ({reason[:200]}); look at the folder"


def _submission_or_problem(student, pile, folder, exercise):
    with _kept_in(pile):
        if not pile.broken:
            return _submission(student, pile, folder, exercise)
    return Submission(student, folder / student / exercise / f"{exercise}.ipynb", pile.broken)


def _is_handed_in(submission, exercise):
    name = submission.path.name
    named = NOTEBOOK.search(name) or names(name, exercise) or is_archive(name)
    return submission.path.exists() and bool(named)


def _places(folder, exercise):
    """Where each student's files lie: (student, folder or file); also with the levels the other way round."""
    for place in sorted(folder.iterdir()):
        if place.name.startswith((".", "__")):
            continue
        swapped = place.is_dir() and not place.is_symlink() and is_folder_of(place.name, exercise)
        for below in sorted(place.iterdir()) if swapped else [place]:
            if below.is_dir() and not names_another(below.name, exercise):
                yield shown(below.name.strip()), below
            elif NOTEBOOK.search(below.name) and not names_another(below.name, exercise):
                yield shown(without_exercise(below.name, exercise) or below.stem), below


def _gather(place, exercise, pile):
    """Sort what lies in one place of a student into the pile."""
    if place.is_symlink() or not place.is_dir():
        _sort_in(place, exercise, pile)
        return
    for folder, below, files in os.walk(place):
        linked = [name for name in below if Path(folder, name).is_symlink()]
        for name in sorted(files + linked):
            if len(pile.files) < MOST_FILES and not is_side_file(name):
                _sort_in(Path(folder, name), exercise, pile, Path(folder).relative_to(place))
        below[:] = sorted(name for name in below if _is_looked_into(name, folder, exercise))


def _is_looked_into(name, folder, exercise):
    if name == ATTEMPTS and is_folder_of(Path(folder).name, exercise):
        return False
    return name == CHECKPOINTS or not name.startswith((".", "__"))


def _sort_in(path, exercise, pile, below=Path()):
    if path.is_symlink() or not path.is_file():
        pile.reasons.append(f"{path.name} is a link, and links are not followed; hand in the file itself")
    elif any(names_another(part, exercise) for part in (*below.parts, path.name)):
        pile.others += 1
    elif path.name != STAMP:
        pile.files.append(path)


def _submission(student, pile, folder, exercise):
    """The submission of one student, or None where there is nothing for this exercise."""
    expected = f"{student}/{exercise}/{exercise}.ipynb"
    loose = [_loose(path, folder) for path in pile.files if not is_archive(path.name)]
    if not any(names(one.name, exercise) and not one.is_checkpoint for one in loose):
        loose += _packed(pile, folder)
    chosen, attention = choose(loose, exercise)
    pile.budget.read = MOST_UNPACKED  # the one that was chosen can be read again
    if chosen is None:
        if pile.others and not pile.files and not pile.reasons:
            return None
        seen = [f"there is {', '.join(sorted(one.label for one in loose)[:3])}"] if loose else []
        problem = "; ".join([f"there is no {expected}", *seen, *pile.reasons[:2]])
        return Submission(student, folder / expected, problem)
    problem = ""
    if glob.escape(student) != student:
        problem = "nbgrader takes no folder named with [ ] * or ?; rename it"
    repairs = []
    if chosen.label != expected:
        repairs = [f"Your notebook was found as {chosen.label}; it is expected as {expected}."]
    if attention:
        repairs.append(f"Please hand in {expected} and no other: {attention}.")
    stamp = _timestamp(chosen.file, folder)
    return Submission(student, chosen.file, problem, repairs, attention, stamp, chosen.read)


def _loose(path, folder):
    return Candidate(str(path.relative_to(folder)), partial(read_file, path), path.stat().st_mtime, path)


def _packed(pile, folder):
    """What is inside the archives of a student; notes why one cannot be opened."""
    archives = [path for path in pile.files if is_archive(path.name)]
    return [one for path in archives for one in _unpacked(str(path.relative_to(folder)), path, path, pile)]


def _unpacked(label, source, file, pile, depth=2):
    found = []
    try:
        for member in members(PurePosixPath(label).name, source, pile.budget):
            inner = f"{label}/{member.name}"
            if member.refused:
                pile.reasons.append(f"{inner} was left alone: {member.refused}")
            elif is_archive(member.name) and depth > 1:
                found += _unpacked(inner, member.read(), file, pile, depth - 1)
            else:
                time = member.time.timestamp() if member.time else 0.0
                found.append(Candidate(inner, member.read, time, file))
    except BadArchive as error:
        pile.reasons.append(str(error))
    return found


def _timestamp(path, folder):
    """nbgrader's file with the time of submission, beside the notebook or in a folder above it.

    The outermost one counts: others may be the student's own.
    """
    places = itertools.takewhile(lambda place: place != folder, path.parents)
    stamps = [place / STAMP for place in places]
    return next((stamp for stamp in reversed(stamps) if stamp.is_file() and not stamp.is_symlink()), None)
