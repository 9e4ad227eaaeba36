"""Which submissions of a class are alike: the graded copies read, the pairs found, a page that shows them."""

import json
import re
from pathlib import Path

from grading.bank import load_bank
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.feedback import exercise_title, question_titles
from grading.likeness import (
    LONG,
    MANY,
    ONE,
    SHARE,
    WHOLE,
    alike_pairs,
    class_tables,
    definitions,
    own_statements,
    partners,
)
from grading.pages import render
from grading.texts import EXTRA, answer_texts

SHOWN = 40  # pairs whose code stands on the page


def graded_answers(folder, exercise):
    """The code of every graded submission: {student: {question: text of its answer cell}}.

    It is read from the graded copies, which hold the answers wherever a student wrote them. Functions in
    cells of a student's own go with the answers that use them.

    Raises
    ------
    UserError : when fewer than two were graded in this folder.
    """
    load_bank(exercise)  # refuses an unknown exercise
    paths = sorted((Path(folder) / "autograded").glob(f"*/{exercise}/{exercise}.ipynb"))
    if len(paths) < 2:
        raise UserError(f"{len(paths)} graded submissions in {folder}; run first: course grade {exercise}")
    return {path.parent.parent.name: _answers(path) for path in paths}


def _answers(path):
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        marked = [(cell["metadata"].get("nbgrader", {}), cell) for cell in cells]
        answers = {
            mark["grade_id"].partition("-")[2]: "".join(cell["source"])
            for mark, cell in marked
            if mark.get("solution")
        }
        own = ["".join(cell["source"]) for mark, cell in marked if cell.get("id", "").startswith(EXTRA)]
        helpers = {name: text for one in own for name, text in definitions(one).items()}
        return {name: _with_helpers(text, helpers) for name, text in answers.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path} is no graded copy; grade again with: course grade {path.stem}") from None


def _with_helpers(text, helpers):
    """An answer with the functions from a student's own cells that it uses, directly or through others."""
    used, after = {}, text
    while new := {name: helpers[name] for name in re.findall(r"\w+", after) if name in helpers.keys() - used}:
        used |= new
        after = "\n".join(new.values())
    return "\n\n\n".join([text, *(f"# from another cell\n{helper}" for helper in used.values())])


def alike_in_class(exercise, answers):
    """The pairs of a class that a person should look at; see ``likeness.alike_pairs``."""
    stubs = answer_texts(released_notebook(exercise))
    return alike_pairs(class_tables(exercise, list(answers.values()), stubs))


def similar_page(exercise, answers, pairs, common):
    """The page that shows pairs of submissions side by side.

    Parameters
    ----------
    answers : {student: {question: text}}.
    pairs, common : what ``alike_in_class`` gives.
    """
    titles, students = question_titles(exercise), list(answers)
    stubs = answer_texts(released_notebook(exercise))
    rows = []
    for rank, pair in enumerate(pairs, start=1):
        one, other = students[pair.one], students[pair.other]
        questions = [
            {
                "title": titles.get(name, name),
                "alike": alike,
                "sides": _sides(answers, one, other, name, stubs),
            }
            for name, alike in (pair.alike.items() if rank <= SHOWN else ())
        ]
        rows.append(
            {
                "rank": rank,
                "one": one,
                "other": other,
                "whole": pair.whole,
                "alike": {titles.get(name, name): alike for name, alike in pair.alike.items()},
                "flagged": pair.whole >= WHOLE,
                "questions": questions,
            }
        )
    return render(
        "similar.html.j2",
        title=exercise_title(exercise),
        students=len(students),
        pairs=rows,
        shown=SHOWN,
        common={titles.get(name, name): count for name, count in common.items()},
        limits={"one": ONE, "whole": WHOLE, "long": LONG, "many": MANY, "share": SHARE},
    )


def _sides(answers, one, other, name, stubs):
    """Both answers as lines: (number, text, number of the line beside it in the other answer or 0)."""
    texts = [answers[student].get(name, "") for student in (one, other)]
    left, right = (own_statements(text, stubs[name]) for text in texts)
    return [_lines(texts[0], left, partners(left, right)), _lines(texts[1], right, partners(right, left))]


def _lines(text, found, beside):
    matched = {}
    for statement, partner in zip(found, beside, strict=True):
        if partner:
            matched |= dict.fromkeys(range(statement.first, statement.last + 1), partner.first)
    return [(number, line, matched.get(number, 0)) for number, line in enumerate(text.splitlines(), start=1)]
