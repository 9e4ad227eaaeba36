"""The references of exercise 06 against autograd in float64, central differences, nn.RNN and properties."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.cells import rnn_forward, rnn_step
from course_utils.conventions import rnn_to_torch
from course_utils.reference.ex06 import (
    bptt_deltas,
    bptt_gradients,
    masked_loss,
    numerical_gradient,
    truncated_bptt,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-11}
sizes = st.permutations([2, 3, 4, 5])  # B, T, d, H: no two equal, so no axes can be swapped
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
quick = settings(max_examples=25, deadline=None)


def close(got, expected):
    torch.testing.assert_close(got, expected, **CLOSE)


def normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape))


def network(rng, B, T, d, H):
    """x, upstream, h0, W_xh, W_hh, b."""
    shapes = (B, T, d), (B, T, H), (B, H), (H, d), (H, H), (H,)
    return [0.7 * normal(rng, *shape) for shape in shapes]


def states_and_gradients(x, upstream, h0, W_xh, W_hh, b):
    """Autograd's word: the gradients at every state, then of W_xh, W_hh, b, h0 and x."""
    leaves = [value.clone().requires_grad_() for value in (W_xh, W_hh, b, h0, x)]
    W_xh, W_hh, b, h, x = leaves
    states = []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_xh, W_hh, b)
        states.append(h)
    loss = sum((upstream[:, t] * h).sum() for t, h in enumerate(states))
    at_states, others = (
        torch.autograd.grad(loss, states, retain_graph=True),
        torch.autograd.grad(loss, leaves),
    )
    return torch.stack(states, dim=1).detach(), torch.stack(at_states, dim=1), others


def by_recursion(x, upstream, h0, W_xh, W_hh, b):
    """The same gradients by the two references."""
    states = rnn_forward(x, W_xh, W_hh, b, h0)
    return bptt_gradients(x, states, h0, bptt_deltas(upstream, states, W_hh), W_xh, W_hh)


@quick
@given(seeds, sizes)
def test_deltas_equal_autograd_at_every_state(rng, shape):
    x, upstream, h0, W_xh, W_hh, b = network(rng, *shape)
    states, expected, _ = states_and_gradients(x, upstream, h0, W_xh, W_hh, b)
    close(bptt_deltas(upstream, states, W_hh), expected)


