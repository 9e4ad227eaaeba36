"""Stacks, two directions and the loop without sharing, against nn.RNN and by their properties."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils import layers
from course_utils.cells import rnn_forward
from course_utils.conventions import rnn_to_torch

TOL = {"rtol": 1e-12, "atol": 1e-12}
seeds = st.integers(0, 2**31).map(lambda seed: torch.Generator().manual_seed(seed))
sizes = st.integers(1, 5)
quick = settings(max_examples=30, deadline=None)


def drawn(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def fixed(seed=0):
    return torch.Generator().manual_seed(seed)


def start_of(forward, backward):
    """A two-directional nn.RNN with these weights."""
    H, d = forward[0].shape
    rnn = nn.RNN(d, H, batch_first=True, bidirectional=True, dtype=torch.float64)
    rnn.load_state_dict(rnn_to_torch([forward, backward], bidirectional=True))
    return rnn


@quick
@given(generator=seeds, B=sizes, T=sizes, d=sizes, H=sizes, L=st.integers(1, 4))
def test_a_stack_is_torchs_stack(generator, B, T, d, H, L):
    x = drawn(generator, B, T, d)
    stack = [layers.start_weights(size, H, generator) for size in [d] + [H] * (L - 1)]
    rnn = nn.RNN(d, H, num_layers=L, batch_first=True, dtype=torch.float64)
    rnn.load_state_dict(rnn_to_torch(stack))
    torch.testing.assert_close(layers.stacked_states(x, stack), rnn(x)[0], **TOL)


@quick
@given(generator=seeds, B=sizes, T=sizes, d=sizes, H=sizes)
def test_both_directions_are_torchs_two(generator, B, T, d, H):
    x, pair = drawn(generator, B, T, d), [layers.start_weights(d, H, generator) for _ in range(2)]
    torch.testing.assert_close(layers.both_directions(x, *pair), start_of(*pair)(x)[0], **TOL)


def test_the_backward_loop_ends_at_the_first_step():
    generator = fixed()
    x, pair = drawn(generator, 4, 7, 3), [layers.start_weights(3, 5, generator) for _ in range(2)]
    states, h_n = layers.both_directions(x, *pair), start_of(*pair)(x)[1]
    torch.testing.assert_close(states[:, 0, 5:], h_n[1], **TOL)
    torch.testing.assert_close(states[:, -1, :5], h_n[0], **TOL)


def test_without_sharing_equal_weights_are_the_loop():
    generator = fixed()
    x, weights = drawn(generator, 4, 7, 3), layers.start_weights(3, 5, generator)
    assert torch.equal(layers.unshared_states(x, [weights] * 9), rnn_forward(x, *weights))


def test_without_sharing_each_step_uses_its_own_weights():
    generator = fixed()
    x, steps = drawn(generator, 4, 5, 3), [layers.start_weights(3, 5, generator) for _ in range(5)]
    other = [*steps[:3], layers.start_weights(3, 5, generator), steps[4]]
    before, after = layers.unshared_states(x, steps), layers.unshared_states(x, other)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.isclose(before[:, 3:], after[:, 3:]).all(dim=2).any()


def test_a_sequence_longer_than_the_weights_is_refused():
    steps = [layers.start_weights(3, 5, fixed()) for _ in range(4)]
    with pytest.raises(ValueError, match="has 5 steps, but there are weights for 4 only"):
        layers.unshared_states(torch.zeros(2, 5, 3, dtype=torch.float64), steps)


def test_weights_start_as_torch_starts_its_own():
    W_xh, W_hh, b = layers.start_weights(40, 64, fixed())
    assert (W_xh.shape, W_hh.shape, b.shape) == ((64, 40), (64, 64), (64,))
    assert 0.99 / 8 < W_hh.abs().max() <= 1 / 8
    assert abs(W_hh.mean()) < 0.01
    assert layers.start_weights(2, 3, fixed(), torch.float32)[0].dtype == torch.float32


@pytest.mark.parametrize("step", [0, 3, 6])
def test_influence_reaches_the_future_forward_and_the_past_backward(step):
    generator = fixed()
    x, weights = drawn(generator, 4, 7, 3), layers.start_weights(3, 5, generator)
    ahead = layers.influence(lambda x: rnn_forward(x, *weights), x, step)
    back = layers.influence(lambda x: rnn_forward(x.flip(1), *weights).flip(1), x, step)
    both = layers.influence(lambda x: layers.both_directions(x, weights, weights), x, step)
    assert (ahead > 0).tolist() == [t >= step for t in range(7)]
    assert (back > 0).tolist() == [t <= step for t in range(7)]
    assert (both > 0).all()


def test_influence_leaves_the_inputs_as_they_are():
    x = drawn(fixed(), 2, 4, 3)
    kept = x.clone()
    layers.influence(lambda x: x, x, 1)
    assert torch.equal(x, kept)
