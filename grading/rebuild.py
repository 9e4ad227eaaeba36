"""Rebuild a submission from our released copy: its cells are ours, only the answers are the student's.

An answer is found by its grade_id, then by its cell id, then by what it defines or where it stands.
Cells that the student added are kept, in order. Test cells are always ours, so deleting, editing or
copying them changes nothing.
"""

import copy
import difflib
import re
from dataclasses import dataclass, field

import nbformat

SIMILAR = 0.6  # how alike a prompt must be to be recognised


@dataclass
class Rebuilt:
    """The notebook that runs, a line to the student for each repair, the number of answer cells found."""

    notebook: nbformat.NotebookNode
    repairs: list[str] = field(default_factory=list)
    found: int = 0


def rebuild(submitted, released):
    """Put the answers of a submitted notebook into a copy of the released one.

    Parameters
    ----------
    submitted, released : notebooks in format 4; neither is changed.

    Returns
    -------
    Rebuilt
    """
    result = Rebuilt(copy.deepcopy(released))
    cells = [_plain_cell(cell) for cell in submitted.cells]
    homes = _find_answers(cells, result)
    result.found = len(homes)
    extras = _extras(cells, homes, released)
    ours = result.notebook.cells
    for slot, index in homes.items():
        _fill(ours[slot], cells[index], result)
    _take_texts_beside(ours, released.cells, extras, result)
    result.notebook.cells = [
        cell
        for position, our_cell in enumerate(ours)
        for cell in (*extras.get((position, "before"), ()), our_cell, *extras.get((position, "after"), ()))
    ]
    return result


def _plain_cell(cell):
    """The parts of a submitted cell that count, whatever the rest looks like."""
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return {
        "type": cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown", "raw") else "code",
        "source": _text(cell.get("source")) or "",
        "grade_id": _text(mark.get("grade_id")) if isinstance(mark, dict) else None,
        "id": _text(cell.get("id")),
    }


def _text(value):
    """A text, or the lines of one, in characters that can be written to a file; None for anything else."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


def is_answer(cell):
    """Whether a released cell holds an answer: code, or a written text."""
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def answer_name(cell):
    """The question that a released answer or check cell belongs to, e.g. ``one_pole``; None for others."""
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return grade_id.partition("-")[2] or None


def _find_answers(cells, result):
    """For each answer cell of ours the index of the student's: {our position: their index}."""
    homes, taken = {}, set()
    slots = {i: cell for i, cell in enumerate(result.notebook.cells) if is_answer(cell)}
    for find in (_by_grade_id, _by_cell_id, _by_content, _by_prompt):
        for position, ours in slots.items():
            if position in homes:
                continue
            found = [i for i in find(ours, position, cells, result.notebook.cells) if i not in taken]
            if not found:
                continue
            edited = [i for i in found if cells[i]["source"] != ours.source]
            homes[position] = (edited or found)[-1]
            taken.update(i for i in found if cells[i]["source"] == ours.source)
            taken.add(homes[position])
            _say_how(find, ours, found, result)
    for position, ours in slots.items():
        if position not in homes:
            result.repairs.append(
                f"The answer cell of {answer_name(ours)} was missing; it was put back empty."
            )
    return homes


def _say_how(find, ours, found, result):
    name = answer_name(ours)
    if len(found) > 1:
        result.repairs.append(
            f"The answer cell of {name} occurs {len(found)} times; the last edited one counts."
        )
    if find is not _by_grade_id:
        how = {_by_cell_id: "its cell id", _by_content: "what it defines", _by_prompt: "its place"}[find]
        result.repairs.append(f"The answer cell of {name} had lost its mark; it was found by {how}.")


def _by_grade_id(ours, _position, cells, _all):
    return [i for i, cell in enumerate(cells) if cell["grade_id"] == ours.metadata.nbgrader.grade_id]


def _by_cell_id(ours, _position, cells, _all):
    return [i for i, cell in enumerate(cells) if cell["id"] == ours.id and cell["grade_id"] is None]


def _by_content(ours, _position, cells, _all):
    if ours.cell_type != "code":
        return []
    defines = re.compile(rf"^(def {answer_name(ours)}\s*\(|{answer_name(ours)}\s*=)", re.M)
    return [i for i, cell in enumerate(cells) if cell["grade_id"] is None and defines.search(cell["source"])]


def _by_prompt(ours, position, cells, all_ours):
    """The cell below the one that is most like our prompt."""
    prompt = all_ours[position - 1].source if position else ""
    for index, cell in enumerate(cells[:-1]):
        alike = difflib.SequenceMatcher(None, prompt, cell["source"], autojunk=False)
        below = cells[index + 1]
        if below["type"] == ours.cell_type and below["grade_id"] is None and alike.ratio() > SIMILAR:
            return [index + 1]
    return []


def _take_texts_beside(ours, released, extras, result):
    """A written answer that was left empty, with a text cell of the student's just above or below it."""
    for position, cell in enumerate(ours):
        if cell.cell_type == "markdown" and is_answer(cell) and cell.source == released[position].source:
            for place in ((position, "after"), (position - 1, "after")):
                texts = [extra for extra in extras.get(place, ()) if extra.cell_type == "markdown"]
                if texts:
                    cell.source = "\n\n".join(text.source for text in texts)
                    extras[place] = [extra for extra in extras[place] if extra not in texts]
                    result.repairs.append(
                        f"The answer of {answer_name(cell)} was taken from the cell beside it."
                    )
                    break


def _fill(our_cell, theirs, result):
    if our_cell.cell_type == "markdown" and not theirs["source"].strip():
        return  # emptied: the same as never answered, also for nbgrader's checksum
    our_cell.source = theirs["source"]
    if theirs["type"] != our_cell.cell_type:
        result.repairs.append(
            f"The answer cell of {answer_name(our_cell)} had become a {theirs['type']} cell; it was read as "
            f"{our_cell.cell_type}."
        )


def _extras(cells, homes, released):
    """The student's own cells by the place where they stood: {(our position, before or after): cells}."""
    position_of = {index: position for position, index in homes.items()}
    by_source = {cell.source: position for position, cell in enumerate(released.cells)}
    by_id = {cell.id: position for position, cell in enumerate(released.cells)}
    by_grade_id = {
        cell.metadata.nbgrader.grade_id: position
        for position, cell in enumerate(released.cells)
        if "nbgrader" in cell.metadata
    }
    extras, place = {}, (0, "before")
    for index, cell in enumerate(cells):
        position = position_of.get(index, by_source.get(cell["source"]))
        if position is None and cell["grade_id"] in by_grade_id and cell["grade_id"].startswith("check-"):
            position = by_grade_id[cell["grade_id"]]
        if position is not None:
            place = (position, "after")
        elif cell["source"].strip():
            if cell["id"] in by_id:  # a cell of ours that the student changed: ours first, then theirs
                place = (by_id[cell["id"]], "after")
            extras.setdefault(place, []).append(_extra_cell(cell, sum(map(len, extras.values()))))
    return extras


def _extra_cell(cell, count):
    new = nbformat.v4.new_code_cell if cell["type"] == "code" else nbformat.v4.new_markdown_cell
    return new(cell["source"], id=f"extra-{count + 1}")
