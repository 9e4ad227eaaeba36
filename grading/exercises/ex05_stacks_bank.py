"""The third part of the bank of exercise 05: layers on top of each other; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools

import torch

from course_utils.reference import ex05 as reference
from grading.bank import Case
from grading.exercises.ex05_forward_bank import TERM, double, drawn, full, layer_of, ragged, steps_of
from grading.exercises.ex05_states_bank import bank

# stacked_forward ------------------------------------------------------------------------------------

stacked_forward = bank.function(
    "stacked_forward",
    reference.stacked_forward,
    terms={
        "below": "how an upper layer uses the layer below: what it reads, its own W_xh and its own b",
        "state": "the recurrent term h @ W_hh.T",
        "start": "the start h0 of each layer",
        "lengths": "what happens after the length of a row",
    },
)
ALL = ("below", "state", "start", "lengths")


@stacked_forward.visible
def _():
    one = torch.ones(1, 1, dtype=torch.float64)
    x = torch.tensor([[[0.5], [0.0]], [[1.0], [9.0]]], dtype=torch.float64)
    hand = [(one, 0.5 * one, 0 * one[0]), (2 * one, -one, 0.1 * one[0])]
    yield Case("the example by hand, float64", x, torch.tensor([2, 1]), hand)  # H = 1 hides a transpose
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.5, -1.0]], [[0.0, 2.0], [1.0, 1.0], [3.0, 3.0]]])
    W_hh = torch.tensor([[0.5, 0.0, 0.3], [-0.4, 0.2, 0.0], [0.9, 0.6, -0.5]])
    b = torch.tensor([0.5, -0.3, 0.2])
    low = (torch.tensor([[1.0, 0.5], [0.0, -1.0], [0.3, 0.8]]), W_hh, b)
    high = (torch.tensor([[1.0, 0.0, -0.5], [0.4, 0.7, 0.0], [0.0, -0.6, 0.2]]), W_hh.T.clone(), -b)
    h0 = torch.tensor([[[0.5, -0.5, 0.2], [-0.9, 0.3, 0.0]], [[0.1, 0.2, 0.3], [0.4, -0.6, 0.8]]])
    both = torch.tensor([3, 3])
    yield Case("one layer", x, both, [low], terms=("state",))
    yield Case("two layers, W_hh = 0", x, both, memoryless(low, high), terms=("below",))
    yield Case(
        "two layers, a start, a row without steps", x, torch.tensor([0, 2]), [low, high], h0, terms=ALL
    )


@stacked_forward.hidden
def _(rng):
    def stack(L, d, H):
        return [layer_of(rng, H if layer else d, H) for layer in range(L)]

    lengths = ragged(rng, 4, 5)
    lengths[1] = 0
    x, layers, h0 = drawn(rng, 4, 5, 3), stack(3, 3, 2), drawn(rng, 3, 4, 2)
    yield Case("three layers, a row without steps", x, lengths, layers, h0, terms=ALL)
    x, layers = drawn(rng, 3, 5, 2), stack(2, 2, 4)
    real, some = full(3, 5), ragged(rng, 3, 5)
    yield Case("one layer", x, real, layers[:1], terms=("state",), weight=TERM)
    yield Case("two layers, W_hh = 0", x, real, memoryless(*layers), terms=("below",), weight=TERM)
    terms, h0 = ("state", "start"), drawn(rng, 1, 3, 4)
    yield Case("one layer and a start", x, real, layers[:1], h0, terms=terms, weight=TERM)
    terms = ("state", "lengths")
    yield Case("one layer, unequal lengths", x, some, layers[:1], terms=terms, weight=TERM)
    x, layers = double(x, layers)
    terms = ("below", "state", "lengths")
    yield Case("two layers, float64", x, ragged(rng, 3, 4), layers, terms=terms)
    x, layers, h0 = double(drawn(rng, 6, 2, 3), stack(3, 3, 4), drawn(rng, 2, 3, 4))
    x, h0 = x.transpose(0, 1), h0.transpose(0, 1)
    yield Case("x and h0 are transposed tensors", x, ragged(rng, 2, 5), layers, h0, terms=ALL)
    x, layers, h0 = drawn(rng, 3, 1, 4), stack(2, 4, 2), drawn(rng, 2, 3, 2)
    yield Case("a single step", x, torch.tensor([1, 0, 1]), layers, h0, terms=ALL)
    x, layers, h0 = double(drawn(rng, 1, 5, 3), stack(2, 3, 3), drawn(rng, 2, 1, 3))
    yield Case("one row, d = H", x, torch.tensor([3]), layers, h0, terms=ALL)


def memoryless(*layers):
    """The layers without their recurrent weights."""
    return [(W_xh, torch.zeros_like(W_hh), b) for W_xh, W_hh, b in layers]


def with_starts(idea):
    """Give a wrong idea start states, whether or not some came."""

    @functools.wraps(idea)
    def called(x, lengths, layers, h0=None):
        zeros = x.new_zeros(len(layers), len(x), len(layers[0][2]))
        return idea(x, lengths, layers, zeros if h0 is None else h0)

    return called


def run_layer(x, lengths, weights, h):
    """One layer: its states (B, T, H) with zeros after the length, and each row's last one (B, H)."""
    states = reference.rnn_forward(x, lengths, *weights, h)
    return states, reference.last_valid_state(states, lengths, h)


