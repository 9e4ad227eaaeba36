"""Find the answers in a submission, wherever the student wrote them.

Code is looked for in its own cell, then by the name that it defines, at last by its likeness to the stub
and its place; a written answer in its own cell, beside it, in the question, at the end of the notebook.
"""

from grading.matching import (
    MOST_COMPARED,
    Answer,
    Match,
    is_marked,
    note_checks,
    note_imports,
    recognise,
    recognise_edited,
)
from grading.texts import (
    SIMILAR,
    added_text,
    alike,
    answer_name,
    defines,
    is_check,
    is_prose,
    mark,
    parsed,
    with_plain_spaces,
)


def find_answers(cells, ours):
    """Match submitted cells with ours and find the answers.

    Parameters
    ----------
    cells : list of ``Cell``, as submitted.
    ours : the cells of the released notebook.

    Returns
    -------
    Match
    """
    match = Match(cells, ours)
    recognise(match)
    for find in (_own_cell, _by_definition):
        for position in match.open("code"):
            find(match, position)
    if match.is_another_exercise():  # its stubs and prompts would be taken for answers
        for position in match.open("code") + match.open("markdown"):
            match.note("missing", position)
    else:
        _by_place_and_likeness(match)
    note_checks(match)
    note_imports(match)
    return match


def _by_place_and_likeness(match):
    """Find those answers that neither mark nor name tells."""
    recognise_edited(match)
    for position in match.open("code"):
        _by_place(match, position)
    for find in (_own_text, _text_beside, _text_in_the_question, _text_at_the_end):
        for position in match.open("markdown"):
            find(match, position)


# code


def _own_cell(match, position):
    """The last edited copy of the answer cell that defines the name; a cell that was split is joined."""
    name, edited = answer_name(match.ours[position]), match.edited(position)
    parts = _parts_of_one(match, edited, name)
    defining = [index for index in edited if defines(match.code(index), name)]
    if parts:
        _settle(match, position, parts)
        match.note("joined", position)
    elif defining:
        _settle(match, position, defining[-1:])
        _note_copies(match, position)


def _parts_of_one(match, edited, name):
    """The cells of an answer that is Python only when they are put together; none for a whole one."""
    parts, free = list(edited), match.free()
    while parts and parts[-1] + 1 in free and match.cells[parts[-1] + 1].source[:1] in (" ", "\t"):
        parts.append(parts[-1] + 1)  # some programs give the second half no mark
    pieces = [match.code(index) for index in parts]
    whole = "\n".join(pieces)
    if len(parts) < 2 or all(map(parsed, pieces)) or not parsed(whole):
        return []
    return parts if defines(whole, name) else []


def _by_definition(match, position):
    """A cell that gives the name its value: the last one above the check, else the last one."""
    name = answer_name(match.ours[position])
    barred = match.used() | set(match.copies(position))
    naming = [i for i, cell in enumerate(match.cells) if i not in barred and name in cell.source]
    defining = [index for index in match.last_few(naming) if defines(match.code(index), name)]
    defining = [index for index in defining if match.cells[index].kind == "code"] or defining
    if not defining:
        return
    below = max(match.copies(_check_of(match, position)), default=0)
    index = ([index for index in defining if index < below] or defining)[-1]
    _settle(match, position, [index])
    if index in match.home and is_check(match.ours[match.home[index]]):
        match.note("in a check", position)
    else:
        match.note("elsewhere" if match.copies(position) else "definition", position)


def _check_of(match, position):
    name = answer_name(match.ours[position])
    return next((p for p, c in enumerate(match.ours) if is_check(c) and answer_name(c) == name), None)


def _by_place(match, position):
    """What is left: the own cell whatever is in it, a cell like the stub, one in the place of the answer."""
    copies, stub = match.copies(position), match.ours[position].source
    if copies:
        _settle(match, position, (match.edited(position) or copies)[-1:])
        _note_copies(match, position)
        return
    free = [index for index in match.free()[:MOST_COMPARED] if match.cells[index].kind == "code"]
    similar = [index for index in free if alike(match.cells[index].source, stub) > SIMILAR]
    beside = [i + 1 for i in match.copies(position - 1)] + [i - 1 for i in match.copies(position + 1)]
    likely = similar or [index for index in beside if index in free]
    if likely:
        _settle(match, position, likely[:1])
    match.note("place" if likely else "missing", position)


