"""The dials of lesson 09 say and draw their numbers."""

import numpy as np
import pytest
from dials import SENTENCES, random_trace, set_to, trace_viewer

from course_utils import widgets_gated


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"bias": 1.0, "write": 0.0}, "f = 0.7311, horizon 3.192 steps; across 100 steps 2.48e-14 of the 1"),
        ({"bias": 2.0, "write": 0.0}, "across 100 steps 3.07e-06 of the 1 is left"),
        ({"bias": 5.0, "write": 0.0}, "f = 0.9933, horizon 148.9 steps; across 100 steps 0.511"),
        ({"bias": 8.0, "write": 0.0}, "the cell ends at 0.967, and noise makes 0 of it"),
        ({"bias": 8.0, "write": 0.05}, "noise makes 0.341 of it"),
        ({"bias": 8.0, "write": 0.15}, "noise makes 1.02 of it"),
    ],
)
def test_the_gate_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_gated.gate_dial(), **values)


@pytest.mark.parametrize("write", [0.0, 0.4, 1.0])
def test_the_cell_stays_inside_its_panel(write):
    dial = widgets_gated.gate_dial()
    set_to(dial, bias=8.0, write=write)
    cell = dial.scene["cell"]
    assert np.abs(cell.get_ydata()).max() < cell.axes.get_ylim()[1]


def test_without_writing_the_cell_is_what_is_left_of_the_1():
    scene = widgets_gated.gate_dial(bias=3.0, write=0.0).scene
    np.testing.assert_allclose(scene["cell"].get_ydata(), scene["kept"].get_ydata())


def test_the_viewer_shows_the_unit_and_the_sentence_that_are_chosen():
    dial = trace_viewer()
    set_to(dial, sentence=1, unit=4)
    for name, part in random_trace()._asdict().items():
        np.testing.assert_array_equal(dial.scene[name].get_ydata(), part[1, :, 3])


def test_the_words_under_the_viewer_are_those_of_the_sentence():
    dial = trace_viewer()
    set_to(dial, sentence=1)
    for twin in ("", " again"):
        shown = [dial.scene[f"word {place}{twin}"].get_text() for place in range(1, 6)]
        assert shown == SENTENCES[1].split()


def test_no_word_under_the_viewer_leaves_the_picture():
    dial = trace_viewer()
    box = dial.scene.figure.bbox
    words = [artist for name, artist in dial.scene.moving.items() if name.startswith("word")]
    assert all(box.count_contains(word.get_window_extent().get_points()) == 2 for word in words)


def test_the_viewer_says_what_the_forget_gates_leave():
    dial = trace_viewer()
    f = dial.scene["f"].get_ydata()
    assert f"multiply to {f[1:].prod():.3g};" in dial.alt
