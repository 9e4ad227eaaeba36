"""The plain unit and its loop: agreement with torch in float64, and what must hold for any recurrence."""

import doctest

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils import cells
from course_utils.conventions import rnn_to_torch
from course_utils.layers import start_weights

TOL = {"rtol": 1e-12, "atol": 1e-12}
seeds = st.integers(0, 2**31).map(lambda seed: torch.Generator().manual_seed(seed))
sizes = st.integers(1, 6)
quick = settings(max_examples=40, deadline=None)


def drawn(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def case(seed=0, B=4, T=7, d=3, H=5):
    generator = torch.Generator().manual_seed(seed)
    return drawn(generator, B, T, d), start_weights(d, H, generator), drawn(generator, B, H)


@quick
@given(generator=seeds, B=sizes, T=sizes, d=sizes, H=sizes)
def test_states_agree_with_torch_from_any_start(generator, B, T, d, H):
    x, h0, weights = drawn(generator, B, T, d), drawn(generator, B, H), start_weights(d, H, generator)
    rnn = nn.RNN(d, H, batch_first=True, dtype=torch.float64)
    rnn.load_state_dict(rnn_to_torch([weights]))
    torch.testing.assert_close(cells.rnn_forward(x, *weights, h0), rnn(x, h0[None])[0], **TOL)
    torch.testing.assert_close(cells.rnn_forward(x, *weights), rnn(x)[0], **TOL)


def test_the_gradients_agree_with_central_differences():
    x, weights, h0 = case(B=2, T=3, d=2, H=3)
    arguments = [tensor.clone().requires_grad_() for tensor in (x, *weights, h0)]
    assert torch.autograd.gradcheck(cells.rnn_forward, arguments)


def test_one_step_is_the_loop_of_length_one():
    x, weights, h0 = case(T=1)
    assert torch.equal(cells.rnn_forward(x, *weights, h0)[:, 0], cells.rnn_step(x[:, 0], h0, *weights))


@quick
@given(cut=st.integers(1, 6))
def test_carrying_the_state_over_a_cut_changes_nothing(cut):
    x, weights, h0 = case()
    first = cells.rnn_forward(x[:, :cut], *weights, h0)
    second = cells.rnn_forward(x[:, cut:], *weights, first[:, -1])
    torch.testing.assert_close(torch.cat([first, second], 1), cells.rnn_forward(x, *weights, h0), **TOL)


def test_a_permuted_batch_gives_permuted_states():
    x, weights, h0 = case()
    order = torch.tensor([2, 0, 3, 1])
    permuted = cells.rnn_forward(x[order], *weights, h0[order])
    torch.testing.assert_close(permuted, cells.rnn_forward(x, *weights, h0)[order], **TOL)


def test_future_inputs_do_not_change_past_states():
    x, weights, _ = case()
    changed = x.clone()
    changed[:, 4:] += 100
    states, after = cells.rnn_forward(x, *weights), cells.rnn_forward(changed, *weights)
    assert torch.equal(after[:, :4], states[:, :4])
    assert not torch.isclose(after[:, 4:], states[:, 4:]).all(dim=2).any()


def test_padding_behind_a_row_changes_nothing_before_it():
    x, weights, _ = case()
    padded = torch.cat([x, torch.zeros(4, 9, 3, dtype=torch.float64)], dim=1)
    assert torch.equal(cells.rnn_forward(padded, *weights)[:, :7], cells.rnn_forward(x, *weights))


def test_a_missing_start_is_a_start_of_zeros_and_the_dtype_stays():
    x, weights, h0 = case()
    assert torch.equal(cells.rnn_forward(x, *weights), cells.rnn_forward(x, *weights, 0 * h0))
    single = cells.rnn_forward(x.float(), *[w.float() for w in weights])
    assert single.dtype == torch.float32


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x, W, U, b, h: (x[0], W, U, b, h), r"x has shape \(7, 3\), expected \(B, T, d\)"),
        (lambda x, W, U, b, h: (x[:, :0], W, U, b, h), "T >= 1"),
        (lambda x, W, U, b, h: (x, W.T, U, b, h), r"W_xh has shape \(3, 5\), expected \(5, 3\); is it trans"),
        (lambda x, W, U, b, h: (x, W, U[:4], b, h), r"W_hh has shape \(4, 5\), expected \(5, 5\)$"),
        (lambda x, W, U, b, h: (x, W, U, b, h.T), r"h0 has shape \(5, 4\), expected \(4, 5\); is it trans"),
    ],
)
def test_a_shape_that_does_not_fit_is_named(change, words):
    x, weights, h0 = case()
    with pytest.raises(ValueError, match=words):
        cells.rnn_forward(*change(x, *weights, h0))


def test_the_examples_of_the_docstrings_run():
    assert doctest.testmod(cells).failed == 0
