"""The ``course`` command. Each subcommand is thin: it reads its arguments, calls one function, prints."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from course_utils import student_cli
from grading import ROOT, cli_book, cli_lms, cli_reports
from grading.cli_common import CLASS, Exercise, errors, tell
from grading.errors import UserError
from grading.files import PRIVATE, demand_writable, private, write_pieces

app = typer.Typer(
    help="Build, release and grade the course.", no_args_is_help=True, pretty_exceptions_enable=False
)
app.command()(student_cli.check)
app.command()(student_cli.validate)
app.add_typer(cli_lms.app)
app.add_typer(cli_reports.app)
app.command()(cli_book.book)

Folder = Annotated[Path, typer.Option("--out", help="Where gradebook, graded copies and feedback lie.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Also write the outcomes to this file.")]
Isolated = Annotated[
    bool, typer.Option("--require-isolation", help="Refuse to run where nothing keeps students' code in.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the hidden cases; a fresh one by default.")]


def _progress():
    """A bar with counts and time left; nothing where the output is not a terminal."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    note = TextColumn("{task.fields[note]}")
    return Progress(*columns, note, console=errors, disable=not errors.is_terminal)


def _say_isolation(required):
    """Warn, or refuse, where students' code would run with the instructor's rights."""
    from grading import sandbox

    if required:
        sandbox.demand_isolation()
    if note := sandbox.warning():
        errors.print(note, style="yellow")


@app.command()
def build(
    names: Annotated[
        list[str] | None, typer.Argument(help="Notebooks, e.g. 02_one_pole ex02; all by default.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the files match their sources.")
    ] = False,
    missing: Annotated[bool, typer.Option("--missing", help="Build only what does not exist yet.")] = False,
):
    """Turn the py:percent sources into notebooks; lessons are executed."""
    from grading import build as builder
    from grading import sample

    chosen = builder.targets(names or ())
    if check:
        return _check_build(builder, sample, chosen)
    if missing:
        chosen = [target for target in chosen if not target.notebook.exists()]
    with _progress() as progress:
        for target in chosen:
            cells = len(builder.assemble(target).cells)
            task = progress.add_task(target.name, total=cells, note="")
            builder.build(target, on_cell=lambda done, task=task: progress.update(task, completed=done))
            progress.update(task, completed=cells)
            print(f"built {target.notebook.relative_to(ROOT)}")
    if sample.EXERCISE in [target.name for target in chosen]:
        print(f"built {sample.build()} sample submissions of {sample.EXERCISE}")


def _check_build(builder, sample, chosen):
    stale = {target.notebook.relative_to(ROOT): builder.stale(target) for target in chosen}
    if sample.EXERCISE in [target.name for target in chosen]:
        stale |= dict(sample.stale())
    wrong = {path: reason for path, reason in stale.items() if reason}
    for path, reason in wrong.items():
        errors.print(f"{path} is not what its source builds: {reason}", highlight=False, markup=False)
    if wrong:
        raise UserError("run: course build")
    print(f"{len(chosen)} notebooks match their sources")


@app.command()
def release(
    exercise: Exercise,
    out: Annotated[Path, typer.Option(help="Folder that receives the bundle.")] = ROOT / "dist",
    nbgrader: Annotated[
        Path, typer.Option(help="Course directory of nbgrader, which gets release/EXERCISE.")
    ] = CLASS,
):
    """Make the bundle for students; refuse when a solution would leave with it."""
    from grading.release import release as make_release

    path = make_release(exercise, out, nbgrader)
    print(f"released {exercise}: {path}, for nbgrader {nbgrader / 'release' / exercise}")


@app.command()
def collect(
    source: Annotated[
        Path, typer.Argument(metavar="ARCHIVE_OR_FOLDER", help="What the LMS made of the class.")
    ],
    exercise: Exercise,
    to: Annotated[Path, typer.Option(help="Folder that receives STUDENT/EXERCISE/EXERCISE.ipynb.")] = CLASS
    / "submitted",
    names: Annotated[Path | None, typer.Option(help="CSV file with the columns lms,student.")] = None,
):
    """Sort a class from Canvas, Moodle or Blackboard into folders; exit 1 when something was set aside."""
    from grading.collect import collect as collect_class

    result = collect_class(source, exercise, to, names)
    late = f" ({result.late} late)" if result.late else ""
    print(
        f"collected {len(result.students)} students{late} into {to}; "
        f"{result.kept} older attempts kept; {len(result.aside)} set aside"
    )
    tell(result.told)
    tell((f"set aside: {line}" for line in result.aside), "red")
    raise typer.Exit(1 if result.aside else 0)


