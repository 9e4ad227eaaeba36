"""The references of exercise 08 against PyTorch's own functions, and the properties of each."""

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils.cells import rnn_forward
from course_utils.reference.ex08 import (
    clip_by_norm,
    clip_by_value,
    layernorm_rnn_step,
    orthogonal_,
    training_step,
)

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
limits = st.floats(0.05, 20)
quick = settings(max_examples=40, deadline=None)


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def with_gradients(gradients):
    weights = [torch.zeros_like(gradient, requires_grad=True) for gradient in gradients]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient.clone()
    return weights


def whole(gradients):
    return torch.cat([gradient.flatten() for gradient in gradients])


@quick
@given(seeds, sizes, sizes, limits)
def test_clipping_by_norm_equals_pytorchs(generator, H, d, limit):
    gradients = [normal(generator, H, d), normal(generator, H, H), normal(generator, H)]
    weights = with_gradients(gradients)
    nn.utils.clip_grad_norm_(weights, limit)
    for mine, weight in zip(clip_by_norm(gradients, limit), weights, strict=True):
        torch.testing.assert_close(mine, weight.grad, rtol=1e-4, atol=1e-9)


@quick
@given(seeds, sizes, sizes, limits)
def test_clipping_by_norm_keeps_the_direction_and_the_limit(generator, H, d, limit):
    gradients = [normal(generator, H, d), normal(generator, H)]
    before, after = whole(gradients), whole(clip_by_norm(gradients, limit))
    assert after.norm() <= limit * (1 + 1e-9)
    torch.testing.assert_close(after / after.norm(), before / before.norm())
    if before.norm() <= limit:
        assert torch.equal(after, before)


def test_an_infinite_gradient_becomes_zero_and_a_tiny_one_stays():
    assert whole(clip_by_norm([torch.tensor([1.0, math.inf]), torch.ones(2)], 1.0)).tolist() == [0] * 4
    assert clip_by_norm([torch.tensor([1e-9])], 1.0)[0].item() == pytest.approx(1e-9)


@quick
@given(seeds, sizes, sizes, limits)
def test_clipping_by_value_equals_pytorchs_and_its_cosine_too(generator, m, n, limit):
    gradient = normal(generator, m, n)
    (weight,) = with_gradients([gradient])
    nn.utils.clip_grad_value_([weight], limit)
    clipped, cosine = clip_by_value(gradient, limit)
    torch.testing.assert_close(clipped, weight.grad)
    expected = torch.cosine_similarity(gradient.flatten(), weight.grad.flatten(), dim=0)
    assert float(cosine) == pytest.approx(expected.item(), rel=1e-9)


def test_a_gradient_of_zeros_is_not_turned():
    assert clip_by_value(torch.zeros(2, 3), 1.0)[1] == 1.0


def test_clipping_of_the_worked_examples():
    short = clip_by_norm([torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])], 1.0)
    torch.testing.assert_close(whole(short), torch.tensor([0.6, 0.0, 0.8]))
    clipped, cosine = clip_by_value(torch.tensor([3.0, 0.4]), 1.0)
    assert clipped.tolist() == pytest.approx([1.0, 0.4])
    assert float(cosine) == pytest.approx(0.969, abs=5e-4)


@quick
@given(seeds, sizes, sizes, st.floats(0.1, 4))
def test_an_orthogonal_start_is_orthonormal_times_its_gain(generator, m, n, gain):
    W = orthogonal_(normal(generator, m, n), gain)
    small = W @ W.T if m < n else W.T @ W
    assert W.shape == (m, n)
    torch.testing.assert_close(small, gain**2 * torch.eye(min(m, n), dtype=torch.float64))


@quick
@given(seeds, sizes, sizes)
def test_what_is_left_of_the_random_numbers_is_triangular_with_a_positive_diagonal(generator, m, n):
    gaussian = normal(generator, m, n)
    Q, tall = orthogonal_(gaussian, 1.0), gaussian
    if m < n:
        Q, tall = Q.T, gaussian.T
    R = Q.T @ tall
    assert torch.diagonal(R).min() > 0
    torch.testing.assert_close(R, torch.triu(R), atol=1e-9, rtol=0)


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 5)])
def test_an_orthogonal_start_is_pytorchs_for_the_same_numbers(shape):
    expected = nn.init.orthogonal_(torch.empty(shape), gain=1.7, generator=torch.Generator().manual_seed(5))
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(5))
    torch.testing.assert_close(orthogonal_(numbers, 1.7), expected, atol=1e-5, rtol=1e-5)


