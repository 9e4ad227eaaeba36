"""The epoch of exercise 11 against PyTorch: windows, groups, pads; what the trained case asks."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy

from course_utils.reference.ex11 import train_epoch
from grading.bank import load_bank

sizes = st.integers(1, 5)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
quick = settings(max_examples=40, deadline=None)
close = torch.testing.assert_close


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def unit_weights(generator, V=6, E=3, H=4):
    return [normal(generator, *shape) for shape in [(V, E), (H, E), (H, H), (H,), (V, H), (V,)]]


def some_groups(generator, *shapes):
    """Groups without pads."""
    return [tuple(torch.randint(1, 6, (2, *shape), generator=generator)) for shape in shapes]


def scores_of_torch(inputs, weights):
    E, W_xh, W_hh, b, W_hy, b_y = weights
    unit = nn.RNN(E.shape[1], len(b), batch_first=True).double()
    state = dict(zip(unit.state_dict(), (W_xh, W_hh, b, torch.zeros_like(b)), strict=True))
    return torch.func.functional_call(unit, state, E[inputs])[0] @ W_hy.T + b_y


@quick
@given(seeds, sizes, sizes)
def test_one_window_is_a_step_down_torchs_gradient(generator, B, T):
    weights, ((inputs, targets),) = unit_weights(generator), some_groups(generator, (B, T))
    leaves = [weight.clone().requires_grad_() for weight in weights]
    loss = cross_entropy(scores_of_torch(inputs, leaves).flatten(0, 1), targets.flatten())
    gradients = torch.autograd.grad(loss, leaves)
    *new, mean = train_epoch([(inputs, targets)], T, weights, 0.3, 1e9)
    assert mean == pytest.approx(loss.item())
    close(new, [weight - 0.3 * part for weight, part in zip(weights, gradients, strict=True)])


def test_the_move_of_all_weights_is_as_long_as_the_limit():
    generator = torch.Generator().manual_seed(4)
    weights, groups = unit_weights(generator), some_groups(generator, (2, 5))
    new = train_epoch(groups, 5, weights, 0.5, 0.01)[:-1]
    moved = torch.cat([(one - other).flatten() for one, other in zip(new, weights, strict=True)])
    assert moved.norm().item() == pytest.approx(0.5 * 0.01, rel=1e-3)


def test_at_rate_zero_windows_change_nothing_and_the_loss_is_that_of_all_targets():
    generator = torch.Generator().manual_seed(5)
    weights, groups = unit_weights(generator), some_groups(generator, (2, 7), (3, 4))
    *new, mean = train_epoch(groups, 3, weights, 0.0, 1.0)
    close(new, weights)
    pairs = [
        (scores_of_torch(inputs, weights).flatten(0, 1), targets.flatten()) for inputs, targets in groups
    ]
    expected = cross_entropy(*(torch.cat(parts) for parts in zip(*pairs, strict=True)))
    assert mean == pytest.approx(expected.item())


def test_groups_do_not_hear_each_other_and_pads_have_no_part():
    generator = torch.Generator().manual_seed(6)
    weights, (first, second) = unit_weights(generator), some_groups(generator, (2, 5), (2, 3))
    both = train_epoch([first, second], 2, weights, 0.4, 1.0)
    *new, _ = train_epoch([first], 2, weights, 0.4, 1.0)
    close(both[:-1], train_epoch([second], 2, new, 0.4, 1.0)[:-1])
    second[1][1, 1:] = 0  # the second row is over after one step
    changed = second[0].clone()
    changed[1, 1:] = 5
    close(
        train_epoch([second], 3, weights, 0.4, 1.0), train_epoch([(changed, second[1])], 3, weights, 0.4, 1.0)
    )


def test_a_later_window_does_not_reach_back_into_the_one_before():
    generator = torch.Generator().manual_seed(7)
    weights = unit_weights(generator)
    targets = torch.tensor([[0, 2], [2, 2]])  # at the first window the first row has no question
    *new, _ = train_epoch([(torch.tensor([[1, 2], [3, 4]]), targets)], 1, weights, 1.0, 1e9)
    assert torch.equal(new[0][1], weights[0][1])  # token 1 was read in the first window alone


def test_an_epoch_of_the_worked_example():
    ones = torch.ones(1, 2, dtype=torch.int64)
    weights = [torch.zeros(shape) for shape in [(2, 1), (1, 1), (1, 1), (1,), (2, 1), (2,)]]
    *_, b_y, mean = train_epoch([(ones, ones)], 1, weights, 1.0, 1.0)
    close(b_y, torch.tensor([-0.769, 0.769]), rtol=0, atol=5e-4)
    assert mean == pytest.approx(0.503, abs=5e-4)


def test_asked_for_rows_it_gives_the_likeliest_token_after_each():
    generator = torch.Generator().manual_seed(8)
    weights, groups = unit_weights(generator), some_groups(generator, (2, 5), (4, 3))
    rows = torch.randint(1, 6, (7, 4), generator=generator)
    *new, _ = train_epoch(groups, 3, weights, 0.4, 1.0)
    found = train_epoch(groups, 3, weights, 0.4, 1.0, rows)
    assert torch.equal(found, scores_of_torch(rows, new)[:, -1].argmax(dim=1))


def test_the_rows_of_the_trained_case_need_more_than_their_last_token():
    function = load_bank("ex11").questions["train_epoch"]
    (case,) = [case for case in function.hidden_cases(1) if case.band]
    last, truth = case.args[5][:, -1].numpy(), case.band.truth
    best = sum(max(np.bincount(truth[last == token])) for token in np.unique(last))
    assert best / len(truth) < 0.8 < case.band.at_least
