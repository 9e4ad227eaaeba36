"""The commands between a class and its learning platform: late work, class list, feedback, marks."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grading import ROOT

app = typer.Typer()
errors = Console(stderr=True)

Exercise = Annotated[str, typer.Argument(help="The exercise, e.g. ex02.", show_default=False)]
Folder = Annotated[Path, typer.Option("--out", help="The class folder, where the gradebook lies.")]
CLASS = ROOT / "grading"


def _tell(lines, style="yellow"):
    for line in lines:
        errors.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


@app.command()
def students(
    file: Annotated[Path, typer.Argument(help="The class list as CSV.", show_default=False)],
    out: Folder = CLASS,
):
    """Take a class list from Canvas, Moodle or a table of your own into the gradebook."""
    from grading.classroom import Classroom
    from grading.people import import_people

    listed = import_people(Classroom(out), file)
    print(f"{listed.added} students added, {listed.known} known before and brought up to date")
    _tell(listed.told)


@app.command()
def late(exercise: Exercise, out: Folder = CLASS):
    """Set penalties for late work anew, as deadlines.toml of the class says; nothing is graded again."""
    from grading.classroom import Classroom
    from grading.late import recompute

    update = recompute(Classroom(out), exercise)
    for change in update.changes:
        print(f"{change.student}: {change.days} days late, {change.now:g} points off (was {change.before:g})")
    due = f"due {update.due:%Y-%m-%d %H:%M} UTC, " if update.due else ""
    print(f"{exercise}: {due}{update.late} of {update.total} late, {len(update.changes)} penalties changed")
    _tell(update.told)


@app.command()
def feedback(
    exercise: Exercise,
    out: Folder = CLASS,
    student: Annotated[str | None, typer.Option(help="Only this one; all who are graded by default.")] = None,
):
    """Write for each graded student a page, and a short text for a comment field."""
    from grading.classroom import Classroom

    classroom = Classroom(out)
    pages = classroom.feedback(exercise, student)
    who = student or f"{len(pages)} students"
    print(f"wrote feedback for {who} below {Path(out) / 'feedback'}")
    if waiting := classroom.waiting(exercise):
        print(f"waiting for a person's points: {', '.join(waiting)}")


@app.command()
def export(
    to: Annotated[Path, typer.Argument(help="The file to write.")] = Path("grades.csv"),
    out: Folder = CLASS,
):
    """Write all marks as CSV."""
    from grading.classroom import Classroom

    Classroom(out).export(to)
    print(f"wrote {to}")
