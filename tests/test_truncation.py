"""Truncated backpropagation: windows against autograd, and the task that needs distance."""

import doctest

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils import truncation
from course_utils.cells import rnn_step

quick = settings(deadline=None, max_examples=20)
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
B, T, d, H, K = 3, 11, 2, 5, 4


def network(seed=0):
    """An ``nn.RNN`` and a readout with biases, a batch and targets, all sizes different, in float64."""
    rng = torch.Generator().manual_seed(seed)
    rnn, readout = nn.RNN(d, H, batch_first=True).double(), nn.Linear(H, K).double()
    with torch.no_grad():
        for weight in [*rnn.parameters(), *readout.parameters()]:
            weight.copy_(torch.randn(weight.shape, generator=rng, dtype=torch.float64) / 2)
    x = torch.randn(B, T, d, generator=rng, dtype=torch.float64)
    return rnn, readout, x, torch.randn(B, T, K, generator=rng, dtype=torch.float64)


def by_steps(rnn, readout, x, targets, k):
    """The same gradients from a plain loop over steps that is cut before every k-th."""
    rnn.zero_grad()
    readout.zero_grad()
    weights = rnn.weight_ih_l0, rnn.weight_hh_l0, rnn.bias_ih_l0 + rnn.bias_hh_l0
    h, loss = torch.zeros(B, H, dtype=torch.float64), 0
    for t in range(T):
        h = rnn_step(x[:, t], h.detach() if t % k == 0 else h, *weights)
        loss = loss + (readout(h) - targets[:, t]).square().sum() / (2 * B)
    loss.backward()
    return {"W_xh": rnn.weight_ih_l0.grad, "W_hh": rnn.weight_hh_l0.grad, "W_hy": readout.weight.grad}


@quick
@given(st.integers(0, 1000), st.integers(1, T + 3))
def test_windows_give_the_gradient_of_a_loop_that_is_cut_at_every_edge(seed, k):
    found = truncation.windowed_gradients(*network(seed), k)
    expected = by_steps(*network(seed), k)
    for name in expected:
        torch.testing.assert_close(found[name], expected[name], **CLOSE)


@pytest.mark.parametrize("k", [T, T + 1, 1000])
def test_a_window_as_long_as_the_sequence_gives_the_full_gradient(k):
    full = by_steps(*network(), 1000)
    for name, gradient in truncation.windowed_gradients(*network(), k).items():
        torch.testing.assert_close(gradient, full[name], **CLOSE)


def test_the_readout_never_notices_the_windows():
    whole, cut = (truncation.windowed_gradients(*network(), k) for k in (T, 2))
    torch.testing.assert_close(cut["W_hy"], whole["W_hy"], **CLOSE)
    assert not torch.allclose(cut["W_hh"], whole["W_hh"])


def test_gradients_do_not_pile_up_from_call_to_call():
    task = network()
    first, second = (truncation.windowed_gradients(*task, 4) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_mean_over_the_batch_does_not_depend_on_its_size():
    rnn, readout, x, targets = network()
    one = truncation.windowed_gradients(rnn, readout, x, targets, 4)
    twice = truncation.windowed_gradients(rnn, readout, x.repeat(2, 1, 1), targets.repeat(2, 1, 1), 4)
    torch.testing.assert_close(one["W_xh"], twice["W_xh"], **CLOSE)


@pytest.mark.parametrize("lag", [1, 4, 6])
def test_the_targets_are_the_inputs_so_many_steps_late(lag):
    x, targets = truncation.echo_task(3, 7, lag, torch.Generator().manual_seed(1))
    assert x.shape == targets.shape == (3, 7, 1)
    assert torch.equal(targets[:, lag:], x[:, : 7 - lag])
    assert not targets[:, :lag].any()


def test_the_echo_network_hardly_forgets():
    rnn, _ = truncation.echo_network(8, torch.Generator().manual_seed(2))
    silence = torch.zeros(1, 100, 1, dtype=torch.float64)
    h0 = 0.01 * torch.ones(1, 1, 8, dtype=torch.float64)
    assert rnn(silence, h0)[1].norm() > 0.98 * h0.norm()


def test_the_weights_that_write_are_blind_to_an_echo_beyond_the_window():
    rnn, readout = truncation.echo_network(16, torch.Generator().manual_seed(3))
    task = truncation.echo_task(512, 60, 10, torch.Generator().manual_seed(4))
    full, below, above = (truncation.windowed_gradients(rnn, readout, *task, k) for k in (60, 10, 20))
    assert abs(truncation.cosine(below["W_xh"], full["W_xh"])) < 0.6
    assert truncation.cosine(above["W_xh"], full["W_xh"]) > 0.95


def test_the_cosine_does_not_depend_on_lengths_and_knows_the_sign():
    rng = torch.Generator().manual_seed(5)
    one, other = torch.randn(3, 4, generator=rng), torch.randn(3, 4, generator=rng)
    by_hand = ((one * other).sum() / one.norm() / other.norm()).item()
    assert truncation.cosine(one, other) == pytest.approx(by_hand, rel=1e-5)
    assert truncation.cosine(-7 * one, other) == pytest.approx(-by_hand, rel=1e-5)


def test_the_examples_of_the_module_run():
    result = doctest.testmod(truncation, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 4
    assert result.failed == 0
