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
from grading.candidates import NOTEBOOK, is_folder_of, without_exercise

CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<upload>\d+)_(?P<file>.+)")
CANVAS_ANONYMOUS = re.compile(r"(?P<name>anon_[^_]+)(?P<late>_LATE)?_(?P<upload>\d+)_(?P<file>.+)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)")
BLACKBOARD = re.compile(r"(?P<name>.+)_attempt_(?P<time>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)")


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


def origin(path, exercise):
    """What the path of a file in a class download says; None when it does not say whose file it is."""
    parts = PurePosixPath(path).parts
    for place, part in enumerate(parts):
        if found := MOODLE.fullmatch(part):
            file = "/".join(filter(None, [found["file"], *parts[place + 1 :]]))
            return Origin(found["name"], found["number"], clean(found["name"]), file)
    if found := BLACKBOARD.fullmatch(parts[-1]):
        user = re.sub(rf"^{re.escape(exercise)}[^_]*_", "", found["name"], flags=re.I)
        user = user if user != found["name"] else user.rpartition("_")[2]
        return Origin(user, "", clean(user), found["file"] or "", _time(found["time"]))
    if found := CANVAS_ANONYMOUS.fullmatch(parts[-1]) or CANVAS.fullmatch(parts[-1]):
        number = found.groupdict().get("number", "")
        student = clean("_".join(filter(None, [found["name"], number])))
        late = bool(found["late"])
        return Origin(found["name"], number, student, found["file"], None, int(found["upload"]), late)
    return _plain(parts, exercise)


def _plain(parts, exercise):
    """A folder of each student, with the levels in either order, or a notebook with the student's name."""
    if len(parts) > 1 and is_folder_of(parts[0], exercise):
        parts = parts[1:]
    if len(parts) == 1 and not (NOTEBOOK.search(parts[0]) or is_archive(parts[0])):
        return None
    name = parts[0].strip() if len(parts) > 1 else without_exercise(parts[0], exercise)
    file = "/".join(parts[1:]) or parts[0]
    return Origin(name, "", clean(name), file) if clean(name) else None


def _time(text):
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


def clean(name):
    """A name as a folder's name: letters, digits, ``. - @``; an underscore for everything else."""
    return re.sub(r"[^\w.@-]+", "_", unicodedata.normalize("NFC", name)).strip("._")[:80]
