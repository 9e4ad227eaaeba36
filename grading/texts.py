"""What a cell is, in a notebook of ours and in one that was handed in, and what a student added to ours."""

import ast
import functools
import re
import symtable
import warnings
from collections import Counter
from dataclasses import dataclass

from grading.magics import runnable

SIMILAR = 0.6  # the share of words in common from which two texts count as versions of one
MOST_CHARACTERS = 20_000  # a longer text is not parsed
COMPARED_CHARACTERS = 100_000  # a longer text, or one of more lines, is not held against ours
COMPARED_LINES = 2_000
EXTRA = "extra-"  # begins the id of a student's own cell in a rebuilt notebook
PASTED = {ord(space): " " for space in "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"}
PASTED |= {ord(nothing): None for nothing in "\u200b\u200c\u200d\u2060\ufeff"}
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")  # of a terminal: colours, links, moves
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")  # and changes of direction


def plain_text(text):
    """A text without a terminal's escape sequences and without control characters, but newline and tab.

    >>> plain_text("\\x1b[31mred\\x1b[0m\\x07")
    'red'
    """
    return CONTROLS.sub("", ESCAPES.sub("", text))


@dataclass(frozen=True)
class Cell:
    """The parts of a submitted cell that count, whatever the rest looks like."""

    kind: str  # code, markdown or raw
    source: str
    grade_id: str | None = None
    id: str | None = None


def plain_cell(cell):
    """A submitted cell as a ``Cell``; anything in it may have any type."""
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    kind = cell.get("cell_type")
    return Cell(
        kind if kind in ("code", "markdown", "raw") else "code",
        (_text(cell.get("source")) or "").replace("\r\n", "\n").replace("\r", "\n"),
        _text(mark.get("grade_id")) if isinstance(mark, dict) else None,
        _text(cell.get("id")),
    )


def _text(value):
    """A text, or the lines of one, in characters that can be written to a file; None for anything else."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None


def mark(cell):
    """The nbgrader metadata of a released cell; empty for most cells."""
    return cell.metadata.get("nbgrader", {})


def is_answer(cell):
    """Whether a released cell holds an answer: code, or a written text."""
    return mark(cell).get("solution", False)


def is_check(cell):
    """Whether a released cell is a check of ours."""
    return bool(mark(cell)) and not is_answer(cell)


def answer_name(cell):
    """The question that a released answer or check cell belongs to, e.g. ``one_pole``; None for others."""
    return mark(cell).get("grade_id", "").partition("-")[2] or None


def answer_texts(notebook):
    """The text of every answer cell of a notebook of ours: {question: text}."""
    return {answer_name(cell): cell.source for cell in notebook.cells if is_answer(cell)}


def is_extra(cell):
    """Whether a cell of a rebuilt notebook is the student's own, beside the answers."""
    return cell.id.startswith(EXTRA)


def same(text, other):
    """Whether two sources differ in nothing but space at the ends of lines."""
    return trimmed(text) == trimmed(other)


def trimmed(text):
    """A source without space at the ends of its lines and without empty lines around it."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def alike(text, other):
    """The share of words that two texts have in common, from 0 to 1.

    >>> alike("carry the state", "carry the state on")
    0.8571428571428571
    """
    words, others = _words(text[:MOST_CHARACTERS]), _words(other[:MOST_CHARACTERS])
    total = words.total() + others.total()
    return 2 * (words & others).total() / total if total else 0.0


@functools.lru_cache(maxsize=256)
def _words(text):
    return Counter(re.findall(r"\w+", text))


def parsed(source, most=MOST_CHARACTERS):
    """The syntax tree of a cell's code, or None when it has none, or more characters than ``most``."""
    return _read(source, ast.parse, most)


