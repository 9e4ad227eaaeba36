"""What pads do to a state: against the loop that reads them, and by worked numbers."""

import doctest

import numpy as np
import pytest
import torch

from course_utils import padding
from course_utils.cells import rnn_forward
from course_utils.layers import start_weights
from course_utils.tasks import ramp_rows

TOL = {"rtol": 1e-12, "atol": 1e-12}


def case(B=4, n=6, d=3, H=5):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(B, n, d, generator=generator, dtype=torch.float64)
    return x, start_weights(d, H, generator)


@pytest.mark.parametrize("pads", [0, 1, 9])
def test_the_walk_is_what_the_loop_does_with_zeros_behind_a_row(pads):
    x, (W_xh, W_hh, b) = case()
    padded = torch.cat([x, torch.zeros(4, pads, 3, dtype=torch.float64)], dim=1)
    states = rnn_forward(padded, W_xh, W_hh, b)[:, 5:]
    torch.testing.assert_close(padding.states_through_pads(states[:, 0], W_hh, b, pads), states, **TOL)


def test_the_distance_is_relative_to_the_state_at_its_own_length():
    h, W_hh, b = torch.tensor([[0.6, 0.8], [0.3, 0.4]]).double(), torch.zeros(2, 2), torch.zeros(2)
    far = padding.distance_walked(h, W_hh.double(), b.double(), 3)
    torch.testing.assert_close(far, torch.tensor([0.0, 1, 1, 1]).double(), **TOL)


@pytest.mark.parametrize("size", [0.5, 0.97, 1.0])
def test_a_state_that_only_shrinks_walks_farther_with_every_pad(size):
    h = 0.4 * torch.randn(20, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    far = padding.distance_walked(h, padding.turning_weights(size, 0, 4), torch.zeros(8).double(), 40)
    assert far[0] == 0
    assert (far.diff() > 0).all()
    assert far[-1] < 1


@pytest.mark.parametrize(("size", "degrees"), [(0.9, 0), (0.97, 20), (1.2, 90)])
def test_every_eigenvalue_of_turning_weights_has_the_size_and_the_angle(size, degrees):
    factors = np.linalg.eigvals(padding.turning_weights(size, degrees, pairs=3).numpy())
    assert len(factors) == 6
    np.testing.assert_allclose(np.abs(factors), size, rtol=1e-9)
    np.testing.assert_allclose(np.abs(np.degrees(np.angle(factors))), degrees, atol=1e-6)


def rows(count=6):
    return ramp_rows(count, range(1, 11), np.random.default_rng(2))


def tensors(made):
    return torch.as_tensor(made.x).float(), torch.as_tensor(made.lengths)


def test_a_reader_at_its_own_length_does_not_see_pads():
    reader, (x, lengths) = padding.LastStateReader(own_length=True), tensors(rows())
    assert torch.allclose(reader(x, lengths), reader(x[:, :18], lengths), atol=1e-6)


def test_a_reader_with_the_mistake_reads_the_end_of_the_rectangle():
    reader, (x, lengths) = padding.LastStateReader(own_length=False), tensors(rows())
    expected = reader.score(reader.rule(x[:, :18])[1][-1]).squeeze(1)
    assert torch.allclose(reader(x[:, :18], lengths), expected, atol=1e-6)
    assert not torch.allclose(reader(x, lengths), expected, atol=1e-4)


def test_both_readers_agree_on_rows_without_pads():
    right, wrong = padding.LastStateReader(True), padding.LastStateReader(False)
    wrong.load_state_dict(right.state_dict())
    x, lengths = torch.randn(3, 9, 2), torch.tensor([9, 9, 9])
    assert torch.equal(right(x, lengths), wrong(x, lengths))


def test_scores_have_an_accuracy_for_each_way_padding_and_seed():
    scores = padding.padding_scores(rows(40), rows(40), [18, 30, 48], seeds=[0, 1], steps=2)
    assert list(scores) == list(padding.MISTAKES)
    assert {(len(lists), len(seeds)) for lists in scores.values() for seeds in lists} == {(3, 2)}
    own = np.array(scores["own length"])
    np.testing.assert_allclose(own, own[:1].repeat(3, axis=0), atol=0.03)  # rounding may turn one of 40


def test_the_same_weights_are_asked_rightly_and_with_the_mistake():
    full = rows(200)._replace(lengths=np.full(200, 18))  # no pads: both ways read the same state
    scores = padding.padding_scores(full, full, [18], seeds=[0])
    assert scores["mistake in the test"] == scores["own length"]
    assert scores["own length"][0][0] > 0.9


def test_rows_are_never_cut_to_fewer_steps_than_they_have():
    with pytest.raises(ValueError, match="the longest row has"):
        padding.padding_scores(rows(), rows(), [9], seeds=[0], steps=1)


def test_the_examples_of_the_docstrings_run():
    assert doctest.testmod(padding).failed == 0
