"""The dials of lesson 12 say and draw what the model says."""

from functools import partial

import pytest
import torch
from dials import DIGITS, png, read_digits, set_to, state_dial, translation_dial, untrained

from course_utils.beam import beam_search, probability
from course_utils.seq2seq import final_state, free_run, next_scores, rounded_state
from course_utils.widgets_seq2seq import STEPS


def encoded(number):
    words = torch.tensor([read_digits(number)[1]])
    with torch.no_grad():
        return final_state(untrained(), words, torch.tensor([words.shape[1]]))


@pytest.mark.parametrize("width", [1, 4])
def test_the_translation_is_the_best_answer_of_the_beam(width):
    dial = translation_dial(number=27, width=width)
    with torch.no_grad():
        found = beam_search(partial(next_scores, untrained()), encoded(27)[0], width, STEPS)
    product = torch.tensor(dial.scene["said"].get_ydata()).double().prod().item()
    assert product == pytest.approx(probability(found[0]), rel=1e-4)
    assert f"probability {probability(found[0]):.3g}" in dial.alt


def test_the_next_best_word_is_another_one_and_no_likelier_when_greedy():
    dial = translation_dial(number=5, width=1)
    for t, (p, q) in enumerate(
        zip(dial.scene["said"].get_ydata(), dial.scene["next"].get_ydata(), strict=True), start=1
    ):
        assert q <= p
        assert dial.scene["word", t].get_text() != dial.scene["other", t].get_text()


def test_answers_that_are_not_there_are_not_listed():
    dial = translation_dial(number=5, width=4)
    set_to(dial, width=1)
    assert dial.scene["answer", 1].get_text()
    assert not dial.scene["answer", 2].get_text()


def test_the_decoder_gets_the_rounded_state_at_its_size():
    dial = state_dial(number=31, share=0.5, levels=5)
    wanted = 0.5 * rounded_state(encoded(31), 5)
    torch.testing.assert_close(torch.tensor(dial.scene["got"].get_ydata()), wanted[0])
    with torch.no_grad():
        said = free_run(untrained(), wanted, STEPS)[0]
    assert DIGITS.words[int(said[0])] in dial.scene["answer"].get_text()


def test_at_size_0_every_number_gets_the_same_answer():
    dial = state_dial(share=0.0)
    answers = set()
    for number in (1, 22, 333):
        set_to(dial, number=number)
        answers.add(dial.scene["answer"].get_text())
    assert len(answers) == 1
    assert png(dial).startswith(b"\x89PNG")


def test_rounding_knows_its_levels():
    h = torch.linspace(-1, 1, 101)
    assert rounded_state(h, 5).unique().tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert (rounded_state(h, 5) - h).abs().max() <= 0.25 + 1e-6
