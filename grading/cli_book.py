"""The subcommand ``course book``."""

from pathlib import Path
from typing import Annotated

import typer

from grading import ROOT
from grading.errors import UserError


def book(
    out: Annotated[Path, typer.Option(help="Folder of the site; a book in it is replaced.")] = ROOT
    / "build/book",
):
    """Build the book: a static site of lessons with their outputs, exercises and guides."""
    try:
        from grading.book import build
    except ModuleNotFoundError as error:
        raise UserError(f"the book needs the package {error.name}: pip install -e '.[book]'") from None
    print(f"built the book; open {build(out)}")
