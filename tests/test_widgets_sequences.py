"""The dials of lesson 01 say and draw their numbers."""

import itertools

import numpy as np
import pytest
from dials import set_to

from course_utils import widgets_sequences
from course_utils.sequences import reach


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"taps": 3, "layers": 3, "growth": 1}, "reach 1 + 2 x 3 = 7 steps, 9 weights. It reads each."),
        ({"taps": 3, "layers": 4, "growth": 3}, "reach 1 + 2 x 40 = 81 steps, 12 weights. It reads each."),
        ({"taps": 2, "layers": 3, "growth": 3}, "= 14 steps, 6 weights. It reads 8 of them"),
        ({"taps": 5, "layers": 4, "growth": 2}, "dilations 1, 2, 4, 8: reach 1 + 4 x 15 = 61 steps"),
        ({"taps": 2, "layers": 1}, "1 layer of 2 taps"),
    ],
)
def test_the_reach_builder_says_its_numbers(values, words):
    assert words in set_to(widgets_sequences.reach_builder(), **values)


def test_three_layers_never_reach_sixty_steps_and_four_can():
    growths = widgets_sequences.GROWTH.values()
    assert max(reach(5, [growth**level for level in range(3)]) for growth in growths) < 60
    assert reach(3, [1, 3, 9, 27]) >= 60


def test_every_input_that_counts_stands_inside_the_picture():
    dial = widgets_sequences.reach_builder()
    for taps, layers, growth in itertools.product([2, 5], [1, 5], [1, 2, 3]):
        set_to(dial, taps=taps, layers=layers, growth=growth)
        places = dial.scene["inputs"].get_xdata()
        assert places.min() == 1 - reach(taps, [growth**level for level in range(layers)])
        assert dial.scene["inputs"].axes.get_xlim()[0] < places.min()


@pytest.mark.parametrize("block", [1, 6, 12])
@pytest.mark.parametrize("model", ["mean (pooling)", "running maximum, last value"])
def test_no_shuffle_moves_a_model_of_the_bag(model, block):
    assert "move it not at all" in set_to(widgets_sequences.shuffle_dial(), model=model, block=block)


@pytest.mark.parametrize(
    ("model", "block", "moves"),
    [
        ("largest rise over 3 steps (window)", 1, True),
        ("largest rise over 3 steps (window)", 6, False),
        ("h = 0.8 h + x, last state (loop)", 6, True),
        ("weight t/300 on step t (concatenation)", 6, True),
    ],
)
def test_the_shuffle_dial_shows_what_the_lesson_says(model, block, moves):
    words = set_to(widgets_sequences.shuffle_dial(), model=model, block=block)
    assert ("not at all" not in words) is moves


def test_all_answers_stand_inside_the_picture():
    dial = widgets_sequences.shuffle_dial()
    for model in widgets_sequences.SHUFFLED_MODELS:
        set_to(dial, model=model)
        low, high = dial.scene["answers"].axes.get_ylim()
        answers = dial.scene["answers"].get_ydata()
        assert low < np.min(answers)
        assert np.max(answers) < high
