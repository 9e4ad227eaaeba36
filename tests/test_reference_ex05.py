"""The references of exercise 05 against nn.RNN with packing, and against what a graph holds."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_utils.conventions import rnn_to_torch
from course_utils.reference.ex05 import (
    activation_bytes,
    bidirectional_forward,
    last_valid_state,
    rnn_forward,
    stacked_forward,
)

TOLERANCE = {"rtol": 1e-10, "atol": 1e-12}
sizes = st.integers(1, 4)
steps = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
quick = settings(max_examples=40, deadline=None)


def drawn(rng, *shape):
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def layer_of(rng, d, H):
    """Weights (W_xh, W_hh, b) of one layer."""
    return drawn(rng, H, d), drawn(rng, H, H), drawn(rng, H)


def lengths_of(rng, B, T, shortest=0):
    return torch.randint(shortest, T + 1, (B,), generator=rng)


def library(layers, bidirectional=False):
    """``nn.RNN`` with these weights; in both directions the layers alternate forward and backward."""
    W_xh, _, b = layers[0]
    depth = len(layers) // (1 + bidirectional)
    options = {"batch_first": True, "bidirectional": bidirectional, "dtype": torch.float64}
    rnn = torch.nn.RNN(W_xh.shape[1], len(b), depth, **options)
    rnn.load_state_dict(rnn_to_torch(layers, bidirectional))
    return rnn.requires_grad_(False)


def packed_run(rnn, x, lengths, h0=None):
    """Output (B, T, directions * H) and h_n of ``nn.RNN`` on a packed batch; every length at least 1."""
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    output, h_n = rnn(packed, h0)
    return pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])[0], h_n


def assert_equal(got, expected):
    torch.testing.assert_close(got, expected, **TOLERANCE)


@quick
@given(seeds, sizes, steps, sizes, sizes)
def test_states_equal_the_unpacked_output_of_a_packed_library_run(rng, B, T, d, H):
    x, layer, h0, lengths = (
        drawn(rng, B, T, d),
        layer_of(rng, d, H),
        drawn(rng, B, H),
        lengths_of(rng, B, T, 1),
    )
    expected, _ = packed_run(library([layer]), x, lengths, h0[None])
    assert_equal(rnn_forward(x, lengths, *layer, h0), expected)


@quick
@given(seeds, sizes, steps, sizes, sizes)
def test_the_last_valid_state_is_the_h_n_of_a_packed_library_run(rng, B, T, d, H):
    x, layer, h0, lengths = (
        drawn(rng, B, T, d),
        layer_of(rng, d, H),
        drawn(rng, B, H),
        lengths_of(rng, B, T, 1),
    )
    _, h_n = packed_run(library([layer]), x, lengths, h0[None])
    assert_equal(last_valid_state(rnn_forward(x, lengths, *layer, h0), lengths, h0), h_n[0])


@quick
@given(seeds, sizes, steps, sizes, sizes, st.integers(1, 3))
def test_a_stack_equals_the_packed_library(rng, B, T, d, H, L):
    layers = [layer_of(rng, H if layer else d, H) for layer in range(L)]
    x, h0, lengths = drawn(rng, B, T, d), drawn(rng, L, B, H), lengths_of(rng, B, T, 1)
    expected, h_n = packed_run(library(layers), x, lengths, h0)
    assert_equal(stacked_forward(x, lengths, layers, h0), (expected, h_n))


@quick
@given(seeds, sizes, steps, sizes, sizes)
def test_both_directions_equal_the_packed_library(rng, B, T, d, H):
    forward, backward = layer_of(rng, d, H), layer_of(rng, d, H)
    x, lengths = drawn(rng, B, T, d), lengths_of(rng, B, T, 1)
    expected = packed_run(library([forward, backward], bidirectional=True), x, lengths)
    assert_equal(bidirectional_forward(x, lengths, forward, backward), expected)


def outputs_of_all(x, lengths, weights, h0):
    """What the three forward functions return on one batch, as a flat list of tensors."""
    return [
        rnn_forward(x, lengths, *weights[0], h0),
        *stacked_forward(x, lengths, weights, torch.stack([h0, -h0])),
        *bidirectional_forward(x, lengths, *weights),
    ]


@quick
@given(seeds, sizes, steps, sizes)
def test_what_the_pads_hold_changes_nothing(rng, B, T, d):
    x, weights, h0 = drawn(rng, B, T, d), [layer_of(rng, d, d), layer_of(rng, d, d)], drawn(rng, B, d)
    lengths = lengths_of(rng, B, T)
    pads = torch.arange(T) >= lengths[:, None]
    other = torch.where(pads[:, :, None], drawn(rng, B, T, d), x)
    assert_equal(outputs_of_all(other, lengths, weights, h0), outputs_of_all(x, lengths, weights, h0))


@quick
@given(seeds, sizes, steps, sizes, st.integers(1, 3))
def test_more_pads_add_zeros_and_nothing_else(rng, B, T, d, more):
    x, weights, h0 = drawn(rng, B, T, d), [layer_of(rng, d, d), layer_of(rng, d, d)], drawn(rng, B, d)
    lengths = lengths_of(rng, B, T)
    before = outputs_of_all(x, lengths, weights, h0)
    after = outputs_of_all(torch.cat([x, drawn(rng, B, more, d)], dim=1), lengths, weights, h0)
    for number in (0, 1, 3):  # what has a time axis
        assert not after[number][:, T:].any()
        after[number] = after[number][:, :T]
    assert_equal(after, before)


def test_a_permuted_batch_permutes_everything():
    rng = torch.Generator().manual_seed(1)
    x, forward, backward = drawn(rng, 4, 6, 2), layer_of(rng, 2, 3), layer_of(rng, 2, 3)
    lengths, order = torch.tensor([2, 6, 0, 5]), [2, 0, 3, 1]
    output, h_n = bidirectional_forward(x, lengths, forward, backward)
    permuted = bidirectional_forward(x[order], lengths[order], forward, backward)
    assert_equal(permuted, (output[order], h_n[:, order]))


def test_the_backward_direction_is_the_forward_one_on_reversed_rows():
    rng = torch.Generator().manual_seed(2)
    row, forward, backward = drawn(rng, 1, 5, 2), layer_of(rng, 2, 3), layer_of(rng, 2, 3)
    output, h_n = bidirectional_forward(row, torch.tensor([5]), forward, backward)
    mirrored, ends = bidirectional_forward(row.flip(1), torch.tensor([5]), backward, forward)
    assert_equal(mirrored.flip(1).roll(3, dims=2), output)
    assert_equal(ends.flip(0), h_n)


def test_a_row_without_steps_keeps_its_start_and_has_no_output():
    rng = torch.Generator().manual_seed(3)
    x, layers, h0, none = (
        drawn(rng, 2, 4, 3),
        [layer_of(rng, 3, 3)] * 2,
        drawn(rng, 2, 2, 3),
        torch.tensor([0, 0]),
    )
    output, h_n = stacked_forward(x, none, layers, h0)
    assert_equal(h_n, h0)
    assert not output.any()
    assert not rnn_forward(x, none, *layers[0], h0[0]).any()
    assert not any(part.any() for part in bidirectional_forward(x, none, *layers))
    assert_equal(last_valid_state(output, none, h0[0]), h0[0])


def test_a_sequence_split_in_two_with_the_state_carried_gives_the_same_states():
    rng = torch.Generator().manual_seed(4)
    x, layer, lengths = drawn(rng, 3, 7, 2), layer_of(rng, 2, 4), torch.tensor([7, 2, 5])
    whole, start = rnn_forward(x, lengths, *layer), torch.zeros(3, 4, dtype=torch.float64)
    first_lengths, second_lengths = lengths.clamp(max=3), (lengths - 3).clamp(min=0)
    first = rnn_forward(x[:, :3], first_lengths, *layer)
    carried = last_valid_state(first, first_lengths, start)
    second = rnn_forward(x[:, 3:], second_lengths, *layer, carried)
    assert_equal(torch.cat([first, second], dim=1), whole)


def test_gradients_reach_every_input_and_no_pad():
    rng = torch.Generator().manual_seed(5)
    x, layer, lengths = drawn(rng, 3, 5, 2).requires_grad_(), layer_of(rng, 2, 4), torch.tensor([5, 0, 3])
    stacked_forward(x, lengths, [layer])[0].sum().backward()
    assert torch.equal(x.grad.abs().sum(dim=2) > 0, torch.arange(5) < lengths[:, None])


def test_states_of_the_worked_example():
    one = torch.ones(1, 1)
    x = torch.tensor([[[0.5], [0], [-0.5]], [[0.5], [9], [9]]])
    states = rnn_forward(x, torch.tensor([3, 1]), one, 0.5 * one, torch.tensor([0.5]))
    expected = torch.tensor([[0.762, 0.707, 0.339], [0.762, 0, 0]])
    torch.testing.assert_close(states[:, :, 0], expected, rtol=0, atol=6e-4)


def test_the_stack_of_the_worked_example():
    one = torch.ones(1, 1)
    layers = [(one, 0.5 * one, torch.zeros(1)), (2 * one, -one, torch.tensor([0.1]))]
    output, h_n = stacked_forward(torch.tensor([[[0.5], [0]], [[1], [9]]]), torch.tensor([2, 1]), layers)
    expected = torch.tensor([[0.772, -0.214], [0.925, 0]])
    torch.testing.assert_close(output[:, :, 0], expected, rtol=0, atol=6e-4)
    expected = torch.tensor([[0.227, 0.762], [-0.214, 0.925]])
    torch.testing.assert_close(h_n[:, :, 0], expected, rtol=0, atol=6e-4)


def test_both_directions_of_the_worked_example():
    one = torch.ones(1, 1)
    layer = (one, 0.5 * one, torch.zeros(1))
    output, h_n = bidirectional_forward(torch.tensor([[[0.5], [1], [9]]]), torch.tensor([2]), layer, layer)
    expected = torch.tensor([[0.462, 0.707], [0.843, 0.762], [0, 0]])
    torch.testing.assert_close(output[0], expected, rtol=0, atol=6e-4)
    torch.testing.assert_close(h_n[:, 0, 0], torch.tensor([0.843, 0.707]), rtol=0, atol=6e-4)


def run_level(level, below, T):
    """States of one layer, a list of T tensors for each direction; the first step has no recurrent term."""
    above = []
    for backward, (W_hh, b, *reads) in enumerate(level):
        h, states = None, [None] * T
        for t in range(T)[:: -1 if backward else 1]:
            total = b + sum(source[t] @ W.T for source, W in zip(below, reads, strict=True))
            states[t] = h = torch.tanh(total if h is None else total + h @ W_hh.T)
        above.append(states)
    return above


def held_by_the_graph(x, layers):
    """Bytes of all that a run keeps for the backward pass, its weights apart."""
    weights = {part.untyped_storage().data_ptr() for level in layers for unit in level for part in unit}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        states = [x.unbind(1)]
        for level in layers:
            states = run_level(level, states, x.shape[1])
    return sum(size for place, size in kept.items() if place not in weights)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("depth", "directions"), [(1, 1), (3, 1), (1, 2), (2, 2)])
def test_the_bytes_are_those_that_the_graph_holds(depth, directions, dtype):
    B, T, d, H = 3, 7, 5, 4

    def unit(*widths):
        shapes = [(H, H), (H,), *((H, width) for width in widths)]
        return [torch.ones(shape, dtype=dtype, requires_grad=True) for shape in shapes]

    first = [unit(d) for _ in range(directions)]
    above = [[unit(*[H] * directions) for _ in range(directions)] for _ in range(depth - 1)]
    held = held_by_the_graph(torch.ones(B, T, d, dtype=dtype), [first, *above])
    assert held == activation_bytes(B, T, d, H, depth, directions, dtype.itemsize)


def test_the_bytes_of_the_worked_examples():
    assert activation_bytes(2, 3, 5, 4) == 216
    assert activation_bytes(2, 3, 5, 4, 2, 2) == 504
    assert activation_bytes(32, 100, 300, 512) / 1e6 == pytest.approx(3.84 + 6.55, abs=0.01)
