"""Paths of a stack: counted, walked one by one, and together equal to autograd."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import depth
from course_utils.horizon import carried_back

SMALL = st.integers(1, 5)
quick = settings(deadline=None, max_examples=40)


def stack(L, T=5, H=3, seed=0, kind="gaussian"):
    """A stack of L layers, its input terms, and a gradient for its end."""
    generator = torch.Generator().manual_seed(seed)
    layers = depth.start_stack(kind, L, H, generator)
    terms, end = (torch.randn(*shape, generator=generator).double() for shape in [(T, H), (H,)])
    return terms, layers, end


@quick
@given(SMALL, SMALL)
def test_the_number_of_paths_is_a_binomial(T, L):
    assert len(list(depth.paths(T, L))) == math.comb(T + L - 2, L - 1)


@quick
@given(SMALL, SMALL)
def test_every_path_is_new_and_goes_one_step_back_or_down_at_a_time(T, L):
    found = [tuple(path) for path in depth.paths(T, L)]
    assert len(set(found)) == len(found)
    for path in found:
        assert (path[0], path[-1], len(path)) == ((T, L), (1, 1), T + L - 1)
        moves = {(a - c, b - d) for (a, b), (c, d) in pairwise(path)}
        assert moves <= {(1, 0), (0, 1)}


@quick
@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 50))
def test_the_paths_add_up_to_the_gradient_of_autograd(T, L, seed):
    terms, layers, end = stack(L, T, seed=seed)
    states, output = depth.run_stack(terms.requires_grad_(), layers)
    total = sum(depth.along_path(path, states, layers, end)[-1] for path in depth.paths(T, L))
    exact = torch.autograd.grad(output @ end, states[0][0])[0]
    torch.testing.assert_close(total, exact, rtol=1e-10, atol=1e-14)
    assert depth.through_all_paths(terms, layers, end)[-1].item() == pytest.approx(exact.norm().item())


def test_the_gradient_agrees_with_central_differences():
    """A nudge of an input term is a nudge of the first state, times the slope there."""
    terms, layers, end = stack(3, T=4, seed=2)
    states, _ = depth.run_stack(terms, layers)
    slope = 1 - states[0][0] ** 2  # a nudge of the term, taken back to the state
    found = []
    for unit in torch.eye(3, dtype=torch.float64):
        ends = []
        for eps in (1e-6, -1e-6):
            moved = terms.clone()
            moved[0] += eps * unit
            ends.append(depth.run_stack(moved, layers)[1] @ end)
        found.append((ends[0] - ends[1]) / 2e-6)
    length = (torch.stack(found) / slope).norm()
    torch.testing.assert_close(depth.through_all_paths(terms, layers, end)[-1], length, rtol=1e-7, atol=0)


def test_one_layer_is_the_plain_unit():
    terms, layers, end = stack(1, T=7, seed=5)
    states = torch.stack([row[0] for row in depth.run_stack(terms, layers)[0]])
    wanted = carried_back(states, layers[0][1], end)
    for residual in (False, True):
        torch.testing.assert_close(depth.through_all_paths(terms, layers, end, residual), wanted)


def test_a_path_along_time_is_the_plain_unit_of_its_layer():
    terms, layers, end = stack(2, T=6, seed=3)
    states, _ = depth.run_stack(terms, layers)
    lengths = depth.along_path([(t, 2) for t in range(6, 0, -1)], states, layers, end).norm(dim=1)
    top = torch.stack([row[1] for row in states])
    torch.testing.assert_close(lengths, carried_back(top, layers[1][1], end))


def test_several_gradients_walk_a_path_at_once():
    terms, layers, end = stack(3, T=4, seed=4)
    states, _ = depth.run_stack(terms, layers)
    path = list(depth.paths(4, 3))[3]
    both = depth.along_path(path, states, layers, torch.stack([end, 2 * end]))
    torch.testing.assert_close(both[:, 1], 2 * depth.along_path(path, states, layers, end))


def test_a_residual_layer_hands_on_its_state_plus_what_it_read():
    terms, layers, _ = stack(2, T=1, seed=6)
    states, output = depth.run_stack(terms, layers, residual=True)
    torch.testing.assert_close(output, states[0][0] + states[0][1])
    torch.testing.assert_close(depth.run_stack(terms, layers)[1], states[0][1])


def test_residual_connections_restore_the_way_down():
    terms, layers, end = stack(4, T=2, H=40, kind="orthogonal")
    plain, residual = (depth.through_all_paths(terms, layers, end, way)[0] for way in (False, True))
    assert plain < 0.7 * end.norm()
    assert residual > end.norm()


def test_the_inputs_are_left_as_they_were():
    terms, layers, end = stack(2)
    before = terms.clone()
    depth.through_all_paths(terms, layers, end)
    assert torch.equal(terms, before)
    assert not terms.requires_grad
