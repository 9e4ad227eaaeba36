"""Nothing that is committed repeats the text of the installed libraries, which the corpus is made of."""

import functools
import json

import pytest

from course_utils.corpus import documents
from course_utils.tokens import tokens
from grading import ROOT

WORDS = 10
"""Words in a row that nobody writes twice by chance."""
STORED = ["notebooks/*.ipynb", "data/*", "course_utils/*.toml", "course_utils/visible/*", "grading/source/**"]


def runs(text):
    """Every run of so many words of a text."""
    words = [word for word in tokens(text) if word[0].isalpha()]
    return {tuple(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


@functools.cache
def theirs():
    return set().union(*(runs(document.text) for document in documents()))


def texts(value):
    """All texts in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(map(texts, value))
    return value if isinstance(value, str) else ""


FILES = sorted(path for pattern in STORED for path in ROOT.glob(pattern) if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_sentence_of_a_library_is_stored(path):
    content = path.read_text(encoding="utf-8")
    if path.suffix in {".ipynb", ".json"}:
        content = texts(json.loads(content))
    assert runs(content) & theirs() == set()


def test_a_sentence_of_a_library_would_be_found():
    document = next(document for document in documents() if len(runs(document.text)) > 1)
    assert runs(f"The lesson shows: {document.text}") & theirs()
