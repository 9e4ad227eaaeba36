"""The references of exercise 10 against PyTorch's own tools, and the properties of each."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from course_utils.reference.ex10 import (
    accuracy,
    classify,
    masked_last_state,
    pad_batch,
    train_classifier,
)
from grading.exercises.ex10_training_bank import LEAST_RIGHT, order_rows, trained_case

sizes = st.integers(1, 4)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
some_rows = st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=4).filter(any)
quick = settings(max_examples=40, deadline=None)
close = torch.testing.assert_close


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


# pad_batch


@quick
@given(some_rows)
def test_rows_that_are_short_enough_are_padded_as_pytorch_pads_them(rows):
    ids, mask = pad_batch(rows, 6, 7, "end")
    theirs = pad_sequence([torch.tensor(row, dtype=torch.int64) for row in rows], True, padding_value=7)
    assert torch.equal(ids, theirs)
    assert mask.sum(dim=1).tolist() == [len(row) for row in rows]


@quick
@given(some_rows, st.integers(1, 7), st.sampled_from(["start", "end"]))
def test_the_mask_gives_back_the_rows_that_were_kept(rows, longest, keep):
    ids, mask = pad_batch(rows, longest, 3, keep)
    kept = [row[:longest] if keep == "start" else row[max(0, len(row) - longest) :] for row in rows]
    assert [row[real].tolist() for row, real in zip(ids, mask, strict=True)] == kept
    assert ids.shape == mask.shape == (len(rows), max(map(len, kept)))
    assert (ids[~mask] == 3).all()


def test_pads_of_the_worked_example():
    ids, mask = pad_batch([[5, 6, 7], [8], []], 2, 9, "end")
    assert ids.tolist() == [[6, 7], [8, 9], [9, 9]]
    assert mask.tolist() == [[True, True], [True, False], [False, False]]


# masked_last_state


@quick
@given(seeds, sizes, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_both_ends_are_the_last_states_of_a_packed_unit(generator, H, lengths):
    x, lengths = normal(generator, len(lengths), max(lengths), 2), torch.tensor(lengths)
    unit = nn.GRU(2, H, batch_first=True, bidirectional=True).double()
    states, both = unit(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    states = pad_packed_sequence(states, batch_first=True)[0]
    last, mean = masked_last_state(states, torch.arange(x.shape[1]) < lengths[:, None])
    close(last, torch.cat([*both], dim=1))
    for row, length, mine in zip(states, lengths, mean, strict=True):
        close(mine, row[:length].mean(dim=0))


def test_pads_and_where_they_stand_change_no_summary():
    generator = torch.Generator().manual_seed(2)
    states, mask = normal(generator, 3, 4, 6), torch.ones(3, 4, dtype=torch.bool)
    expected = masked_last_state(states, mask)
    for before, behind in [(2, 0), (0, 3), (1, 2)]:
        pads = [50 * normal(generator, 3, count, 6) for count in (before, behind)]
        none = [torch.zeros(3, count, dtype=torch.bool) for count in (before, behind)]
        wide = torch.cat([pads[0], states, pads[1]], dim=1), torch.cat([none[0], mask, none[1]], dim=1)
        close(masked_last_state(*wide), expected)


def test_a_row_of_pads_alone_has_zeros():
    last, mean = masked_last_state(torch.ones(2, 3, 4), torch.tensor([[False] * 3, [True] * 3]))
    assert last[0].tolist() == mean[0].tolist() == [0] * 4
    assert last[1].tolist() == mean[1].tolist() == [1] * 4


def test_both_ends_of_the_worked_example():
    states = torch.tensor([[[1.0, 6], [2, 5], [3, 4]], [[7.0, 10], [8, 20], [9, 30]]])
    last, mean = masked_last_state(states, torch.tensor([[True, True, False], [False, True, True]]))
    assert last.tolist() == [[2, 6], [9, 20]]
    assert mean.tolist() == [[1.5, 5.5], [8.5, 25]]


# classify and train_classifier


class Model(nn.Module):
    """The same model out of PyTorch's modules, in float64."""

    def __init__(self, V, d, H, K, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.vectors = nn.Embedding(V, d)
        self.unit = nn.RNN(d, H, batch_first=True)
        self.out = nn.Linear(H, K)
        nn.init.zeros_(self.unit.bias_hh_l0)
        self.unit.bias_hh_l0.requires_grad = False
        self.double()

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.vectors(ids), lengths, batch_first=True, enforce_sorted=False)
        return self.out(self.unit(packed)[1][0])

    def learned(self):
        return [weight for weight in self.parameters() if weight.requires_grad]