@quick
@given(seeds, st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_a_delta_is_its_upstream_where_nothing_comes_back(rng, B, T, H):
    upstream, states = normal(rng, B, T, H), torch.tanh(normal(rng, B, T, H))
    close(bptt_deltas(upstream, states, torch.zeros(H, H).double()), upstream)


def test_deltas_do_not_depend_on_earlier_losses():
    rng = np.random.default_rng(1)
    upstream, states, W_hh = normal(rng, 3, 6, 4), torch.tanh(normal(rng, 3, 6, 4)), normal(rng, 4, 4)
    changed = upstream.clone()
    changed[:, :2] += 1.0
    assert torch.equal(bptt_deltas(changed, states, W_hh)[:, 2:], bptt_deltas(upstream, states, W_hh)[:, 2:])


def test_the_first_state_has_no_say_in_the_deltas():
    rng = np.random.default_rng(2)
    upstream, states, W_hh = normal(rng, 3, 5, 4), torch.tanh(normal(rng, 3, 5, 4)), normal(rng, 4, 4)
    changed = states.clone()
    changed[:, 0] = 0.0
    assert torch.equal(bptt_deltas(upstream, changed, W_hh), bptt_deltas(upstream, states, W_hh))


def test_deltas_are_zero_after_the_last_loss_of_a_row():
    rng = np.random.default_rng(3)
    upstream, states, W_hh = normal(rng, 2, 6, 3), torch.tanh(normal(rng, 2, 6, 3)), normal(rng, 3, 3)
    upstream[1, 4:] = 0.0
    deltas = bptt_deltas(upstream, states, W_hh)
    assert torch.equal(deltas[1, 4:], torch.zeros(2, 3).double())
    close(deltas[1:, :4], bptt_deltas(upstream[1:, :4], states[1:, :4], W_hh))


def test_deltas_of_the_worked_example():
    upstream, states = (torch.tensor(v).double().reshape(1, 3, 1) for v in ([0.5, 0.28, 1], [0.6, 0.5, 0.8]))
    deltas = bptt_deltas(upstream, states, torch.tensor([[2.0]]).double())
    assert deltas.flatten().tolist() == pytest.approx([2, 1, 1], rel=1e-6)


@quick
@given(seeds, sizes)
def test_all_five_gradients_equal_autograd(rng, shape):
    arguments = network(rng, *shape)
    _, _, expected = states_and_gradients(*arguments)
    close(by_recursion(*arguments), expected)


@pytest.mark.parametrize("shape", [(1, 4, 3, 2), (3, 1, 2, 4), (1, 1, 1, 1)])
def test_gradients_of_one_row_or_one_step_equal_autograd(shape):
    arguments = network(np.random.default_rng(4), *shape)
    close(by_recursion(*arguments), states_and_gradients(*arguments)[2])


def test_weight_gradients_equal_those_of_nn_rnn():
    x, upstream, h0, W_xh, W_hh, b = network(np.random.default_rng(5), 2, 6, 3, 4)
    rnn = torch.nn.RNN(3, 4, batch_first=True, dtype=torch.float64)
    rnn.load_state_dict(rnn_to_torch([(W_xh, W_hh, b)]))
    (rnn(x, h0[None])[0] * upstream).sum().backward()
    theirs = rnn.weight_ih_l0.grad, rnn.weight_hh_l0.grad, rnn.bias_ih_l0.grad
    close(by_recursion(x, upstream, h0, W_xh, W_hh, b)[:3], theirs)


@quick
@given(seeds, st.integers(1, 5))
def test_the_gradient_at_a_start_joins_two_halves(rng, cut):
    x, upstream, h0, *weights = network(rng, 2, 6, 3, 4)
    middle = rnn_forward(x[:, :cut], *weights, h0)[:, -1]
    late = by_recursion(x[:, cut:], upstream[:, cut:], middle, *weights)
    upstream_of_first = upstream[:, :cut].clone()
    upstream_of_first[:, -1] += late[3]
    early = by_recursion(x[:, :cut], upstream_of_first, h0, *weights)
    whole = by_recursion(x, upstream, h0, *weights)
    close([one + other for one, other in zip(early[:3], late[:3], strict=True)], list(whole[:3]))
    close((early[3], torch.cat([early[4], late[4]], dim=1)), whole[3:])


def test_a_permuted_batch_permutes_the_gradients_of_its_rows_only():
    x, upstream, h0, *weights = network(np.random.default_rng(6), 4, 5, 2, 3)
    order = [2, 0, 3, 1]
    before = by_recursion(x, upstream, h0, *weights)
    after = by_recursion(x[order], upstream[order], h0[order], *weights)
    close(after[:3], before[:3])
    close(after[3:], (before[3][order], before[4][order]))


def test_gradients_of_the_worked_example():
    x, states, deltas = (
        torch.tensor(v).reshape(1, 3, 1) for v in ([1.0, 0, -1], [0.6, 0.5, 0.8], [2.0, 1, 1])
    )
    one, two, three = (torch.tensor([[value]]) for value in (0.5, 2.0, 3.0))
    *weights, dh0, dx = bptt_gradients(x, states, one, deltas, three, two)
    assert [part.item() for part in weights] == pytest.approx([0.92, 1.27, 2.39])
    assert [dh0.item(), *dx.flatten().tolist()] == pytest.approx([2.56, 3.84, 2.25, 1.08])


def random_mask(rng, B, T):
    mask = torch.from_numpy(rng.integers(0, 2, size=(B, T)))
    mask[0, 0] = 1
    return mask.double()


@quick
@given(seeds, sizes)
def test_loss_and_its_gradient_equal_autograd(rng, shape):
    B, T, K, _ = shape
    y, targets, mask = normal(rng, B, T, K).requires_grad_(), normal(rng, B, T, K), random_mask(rng, B, T)
    real = mask.bool()
    expected = K / 2 * torch.nn.functional.mse_loss(y[real], targets[real])
    loss, dy = masked_loss(y.detach(), targets, mask)
    close((loss, dy), (expected, torch.autograd.grad(expected, y)[0]))


@quick
@given(seeds, st.sampled_from([0, 5, 50]))
def test_padding_changes_neither_loss_nor_gradient(rng, pads):
    y, targets, mask = normal(rng, 3, 4, 2), normal(rng, 3, 4, 2), random_mask(rng, 3, 4)
    longer = [torch.cat([part, 9 * normal(rng, 3, pads, 2)], dim=1) for part in (y, targets)]
    loss, dy = masked_loss(*longer, torch.cat([mask, torch.zeros(3, pads)], dim=1))
    close((loss, dy[:, :4]), masked_loss(y, targets, mask))
    assert not dy[:, 4:].any()


def test_a_mask_for_the_last_step_gives_the_loss_of_the_last_step():
    rng = np.random.default_rng(7)
    y, targets, last = normal(rng, 3, 5, 2), normal(rng, 3, 5, 2), torch.zeros(3, 5)
    last[:, -1] = 1.0
    close(masked_loss(y, targets, last)[0], masked_loss(y[:, -1:], targets[:, -1:], torch.ones(3, 1))[0])


def test_a_mask_of_truth_values_equals_one_of_numbers():
    rng = np.random.default_rng(8)
    y, targets, mask = normal(rng, 3, 5, 2), normal(rng, 3, 5, 2), random_mask(rng, 3, 5)
    close(masked_loss(y, targets, mask.bool()), masked_loss(y, targets, mask))


def test_loss_and_gradient_are_zero_without_a_real_step():
    loss, dy = masked_loss(torch.ones(2, 3, 4), torch.zeros(2, 3, 4), torch.zeros(2, 3))
    assert loss == 0
    assert torch.equal(dy, torch.zeros(2, 3, 4))


def test_loss_of_the_worked_example():
    y, targets = (
        torch.tensor([[[1.0], [2.0]], [[3.0], [9.0]]]),
        torch.tensor([[[0.0], [0.0]], [[1.0], [2.0]]]),
    )
    loss, dy = masked_loss(y, targets, torch.tensor([[1.0, 1.0], [1.0, 0.0]]))
    assert loss == 1.5
    assert dy.flatten().tolist() == pytest.approx([1 / 3, 2 / 3, 2 / 3, 0])


@quick
@given(seeds, sizes, st.integers(0, 3))
def test_a_window_as_long_as_the_sequence_gives_the_full_gradient(rng, shape, more):
    arguments = network(rng, *shape)
    close(truncated_bptt(*arguments, shape[1] + more), states_and_gradients(*arguments)[2][:3])


@quick
@given(seeds, st.integers(1, 7))
def test_windows_add_up_the_gradients_of_runs_from_the_carried_state(rng, k):
    x, upstream, h0, *weights = network(rng, 2, 7, 3, 4)
    starts = torch.cat([h0[:, None], rnn_forward(x, *weights, h0)], dim=1)
    parts = [
        by_recursion(x[:, t : t + k], upstream[:, t : t + k], starts[:, t], *weights)[:3]
        for t in range(0, 7, k)
    ]
    close(truncated_bptt(x, upstream, h0, *weights, k), tuple(map(sum, zip(*parts, strict=True))))


def test_no_gradient_leaves_the_window_of_its_loss():
    x, upstream, h0, *weights = network(np.random.default_rng(9), 2, 7, 3, 4)
    upstream[:, :5] = 0.0
    carried = rnn_forward(x, *weights, h0)[:, 3]
    expected = by_recursion(x[:, 4:], upstream[:, 4:], carried, *weights)[:3]
    close(truncated_bptt(x, upstream, h0, *weights, 4), expected)


def test_windows_of_one_step_use_the_upstream_gradients_as_deltas():
    x, upstream, h0, W_xh, W_hh, b = network(np.random.default_rng(10), 2, 5, 3, 4)
    states = rnn_forward(x, W_xh, W_hh, b, h0)
    expected = bptt_gradients(x, states, h0, upstream, W_xh, W_hh)[:3]
    close(truncated_bptt(x, upstream, h0, W_xh, W_hh, b, 1), expected)


def test_windows_of_the_worked_example():
    zero, half = torch.zeros(1, 1), torch.tensor([[0.5]])
    arguments = torch.zeros(1, 3, 1), torch.ones(1, 3, 1), zero, half, half, torch.zeros(1)
    assert [part.item() for part in truncated_bptt(*arguments, 2)] == [0.0, 0.0, 3.5]
    assert truncated_bptt(*arguments, 3)[2].item() == 4.25


@quick
@given(seeds, sizes)
def test_quotients_with_a_small_step_equal_the_recursion(rng, shape):
    arguments = network(rng, *shape)
    expected = by_recursion(*arguments)[1]
    torch.testing.assert_close(numerical_gradient(*arguments, 1e-5), expected, rtol=1e-6, atol=1e-7)


def test_the_error_of_the_quotients_falls_with_the_square_of_the_step():
    arguments = network(np.random.default_rng(11), 2, 4, 3, 5)
    exact = states_and_gradients(*arguments)[2][1]
    errors = [(numerical_gradient(*arguments, eps) - exact).norm().item() for eps in (0.02, 0.01)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.02)


def test_the_quotient_of_the_worked_example():
    one, x = torch.ones(1, 1), torch.zeros(1, 1, 1)
    arguments = x, one[None], one, 0 * one, torch.tensor([[0.5]]), torch.zeros(1)
    assert numerical_gradient(*arguments, 0.5).item() == pytest.approx(0.7616, abs=1e-4)
    assert numerical_gradient(*arguments, 1e-3).item() == pytest.approx(0.7864, abs=1e-4)
