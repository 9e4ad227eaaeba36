"""The dials of lesson 10 say and draw their numbers."""

import numpy as np
import pytest
from dials import CLASSES, TEXTS, classifiers, pads_dial, reading_dial, set_to, small_vocabulary

from course_utils.classifier import after_each_word, behind_pads
from course_utils.tokens import tokens
from course_utils.widgets_classifier import in_order


def numbers(text):
    return small_vocabulary().encode(text)


def test_the_curves_are_the_probabilities_after_each_word():
    dial = reading_dial()
    set_to(dial, text=1, model="GRU")
    shares = after_each_word(classifiers()["GRU"], numbers(tokens(TEXTS[1]))).numpy()
    for name, column in zip(CLASSES, shares.T, strict=True):
        np.testing.assert_allclose(dial.scene[name].get_ydata(), column)


def test_a_bag_ends_at_the_same_value_in_every_order_and_a_unit_does_not():
    ends = {}
    for model in ("GRU", "bag"):
        dial = reading_dial()
        ends[model] = [
            set_to(dial, text=0, model=model, order=order) and dial.scene["sympy"].get_ydata()[-1]
            for order in ("as written", "backwards", "sorted by letter")
        ]
    np.testing.assert_allclose(ends["bag"], ends["bag"][0], rtol=1e-5)
    assert np.ptp(ends["GRU"]) > 1e-4


def test_the_words_below_are_those_of_the_document_and_unknown_ones_stand_in_brackets():
    dial = reading_dial()
    set_to(dial, text=1)
    shown = [artist.get_text() for name, artist in dial.scene.moving.items() if name.startswith("word")]
    assert [word for word in shown if word] == ["draw", "the", "(axes)"]


def test_the_words_of_the_dial_name_the_end_and_the_word_of_the_largest_change():
    dial = reading_dial()
    shares = np.stack([dial.scene[name].get_ydata() for name in CLASSES], axis=1)
    assert f"torch {shares[-1, 0]:.2f}" in dial.alt
    jump = int(np.abs(np.diff(shares, axis=0)).max(axis=1).argmax()) + 1
    assert f'word {jump + 1}, "{tokens(TEXTS[0])[jump]}"' in dial.alt


@pytest.mark.parametrize(
    ("order", "words"),
    [("as written", "b c a"), ("backwards", "a c b"), ("sorted by letter", "a b c")],
)
def test_words_are_put_in_order(order, words):
    assert in_order(["b", "c", "a"], order) == words.split()


def test_no_word_below_leaves_the_picture():
    dial = reading_dial()
    box = dial.scene.figure.bbox
    words = [artist for name, artist in dial.scene.moving.items() if name.startswith("word")]
    assert all(
        box.count_contains(word.get_window_extent().get_points()) == 2 for word in words if word.get_text()
    )


def test_the_curves_over_pads_are_those_of_the_mistake():
    dial = pads_dial()
    set_to(dial, text=1, pads=7)
    shares = behind_pads(classifiers()["GRU"], numbers(tokens(TEXTS[1])), 60).numpy()
    for name, column in zip(CLASSES, shares.T, strict=True):
        np.testing.assert_allclose(dial.scene[name].get_ydata(), column)
    assert dial.scene["pads"].get_xdata() == [7, 7]
    assert f"read behind 7 pads {CLASSES[shares[7].argmax()]} {shares[7].max():.2f}" in dial.alt


def test_the_pads_dial_says_when_the_class_first_changes():
    dial = pads_dial()
    for text in range(len(TEXTS)):
        set_to(dial, text=text)
        ahead = np.stack([dial.scene[name].get_ydata() for name in CLASSES], axis=1).argmax(axis=1)
        turned = np.flatnonzero(ahead != ahead[0])
        wanted = (
            f"first overtaken behind {turned[0]} pads" if turned.size else "ahead behind any number to 60"
        )
        assert wanted in dial.alt
