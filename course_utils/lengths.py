"""Lengths of real rows, from what the environment brings along: nothing is downloaded."""

import ast
from pathlib import Path

import numpy as np

from course_utils.series import google_close


def docstring_sentences():
    """First paragraphs of the docstrings of NumPy's ``lib`` package, read without running it.

    Returns
    -------
    list of texts, in the order of the files.
    """
    texts = []
    for tree in _numpy_files():
        documented = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        texts += [ast.get_docstring(node) for node in documented]
    return [text.split("\n\n")[0] for text in texts if text and text.strip()]


def words_per_sentence():
    """Words in each docstring's first paragraph: (N,) array of ints."""
    return np.array([len(text.split()) for text in docstring_sentences()])


def letters_per_name():
    """Letters in the name of each function and class of NumPy's ``lib`` package: (N,) array of ints."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = {node.name for tree in _numpy_files() for node in ast.walk(tree) if isinstance(node, kinds)}
    return np.array(sorted(map(len, names)))


def days_between_records():
    """Trading days from one highest price so far to the next, for one share: (N,) array of ints."""
    _days, price = google_close()
    records = np.flatnonzero(price == np.maximum.accumulate(price))
    return np.diff(records)


def _numpy_files():
    folder = Path(np.__file__).parent / "lib"
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))]
