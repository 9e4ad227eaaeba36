"""The counter of what autograd holds: each piece of memory once, while a graph lives and no longer."""

import doctest

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from course_utils import graph_memory
from course_utils.cells import rnn_forward
from course_utils.graph_memory import GraphMemory

B, T, d, H = 2, 12, 3, 5
STATE = 8 * B * H


def network():
    rng = torch.Generator().manual_seed(0)
    draw = [torch.randn(*shape, generator=rng, dtype=torch.float64) for shape in [(H, d), (H, H), (H,)]]
    x = torch.randn(B, T, d, generator=rng, dtype=torch.float64)
    return x, [weight.requires_grad_() for weight in draw]


def test_a_plain_loop_holds_every_state_and_the_start():
    x, weights = network()
    with GraphMemory([x, *weights]) as memory:
        states = rnn_forward(x, *weights)
        assert memory.held == (T + 1) * STATE
    assert states.shape == (B, T, H)


def test_nothing_is_held_after_the_backward_pass_and_the_peak_is_remembered():
    x, weights = network()
    with GraphMemory([x, *weights]) as memory:
        rnn_forward(x, *weights).sum().backward()
    assert (memory.held, memory.peak) == (0, (T + 1) * STATE)


def test_a_graph_that_is_dropped_is_no_longer_counted():
    x, weights = network()
    with GraphMemory([x, *weights]) as memory:
        states = rnn_forward(x, *weights)
    del states
    assert memory.held == 0


def test_memory_shared_by_two_tensors_counts_once():
    W = torch.ones(4, requires_grad=True)
    factor = torch.ones(4)
    with GraphMemory([W]) as memory:
        kept = [W * factor, W * factor.view(2, 2).flatten()]
        assert memory.held == 16
        del kept[0]
        assert memory.held == 16
        kept.clear()
        assert memory.held == 0


def test_a_slice_counts_with_all_the_memory_that_it_keeps_alive():
    W, wide = torch.ones(2, requires_grad=True), torch.ones(100, 2)
    with GraphMemory([W]) as memory:
        kept = W * wide[0]
        assert memory.held == 800
    assert kept.shape == (2,)


def test_inputs_and_weights_count_unless_they_are_set_apart():
    x, weights = network()
    with GraphMemory() as memory:
        states = rnn_forward(x, *weights)
        assert memory.held == (T + 1) * STATE + x.nbytes + weights[1].nbytes
    assert states.requires_grad


def test_gradients_are_the_same_inside_and_outside():
    x, weights = network()
    outside = torch.autograd.grad(rnn_forward(x, *weights).square().sum(), weights)
    with GraphMemory():
        inside = torch.autograd.grad(rnn_forward(x, *weights).square().sum(), weights)
    assert all(torch.equal(one, other) for one, other in zip(outside, inside, strict=True))


@pytest.mark.parametrize("s", [2, 3, 4, 6])
def test_checkpoints_hold_the_starts_of_the_segments_and_one_segment(s):
    x, weights = network()
    h = torch.zeros(B, H, dtype=torch.float64)
    with GraphMemory([x, *weights]) as memory:
        for start in range(0, T, s):
            part = x[:, start : start + s]
            h = checkpoint(lambda *a: rnn_forward(*a)[:, -1].clone(), part, *weights, h, use_reentrant=True)
        h.sum().backward()
    assert memory.peak == (T // s + s) * STATE


def test_the_examples_of_the_module_run():
    result = doctest.testmod(graph_memory)
    assert result.attempted > 3
    assert result.failed == 0
