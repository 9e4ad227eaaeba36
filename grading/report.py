"""Tables for the instructor: the class at a glance, one submission in detail."""

from rich.table import Table

from grading.results import CORRECT, NOT_ANSWERED, TO_BE_MARKED

ISOLATION_NOTE = (
    "Isolation: none. Students' code runs with your rights and can read your files; "
    "grade only files that you would run yourself."
)
COLOURS = {CORRECT: "green", NOT_ANSWERED: "dim", TO_BE_MARKED: "cyan"}


def class_table(exercise, outcomes):
    """One row a student: sum, points and verdict of each question, recognised misconceptions."""
    table = Table(title=f"{exercise}: {len(outcomes)} submissions", pad_edge=False)
    table.add_column("student", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    names = list(next(iter(outcomes.values())).questions)
    for name in names:
        table.add_column(name)
    table.add_column("misconceptions")
    for student, outcome in sorted(outcomes.items()):
        cells = [_cell(outcome.questions[name]) for name in names]
        named = [idea for question in outcome.questions.values() for idea in question.misconceptions]
        table.add_row(student, f"{outcome.score:g}/{outcome.max_score:g}", *cells, ", ".join(named))
    return table


def _cell(question):
    colour = COLOURS.get(question.verdict, "red")
    return f"{question.points:g} [{colour}]{question.verdict}[/]"


def outcome_table(outcome):
    """One row a question, with its hint; the repairs below."""
    title = f"{outcome.exercise}: {outcome.score:g} of {outcome.max_score:g} points"
    table = Table(title=title, caption="\n".join(outcome.repairs) or None, show_lines=True)
    for column in ("question", "points", "verdict", "hint"):
        table.add_column(column)
    for question in outcome.questions.values():
        points = f"{question.points:g}/{question.max_points:g}"
        table.add_row(question.name, points, question.verdict, question.hint)
    return table


def problems(outcomes):
    """One line for each file that could not be graded and needs a person."""
    return [
        f"{student}: {outcome.problem}; look at the file and ask the student for another"
        for student, outcome in sorted(outcomes.items())
        if outcome.problem
    ]
