"""The tools of lesson 01 against NumPy, SciPy and the properties of causal, shared, ordered reading."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from course_utils import lengths, sequences

TOL = {"rtol": 1e-9, "atol": 1e-9}
quick = settings(deadline=None, max_examples=50)
stacks = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def noise(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@quick
@given(T=st.integers(1, 40), k=st.integers(1, 6), dilation=st.integers(1, 5))
def test_causal_conv_agrees_with_scipy_on_spread_taps(T, k, dilation):
    x, taps = noise(T), noise(k, seed=1)
    spread = np.zeros(1 + (k - 1) * dilation)
    spread[::dilation] = taps
    np.testing.assert_allclose(
        sequences.causal_conv(x, taps, dilation), signal.lfilter(spread, [1.0], x), **TOL
    )


def test_causal_conv_agrees_with_scipy_over_ten_thousand_steps():
    x, taps = noise(10_000), noise(7, seed=1)
    np.testing.assert_allclose(sequences.causal_conv(x, taps), signal.lfilter(taps, [1.0], x), **TOL)


@quick
@given(T=st.integers(1, 30), cut=st.integers(0, 30), dilation=st.integers(1, 4))
def test_future_inputs_do_not_change_past_outputs(T, cut, dilation):
    x = noise(T)
    changed = x.copy()
    changed[cut:] += 100
    before, after = (sequences.causal_conv(row, [1.0, -2.0, 0.5], dilation)[:cut] for row in (x, changed))
    assert np.array_equal(before, after)


def test_rows_of_a_batch_do_not_mix():
    x = noise(3, 8)
    one_by_one = [sequences.causal_conv(row, [1.0, 2.0], 2) for row in x]
    assert np.array_equal(sequences.causal_conv(x, [1.0, 2.0], 2), one_by_one)


def test_no_steps_give_no_outputs():
    assert sequences.causal_conv([], [1.0, 2.0]).shape == (0,)


@quick
@given(k=st.integers(2, 4), dilations=stacks)
def test_perturbing_inputs_finds_what_the_layers_say(k, dilations):
    moves = sequences.influence(lambda x: sequences.conv_stack(x, k, dilations), 70)
    seen = np.flatnonzero(moves)
    assert seen.tolist() == sequences.lags_by_layer(k, dilations)[0].tolist()
    assert seen.max() + 1 == sequences.reach(k, dilations)


def test_the_two_stacks_of_the_lecture():
    assert sequences.reach(3, 10 * [1]) == 21
    assert sequences.reach(2, [2**layer for layer in range(10)]) == 1024


def test_two_taps_with_tripled_dilations_leave_holes():
    assert sequences.lags_by_layer(2, [1, 3])[0].tolist() == [0, 1, 3, 4]
    assert sequences.reach(2, [1, 3]) == 5


def test_influence_counts_ages_from_the_newest():
    delayed = sequences.influence(lambda x: sequences.causal_conv(x, [0, 0, 5.0]), 6)
    assert delayed.tolist() == [0, 0, 5, 0, 0, 0]


def test_influence_sees_a_model_that_bends():
    moves = sequences.influence(lambda x: np.tanh(x[:, [3]]) ** 2 * np.ones(6), 6)
    assert np.flatnonzero(moves).tolist() == [2]


@quick
@given(st.lists(st.floats(-9, 9), min_size=1, max_size=50))
def test_running_rules_equal_numpy_on_every_prefix(values):
    x = np.array(values)
    mean = sequences.carry(lambda h, x_t, t: h + (x_t - h) / t, x, 0.0)
    maximum = sequences.carry(lambda h, x_t, t: max(h, x_t), x, -np.inf)
    np.testing.assert_allclose(mean, [x[: t + 1].mean() for t in range(len(x))], **TOL)
    assert np.array_equal(maximum, np.maximum.accumulate(x))


def test_a_rule_is_told_the_step_counted_from_one():
    assert sequences.carry(lambda h, x_t, t: t, [5, 5, 5], 0).tolist() == [1, 2, 3]


def test_carry_of_no_step_is_empty():
    assert sequences.carry(lambda h, x_t, t: h, [], 1.0).shape == (0,)


@pytest.mark.parametrize("model", [np.mean, np.max, np.sort, lambda x: x.sum(axis=0) ** 2])
def test_a_function_of_the_bag_is_never_moved(model):
    assert sequences.order_sensitivity(model, noise(9), 20, np.random.default_rng(1)) < 1e-12


def test_a_model_of_the_last_step_is_moved_by_the_mean_distance_from_it():
    x = np.arange(5.0)
    moved = sequences.order_sensitivity(lambda row: row[-1], x, 4000, np.random.default_rng(1))
    assert moved == pytest.approx(np.abs(x - x[-1]).mean(), rel=0.05)


def test_steps_of_several_numbers_stay_whole():
    x = np.column_stack([np.arange(6.0), -np.arange(6.0)])
    assert sequences.order_sensitivity(lambda row: row.sum(axis=1), x, 20, np.random.default_rng(1)) == 0


def test_the_row_itself_is_left_as_it_is():
    x = noise(8)
    before = x.copy()
    sequences.order_sensitivity(np.mean, x, 5, np.random.default_rng(1))
    assert np.array_equal(x, before)


@quick
@given(T=st.integers(1, 30), block=st.integers(1, 12), seed=st.integers(0, 99))
def test_a_block_order_keeps_all_steps_and_their_blocks(T, block, seed):
    order = sequences.block_order(T, block, np.random.default_rng(seed))
    assert sorted(order) == list(range(T))
    joins = np.flatnonzero(np.diff(order) != 1)
    assert all(order[join + 1] % block == 0 for join in joins)


def test_padding_share_by_hand():
    assert sequences.padding_share([2, 4, 4, 1, 3], batch=2) == pytest.approx(1 - 14 / (8 + 8 + 3))
    assert sequences.padding_share([5, 5, 5], batch=2) == 0


@quick
@given(rows=st.lists(st.integers(1, 50), min_size=1, max_size=60), batch=st.integers(1, 9))
def test_sorting_never_pads_more(rows, batch):
    shuffled = np.random.default_rng(0).permutation(rows)
    in_order = sequences.padding_share(sorted(rows), batch)
    if len(rows) % batch == 0:
        assert in_order <= sequences.padding_share(shuffled, batch) + 1e-12


@pytest.mark.parametrize("rows", [[], [0, 3], [[1, 2]]])
def test_lengths_that_are_none_are_refused(rows):
    with pytest.raises(ValueError, match="at least 1"):
        sequences.padding_share(rows, 2)


def test_the_real_rows_differ_in_length_and_are_never_empty():
    for row in (lengths.words_per_sentence(), lengths.letters_per_name(), lengths.days_between_records()):
        assert row.ndim == 1
        assert row.min() >= 1
        assert row.max() >= 3 * np.median(row)


def test_days_between_records_add_up_to_the_last_record():
    _days, price = lengths.google_close()
    assert lengths.days_between_records().sum() == price.argmax()


def test_docstring_examples_run():
    result = doctest.testmod(sequences)
    assert result.attempted > 0
    assert result.failed == 0
