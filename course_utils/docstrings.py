"""Short documents from what the environment brings: first paragraphs of docstrings, read but never run.

A docstring is read with ``ast`` and its first paragraph is cleaned to plain English without code, markup or
the name of the library, because a classifier that reads the name has nothing left to learn.
"""

import ast
import re
import warnings
from importlib import metadata
from pathlib import Path

from course_utils.tokens import tokens

LIBRARIES = {
    "torch": ("torch",),
    "sympy": ("sympy",),
    "matplotlib": ("matplotlib", "mpl"),
    "sqlalchemy": ("sqlalchemy",),
    "scipy": ("scipy",),
    "scikit-learn": ("scikit-learn", "scikit", "sklearn"),
    "networkx": ("networkx",),
    "numpy": ("numpy",),
    "fonttools": ("fonttools",),
    "ipython": ("ipython",),
    "prompt-toolkit": ("prompt_toolkit", "prompt-toolkit"),
    "huggingface-hub": ("huggingface", "hugging face"),
    "pydantic": ("pydantic",),
    "jupyter-server": ("jupyter",),
    "tornado": ("tornado",),
    "pygments": ("pygments",),
    "rich": ("rich",),
    "narwhals": ("narwhals",),
    "nbgrader": ("nbgrader",),
    "alembic": ("alembic",),
    "jinja2": ("jinja",),
    "pillow": ("pillow",),
    "mpmath": ("mpmath",),
    "joblib": ("joblib",),
    "fsspec": ("fsspec",),
    "babel": ("babel",),
    "nbconvert": ("nbconvert",),
    "beautifulsoup4": ("beautifulsoup", "beautiful soup"),
    "jedi": ("jedi",),
    "anyio": ("anyio",),
}
"""The libraries that are read, by the name of their distribution, and the names that leave their texts."""
SHORTEST, LONGEST = 5, 60
"""Tokens of a document."""
SKIPPED = {"..", "tests", "test", "testing", "conftest.py", "_vendor", "extern", "externals"}
"""Parts of paths that are not about the library: scripts outside it, its tests, copies of other libraries."""


def documents_of(library, whole=False):
    """The cleaned first paragraphs of a library's docstrings: those of 5 to 60 tokens, each text once.

    Parameters
    ----------
    library : a key of ``LIBRARIES``.
    whole : bool, all paragraphs of the docstrings, for a larger model.

    Returns
    -------
    list of texts, in the order of the files' paths and of the lines in each.

    Raises
    ------
    importlib.metadata.PackageNotFoundError : when the library is not installed.
    """
    names = _mention(LIBRARIES[library])
    first = {}
    for docstring in (text for path in source_files(library) for text in docstrings_in(path)):
        for paragraph in paragraphs(docstring)[: None if whole else 1]:
            text = clean(paragraph, names)
            if SHORTEST <= len(tokens(text)) <= LONGEST:
                first.setdefault(text.lower(), text)
    return list(first.values())


def source_files(library):
    """Paths of a library's Python files, where pip put them, sorted; without its tests."""
    files = metadata.distribution(library).files or []
    wanted = [file for file in files if file.suffix == ".py" and not SKIPPED.intersection(file.parts)]
    return [Path(file.locate()) for file in sorted(wanted, key=str)]


def docstrings_in(path):
    """The docstrings of a file's module, classes and functions, in the order of its lines; nothing is run."""
    with warnings.catch_warnings():
        # What Python warns of in the code of others: as an error it would pass for a syntax error.
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):  # written for another version of Python
            return []
    return [text for node in documented(tree) if (text := ast.get_docstring(node))]


def documented(statement):
    """The module, classes and functions in a tree, in the order of their lines; only blocks are searched."""
    if isinstance(statement, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        yield statement
    for block in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(statement, block, ()):
            yield from documented(inner)


def paragraphs(docstring):
    """The paragraphs of a docstring, between empty lines: list of texts of one line."""
    return [_one_line(block.splitlines()) for block in re.split(r"\n\s*\n", docstring.strip())]


def _one_line(lines):
    """A paragraph as one line. An underlined first line is a title and stays alone; a later one ends it."""
    lines = [line.strip() for line in lines]
    rules = [place for place, line in enumerate(lines) if re.fullmatch(r"([-=~^*#])\1{2,}", line)]
    end = max(1, rules[0] - 1) if rules else len(lines)
    return " ".join(lines[:end])


CODE = re.compile(
    r">>>|[$@|{}\\]|->|[=<>]{2}"  # prompts, formulas, operators
    r"|\w\((?!s\))|\w\["  # calls and indices, but not "row(s)"
    r"|:math:|\.\. |(?:^|\s):\w|::|_{3}|-{3}"  # mathematics, directives, fields, rules
    r"|https?:|/\w+/"  # addresses and paths
)
"""What shows code or mathematics: a paragraph that holds any is left out; without it no sentence is whole."""
TICKED = re.compile(r"(`+)(.+?)\1")
"""Text in backticks: a name, a link, or code, which has a sign of ``SIGN``."""
SIGN = re.compile(r"[^\w\s.~!,'-]")
ROLE = re.compile(r":(?!math)[a-z:]+:(?=`)")
"""The role of a cross-reference, as in :class:`~package.Name`."""
TARGET = re.compile(r"\s*<[^`<>]*>(?=`)")
"""Where a link in backticks leads."""


def clean(paragraph, mention):
    """A paragraph without markup and without the library's own name; "" where it holds code.

    Parameters
    ----------
    paragraph : text, one line.
    mention : compiled pattern of what must leave, see ``_mention``.

    Returns
    -------
    text; of dotted names only the last part is left.

    >>> clean("Apply a :class:`~torch.nn.Linear` layer to *each* row of a torch tensor.", _mention(["torch"]))
    'Apply a Linear layer to each row of a tensor.'
    """
    text = TARGET.sub("", ROLE.sub("", paragraph))
    if CODE.search(text) or any(SIGN.search(inside) for _ticks, inside in TICKED.findall(text)):
        return ""
    text = re.sub(r"`+_{1,2}(?!\w)|(?<=`)[~!.]+(?=\w)", "", text).replace("`", "")
    text = re.sub(r"(?<!\w)\*{1,2}(\S[^*]*?)\*{1,2}(?!\w)", r"\1", text)
    text = re.sub(r" ?\[\w+\]_", "", text)
    text = re.sub(r"\b(?:[A-Za-z_]\w+\.)+(?=[A-Za-z_])", "", text)
    text = mention.sub("", text)
    return " ".join(re.sub(r"\s+(?=[.,;:!?)])", "", text).split())


def _mention(names):
    """A pattern of every word that holds one of a library's names."""
    return re.compile(rf"\w*(?:{'|'.join(map(re.escape, names))})\w*", re.IGNORECASE)
