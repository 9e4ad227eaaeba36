"""Feedback for one student: a page and a short text, made of an allow-list and nothing else.

Allowed are titles, verdicts, points, hints, the visible cases, the titles and verdicts of the fresh ones,
repairs, the student's own written text and what a person wrote. The page is one file without scripts or
anything from elsewhere.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime

from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook

from grading import results
from grading.deadlines import days_late
from grading.exercise import released_notebook
from grading.late import sentence
from grading.marks import Mark, marks
from grading.pages import points_text, render
from grading.results import Outcome
from grading.sketch import sketch
from grading.texts import answer_name, is_answer

QUOTE = 300  # characters of what a student's code said
SHORT_TEXT = 1000  # characters that a comment field of a learning platform surely takes
PATH = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?(?:[/\\][\w.+-]+){2,}[/\\]?")
WORDS = {results.TO_BE_MARKED: "waits for a person", results.MARKED: "marked by a person"}
LOOKS = {  # the sign before a verdict and the class of its colour; a cross for all others
    results.CORRECT: ("✓", "good"),
    results.MARKED: ("✓", "good"),
    results.NOT_ANSWERED: ("–", "soft"),
    results.TO_BE_MARKED: ("…", "wait"),
}
HAND_IN_AGAIN = "Open your notebook in JupyterLab, see that it runs, save it, and hand in that file again."


@dataclass
class Record:
    """All that the feedback of one submission is made from."""

    student: str
    outcome: Outcome
    marks: dict[str, Mark] = field(default_factory=dict)
    graded: str = ""  # ISO time
    name: str = ""  # of the person, where the gradebook has it
    penalty: float = 0.0  # points, for a late submission
    days_late: int = 0


def read_record(gradebook, student, course):
    """The record of a graded submission, from the gradebook and what its graded copy kept.

    Parameters
    ----------
    course : the entry ``course`` in the metadata of the student's graded copy.
    """
    outcome = Outcome.from_dict(course["outcome"])
    submission = gradebook.find_submission(outcome.exercise, student)
    person = f"{submission.student.first_name or ''} {submission.student.last_name or ''}".strip()
    return Record(
        student,
        outcome,
        marks(gradebook, outcome.exercise, student, outcome.questions),
        course.get("graded", ""),
        person,
        submission.late_submission_penalty or 0.0,
        days_late(submission.total_seconds_late),
    )


def page(record):
    """The page of a record, as HTML."""
    return render("feedback.html.j2", sketch=sketch, **view(record))


def view(record):
    """What the template may show: {name: text, number, list or dict}."""
    outcome = record.outcome
    titles = question_titles(outcome.exercise)
    there = [name for name in titles if name in outcome.questions]  # a notebook's metadata come back sorted
    questions = [
        _question_view(number, titles[name], outcome.questions[name], record.marks.get(name, Mark()))
        for number, name in enumerate(there, start=1)
    ]
    earned = sum(question["points"] for question in questions) - record.penalty
    own_fault = outcome.problem and not outcome.failed
    return {
        "title": exercise_title(outcome.exercise),
        "student": f"{record.name} ({record.student})" if record.name else record.student,
        "graded": _date(record.graded),
        "points": max(0.0, earned),
        "max_points": outcome.max_score,
        "late": sentence(record.days_late, record.penalty),
        "waiting": sum(question["max_points"] for question in questions if question["waits"]),
        "problem": _problem(outcome),
        "hand_in_again": HAND_IN_AGAIN if own_fault else "",
        "repairs": [_quoted(line) for line in outcome.repairs],
        "questions": questions,
    }


def _question_view(number, title, question, mark):
    verdict = question.verdict if mark.manual is None else results.MARKED
    own = question.points if mark.manual is None else mark.manual
    points = own + mark.extra
    return {
        "number": number,
        "title": title,
        "name": question.name,
        **_look(verdict),
        "waits": verdict == results.TO_BE_MARKED,
        "points": points,
        "max_points": question.max_points,
        "percent": round(100 * min(1.0, max(0.0, points / (question.max_points or 1.0)))),
        "hint": ""
        if verdict in (results.TO_BE_MARKED, results.MARKED)
        else _quoted(question.hint, 2 * QUOTE),
        "cases": [_case_view(case) for case in question.cases if case.visible],
        "fresh": _fresh_view(question),
        "text": question.text,
        "comment": mark.comment,
    }


def _case_view(case):
    """A visible case; nothing in it is a secret."""
    return {
        "title": case.title,
        "call": case.call,
        "answer": case.answer,
        "expected": case.expected,
        **_look(case.verdict),
        "message": "" if case.message.startswith("the number differs") else _quoted(case.message),
        "curves": case.curves,
    }


def _fresh_view(question):
    """Of the hidden cases their titles and verdicts, and how many passed; None where there are none."""
    cases = [case for case in question.cases if not case.visible]
    if not cases:
        return None
    return {
        "passed": sum(case.verdict == results.CORRECT for case in cases),
        "total": len(cases),
        "cases": [{"title": case.title, **_look(case.verdict)} for case in cases],
    }


def _look(verdict):
    """A verdict in words, with its sign and colour, so that none of the three is needed alone."""
    sign, colour = LOOKS.get(verdict, ("✗", "bad"))
    return {"verdict": WORDS.get(verdict, verdict), "sign": sign, "colour": colour}


def question_titles(exercise):
    """The heading above each answer, without its number and points: {question: title}."""
    titles, heading = {}, ""
    for cell in released_notebook(exercise).cells:
        if is_answer(cell):
            titles[answer_name(cell)] = heading or answer_name(cell)
        elif match := re.match(r"##\s+(?:\d+\.\s*)?(.*?)\s*(?:\([\d.]+ points?\))?\s*$", cell.source, re.M):
            heading = match[1]
    return titles


def exercise_title(exercise):
    """The heading of the exercise's notebook."""
    return re.match(r"#\s+(.*)", released_notebook(exercise).cells[0].source)[1]


