"""Know which cells of a submitted notebook are ours: by grade_id, else cell id, else by their words."""

import re
from dataclasses import dataclass, field

from grading.repairs import Repairs
from grading.texts import (
    MOST_CHARACTERS,
    SIMILAR,
    added_code,
    alike,
    answer_name,
    is_answer,
    is_check,
    mark,
    same,
    trimmed,
    unfenced,
    with_plain_spaces,
)

OUR_MARK = re.compile("(answer|check|written)-")
MOST_COMPARED = 200  # unknown cells in which ours and answers are looked for
COMPARED_CHARACTERS = 500_000  # of copies of our cells, and of cells with the name of an answer


@dataclass
class Answer:
    """One answer: its text, and the submitted cells that it was made of.

    index : the submitted cell whose place it keeps; None when it stays where ours is.
    parts : the submitted cells that are used up by it.
    """

    text: str
    index: int | None
    parts: list[int]


@dataclass
class Match:
    """A submission held against our notebook.

    cells : the submitted cells, each a ``Cell``.
    ours : the cells of the released notebook.
    home : {index of a submitted cell: position of the cell of ours that it is}; copies share a position.
    answers : {position of an answer cell of ours: Answer}.
    """

    cells: list
    ours: list
    repairs: Repairs = field(default_factory=Repairs)
    home: dict[int, int] = field(default_factory=dict)
    answers: dict[int, Answer] = field(default_factory=dict)

    def copies(self, position):
        """The submitted cells that are our cell at this position, in their order."""
        return sorted(index for index, ours in self.home.items() if ours == position)

    def last_few(self, indices):
        """The last of these cells: as many as can be looked at closely in a few seconds."""
        kept, characters = [], 0
        for index in reversed(indices[-MOST_COMPARED:]):
            characters += min(len(self.cells[index].source), MOST_CHARACTERS)
            if characters > COMPARED_CHARACTERS:
                break
            kept.append(index)
        return kept[::-1]

    def edited(self, position):
        """Those copies of an answer cell that the student wrote into; of very many the last."""
        texts = {index: self.cells[index].source for index in self.copies(position)}
        stub = self.ours[position].source
        return self.last_few([i for i, text in texts.items() if text.strip() and not same(text, stub)])

    def used(self):
        """The submitted cells that answers were made of."""
        return {part for answer in self.answers.values() for part in answer.parts}

    def free(self):
        """The submitted cells that are not empty, not ours and not part of an answer."""
        used = self.used()
        return [
            index
            for index, cell in enumerate(self.cells)
            if index not in self.home and index not in used and cell.source.strip()
        ]

    def open(self, kind):
        """The positions of our answer cells of a kind, code or markdown, that have no answer yet."""
        return [
            position
            for position, cell in enumerate(self.ours)
            if is_answer(cell) and cell.cell_type == kind and position not in self.answers
        ]

    def code(self, index):
        """The code of a submitted cell, out of its fences; of a cell of ours only what was added."""
        cell = self.cells[index]
        fenced = cell.kind != "code" or cell.source.lstrip().startswith("```")
        text = with_plain_spaces(unfenced(cell.source) if fenced else cell.source)
        ours = self.ours[self.home[index]] if index in self.home else None
        if ours is None or is_answer(ours):
            return text
        if ours.cell_type != "code" or cell.kind != "code" or same(text, ours.source):
            return ""
        return added_code(ours.source, text)

    def is_another_exercise(self):
        """Whether the notebook carries marks like ours and none of them is ours."""
        ours = {mark(cell).get("grade_id") for cell in self.ours}
        marks = {cell.grade_id for cell in self.cells if OUR_MARK.match(cell.grade_id or "")}
        return bool(marks) and not marks & ours

    def note(self, kind, position, /, **details):
        """Note a repair of the question at a position of ours."""
        self.repairs.add(kind, answer_name(self.ours[position]), **details)


def recognise(match):
    """Know cells of ours by grade_id, else by cell id, else by exactly their text."""
    marks = {mark(cell)["grade_id"]: position for position, cell in enumerate(match.ours) if mark(cell)}
    ids = {cell.id: position for position, cell in enumerate(match.ours)}
    for index, cell in enumerate(match.cells):
        position = marks.get(cell.grade_id, ids.get(cell.id))
        if position is not None:
            match.home[index] = position
    texts = {}
    for position, ours in enumerate(match.ours):
        texts.setdefault(trimmed(ours.source), []).append(position)
    known = set(match.home.values())
    for index in match.free():
        equal = texts.get(trimmed(match.cells[index].source))
        if equal:  # empty written answers are alike: one after the other
            match.home[index] = next((p for p in equal if p not in known), equal[0])
            known.add(match.home[index])


def recognise_edited(match):
    """Know prompts and code of ours that were edited and have lost mark and id, by the words in common."""
    for index in match.free()[:MOST_COMPARED]:
        known, cell = set(match.home.values()), match.cells[index]
        shares = {
            position: alike(ours.source, cell.source)
            for position, ours in enumerate(match.ours)
            if position not in known and not is_answer(ours) and ours.cell_type == cell.kind
        }
        best = max(shares, key=shares.get, default=None)
        if best is not None and shares[best] > SIMILAR:
            match.home[index] = best


def is_marked(match, index):
    """Whether a submitted cell carries the grade_id of the cell of ours that it is."""
    return match.cells[index].grade_id == mark(match.ours[match.home[index]]).get("grade_id", ...)


def note_checks(match):
    """Checks are always ours: say so where the student's are gone or other."""
    for position, ours in enumerate(match.ours):
        copies = match.copies(position)
        cells = [match.cells[index] for index in copies]
        if not is_check(ours) or match.used().intersection(copies):
            continue  # one that an answer was typed over is told with the answer
        if not copies:
            match.note("check missing", position)
        elif not any(cell.kind == "code" and same(cell.source, ours.source) for cell in cells):
            match.note("check edited", position)
        elif not any(is_marked(match, index) for index in copies):
            match.note("check unmarked", position)


def note_imports(match):
    """Say so where our code above the first answer is gone."""
    first = next((position for position, cell in enumerate(match.ours) if is_answer(cell)), 0)
    gone = [p for p in range(first) if match.ours[p].cell_type == "code" and not match.copies(p)]
    if gone:
        match.repairs.tell("The cell with the imports was missing; it was put back.")
