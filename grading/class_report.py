"""What a class made of an exercise: one page with pictures, and a table of everything as CSV."""

import csv
import io
from collections import Counter
from statistics import median

import numpy as np

from grading import report_plots, results
from grading.bank import Function, load_bank
from grading.feedback import exercise_title, question_titles
from grading.pages import render
from grading.tables import number_or_guarded

SLOWEST = 5  # submissions named in the section on time
LEAST = 3  # students for whom a correlation is computed
COLUMNS = (
    *("student", "exercise", "question", "points", "max_points", "verdict", "misconceptions"),
    *("visible_passed", "visible_cases", "fresh_passed", "fresh_cases", "question_seconds"),
    *("submission_points", "submission_seconds", "seed", "isolation", "repairs"),
)
TEXTS = ("hint", "problem", "attention")
"""Columns that may repeat what stood in a student's file, so a report without names leaves them out."""


def discrimination(points, totals):
    """The corrected item-total correlation of a question.

    Pearson's correlation between the points of the question and the points of all *other* questions.

    Parameters
    ----------
    points : (N,) array, the points of a question, a number for each student.
    totals : (N,) array, the students' points in all questions.

    Returns
    -------
    float from -1 to 1; None when it is not defined: for fewer than three students, or when one of the two
    is the same for all.

    >>> round(discrimination(np.array([0, 1, 2.0]), np.array([1, 1, 4.0])), 3)
    0.5
    """
    rest = totals - points
    if len(points) < LEAST or np.ptp(points) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return float(np.corrcoef(points, rest)[0, 1])


def report_page(exercise, outcomes, named=None):
    """The page about a class.

    Parameters
    ----------
    outcomes : {student: Outcome}.
    named : function from a student to a pseudonym; then nothing that stood in a file is on the page.
    """
    name = named or str
    judged = {student: outcome for student, outcome in outcomes.items() if not outcome.problem}
    questions = _questions(exercise, judged or outcomes)
    ideas = _misconceptions(exercise, outcomes, name)
    totals = [outcome.score for outcome in judged.values()]
    most = next(iter(outcomes.values())).max_score
    pictures = {
        "scores": report_plots.scores(totals, most) if totals else "",
        "questions": report_plots.questions(questions) if totals else "",
        "verdicts": report_plots.verdicts(_verdict_counts(outcomes)),
        "ideas": report_plots.ideas([len(idea["who"]) for idea in ideas]) if ideas else "",
        "seconds": report_plots.seconds({q["number"]: q["seconds"] for q in questions if q["seconds"]}),
    }
    return render(
        "report.html.j2",
        title=exercise_title(exercise),
        anonymous=bool(named),
        handed_in=len(outcomes),
        judged=len(judged),
        scores=_summary(totals) | {"most": most},
        questions=questions,
        verdicts=_verdict_rows(outcomes),
        ideas=ideas,
        time=_time(outcomes, name),
        repairs=_repairs(outcomes, name, bool(named)),
        people=_people(outcomes, name, bool(named)),
        seeds=sorted({outcome.seed for outcome in judged.values()}),
        isolation=sorted({outcome.isolation for outcome in judged.values()}),
        pictures=pictures,
    )


def _summary(totals):
    """Mean, median and extremes of the sums; empty for no sum at all."""
    if not totals:
        return {}
    return {"mean": np.mean(totals), "median": median(totals), "least": min(totals), "greatest": max(totals)}


def _questions(exercise, outcomes):
    """One row a question; an answer that waits for a person is left out of its numbers."""
    titles, rows = question_titles(exercise), []
    totals = np.array([outcome.score for outcome in outcomes.values()])
    for number, name in enumerate(next(iter(outcomes.values())).questions, start=1):
        asked = [outcome.questions[name] for outcome in outcomes.values()]
        settled = np.array([question.verdict != results.TO_BE_MARKED for question in asked])
        points = np.array([question.points for question in asked])
        most = asked[0].max_points
        some = settled.any()
        rows.append(
            {
                "number": number,
                "name": name,
                "title": titles.get(name, name),
                "max_points": most,
                "mean": points[settled].mean() if some else None,
                "share": points[settled].mean() / (most or 1.0) if some else None,
                "full": int((points[settled] >= most - 1e-9).sum()),
                "settled": int(settled.sum()),
                "discrimination": discrimination(points[settled], totals[settled]),
                "seconds": [question.seconds for question in asked if question.seconds],
            }
        )
    for row in rows:
        row["median"] = median(row["seconds"]) if row["seconds"] else None
        row["longest"] = max(row["seconds"], default=None)
    return rows


