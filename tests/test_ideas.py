"""Known mistakes in an answer: one that explains all of it, or one for each of several values."""

from dataclasses import replace

import pytest

from course_utils.plain import from_plain, to_plain
from grading.ideas import recognise
from grading.paper import paper
from grading.runner import Answer

SHEET = paper("ex06", "bptt_gradients", 3)  # five values
TELLING = range(len(SHEET.cases))


def answered(*values):
    """An answer to each case: the reference's, with those values that the named ideas give at a position."""
    answers = []
    for number in TELLING:
        mine = list(SHEET.expected[number])
        for position, idea in values:
            mine[position] = SHEET.ideas[idea][1][number][position]
        answers.append(Answer("ok", from_plain(to_plain(tuple(mine)))))
    return answers


PAIRS, START = (1, "pairs_with_the_new_state"), (3, "start_is_the_first_delta")


def test_an_idea_that_explains_everything_stands_alone():
    named, explained = recognise(SHEET, answered(PAIRS), TELLING)
    assert (list(named), explained) == (["pairs_with_the_new_state"], True)


def test_two_mistakes_in_two_values_are_both_named():
    named, explained = recognise(SHEET, answered(PAIRS, START), TELLING)
    assert (set(named), explained) == ({"pairs_with_the_new_state", "start_is_the_first_delta"}, True)


def test_what_no_idea_explains_is_left_open():
    answers = answered(PAIRS)
    for answer in answers:
        answer.value[4][...] += 1
    named, explained = recognise(SHEET, answers, TELLING)
    assert (list(named), explained) == (["pairs_with_the_new_state"], False)


def test_part_of_an_idea_is_not_that_idea():
    part = (1, "mean_over_steps")  # which also divides the other two weights
    assert recognise(SHEET, answered(part, START), TELLING) == (
        {"start_is_the_first_delta": SHEET.ideas["start_is_the_first_delta"][0]},
        False,
    )


def test_an_idea_that_changes_nothing_here_is_not_named():
    sheet = replace(SHEET, ideas={"harmless": ("Your ...", SHEET.expected)})
    assert recognise(sheet, answered(PAIRS, START), TELLING) == ({}, False)


@pytest.mark.parametrize("value", [None, 1.0, (1.0, 2.0), "five"])
def test_an_answer_of_another_form_holds_no_idea(value):
    answers = [*answered(PAIRS, START)[:-1], Answer("ok", value)]
    assert recognise(SHEET, answers, TELLING) == ({}, False)


def test_an_answer_that_raises_somewhere_holds_no_idea_by_value():
    answers = [*answered(PAIRS, START)[:-1], Answer("raised", error_type="ValueError")]
    assert recognise(SHEET, answers, TELLING) == ({}, False)
