"""The references of exercise 01 against torch, SciPy, NumPy on prefixes and worked numbers."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils.reference.ex01 import (
    causal_conv1d,
    concat_weights,
    order_sensitivity,
    receptive_field,
    running_statistics,
)

TOLERANCE = {"rtol": 1e-9, "atol": 1e-10}
sizes = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
quick = settings(max_examples=40, deadline=None)


@quick
@given(sizes, sizes, st.lists(sizes, min_size=1, max_size=4))
def test_counts_equal_those_of_torch_layers(T, d, widths):
    def counted(inputs):
        chain = [torch.nn.Linear(a, b) for a, b in zip([inputs, *widths], widths, strict=False)]
        return sum(p.numel() for layer in chain for p in layer.parameters())

    assert concat_weights(T, d, widths) == (counted(T * d), counted(d))


def test_counts_of_the_worked_example():
    assert concat_weights(3, 2, [4, 1]) == (33, 17)


@quick
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6)), max_size=4))
def test_the_field_is_where_a_convolution_of_ones_is_not_zero(stack):
    paths = np.ones(1)
    for k, dilation in stack:
        paths = np.convolve(paths, np.where(np.arange(1 + (k - 1) * dilation) % dilation == 0, 1, 0))
    k, dilations = [k for k, _ in stack], [dilation for _, dilation in stack]
    assert receptive_field(k, dilations) == (len(paths), np.count_nonzero(paths))


def test_fields_of_the_lecture_and_of_the_worked_example():
    assert receptive_field(10 * [3], 10 * [1]) == (21, 21)
    assert receptive_field(10 * [2], [2**layer for layer in range(10)]) == (1024, 1024)
    assert receptive_field([2, 2], [1, 3]) == (5, 4)
    assert receptive_field([], []) == (1, 1)


@quick
@given(seeds, sizes, st.integers(1, 12), sizes, sizes, sizes, st.integers(1, 4))
def test_the_convolution_equals_torch_conv1d(rng, B, T, d, C, k, dilation):
    x, W, b = rng.normal(size=(B, T, d)), rng.normal(size=(C, d, k)), rng.normal(size=C)
    padded = torch.nn.functional.pad(torch.as_tensor(x).transpose(1, 2), ((k - 1) * dilation, 0))
    flipped = torch.as_tensor(W).flip(2)
    expected = torch.nn.functional.conv1d(padded, flipped, torch.as_tensor(b), dilation=dilation)
    np.testing.assert_allclose(causal_conv1d(x, W, b, dilation), expected.transpose(1, 2), **TOLERANCE)


def test_the_convolution_equals_lfilter_over_ten_thousand_steps():
    rng = np.random.default_rng(1)
    x, taps = rng.normal(size=10_000), rng.normal(size=6)
    got = causal_conv1d(x[None, :, None], taps[None, None])[0, :, 0]
    np.testing.assert_allclose(got, signal.lfilter(taps, [1.0], x), **TOLERANCE)


def test_outputs_ignore_future_inputs():
    rng = np.random.default_rng(2)
    x, W = rng.normal(size=(2, 9, 3)), rng.normal(size=(4, 3, 3))
    changed = x.copy()
    changed[:, 5:] += 1.0
    np.testing.assert_array_equal(
        causal_conv1d(changed, W, None, 2)[:, :5], causal_conv1d(x, W, None, 2)[:, :5]
    )


def test_outputs_of_the_worked_example():
    got = causal_conv1d([[[1], [0], [2], [0]]], [[[5, 3]]], [1], 2)
    assert got[0, :, 0].tolist() == [6, 1, 14, 1]


def test_no_steps_give_no_outputs():
    assert causal_conv1d(np.zeros((3, 0, 2)), np.ones((4, 2, 3))).shape == (3, 0, 4)


@quick
@given(seeds, sizes, st.integers(1, 12))
def test_statistics_equal_numpy_on_every_prefix(rng, B, T):
    x, lengths = rng.normal(-5, 2, size=(B, T)), rng.integers(1, T + 1, size=B)
    for got, statistic in zip(running_statistics(x, lengths), (np.mean, np.var, np.max), strict=True):
        expected = [
            [statistic(row[: min(t + 1, n)]) for t in range(T)] for row, n in zip(x, lengths, strict=True)
        ]
        np.testing.assert_allclose(got, expected, **TOLERANCE)


def test_padding_never_changes_a_statistic():
    x = np.random.default_rng(3).normal(size=(2, 6))
    dirty = np.where(np.arange(6) < 4, x, 1e6)
    np.testing.assert_array_equal(running_statistics(dirty, [4, 4]), running_statistics(x, [4, 4]))


def test_statistics_of_the_worked_example():
    means, variances, maxima = running_statistics([[4, 2, 6]], [3])
    np.testing.assert_allclose(means, [[4, 3, 4]])
    np.testing.assert_allclose(variances, [[0, 1, 8 / 3]])
    np.testing.assert_allclose(maxima, [[4, 4, 6]])


@quick
@given(seeds, sizes, st.integers(1, 8), sizes, sizes)
def test_sensitivity_equals_the_score_of_each_shuffle(rng, B, T, d, S):
    x, W = rng.normal(size=(B, T, d)), rng.normal(size=(T, d))
    orders = [rng.permutation(T) for _ in range(S)]
    expected = [np.mean([abs((row[order] * W).sum() - (row * W).sum()) for order in orders]) for row in x]
    np.testing.assert_allclose(order_sensitivity(x, W, orders), expected, **TOLERANCE)


def test_equal_weights_at_every_step_use_no_order():
    x, orders = np.arange(24.0).reshape(2, 4, 3), [[3, 0, 1, 2], [1, 0, 3, 2]]
    assert order_sensitivity(x, np.tile([1.0, 2.0, 4.0], (4, 1)), orders).tolist() == [0, 0]


def test_sensitivity_of_the_worked_example():
    got = order_sensitivity([[[1], [2], [4]]], [[1], [0], [3]], [[2, 1, 0], [1, 2, 0]])
    assert got == pytest.approx([7.0])
