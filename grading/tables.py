"""Tables as CSV: read whatever a learning platform or a spreadsheet wrote, write what no spreadsheet runs."""

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from grading.errors import UserError
from grading.files import PRIVATE, write_text

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
BEGIN = '((?:^|;)["\\s\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*)'
SIGN = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
FORMULA = re.compile(f"{BEGIN}(?='*{SIGN})")
"""A sign, plain or of full width, after quotes and what cannot be seen at the beginning of a cell."""
GUARDED = re.compile(f"{BEGIN}'(?='*{SIGN})")
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass
class Table:
    """A table with the names of its columns as they stand in the first line; ``told`` is for people."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]  # of each row in the file
    delimiter: str = ","
    told: list[str] = field(default_factory=list)

    def find(self, *names):
        """The place of the first of these columns that there is, or None; capitals do not count."""
        known = [" ".join(name.casefold().split()) for name in self.header]
        return next((known.index(name.casefold()) for name in names if name.casefold() in known), None)

    def get(self, row, *names):
        """What a row holds in the first of these columns that there is, without spaces around it."""
        place = self.find(*names)
        return "" if place is None else row[place].strip()


def read_table(path):
    """Read a CSV file with commas, semicolons or tabs, in UTF-8, UTF-16 or Latin-1.

    Raises
    ------
    UserError : when it is no table, naming the line.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    text, told = _decoded(path.read_bytes(), path)
    first = text.lstrip("\r\n").partition("\n")[0]
    outside = re.sub(r'"[^"]*"', "", first)
    delimiter = max(",;\t", key=outside.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise UserError(f"{path} is no CSV file: line {reader.line_num}: {error}") from None
    if not rows:
        raise UserError(f"{path} is empty; its first line has to name the columns")
    header, *rows = rows
    for row, line in zip(rows, lines[1:], strict=True):
        if any(cell.strip() for cell in row[len(header) :]):
            raise UserError(f"{path}, line {line}: more cells than columns; put names with commas in quotes")
    rows = [(row + [""] * len(header))[: len(header)] for row in rows]
    return Table([name.strip() for name in header], rows, lines[1:], delimiter, told)


def _decoded(data, path):
    """The text, and what a person should know about how it was read."""
    encoding = next((name for mark, name in MARKS if data.startswith(mark)), "utf-8")
    try:
        text, told = data.decode(encoding), []
    except UnicodeDecodeError:
        text, told = (
            data.decode("latin-1"),
            [f"{path} is not UTF-8 and was read as Latin-1; look at the accents"],
        )
    if "\x00" in text:
        raise UserError(f"{path} is no CSV file; save the table as CSV")
    return text, told


def guarded(value):
    """A cell for a table that people open: on one line, and no formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("O'Neil, Zoë")
    ("'=1+1", "''=1+1", "O'Neil, Zoë")
    """
    text = "" if value is None else " ".join(CONTROLS.sub(" ", str(value)).split())
    return FORMULA.sub(r"\1'", text)


def number_or_guarded(value):
    """A number to two decimals; a text on one line, with an apostrophe where a spreadsheet would compute it.

    >>> number_or_guarded(0.333), number_or_guarded("=1+1"), number_or_guarded(None)
    (0.33, "'=1+1", '')
    """
    return round(value, 2) if isinstance(value, (int, float)) else guarded(value)


def unguarded(text):
    """The text that ``guarded`` was given.

    >>> unguarded(guarded("'=1+1")), unguarded("O'Neil")
    ("'=1+1", "O'Neil")
    """
    return GUARDED.sub(r"\1", text)


def write_table(path, header, rows, delimiter=",", quoting=csv.QUOTE_ALL):
    """Write a table that only its owner can read. Cells are written as they are: see ``guarded``."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, text.getvalue(), PRIVATE)
