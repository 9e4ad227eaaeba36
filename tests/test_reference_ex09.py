"""The references of exercise 09 against PyTorch's own units, and the properties of each."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_utils import gated
from course_utils.reference.ex09 import (
    cell_line_gradient,
    gru_step,
    gru_to_torch,
    lstm_forward,
    lstm_step,
)

sizes = st.integers(1, 5)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
orders = st.permutations("ifgo").map("".join)
quick = settings(max_examples=40, deadline=None)
close = torch.testing.assert_close
LN3 = math.log(3)


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def filled(module, *weights):
    """A module of PyTorch in float64 with these weights."""
    module = module.double()
    with torch.no_grad():
        for parameter, weight in zip(module.parameters(), weights, strict=True):
            parameter.copy_(weight)
    return module


def lstm_weights(generator, d, H):
    return normal(generator, 4 * H, d), normal(generator, 4 * H, H), normal(generator, 4 * H)


def maps(generator, d, H):
    """Three triples (W_x, W_h, b): write, reset, candidate."""
    return [[normal(generator, *shape) for shape in [(H, d), (H, H), (H,)]] for _ in range(3)]


def in_order(part, order):
    """The blocks i, f, g, o of a weight in another order."""
    return torch.cat([part.chunk(4)["ifgo".index(letter)] for letter in order])


# lstm_step


@quick
@given(seeds, sizes, sizes, sizes)
def test_an_lstm_step_equals_torchs(generator, B, d, H):
    weights = lstm_weights(generator, d, H)
    x_t, h, c = normal(generator, B, d), normal(generator, B, H), normal(generator, B, H)
    cell = filled(nn.LSTMCell(d, H), *weights, torch.zeros(4 * H))
    close(lstm_step(x_t, h, c, *weights, "ifgo"), cell(x_t, (h, c)))


@quick
@given(seeds, orders, sizes, sizes)
def test_the_order_of_the_blocks_is_a_name_only(generator, order, d, H):
    weights = lstm_weights(generator, d, H)
    x_t, h, c = normal(generator, 3, d), normal(generator, 3, H), normal(generator, 3, H)
    moved = [in_order(part, order) for part in weights]
    close(lstm_step(x_t, h, c, *moved, order), lstm_step(x_t, h, c, *weights, "ifgo"), rtol=0, atol=0)


def test_no_two_orders_give_the_same_step():
    generator = torch.Generator().manual_seed(1)
    arguments = [normal(generator, 2, 3), normal(generator, 2, 4), normal(generator, 2, 4)]
    arguments += lstm_weights(generator, 3, 4)
    states = [lstm_step(*arguments, "".join(order))[0] for order in itertools.permutations("ifgo")]
    assert all((one - other).abs().max() > 1e-3 for one, other in itertools.combinations(states, 2))


def test_an_lstm_step_of_the_worked_example():
    W_x, none, one = torch.tensor([[LN3], [2 * LN3], [LN3 / 2], [0.0]]), torch.zeros(1, 1), torch.ones(1, 1)
    h, c = lstm_step(one, none, one, W_x, torch.zeros(4, 1), torch.zeros(4), "fogi")
    assert c.item() == pytest.approx(1)
    assert h.item() == pytest.approx(0.685, abs=5e-4)


# gru_step


@quick
@given(seeds, sizes, sizes, sizes)
def test_with_an_open_reset_gate_a_gru_step_equals_torchs(generator, B, d, H):
    (W_xz, W_hz, b_z), (W_xr, W_hr, _), candidate = maps(generator, d, H)
    b_r = torch.full((H,), 1e4, dtype=torch.float64)  # r = 1: it does not matter where it acts
    blocks = (W_xr, W_hr, b_r), (-W_xz, -W_hz, -b_z), candidate
    stacked = [torch.cat(parts) for parts in zip(*blocks, strict=True)]
    cell = filled(nn.GRUCell(d, H), *stacked, torch.zeros(3 * H))
    x_t, h, all_rows = normal(generator, B, d), normal(generator, B, H), torch.ones(B, dtype=torch.bool)
    close(gru_step(x_t, h, (W_xz, W_hz, b_z), (W_xr, W_hr, b_r), candidate, all_rows), cell(x_t, h))


@quick
@given(seeds, sizes, sizes, sizes)
def test_a_gru_step_equals_the_lessons(generator, B, d, H):
    write, reset, candidate = maps(generator, d, H)
    x_t, h, all_rows = normal(generator, B, d), normal(generator, B, H), torch.ones(B, dtype=torch.bool)
    stacked = [torch.cat(parts) for parts in zip(reset, write, candidate, strict=True)]
    close(gru_step(x_t, h, write, reset, candidate, all_rows), gated.gru_step(x_t, h, *stacked))


def test_the_reset_scales_units_before_they_are_mixed():
    write, reset, candidate = maps(torch.Generator().manual_seed(2), 1, 2)
    write = [*write[:2], torch.full((2,), 1e4, dtype=torch.float64)]  # z = 1: the state is the candidate
    reset = [0 * write[0], 0 * write[1], torch.tensor([1e4, -1e4], dtype=torch.float64)]  # r = (1, 0)
    h, none = torch.tensor([[0.7, 0.9]], dtype=torch.float64), torch.zeros(1, 1, dtype=torch.float64)
    new = gru_step(none, h, write, reset, candidate, torch.tensor([True]))
    close(new[0], torch.tanh(0.7 * candidate[1][:, 0] + candidate[2]))


@quick
@given(seeds, sizes, sizes)
def test_rows_outside_the_mask_stay_and_the_others_do_not_notice(generator, d, H):
    x_t, h, weights = normal(generator, 4, d), normal(generator, 4, H), maps(generator, d, H)
    mask = torch.tensor([True, False, False, True])
    new = gru_step(x_t, h, *weights, mask)
    assert torch.equal(new[~mask], h[~mask])
    close(new[mask], gru_step(x_t[mask], h[mask], *weights, mask[mask]))


def test_a_gru_step_of_the_worked_example():
    none, one = torch.zeros(1, 1), torch.ones(1, 1)
    write, reset = (LN3 * one, none, none[0]), (none, none, none[0])
    candidate = none, LN3 / 2 / 0.4 * one, none[0]
    x_t, h = torch.tensor([[1.0], [5.0]]), torch.tensor([[0.8], [-0.4]])
    new = gru_step(x_t, h, write, reset, candidate, torch.tensor([True, False]))
    close(new, torch.tensor([[0.575], [-0.4]]))


# lstm_forward


def batch(generator, B, T, d, H):
    """x, weights and starts."""
    weights = lstm_weights(generator, d, H)
    return normal(generator, B, T, d), weights, (normal(generator, B, H), normal(generator, B, H))


@quick
@given(seeds, sizes, sizes, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_reading_a_padded_batch_equals_a_packed_lstm(generator, d, H, lengths):
    x, weights, (h0, c0) = batch(generator, len(lengths), max(lengths) + 1, d, H)
    lstm = filled(nn.LSTM(d, H, batch_first=True), *weights, torch.zeros(4 * H))
    packed = pack_padded_sequence(x, torch.tensor(lengths), batch_first=True, enforce_sorted=False)
    output, (h_n, c_n) = lstm(packed, (h0[None], c0[None]))
    states, cells = lstm_forward(x, torch.tensor(lengths), *weights, h0, c0)
    close(states[:, -1], h_n[0])
    close(cells[:, -1], c_n[0])
    for mine, theirs, length in zip(states, pad_packed_sequence(output, True)[0], lengths, strict=True):
        close(mine[:length], theirs[:length])


@quick
@given(seeds, sizes, sizes, sizes)
def test_one_step_forward_is_the_step(generator, B, d, H):
    x, weights, starts = batch(generator, B, 1, d, H)
    found = lstm_forward(x, torch.ones(B, dtype=torch.int64), *weights, *starts)
    close([part[:, 0] for part in found], [*lstm_step(x[:, 0], *starts, *weights, "ifgo")])


def test_pads_change_nothing_and_rows_stand_still():
    lengths = torch.tensor([2, 5, 0, 3])
    x, weights, starts = batch(torch.Generator().manual_seed(3), 4, 5, 3, 2)
    real = (torch.arange(5) < lengths[:, None])[:, :, None]
    found = lstm_forward(x, lengths, *weights, *starts)
    again = lstm_forward(torch.where(real, x, 50.0), lengths, *weights, *starts)
    for part, other, start in zip(found, again, starts, strict=True):
        assert torch.equal(part, other)
        assert torch.equal(part[0, 2:], part[0, 1].expand(3, 2))
        assert torch.equal(part[2], start[2].expand(5, 2))


def test_a_sequence_read_in_two_pieces_is_the_same():
    x, weights, starts = batch(torch.Generator().manual_seed(4), 2, 7, 3, 4)
    whole = lstm_forward(x, torch.tensor([7, 7]), *weights, *starts)
    first = lstm_forward(x[:, :3], torch.tensor([3, 3]), *weights, *starts)
    second = lstm_forward(x[:, 3:], torch.tensor([4, 4]), *weights, *(part[:, -1] for part in first))
    close([torch.cat(parts, dim=1) for parts in zip(first, second, strict=True)], [*whole])


# cell_line_gradient


@quick
@given(seeds, st.integers(1, 6), st.integers(1, 3), st.integers(1, 4))
def test_the_gradient_along_the_cell_is_that_of_an_lstm_whose_gates_hear_no_states(generator, T, d, H):
    x, weights = normal(generator, T, d), lstm_weights(generator, d, H)
    along_the_cell = gated.cell_jacobians(x, *weights, cut=True).diagonal(dim1=1, dim2=2)  # (T, H)
    f = gated.lstm_trace(x[None], *weights).f
    close(cell_line_gradient(f, torch.tensor([T]))[0], along_the_cell)


@quick
@given(seeds, st.integers(1, 4), st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_the_gradient_along_the_cell_is_what_a_nudge_of_a_cell_changes(generator, H, lengths):
    B, T = len(lengths), 6
    f = torch.rand(B, T, H, generator=generator, dtype=torch.float64)
    f[0, 2] = 0.0  # a shut gate
    found = cell_line_gradient(f, torch.tensor(lengths))
    for n, k in itertools.product(range(B), range(T)):
        moved = torch.ones(H, dtype=torch.float64) if k < lengths[n] else torch.zeros(H, dtype=torch.float64)
        for gate in f[n, k + 1 : lengths[n]]:
            moved = gate * moved
        close(found[n, k], moved)


def test_the_gradient_along_the_cell_of_the_worked_example():
    f = torch.tensor([[[0.25], [0.5], [0.8], [0.5]]] * 2)
    found = cell_line_gradient(f, torch.tensor([4, 2]))
    close(found[:, :, 0], torch.tensor([[0.2, 0.4, 0.5, 1.0], [0.5, 1.0, 0.0, 0.0]]))


# gru_to_torch


def write_step_reset_after(x_t, h, write, reset, candidate, b_hn):
    """The step that the weights come from: z writes, the reset acts after the product."""
    z, r = (torch.sigmoid(x_t @ W_x.T + h @ W_h.T + b) for W_x, W_h, b in (write, reset))
    W_x, W_h, b = candidate
    return (1 - z) * h + z * torch.tanh(x_t @ W_x.T + b + r * (h @ W_h.T + b_hn))


@quick
@given(seeds, sizes, sizes, sizes)
def test_pytorch_with_the_converted_weights_reads_a_batch_alike(generator, B, d, H):
    unit, x = [*maps(generator, d, H), normal(generator, H)], normal(generator, B, 5, d)
    gru = filled(nn.GRU(d, H, batch_first=True), *gru_to_torch(*unit))
    h, expected = torch.zeros(B, H, dtype=torch.float64), gru(x)[0]
    for t in range(5):
        h = write_step_reset_after(x[:, t], h, *unit)
        close(h, expected[:, t])


def test_for_one_unit_without_inner_bias_the_lectures_unit_is_pytorchs():
    generator = torch.Generator().manual_seed(5)
    write, reset, candidate = maps(generator, 3, 1)
    x, inner = normal(generator, 2, 6, 3), torch.zeros(1, dtype=torch.float64)
    gru = filled(nn.GRU(3, 1, batch_first=True), *gru_to_torch(write, reset, candidate, inner))
    h = torch.zeros(2, 1, dtype=torch.float64)
    for t in range(6):
        h = gru_step(x[:, t], h, write, reset, candidate, torch.tensor([True, True]))
    close(gru(x)[0][:, -1], h)


def test_the_second_bias_holds_the_inner_bias_alone():
    *_, first, second = gru_to_torch(
        *maps(torch.Generator().manual_seed(6), 2, 3), torch.tensor([7.0, 8.0, 9.0])
    )
    assert second.tolist() == [0] * 6 + [7, 8, 9]
    assert (first != 0).all()


def test_the_weights_of_the_worked_example():
    def triple(*numbers):
        return [torch.full((1,) * axes, number) for axes, number in zip((2, 2, 1), numbers, strict=True)]

    found = gru_to_torch(
        triple(1.0, 2.0, 3.0), triple(4.0, 5.0, 6.0), triple(7.0, 8.0, 9.0), torch.tensor([10.0])
    )
    assert [part.flatten().tolist() for part in found] == [[4, -1, 7], [5, -2, 8], [6, -3, 9], [0, 0, 10]]
