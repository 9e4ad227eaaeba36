"""First paragraphs of docstrings: what is read, in which order, and what leaves the text."""

import doctest
import re
import warnings

import pytest

from course_utils import docstrings
from course_utils.docstrings import LIBRARIES, clean, docstrings_in, documents_of, paragraphs
from course_utils.tokens import tokens

NO_NAME = re.compile("thisnameisnowhere")

PAGE = '''"""About the module."""
import nothing_that_exists
if nothing_that_exists:
    class Outer:
        """About the class."""
        def inner(self):
            """About the method."""
    try:
        async def late():
            """About the coroutine."""
    except ValueError:
        def spare():
            """About what happens otherwise."""
def last():
    """About what comes last."""
raise SystemExit("a file that is read is not run")
'''


@pytest.fixture
def page(tmp_path):
    def write(text, **how):
        path = tmp_path / "page.py"
        path.write_text(text, encoding="utf-8", **how)
        return path

    return write


def test_docstrings_come_in_the_order_of_the_lines_and_nothing_is_run(page):
    about = [
        "the module",
        "the class",
        "the method",
        "the coroutine",
        "what happens otherwise",
        "what comes last",
    ]
    assert docstrings_in(page(PAGE)) == [f"About {what}." for what in about]


def test_a_file_that_this_python_cannot_read_has_no_docstrings(page):
    assert docstrings_in(page('"""Text."""\nprint "old"')) == []


def test_what_python_warns_of_in_a_file_does_not_change_what_is_read(page):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert docstrings_in(page('"""Text."""\npattern = "\\d"')) == ["Text."]


@pytest.mark.parametrize(
    ("docstring", "paragraph"),
    [
        ("One line.\n    And its second.\n\n    More.", "One line. And its second."),
        ("A title\n-------\nText below.", "A title"),
        ("A summary.\nReturns\n-------\nfloat", "A summary."),
        ("\n\nAfter empty lines.", "After empty lines."),
    ],
)
def test_the_first_paragraph_ends_at_an_empty_line_or_at_a_heading(docstring, paragraph):
    assert paragraphs(docstring)[0] == paragraph


def test_all_paragraphs_can_be_had():
    assert paragraphs("One.\n  \nTwo\nlines.\n\n\nA title\n=======\nThree.") == [
        "One.",
        "Two lines.",
        "A title",
    ]


def test_whole_docstrings_hold_the_first_paragraphs_and_more(texts):
    whole = documents_of("networkx", whole=True)
    assert {text.lower() for text in texts} < {text.lower() for text in whole}


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("See :func:`~pkg.module.name` for ``more``.", "See name for more."),
        ("Use `a link <https://example.org/page>`_ here.", "Use a link here."),
        (
            "This is *slanted* and **bold**, but 2 * 3 * 4 stays.",
            "This is slanted and bold, but 2 * 3 * 4 stays.",
        ),
        ("Of `one` (or ``two``) see `three`.", "Of one (or two) see three."),
        (
            "Calls `__init__` of :class:`.Base`, and `that <name>`__ too.",
            "Calls __init__ of Base, and that too.",
        ),
        ("Known since long ago [1]_.", "Known since long ago."),
        ("Some, i.e. two or e.g. three, of module.submodule.name.", "Some, i.e. two or e.g. three, of name."),
        ("Takes the row(s) that it needs.", "Takes the row(s) that it needs."),
    ],
)
def test_markup_leaves_and_the_words_stay(marked, plain):
    assert clean(marked, NO_NAME) == plain


@pytest.mark.parametrize(
    "code",
    [
        ">>> one + one",
        "The value of f(x) at a point.",
        "The square ``a[i] ** 2`` of an element.",
        "The sum :math:`x + y` of two numbers.",
        "What `n + 1` steps cost.",
        "The sum $x + y$ of two numbers.",
        "name(input) -> output",
        ".. note:: Read on below.",
        "Sort these. :param rows: what is sorted",
        "See https://example.org for more.",
        "In short::",
        "One of {a, b}.",
    ],
)
def test_a_paragraph_that_holds_code_is_left_out(code):
    assert clean(code, NO_NAME) == ""


@pytest.mark.parametrize(
    "written", ["torch", "Torch", "PyTorch", "torch_function", "TorchScript", "__torch__"]
)
def test_every_word_that_holds_the_librarys_name_leaves(written):
    pattern = docstrings._mention(LIBRARIES["torch"])
    assert clean(f"What {written} gives.", pattern) == "What gives."


@pytest.fixture(scope="module")
def texts():
    return documents_of("networkx")


def test_documents_have_5_to_60_tokens_and_no_text_comes_twice(texts):
    assert {len(tokens(text)) for text in texts} <= set(range(5, 61))
    assert len({text.lower() for text in texts}) == len(texts) > 1000


def test_documents_do_not_name_their_library(texts):
    assert not [text for text in texts if "networkx" in text.lower()]


def test_reading_twice_gives_the_same_documents_in_the_same_order(texts):
    assert documents_of("networkx") == texts


def test_tests_of_a_library_and_scripts_outside_it_are_not_read():
    paths = docstrings.source_files("networkx")
    assert len(paths) > 100
    assert not [path for path in paths if {"tests", "bin"} & set(path.parts[-4:])]


def test_examples_of_the_docstrings():
    result = doctest.testmod(docstrings)
    assert result.attempted
    assert result.failed == 0
