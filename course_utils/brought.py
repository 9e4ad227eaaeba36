"""Readers of well-known data sets for a file that you bring; the course brings none and downloads none.

A file in another form is an error of one sentence that names the file, the line, and what was expected.
"""

import csv
import io
from pathlib import Path
from typing import NamedTuple

from course_utils.pairs import Pair
from course_utils.tokens import tokens

NEWS = ("World", "Sports", "Business", "Sci/Tech")
"""The classes of AG News, in the order of its numbers from 1 on."""


class News(NamedTuple):
    """The number of its class, 0 to 3, and title and description as one text."""

    label: int
    text: str


def ag_news(path, encoding="utf-8-sig"):
    """AG News, ``train.csv`` or ``test.csv``: class from 1 to 4, title, description, separated by commas.

    Parameters
    ----------
    path : of the file; a first line of column names is skipped.
    encoding : of the file.

    Returns
    -------
    list of News.

    Raises
    ------
    FileNotFoundError, ValueError : with one sentence that says what is wrong.
    """
    rows = list(_lines(path, ",", encoding))
    if rows[0][1][0].strip().lower() in ("class index", "class", "label"):
        rows = rows[1:]
    return [_news(path, line, row) for line, row in rows]


def _news(path, line, row):
    if len(row) != 3:
        raise ValueError(_columns(path, line, row, "3 (class, title, description) separated by commas"))
    if row[0].strip() not in ("1", "2", "3", "4"):
        raise ValueError(f"{_name(path)}, line {line}: class {row[0]!r}; expected a number from 1 to 4")
    return News(int(row[0]) - 1, " ".join(f"{row[1]} {row[2]}".split()))


def jokes(path, encoding="utf-8-sig"):
    """Short jokes, ``shortjokes.csv``: a line of names, ID and Joke, then one joke a line.

    Parameters
    ----------
    path : of the file; more columns may stand beside "Joke".
    encoding : of the file.

    Returns
    -------
    list of texts.

    Raises
    ------
    FileNotFoundError, ValueError : with one sentence that says what is wrong.
    """
    (line, names), *rows = _lines(path, ",", encoding)
    if "Joke" not in names:
        raise ValueError(_columns(path, line, names, "ID and Joke, names separated by commas"))
    wrong = [(line, row) for line, row in rows if len(row) != len(names)]
    if wrong:
        raise ValueError(_columns(path, *wrong[0], f"{len(names)}, one for each name"))
    column = names.index("Joke")
    return [" ".join(row[column].split()) for _line, row in rows if row[column].strip()]


def tatoeba(path, cut=tokens, encoding="utf-8-sig"):
    """Sentences in two languages, ``fra.txt``: English, French and their licence, separated by tabs.

    Parameters
    ----------
    path : of the file; older ones have no licence.
    cut : function from a text to its tokens: ``tokens`` for words, ``list`` for letters.
    encoding : of the file.

    Returns
    -------
    list of Pair; the key is the English sentence, so that a split keeps its translations together.

    Raises
    ------
    FileNotFoundError, ValueError : with one sentence that says what is wrong.
    """
    pairs = []
    for line, row in _lines(path, "\t", encoding):
        if len(row) not in (2, 3) or not row[0].strip() or not row[1].strip():
            expected = "2 or 3 (sentence, translation, licence) separated by tabs"
            raise ValueError(_columns(path, line, row, expected))
        pairs.append(Pair(cut(row[0].lower()), cut(row[1].lower()), " ".join(tokens(row[0]))))
    return pairs


def _lines(path, delimiter, encoding):
    """Pairs of a row's last line number and its columns, without empty lines. Quotes count only in a CSV."""
    text = io.StringIO(_text(path, encoding), newline="")
    quoting = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    reader = csv.reader(text, delimiter=delimiter, quoting=quoting, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        slip = "is a quote not closed, or is the file not separated by commas?"
        raise ValueError(f"{_name(path)}, line {reader.line_num}: {error}; {slip}") from None


def _text(path, encoding):
    """The text of a file that is there, not empty and in this encoding."""
    try:
        text = Path(path).read_text(encoding=encoding)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; download it yourself and give its path") from None
    except IsADirectoryError:
        raise ValueError(f"{path} is a folder; give the path of the file in it") from None
    except UnicodeError as error:
        message = (
            f"{_name(path)} is not in {encoding} ({error.reason}); give its own, e.g. encoding='latin-1'"
        )
        raise ValueError(message) from None
    if not text.strip():
        raise ValueError(f"{_name(path)} is empty")
    return text


def _columns(path, line, row, expected):
    """The sentence about a row of other columns than expected, with a guess at what separates them."""
    separators = {";": "semicolons", "\t": "tabs", ",": "commas"}
    found = [name for sign, name in separators.items() if sign in row[0] and (sign != "," or len(row) == 1)]
    guess = f"; is the file separated by {found[0]}?" if found else ""
    return f"{_name(path)}, line {line}: {len(row)} columns, {row[:3]}; expected {expected}{guess}"


def _name(path):
    return Path(path).name
