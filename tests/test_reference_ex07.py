"""The references of exercise 07 against autograd in float64, enumeration and definitions."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from course_utils import filters
from course_utils.cells import rnn_forward
from course_utils.depth import paths as plain_paths
from course_utils.horizon import carried_back, driven_states, fitted_factors
from course_utils.reference.ex06 import bptt_deltas
from course_utils.reference.ex07 import (
    horizon,
    jacobian_products,
    path_count,
    per_step_factor,
    recall_batch,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-11}
sizes = st.permutations([2, 3, 4])  # B, T, H: no two equal, so no axes can be swapped
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
quick = settings(max_examples=25, deadline=None)


def close(got, expected):
    torch.testing.assert_close(got, expected, **CLOSE)


def normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape))


def run(rng, B, T, H, d=5):
    """States of a forward pass and W_hh, and the function from any state h_t to the last one."""
    x, W_xh, W_hh, b = normal(rng, B, T, d), normal(rng, H, d), normal(rng, H, H), normal(rng, H)
    states = rnn_forward(x, W_xh, W_hh, b)

    def last_from(row, t):
        def rest(h):
            return rnn_forward(x[row : row + 1, t + 1 :], W_xh, W_hh, b, h[None])[0, -1] if t + 1 < T else h

        return rest

    return states, W_hh, last_from


@quick
@given(seeds, sizes)
def test_products_equal_autograd_of_the_last_state_at_each(rng, shape):
    states, W_hh, last_from = run(rng, *shape)
    products = jacobian_products(states, W_hh)
    for row in range(shape[0]):
        for t in range(shape[1]):
            close(products[row, t], torch.func.jacrev(last_from(row, t))(states[row, t]))


def test_products_follow_central_differences():
    states, W_hh, last_from = run(np.random.default_rng(1), 2, 5, 3)
    eps, rest = 1e-6, last_from(1, 1)
    columns = [(rest(states[1, 1] + e) - rest(states[1, 1] - e)) / (2 * eps) for e in eps * torch.eye(3)]
    torch.testing.assert_close(
        jacobian_products(states, W_hh)[1, 1], torch.stack(columns, dim=1), rtol=1e-6, atol=1e-8
    )


@quick
@given(seeds, sizes)
def test_a_gradient_at_the_end_times_the_products_is_the_delta_of_each_step(rng, shape):
    B, _T, H = shape
    states, W_hh, upstream = torch.tanh(normal(rng, *shape)), normal(rng, H, H), torch.zeros(*shape).double()
    upstream[:, -1] = normal(rng, B, H)
    carried = torch.einsum("bi,btij->btj", upstream[:, -1], jacobian_products(states, W_hh))
    close(carried, bptt_deltas(upstream, states, W_hh))


@quick
@given(seeds, st.integers(1, 3), st.integers(2, 6), st.integers(1, 4), st.data())
def test_a_product_over_two_parts_of_a_sequence_is_the_product_of_both(rng, B, T, H, data):
    states, W_hh = torch.tanh(normal(rng, B, T, H)), normal(rng, H, H)
    cut = data.draw(st.integers(0, T - 1))
    products = jacobian_products(states, W_hh)
    first_part = jacobian_products(states[:, : cut + 1], W_hh)
    close(products[:, cut, None] @ first_part, products[:, : cut + 1])


@quick
@given(seeds, st.integers(1, 3), st.integers(1, 6), st.integers(1, 4))
def test_products_obey_the_bound(rng, B, T, H):
    states, W_hh = torch.tanh(normal(rng, B, T, H)), normal(rng, H, H)
    sigma = torch.linalg.matrix_norm(W_hh, 2)
    lags = torch.arange(T - 1, -1, -1)
    found = torch.linalg.matrix_norm(jacobian_products(states, W_hh), 2)
    assert (found <= sigma**lags * (1 + 1e-9)).all()


def test_the_first_state_has_no_say_in_the_products_and_the_last_is_the_identity():
    rng = np.random.default_rng(2)
    states, W_hh = torch.tanh(normal(rng, 2, 4, 3)), normal(rng, 3, 3)
    changed = states.clone()
    changed[:, 0] = 0.0
    products = jacobian_products(states, W_hh)
    assert torch.equal(jacobian_products(changed, W_hh), products)
    assert torch.equal(products[:, -1], torch.eye(3).double().expand(2, 3, 3))


def test_products_of_the_worked_example():
    states, W_hh = torch.tensor([[[0.3, -0.6], [0.5, 0], [0, 0.5]]]), torch.tensor([[0.0, 2], [1, 1]])
    expected = [[[2, 2], [0.75, 1.875]], [[0, 2], [0.75, 0.75]], [[1, 0], [0, 1]]]
    close(jacobian_products(states, W_hh)[0], torch.tensor(expected))


ranges = st.tuples(st.integers(0, 5), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@quick
@given(st.floats(0.05, 20), st.floats(1e-3, 1e3), ranges)
def test_the_factor_of_a_geometric_sequence_is_its_ratio(factor, height, lags):
    norms = height * factor ** torch.arange(16, dtype=torch.float64)
    assert float(per_step_factor(norms, *lags)) == pytest.approx(factor, rel=1e-9)


@quick
@given(seeds, ranges)
def test_the_factor_is_that_of_a_fitted_line_whatever_stands_outside_the_range(rng, lags):
    first, last = lags
    norms = torch.from_numpy(rng.uniform(0.1, 10, size=16))
    slope = np.polyfit(np.arange(first, last + 1), np.log(norms[first : last + 1].numpy()), 1)[0]
    norms[last + 1 :] = 0.0
    norms[:first] = math.inf
    assert float(per_step_factor(norms, first, last)) == pytest.approx(math.exp(slope), rel=1e-9)


@quick
@given(seeds, st.sampled_from([0.0, math.inf]), st.floats(0.01, 100))
def test_neither_a_lost_length_nor_the_unit_of_length_changes_the_factor(rng, lost, unit):
    norms = torch.from_numpy(rng.uniform(0.1, 10, size=12))
    expected = float(per_step_factor(norms, 2, 8))
    norms[9:] = lost
    assert float(per_step_factor(unit * norms, 2, 11)) == pytest.approx(expected, rel=1e-9)


def test_a_lag_that_was_not_measured_leaves_the_others_where_they_are():
    norms = 3 * 0.7 ** torch.arange(10, dtype=torch.float64)
    norms[[2, 5, 6]] = 0.0
    assert float(per_step_factor(norms, 1, 8)) == pytest.approx(0.7, rel=1e-9)


def test_over_all_lags_of_a_real_gradient_the_factor_is_the_lessons():
    start = driven_states("orthogonal", 1.0, 0.5, seed=0, T=41, H=32)
    norms = carried_back(start.states, start.W_hh, start.end)
    assert float(per_step_factor(norms, 0, 40)) == pytest.approx(fitted_factors(norms.numpy()[None])[0])


def test_the_factor_of_the_worked_example():
    norms = torch.tensor([5.0, 8, 8, 2, 1, 0, 0])
    assert float(per_step_factor(norms, 1, 5)) == pytest.approx(2**-1.1)


stacks = st.tuples(
    st.floats(0.05, 0.98), st.floats(1e-9, 0.99), st.integers(1, 6), st.floats(0.3, 1.5)
)  # factor, eps, layers, down


@quick
@given(stacks)
def test_at_the_horizon_at_most_eps_is_left_and_a_step_earlier_more(stack):
    factor, eps, layers, down = stack
    steps = horizon(*stack)
    left = down ** (layers - 1)
    assert left * factor**steps <= eps * (1 + 1e-9)
    assert steps == 0 or left * factor ** (steps - 1) >= eps * (1 - 1e-9)


@quick
@given(st.floats(0.05, 0.999), st.floats(1e-12, 0.9))
def test_of_one_layer_the_horizon_is_the_lessons_rounded_up(factor, eps):
    formula = filters.horizon(factor) * math.log(1 / eps)
    assume(abs(formula - round(formula)) > 1e-6)
    assert horizon(factor, eps, 1, 0.5) == math.ceil(formula)


@quick
@given(stacks)
def test_a_layer_more_is_a_gradient_that_starts_shorter(stack):
    factor, eps, layers, down = stack
    steps = math.log(eps / down**layers) / math.log(factor)
    assume(eps / down < 1 and abs(steps - round(steps)) > 1e-6)
    assert horizon(factor, eps, layers + 1, down) == horizon(factor, eps / down, layers, down)


@pytest.mark.parametrize(
    ("stack", "steps"),
    [
        ((1.0, 0.1, 2, 0.5), math.inf),
        ((1.3, 0.1, 2, 0.5), math.inf),
        ((1.3, 0.3, 3, 0.5), 0),
        ((0.0, 0.1, 2, 0.5), 1),
        ((0.0, 0.3, 3, 0.5), 0),
        ((0.5, 0.1, 3, 0.8), 3),
        ((0.5, 0.1, 1, 0.8), 4),
    ],
)
def test_the_horizon_of_special_cases_and_of_the_worked_example(stack, steps):
    assert horizon(*stack) == steps


def listed(T, L, skip):
    """Every path from (T, L) to (1, 1), node by node."""
    if (T, L) == (1, 1):
        return [[(1, 1)]]
    reached = [(T - 1, L), (T - skip, L), (T, L - 1)]
    return [[(T, L), *rest] for t, layer in reached if min(t, layer) > 0 for rest in listed(t, layer, skip)]


@quick
@given(st.integers(1, 7), st.integers(1, 4), st.integers(2, 8))
def test_paths_are_counted_as_if_they_were_listed(T, L, skip):
    found = {tuple(path) for path in listed(T, L, skip)}
    assert path_count(T, L, skip) == (len(found), min(len(path) - 1 for path in found))


@quick
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 3))
def test_a_skip_as_long_as_the_sequence_leaves_the_paths_of_the_lesson(T, L, longer):
    paths, fewest = path_count(T, L, max(T, 2) + longer)
    assert paths == math.comb(T + L - 2, L - 1) == sum(1 for _ in plain_paths(T, L))
    assert fewest == T + L - 2


@quick
@given(st.integers(1, 8), st.integers(1, 4), st.integers(2, 5))
def test_the_gradient_of_a_linear_stack_with_weights_of_one_counts_its_paths(T, L, skip):
    start = torch.ones((), dtype=torch.float64, requires_grad=True)
    h = {}
    for t in range(1, T + 1):
        for layer in range(1, L + 1):
            read = [(t - 1, layer), (t - skip, layer), (t, layer - 1)]
            h[t, layer] = start * 1 if (t, layer) == (1, 1) else sum(h[node] for node in read if node in h)
    (gradient,) = torch.autograd.grad(h[T, L], start)
    assert path_count(T, L, skip)[0] == gradient.item()


def test_paths_of_the_worked_example():
    assert path_count(4, 2, 2) == (10, 3)


@st.composite
def batches(draw):
    """symbols, cues, lengths and V of a legal batch."""
    B, T, V = draw(st.permutations([2, 4, 5]))
    rng = draw(seeds)
    lengths = torch.from_numpy(rng.integers(1, T + 1, size=B))
    cues = torch.from_numpy(rng.integers(0, lengths.numpy()))
    symbols = torch.from_numpy(rng.integers(0, V, size=(B, T)))
    symbols[torch.arange(T) >= lengths[:, None]] = 0
    return symbols, cues, lengths, V


@quick
@given(batches())
def test_symbols_targets_and_lags_can_be_read_off_the_inputs(batch):
    symbols, _cues, lengths, V = batch
    inputs, targets, lags = recall_batch(*batch)
    assert inputs.shape == (*symbols.shape, V + 1)
    for row, target, lag, length, known in zip(inputs, targets, lags, lengths, symbols, strict=True):
        real = row[:length]
        (cued,) = real[:, V].nonzero().flatten().tolist()
        assert torch.equal(real[:, :V].argmax(dim=1), known[:length])
        assert (real[cued, :V].argmax(), length - 1 - cued) == (target, lag)


@quick
@given(batches())
def test_inputs_are_one_hot_with_one_cue_a_row_and_nothing_behind_the_length(batch):
    _symbols, _cues, lengths, V = batch
    inputs, _, lags = recall_batch(*batch)
    assert set(inputs.unique().tolist()) <= {0.0, 1.0}
    assert inputs[..., :V].sum(dim=2).sum(dim=1).tolist() == lengths.tolist()
    assert inputs[..., V].sum(dim=1).tolist() == [1] * len(lengths)
    assert all(not row[length:].any() for row, length in zip(inputs, lengths, strict=True))
    assert ((lags >= 0) & (lags < lengths)).all()


def test_rows_of_a_recall_do_not_meet():
    symbols, cues, lengths = torch.tensor([[4, 2, 0], [1, 3, 2]]), torch.tensor([0, 1]), torch.tensor([2, 3])
    together = recall_batch(symbols, cues, lengths, 5)
    turned = recall_batch(symbols.flip(0), cues.flip(0), lengths.flip(0), 5)
    assert all(torch.equal(one, other.flip(0)) for one, other in zip(together, turned, strict=True))


def test_the_recall_of_the_worked_example():
    symbols = torch.tensor([[1, 0, 0], [1, 0, 0]])
    inputs, targets, lags = recall_batch(symbols, torch.tensor([0, 1]), torch.tensor([3, 2]), 2)
    assert inputs.tolist() == [[[0, 1, 1], [1, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 0, 1], [0, 0, 0]]]
    assert (targets.tolist(), lags.tolist()) == ([1, 0], [2, 0])
