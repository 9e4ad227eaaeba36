"""The commands between a class and its learning platform: late work, class list, feedback, marks."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grading.cli_common import CLASS, Exercise, tell
from grading.errors import UserError

app = typer.Typer()

Folder = Annotated[Path, typer.Option("--out", help="The class folder, where the gradebook lies.")]
Collected = Annotated[
    Path | None,
    typer.Option("--from", help="The folder that course collect filled; submitted in that of the class."),
]


class Platform(StrEnum):
    """The learning platforms that take feedback and marks of a class."""

    canvas = "canvas"
    moodle = "moodle"


class Format(StrEnum):
    """For whom marks are exported."""

    csv = "csv"
    canvas = "canvas"
    moodle = "moodle"


@app.command()
def students(
    file: Annotated[Path, typer.Argument(help="The class list as CSV.", show_default=False)],
    out: Folder = CLASS,
):
    """Take a class list from Canvas, Moodle or a table of your own into the gradebook."""
    from grading.classroom import Classroom
    from grading.people import import_people

    listed = import_people(Classroom(out), file)
    print(f"students added: {listed.added}; known before and brought up to date: {listed.known}")
    tell(listed.told)


@app.command()
def late(exercise: Exercise, out: Folder = CLASS):
    """Set penalties for late work anew, as deadlines.toml of the class says; nothing is graded again."""
    from grading.classroom import Classroom
    from grading.late import recompute

    update = recompute(Classroom(out), exercise)
    for change in update.changes:
        print(
            f"{change.student}: days late: {change.days}; points off: {change.now:g} (was {change.before:g})"
        )
    due = f"due {update.due:%Y-%m-%d %H:%M} UTC; " if update.due else ""
    print(f"{exercise}: {due}late: {update.late} of {update.total}; penalties changed: {len(update.changes)}")
    tell(update.told)


@app.command()
def feedback(
    exercise: Exercise,
    out: Folder = CLASS,
    student: Annotated[str | None, typer.Option(help="Only this one; all who are graded by default.")] = None,
    zip: Annotated[
        Platform | None, typer.Option(help="Also one zip for bulk upload, named as the platform wants it.")
    ] = None,
    collected: Collected = None,
):
    """Write for each graded student a page, and a short text for a comment field."""
    from grading.classroom import Classroom

    classroom = Classroom(out)
    pages = classroom.feedback(exercise, student)
    who = student or f"{len(pages)} students"
    print(f"wrote feedback for {who} below {Path(out) / 'feedback'}")
    if waiting := classroom.waiting(exercise):
        print(f"waiting for a person's points: {', '.join(waiting)}")
    if zip:
        _pack(classroom, exercise, pages, zip, collected)


def _pack(classroom, exercise, pages, platform, collected):
    from grading.feedback_zip import pack

    folder = classroom.folder
    packed = pack(pages, exercise, platform, collected or folder / "submitted", folder / "feedback")
    print(f"packed feedback for {packed.count} students into {packed.path}")
    tell((f"not in it: {line}" for line in packed.left), "red")
    raise typer.Exit(1 if packed.left else 0)


@app.command()
def export(
    to: Annotated[Path, typer.Argument(help="The file to write.")] = Path("grades.csv"),
    out: Folder = CLASS,
    format: Annotated[Format, typer.Option(help="csv holds everything that is known.")] = Format.csv,
    into: Annotated[
        Path | None, typer.Option(help="What Canvas or Moodle exported; marks are put into a copy of it.")
    ] = None,
    exercise: Annotated[str | None, typer.Option(help="Only this one; all by default.")] = None,
    column: Annotated[str | None, typer.Option(help="Its column, e.g. 'Homework 2 (4711)'.")] = None,
    scale: Annotated[bool, typer.Option("--scale", help="To the points that the platform gives.")] = False,
    zero: Annotated[bool, typer.Option("--zero", help="Zero, not empty, for who handed in nothing.")] = False,
    collected: Collected = None,
):
    """Write marks as CSV; exit 1 when someone's are not in it."""
    from grading.canvas import canvas_marks
    from grading.classroom import Classroom
    from grading.lms_export import Wishes, export_marks
    from grading.moodle import moodle_marks

    wishes = Wishes(exercise, column, scale, zero)
    if format is Format.csv:
        if into or wishes != Wishes():
            raise UserError("--format csv holds all marks as they are; choose canvas or moodle for that")
        Classroom(out).export(to)
        print(f"wrote {to}")
        return
    fill = canvas_marks if format is Format.canvas else moodle_marks
    result = export_marks(Classroom(out), to, fill, into, wishes, collected)
    print(f"wrote {to}; marks in it: {result.count}")
    tell(result.told)
    tell((f"not in it: {line}" for line in result.left), "red")
    raise typer.Exit(1 if result.left else 0)
