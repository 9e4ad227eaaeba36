"""The subcommand ``course book``."""

from pathlib import Path
from typing import Annotated

import typer

from grading import ROOT


def book(
    out: Annotated[Path, typer.Option(help="Folder that receives the site; what it holds is replaced.")] = ROOT
    / "build/book",
):
    """Build the book: a static site of lessons with their outputs, exercises and guides."""
    from grading.book import build

    print(f"built the book; open {build(out)}")
