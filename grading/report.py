"""Tables for the instructor: the class at a glance, one submission in detail."""

from rich.table import Table
from rich.text import Text

from grading import results

ASK_AGAIN = "look at the file, ask the student for another"
LETTERS = {
    results.CORRECT: ("", "green"),
    results.WRONG: ("w", "red"),
    results.RAISED: ("r", "red"),
    results.TOO_SLOW: ("s", "red"),
    results.CRASHED: ("c", "red"),
    results.NOT_ANSWERED: ("-", "dim"),
    results.UNREADABLE: ("u", "red"),
    results.TO_BE_MARKED: ("m", "cyan"),
    results.MARKED: ("", "cyan"),
}
"""The letter and colour of a verdict in the class table, which fits into 80 columns."""


def class_table(exercise, outcomes):
    """One row a student: the sum, and for each question its points and the letter of its verdict."""
    names = list(next(iter(outcomes.values())).questions)
    table = Table(title=f"{exercise}: {len(outcomes)} submissions", pad_edge=False)
    table.add_column("student", overflow="fold")
    table.add_column("points", justify="right", no_wrap=True)
    for number in range(len(names)):
        table.add_column(str(number + 1), justify="right", no_wrap=True)
    for student, outcome in sorted(outcomes.items()):
        cells = [_cell(outcome.questions[name]) for name in names]
        table.add_row(Text(student), f"{outcome.score:g}/{outcome.max_score:g}", *cells)
    return table


def _cell(question):
    letter, colour = LETTERS[question.verdict]
    return Text(f"{question.points:g} {letter}".rstrip(), style=colour)


def class_notes(outcomes):
    """What stands below the class table: questions, letters, seed, and who had which wrong idea."""
    names = list(next(iter(outcomes.values())).questions)
    questions = ", ".join(f"{number} {name}" for number, name in enumerate(names, start=1))
    letters = ", ".join(f"{letter} {verdict}" for verdict, (letter, _) in LETTERS.items() if letter)
    seeds = {outcome.seed for outcome in outcomes.values() if not outcome.problem}
    lines = [f"Questions: {questions}.", f"Letters: {letters}."]
    lines += [f"Seed of the fresh cases: {seed} (--seed {seed} draws them again)." for seed in seeds]
    kinds = sorted({outcome.isolation for outcome in outcomes.values() if not outcome.problem})
    lines += [f"Isolation: {', '.join(kinds)}."] if kinds else []
    ideas = {}
    for student, outcome in sorted(outcomes.items()):
        for name, question in outcome.questions.items():
            for idea in question.misconceptions:
                ideas.setdefault(f"{name}: {idea}", []).append(student)
    ranked = sorted(ideas.items(), key=lambda item: (-len(item[1]), item[0]))
    lines += [f"Misconception {idea}: {', '.join(students)}" for idea, students in ranked]
    return lines


def outcome_table(outcome):
    """One row a question, with its hint; the repairs below."""
    title = f"{outcome.exercise}: {outcome.score:g} of {outcome.max_score:g} points"
    caption = Text("\n".join(outcome.repairs)) if outcome.repairs else None
    table = Table(title=title, caption=caption, show_lines=True)
    for column in ("question", "points", "verdict", "hint"):
        table.add_column(column)
    for question in outcome.questions.values():
        points = f"{question.points:g}/{question.max_points:g}"
        table.add_row(question.name, points, question.verdict, Text(question.hint))
    return table


def problems(outcomes):
    """One line for each submission at whose file a person has to look, whether it was graded or not."""
    lines = []
    for student, outcome in sorted(outcomes.items()):
        if outcome.problem:
            advice = f"failures/{student}.txt holds the error" if outcome.failed else ASK_AGAIN
            lines.append(f"{student}: {outcome.problem}; {advice}")
        elif outcome.attention:
            lines.append(f"{student}: graded, but look at the file: {outcome.attention}")
    return lines
