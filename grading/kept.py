"""The outcomes of an exercise on disk, one file a student: an interrupted run leaves them to the next.

A class of a thousand costs no more memory than one of ten: an outcome is read when somebody looks at it.
"""

import json
from collections.abc import Mapping
from hashlib import sha256

from grading.files import PRIVATE, private, write_pieces, write_text
from grading.results import Outcome

LONGEST = 200  # bytes of a student's name that become a file's name


class Outcomes(Mapping):
    """{student: Outcome} of one run, in the order of names, read from ``outcomes/EXERCISE/STUDENT.json``.

    Parameters
    ----------
    folder : of the class.
    exercise : its name.
    """

    def __init__(self, folder, exercise):
        self.folder = folder / "outcomes" / exercise
        self.file = folder / "outcomes" / f"{exercise}.json"
        self.students = set()
        self.unsaved = {}  # entries for which there was no room on the disk

    def __getitem__(self, student):
        if student not in self.students:
            raise KeyError(student)
        return Outcome.from_dict(self._entry(student)["outcome"])

    def __iter__(self):
        return iter(sorted(self.students))

    def __len__(self):
        return len(self.students)

    def _path(self, student):
        name = student.encode("utf-8", "replace")
        return self.folder / f"{student if len(name) <= LONGEST else sha256(name).hexdigest()}.json"

    def _entry(self, student):
        if student in self.unsaved:
            return self.unsaved[student]
        return json.loads(self._path(student).read_text(encoding="utf-8"))

    def before(self, student):
        """What an earlier run kept of a student: {"key", "run", "seconds", "outcome"}, or {}."""
        try:
            entry = self._entry(student)
            Outcome.from_dict(entry["outcome"])  # a file of this form
            return entry if entry["student"] == student else {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def keep(self, student, outcome, key="", run="", seconds=None):
        """Keep one outcome; under a key only what another run may take over."""
        entry = {"student": student, "key": key, "run": run, "seconds": seconds or {}}
        entry["outcome"] = outcome.to_dict()
        self.students.add(student)
        self.unsaved.pop(student, None)
        try:
            with private():
                write_text(self._path(student), json.dumps(entry) + "\n", PRIVATE)
        except OSError:  # a full disk: the table is printed all the same
            self.unsaved[student] = entry

    def pieces(self):
        """All outcomes as the text of one JSON object, a student at a time."""
        start = "{"
        for student in self:
            outcome = json.dumps(self._entry(student)["outcome"], indent=1)
            yield f"{start}\n {json.dumps(student)}: " + outcome.replace("\n", "\n ")
            start = ","
        yield "\n}\n" if self.students else "{}\n"

    def write_table(self, students):
        """Write ``outcomes/EXERCISE.json`` for programs: these students, as far as they were ever graded."""
        table = Outcomes(self.folder.parent.parent, self.folder.name)
        table.unsaved = self.unsaved
        table.students = {student for student in students if student in self or self.before(student)}
        with private():
            write_pieces(self.file, table.pieces(), PRIVATE)
