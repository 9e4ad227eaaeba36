"""Make up a class of five and what Canvas would export of it, to try the instructor's guide on.

``python tools/example_class.py`` writes to ``build/example`` the gradebook that lists the class and the zip
of what four of them handed in for exercise 02.
"""

import io
import re
import zipfile
from dataclasses import replace

from grading import ROOT, sample
from grading.build import to_text
from grading.files import write_bytes, write_text

FOLDER = ROOT / "build/example"
GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Section,ex02 (4711)
    Points Possible,,,,,20
"Lind, Ada",101,,ada,Monday,
"Okoye, Ben",102,,ben,Monday,
"Demir, Cem",103,,cem,Monday,
"Lopez, Dua",104,,dua,Monday,
"Novak, Eva",105,,eva,Monday,
"""
RENAMED = {"kept": "weights", "start": "h_before", "states": "out", "z": "shift", "s": "k"}
HANDED_IN = {
    "lindada_101_9001_ex02.ipynb": ("s02", {}, (2026, 11, 13, 18, 5, 0)),
    "okoyeben_LATE_102_9006_ex02.ipynb": ("s05", {}, (2026, 11, 17, 12, 30, 0)),
    "demircem_103_9003_ex02.ipynb": ("s02", RENAMED, (2026, 11, 15, 21, 40, 0)),
    "lopezdua_104_9002_ex02.ipynb": ("s11", {}, (2026, 11, 14, 9, 0, 0)),
    "lopezdua_104_9004_ex02-1.ipynb": ("s19", {}, (2026, 11, 15, 20, 10, 0)),
}
"""By the name that Canvas gives a file: whose answers of the sample class, what is renamed in them, when."""


def renamed(text, names):
    """Code with other names."""
    return re.sub(r"\b\w+\b", lambda found: names.get(found[0], found[0]), text)


def make(folder):
    """Write the class; returns its two files."""
    rows = {student.id: student for student in sample.students()}
    gradebook, export = folder / "gradebook_from_canvas.csv", folder / "ex02_from_canvas.zip"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (student, names, time) in HANDED_IN.items():
            answers = {key: renamed(text, names) for key, text in rows[student].answers.items()}
            notebook = sample.submission(replace(rows[student], answers=answers))
            archive.writestr(zipfile.ZipInfo(name, time), to_text(notebook))
    write_text(gradebook, GRADEBOOK)
    write_bytes(export, packed.getvalue())
    return gradebook, export


if __name__ == "__main__":
    for path in make(FOLDER):
        print(f"wrote {path.relative_to(ROOT)}")
