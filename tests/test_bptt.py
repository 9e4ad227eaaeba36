"""The hand-written backward pass against autograd, central differences, and its own double sum."""

import doctest

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import bptt
from course_utils.cells import rnn_forward

quick = settings(deadline=None, max_examples=30)
seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(1, 6))
CLOSE = {"rtol": 1e-9, "atol": 1e-11}


class Run:
    """A network of random weights, one sequence, and a random upstream gradient at every state."""

    def __init__(self, seed, T, d, H):
        self.rng = torch.Generator().manual_seed(seed)
        self.W_xh, self.W_hh, self.b = self.draw(H, d), self.draw(H, H), self.draw(H)
        self.x, self.h0, self.upstream = self.draw(T, d), self.draw(H), self.draw(T, H)
        self.states = self.forward(self.W_hh)

    def draw(self, *shape):
        return torch.randn(*shape, generator=self.rng, dtype=torch.float64)

    def forward(self, W_hh):
        return rnn_forward(self.x[None], self.W_xh, W_hh, self.b, self.h0[None])[0]

    def loss(self, W_hh):
        return (self.forward(W_hh) * self.upstream).sum()

    def gradient(self):
        W = self.W_hh.clone().requires_grad_()
        return torch.autograd.grad(self.loss(W), W)[0]

    def backward(self, upstream=None):
        return bptt.backward(self.upstream if upstream is None else upstream, self.states, self.W_hh, self.h0)


@quick
@given(seeds, sizes)
def test_the_parts_add_up_to_the_gradient_of_autograd(seed, sizes):
    run = Run(seed, *sizes)
    torch.testing.assert_close(run.backward()[1].sum(dim=0), run.gradient(), **CLOSE)


@quick
@given(seeds, sizes, st.integers(1, 3))
def test_the_deltas_are_the_gradients_at_the_states(seed, sizes, K):
    run = Run(seed, *sizes)
    W_hy, targets = run.draw(K, sizes[2]), run.draw(sizes[0], K)
    states, expected = bptt.total_gradients(run.x, targets, run.W_xh, run.W_hh, run.b, W_hy)
    deltas, _ = bptt.backward((states @ W_hy.T - targets) @ W_hy, states, run.W_hh)
    torch.testing.assert_close(deltas, expected, **CLOSE)


@quick
@given(seeds, sizes)
def test_a_delta_is_what_a_nudge_of_the_state_does_to_all_later_losses(seed, sizes):
    run, eps = Run(seed, *sizes), 1e-6
    t = sizes[0] // 2
    direction = run.draw(sizes[2])

    def loss(h):
        later = (
            rnn_forward(run.x[None, t + 1 :], run.W_xh, run.W_hh, run.b, h[None])[0]
            if t + 1 < sizes[0]
            else 0
        )
        return (h * run.upstream[t]).sum() + (later * run.upstream[t + 1 :]).sum()

    quotient = bptt.slope_along(loss, run.states[t], direction, eps)
    expected = run.backward()[0][t] @ direction
    torch.testing.assert_close(quotient, expected, rtol=1e-5, atol=1e-6)


@quick
@given(seeds, sizes)
def test_the_double_sum_is_the_recursion_written_out(seed, sizes):
    run = Run(seed, *sizes)
    terms = bptt.double_sum(run.upstream, run.states, run.W_hh, run.h0)
    torch.testing.assert_close(terms.sum(dim=0), run.backward()[1], **CLOSE)


@quick
@given(seeds, sizes)
def test_a_row_of_the_double_sum_is_the_gradient_of_one_loss(seed, sizes):
    run = Run(seed, *sizes)
    terms = bptt.double_sum(run.upstream, run.states, run.W_hh, run.h0)
    t = sizes[0] - 1
    run.upstream[:t] = 0
    torch.testing.assert_close(terms[t].sum(dim=0), run.gradient(), **CLOSE)


def test_no_term_lets_a_loss_speak_about_a_later_step():
    terms = bptt.double_sum(*(getattr(Run(1, 6, 2, 3), name) for name in ("upstream", "states", "W_hh")))
    assert not torch.triu(terms.norm(dim=(2, 3)), diagonal=1).any()
    assert torch.tril(terms.norm(dim=(2, 3)))[1:, 1:].diagonal().all()


def test_with_one_step_the_gradient_is_the_outer_product_of_slope_and_start():
    run = Run(2, 1, 3, 4)
    deltas, parts = run.backward()
    torch.testing.assert_close(deltas, run.upstream)
    torch.testing.assert_close(
        parts[0], torch.outer(run.upstream[0] * (1 - run.states[0] ** 2), run.h0), **CLOSE
    )


def test_a_loss_at_one_step_says_nothing_about_later_states():
    run = Run(3, 7, 2, 4)
    run.upstream[4:] = 0
    deltas, parts = run.backward()
    assert not deltas[4:].any()
    assert not parts[4:].any()
    assert deltas[:4].all()


def test_gradients_of_two_losses_add_up():
    run = Run(4, 5, 2, 3)
    other = run.draw(5, 3)
    both = run.backward(run.upstream + other)
    for one, two, sum_of_both in zip(run.backward(), run.backward(other), both, strict=True):
        torch.testing.assert_close(one + two, sum_of_both, **CLOSE)


def test_the_slopes_of_another_nonlinearity_can_be_given():
    run = Run(5, 6, 2, 3)
    _, parts = bptt.backward(run.upstream, run.states, run.W_hh, run.h0, slopes=torch.ones(6, 3))
    W = run.W_hh.clone().requires_grad_()
    h = run.h0
    linear = []
    for before in [run.h0, *run.states[:-1]]:  # linear steps that read the same states
        h = W @ (before + h - h.detach())
        linear.append(h)
    loss = (torch.stack(linear) * run.upstream).sum()
    torch.testing.assert_close(parts.sum(dim=0), torch.autograd.grad(loss, W)[0], **CLOSE)


def test_inputs_are_left_as_they_were():
    run = Run(6, 4, 2, 3)
    before = [value.clone() for value in (run.upstream, run.states, run.W_hh, run.h0)]
    run.backward()
    bptt.double_sum(run.upstream, run.states, run.W_hh, run.h0)
    for value, copy in zip((run.upstream, run.states, run.W_hh, run.h0), before, strict=True):
        assert torch.equal(value, copy)


def test_a_central_difference_is_exact_for_a_parabola_and_one_sided_it_would_not_be():
    slope = bptt.slope_along(lambda v: (v**2).sum(), torch.tensor([3.0, 1.0]), torch.tensor([1.0, 0.0]), 0.5)
    assert slope == pytest.approx(6.0)


def test_the_error_of_a_central_difference_is_a_v_in_its_step():
    run = Run(7, 9, 2, 6)
    D = run.draw(6, 6)
    exact = (run.gradient() * D).sum()
    coarse, fine, finest = (
        abs(bptt.slope_along(run.loss, run.W_hh, D, eps) - exact) for eps in (1e-2, 1e-5, 1e-12)
    )
    assert coarse > 100 * fine
    assert finest > 100 * fine


def test_the_examples_of_the_module_run():
    result = doctest.testmod(bptt)
    assert result.attempted > 3
    assert result.failed == 0