def padded(generator, lengths, V):
    """Numbers of words (B, T), random ones behind the lengths, too."""
    return torch.randint(V, (len(lengths), max(lengths)), generator=generator), torch.tensor(lengths)


@quick
@given(seeds, sizes, sizes, st.integers(2, 5), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_probabilities_are_those_of_a_packed_unit(generator, d, H, K, lengths):
    model, (ids, lengths) = Model(6, d, H, K, seed=3), padded(generator, lengths, 6)
    vectors, *unit, W_hy, b_y = [weight.detach() for weight in model.learned()]
    classes, probabilities, margins = classify(ids, lengths, vectors, unit, (W_hy, b_y), 0.0)
    scores = model(ids, lengths).detach()
    close(probabilities, scores.softmax(dim=1))
    assert torch.equal(classes, scores.argmax(dim=1))
    ordered = probabilities.sort(dim=1).values
    close(margins, ordered[:, -1] - ordered[:, -2])


def test_a_row_below_the_least_margin_gets_no_class():
    ids, lengths = padded(torch.Generator().manual_seed(4), [3, 1, 4, 2, 5], 6)
    vectors, *unit, W_hy, b_y = [weight.detach() for weight in Model(6, 2, 3, 4, seed=4).learned()]
    sure, _, margins = classify(ids, lengths, vectors, unit, (W_hy, b_y), 0.0)
    middle = margins.median().item()
    classes = classify(ids, lengths, vectors, unit, (W_hy, b_y), middle)[0]
    assert torch.equal(classes, torch.where(margins >= middle, sure, -1))
    assert (classes == -1).sum() == 2  # the margin in the middle is not below itself


def test_a_margin_that_is_the_least_one_is_enough():
    vectors, one = torch.ones(1, 1), torch.ones(1, 1)
    out = torch.tensor([[500.0], [0.0]]), torch.zeros(2)
    found = classify(torch.zeros(1, 1, dtype=int), torch.tensor([1]), vectors, (one, one, one[0]), out, 1.0)
    assert found[0].tolist() == [0]
    assert found[2].tolist() == [1.0]


def test_classes_of_the_worked_example():
    vectors, one, none = torch.tensor([[9.0], [1.0], [-1.0]]), torch.ones(1, 1), torch.zeros(1, 1)
    unit = math.log(3) / 2 * one, none, none[0]
    out = torch.tensor([[math.log(36)], [0.0], [0.0]]), torch.tensor([0.0, math.log(3), 0.0])
    found = classify(torch.tensor([[1, 0], [1, 2]]), torch.tensor([1, 2]), vectors, unit, out, 0.4)
    assert found[0].tolist() == [-1, 1]
    close(found[1], torch.tensor([[0.6, 0.3, 0.1], [0.04, 0.72, 0.24]]))
    close(found[2], torch.tensor([0.3, 0.48]))


@pytest.mark.parametrize("limit", [0.05, 0.5, 100.0])
def test_a_training_equals_pytorchs_own(limit):
    generator = torch.Generator().manual_seed(5)
    ids, lengths = padded(generator, [3, 1, 5, 2, 4, 5, 1], 6)
    labels = torch.randint(3, (7,), generator=generator)
    batches = list(torch.randperm(7, generator=generator).split(3))
    model = Model(6, 2, 4, 3, seed=5)
    start = [weight.detach().clone() for weight in model.learned()]
    optimiser = torch.optim.SGD(model.learned(), lr=0.7)
    for rows in batches * 3:
        optimiser.zero_grad()
        cross_entropy(model(ids[rows], lengths[rows]), labels[rows]).backward()
        nn.utils.clip_grad_norm_(model.learned(), limit)
        optimiser.step()
    mine = train_classifier(start, ids, lengths, labels, batches, 3, 0.7, limit)
    for one, other in zip(mine, model.learned(), strict=True):
        close(one, other.detach(), rtol=1e-4, atol=1e-6)  # PyTorch divides by the length + 1e-6
    new = padded(generator, [2, 5, 1], 6)
    named = train_classifier(start, ids, lengths, labels, batches, 3, 0.7, limit, new)
    assert torch.equal(named, model(*new).argmax(dim=1))


def test_a_step_of_the_worked_example():
    weights = [torch.zeros(shape) for shape in [(2, 1), (1, 1), (1, 1), (1,), (2, 1), (2,)]]
    ids, lengths, labels = torch.ones(3, 1, dtype=torch.int64), torch.ones(3, dtype=torch.int64), [1, 1, 0]
    *rest, b_y = train_classifier(
        weights, ids, lengths, torch.tensor(labels), [torch.arange(3)], 1, 0.6, 10.0
    )
    close(b_y, torch.tensor([-0.1, 0.1]))
    assert not any(weight.any() for weight in rest)


# the band


def test_rows_of_the_trained_task_come_in_pairs_of_the_same_words():
    ids, _, labels = order_rows(np.random.default_rng(6), 30)
    bags = {}
    for row, label in zip(ids.sort(dim=1).values.tolist(), labels.tolist(), strict=True):
        bags.setdefault(tuple(row), []).append(label)
    assert all(sum(found) * 2 == len(found) for found in bags.values())


@pytest.mark.slow
def test_without_order_the_band_is_out_of_reach():
    case = trained_case(np.random.default_rng(7))
    _, ids, _, labels, _, _, _, _, (new, _) = case.args
    counts, new_counts = ((part[:, :, None] == torch.arange(6)).sum(dim=1).float() for part in (ids, new))
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 2))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(200):
        optimiser.zero_grad()
        cross_entropy(model(counts), labels).backward()
        optimiser.step()
    right = (model(new_counts).argmax(dim=1).numpy() == case.band.truth).mean()
    assert right == 0.5 < LEAST_RIGHT