def _quoted(text, most=QUOTE):
    """A text that may repeat what a student's code said: without paths of a machine, and not too long."""
    text = PATH.sub("(a path)", text)
    return text if len(text) <= most else f"{text[:most]} …"


def _date(iso):
    if not iso:
        return ""
    time = datetime.fromisoformat(iso)
    return f"{time.day} {time:%B %Y, %H:%M}"


def _problem(outcome):
    """Why a file could not be graded, for the student; a fault of the grader is none of theirs."""
    if outcome.failed:
        return (
            "Grading stopped with an error of its own. Your instructor knows of it; there is nothing to do."
        )
    problem = outcome.problem
    return _quoted(f"{problem[0].upper()}{problem[1:]}.") if problem else ""


def short_text(record):
    """The same in at most ``SHORT_TEXT`` characters, for the comment field of a learning platform."""
    seen = view(record)
    total = f"{seen['title']}: {points_text(seen['points'])} of {points_text(seen['max_points'])} points"
    if seen["problem"]:
        lines = [total, "Your file could not be graded.", seen["problem"], seen["hand_in_again"]]
        return "\n".join(line for line in lines if line) + "\n"
    lines = [total + (" so far" if seen["waiting"] else ""), *filter(None, [seen["late"]])]
    lines += [_line(question) for question in seen["questions"]]
    if seen["repairs"]:
        lines.append(f"About your file: {len(seen['repairs'])} repairs, named on the page.")
    end = "Your feedback page shows the cases, the hints and what to look at."
    said = [(q["number"], q["hint"] if q["colour"] != "good" else "") for q in seen["questions"]]
    said += [(q["number"], q["comment"]) for q in seen["questions"]]
    for line in (f"{number}: {' '.join(text.split())}" for number, text in said if text):
        if len("\n".join([*lines, line, end])) < SHORT_TEXT:
            lines.append(line)
    return "\n".join([*lines, end])[: SHORT_TEXT - 1] + "\n"


def _line(question):
    most = points_text(question["max_points"])
    points = f"up to {most}" if question["waits"] else f"{points_text(question['points'])}/{most}"
    return f"{question['number']}. {question['title'][:50]} – {question['verdict']}, {points}"


class FeedbackExporter(HTMLExporter):
    """Our page and text in place of the notebook's, for plain ``nbgrader generate_feedback``."""

    def from_notebook_node(self, nb, resources=None, **options):
        kept = nb.metadata.get("course", {})
        if "outcome" not in kept:
            return super().from_notebook_node(nb, resources, **options)
        resources = self._init_resources(resources)
        student = resources["nbgrader"]["student"]
        with Gradebook(resources["nbgrader"]["db_url"]) as gradebook:
            record = read_record(gradebook, student, kept)
        resources["outputs"] = {f"{student}.txt": short_text(record).encode()}
        return page(record), resources
