"""The page of the book that puts what the sources state beside what the lessons measured."""

import re

from myst_parser.slugs import github_slugify

from course_utils.claims import claims
from grading.errors import UserError

SOURCES = {
    "slides": "lecture deck “Recurrent Neural Networks” (EE 641, Unit 4A)",
    "note": "course note “Recurrent neural networks”",
    "post": "blog post “RNN”",
}
PRINTED = re.compile(r"^claim (\S+): (?:stated (.*?)|property), measured (.*), holds$", re.M)
HEADING = re.compile(r"^(#{1,3})[ \t]+(.+?)[ \t]*$", re.M)
HEAD = """# Claims

Every statement of the sources that can be checked, beside what the lessons measured, read from their outputs.
A claim that does not hold stops a lesson, and a claim without a measurement stops this page.

Sources: {sources}.
"""
TABLE = "| claim | stated | tolerance | measured | source | section |\n|---|---|---|---|---|---|\n"


def claims_page(lessons):
    """The page as Markdown.

    Parameters
    ----------
    lessons : {name: notebook with its outputs}, in the order of the course.

    Raises
    ------
    UserError : for a claim that its lesson does not measure.
    """
    parts = [HEAD.format(sources="; ".join(f"*{short}* is the {long}" for short, long in SOURCES.items()))]
    for name, notebook in lessons.items():
        rows = [row for row in claims().values() if row["lesson"] == name[:2]]
        if rows:
            title = HEADING.search(notebook.cells[0].source)[2]
            measured = measurements(notebook)
            lines = (_line(row, name, measured.get(row["id"], ())) for row in rows)
            parts.append(f"\n## {title}\n\n{TABLE}{''.join(lines)}")
    return "".join(parts)


def measurements(notebook):
    """What a lesson's cells print of claims: {id: [(stated, measured, heading of its section)]}."""
    found, heading = {}, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = HEADING.findall(cell.source)
            heading = headings[-1][1] if headings else heading
        for output in cell.get("outputs", ()):
            for claim_id, stated, measured in PRINTED.findall(output.get("text", "")):
                found.setdefault(claim_id, []).append((stated or "true", measured, heading))
    return found


def _line(row, lesson, measured):
    if not measured:
        raise UserError(
            f"lesson {lesson} prints no measured value of the claim {row['id']}; "
            f"build it again: course build {lesson}"
        )
    stated, _, heading = measured[0]
    anchor = github_slugify(re.sub(r"\$.*?\$", "", heading))  # formulas are not in an anchor
    section = f"[{heading}](lessons/{lesson}.ipynb#{anchor})"
    values = "; ".join(dict.fromkeys(value for _, value, _ in measured))
    says = f"{_plain(row['says'])}<br>`{row['id']}`"
    return f"| {says} | {stated} | {tolerance(row)} | {values} | {row['source']} | {section} |\n"


def tolerance(row):
    """How far from the stated value a measured one may be, in words.

    >>> tolerance({"kind": "exact", "value": 99.5, "abs_tol": 0.05})
    '± 0.05'
    """
    if row["kind"] == "property":
        return "none"
    if row["kind"] == "band":
        return "within the band"
    if "log10_tol" in row:
        return f"a factor of {10 ** row['log10_tol']:.3g}"
    if "abs_tol" in row:
        return f"± {row['abs_tol']:,g}" if row["abs_tol"] else "none"
    return f"± {100 * row['rel_tol']:g} %" if "rel_tol" in row else "nine digits"


def _plain(text):
    """A text in which Markdown finds nothing to format."""
    return re.sub(r"([\\`*_\[\]<>|$#])", r"\\\1", text.replace("`", ""))
