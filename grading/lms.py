"""What the names of files say that Canvas, Moodle and Blackboard make when a class is downloaded.

=========== ====================================================================================
Canvas      ``lastfirst_LATE_12345_678910_ex02-1.ipynb``: user, upload, and -1 for the second upload
Moodle      ``First Last_123456_assignsubmission_file_/ex02.ipynb``, also without the folder
Blackboard  ``ex02_userid_attempt_2026-11-01-12-30-55_ex02.ipynb``
other       ``STUDENT/ex02/ex02.ipynb``, ``ex02/STUDENT/ex02.ipynb``, ``STUDENT_ex02.ipynb``
=========== ====================================================================================
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from grading.archives import is_archive
from grading.candidates import NOTEBOOK, is_folder_of, names, without_exercise

CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<upload>\d+)_(?P<file>.+)", re.S)
CANVAS_ANONYMOUS = re.compile(r"(?P<name>anon_[^_]+)(?P<late>_LATE)?_(?P<upload>\d+)_(?P<file>.+)", re.S)
MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)", re.S)
BLACKBOARD = re.compile(
    r"(?P<name>.+?)_attempt_(?P<time>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)", re.S
)  # the shortest name, as in all of them: what the LMS writes comes first
LAYOUTS = {"Moodle": [MOODLE], "Blackboard": [BLACKBOARD], "Canvas": [CANVAS_ANONYMOUS, CANVAS]}
OF_ANOTHER = re.compile(r"attempt_\d{4}(-\d\d){5}|assignsubmission_")  # behind numbers that a title ends in

MARKUP = re.compile(r"""[<>"&\\`\x00-\x1f]""")  # the formgrader's pages take a student's name as it is


@dataclass
class Origin:
    """Where a file comes from.

    name, number : the student's in the LMS; number is "" where there is none.
    student : the id made of them, before clashes are looked for.
    file : the path that the student gave it; "" for a file that the LMS wrote itself.
    time : of the submission, when the name says it.
    upload : what grows with each upload of a student.
    """

    name: str
    number: str
    student: str
    file: str
    time: datetime | None = None
    upload: int = 0
    late: bool = False


def layout(paths, exercise):
    """Which LMS made a class download: "Moodle", "Blackboard", "Canvas", or "" for none of them.

    It is the one that fits most of the outermost names, which the LMS writes; what a student called the
    files inside is not looked at. When two fit as many, it is the one whose own part of the names is shorter.
    """
    outermost = {_outermost(PurePosixPath(path).parts, exercise) for path in paths}
    fits = {lms: [end for name in outermost if (end := _end(lms, *name))] for lms in LAYOUTS}
    best = max(fits, key=lambda lms: (len(fits[lms]), -sum(fits[lms])))
    plain = [name for name in outermost if not _end(best, *name) and _may_be_a_student(*name)]
    return best if len(fits[best]) > 0 and len(fits[best]) >= len(plain) else ""


def _outermost(parts, exercise):
    """The name that says whose it is, and whether it is a file; a folder of the exercise lies around it."""
    inside = len(parts) > 1 and is_folder_of(parts[0], exercise)
    return parts[inside], len(parts) == 1 + inside


def _may_be_a_student(name, is_file):
    return not is_file or bool(NOTEBOOK.search(name)) or is_archive(name)


def _end(lms, name, is_file):
    """How long the part of the name is that the LMS wrote; 0 when it did not. Only Moodle makes folders."""
    found = _match(lms, name)
    if not found or not (is_file or lms == "Moodle") or (lms == "Canvas" and OF_ANOTHER.match(found["file"])):
        return 0
    return len(name) - len(found["file"] or "")


def _match(lms, name):
    """The parts of a name as this LMS writes them, or None."""
    return next((found for pattern in LAYOUTS[lms] if (found := pattern.fullmatch(name))), None)


def origin(path, exercise, lms):
    """What the path of a file in a class download says; None when it does not say whose file it is.

    Only the outermost name counts, and of it what comes first: that is written by the LMS. The rest is the
    student's and says nothing about who it is from.

    Parameters
    ----------
    lms : what ``layout`` found for the whole class.
    """
    parts = PurePosixPath(path).parts
    if not lms:
        return _plain(parts, exercise)
    name, _ = _outermost(parts, exercise)
    found = _match(lms, name)
    if not found:
        return None
    file = "/".join(filter(None, [found["file"], *parts[parts.index(name) + 1 :]]))
    if lms == "Moodle":
        return Origin(found["name"], found["number"], clean(found["name"]), file)
    if lms == "Blackboard":
        user = _user(found["name"], exercise)
        return Origin(user, "", clean(user), file, _time(found["time"]))
    number = found.groupdict().get("number", "")
    student = clean("_".join(filter(None, [found["name"], number])))
    late = bool(found["late"])
    return Origin(found["name"], number, student, file, None, int(found["upload"]), late)


def _user(name, exercise):
    """The user in ``TITLE_USER``: behind the title where it says the exercise, else what comes last."""
    parts = name.split("_")
    for end in range(1, len(parts)):
        if names("_".join(parts[:end]), exercise):
            return "_".join(parts[end:])
    return parts[-1]


def _plain(parts, exercise):
    """A folder of each student, with the levels in either order, or a notebook with the student's name."""
    if len(parts) > 1 and is_folder_of(parts[0], exercise):
        parts = parts[1:]
    if len(parts) == 1 and not _may_be_a_student(parts[0], True):
        return None
    name = parts[0].strip() if len(parts) > 1 else without_exercise(parts[0], exercise)
    file = "/".join(parts[1:]) or parts[0]
    return Origin(name, "", clean(name), file) if clean(name) else None


def _time(text):
    """The time in a name, or None."""
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


def clean(name):
    """A name as a folder's name: letters, digits, ``. - @``; an underscore for everything else."""
    return re.sub(r"[^\w.@-]+", "_", unicodedata.normalize("NFC", name)).strip("._")[:80]
