"""Gradients carried back through fresh units: against autograd, against the bound, against the formula."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import horizon
from course_utils.cells import rnn_forward

quick = settings(deadline=None, max_examples=40)


def by_autograd(run):
    """The gradient of end . h_T at every state: the states are asked inside the loop."""
    h, states = torch.zeros_like(run.end, requires_grad=True), []
    for term in run.terms:
        h = torch.tanh(term + run.W_hh @ h)
        states.append(h)
    return torch.stack(torch.autograd.grad(h @ run.end, states))


def carried(run):
    return horizon.carried_back(run.states, run.W_hh, run.end)


@quick
@given(st.sampled_from(horizon.STARTS), st.integers(1, 12), st.integers(1, 7), st.integers(0, 99))
def test_carried_lengths_are_those_of_autograd_newest_first(kind, T, H, seed):
    run = horizon.driven_states(kind, 1.3, 0.8, seed, T, H)
    torch.testing.assert_close(carried(run), by_autograd(run).norm(dim=1).flip(0), rtol=1e-10, atol=1e-14)


def test_carried_lengths_are_those_of_central_differences():
    run, eps = horizon.driven_states("gaussian", 1.5, 0.8, 3, T=6, H=4), 1e-6

    def end_of(h):
        for term in run.terms[1:]:
            h = torch.tanh(term + run.W_hh @ h)
        return h @ run.end

    nudges = eps * torch.eye(4, dtype=torch.float64)
    slopes = torch.stack(
        [(end_of(run.states[0] + n) - end_of(run.states[0] - n)) / (2 * eps) for n in nudges]
    )
    torch.testing.assert_close(carried(run)[-1], slopes.norm(), rtol=1e-7, atol=0)


def test_one_state_has_lag_zero_only():
    run = horizon.driven_states("orthogonal", 1.0, 0.5, 0, T=1, H=3)
    torch.testing.assert_close(carried(run), torch.ones(1, dtype=torch.float64))


def test_the_first_state_s_slope_plays_no_part():
    run = horizon.driven_states("gaussian", 1.0, 0.5, 1, T=5, H=3)
    other = torch.cat([torch.full_like(run.states[:1], 0.99), run.states[1:]])
    torch.testing.assert_close(carried(run), horizon.carried_back(other, run.W_hh, run.end))


@quick
@given(st.sampled_from(horizon.STARTS), st.floats(0.1, 4.0), st.integers(0, 99))
def test_no_length_exceeds_the_bound(kind, sigma, seed):
    run = horizon.driven_states(kind, sigma, 0.5, seed, T=20, H=6)
    assert (carried(run) <= sigma ** torch.arange(20).double() * (1 + 1e-9)).all()


def test_without_inputs_and_slopes_an_orthogonal_start_loses_nothing():
    run = horizon.driven_states("orthogonal", 1.0, 1e-9, 0, T=40, H=5)
    torch.testing.assert_close(carried(run), torch.ones(40, dtype=torch.float64))


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
def test_starts_have_the_singular_values_that_they_are_named_after(sigma):
    generator = torch.Generator().manual_seed(0)
    values = {kind: horizon.start_matrix(kind, 7, sigma, generator) for kind in horizon.STARTS}
    singular = {kind: torch.linalg.svdvals(W) for kind, W in values.items()}
    torch.testing.assert_close(singular["orthogonal"], torch.full((7,), sigma, dtype=torch.float64))
    assert singular["gaussian"][0].item() == pytest.approx(sigma)
    assert singular["gaussian"][-1] < 0.5 * sigma


def test_an_unknown_start_is_named():
    with pytest.raises(ValueError, match="kind is 'identity', expected one of orthogonal, gaussian"):
        horizon.start_matrix("identity", 3, 1.0, torch.Generator())


def test_a_large_gaussian_start_has_half_its_largest_value_as_typical_one():
    W = horizon.start_matrix("gaussian", 200, 1.0, torch.Generator().manual_seed(0))
    assert horizon.typical_factor(torch.zeros(1, 200), W)[0] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("spread", [0.05, 0.5, 3.0])
def test_inputs_have_the_size_that_was_asked_for(spread):
    x, W_xh = horizon.drive(30, 7, spread, torch.Generator().manual_seed(2), d=5)
    assert (x.shape, W_xh.shape) == ((30, 5), (7, 5))
    assert (x @ W_xh.T).square().mean().sqrt().item() == pytest.approx(spread)


def test_a_run_is_the_plain_loop_on_its_own_terms():
    run = horizon.driven_states("gaussian", 1.2, 0.5, 4, T=9, H=6)
    eye, none = torch.eye(6, dtype=torch.float64), torch.zeros(6, dtype=torch.float64)
    torch.testing.assert_close(run.states, rnn_forward(run.terms[None], eye, run.W_hh, none)[0])


def test_a_seed_gives_its_run_whatever_was_drawn_before():
    rows = horizon.lengths_of_starts("gaussian", 1.0, 0.5, [3, 4], T=8, H=5)
    np.testing.assert_array_equal(rows[1], horizon.lengths_of_starts("gaussian", 1.0, 0.5, [4], T=8, H=5)[0])
    assert not np.allclose(rows[0], rows[1])


@quick
@given(st.floats(0.05, 3.0), st.floats(1e-6, 1e6), st.integers(2, 60))
def test_the_factor_of_a_geometric_row_is_found_whatever_its_height(factor, height, T):
    rows = height * factor ** np.arange(T)[None]
    np.testing.assert_allclose(horizon.fitted_factors(rows), [factor], rtol=1e-9)


def test_the_fit_uses_every_lag_and_keeps_rows_apart():
    rows = np.array([[1.0, 0.1, 0.25, 0.125], 0.5 ** np.arange(4)])
    slope = np.polyfit(np.arange(4), np.log(rows[0]), 1)[0]
    np.testing.assert_allclose(horizon.fitted_factors(rows), [np.exp(slope), 0.5])


@pytest.mark.parametrize(("kind", "sigma"), [("orthogonal", 1.0), ("orthogonal", 3.0), ("gaussian", 1.0)])
def test_the_two_root_mean_squares_predict_the_factor(kind, sigma):
    runs = [horizon.driven_states(kind, sigma, 0.5, seed) for seed in range(3)]
    predicted = np.mean([np.prod(horizon.typical_factor(run.states[10:], run.W_hh)) for run in runs])
    fitted = horizon.fitted_factors(np.array([carried(run).numpy() for run in runs])).mean()
    assert fitted == pytest.approx(predicted, rel=0.04)
