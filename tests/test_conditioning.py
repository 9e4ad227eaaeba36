"""Repairs of a plain unit: clipping, starts and LayerNorm against PyTorch, NumPy and the horizon's code."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import nn

from course_utils import conditioning, horizon
from course_utils.records import runs
from course_utils.training import first_symbol, train

H = 12


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def a_run(seed=0, T=9):
    return horizon.driven_states("gaussian", 1.0, 0.5, seed, T=T, H=H)


def test_the_largest_jump_is_found_with_its_size_and_what_follows():
    lengths = torch.ones(60)
    lengths[:20] = 5.0
    lengths[40], lengths[45:] = 30.0, 2.0
    assert conditioning.largest_jump(lengths) == (40, 30.0, 2.0)


def test_a_jump_counts_against_its_own_neighbours():
    lengths = 1.1 ** torch.arange(60.0)
    lengths[15] *= 50  # shorter than the last ones, and a jump all the same
    assert lengths[15] < lengths[-1]
    assert conditioning.largest_jump(lengths)[0] == 15


def test_what_follows_a_jump_begins_with_the_update_after_it():
    assert conditioning.largest_jump(torch.tensor([1.0, 1.0, 9.0, 4.0, 1.0]), window=1) == (2, 9.0, 4.0)


def test_clipping_is_pytorchs_and_leaves_the_gradient_alone():
    gradient = torch.tensor([[3.0, -0.5], [0.2, -4.0]])
    before = gradient.clone()
    by_value = conditioning.after_clipping(nn.utils.clip_grad_value_, gradient, 1.0)
    by_length = conditioning.after_clipping(nn.utils.clip_grad_norm_, gradient, 1.0)
    torch.testing.assert_close(by_value, torch.tensor([[1.0, -0.5], [0.2, -1.0]]))
    torch.testing.assert_close(by_length, gradient / gradient.norm())
    assert torch.equal(gradient, before)


@pytest.mark.parametrize("degrees", [0.0, 1e-5, 20.0, 90.0, 180.0])
def test_the_angle_between_two_gradients_is_exact_even_when_it_is_small(degrees):
    angle = math.radians(degrees)
    one = torch.tensor([[2.0], [0.0]], dtype=torch.float64)
    other = 0.3 * torch.tensor([[math.cos(angle)], [math.sin(angle)]], dtype=torch.float64)
    assert conditioning.turned_by(one, other) == pytest.approx(degrees, abs=1e-9)


def test_the_three_starts_are_what_their_names_say():
    starts = conditioning.starts(200, generator())
    gaussian, orthogonal, identity = starts.values()
    assert list(starts) == ["Gaussian", "orthogonal", "identity"]
    assert gaussian.var().item() * 200 == pytest.approx(1, abs=0.05)
    torch.testing.assert_close(orthogonal.T @ orthogonal, torch.eye(200, dtype=torch.float64))
    assert torch.equal(identity, 0.95 * torch.eye(200, dtype=torch.float64))


def test_a_start_depends_on_the_generator_alone():
    first, second = (conditioning.starts(5, generator(3)) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["Gaussian"], conditioning.starts(5, generator(4))["Gaussian"])


def test_the_distance_is_that_to_the_nearest_orthogonal_matrix():
    W = torch.randn(4, 4, generator=generator(), dtype=torch.float64)
    U, _, Vh = torch.linalg.svd(W)
    nearest = (W - U @ Vh).norm() / 2  # the root of the mean square has 4 in its sum
    torch.testing.assert_close(conditioning.off_orthogonal(W), nearest)
    others = [conditioning.starts(4, generator(seed))["orthogonal"] for seed in range(50)]
    assert all((W - Q).norm() / 2 > nearest for Q in others)


def test_the_distance_of_several_matrices_comes_at_once():
    W = torch.randn(3, 4, 4, generator=generator())
    each = torch.stack([conditioning.off_orthogonal(one) for one in W])
    torch.testing.assert_close(conditioning.off_orthogonal(W), each)


def test_the_plain_states_and_lengths_are_those_of_the_horizon():
    run = a_run()
    states = conditioning.states_of(conditioning.plain_step, run.terms, run.W_hh)
    torch.testing.assert_close(states, run.states)
    lengths = conditioning.lengths_back(conditioning.plain_step, run.terms, run.W_hh, run.end)
    torch.testing.assert_close(lengths, horizon.carried_back(run.states, run.W_hh, run.end))


def test_the_lengths_through_layernorm_agree_with_differences():
    run, eps = a_run(T=4), 1e-6

    def loss(h_1):
        h = h_1
        for term in run.terms[1:]:
            h = conditioning.normalised_step(term, h, run.W_hh)
        return (h @ run.end).item()

    h_1 = conditioning.normalised_step(run.terms[0], torch.zeros_like(run.end), run.W_hh)
    nudges = eps * torch.eye(H, dtype=torch.float64)
    gradient = [(loss(h_1 + nudge) - loss(h_1 - nudge)) / (2 * eps) for nudge in nudges]
    lengths = conditioning.lengths_back(conditioning.normalised_step, run.terms, run.W_hh, run.end)
    assert lengths[-1].item() == pytest.approx(np.linalg.norm(gradient), rel=1e-6)
    assert lengths[0].item() == pytest.approx(1.0)


def test_a_normalised_step_has_mean_0_and_variance_1_before_the_tanh():
    run = a_run()
    a = torch.atanh(conditioning.normalised_step(run.terms[0], run.states[0], run.W_hh))
    assert a.mean().item() == pytest.approx(0, abs=1e-9)
    assert a.var(unbiased=False).item() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("scale", [0.5, 8.0])
def test_a_common_factor_on_all_weights_changes_nothing_under_layernorm(scale):
    run = a_run()
    step = conditioning.normalised_step
    scaled = conditioning.states_of(step, scale * run.terms, scale * run.W_hh)
    torch.testing.assert_close(scaled, conditioning.states_of(step, run.terms, run.W_hh), atol=1e-3, rtol=0)
    plain = conditioning.states_of(conditioning.plain_step, scale * run.terms, scale * run.W_hh)
    assert (plain - run.states).abs().max() > 0.1


def test_a_model_starts_from_the_matrix_that_it_is_given():
    W = torch.randn(6, 6, generator=generator())
    rnn, read_out = conditioning.model_from(W, V=5)
    assert torch.equal(rnn.weight_hh_l0, W)
    assert (rnn.input_size, read_out.out_features) == (5, 5)
    assert torch.equal(conditioning.model_from(0 * W, V=5)[1].weight, read_out.weight)


def test_training_keeps_the_start_and_every_update_and_leaves_its_inputs_alone():
    W = conditioning.starts(6, generator(), torch.float32)["orthogonal"]
    before = W.clone()
    kept = conditioning.train_from(*conditioning.model_from(W, V=5), first_symbol, 4, T=3, batch=7)
    assert kept.shape == (5, 6, 6)
    assert torch.equal(kept[0], before)
    assert torch.equal(W, before)
    assert all(not torch.equal(one, other) for one, other in itertools.pairwise(kept))


def test_training_moves_an_orthogonal_start_away():
    W = conditioning.starts(16, generator(), torch.float32)["orthogonal"]
    distance = conditioning.off_orthogonal(
        conditioning.train_from(*conditioning.model_from(W, V=8), first_symbol, 60, T=5)
    )
    assert distance[0] < 1e-5
    assert distance[-1] > 0.05


def test_the_record_of_large_steps_has_every_limit_and_its_clipped_runs_are_ahead():
    accuracy = {run["clip"]: np.mean(run["accuracy"]) for run in runs("clipping")}
    assert list(accuracy) == [None, 0.1, 0.5, 2.0, 8.0]
    assert accuracy[2.0] > accuracy[None] + 0.2
    assert accuracy[2.0] > accuracy[0.1] + 0.2


def test_the_first_updates_of_a_recorded_run_come_out_again():
    (recorded,) = runs("clipping", clip=None)
    again = train("rnn", 10, [0, 4], updates=30, rate=0.2, optimiser=torch.optim.SGD, tests=10)
    expected = torch.tensor(recorded["norms"])[[0, 4], :30]
    torch.testing.assert_close(again.norms, expected, rtol=0.02, atol=0)
