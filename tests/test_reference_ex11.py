"""The references of exercise 11 against PyTorch, and the properties of each."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from course_utils.reference.ex11 import (
    make_lm_batch,
    masked_cross_entropy,
    perplexity,
    sample_next,
)
from grading.bank import load_bank
from grading.exercises.ex11_sample_bank import settled

sizes = st.integers(1, 5)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
texts = st.lists(st.lists(st.integers(10, 99), max_size=7), min_size=1, max_size=4)
quick = settings(max_examples=40, deadline=None)
close = torch.testing.assert_close
BEGIN, END, PAD = 2, 3, -1


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


# make_lm_batch


@quick
@given(texts, st.integers(1, 9))
def test_every_target_is_the_next_token_of_its_document_and_the_next_input(documents, most):
    inputs, targets, counts = make_lm_batch(documents, most, BEGIN, END, PAD)
    for document, read, asked, count in zip(documents, inputs, targets, counts.tolist(), strict=True):
        assert asked[:count].tolist() == [*document, END][:most]
        assert read[:count].tolist() == [BEGIN, *document][:count]
        assert torch.equal(read[1:count], asked[: count - 1])


@quick
@given(texts, st.integers(1, 9))
def test_a_batch_is_as_wide_as_its_longest_row_and_pads_stand_behind(documents, most):
    inputs, targets, counts = make_lm_batch(documents, most, BEGIN, END, PAD)
    behind = torch.arange(max(counts)) >= counts[:, None]
    assert inputs.shape == targets.shape == behind.shape
    assert torch.equal(inputs == PAD, behind)
    assert torch.equal(targets == PAD, behind)


def test_a_cut_document_has_no_end_and_no_row_reads_one():
    inputs, targets, _ = make_lm_batch([[5, 6, 7], [5, 6], []], 3, BEGIN, END, PAD)
    assert (targets == END).sum(dim=1).tolist() == [0, 1, 1]
    assert not (inputs == END).any()


def test_a_batch_of_the_worked_example():
    inputs, targets, counts = make_lm_batch([[5, 6], [7, 8, 9, 4]], 4, 2, 3, 0)
    assert inputs.tolist() == [[2, 5, 6, 0], [2, 7, 8, 9]]
    assert targets.tolist() == [[5, 6, 3, 0], [7, 8, 9, 4]]
    assert counts.tolist() == [3, 4]


# masked_cross_entropy


@quick
@given(seeds, sizes, sizes, st.integers(2, 5), st.sampled_from([-100, -1, 0, 1]))
def test_loss_and_gradient_equal_torchs(generator, B, T, V, pad):
    scores = normal(generator, B, T, V).requires_grad_()
    targets = torch.randint(V, (B, T), generator=generator)
    targets[0, 0] = V - 1 if pad != V - 1 else 0  # one that counts
    targets[torch.rand(B, T, generator=generator) < 0.3] = pad
    targets[0, 0] = V - 1 if pad != V - 1 else 0
    expected = cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=pad)
    expected.backward()
    loss, gradient = masked_cross_entropy(scores.detach(), targets, pad)
    close(loss, expected.detach())
    close(gradient, scores.grad)


@quick
@given(seeds, st.sampled_from([-1000.0, 1000.0]))
def test_a_number_added_to_all_scores_of_a_step_changes_nothing(generator, high):
    scores, targets = normal(generator, 2, 3, 4), torch.tensor([[1, 0, 3], [2, -1, -1]])
    moved = masked_cross_entropy(scores + high, targets, -1)
    close(moved, masked_cross_entropy(scores, targets, -1), rtol=1e-9, atol=1e-9)


def test_a_target_whose_share_is_zero_costs_what_lies_between_the_scores():
    scores = torch.tensor([[[1000.0, -1000.0, 0.0]]])
    loss, gradient = masked_cross_entropy(scores, torch.tensor([[1]]), -1)
    assert loss.item() == 2000
    assert gradient.tolist() == [[[1.0, -1.0, 0.0]]]


def test_pads_alone_have_no_loss_and_no_gradient():
    loss, gradient = masked_cross_entropy(torch.ones(2, 3, 4), torch.full((2, 3), -1), -1)
    assert loss.item() == 0
    assert torch.equal(gradient, torch.zeros(2, 3, 4))


def test_more_pads_change_nothing():
    generator = torch.Generator().manual_seed(1)
    scores, targets = normal(generator, 2, 3, 4), torch.tensor([[1, 0, 3], [2, 3, -1]])
    longer = torch.cat([scores, normal(generator, 2, 5, 4)], dim=1)
    padded = torch.nn.functional.pad(targets, (0, 5), value=-1)
    loss, gradient = masked_cross_entropy(longer, padded, -1)
    close((loss, gradient[:, :3]), masked_cross_entropy(scores, targets, -1))
    assert not gradient[:, 3:].any()


def test_the_gradient_sums_to_zero_at_every_step():
    gradient = masked_cross_entropy(
        normal(torch.Generator().manual_seed(2), 3, 4, 5), torch.ones(3, 4, dtype=torch.int64), 0
    )[1]
    close(gradient.sum(dim=2), torch.zeros(3, 4, dtype=torch.float64))


def test_loss_and_gradient_of_the_worked_example():
    ln3 = math.log(3)
    scores = torch.tensor([[[0.0, ln3], [0.0, 0.0]], [[0.0, ln3], [5.0, -5.0]]])
    loss, gradient = masked_cross_entropy(scores, torch.tensor([[1, 0], [0, -1]]), -1)
    assert loss.item() == pytest.approx(0.789, abs=5e-4)
    expected = torch.tensor([[[0.25, -0.25], [-0.5, 0.5]], [[-0.75, 0.75], [0.0, 0.0]]]) / 3
    close(gradient, expected)


# perplexity


@quick
@given(st.lists(st.tuples(st.floats(0.1, 5), st.integers(1, 90)), min_size=1, max_size=5), st.floats(1.5, 12))
def test_perplexity_is_that_of_all_tokens_in_one_batch_whatever_the_base(batches, base):
    nats, tokens = (torch.tensor(column, dtype=torch.float64) for column in zip(*batches, strict=True))
    each = np.repeat(nats.numpy(), tokens.numpy().astype(int))
    found = perplexity(nats / math.log(base), tokens, tokens, base)
    assert found.tolist() == pytest.approx([math.exp(each.mean())] * 2)


def test_perplexity_a_word_is_the_power_of_that_a_token():
    losses, tokens, words = torch.tensor([1.0, 2.0]), torch.tensor([28, 14]), torch.tensor([10, 20])
    of_token, of_word = perplexity(losses, tokens, words, math.e)
    assert of_word.item() == pytest.approx(of_token.item() ** 1.4)


def test_perplexity_is_infinite_above_twenty_nats_and_there_alone():
    one = torch.tensor([1])
    assert perplexity(torch.tensor([20.0]), one, one, math.e).tolist() == pytest.approx([math.exp(20)] * 2)
    between = perplexity(torch.tensor([12.0]), torch.tensor([2]), one, math.e)
    assert between.tolist() == [pytest.approx(math.exp(12)), math.inf]
    assert perplexity(torch.tensor([25.0]), one, one, 2).tolist() == pytest.approx([2.0**25] * 2)


def test_perplexity_of_the_worked_example():
    found = perplexity(torch.tensor([1.0, 3.0]), torch.tensor([300, 100]), torch.tensor([200, 50]), 2)
    assert found.tolist() == pytest.approx([2**1.5, 2**2.4])


# sample_next


@quick
@given(seeds, st.floats(0.3, 3))
def test_without_cuts_the_shares_are_the_softmax(generator, temperature):
    scores = normal(generator, 3, 6)
    shares = sample_next(scores, torch.rand(3, generator=generator), temperature, 6, 1.0)[1]
    close(shares, torch.softmax(scores / temperature, dim=1))


@quick
@given(seeds, st.floats(0.3, 3), st.integers(1, 6), st.floats(0.05, 1))
def test_kept_tokens_hold_the_mass_and_none_of_them_could_go(generator, temperature, k, mass):
    scores = normal(generator, 1, 6)
    shares = sample_next(scores, torch.zeros(1), temperature, k, mass)[1][0]
    best = torch.topk(torch.softmax(scores[0] / temperature, dim=0), k)
    held = (best.values / best.values.sum()).cumsum(dim=0)
    count = int((shares > 0).sum())
    assert set(best.indices[:count].tolist()) == set(shares.nonzero()[:, 0].tolist())
    assert held[count - 1] >= mass - 1e-9
    assert count == 1 or held[count - 2] < mass
    close(shares.sum().item(), 1.0)


def test_tokens_come_as_often_as_their_shares_say():
    u = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000  # every thousandth once
    scores = normal(torch.Generator().manual_seed(3), 1, 6).expand(1000, 6)
    tokens, shares = sample_next(scores, u, 1.3, 5, 0.9)
    assert (torch.bincount(tokens, minlength=6) / 1000 - shares[0]).abs().max() < 2e-3


def test_temperature_zero_draws_the_likeliest_and_the_lower_of_equal_ones():
    scores = torch.tensor([[0.0, 2.0, 2.0, 1.0], [5.0, -1.0, 3.0, 5.0]])
    tokens, shares = sample_next(scores, torch.tensor([0.99, 0.5]), 0, 4, 1.0)
    assert tokens.tolist() == [1, 0]
    assert shares.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]


@quick
@given(seeds, st.integers(1, 6), st.sampled_from([0.0, 1 - 2.0**-53]))
def test_at_both_ends_of_u_the_outermost_token_with_a_share_is_drawn(generator, k, u):
    scores = normal(generator, 40, 6).float()
    tokens, shares = sample_next(scores, torch.full((40,), u, dtype=torch.float64), 1.0, k, 1.0)
    kept = [row.nonzero().flatten().tolist() for row in shares]
    assert tokens.tolist() == [row[-1] if u else row[0] for row in kept]


def test_the_draw_of_the_worked_example():
    ln2 = math.log(2)
    scores = torch.tensor([[0.0, 2 * ln2, ln2, 0.0]]).expand(2, 4)
    tokens, shares = sample_next(scores, torch.tensor([0.6, 0.85]), 0.5, 3, 0.9)
    assert tokens.tolist() == [1, 2]
    close(shares, torch.tensor([[0.0, 0.8, 0.2, 0.0]]).expand(2, 4))


@pytest.mark.parametrize("single", [torch.float32, torch.float64])
def test_no_draw_and_no_cut_of_a_case_hangs_on_rounding(single):
    function = load_bank("ex11").questions["sample_next"]
    for seed in range(40):
        for case in function.hidden_cases(seed):
            scores, u, *rules = case.args
            assert settled(scores, u, *rules), (seed, case.title)
            exact = sample_next(scores.double(), u.double(), *rules)
            rough = sample_next(scores.to(single), u.to(single), *rules)
            assert torch.equal(exact[0], rough[0]), (seed, case.title)
