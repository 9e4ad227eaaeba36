"""The cells of a notebook's JSON in any form that was ever written: found, and brought into one form."""

import json
import re
from collections import Counter

import nbformat

from grading.decoding import AS_NOTEBOOK, Unreadable

MOST_CELLS = 5000
CELL_TYPES = {"code": "code", "markdown": "markdown", "raw": "raw"} | dict.fromkeys(
    ("heading", "html", "rst"), "markdown"
)
WORDS = {
    "entries": "In the list of cells stood something that is no cell ({}); it was left out.",
    "parts": "Cells lacked a part, or had one of a wrong kind ({}); they were read as far as possible.",
    "lines": "Cells had lost the ends of their lines ({}); they were put back.",
    "ends": "Cells had line ends of another system ({}); they were read as usual.",
    "letters": "Cells held letters that no file can hold ({}); they were replaced by ?.",
    "zeros": "Cells held zero bytes ({}); they were left out.",
}


def find_cells(content, repairs):
    """The list of cells in what a JSON file holds; the notebook may stand inside a text or another dict.

    Raises
    ------
    Unreadable : when there is none.
    """
    for _ in range(4):
        if isinstance(content, str):
            content = _parse(content)
        elif isinstance(content, list) and len(content) == 1 and _is_notebook(content[0]):
            content = content[0]
        elif isinstance(content, dict) and not _is_notebook(content):
            content = content.get("content", content.get("notebook"))
        else:
            break
        wrapped = "Your notebook was wrapped in other text; it was taken out of it."
        repairs += [wrapped] if wrapped not in repairs else []
    if isinstance(content, list) and any(isinstance(cell, dict) and "cell_type" in cell for cell in content):
        repairs.append("Your file was only the list of cells of a notebook; it was read as one.")
        return content
    if not _is_notebook(content):
        raise Unreadable(f"the file is not a notebook: it has no cells; {AS_NOTEBOOK}")
    _say_format(content, repairs)
    cells = content.get("cells")
    if isinstance(cells, dict):
        cells = list(cells.values())
    if isinstance(cells, list) and cells:
        return cells
    sheets = content.get("worksheets")
    sheets = sheets if isinstance(sheets, list) else [sheets]
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _is_notebook(content):
    return isinstance(content, dict) and bool({"cells", "worksheets"} & set(content))


def _parse(text):
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _say_format(content, repairs):
    number = content.get("nbformat")
    if number != 4:
        shown = f"format {number}" if number in range(100) else "an unknown format"
        repairs.append(f"Your notebook is of {shown}; it was read as format 4.")
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    if isinstance(language, str) and language.lower() not in ("python", ""):
        name = language[:20].encode("ascii", "replace").decode()
        repairs.append(f"Your notebook was saved for the language {name}; its cells were run as Python.")


def clean_cells(raw_cells, repairs):
    """The cells in format 4; of each the type, the text, the id and nbgrader's ``grade_id`` are kept.

    Parameters
    ----------
    raw_cells : a list of anything.
    repairs : receives one line for each kind of repair, with the number of cells.
    """
    if len(raw_cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has more than {MOST_CELLS:,} cells; delete those that are not needed")
    wrong = Counter()
    cells = []
    for number, raw in enumerate(raw_cells, start=1):
        if isinstance(raw, dict):
            cells.append(_clean_cell(raw, number, wrong))
        else:
            wrong["entries"] += 1
    repairs += [words.format(wrong[kind]) for kind, words in WORDS.items() if wrong[kind]]
    return cells


def _clean_cell(raw, number, wrong):
    kind = raw.get("cell_type")
    metadata = raw.get("metadata", {})
    source = raw.get("source", raw.get("input"))
    texts = source if isinstance(source, list) else [source]
    known = isinstance(kind, str) and kind in CELL_TYPES
    wrong["parts"] += not (known and isinstance(metadata, dict) and all(isinstance(t, str) for t in texts))
    text = _clean_text([t for t in texts if isinstance(t, str)], wrong)
    if kind == "heading":
        level = raw.get("level")
        text = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + text
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = mark.get("grade_id") if isinstance(mark, dict) else None
    name = raw.get("id")
    cell = {
        "cell_type": CELL_TYPES[kind] if known else "code",
        "id": name if _is_id(name) else f"cell-{number}",
        "metadata": {"nbgrader": {"grade_id": grade_id}} if _is_id(grade_id) else {},
        "source": text,
    }
    code = {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}
    return nbformat.from_dict(cell | code)


def _is_id(name):
    return isinstance(name, str) and bool(re.fullmatch(r"[\w.-]{1,100}", name, re.A))


def _clean_text(lines, wrong):
    if len(lines) > 1 and not any(line.endswith(("\n", "\r")) for line in lines):
        wrong["lines"] += 1
        lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    text = "".join(lines).removeprefix("\ufeff")
    text = _note("ends", text, text.replace("\r\n", "\n").replace("\r", "\n"), wrong)
    text = _note("zeros", text, text.replace("\0", ""), wrong)
    return _note("letters", text, text.encode("utf-8", "replace").decode(), wrong)


def _note(kind, before, after, wrong):
    wrong[kind] += before != after
    return after
