"""What the subcommands of ``course`` share: the exercise, the class folder, the console for errors."""

from typing import Annotated

import typer
from rich.console import Console

from grading import ROOT

CLASS = ROOT / "grading"
"""The class folder when none is named: nbgrader's course directory."""
Exercise = Annotated[str, typer.Argument(help="The exercise, e.g. ex02.", show_default=False)]
errors = Console(stderr=True)


def tell(lines, style="yellow"):
    """Print lines as they are, for people and not for what reads the output."""
    for line in lines:
        errors.print(line, style=style, highlight=False, markup=False, soft_wrap=True)
