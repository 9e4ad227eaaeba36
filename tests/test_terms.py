"""Which term is at fault: what right and wrong cases say about it."""

import doctest

from course_utils import terms
from course_utils.terms import advice, at_fault


def test_the_term_that_fails_alone_is_at_fault():
    assert at_fault([(["x"], True), (["h"], False), (["x", "h"], False)]) == ["h"]


def test_a_term_that_never_stands_alone_is_found_by_what_is_in_order():
    assert at_fault([(["x"], True), (["x", "h"], False)]) == ["h"]


def test_two_terms_can_be_at_fault():
    cases = [(["x"], True), (["h"], False), (["b"], False), (["x", "h", "b"], False)]
    assert at_fault(cases) == ["h", "b"]


def test_terms_that_fail_only_together_are_not_blamed():
    assert at_fault([(["x"], True), (["h"], True), (["x", "h"], False)]) == []


def test_no_term_is_blamed_when_nothing_is_right():
    assert at_fault([(["x"], False), (["h"], False)]) == []


def test_nothing_is_blamed_when_all_is_right():
    assert at_fault([(["x"], True)]) == []
    assert advice([]) == ""


def test_the_sentence_names_every_term():
    assert advice(["x", "h"]).startswith(
        "Look at x and h: every case in which one of them plays a part fails"
    )


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(terms).failed == 0