@app.command()
def grade(
    exercise: Exercise,
    submitted: Annotated[Path, typer.Option(help="Folder with STUDENT/EXERCISE/EXERCISE.ipynb.")] = CLASS
    / "submitted",
    out: Folder = CLASS,
    seed: Seed = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many to grade at a time; one for each core by default.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Grade on this Dask cluster instead, e.g. tcp://10.0.0.1:8786."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Grade also what did not change.")] = False,
    json_file: JsonFile = None,
    require_isolation: Isolated = False,
):
    """Grade a class and print its table; exit 1 when a person has to look at a file.

    What did not change since the last run is kept. Ctrl-C keeps what is graded, and the next run goes on.
    """
    from grading.classroom import Classroom
    from grading.report import class_notes, class_table, problems
    from grading.submissions import find_submissions

    submissions = find_submissions(submitted, exercise)
    if json_file:
        demand_writable(json_file)
    if not scheduler:
        _say_isolation(require_isolation)
    failed = 0
    with _progress() as progress:
        task = progress.add_task(f"grading {exercise}", total=len(submissions), note="")

        def on_done(_, outcome):
            nonlocal failed
            failed += bool(outcome.problem)
            progress.update(task, advance=1, note=f"{failed} failed" if failed else "")

        run = Classroom(out).run(exercise, seed, again, workers, scheduler, require_isolation)
        outcomes = run.grade(submissions, on_done)
    Console().print(class_table(exercise, outcomes))
    print(*class_notes(outcomes), *run.notes(), sep="\n")
    if json_file:
        with private():
            write_pieces(json_file, outcomes.pieces(), PRIVATE)
    unread = problems(outcomes)
    tell(unread, "red")
    raise typer.Exit(1 if unread else 0)


@app.command("grade-file")
def grade_file(
    file: Annotated[Path, typer.Argument(help="One submitted notebook.", show_default=False)],
    exercise: Annotated[
        str | None, typer.Option(help="The exercise; found from the file by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    seed: Seed = None,
    require_isolation: Isolated = False,
):
    """Grade one notebook without a gradebook; exit 2 when it cannot be read."""
    from grading.grade import exercise_of, grade_bytes
    from grading.report import outcome_table

    if file.is_dir():
        raise UserError(f"{file} is a folder; give one notebook in it, or use: course grade")
    if not file.is_file():
        raise UserError(f"there is no file {file}")
    _say_isolation(require_isolation)
    data = file.read_bytes()
    outcome, _ = grade_bytes(data, exercise or exercise_of(file, data), seed)
    if as_json:
        print(json.dumps(outcome.to_dict(), indent=1))
    if outcome.problem:
        raise UserError(f"{file} cannot be graded: {outcome.problem}")
    if not as_json:
        Console().print(outcome_table(outcome))


def main():
    """Run the command; an error that a person can mend is one sentence and exit code 2."""
    try:
        app()
    except UserError as error:
        errors.print(f"course: {error}", style="red", highlight=False, markup=False)
        sys.exit(2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        errors.print(f"course: {where}{error.strerror or error}", style="red", highlight=False, markup=False)
        sys.exit(2)
    except Exception as error:
        if not (sentence := _of_the_gradebook(error)):
            raise
        errors.print(f"course: {sentence}", style="red", highlight=False, markup=False)
        sys.exit(2)


def _of_the_gradebook(error):
    """What to do where the gradebook's file cannot be used; nothing for another error."""
    database = sys.modules.get("sqlalchemy.exc")
    if database is None or not isinstance(error, database.DatabaseError):
        return ""
    if "locked" in str(error.orig):
        return "another command is writing to the gradebook; run this one again when that is done"
    return f"the gradebook cannot be used ({error.orig}); put a copy back, or move it away and grade again"


if __name__ == "__main__":
    main()
