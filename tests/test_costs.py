"""Bytes that a graph holds, counted against formulas; the order of what is timed."""

import pytest
import torch
from torch import nn

from course_utils import costs
from course_utils.cells import rnn_forward
from course_utils.layers import start_weights

SIZES = [(4, 7, 3, 5), (2, 1, 6, 3), (3, 20, 2, 8)]


def case(B, T, d, H, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    weights = [w.requires_grad_() for w in start_weights(d, H, generator, dtype)]
    return torch.randn(B, T, d, generator=generator, dtype=dtype), weights, torch.zeros(B, H, dtype=dtype)


@pytest.mark.parametrize(("B", "T", "d", "H"), SIZES)
@pytest.mark.parametrize(("dtype", "bytes_each"), [(torch.float32, 4), (torch.float64, 8)])
def test_the_loop_holds_every_state_once(B, T, d, H, dtype, bytes_each):
    x, weights, h0 = case(B, T, d, H, dtype)
    held = costs.held_bytes(lambda: rnn_forward(x, *weights, h0), apart=[x, h0, *weights])
    assert held == B * T * H * bytes_each
    with_inputs = costs.held_bytes(lambda: rnn_forward(x, *weights, h0), apart=[h0, *weights])
    assert with_inputs - held == B * T * d * bytes_each


def test_views_of_one_tensor_count_once():
    x = torch.ones(10, requires_grad=True)
    y = 2 * x
    assert costs.held_bytes(lambda: (y[:5] * y[5:]).sum() + (y * y).sum()) == 40


def test_nothing_is_held_without_gradients():
    x, weights, h0 = case(*SIZES[0])
    with torch.no_grad():
        assert costs.held_bytes(lambda: rnn_forward(x, *weights, h0)) == 0


def test_counting_changes_neither_result_nor_gradient():
    x, weights, h0 = case(*SIZES[0])
    seen = []
    costs.held_bytes(lambda: seen.append(rnn_forward(x, *weights, h0).sum()))
    seen[0].backward()
    counted = [w.grad.clone() for w in weights]
    for w in weights:
        w.grad = None
    rnn_forward(x, *weights, h0).sum().backward()
    assert all(torch.equal(w.grad, grad) for w, grad in zip(weights, counted, strict=True))


@pytest.mark.parametrize(("make", "copies"), [(torch.optim.Adam, 4), (torch.optim.SGD, 2)])
def test_training_holds_weights_gradients_and_what_the_optimiser_keeps(make, copies):
    model = nn.RNN(3, 5)
    optimiser = make(model.parameters(), lr=0.1)
    model(torch.ones(7, 4, 3))[0].sum().backward()
    optimiser.step()
    assert costs.training_bytes(optimiser) == copies * 4 * sum(w.numel() for w in model.parameters())


def test_runs_take_turns_on_one_core_and_the_fastest_counts(monkeypatch):
    clock = iter([0, 5, 5, 6, 10, 13, 20, 24])  # 5 and 1, then 3 and 4 seconds
    monkeypatch.setattr(costs, "clock", lambda: next(clock))
    threads, seen = torch.get_num_threads(), []
    runs = [lambda: seen.append(("a", torch.get_num_threads())), lambda: seen.append(("b", 1))]
    assert costs.fastest(runs, repeats=2) == [3, 1]
    assert seen == [("a", 1), ("b", 1)] * 2
    assert torch.get_num_threads() == threads


def test_the_number_of_cores_comes_back_after_an_error():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    with pytest.raises(ZeroDivisionError):
        costs.fastest([lambda: 1 / 0])
    assert torch.get_num_threads() == 2
    torch.set_num_threads(threads)
