"""The fourth part of the bank of exercise 05: a batch read in both directions; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import torch

from course_utils.reference import ex05 as reference
from grading.bank import Case
from grading.exercises.ex05_forward_bank import (
    TERM,
    double,
    drawn,
    full,
    layer_of,
    ragged,
    silent,
    sizes,
    steps_of,
)
from grading.exercises.ex05_stacks_bank import bank, run_layer

# bidirectional_forward ------------------------------------------------------------------------------

bidirectional_forward = bank.function(
    "bidirectional_forward",
    reference.bidirectional_forward,
    terms={
        "forward": "the forward direction",
        "backward": "the backward direction",
        "lengths": "what happens after the length of a row",
    },
)
ALL = ("forward", "backward", "lengths")


@bidirectional_forward.visible
def _():
    one = torch.ones(1, 1, dtype=torch.float64)
    x = torch.tensor([[[0.5], [0.0], [-0.5]], [[0.5], [1.0], [9.0]]], dtype=torch.float64)
    hand = (one, 0.5 * one, 0 * one[0])
    yield Case("the example by hand, float64", x, torch.tensor([3, 2]), hand, hand)  # H = 1 hides a transpose
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.5, -1.0]], [[0.0, 2.0], [1.0, 1.0], [3.0, 3.0]]])
    W_xh = torch.tensor([[1.0, 0.5], [0.0, -1.0], [0.3, 0.8], [-0.5, 0.2]])
    W_hh = [[0.5, 0.0, 0.3, 0.0], [-0.4, 0.2, 0.0, 1.0], [0.0, 0.6, -0.5, 0.0], [0.9, 0.0, 0.1, 0.4]]
    W_hh = torch.tensor(W_hh)
    forward = (W_xh, W_hh, torch.tensor([0.5, -0.3, 0.2, 0.1]))
    backward = (W_xh - 1, W_hh.T.clone(), torch.tensor([0.1, 0.4, 0.0, -0.2]))
    both = torch.tensor([3, 3])
    yield Case("forward alone", x, both, forward, silent(*backward), terms=("forward",))
    yield Case("backward alone", x, both, silent(*forward), backward, terms=("backward",))
    yield Case("unequal lengths, all with pads", x, torch.tensor([1, 2]), forward, backward, terms=ALL)
    yield Case("a row without steps", x, torch.tensor([3, 0]), forward, backward, terms=ALL)


@bidirectional_forward.hidden
def _(rng):
    def pair(d, H):
        return layer_of(rng, d, H), layer_of(rng, d, H)

    x, *weights = double(drawn(rng, 6, 3, 2), *pair(2, 4))
    x = x.transpose(0, 1)
    yield Case("x is transposed, all rows with pads", x, ragged(rng, 3, 5), *weights, terms=ALL)
    B, T, d, H = sizes(rng)
    x, (forward, backward) = drawn(rng, B, T, d), pair(d, H)
    none, real, some = silent(*forward), full(B, T), ragged(rng, B, T)
    yield Case("forward alone", x, real, forward, none, terms=("forward",), weight=TERM)
    yield Case("backward alone", x, real, none, backward, terms=("backward",), weight=TERM)
    terms = ("forward", "lengths")
    yield Case("forward, unequal lengths", x, some, forward, none, terms=terms, weight=TERM)
    terms = ("backward", "lengths")
    yield Case("backward, unequal lengths", x, some, none, backward, terms=terms, weight=TERM)
    x, *weights = double(x, forward, backward)
    yield Case("unequal lengths, float64", x, some, *weights, terms=ALL)
    lengths = ragged(rng, 4, 5)
    lengths[1] = 0
    yield Case("a row without steps", drawn(rng, 4, 5, 2), lengths, *pair(2, 3), terms=ALL)
    yield Case("a single step", drawn(rng, 3, 1, 4), torch.tensor([1, 0, 1]), *pair(4, 2), terms=ALL)
    yield Case("one row, d = H", drawn(rng, 1, 5, 3), torch.tensor([4]), *pair(3, 3), terms=ALL)


def start_of(x, weights):
    return x.new_zeros(len(x), len(weights[2]))


def reversed_rows(x, lengths):
    """Each row backward over its own length, its pads where they were."""
    t = torch.arange(x.shape[1])
    index = torch.where(t < lengths[:, None], lengths[:, None] - 1 - t, t)
    return x[torch.arange(len(x))[:, None], index]


def halves(x, lengths, forward, backward):
    """Right states of each direction, (B, T, H) both, and their last ones, (B, H) both."""
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    return *output.chunk(2, dim=2), *h_n


@bidirectional_forward.wrong(
    "Your backward direction begins in the pads; reverse each row over its length alone."
)
def reverses_the_pads_too(x, lengths, forward, backward):
    ahead, _, h_ahead, _ = halves(x, lengths, forward, backward)
    flipped, end = run_layer(x.flip(1), full(*x.shape[:2]), backward, start_of(x, backward))
    return torch.cat([ahead, flipped.flip(1) * steps_of(x, lengths)], dim=2), torch.stack([h_ahead, end])


@bidirectional_forward.wrong(
    "Your backward direction begins in the pads, and its h_n is masked; reverse each row over its length."
)
def reads_the_masked_end(x, lengths, forward, backward):
    output, (ahead, end) = reverses_the_pads_too(x, lengths, forward, backward)
    return output, torch.stack([ahead, end * (lengths > 0)[:, None]])


@bidirectional_forward.wrong("Your backward h_n is read at the last step; that direction ends at step 1.")
def backward_end_at_the_last_step(x, lengths, forward, backward):
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    end = reference.last_valid_state(output, lengths, start_of(x, forward).repeat(1, 2))
    return output, torch.stack([h_n[0], end.chunk(2, dim=1)[1]])


@bidirectional_forward.wrong("Your backward states stay in reversed order; put each back at its own step.")
def backward_states_stay_reversed(x, lengths, forward, backward):
    ahead, back, *h_n = halves(x, lengths, forward, backward)
    return torch.cat([ahead, reversed_rows(back, lengths)], dim=2), torch.stack(h_n)


@bidirectional_forward.wrong(
    "Your directions both read forward; the second reads from the last real step to the first."
)
def both_read_forward(x, lengths, forward, backward):
    first, h_first = run_layer(x, lengths, forward, start_of(x, forward))
    second, h_second = run_layer(x, lengths, backward, start_of(x, backward))
    return torch.cat([first, second], dim=2), torch.stack([h_first, h_second])


@bidirectional_forward.wrong("Your directions are added; join them along the last axis, (B, T, 2H).")
def directions_added(x, lengths, forward, backward):
    ahead, back, *h_n = halves(x, lengths, forward, backward)
    return ahead + back, torch.stack(h_n)


@bidirectional_forward.wrong("Your output has the backward states first; the forward ones come first.")
def backward_states_first(x, lengths, forward, backward):
    ahead, back, *h_n = halves(x, lengths, forward, backward)
    return torch.cat([back, ahead], dim=2), torch.stack(h_n)


@bidirectional_forward.wrong("Your output takes turns between directions; all H forward states come first.")
def directions_take_turns(x, lengths, forward, backward):
    ahead, back, *h_n = halves(x, lengths, forward, backward)
    return torch.stack([ahead, back], dim=3).reshape(*x.shape[:2], -1), torch.stack(h_n)


@bidirectional_forward.wrong("Your h_n has the batch first, (B, 2, H); the directions come first, (2, B, H).")
def h_n_of_directions_batch_first(x, lengths, forward, backward):
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    return output, h_n.transpose(0, 1)


@bidirectional_forward.wrong("Your h_n joins both directions in one row, (B, 2H); stack them, (2, B, H).")
def h_n_joined(x, lengths, forward, backward):
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    return output, torch.cat(list(h_n), dim=1)


@bidirectional_forward.wrong("Your two directions share the forward weights; each has a triple of its own.")
def weights_shared(x, lengths, forward, backward):
    return reference.bidirectional_forward(x, lengths, forward, forward)


@bidirectional_forward.wrong("Your backward direction goes on from the forward one; start it from zero.")
def backward_goes_on_from_forward(x, lengths, forward, backward):
    ahead, h_ahead = run_layer(x, lengths, forward, start_of(x, forward))
    back, h_back = run_layer(reversed_rows(x, lengths), lengths, backward, h_ahead)
    return torch.cat([ahead, reversed_rows(back, lengths)], dim=2), torch.stack([h_ahead, h_back])


@bidirectional_forward.wrong("Your lengths are never used; the pads are no steps, in neither direction.")
def takes_pads_for_steps(x, lengths, forward, backward):
    return reference.bidirectional_forward(x, full(*x.shape[:2]), forward, backward)


@bidirectional_forward.wrong("Your output ends with the longest row; keep all T columns (total_length=T).")
def cut_to_the_longest_row(x, lengths, forward, backward):
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    return output[:, : lengths.max()], h_n


@bidirectional_forward.wrong("Your x is reversed along the batch; the steps are dim 1.")
def reverses_the_batch(x, lengths, forward, backward):
    ahead, h_ahead = run_layer(x, lengths, forward, start_of(x, forward))
    back, h_back = run_layer(x.flip(0), lengths, backward, start_of(x, backward))
    return torch.cat([ahead, back.flip(0)], dim=2), torch.stack([h_ahead, h_back.flip(0)])


@bidirectional_forward.wrong("Your packed rows come back sorted by length; restore the order of the batch.")
def sorted_rows_come_back(x, lengths, forward, backward):
    order = lengths.argsort(descending=True, stable=True)
    return reference.bidirectional_forward(x[order], lengths[order], forward, backward)


@bidirectional_forward.wrong("Your directions have no bias; add each direction's b inside its tanh.")
def directions_without_bias(x, lengths, forward, backward):
    without = ((W_xh, W_hh, 0 * b) for W_xh, W_hh, b in (forward, backward))
    return reference.bidirectional_forward(x, lengths, *without)


@bidirectional_forward.wrong("Your packed batch refuses a row of length 0, which is legal; treat it apart.")
def packs_a_row_without_steps(x, lengths, forward, backward):
    if (lengths == 0).any():
        raise RuntimeError("Length of all samples has to be greater than 0")
    return reference.bidirectional_forward(x, lengths, forward, backward)


@bidirectional_forward.fault("forward")
def forward_states_negated(x, lengths, forward, backward):
    ahead, back, h_ahead, h_back = halves(x, lengths, forward, backward)
    return torch.cat([-ahead, back], dim=2), torch.stack([-h_ahead, h_back])


@bidirectional_forward.fault("backward")
def backward_states_negated(x, lengths, forward, backward):
    ahead, back, h_ahead, h_back = halves(x, lengths, forward, backward)
    return torch.cat([ahead, -back], dim=2), torch.stack([h_ahead, -h_back])


@bidirectional_forward.fault("lengths")
def ones_in_both_after_the_length(x, lengths, forward, backward):
    output, h_n = reference.bidirectional_forward(x, lengths, forward, backward)
    return torch.where(steps_of(x, lengths), output, 1), h_n


@bidirectional_forward.variant
def rows_cut_and_flipped(x, lengths, forward, backward):
    output = x.new_zeros(len(x), x.shape[1], 2 * len(forward[2]))
    h_n = x.new_zeros(2, len(x), len(forward[2]))
    for n, length in enumerate(lengths.tolist()):
        for direction, (W_xh, W_hh, b) in enumerate((forward, backward)):
            row = x[n, :length]
            h, states = x.new_zeros(len(b)), []
            for x_t in row.flip(0) if direction else row:
                h = torch.tanh(W_xh @ x_t + W_hh @ h + b)
                states.append(h)
            if states:
                half = slice(direction * len(b), (direction + 1) * len(b))
                output[n, :length, half] = torch.stack(states[::-1] if direction else states)
            h_n[direction, n] = h
    return output, h_n


@bidirectional_forward.variant
def packed_library(x, lengths, forward, backward):
    rnn = torch.nn.RNN(x.shape[2], len(forward[2]), batch_first=True, bidirectional=True).to(x.dtype)
    state = {}
    for suffix, (W_xh, W_hh, b) in (("l0", forward), ("l0_reverse", backward)):
        state |= {f"weight_ih_{suffix}": W_xh, f"weight_hh_{suffix}": W_hh}
        state |= {f"bias_ih_{suffix}": b, f"bias_hh_{suffix}": torch.zeros_like(b)}
    rnn.load_state_dict(state)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        x, lengths.clamp(min=1), batch_first=True, enforce_sorted=False
    )
    output, h_n = rnn(packed)
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
    some = (lengths > 0)[:, None]  # packing takes no empty rows
    return output * some[:, None], h_n * some


@bidirectional_forward.variant
def gathered_backward_rows_in_float32(x, lengths, forward, backward):
    B, T, _ = x.shape
    index = (lengths[:, None] - 1 - torch.arange(T)) % T  # (B, T): reversed rows, pads in some order
    outputs, h_n = [], []
    for flipped, weights in ((False, forward), (True, backward)):
        W_xh, W_hh, b = (part.float() for part in weights)
        inputs = (torch.take_along_dim(x, index[:, :, None], dim=1) if flipped else x).float()
        h, states = torch.zeros(B, len(b)), torch.zeros(B, T, len(b))
        for t in range(T):
            alive = (lengths > t)[:, None].float()
            h = alive * torch.tanh(torch.addmm(b, inputs[:, t], W_xh.t()) + h.mm(W_hh.t())) + (1 - alive) * h
            states[:, t] = alive * h
        outputs.append(torch.take_along_dim(states, index[:, :, None], dim=1) if flipped else states)
        h_n.append(h)
    return torch.cat(outputs, 2), torch.stack(h_n)
