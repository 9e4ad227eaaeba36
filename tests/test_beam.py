"""Beam search against a free run and against all rows there are."""

import itertools
import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.beam import Answer, beam_search, chain, normalised, probability
from course_utils.seq2seq import Seq2Seq, free_run, next_scores
from course_utils.tokens import BEGIN, END, PAD

V = 5
TIES = {"<bos>": {"d": 0.25, "c": 0.25, "b": 0.25, "a": 0.25}}


def decoder(seed):
    """An untrained decoder over five words, and a state."""
    model = Seq2Seq(V, V, H=3, E=2, seed=seed).double().requires_grad_(False)
    return model, torch.randn(3, generator=torch.Generator().manual_seed(seed)).double()


def all_rows(model, h, longest):
    """Every row that ends within so many words, with its log probability."""
    found = {}
    others = [word for word in range(V) if word != END]
    for T in range(longest):
        for words in itertools.product(others, repeat=T):
            state, last, log_p = h[None], BEGIN, 0.0
            for word in [*words, END]:
                scores, state = next_scores(model, torch.tensor([last]), state)
                log_p, last = log_p + torch.log_softmax(scores[0], dim=0)[word].item(), word
            found[(*words, END)] = log_p
    return found


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), longest=st.integers(1, 4), power=st.sampled_from([0.0, 0.6, 1.0]))
def test_a_beam_that_holds_everything_finds_all_rows_in_their_order(seed, longest, power):
    model, h = decoder(seed)
    found = beam_search(partial(next_scores, model), h, V**longest, longest, power)
    wanted = all_rows(model, h, longest)
    assert {answer.words for answer in found} == set(wanted)
    assert [answer.log_p for answer in found] == pytest.approx(
        [wanted[answer.words] for answer in found], abs=1e-10
    )
    order = [wanted[answer.words] / len(answer.words) ** power for answer in found]
    assert order == sorted(order, reverse=True)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), longest=st.integers(1, 8))
def test_a_beam_of_one_is_the_free_run(seed, longest):
    model, h = decoder(seed)
    (answer,) = beam_search(partial(next_scores, model), h, 1, longest)
    said = free_run(model, h[None], longest)[0].tolist()
    assert list(answer.words) == said
    assert answer.ended == (END in said)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), width=st.integers(2, 6))
def test_every_answer_has_the_probability_that_the_decoder_gives_its_words(seed, width):
    model, h = decoder(seed)
    wanted = all_rows(model, h, 5)
    for answer in beam_search(partial(next_scores, model), h, width, 5):
        if answer.ended:
            assert answer.log_p == pytest.approx(wanted[answer.words], abs=1e-10)


def test_greedy_is_beaten_by_a_beam_of_two():
    step, letters = chain(
        {"<bos>": {"a": 0.6, "b": 0.4}, "a": {"c": 0.5, "d": 0.5}, "b": {"<eos>": 0.9, "c": 0.1}}
    )
    best = [beam_search(step, torch.zeros(1), width, 5)[0] for width in (1, 2)]
    assert [letters.decode(answer.words) for answer in best] == [["a", "c", "<eos>"], ["b", "<eos>"]]
    assert [probability(answer) for answer in best] == pytest.approx([0.3, 0.36])


def test_a_wider_beam_may_lose_a_likelier_row():
    spread = {word: 1 / 9 for word in [*"abcdefgh", "<eos>"]}
    start = {"<bos>": {"a": 0.4, "b": 0.35, "c": 0.25}, "a": {"d": 0.34, "e": 0.33, "f": 0.33}}
    step, _ = chain({**start, "b": {"g": 0.5, "h": 0.5}, **dict.fromkeys("cgh", spread)})
    one, two, many = (probability(beam_search(step, torch.zeros(1), width, 6)[0]) for width in (1, 2, 40))
    assert many == pytest.approx(one) == pytest.approx(0.136)
    assert two < one / 5


def test_of_equally_likely_words_the_smaller_number_comes_first():
    step, letters = chain(TIES)
    found = beam_search(step, torch.zeros(1), 3, 5)
    assert [letters.decode(answer.words)[0] for answer in found] == ["a", "b", "c"]


def test_of_equally_likely_answers_the_one_that_ended_earlier_comes_first():
    step, letters = chain({"<bos>": {"a": 0.5, "<eos>": 0.5}})
    found = beam_search(step, torch.zeros(1), 2, 5)
    assert [letters.decode(answer.words) for answer in found] == [["<eos>"], ["a", "<eos>"]]


def test_an_answer_that_ended_takes_its_place_in_the_beam_with_it():
    step, _ = chain({"<bos>": {"<eos>": 0.6, "a": 0.4}, "a": {"b": 0.5, "c": 0.5}})
    assert len(beam_search(step, torch.zeros(1), 2, 5)) == 2


def test_impossible_words_are_no_answers():
    step, _ = chain({"<bos>": {"a": 1.0}})
    found = beam_search(step, torch.zeros(1), 50, 5)
    assert [answer.ended for answer in found] == [True]


def test_when_nothing_ends_the_broken_rows_come_back():
    step, _ = chain({"<bos>": {"a": 1.0}, "a": {"a": 1.0}})
    assert beam_search(step, torch.zeros(1), 2, 3) == [Answer((4, 4, 4), 0.0, False)]


def test_a_row_that_ended_comes_before_a_likelier_one_that_was_broken_off():
    step, letters = chain({"<bos>": {"a": 0.9, "<eos>": 0.1}, "a": {"a": 1.0}})
    assert [letters.decode(found.words) for found in beam_search(step, torch.zeros(1), 2, 3)] == [["<eos>"]]


def test_length_makes_up_for_more_factors():
    short, long = Answer((5, END), math.log(0.2), True), Answer((5, 6, 7, END), math.log(0.1), True)
    assert normalised(short, 0.0) > normalised(long, 0.0)
    assert normalised(short, 1.0) < normalised(long, 1.0)


def test_a_word_without_followers_ends():
    step, letters = chain({"<bos>": {"a": 1.0}})
    scores, _ = step(torch.tensor([PAD, *letters.encode(["a"])]), torch.zeros(2, 1))
    assert scores.argmax(dim=1).tolist() == [END, END]
