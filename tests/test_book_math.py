"""Formulas of the book: what latex2mathml leaves open, and every formula of the course."""

import re
from xml.etree import ElementTree

import nbformat
import pytest

from grading.book_math import THIN, mathml
from grading.build import targets


def operators(formula):
    """The operators of a formula with their attributes: [(text, {name: value})]."""
    tree = ElementTree.fromstring(mathml(formula))
    return [(part.text, part.attrib) for part in tree.iter() if part.tag.endswith("}mo")]


def spaces(formula):
    return [(text, found.get("lspace"), found.get("rspace")) for text, found in operators(formula)]


@pytest.mark.parametrize(
    "formula", ["-1", "x = -1", "(-1)", "(0, -1)", r"2 \cdot -1", r"(1,\ -1)", r"a \qquad -1"]
)
def test_a_sign_belongs_to_what_follows_it(formula):
    assert [found["form"] for text, found in operators(formula) if text == "−"] == ["prefix"]


@pytest.mark.parametrize(
    "formula", ["a - 1", "(a) - 1", "|a| - 1", "a^2 - 1", r"a + \dots - 1", r"\sqrt a - 1"]
)
def test_a_sign_between_two_things_stands_between_them(formula):
    assert [found["form"] for text, found in operators(formula) if text == "−"] == ["infix"]


@pytest.mark.parametrize(
    ("formula", "before", "after"),
    [
        (r"\ln 2", "0", THIN),
        (r"2 \ln 2", THIN, THIN),
        (r"-\ln |x|", "0", THIN),
        (r"r \cos(x)", THIN, "0"),
        (r"\tanh^2 x", "0", THIN),
        (r"\lambda_{\max}", "0", "0"),
        (r"\operatorname{diag}(x)", "0", "0"),
        (r"g \cdot \min\left(1, c\right)", "0", "0"),
    ],
)
def test_the_name_of_a_function_is_set_apart_but_not_from_brackets(formula, before, after):
    names = [found for found in spaces(formula) if re.fullmatch("[a-z]+", found[0])]
    assert [found[1:] for found in names] == [(before, after)]


def test_the_imaginary_unit_stands_upright_beside_a_slanted_index():
    letters = [
        (part.text, part.get("mathvariant"))
        for part in ElementTree.fromstring(mathml(r"x_i e^{\mathrm{i}}")).iter()
        if part.text == "i"
    ]
    assert letters == [("i", None), ("i", "normal")]


@pytest.mark.parametrize("formula", ["|x|", r"\lVert x \rVert^2"])
def test_bars_close_on_what_they_hold_and_do_not_grow(formula):
    assert [(found["lspace"], found["rspace"], found["stretchy"]) for _, found in operators(formula)] == [
        ("0", "0", "false")
    ] * 2


def test_large_bars_stay_large():
    assert [found["stretchy"] for _, found in operators(r"\bigl| x \bigr|")] == ["true", "true"]


def test_a_row_with_dots_has_one_space_after_each_comma():
    assert spaces(r"x_1, \dots, x_T") == [(",", "0", THIN), ("…", "0", "0"), (",", "0", THIN)]


def test_thousands_are_not_torn_apart():
    assert spaces("10{,}000") == [(",", "0", "0")]


def test_an_operator_alone_takes_no_space():
    assert spaces(r"\odot") == [("⊙", "0", "0")]


def test_every_formula_of_the_course_can_be_written():
    cells = [cell for target in targets() for cell in nbformat.read(target.notebook, as_version=4).cells]
    text = "\n\n".join(re.sub("`[^`]*`", "", cell.source) for cell in cells if cell.cell_type == "markdown")
    formulas = {one or two for one, two in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text, re.S)}
    assert len(formulas) > 500
    assert [formula for formula in formulas if re.search(r"[\\$]|merror", mathml(formula))] == []
