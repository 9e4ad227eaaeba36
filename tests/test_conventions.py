"""The converter between the course's weights and PyTorch's, and what docs/conventions.md says of PyTorch."""

import pytest
import torch
from torch import nn

from course_utils.cells import rnn_forward
from course_utils.conventions import rnn_from_torch, rnn_to_torch

B, T, d, H, L = 3, 5, 2, 4, 3
EXACT = dict(rtol=0, atol=1e-14)


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(5)


def triple(width, rng):
    shapes = (H, width), (H, H), (H,)
    return tuple(torch.randn(*shape, generator=rng, dtype=torch.float64) for shape in shapes)


def network(**options):
    torch.manual_seed(6)
    return nn.RNN(d, H, batch_first=True, dtype=torch.float64, **options)


def inputs(rng):
    return torch.randn(B, T, d, generator=rng, dtype=torch.float64)


def test_our_loop_is_the_network_that_loads_our_weights(rng):
    weights, x = triple(d, rng), inputs(rng)
    rnn = network()
    rnn.load_state_dict(rnn_to_torch([weights]))
    torch.testing.assert_close(rnn(x)[0], rnn_forward(x, *weights), **EXACT)


def test_our_loop_is_the_network_whose_weights_we_read(rng):
    rnn, x = network(), inputs(rng)
    torch.testing.assert_close(rnn_forward(x, *rnn_from_torch(rnn.state_dict())), rnn(x)[0], **EXACT)


def test_every_layer_and_direction_comes_back(rng):
    widths = [d, d, 2 * H, 2 * H, 2 * H, 2 * H]
    layers = [triple(width, rng) for width in widths]
    state = rnn_to_torch(layers, bidirectional=True)
    back = [rnn_from_torch(state, layer, backward) for layer in range(L) for backward in (False, True)]
    for one, other in zip(layers, back, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_a_network_of_layers_and_directions_loads_what_we_make(rng):
    layers = [triple(width, rng) for width in (d, d, 2 * H, 2 * H)]
    rnn = network(num_layers=2, bidirectional=True)
    rnn.load_state_dict(rnn_to_torch(layers, bidirectional=True))
    torch.testing.assert_close(rnn.weight_hh_l1_reverse.data, layers[3][1])


def test_a_network_without_bias_has_a_bias_of_zero_here(rng):
    rnn, x = network(bias=False), inputs(rng)
    weights = rnn_from_torch(rnn.state_dict())
    assert weights[2].tolist() == [0.0] * H
    torch.testing.assert_close(rnn_forward(x, *weights), rnn(x)[0], **EXACT)


def test_what_is_read_is_a_copy(rng):
    rnn = network()
    rnn_from_torch(rnn.state_dict())[0].zero_()
    assert rnn.weight_ih_l0.abs().min() > 0


@pytest.mark.parametrize(
    ("layers", "bidirectional", "said"),
    [
        ([], False, "0 triples"),
        ([(d,)], True, "1 triples came for 2"),
        ([(d,), (d,)], False, "layer 1: W_xh has 2 columns, but the layer below gives 4"),
    ],
)
def test_what_does_not_fit_is_said(layers, bidirectional, said, rng):
    with pytest.raises(ValueError, match=said):
        rnn_to_torch([triple(*widths, rng) for widths in layers], bidirectional)


def test_a_transposed_weight_is_refused(rng):
    W_xh, W_hh, b = triple(d, rng)
    with pytest.raises(ValueError, match="layer 0: W_xh"):
        rnn_to_torch([(W_xh.T, W_hh, b)])


def test_a_layer_that_is_not_there_is_named():
    with pytest.raises(KeyError, match="no weight_ih_l1; there are: weight_ih_l0"):
        rnn_from_torch(network().state_dict(), layer=1)


# The facts of docs/conventions.md ---------------------------------------------------------------------


def test_h_n_counts_layers_then_directions_and_its_batch_is_second(rng):
    rnn, x = network(num_layers=L, bidirectional=True), inputs(rng)
    output, h_n = rnn(x)
    assert h_n.shape == (2 * L, B, H)
    forward, backward = h_n.view(L, 2, B, H)[-1]
    torch.testing.assert_close(output[:, -1, :H], forward, **EXACT)
    torch.testing.assert_close(output[:, 0, H:], backward, **EXACT)


def test_packed_rows_end_at_their_length_and_are_padded_with_zeros(rng):
    rnn, x, lengths = network(), inputs(rng), torch.tensor([2, 5, 3])
    packed, h_n = rnn(nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    output, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    unpacked = rnn(x)[0]
    torch.testing.assert_close(h_n[0], unpacked[torch.arange(B), lengths - 1], **EXACT)
    assert (output[0, 2:] == 0).all()
    assert (unpacked[0, 2:] != 0).all()


def gates(module, x, h):
    """PyTorch's rows for one step of a gated unit: input part and recurrent part, cut into H rows each."""
    ours = x @ module.weight_ih_l0.T + module.bias_ih_l0
    theirs = h @ module.weight_hh_l0.T + module.bias_hh_l0
    return ours.split(H, dim=1), theirs.split(H, dim=1)


def test_the_rows_of_an_lstm_are_input_forget_candidate_output(rng):
    torch.manual_seed(7)
    lstm = nn.LSTM(d, H, batch_first=True, dtype=torch.float64)
    x, h, c = (torch.randn(B, n, generator=rng, dtype=torch.float64) for n in (d, H, H))
    i, f, g, o = (a + r for a, r in zip(*gates(lstm, x, h), strict=True))
    cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    _, (h_n, c_n) = lstm(x[:, None], (h[None], c[None]))
    torch.testing.assert_close(c_n[0], cell, **EXACT)
    torch.testing.assert_close(h_n[0], torch.sigmoid(o) * torch.tanh(cell), **EXACT)


def test_the_rows_of_a_gru_are_reset_update_candidate_and_reset_acts_on_the_product(rng):
    torch.manual_seed(8)
    gru = nn.GRU(d, H, batch_first=True, dtype=torch.float64)
    x, h = (torch.randn(B, n, generator=rng, dtype=torch.float64) for n in (d, H))
    (r_x, z_x, n_x), (r_h, z_h, n_h) = gates(gru, x, h)
    r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
    state = (1 - z) * torch.tanh(n_x + r * n_h) + z * h  # z keeps
    torch.testing.assert_close(gru(x[:, None], h[None])[1][0], state, **EXACT)


def test_two_biases_count_twice_as_parameters():
    count = sum(weights.numel() for weights in network().parameters())
    assert count == H * d + H**2 + 2 * H
