"""Reading a submitted file: whatever the bytes, a notebook that can be graded or a reason in a sentence."""

import json
import re
from dataclasses import dataclass, field

import jupytext
import nbformat

from grading.cells import MOST_CELLS, clean_cells, find_cells
from grading.damaged import readable_cells, sides
from grading.decoding import AS_NOTEBOOK, Unreadable, kind_of_text, not_a_notebook, read_text

LARGEST_SCRIPT = 2_000_000  # characters; its parser takes half a minute for ten million
SCRIPT_MARK = re.compile(r"^# (?:%%|In\[[ \d]*\])", re.M)


@dataclass
class Read:
    """What came of a file.

    notebook : format 4; of each cell the type, the text, the id and nbgrader's ``grade_id``.
    repairs : a line to the student for each thing that was put right.
    attention : why a person should look although it can be graded, or "".
    """

    notebook: nbformat.NotebookNode
    repairs: list[str] = field(default_factory=list)
    attention: str = ""


def read_notebook(data, known=()):
    """Read the bytes of a submitted file.

    Parameters
    ----------
    data : the whole file.
    known : texts of cells as they were released; of two sides of a merge the one counts in which more
        cells differ from them.

    Raises
    ------
    Unreadable : with the reason, and the way out, in one sentence; nothing else, whatever the bytes.
    """
    text, repairs = read_text(data)
    read = Read(nbformat.v4.new_notebook(), repairs)
    raw_cells = _cells_of(text, set(known), read)
    read.notebook.cells = clean_cells(raw_cells, read.repairs)
    if not read.notebook.cells:
        raise Unreadable("the notebook has no cells; perhaps it was never saved")
    return read


def _cells_of(text, known, read):
    """The cells as they stand in the file, of any form; fills in ``repairs`` and ``attention``."""
    try:
        content, end = json.JSONDecoder(strict=False).raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return _cells_of_damaged(text, known, read)
    rest = text.lstrip()[end:].strip()
    if rest and not isinstance(content, dict):
        return _cells_of_damaged(text, known, read)  # a number or a word at the start of another text
    if '"cells"' not in text and "link" in (kind := kind_of_text(text)):
        raise not_a_notebook(kind)
    cells = find_cells(content, read.repairs)
    if rest:
        read.repairs.append("After the end of the notebook your file held other text; it was left out.")
        if '"cells"' in rest:
            read.attention = "the file holds a second notebook behind the first; the first was graded"
    return cells


def _cells_of_damaged(text, known, read):
    """The cells of a text that is no JSON: conflicts, a cut-off file, a script in cells."""
    if both := sides(text):
        return _cells_of_merge(both, known, read)
    kind = kind_of_text(text)
    if text.lstrip().startswith(("{", "[")) or ('"cells"' in text and '"cell_type"' in text):
        cells = readable_cells(text)
        if not cells and "link" in kind:
            raise not_a_notebook(kind)
        if not cells:
            raise Unreadable(
                "the file is not a notebook, or is cut off before its first cell ends; save it again"
            )
        whole = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        read.repairs.append(f"Your file was damaged or cut off; {whole} could be read. Check your answers.")
        read.attention = f"the file is damaged or cut off; {whole} could be read"
        return cells
    if kind in ("", "it is a Python script") and 0 < len(SCRIPT_MARK.findall(text)) < MOST_CELLS:
        read.repairs.append(
            f"Your file was a script in cells; it was read as a notebook. Better {AS_NOTEBOOK}."
        )
        return _cells_of_script(text)
    raise not_a_notebook(kind or "it is some other text")


def _cells_of_merge(both, known, read):
    """The cells of the side of a merge in which more was done; a side that is whole goes first."""
    tried = [_cells_of_side(side) for side in both]

    def worth(side):
        cells, whole = side
        texts = {cell.source for cell in clean_cells(cells, [])} - known
        return bool(cells) and whole, len(texts), sum(map(len, texts))

    best = max((0, 1), key=lambda number: worth(tried[number]))  # the first when both are alike
    cells = tried[best][0]
    if not cells:
        raise Unreadable("the file holds conflict marks of git and no cell can be read; merge it, save it")
    name = ("first", "second")[best]
    marks = f"conflict marks of git (<<<<<<<); the {name} side of each was taken"
    read.repairs.append(f"Your file held {marks}. Check your answers.")
    read.attention = f"the file holds {marks}"
    return cells


def _cells_of_side(text):
    """The cells of one side of a merge, and whether it is whole."""
    try:
        return find_cells(json.loads(text, strict=False), []), True
    except (ValueError, RecursionError, Unreadable):
        return readable_cells(text), False


def _cells_of_script(text):
    """The cells of a script in percent format, or as ``nbconvert --to script`` writes it."""
    if len(text) > LARGEST_SCRIPT:
        raise Unreadable(f"the script has more than {LARGEST_SCRIPT // 10**6} MB; {AS_NOTEBOOK}")
    try:
        cells = jupytext.reads(text, fmt="py:percent").cells
    except Exception as error:  # jupytext raises what its parsers raise
        raise Unreadable(f"the script cannot be read ({type(error).__name__}); {AS_NOTEBOOK}") from None
    return [part for cell in cells for part in _without_comments_below(cell)]


def _without_comments_below(cell):
    """A cell, and as texts of their own the comments that follow its code, as nbconvert writes texts."""
    blocks = re.split(r"\n\s*\n", cell.source)
    notes = []
    while cell.cell_type == "code" and blocks and re.fullmatch(r"(?:#.*(?:\n|\Z))+", blocks[-1].strip()):
        note = re.sub(r"^# ?", "", blocks.pop().strip(), flags=re.M)
        notes.insert(0, {"cell_type": "markdown", "source": note})
    return [{**cell, "source": "\n\n".join(blocks)}, *notes]