def _settle(match, position, parts):
    """Take the code of these cells for the answer."""
    text = "\n".join(match.code(part) for part in parts)
    cell = match.cells[parts[0]]
    match.answers[position] = Answer(text, parts[0], parts)
    if cell.kind != "code":
        match.note("kind", position, kind=cell.kind, ours="code")
    elif "```" in cell.source and "```" not in text:
        match.note("fenced", position)
    if with_plain_spaces(cell.source) != cell.source:
        match.note("spaces", position)
    _note_lost_mark(match, position)


def _note_lost_mark(match, position):
    index = match.answers[position].index
    if index in match.edited(position) and not is_marked(match, index):
        match.note("id", position)


def _note_copies(match, position):
    """Say which of several copies counts."""
    count, edited = len(match.copies(position)), match.edited(position)
    if count > 1:
        last = not edited or edited[-1] in match.answers[position].parts
        match.note("copies" if last else "copies, one defines", position, count=count)


# written answers


def _own_text(match, position):
    """The text of the answer cell; of several copies, all that differ."""
    edited = match.edited(position)
    if not edited:
        return
    texts = dict.fromkeys(match.cells[index].source for index in edited)
    match.answers[position] = Answer("\n\n".join(texts), edited[0], edited)
    if len(texts) > 1:
        match.note("joined", position)
    else:
        _note_copies(match, position)
    if match.cells[edited[0]].kind != "markdown":
        match.note("kind", position, kind=match.cells[edited[0]].kind, ours="text")
    _note_lost_mark(match, position)


def _text_beside(match, position):
    """Text cells between the recognised cells around the empty answer cell, or around its place."""
    copies = match.copies(position)
    known = match.answers or any(mark(match.ours[p]) for p in match.home.values())
    texts = _own_texts(match, *_around(match, position, copies)) if known else []
    if texts:
        _take(match, position, texts, "beside" if copies else "place")


def _around(match, position, copies):
    """The first and the last index between which the answer should stand, in the student's notebook."""
    if copies:
        above = [index for index in match.home if index < copies[0]]
        below = [index for index in match.home if index > copies[-1]]
    else:
        above = next(filter(None, map(match.copies, range(position - 1, -1, -1))), [])
        below = next(filter(None, map(match.copies, range(position + 1, len(match.ours)))), [])
    return max(above, default=-1), min(below, default=len(match.cells))


def _own_texts(match, after, before):
    """The student's own cells between two indices that were written to be read."""
    between = [index for index in match.free() if after < index < before][:MOST_COMPARED]
    cells = {index: match.cells[index] for index in between}
    return [index for index, cell in cells.items() if cell.kind != "code" or is_prose(cell.source)]


def _text_in_the_question(match, position):
    """What was written into our text cell above the answer."""
    question = next((p for p in range(position - 1, -1, -1) if match.ours[p].cell_type == "markdown"), None)
    copies = match.last_few(match.copies(question))
    texts = [added_text(match.ours[question].source, match.cells[index].source) for index in copies]
    if any(texts):
        text = "\n\n".join(filter(None, texts))
        match.answers[position] = Answer(text, next(iter(match.copies(position)), None), copies)
        match.note("in the question", position)


def _text_at_the_end(match, position):
    """Text cells below everything of ours, when only one written answer is missing; else nothing."""
    copies = match.copies(position)
    texts = _own_texts(match, max(match.home, default=len(match.cells)), len(match.cells))
    if texts and len(match.open("markdown")) == 1:
        _take(match, position, texts, "at the end")
    elif copies:
        match.answers[position] = Answer(match.ours[position].source, copies[0], copies)
    else:
        match.note("missing", position)


def _take(match, position, texts, how):
    """Take the text of these cells for the answer; it stays in its own cell where there is one."""
    text = "\n\n".join(match.cells[part].source.strip() for part in texts)
    match.answers[position] = Answer(text, (match.copies(position) or texts)[0], texts)
    match.note(how, position)