# accuracy


@quick
@given(seeds, st.integers(2, 5), st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_shares_do_not_depend_on_how_rows_are_put_into_batches(generator, K, counts):
    scores = normal(generator, sum(counts), K)
    labels = torch.randint(-2, K, (sum(counts),), generator=generator)
    labels[labels == -2] = -100
    labels[0] = 0  # at least one counts
    whole = accuracy([(scores, labels)], K)
    close(accuracy(list(zip(scores.split(counts), labels.split(counts), strict=True)), K), whole)
    counted = labels >= 0
    named = scores.argmax(dim=1)
    close(whole[0], (named == labels)[counted].double().mean())
    for k in range(K):
        right = (named == k)[labels == k].double()
        close(whole[1][k], right.mean() if len(right) else torch.tensor(-1.0).double())
    close(whole[2], whole[1][whole[1] >= 0].mean())


def test_a_constant_answer_is_balanced_at_one_part_of_k():
    labels = torch.tensor([0] * 7 + [1, 2])
    overall, _, balanced = accuracy([(torch.tensor([[1.0, 0, 0]] * 9), labels)], 3)
    assert overall == pytest.approx(7 / 9)
    assert balanced == pytest.approx(1 / 3)


def test_shares_of_the_worked_example():
    first = torch.tensor([[2.0, 1, 0], [1, 3, 0], [0, 4, 4]]), torch.tensor([0, 0, 1])
    second = torch.tensor([[1.0, 5, 2], [9, 2, 3], [7, 1, 1]]), torch.tensor([1, -1, 0])
    overall, each, balanced = accuracy([first, second], 3)
    assert overall == pytest.approx(0.6)
    assert each.tolist() == pytest.approx([2 / 3, 0.5, -1])
    assert balanced == pytest.approx(7 / 12)
