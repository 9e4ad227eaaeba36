"""The command ``course`` of a student: ``check`` looks at the environment, ``validate`` at an exercise."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from course_utils.doctor import examine, report

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Recurrent neural networks: the course.")
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
STYLES = {"passed": "green", "failed": "red", "not answered": "yellow"}


def main():
    """Run the command."""
    app()


@app.command()
def check(as_json: Json = False):
    """Is everything here that the course needs? Exits with 1 when something is missing."""
    findings = examine()
    print(json.dumps([asdict(one) for one in findings], indent=1) if as_json else report(findings))
    raise typer.Exit(0 if all(one.ok for one in findings) else 1)


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exercise notebook; it is only read.")],
    as_json: Json = False,
):
    """Run the visible checks of an exercise. Exits with 0 when all pass, 1 when not, 2 for a wrong file."""
    from course_utils import validate as checker  # takes half a second: only this command pays for it
    from course_utils.compare import full_stop

    try:
        with Console(stderr=True).status(f"Running {file.name} from top to bottom ..."):
            results = checker.validate(file)
    except checker.NotValidatable as error:
        typer.echo(full_stop(str(error)), err=True)
        raise typer.Exit(2) from None
    passed = sum(one.verdict == "passed" for one in results)
    if as_json:
        checks = [asdict(one) for one in results]
        counts = {"passed": passed, "failed": len(results) - passed}
        print(json.dumps({"file": str(file), **counts, "checks": checks}, indent=1))
    else:
        _show(file, results, passed)
    raise typer.Exit(0 if passed == len(results) else 1)


def _show(file, results, passed):
    table = Table("check", "verdict", "message", title=f"Visible checks of {file.name}", title_justify="left")
    for one in results:
        table.add_row(one.name, Text(one.verdict, STYLES[one.verdict]), Text(one.message))
    console = Console()
    console.print(table)
    console.print(
        f"{passed} of {len(results)} visible checks passed. Grading adds fresh cases of the same kinds; "
        "written answers are read by a person and not looked at here."
    )