def test_an_orthogonal_start_of_the_worked_example():
    W = orthogonal_(torch.tensor([[3.0, 1.0], [4.0, -7.0]]), 1.0)
    torch.testing.assert_close(W, torch.tensor([[0.6, 0.8], [0.8, -0.6]]))


def step_inputs(generator, B, d, H):
    shapes = [(B, d), (B, H), (H, d), (H, H), (H,), (H,), (H,)]
    return [normal(generator, *shape) for shape in shapes]


@quick
@given(seeds, sizes, sizes, sizes, st.floats(1e-5, 0.5))
def test_a_normalised_step_equals_torch_layer_norm(generator, B, d, H, eps):
    x_t, h, W_xh, W_hh, b, gain_x, gain_h = step_inputs(generator, B, d, H)
    of_inputs = nn.functional.layer_norm(x_t @ W_xh.T, (H,), gain_x, None, eps)
    of_states = nn.functional.layer_norm(h @ W_hh.T, (H,), gain_h, b, eps)
    mine = layernorm_rnn_step(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps)
    torch.testing.assert_close(mine, torch.tanh(of_inputs + of_states))


def test_rows_of_a_batch_do_not_meet():
    inputs = step_inputs(torch.Generator().manual_seed(1), 4, 3, 5)
    together = layernorm_rnn_step(*inputs, 0.1)
    alone = layernorm_rnn_step(inputs[0][2:3], inputs[1][2:3], *inputs[2:], 0.1)
    torch.testing.assert_close(together[2:3], alone)


def test_the_scale_of_one_sum_does_not_touch_the_states():
    x_t, h, *rest = step_inputs(torch.Generator().manual_seed(2), 3, 4, 5)
    torch.testing.assert_close(
        layernorm_rnn_step(1000 * x_t, h, *rest, 0.0), layernorm_rnn_step(x_t, h, *rest, 0.0)
    )


def update_inputs(generator, B, T, d, H):
    weights = [normal(generator, H, d), normal(generator, H, H), normal(generator, H)]
    old = [normal(generator, *weight.shape) for weight in weights]
    return normal(generator, B, T, d), normal(generator, B, H), *weights, old


@quick
@given(seeds, sizes, sizes, sizes, sizes, st.floats(0.01, 1), limits)
def test_an_update_follows_the_differences_of_the_loss(generator, B, T, d, H, rate, limit):
    x, targets, *weights, old = update_inputs(generator, B, T, d, H)

    def loss(weights):
        return 0.5 * (rnn_forward(x, *weights)[:, -1] - targets).square().sum(dim=1).mean()

    *new, length = training_step(x, targets, *weights, old, rate, limit)
    moved = torch.cat([(a - b).flatten() for a, b in zip(weights, new, strict=True)]) / rate
    assert moved.norm().item() == pytest.approx(min(limit, float(length)), rel=1e-4)
    ray, eps = moved / moved.norm(), 1e-5
    shapes = [weight.shape for weight in weights]
    parts = ray.split([shape.numel() for shape in shapes])
    up, down = (
        [w + sign * eps * part.view(w.shape) for w, part in zip(weights, parts, strict=True)]
        for sign in (1, -1)
    )
    slope = (loss(up) - loss(down)) / (2 * eps)  # along the gradient the slope is its length
    assert slope.item() == pytest.approx(float(length), rel=1e-4)


def test_the_old_gradient_has_no_part_in_an_update():
    *inputs, old = update_inputs(torch.Generator().manual_seed(3), 2, 4, 3, 5)
    one = training_step(*inputs, old, 0.3, 0.5)
    other = training_step(*inputs, [100 * part for part in old], 0.3, 0.5)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_update_leaves_weights_and_old_gradients_as_they_were():
    inputs = update_inputs(torch.Generator().manual_seed(4), 2, 3, 4, 5)
    before = copy.deepcopy(inputs)
    training_step(*inputs, 0.3, 0.5)
    assert all(torch.equal(a, b) for a, b in zip(inputs[:5], before[:5], strict=True))
    assert all(torch.equal(a, b) for a, b in zip(inputs[5], before[5], strict=True))


def test_an_update_of_the_worked_example():
    one, none = torch.ones(1, 1), torch.zeros(1, 1)
    old = [none, none, torch.tensor([7.0])]
    *new, length = training_step(none[None], -2 * one, one, one, torch.zeros(1), old, 0.1, 0.5)
    assert [weight.item() for weight in new] == pytest.approx([1, 1, -0.05])
    assert float(length) == pytest.approx(2)
