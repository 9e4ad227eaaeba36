"""The dials of lesson 11 say and draw what their models say."""

import re

import numpy as np
import pytest
import torch
from dials import SUMMARIES, prefix_dial, sampler, set_to, small_model

from course_utils.bpe import encode_texts
from course_utils.ngrams import count_followers, distribution
from course_utils.sampling import BEGIN


def heights(dial, kind):
    return np.array([dial.scene[f"{kind} {place}"].get_ydata()[1] for place in range(1, 11)])


def test_without_any_rule_tokens_are_drawn_as_the_model_says():
    dial = sampler(temperature=1.0, mass=1.0)
    np.testing.assert_allclose(heights(dial, "drawn"), heights(dial, "model"), rtol=1e-5)
    assert re.search(r"(\d+) of \1 tokens can come next, and they held 1.00", dial.alt)


def test_top_1_draws_the_same_text_again_and_again():
    dial = sampler(k=1)
    first = dial.scene["text"].get_text()
    assert "1 of" in dial.alt
    set_to(dial, draw=7)
    assert dial.scene["text"].get_text() == first


def test_another_draw_is_another_text_and_the_first_comes_back():
    dial = sampler()
    first = dial.scene["text"].get_text()
    set_to(dial, draw=2)
    assert dial.scene["text"].get_text() != first
    set_to(dial, draw=1)
    assert dial.scene["text"].get_text() == first


@pytest.mark.parametrize(("name", "value"), [("temperature", 0.1), ("mass", 0.3), ("k", 5)])
def test_each_rule_gives_the_likeliest_more(name, value):
    dial = sampler()
    set_to(dial, **{name: value})
    assert heights(dial, "drawn")[0] > heights(dial, "model")[0]


def test_the_text_goes_on_from_the_beginning_that_is_chosen():
    dial = sampler()
    for prompt, start in enumerate(("return the", "compute")):
        set_to(dial, prompt=prompt)
        assert dial.scene["text"].get_text().startswith(start)


def test_the_prefix_dial_shows_what_both_models_say_of_the_tokens_read():
    dial, (model, encoder) = prefix_dial(), small_model()
    set_to(dial, text=1, kept=3, discount=0.5)
    row = [BEGIN, *encoder.encode(SUMMARIES[1]).ids]
    with torch.no_grad():
        network = torch.softmax(model.eval()(torch.tensor([row[-4:-1]]))[0][0, -1], dim=0)
    best = network.topk(10)
    np.testing.assert_allclose(heights(dial, "network"), best.values, rtol=1e-5)
    tables = count_followers(encode_texts(encoder, SUMMARIES), order=4)
    counts = distribution(tables, row[-4:-1], len(network), 0.5)
    np.testing.assert_allclose(heights(dial, "counts"), counts[best.indices])


def test_counts_do_not_hear_a_fourth_token_and_the_network_does():
    dial = prefix_dial()
    seen = []
    for kept in (3, 4, 12):
        set_to(dial, kept=kept)
        seen.append(re.findall(r"give[s]? it ([\d.e-]+\d)", dial.alt))
    assert len({counts for _, counts in seen}) == 1
    assert len({network for network, _ in seen}) == 3


@pytest.mark.parametrize("dial", [prefix_dial, sampler])
def test_numbers_at_the_height_axis_take_the_same_room_for_any_height(dial):
    ax = dial().scene["word 1"].axes
    ax.set_ylim(0, 0.2)
    ax.figure.canvas.draw()
    assert {len(label.get_text()) for label in ax.get_yticklabels()} == {len("0.125")}
    assert ax.yaxis.label.get_window_extent().x0 >= 0
