"""Which files make up the library that a student has: the course's own, without its references."""

import subprocess

from grading import ROOT


def library_files():
    """The files of the student's library: what git tracks, so that nothing lying about goes out.

    Without git (a downloaded archive), every module, text table and visible-case file.
    """
    library = ROOT / "course_utils"
    command = ["git", "ls-files", "course_utils"]
    try:
        tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    except FileNotFoundError:
        tracked = []
    found = [ROOT / line for line in tracked] or [
        *library.glob("*.py"),
        *library.glob("*.toml"),
        *library.glob("visible/*.json"),
    ]
    inside = [path for path in found if "reference" not in path.relative_to(ROOT).parts]
    return [path for path in inside if path.is_file()]
