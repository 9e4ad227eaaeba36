"""The tasks of lesson 01 ask what they say, and the four readers see what they should and nothing else."""

import doctest

import numpy as np
import pytest
import torch

from course_utils import readers, tasks

MAKERS = [
    lambda rng: tasks.ramp_rows(60, [1, 9, 40], rng),
    lambda rng: tasks.spike_rows(60, 12, rng),
    lambda rng: tasks.returning_rows(60, 9, rng),
]
every_task = pytest.mark.parametrize("make", MAKERS, ids=["order", "presence", "distance"])
every_way = pytest.mark.parametrize("way", readers.WAYS.values(), ids=readers.WAYS)


def rng():
    return np.random.default_rng(3)


def answers(way, rows, seed=0):
    torch.manual_seed(seed)
    with torch.no_grad():
        return way()(torch.as_tensor(rows.x).float(), torch.as_tensor(rows.lengths)).numpy()


@every_task
def test_rows_are_padded_with_zeros_and_half_of_them_are_labelled_one(make):
    x, lengths, labels = make(rng())
    assert x.shape == (60, tasks.LONGEST, 2)
    assert all(not x[i, n:].any() and x[i, n - 1].any() for i, n in enumerate(lengths))
    assert labels.sum() == 30


@every_task
def test_the_same_generator_makes_the_same_rows(make):
    for one, other in zip(make(rng()), make(rng()), strict=True):
        assert np.array_equal(one, other)


def test_rising_and_falling_ramps_hold_the_same_values():
    x, _, labels = tasks.ramp_rows(2, 5, rng())
    assert labels.tolist() == [0, 1]
    np.testing.assert_array_equal(x[1, 4:9, 0], tasks.RAMP)
    np.testing.assert_array_equal(x[0, 4:9, 0], tasks.RAMP[::-1])


def test_a_spike_stands_at_its_step():
    x, _, labels = tasks.spike_rows(400, 7, rng())
    at_step = x[:, 6, 0]
    assert at_step[labels == 1].mean() - at_step[labels == 0].mean() == pytest.approx(3, abs=0.15)


def test_the_value_returns_exactly_where_the_label_says_so():
    x, lengths, labels = tasks.returning_rows(100, 9, rng())
    marked = x[np.arange(100), x[:, :, 1].argmax(axis=1), 0]
    last = x[np.arange(100), lengths - 1, 0]
    assert np.array_equal(marked == last, labels == 1)
    assert np.all(lengths - 1 - x[:, :, 1].argmax(axis=1) == 9)


def test_counting_values_says_nothing_about_the_return():
    x, _, _ = tasks.returning_rows(100, 9, rng())
    assert np.all(x[:, 0, 0] == -x[:, tasks.MARK + 8, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: tasks.ramp_rows(4, 0, rng()),
        lambda: tasks.ramp_rows(4, 42, rng()),
        lambda: tasks.returning_rows(4, 0, rng()),
        lambda: tasks.returning_rows(4, tasks.LONGEST - tasks.MARK + 1, rng()),
    ],
)
def test_what_does_not_fit_into_a_row_is_refused(call):
    with pytest.raises(ValueError, match="expected"):
        call()


def test_the_readers_have_nearly_equally_many_parameters():
    counts = [readers.parameters(way()) for way in readers.WAYS.values()]
    assert max(counts) < 1.03 * min(counts)


@every_way
@every_task
def test_a_row_is_answered_alike_alone_and_in_a_batch(way, make):
    rows = make(rng())
    alone = [answers(way, tasks.Rows(*(part[i : i + 1] for part in rows)))[0] for i in range(5)]
    np.testing.assert_allclose(alone, answers(way, rows)[:5], atol=1e-5)


@pytest.mark.parametrize("way", [readers.Pooling, readers.Window, readers.CarriedState])
def test_numbers_in_the_padding_change_nothing(way):
    rows = tasks.ramp_rows(20, [2, 30], rng())
    behind = np.arange(tasks.LONGEST) >= rows.lengths[:, None]
    dirty = rows._replace(x=np.where(behind[:, :, None], 9.0, rows.x))
    seen = rows.lengths >= 9  # a shorter row is read by a window together with its zeros
    np.testing.assert_allclose(answers(way, dirty)[seen], answers(way, rows)[seen], atol=1e-5)


def test_pooling_is_blind_to_order():
    rows = tasks.ramp_rows(10, 40, rng())
    turned = rows.x.copy()
    for row, n in zip(turned, rows.lengths, strict=True):
        row[:n] = row[:n][::-1]
    np.testing.assert_allclose(
        answers(readers.Pooling, rows._replace(x=turned)), answers(readers.Pooling, rows), atol=1e-5
    )


def test_a_window_finds_its_pattern_at_any_place():
    x = np.zeros((2, tasks.LONGEST, 2))
    x[0, 10:15, 0], x[1, 30:35, 0] = tasks.RAMP, tasks.RAMP
    rows = tasks.Rows(x, np.array([48, 48]), np.array([1, 1]))
    one, other = answers(readers.Window, rows)
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("way", [readers.Concatenation, readers.CarriedState])
def test_the_others_notice_another_order(way):
    rows = tasks.ramp_rows(10, 20, rng())
    turned = rows._replace(x=np.where(rows.x != 0, rows.x[:, ::-1], 0))
    assert np.abs(answers(way, turned) - answers(way, rows)).max() > 1e-3


def test_the_carried_state_is_the_rule_that_the_lesson_writes():
    torch.manual_seed(0)
    model, rows = readers.CarriedState(units=5), tasks.ramp_rows(3, 4, rng())
    W_xh, W_hh, b = model.rule.weight_ih_l0, model.rule.weight_hh_l0, model.rule.bias_ih_l0
    x, h = torch.as_tensor(rows.x).float(), torch.zeros(5)
    for t in range(rows.lengths[1]):
        h = torch.tanh(x[1, t] @ W_xh.T + h @ W_hh.T + b)
    score = model(x, torch.as_tensor(rows.lengths))[1]
    assert score.item() == pytest.approx(model.score(h).item(), abs=1e-5)


def test_training_twice_gives_the_same_model():
    rows = tasks.spike_rows(64, 3, rng())
    one, other = (readers.fit(readers.Concatenation, rows, seed=1, steps=5) for _ in range(2))
    assert torch.equal(one.first.weight, other.first.weight)


def test_training_leaves_the_number_of_threads_alone():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    readers.fit(readers.Concatenation, tasks.spike_rows(64, 3, rng()), steps=1)
    after = torch.get_num_threads()
    torch.set_num_threads(before)
    assert after == 3


def test_training_learns_where_it_was_trained():
    rows = tasks.ramp_rows(500, 3, rng())
    model = readers.fit(readers.Concatenation, rows, steps=150)
    assert readers.accuracy(model, tasks.ramp_rows(200, 3, np.random.default_rng(4))) > 0.95


def test_accuracy_counts_right_answers():
    rows = tasks.ramp_rows(10, 3, rng())
    assert readers.accuracy(lambda x, lengths: torch.as_tensor(rows.labels) * 2.0 - 1, rows) == 1
    assert readers.accuracy(lambda x, lengths: torch.ones(len(x)), rows) == 0.5


def test_docstring_examples_run():
    result = doctest.testmod(tasks)
    assert result.attempted > 0
    assert result.failed == 0
