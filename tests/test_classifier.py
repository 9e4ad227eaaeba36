"""Classifiers: padding changes nothing where lengths are minded, and each summary is what it says."""

import pytest
import torch
from torch import nn

from course_utils.batching import pad
from course_utils.classifier import (
    SUMMARIES,
    Classifier,
    after_each_word,
    behind_pads,
    parameters_beyond_vectors,
)

V, K = 30, 3
ROWS = [[4, 9, 2, 7, 5], [8, 3], [6], [11, 12, 13, 4]]
RECURRENT = ["RNN", "LSTM", "GRU"]


def model_of(kind, own_length=True, seed=0):
    torch.manual_seed(seed)
    return Classifier(kind, V, K, own_length).double()


def scores(model, rows, pads=0):
    ids, lengths = pad(rows)
    ids = torch.cat([ids, torch.zeros(len(ids), pads, dtype=torch.int64)], dim=1)
    return model(ids, lengths)


@pytest.mark.parametrize("kind", SUMMARIES)
def test_scores_do_not_depend_on_pads_or_on_the_rest_of_the_batch(kind):
    model = model_of(kind)
    together = scores(model, ROWS, pads=7)
    alone = torch.cat([scores(model, [row]) for row in ROWS])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", SUMMARIES)
def test_read_where_the_batch_ends_scores_change_with_pads_and_without_pads_they_do_not(kind):
    right, wrong = model_of(kind), model_of(kind, own_length=False)
    equal = [[4, 9, 2], [8, 3, 5]]
    torch.testing.assert_close(scores(right, equal), scores(wrong, equal), rtol=0, atol=0)
    assert (scores(right, ROWS, 7) - scores(wrong, ROWS, 7)).abs().max() > 1e-4


@pytest.mark.parametrize("kind", RECURRENT)
def test_the_last_state_is_that_of_the_packed_rows(kind):
    model = model_of(kind)
    ids, lengths = pad(ROWS)
    packed = nn.utils.rnn.pack_padded_sequence(
        model.vectors(ids), lengths, batch_first=True, enforce_sorted=False
    )
    h_n = model.summary.unit(packed)[1]
    last = (h_n[0] if kind == "LSTM" else h_n)[0]
    torch.testing.assert_close(model.summary(model.vectors(ids), lengths), last, rtol=0, atol=1e-12)


def test_a_bag_is_the_mean_of_the_vectors():
    model = model_of("bag")
    wanted = torch.stack([model.vectors.weight[torch.tensor(row)].mean(dim=0) for row in ROWS])
    ids, lengths = pad(ROWS)
    torch.testing.assert_close(model.summary(model.vectors(ids), lengths), wanted)


def test_a_convolution_keeps_the_largest_answer_of_each_channel():
    model = model_of("convolution")
    x = model.vectors(torch.tensor([ROWS[0]]))[0]
    walls = torch.cat([x.new_zeros(1, 100), x, x.new_zeros(1, 100)])
    weight, bias = model.summary.windows.weight, model.summary.windows.bias
    answers = torch.stack([(weight * walls[t : t + 3].T).sum(dim=(1, 2)) + bias for t in range(len(x))])
    ids, lengths = pad(ROWS[:2])
    summary = model.summary(model.vectors(ids), lengths)
    torch.testing.assert_close(summary[0], torch.relu(answers).amax(dim=0))


@pytest.mark.parametrize("kind", SUMMARIES)
def test_only_a_bag_is_blind_to_the_order(kind):
    model = model_of(kind)
    moved = (scores(model, [ROWS[0]]) - scores(model, [ROWS[0][::-1]])).abs().max()
    assert (moved < 1e-12) == (kind == "bag")


@pytest.mark.parametrize(
    ("kind", "count"),
    [("bag", 404), ("convolution", 39044), ("RNN", 29956), ("LSTM", 118276), ("GRU", 88836)],
)
def test_parameters_apart_from_the_vectors(kind, count):
    assert parameters_beyond_vectors(Classifier(kind, V, 4)) == count


def test_the_vector_of_the_pad_is_zero_and_gets_no_gradient():
    model = model_of("GRU", own_length=False)
    scores(model, ROWS).sum().backward()
    assert not model.vectors.weight[0].any()
    assert not model.vectors.weight.grad[0].any()
    assert model.vectors.weight.grad[9].any()


@pytest.mark.parametrize("kind", SUMMARIES)
def test_probabilities_after_each_word_are_those_of_the_beginnings(kind):
    model = model_of(kind)
    shares = after_each_word(model, ROWS[0])
    wanted = torch.cat([scores(model, [ROWS[0][:end]]) for end in range(1, 6)]).softmax(dim=1)
    torch.testing.assert_close(shares, wanted.detach(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", RECURRENT)
def test_behind_pads_is_the_mistake_with_so_many_pads(kind):
    model, wrong = model_of(kind), model_of(kind, own_length=False)
    shares = behind_pads(model, ROWS[1], most=4)
    wanted = torch.cat([scores(wrong, [ROWS[1]], pads) for pads in range(5)]).softmax(dim=1)
    torch.testing.assert_close(shares, wanted.detach(), rtol=0, atol=1e-12)
