"""Gated units against PyTorch's, their limits, and the two ways of a gradient through an LSTM."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_utils import training
from course_utils.conventions import lstm_from_torch, lstm_to_torch, reset_after_gru_to_torch
from course_utils.filters import one_pole
from course_utils.gated import (
    cell_jacobians,
    gated_line,
    gru_states,
    gru_step,
    gru_step_reset_after,
    lstm_gates,
    lstm_step,
    lstm_trace,
    model_of,
)

B, T, d, H = 3, 6, 2, 4
EXACT = dict(rtol=0, atol=1e-12)
SIZES = st.tuples(st.integers(1, 4), st.integers(1, 7), st.integers(1, 5), st.integers(1, 6))


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(9)


def draw(*shape, rng):
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def blocks(count, rng, d=d, H=H):
    return draw(count * H, d, rng=rng), draw(count * H, H, rng=rng), draw(count * H, rng=rng)


# The cell ---------------------------------------------------------------------------------------------


def test_a_constant_gate_is_the_pole_of_a_filter(rng):
    x = draw(20, rng=rng)
    ours = gated_line(x, keep=0.9, write=0.5)
    torch.testing.assert_close(ours, torch.from_numpy(one_pole(x, 0.9, 0.5)), **EXACT)


def test_gates_may_change_at_every_step():
    cells = gated_line(
        torch.tensor([5.0, 7.0, 9.0]), torch.tensor([1.0, 0.0, 0.5]), torch.tensor([1.0, 1, 0]), 2
    )
    assert cells.tolist() == [7.0, 7.0, 3.5]


# The LSTM ---------------------------------------------------------------------------------------------


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_our_lstm_is_the_network_that_loads_our_weights(sizes, seed):
    B, T, d, H = sizes
    rng = torch.Generator().manual_seed(seed)
    weights, x = blocks(4, rng, d, H), draw(B, T, d, rng=rng)
    lstm = nn.LSTM(d, H, batch_first=True, dtype=torch.float64)
    lstm.load_state_dict(lstm_to_torch(*weights))
    trace, (output, (_, c_n)) = lstm_trace(x, *weights), lstm(x)
    torch.testing.assert_close(trace.h, output, **EXACT)
    torch.testing.assert_close(trace.c[:, -1], c_n[0], **EXACT)


def test_our_lstm_is_the_network_whose_weights_we_read(rng):
    lstm, x = nn.LSTM(d, H, batch_first=True, dtype=torch.float64), draw(B, T, d, rng=rng)
    torch.testing.assert_close(lstm_trace(x, *lstm_from_torch(lstm.state_dict())).h, lstm(x)[0], **EXACT)


def test_the_trace_is_the_step_repeated(rng):
    weights, x, h, c = blocks(4, rng), draw(B, T, d, rng=rng), torch.zeros(B, H), draw(B, H, rng=rng)
    trace, h = lstm_trace(x, *weights, c0=c), h.double()
    for t in range(T):
        h, c = lstm_step(x[:, t], h, c, *weights)
        torch.testing.assert_close((trace.h[:, t], trace.c[:, t]), (h, c), **EXACT)


def test_the_trace_keeps_the_gates_that_made_its_cells(rng):
    i, f, g, _, c, _ = lstm_trace(draw(B, T, d, rng=rng), *blocks(4, rng))
    torch.testing.assert_close(c[:, 1:], (f * torch.roll(c, 1, dims=1) + i * g)[:, 1:], **EXACT)


def test_with_forget_shut_and_write_open_the_cell_is_the_plain_units_update(rng):
    W_x, W_h, b = blocks(4, rng)
    x, h, c = (draw(B, n, rng=rng) for n in (d, H, H))
    W_x[: 2 * H], W_h[: 2 * H] = 0, 0
    b[:H], b[H : 2 * H] = 1000, -1000
    plain = torch.tanh(x @ W_x[2 * H : 3 * H].T + h @ W_h[2 * H : 3 * H].T + b[2 * H : 3 * H])
    torch.testing.assert_close(lstm_step(x, h, c, W_x, W_h, b)[1], plain, **EXACT)


def test_a_batch_in_another_order_gives_the_states_in_that_order(rng):
    x, weights, order = draw(B, T, d, rng=rng), blocks(4, rng), torch.tensor([2, 0, 1])
    torch.testing.assert_close(lstm_trace(x[order], *weights).h, lstm_trace(x, *weights).h[order], **EXACT)


def test_gates_lie_between_0_and_1_and_the_candidate_between_minus_1_and_1(rng):
    i, f, g, o = lstm_gates(draw(B, d, rng=rng), draw(B, H, rng=rng), *blocks(4, rng))
    assert all(((gate > 0) & (gate < 1)).all() for gate in (i, f, o))
    assert (g.abs() < 1).all()
    assert (g < 0).any()


@pytest.mark.parametrize("wrong", range(3))
def test_a_transposed_weight_or_another_number_of_blocks_is_refused(wrong, rng):
    weights = list(blocks(4, rng, d=d, H=5))
    weights[wrong] = weights[wrong].T if wrong < 2 else weights[wrong][:15]
    with pytest.raises(ValueError, match=r"expected \(B, T, d\)"):
        lstm_trace(draw(B, T, d, rng=rng), *weights)


def test_weights_of_a_gru_are_not_taken_for_those_of_an_lstm(rng):
    with pytest.raises(ValueError, match=r"expected \(4H, d\)"):
        lstm_to_torch(*blocks(3, rng))


# Gradients --------------------------------------------------------------------------------------------


def test_along_the_cell_the_gradient_is_the_product_of_the_forget_gates_behind_it(rng):
    x, weights = draw(T, d, rng=rng), blocks(4, rng)
    f, line = lstm_trace(x[None], *weights).f[0], cell_jacobians(x, *weights, cut=True)
    for k in range(T):
        torch.testing.assert_close(line[k], torch.diag(f[k + 1 :].prod(dim=0)), **EXACT)


def after(step, x, weights):
    """The last cell, from the cell and the read gate of a step on, as a function of that cell."""
    trace = lstm_trace(x[None], *weights)

    def last(cell):
        c, h = cell, trace.o[:, step] * torch.tanh(cell)
        for x_t in x[step + 1 :]:
            h, c = lstm_step(x_t[None], h, c, *weights)
        return c[0]

    return last, trace.c[:, step]


@pytest.mark.parametrize("step", [0, 3, T - 2])
def test_the_whole_gradient_agrees_with_central_differences(step, rng):
    x, weights, eps = draw(T, d, rng=rng), blocks(4, rng), 1e-6
    J, (last, cell) = cell_jacobians(x, *weights)[step], after(step, x, weights)
    for j, nudge in enumerate(eps * torch.eye(H, dtype=torch.float64)):
        difference = (last(cell + nudge) - last(cell - nudge)) / (2 * eps)
        torch.testing.assert_close(J[:, j], difference, rtol=1e-6, atol=1e-8)


def test_without_weights_on_the_state_the_second_path_is_closed(rng):
    x, (W_x, W_h, b) = draw(T, d, rng=rng), blocks(4, rng)
    whole, line = (cell_jacobians(x, W_x, 0 * W_h, b, cut=cut) for cut in (False, True))
    torch.testing.assert_close(whole, line, **EXACT)
    assert not torch.allclose(cell_jacobians(x, W_x, W_h, b), cell_jacobians(x, W_x, W_h, b, cut=True))


def test_cutting_changes_gradients_and_no_number(rng):
    x, weights = draw(B, T, d, rng=rng), blocks(4, rng)
    torch.testing.assert_close(lstm_trace(x, *weights, cut=True), lstm_trace(x, *weights), rtol=0, atol=0)


# The GRU ----------------------------------------------------------------------------------------------


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_the_gru_that_resets_after_is_pytorchs(sizes, seed):
    B, T, d, H = sizes
    rng = torch.Generator().manual_seed(seed)
    weights, x = (*blocks(3, rng, d, H), draw(H, rng=rng)), draw(B, T, d, rng=rng)
    gru = nn.GRU(d, H, batch_first=True, dtype=torch.float64)
    gru.load_state_dict(reset_after_gru_to_torch(*weights))
    torch.testing.assert_close(gru_states(gru_step_reset_after, x, *weights), gru(x)[0], **EXACT)


def other_form(W_x, W_h, b):
    """The same weights for the form in which z keeps: its rows with the other sign."""
    sign = torch.ones(len(b), dtype=torch.float64)
    sign[len(b) // 3 : 2 * len(b) // 3] = -1
    return sign[:, None] * W_x, sign[:, None] * W_h, sign * b


@pytest.mark.parametrize(("H", "same"), [(1, True), (4, False)])
def test_the_two_forms_are_one_function_for_one_unit_only(H, same, rng):
    weights, x = blocks(3, rng, H=H), draw(B, T, d, rng=rng)
    ours = gru_states(gru_step, x, *weights)
    theirs = gru_states(gru_step_reset_after, x, *other_form(*weights), torch.zeros(H, dtype=torch.float64))
    assert torch.allclose(ours, theirs, atol=1e-12) is same


def test_the_lectures_gru_lies_between_its_old_state_and_the_candidate(rng):
    W_x, W_h, b = blocks(3, rng)
    x, h = draw(B, d, rng=rng), draw(B, H, rng=rng).tanh()
    b[H : 2 * H] = 1000  # z = 1: the state is the candidate
    n = gru_step(x, h, W_x, W_h, b)
    b[H : 2 * H] = 0.3
    new = gru_step(x, h, W_x, W_h, b)
    assert ((torch.minimum(h, n) <= new) & (new <= torch.maximum(h, n))).all()


def test_with_write_shut_the_gru_keeps_its_state(rng):
    W_x, W_h, b = blocks(3, rng)
    b[H : 2 * H] = -1000
    h = draw(B, H, rng=rng)
    torch.testing.assert_close(gru_step(draw(B, d, rng=rng), h, W_x, W_h, b), h, rtol=0, atol=0)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_model_that_was_trained_beside_others_reads_the_same_alone(cell, rng):
    weights, _ = training.new_weights(cell, [3, 4], 5, 8, gate_bias=1.0)
    symbols = torch.randint(8, (B, T), generator=rng)
    states, _ = training.read(cell, weights, symbols.expand(2, B, T))
    x = nn.functional.one_hot(symbols, 8).float()
    ours = model_of(weights, 1)
    ours = lstm_trace(x, *ours).h if cell == "lstm" else gru_states(gru_step, x, *ours)
    torch.testing.assert_close(ours, torch.stack(states, dim=2)[1], rtol=0, atol=1e-6)
