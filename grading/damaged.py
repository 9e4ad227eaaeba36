"""Reading what is left of a damaged notebook file: cut off, or with the conflict marks of git."""

import json
import re

MOST_DAMAGED = 50  # damaged cells after which the rest is given up
DECODER = json.JSONDecoder(strict=False)
CELL = re.compile(r'[^:\s]\s*+(\{)\s*"(?:cell_type|id|metadata|source)"\s*:')  # behind a colon it is a mark
KEY = re.compile(r'\s*+,?\s*+"(\w+)"\s*:\s*')
SOURCE = re.compile(r'"(source|input)"\s*:\s*')
STRING = re.compile(r'\s*+,?\s*+("(?:[^"\\]|\\.)*+")', re.S)


def sides(text):
    """The two texts that a merge of git left in a file: with the first and with the second side of every
    conflict; none when there is no whole conflict."""
    kept = ([], [])
    state, conflicts = "both", 0
    for line in text.split("\n"):
        mark = line.split(" ", 1)[0]
        if mark == "<<<<<<<" and state == "both":
            state = "first"
        elif mark == "|||||||" and state == "first":
            state = "base"
        elif mark == "=======" and state in ("first", "base"):
            state = "second"
        elif mark == ">>>>>>>" and state == "second":
            state, conflicts = "both", conflicts + 1
        else:
            kept[0].extend([line] if state in ("both", "first") else [])
            kept[1].extend([line] if state in ("both", "second") else [])
    return tuple("\n".join(lines) for lines in kept) if conflicts else ()


def readable_cells(text):
    """The cells that can be read in a text that is no valid JSON.

    Whole cells are read one by one; of a damaged one its parts. A source that breaks off keeps its whole
    lines.

    Returns
    -------
    list of dicts : cells, or parts of cells, with a source.
    """
    cells, damaged, in_vain = [], 0, 0
    opening = re.search(r'"cells"\s*:\s*\[', text)
    at = _next_cell(text, opening.end() - 1) if opening else None
    while at is not None and damaged < MOST_DAMAGED and in_vain <= len(text):
        try:
            cell, end = DECODER.raw_decode(text, at)
            over = re.compile(r"\s*\]").match(text, end)
            at = None if over else _next_cell(text, end - 1)
        except (ValueError, RecursionError) as error:
            damaged += 1
            in_vain += _read_in_vain(error, text, at)
            start, at = at, _next_cell(text, at + 1)
            cell = _parts(text[start:at])
        if "source" in cell or "input" in cell:
            cells.append(cell)
    return cells


def _read_in_vain(error, text, at):
    """How many characters were read before the error."""
    if "Unterminated" in str(error):  # its place is where the text in quotes begins
        return len(text) - at
    return getattr(error, "pos", at) - at


def _next_cell(text, at):
    found = CELL.search(text, at)
    return found.start(1) if found else None


def _parts(text):
    """What can be read of one damaged cell."""
    cell, at = {}, 1
    while key := KEY.match(text, at):
        try:
            cell[key[1]], at = DECODER.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            if source := SOURCE.search(text, key.start()):
                cell[source[1]] = _whole_lines(text, source.end())
            break
    return cell


def _whole_lines(text, at):
    """The lines of a source that breaks off, without the last one when it is not whole."""
    if text.startswith("[", at):
        lines, at = [], at + 1
        while line := STRING.match(text, at):
            lines.append(_string(line[1]))
            at = line.end()
        return lines
    whole = STRING.match(text, at)
    return _string(whole[1] if whole else text[at : text.rfind("\\n") + 2] + '"')


def _string(text):
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return ""
