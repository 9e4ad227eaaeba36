"""The commands that look at a class that was graded: reports, comparisons, one question again, likeness."""

from pathlib import Path
from typing import Annotated

import typer

from grading.cli_common import CLASS, Exercise
from grading.files import PRIVATE, demand_writable, private, write_text

app = typer.Typer()

Folder = Annotated[Path, typer.Option("--out", help="The class folder, where the run was kept.")]
Anonymous = Annotated[
    bool, typer.Option("--anonymous", help="Pseudonyms for students, and nothing that stood in their files.")
]
REPORTS = "reports"  # in the class folder


@app.command()
def report(exercise: Exercise, out: Folder = CLASS, anonymous: Anonymous = False):
    """Write what a class made of an exercise: a page with pictures, and a table of everything."""
    from grading.class_report import report_csv, report_page
    from grading.outcomes import graded
    from grading.pseudonyms import Pseudonyms

    outcomes = graded(out, exercise)
    named = Pseudonyms(out) if anonymous else None
    page, table = report_page(exercise, outcomes, named), report_csv(outcomes, named)
    path = out / REPORTS / f"{exercise}{'-anonymous' if anonymous else ''}"
    with private():
        write_text(path.with_suffix(".html"), page, PRIVATE)
        write_text(path.with_suffix(".csv"), table, PRIVATE)
    print(f"wrote a report on {len(outcomes)} submissions to {path}.html, its numbers to {path}.csv")


@app.command()
def compare(
    before: Annotated[Path, typer.Argument(metavar="RUN1.json", help="What one run kept: grade --json.")],
    after: Annotated[Path, typer.Argument(metavar="RUN2.json", help="What another run kept.")],
    to: Annotated[Path | None, typer.Option("--csv", help="Also write the changes to this file.")] = None,
):
    """Say who got other points, verdicts or hints in a second run, and why; exit 1 when anybody did."""
    from rich.console import Console

    from grading.compare_runs import change_csv, change_table
    from grading.compare_runs import compare as compare_runs
    from grading.outcomes import read_outcomes

    first, second = read_outcomes(before), read_outcomes(after)
    changes = compare_runs(first, second)
    if to:
        demand_writable(to)
        write_text(to, change_csv(changes), PRIVATE)
    if changes:
        Console().print(change_table(changes))
    else:
        print(f"nothing changed for {len(first)} students")
    raise typer.Exit(1 if changes else 0)


@app.command()
def similar(exercise: Exercise, out: Folder = CLASS):
    """Find graded submissions that are alike, and write a page that shows them side by side."""
    from grading.similar import alike_in_class, graded_answers, similar_page

    answers = graded_answers(out, exercise)
    pairs, common = alike_in_class(exercise, answers)
    path = out / REPORTS / f"{exercise}-similar.html"
    with private():
        write_text(path, similar_page(exercise, answers, pairs, common), PRIVATE)
    print(f"pairs that are alike among {len(answers)} submissions: {len(pairs)}; wrote {path}")


@app.command()
def explain(
    exercise: Exercise,
    student: Annotated[str, typer.Argument(help="As in the table of the class.", show_default=False)],
    question: Annotated[str, typer.Argument(help="The name of the question.", show_default=False)],
    out: Folder = CLASS,
    submitted: Annotated[Path, typer.Option(help="The folder of the submissions.")] = CLASS / "submitted",
):
    """Replay one question of a graded file: inputs, both outputs, and the rule; exit 1 when it differs.

    For instructors only: the answer holds the fresh cases and what is expected on them.
    """
    from grading import sandbox
    from grading.explain import explain as replay

    if note := sandbox.warning():
        typer.secho(note, fg="yellow", err=True)
    explanation = replay(out, submitted, exercise, student, question)
    print(*explanation.lines, sep="\n")
    raise typer.Exit(0 if explanation.same else 1)


@app.command()
def reseed(
    exercise: Exercise,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The next one by default; 0 for the numbers as written.")
    ] = None,
):
    """Begin a term: other numbers in the concept questions of an exercise. Fresh cases are new anyway."""
    from grading.reseed import reseed as begin_term

    seed, numbers = begin_term(exercise, seed)
    told = ", ".join(
        f"{name} = {value if isinstance(value, str) else f'{value:g}'}" for name, value in numbers.items()
    )
    print(f"{exercise} has the seed {seed}: {told}; hand it out again with: course release {exercise}")
