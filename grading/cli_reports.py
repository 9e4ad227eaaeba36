"""The commands that look at a class that was graded: reports, comparisons, one question again, likeness."""

from pathlib import Path
from typing import Annotated

import typer

from grading import ROOT
from grading.files import PRIVATE, private, write_text

app = typer.Typer()

Exercise = Annotated[str, typer.Argument(help="The exercise, e.g. ex02.", show_default=False)]
Folder = Annotated[Path, typer.Option("--out", help="The class folder, where the run was kept.")]
Anonymous = Annotated[
    bool, typer.Option("--anonymous", help="Pseudonyms for students, and nothing that stood in their files.")
]
CLASS = ROOT / "grading"
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
