"""Finding the submissions of a class in its folder."""

import glob
from dataclasses import dataclass
from pathlib import Path

from grading.bank import exercise_names, load_bank
from grading.errors import UserError


@dataclass
class Submission:
    """One student's file for one exercise; ``problem`` says why there is none to grade."""

    student: str
    path: Path
    problem: str = ""

    @property
    def timestamp(self):
        """The time of submission as nbgrader keeps it, in a file beside the notebook, or None."""
        path = self.path.parent / "timestamp.txt"
        return path if path.is_file() else None


def find_submissions(folder, exercise):
    """The submissions below ``folder``, laid out as nbgrader does: STUDENT/EXERCISE/EXERCISE.ipynb.

    A student's folder whose notebook stands elsewhere, or in which there is none, is in the list too, with
    its problem; only a folder that holds nothing but other exercises is passed over.

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
    places = [place for place in sorted(folder.iterdir()) if place.is_dir() or place.suffix == ".ipynb"]
    found = [_look_into(place, exercise) for place in places if not place.name.startswith((".", "__"))]
    if not any(submission and submission.path.is_file() for submission in found):
        raise UserError(f"no submissions of {exercise} in {folder}; they are expected as {expected}")
    return [submission for submission in found if submission]


def _look_into(place, exercise):
    """The submission in one place of the class folder, or None where there is nothing for this exercise."""
    path = place / exercise / f"{exercise}.ipynb"
    if path.is_file() and glob.escape(place.name) != place.name:
        return Submission(place.name, path, "nbgrader takes no folder named with [ ] * or ?; rename it")
    if path.is_file():
        return Submission(place.name, path)
    others = {name for name in exercise_names() if name != exercise}
    below = [p.relative_to(place) for p in sorted(place.rglob("*")) if p.is_file()] if place.is_dir() else []
    strays = [str(p) for p in below if p.parts[0] not in others]
    if place.is_dir() and below and not strays:
        return None
    seen = f"; there is {', '.join(strays[:3])}" if strays else ""
    wanted = f"{place.stem}/{exercise}/{exercise}.ipynb"
    return Submission(place.name, path, f"there is no {wanted}{seen}")