def _verdict_counts(outcomes):
    """{number of the question: Counter of verdicts}."""
    names = next(iter(outcomes.values())).questions
    return {
        number: Counter(outcome.questions[name].verdict for outcome in outcomes.values())
        for number, name in enumerate(names, start=1)
    }


def _verdict_rows(outcomes):
    """The verdicts that occur, each with its count for every question."""
    counts = _verdict_counts(outcomes)
    return [
        {"verdict": verdict, "counts": [count[verdict] for count in counts.values()]}
        for verdict in report_plots.FILLS
        if any(count[verdict] for count in counts.values())
    ]


def _misconceptions(exercise, outcomes, name):
    """The wrong ideas that were recognised, the commonest first, with advice and who had them."""
    who = {}
    for student, outcome in outcomes.items():
        for question in outcome.questions.values():
            for idea in question.misconceptions:
                who.setdefault((question.name, idea), []).append(name(student))
    advice = {
        (function.name, idea.name): idea.advice
        for function in load_bank(exercise).of_kind(Function)
        for idea in function.wrong_ideas
    }
    ranked = sorted(who.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {
            "rank": rank,
            "question": question,
            "idea": idea.replace("_", " "),
            "advice": advice.get((question, idea), ""),
            "who": sorted(students),
        }
        for rank, ((question, idea), students) in enumerate(ranked, start=1)
    ]


def _time(outcomes, name):
    """Seconds a submission: middle, sum, and the slowest; None when the run did not measure them."""
    took = {student: outcome.seconds for student, outcome in outcomes.items() if outcome.seconds}
    if not took:
        return None
    slowest = sorted(took.items(), key=lambda item: (-item[1], name(item[0])))[:SLOWEST]
    return {
        "median": median(took.values()),
        "sum": sum(took.values()),
        "slowest": [(name(student), seconds) for student, seconds in slowest],
    }


def _repairs(outcomes, name, anonymous):
    """(repair, who) for each line, the commonest first; without names only how many files had how many."""
    who = {}
    for student, outcome in outcomes.items():
        count = len(outcome.repairs)
        lines = [f"{count} repair{'s' * (count > 1)}"] * bool(count) if anonymous else set(outcome.repairs)
        for line in lines:
            who.setdefault(line, []).append(name(student))
    return sorted(((line, sorted(students)) for line, students in who.items()), key=lambda row: -len(row[1]))


def _people(outcomes, name, anonymous):
    """(student, why) for each submission at which a person has to look."""
    rows = []
    for student, outcome in outcomes.items():
        waiting = [q.name for q in outcome.questions.values() if q.verdict == results.TO_BE_MARKED]
        reasons = []
        if outcome.problem:
            reasons.append("not graded" if anonymous else f"not graded: {outcome.problem}")
        elif outcome.attention:
            reasons.append("look at the file" if anonymous else f"look at the file: {outcome.attention}")
        if waiting:
            reasons.append(f"to be marked: {', '.join(waiting)}")
        if reasons:
            rows.append((name(student), "; ".join(reasons), bool(outcome.problem or outcome.attention)))
    return sorted(rows, key=lambda row: (not row[2], row[0]))


def report_csv(outcomes, named=None):
    """Everything as CSV, one row for each student and question; with ``named`` as on the page."""
    columns = COLUMNS if named else COLUMNS + TEXTS
    text = io.StringIO()
    writer = csv.DictWriter(
        text, columns, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC, extrasaction="ignore"
    )
    writer.writeheader()
    rows = [
        _row((named or str)(student), outcome, question)
        for student, outcome in outcomes.items()
        for question in outcome.questions.values()
    ]
    for row in sorted(rows, key=lambda row: row["student"]):
        writer.writerow({column: number_or_guarded(value) for column, value in row.items()})
    return text.getvalue()


def _row(student, outcome, question):
    return {
        "student": student,
        "exercise": outcome.exercise,
        "question": question.name,
        "points": question.points,
        "max_points": question.max_points,
        "verdict": question.verdict,
        "misconceptions": " ".join(question.misconceptions),
        **_passed("visible", [case for case in question.cases if case.visible]),
        **_passed("fresh", [case for case in question.cases if not case.visible]),
        "question_seconds": question.seconds,
        "submission_points": outcome.score,
        "submission_seconds": outcome.seconds,
        "seed": outcome.seed,
        "isolation": outcome.isolation,
        "repairs": len(outcome.repairs),
        "hint": question.hint,
        "problem": outcome.problem,
        "attention": outcome.attention,
    }


def _passed(kind, cases):
    right = sum(case.verdict == results.CORRECT for case in cases)
    return {f"{kind}_passed": right, f"{kind}_cases": len(cases)}