def run_stack(x, lengths, layers, h0, *, reads=lambda x, output: output):
    """All layers: what each returns; ``reads`` says what a layer gets."""
    output, outputs, ends = x, [], []
    for weights, h in zip(layers, h0, strict=True):
        output, end = run_layer(reads(x, output), lengths, weights, h)
        outputs.append(output)
        ends.append(end)
    return outputs, torch.stack(ends)


@stacked_forward.wrong("Your upper layers read x again; give each the output of the layer below.")
@with_starts
def every_layer_reads_x(x, lengths, layers, h0):
    outputs, h_n = run_stack(x, lengths, layers, h0, reads=lambda x, _: x)
    return outputs[-1], h_n


@stacked_forward.wrong("Your layers all use the weights of the first; take a new triple for each.")
@with_starts
def weights_of_the_first_layer(x, lengths, layers, h0):
    outputs, h_n = run_stack(x, lengths, [layers[0]] * len(layers), h0)
    return outputs[-1], h_n


@stacked_forward.wrong("Your h_n holds the top layer alone; stack the last states of all layers.")
@with_starts
def top_of_h_n_only(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return output, h_n[-1]


@stacked_forward.wrong("Your h_n has the batch first, (B, L, H); it is (L, B, H), as in PyTorch.")
@with_starts
def h_n_batch_first(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return output, h_n.transpose(0, 1)


@stacked_forward.wrong("Your h_n is (B, L, H) put into the shape (L, B, H) by view or reshape; transpose it.")
@with_starts
def h_n_reshaped(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return output, h_n.transpose(0, 1).reshape(h_n.shape)


@stacked_forward.wrong("Your h_n begins with the top layer; layer 1 comes first.")
@with_starts
def h_n_from_the_top(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return output, h_n.flip(0)


@stacked_forward.wrong("Your h_n is read at the last column, behind the pads; read each row at its end.")
@with_starts
def h_n_at_the_last_column(x, lengths, layers, h0):
    outputs, _ = run_stack(x, lengths, layers, h0)
    return outputs[-1], torch.stack([output[:, -1] for output in outputs])


@stacked_forward.wrong("Your layers walk on through the pads; output is zero there, h_n is from before.")
@with_starts
def layers_walk_through_the_pads(x, lengths, layers, h0):
    outputs, h_n = run_stack(x, full(*x.shape[:2]), layers, h0)
    return outputs[-1], h_n


@stacked_forward.wrong("Your output keeps the last state in place of zeros after the length.")
@with_starts
def output_repeats_the_last_state(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return torch.where(steps_of(x, lengths), output, h_n[-1][:, None]), h_n


@stacked_forward.wrong("Your output is that of the first layer; return the top layer's.")
@with_starts
def output_of_the_first_layer(x, lengths, layers, h0):
    outputs, h_n = run_stack(x, lengths, layers, h0)
    return outputs[0], h_n


@stacked_forward.wrong("Your output joins the states of all layers; return those of the top layer alone.")
@with_starts
def outputs_of_all_layers(x, lengths, layers, h0):
    outputs, h_n = run_stack(x, lengths, layers, h0)
    return torch.cat(outputs, dim=2), h_n


@stacked_forward.wrong("Your layers all start from zero; layer l starts from h0[l] when h0 is given.")
@with_starts
def zero_starts(x, lengths, layers, h0):
    return reference.stacked_forward(x, lengths, layers)


@stacked_forward.wrong("Your layers all start from h0[0]; each has its own start.")
@with_starts
def first_start_for_all(x, lengths, layers, h0):
    return reference.stacked_forward(x, lengths, layers, h0[:1].expand_as(h0))


@stacked_forward.wrong("Your layer starts from the last state of the layer below; start it from h0[l].")
@with_starts
def start_from_the_layer_below(x, lengths, layers, h0):
    output, h, ends = x, h0[0], []
    for weights in layers:
        output, h = run_layer(output, lengths, weights, h)
        ends.append(h)
    return output, torch.stack(ends)


@stacked_forward.wrong("Your layers have no bias; add each layer's b inside its tanh.")
@with_starts
def layers_without_bias(x, lengths, layers, h0):
    return reference.stacked_forward(x, lengths, [(W_xh, W_hh, 0 * b) for W_xh, W_hh, b in layers], h0)


@stacked_forward.wrong("Your packing refuses a row of length 0, which is legal; treat such a row apart.")
@with_starts
def packs_an_empty_row(x, lengths, layers, h0):
    if (lengths == 0).any():
        raise RuntimeError("Length of all samples has to be greater than 0")
    return reference.stacked_forward(x, lengths, layers, h0)


@stacked_forward.fault("below")
@with_starts
def upper_layers_read_half(x, lengths, layers, h0):
    halves = [layers[0], *((0.5 * W_xh, W_hh, b) for W_xh, W_hh, b in layers[1:])]
    return reference.stacked_forward(x, lengths, halves, h0)


@stacked_forward.fault("state")
@with_starts
def recurrent_weights_halved(x, lengths, layers, h0):
    halved = [(W_xh, 0.5 * W_hh, b) for W_xh, W_hh, b in layers]
    return reference.stacked_forward(x, lengths, halved, h0)


@stacked_forward.fault("start")
@with_starts
def starts_subtracted(x, lengths, layers, h0):
    return reference.stacked_forward(x, lengths, layers, -h0)


@stacked_forward.fault("lengths")
@with_starts
def ones_in_the_output_after_the_length(x, lengths, layers, h0):
    output, h_n = reference.stacked_forward(x, lengths, layers, h0)
    return torch.where(steps_of(x, lengths), output, 1), h_n


@stacked_forward.variant
def step_by_step_through_all_layers(x, lengths, layers, h0=None):
    B, T, _ = x.shape
    h = [x.new_zeros(B, len(b)) for *_, b in layers] if h0 is None else list(h0)
    outputs = []
    for t in range(T):
        below, alive = x[:, t], (t < lengths).unsqueeze(1)
        for layer, (W_xh, W_hh, b) in enumerate(layers):
            below = torch.tanh(below.mm(W_xh.t()) + h[layer].mm(W_hh.t()) + b)
            h[layer] = torch.where(alive, below, h[layer])
        outputs.append(below * alive)
    return torch.stack(outputs, dim=1), torch.stack(h)


@stacked_forward.variant
def library_layers_and_a_gather(x, lengths, layers, h0=None):
    H = len(layers[0][2])
    rnn = torch.nn.RNN(x.shape[2], H, len(layers), bias=True, batch_first=True, dtype=x.dtype)
    state = {}
    for layer, (W_xh, W_hh, b) in enumerate(layers):
        state |= {f"weight_ih_l{layer}": W_xh, f"weight_hh_l{layer}": W_hh}
        state |= {f"bias_ih_l{layer}": b, f"bias_hh_l{layer}": 0 * b}
    rnn.load_state_dict(state)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        x, lengths.clamp(min=1), batch_first=True, enforce_sorted=False
    )
    start = x.new_zeros(len(layers), len(x), H) if h0 is None else h0.contiguous()
    output, h_n = rnn(packed, start)
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
    none = (lengths == 0)[:, None]  # packing takes no empty rows
    return output.masked_fill(none[:, None], 0), torch.where(none, start, h_n)


@stacked_forward.variant
def rows_one_by_one_in_float32(x, lengths, layers, h0=None):
    L, (B, T, _), H = len(layers), x.shape, len(layers[0][2])
    output, h_n = torch.zeros(B, T, H), torch.zeros(L, B, H)
    for n in range(B):
        below = x[n, : lengths[n]].float()
        for layer in range(L):
            W_xh, W_hh, b = (weights.float() for weights in layers[layer])
            h = torch.zeros(H) if h0 is None else h0[layer, n].float()
            states = [h := torch.tanh(W_xh @ x_t + W_hh @ h + b) for x_t in below]
            below = torch.stack(states) if states else torch.zeros(0, H)
            h_n[layer, n] = h
        output[n, : lengths[n]] = below
    return output, h_n
