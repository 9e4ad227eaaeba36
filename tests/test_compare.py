"""Comparison of an answer with the expected value: what agrees, and in which words it differs."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils.compare import Band, close, describe, mismatch, numbers
from grading.shown import curves

NUMBERS = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)
ARRAYS = arrays(float, array_shapes(max_dims=3, max_side=5), elements=NUMBERS)
ROW = np.array([1.0, 3.0, 6.0, 10.0])
ONE_WRONG = np.array([1.0, 3.0, 7.0, 10.0])
ONE_NAN = np.array([1.0, 3.0, np.nan, 10.0])


@given(ARRAYS)
def test_a_value_agrees_with_itself(array):
    assert mismatch(array, array) is None


@given(ARRAYS)
def test_float32_agrees_with_float64(array):
    assert mismatch(array, array.astype(np.float32)) is None


@given(ARRAYS)
def test_a_list_agrees_with_an_array(array):
    assert mismatch(array, array.tolist()) is None


@given(ARRAYS, st.data())
def test_one_changed_entry_is_found(array, data):
    place = tuple(data.draw(st.integers(0, side - 1)) for side in array.shape)
    changed = array.copy()
    changed[place] += 1 + np.abs(array).max()
    assert mismatch(array, changed) is not None


@given(arrays(bool, array_shapes(max_dims=2, max_side=5)))
def test_truth_values_are_compared(array):
    assert mismatch(array, array) is None
    assert mismatch(array, ~array) is not None


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "float16"])
def test_small_kinds_of_numbers_do_not_wrap_around(dtype):
    expected = np.array([0, 100, 3], dtype=dtype)
    assert mismatch(expected, expected) is None
    assert mismatch(expected, expected[::-1]) is not None


BAND = Band(np.array([0, 1, 2, 1]), 0.75)


def test_a_trained_answer_needs_enough_right_predictions():
    assert mismatch(BAND, [0, 1, 2, 0]) is None
    assert mismatch(BAND, [0, 1, 0, 0]) == "50% of the 4 predictions are right; at least 75% are needed"
    assert mismatch(BAND, [0, 1, 0, 0], reveal=False) == "too few of the predictions are right"


@pytest.mark.parametrize("got", [None, "right", [0, 1, 2], [[0, 1, 2, 1]], [float("nan")] * 4])
def test_a_trained_answer_of_another_form_is_not_right(got):
    assert mismatch(BAND, got)


def test_a_band_is_described_by_what_it_asks():
    assert describe(BAND) == "75% of 4 right"


def test_whole_numbers_agree_with_the_same_floats():
    assert mismatch(np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])) is None


def test_the_smallest_negative_integer_is_not_taken_for_right():
    assert mismatch(np.array([-128], "int8"), np.array([127], "int8")) is not None


def test_empty_arrays_agree():
    assert mismatch(np.empty((2, 0)), np.empty((2, 0))) is None


def test_empty_arrays_of_other_shapes_differ():
    assert "shape (0,)" in mismatch(np.empty((2, 0)), np.empty(0))


def test_infinity_agrees_with_the_same_infinity_only():
    agree = close([np.inf, np.inf, -np.inf, np.inf], [np.inf, -np.inf, -np.inf, 1e300])
    assert agree.tolist() == [True, False, True, False]


def test_nan_agrees_with_nan_only():
    assert close([np.nan, np.nan, 1.0], [np.nan, 1.0, np.nan]).tolist() == [True, False, False]


def test_an_infinite_answer_is_not_right():
    assert mismatch(1.0, np.inf) is not None


def test_an_infinite_value_does_not_widen_the_tolerance_of_the_others():
    assert mismatch(np.array([np.inf, 1.0]), np.array([np.inf, 1.01])) is not None


def test_vanishing_values_are_compared_without_a_warning():
    assert "3 of 3 values differ" in mismatch(np.array([1e-310, 1e-312, 1e-315]), np.array([1.0, 2.0, 5.0]))


def test_errors_of_one_in_a_thousand_are_found():
    assert mismatch(ROW, ROW * [1, 1, 1.001, 1]) is not None


def test_complex_values_are_compared():
    assert mismatch(np.array([1 + 2j]), np.array([1 + 2j])) is None
    assert mismatch(np.array([1 + 2j, 1j]), np.array([1 + 2j, 2j])) is not None


def test_a_complex_answer_with_no_imaginary_part_is_a_real_one():
    assert mismatch(ROW, ROW.astype(complex)) is None


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (None, "return statement missing"),
        (-ROW, "the sign is wrong"),
        (ROW[::-1], "reverse order"),
        (np.array([0.0, 1.0, 3.0, 6.0]), "one step too late"),
        (np.array([3.0, 6.0, 10.0, 0.0]), "one step too early"),
        (2.5 * ROW, "2.5 times"),
        (ONE_NAN, "1 of 4 values are NaN"),
        (ONE_WRONG, "the first at index 2: expected 6, got 7"),
        (ROW[:3], "shape (3,) came back, expected shape (4,)"),
        (3.0, "a single number came back"),
        ("text", "str"),
        ({"a": 1}, "dict"),
        (object(), "object"),
        ([1.0, [2.0, 3.0]], "list"),
    ],
)
def test_the_sentence_names_the_slip(got, words):
    assert words in mismatch(ROW, got)


def test_a_transposed_answer_is_recognised():
    assert "transposed" in mismatch(np.ones((2, 3)), np.ones((3, 2)))


def test_a_conjugated_answer_is_recognised():
    assert "complex conjugate" in mismatch(np.array([1 + 2j]), np.array([1 - 2j]))


def test_a_real_answer_to_a_complex_question_is_recognised():
    assert "complex" in mismatch(np.array([1 + 2j]), np.array([1.0]))


@pytest.mark.parametrize("got", [2.0, ONE_WRONG])
def test_hidden_values_are_not_revealed(got):
    expected = 1234.5 if np.ndim(got) == 0 else 1234.5 * ROW
    assert "1234" not in mismatch(expected, got, reveal=False)


def test_a_single_wrong_number_is_shown():
    assert mismatch(1.5, 2.0) == "the number differs: expected 1.5, got 2"


def test_each_value_of_a_pair_is_compared():
    assert mismatch((ROW, 2.0), (ROW, 2.0)) is None
    assert mismatch((ROW, 2.0), (ROW, 3.0)).startswith("value 2 of 2:")


def test_all_wrong_values_of_several_are_named_at_once():
    assert mismatch((ROW, 2.0, ROW), (0 * ROW, 2.0, 0 * ROW)).startswith("value 1 of 3 (wrong too: 3): ")
    assert mismatch((ROW, 2.0), (0 * ROW, 3.0), reveal=False) == "value 1 of 2: some values differ"


@pytest.mark.parametrize("got", [np.array([1, 0, 0]), [1, 0, 0]])
def test_decimals_that_are_cut_off_are_named(got):
    assert "whole numbers came back" in mismatch(np.array([1.0, 0.8, 0.64]), got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (np.array([1.0, 2.0]), np.array([1, 3])),
        (np.array([1.0, np.inf]), np.array([1, 3])),
        (np.array([0.5, 2.0]), np.array([1.0, 3.0])),
        (np.array([0.5, 2.0]), np.array([1, 2, 3])),
        (np.array([0.5j]), np.array([1])),
    ],
)
def test_nothing_is_said_of_decimals_where_none_are_cut_off(expected, got):
    assert "whole numbers" not in mismatch(expected, got)


@pytest.mark.parametrize(("got", "words"), [(ROW, "one ndarray"), ((ROW,), "1 values")])
def test_a_pair_with_a_part_missing_is_counted(got, words):
    assert words in mismatch((ROW, 2.0), got)


def test_a_pair_with_none_in_it_is_not_right():
    assert "value 2 of 2" in mismatch((ROW, 2.0), (ROW, None))


def test_texts_are_compared():
    assert mismatch("decays", "decays") is None
    assert mismatch("decays", "grows") == "the text differs"


def test_an_array_is_not_an_answer_to_a_question_for_text():
    assert mismatch("decays", np.array(["decays", "decays"])) is not None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros((2, 0)), "shape (2, 0)"),
        (np.float32(1.5), "1.5"),
        (True, "True"),
        (np.True_, "1"),
        (None, "None"),
        ("a", "'a'"),
        ((1, 2), "tuple of 2"),
        (1 + 2j, "1+2j"),
    ],
)
def test_a_value_is_described_in_few_words(value, words):
    assert describe(value) == words


def test_texts_of_unequal_length_take_no_room():
    many = ["x" * 100_000] + [""] * 5_000
    tracemalloc.start()
    sentence = mismatch(ROW, many)
    drawn = curves(ROW, many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000
    assert (drawn, sentence.endswith("numbers are written without quotes")) == ({}, True)


@pytest.mark.parametrize("value", [[1.0, "2"], "1", [[1], [[["x"]]]], [1, [2, 3]], {"a": 1}, None])
def test_what_is_not_all_numbers_has_none(value):
    assert numbers(value) is None