def _read(source, reader, most=MOST_CHARACTERS):
    if len(source) > most:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python remarks on is told where the cell runs
        try:
            return reader(runnable(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def defines(source, name):
    """Whether the code of a cell gives this name a value, also when it is not quite Python yet.

    >>> defines("a, b = 1, 2", "b"), defines("print(b)", "b"), defines("def b(x:", "b")
    (True, False, True)
    """
    if name not in source:
        return False
    names = _defined(source)
    if names is None:
        return bool(re.search(rf"^(def|class)[ \t]+{name}\b|^{name}[ \t]*(:[^=\n]*)?=(?!=)", source, re.M))
    return name in names


@functools.lru_cache(maxsize=1024)
def _defined(source):
    """The names that a cell gives a value; None when it is no Python."""
    table = _read(source, lambda text: symtable.symtable(text, "cell", "exec"))
    if table is None:
        return None
    return {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }


def is_prose(source):
    """Whether the text of a code cell was meant to be read: no Python, or only comments and texts."""
    tree = parsed(source)
    if tree is None and len(source) > MOST_CHARACTERS:
        return False
    if tree is None:
        return not re.search(
            r"^[ \t]*(def|class|import|from|for|while|return)\b|[=({][ \t]*$", source, re.M
        )  # no \s here: it crosses lines, and many empty ones would be gone through again from each of them
    constants = [node.value for node in tree.body if isinstance(node, ast.Expr)]
    return len(constants) == len(tree.body) and all(
        isinstance(constant, ast.Constant) and isinstance(constant.value, str) for constant in constants
    )


@functools.lru_cache(maxsize=256)
def added_code(ours, theirs, definitions_only=False):
    """The statements that a student added to a code cell of ours.

    >>> added_code("check(f)", "import math\\ncheck(f)\\nprint(1)", definitions_only=True)
    'import math'
    """
    tree = parsed(theirs)
    if tree is None:
        return "" if definitions_only else theirs
    known = {text for _, text in _statements(ours, parsed(ours).body)}
    lines, kept = theirs.split("\n"), set()
    for node, text in _statements(theirs, tree.body):
        wanted = not (definitions_only and isinstance(node, ast.Expr | ast.Assert))
        if wanted and text not in known:
            kept.update(range(_first_line(node) - 1, node.end_lineno))
    return "\n".join(lines[number] for number in sorted(kept))


def _statements(source, nodes):
    lines = source.split("\n")
    return [(node, "\n".join(lines[_first_line(node) - 1 : node.end_lineno]).strip()) for node in nodes]


def _first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])


def added_text(ours, theirs):
    """The lines that a student added to a text cell of ours; a line of ours that was corrected is none.

    A text that is too long for that comparison is all the student's.

    >>> added_text("Why is this so?", "Why is this so?\\nIt averages.")
    'It averages.'
    """
    if len(theirs) > COMPARED_CHARACTERS or theirs.count("\n") > COMPARED_LINES:
        return theirs
    known = [line.strip() for line in ours.split("\n")]
    added = []
    for line in map(str.strip, theirs.split("\n")):
        begun = max((k for k in known if len(k) > 20 and line.startswith(k)), key=len, default="")
        corrected = line in known or any(alike(line, k) > SIMILAR for k in known)
        if not line or begun or not corrected:
            added.append(line.removeprefix(begun).strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(added)).strip()


def unfenced(source):
    """The code between the fences of a text cell or of pasted chat; the source when there are none.

    >>> unfenced("My answer:\\n```python\\nx = 1\\n```")
    'x = 1'
    """
    inside, kept, blocks = False, [], 0
    for line in source.split("\n"):
        if line.strip().startswith("```"):
            inside, blocks = not inside, blocks + 1
        elif inside:
            kept.append(line)
    return "\n".join(kept) if blocks else source


def with_plain_spaces(source):
    """Code with the spaces that a web page or a word processor put in, if it is Python only without them."""
    if len(source) > MOST_CHARACTERS:
        return source
    plain = source.translate(PASTED)
    return plain if plain != source and parsed(source) is None and parsed(plain) is not None else source
