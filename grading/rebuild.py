"""Rebuild a submission from our released copy: its cells are ours, only the answers are the student's.

Check cells, prompts and imports are always ours, so deleting, editing or copying them changes nothing, nor
does the maximum. Cells that the student added are kept.

The cells run in the student's own order, with three exceptions:

1. a cell of ours that is not there stands below the one that comes before it in our copy; a check also
   below the student's own cells that follow its answer;
2. our code above the first answer (the imports) runs before every answer;
3. a check comes after its answer.

So in a notebook whose cells nobody moved the order is ours, and an answer that was moved below a helper
still finds it.
"""

import copy
from dataclasses import dataclass, field

import nbformat

from grading.answers import find_answers
from grading.magics import left_out
from grading.texts import (
    EXTRA,
    Cell,
    added_code,
    added_text,
    answer_name,
    is_answer,
    is_check,
    mark,
    plain_cell,
    plain_text,
    same,
)

MOST_EXTRAS = 200
EXTRA_CHARACTERS = 1_000_000
NAMED = 5  # lines left out that are shown to the student


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
    match = find_answers([plain_cell(cell) for cell in submitted.cells], released.cells)
    ours = copy.deepcopy(released.cells)
    for position, answer in match.answers.items():
        if answer.text.strip() and not same(answer.text, ours[position].source):
            ours[position].source = answer.text  # else as released, also for nbgrader's checksum
    order = _limited(_students_order(match), match.repairs)
    _add_missing(order, ours)
    _imports_first(order, ours)
    _checks_last(order, ours)
    notebook = copy.deepcopy(released)
    notebook.cells = [ours[item] if isinstance(item, int) else item for item in order]
    _note_left_out(notebook.cells, released.cells, match.repairs)
    marks = {mark(cell).get("grade_id") for cell in released.cells} - {None}
    unmarked = not any(cell.grade_id in marks for cell in match.cells)
    return Rebuilt(notebook, match.repairs.lines(unmarked), len(match.answers))


def _students_order(match):
    """The positions of our cells, and the student's own cells, in the order of the submission."""
    answers = {answer.index: position for position, answer in match.answers.items()}
    used, order = match.used(), []
    compared = set(match.last_few(sorted(match.home)))
    for index, cell in enumerate(match.cells):
        position = answers.get(index, match.home.get(index))
        counts = index in answers or (position is not None and not is_answer(match.ours[position]))
        if counts and position not in order:
            order.append(position)
        own = "" if index in answers or index in used else _own_part(match, index, index in compared)
        if own.strip():
            order.append(Cell(cell.kind, own))
    return order


def _own_part(match, index, compared):
    """What is the student's own in a submitted cell that is no answer; all of it when it is not compared."""
    cell, position = match.cells[index], match.home.get(index)
    if position is None:
        return cell.source
    ours = match.ours[position]
    if same(cell.source, ours.source):
        return ""
    if is_answer(ours):  # a copy that does not count
        answer = match.answers.get(position)
        return "" if answer and same(cell.source, answer.text) else cell.source
    if not compared:
        return cell.source
    if cell.kind == ours.cell_type == "code":
        return added_code(ours.source, cell.source, definitions_only=is_check(ours))
    return added_text(ours.source, cell.source) if ours.cell_type == "markdown" else ""


def _limited(order, repairs):
    """The order with no more of the student's own cells than can be run, each a cell of a notebook now."""
    kept, count, characters = [], 0, 0
    for item in order:
        if isinstance(item, Cell):
            count += 1
            characters += len(item.source)
            if count > MOST_EXTRAS or characters > EXTRA_CHARACTERS:
                continue
            new = nbformat.v4.new_code_cell if item.kind == "code" else nbformat.v4.new_markdown_cell
            item = new(item.source, id=f"{EXTRA}{count}")
        kept.append(item)
    if len(kept) < len(order):
        repairs.tell(
            f"Your own cells are more, or longer, than are run: {len(order) - len(kept)} of {count} "
            "were left out. Hand in the exercise alone."
        )
    return kept


def _add_missing(order, ours):
    """Our cells that the student's notebook has not: each below the one before it in ours."""
    for position, cell in enumerate(ours):
        if position not in order:
            place = order.index(position - 1) + 1 if position else 0
            while is_check(cell) and place < len(order) and not isinstance(order[place], int):
                place += 1
            order.insert(place, position)


def _imports_first(order, ours):
    """Our code above the first answer goes before every answer."""
    answers = [order.index(position) for position, cell in enumerate(ours) if is_answer(cell)]
    for position, cell in enumerate(ours):
        if is_answer(cell):
            return
        if cell.cell_type == "code" and order.index(position) > min(answers):
            order.remove(position)
            order.insert(min(answers), position)
            answers = [place + 1 for place in answers]


def _checks_last(order, ours):
    """A check of code goes below its answer."""
    answers = {answer_name(cell): position for position, cell in enumerate(ours) if is_answer(cell)}
    for position, cell in enumerate(ours):
        if is_check(cell) and order.index(position) < order.index(answers[answer_name(cell)]):
            order.remove(position)
            order.insert(order.index(answers[answer_name(cell)]) + 1, position)


def _note_left_out(cells, released, repairs):
    """One line for the student about all lines that only a notebook understands."""
    ours = {cell.source for cell in released}
    code = [cell.source for cell in cells if cell.cell_type == "code" and cell.source not in ours]
    lines = list(dict.fromkeys(plain_text(line)[:60] for source in code for line in left_out(source)))
    if lines:
        more = f" and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
        repairs.tell(f"Grading runs without these lines: {'; '.join(lines[:NAMED])}{more}.")
