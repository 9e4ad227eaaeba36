"""The first part of the bank of exercise 12: the encoder; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from course_utils.reference import ex12 as reference
from grading.bank import Bank, Case
from grading.exercises.ex12_numbers import EDGE, LN3, TERM, double, ragged, scattered, silent, unit
from grading.exercises.ex12_numbers import words as drawn_words

bank = Bank("ex12")

# encode ---------------------------------------------------------------------------------------------

encode = bank.function(
    "encode",
    reference.encode,
    terms={
        "input": "the input term, the word's vector times W_xh",
        "state": "the recurrent term h @ W_hh.T",
        "bias": "the bias b",
        "lengths": "which words of each row are read",
    },
)

ALL = ("input", "state", "bias", "lengths")


def rows(rng, B, S, V, E, H):
    """source and the four of the unit."""
    return drawn_words(rng, V, B, S), *unit(rng, V, E, H)


def silenced_cases(rng, B, S, V, E, H, weight=1.0):
    """Single terms and pairs, in rows without pads."""
    source, embedding, W_xh, W_hh, b = rows(rng, B, S, V, E, H)
    full = torch.full((B,), S)
    no_recurrence, no_b = silent(W_hh), silent(b)
    one = full * 0 + 1
    yield from (
        Case(title, read, lengths, embedding, *weights, terms=terms, weight=weight)
        for title, read, lengths, weights, terms in [
            ("the input alone", source[:, :1], one, (W_xh, no_recurrence, no_b), ("input",)),
            ("the bias alone", source[:, :1], one, (silent(W_xh), W_hh, b), ("bias",)),
            ("bias and recurrent term", source, full, (silent(W_xh), W_hh, b), ("bias", "state")),
            ("all words of each row", source, full, (W_xh, W_hh, b), ("input", "state", "bias")),
        ]
    )


@encode.visible
def _():
    source, lengths = torch.tensor([[1, 2], [2, 1], [1, 0]]), torch.tensor([2, 2, 1])
    embedding = torch.tensor([[9.0], [LN3 / 2], [0.0]])
    weights = torch.ones(1, 1), torch.tensor([[2 * LN3]]), torch.zeros(1)
    yield Case("the example by hand", source, lengths, embedding, *weights)
    rng = np.random.default_rng(121)
    yield from silenced_cases(rng, 2, 3, 4, 1, 2)
    source, *weights = rows(rng, 3, 4, 5, 2, 3)
    source[0, 1] = 0
    yield Case("an empty row", source, torch.tensor([4, 0, 2]), *weights, terms=ALL)


@encode.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3, 4]).tolist()

    input_alone, bias_alone, *_ = silenced_cases(rng, 2, 3, 4, 2, 3, weight=TERM)
    yield from (input_alone, bias_alone)
    B, E, H = sizes()
    source, *weights = double(*rows(rng, B + 1, 5, 6, E, H))
    lengths = ragged(rng, B + 1, 5, 0)
    lengths[lengths.argmin()] = 0
    source[lengths.argmax(), 1] = 0  # a word like any other
    yield Case("unequal lengths, an empty row, float64", source, lengths, *weights, terms=ALL)
    source, *weights = map(scattered, rows(rng, 3, 5, 4, *sizes()[:2]))
    yield Case("not contiguous, pads in every row", source, ragged(rng, 3, 4, 2), *weights, terms=ALL)
    source, *weights = rows(rng, 1, 4, 5, 3, 2)
    yield Case("one row", source, torch.tensor([3]), *weights, terms=ALL)
    source, *weights = rows(rng, 3, 1, 4, 2, 3)
    parts = ("input", "bias", "lengths")  # the start is zero, so the state plays no part
    yield Case("a single word", source, torch.tensor([1, 0, 1]), *weights, terms=parts, weight=EDGE)


def step_of(embedding, W_xh, W_hh, b):
    """The right step: words (B,), h -> h."""
    return lambda word, h: torch.tanh(embedding[word] @ W_xh.T + h @ W_hh.T + b)


def forward_states(source, *weights):
    """The states of the padded rows read from the left, with the start: (B, S + 1, H)."""
    step, h = step_of(*weights), weights[3].new_zeros(len(source), len(weights[3]))
    states = [h]
    for word in source.unbind(1):
        h = step(word, h)
        states.append(h)
    return torch.stack(states, dim=1)


def after(states, lengths):
    """Each row's state after so many steps."""
    return states[torch.arange(len(states)), lengths]


@encode.wrong("Your rows are read from the left; begin with the last real word of each.")
def read_from_the_left(source, lengths, *weights):
    return after(forward_states(source, *weights), lengths)


@encode.wrong("Your rows are read from the left, pads too; begin with the last real word and leave pads out.")
def last_column_from_the_left(source, lengths, *weights):
    return forward_states(source, *weights)[:, -1]


@encode.wrong("Your loop reads the pads before the words; a row begins with its last real word.")
def pads_read_first(source, lengths, *weights):
    return forward_states(source.flip(1), *weights)[:, -1]


@encode.wrong("Your padded rows are turned round as a whole, so the first steps of each are its pads.")
def length_counted_from_the_pads(source, lengths, *weights):
    return after(forward_states(source.flip(1), *weights), lengths)


@encode.wrong("Your pads are cleared, but a step without input still moves h; leave the step out.")
def pads_cleared(source, lengths, embedding, W_xh, W_hh, b):
    h = b.new_zeros(len(source), len(b))
    for t in reversed(range(source.shape[1])):
        vector = embedding[source[:, t]] * (t < lengths)[:, None]
        h = torch.tanh(vector @ W_xh.T + h @ W_hh.T + b)
    return h


@encode.wrong("Your last real word is left out; in code word t is real when t < length.")
def last_word_left_out(source, lengths, *weights):
    return reference.encode(source, lengths - 1, *weights)


@encode.wrong(
    "Your rows begin with their first pad; in code word t is real when t < length, not t <= length."
)
def one_pad_read(source, lengths, *weights):
    return reference.encode(source, lengths + 1, *weights)


@encode.wrong("Your first word is left out; the loop has to go down to t = 0.")
def first_word_left_out(source, lengths, *weights):
    return reference.encode(source[:, 1:], lengths - 1, *weights)


@encode.wrong("Your rows are all cut to the shortest; each has its own length.")
def cut_to_the_shortest(source, lengths, *weights):
    return reference.encode(source, lengths.min().expand(len(source)), *weights)


@encode.wrong("Your rows are all as long as the longest; each has its own length.")
def all_as_the_longest(source, lengths, *weights):
    return reference.encode(source, lengths.max().expand(len(source)), *weights)


@encode.wrong("Your empty row reads a word; it keeps the start, zeros.")
def empty_row_reads(source, lengths, *weights):
    return reference.encode(source, lengths.clamp(min=1), *weights)


@encode.wrong("Your state is not carried on; without W_hh h only the first word is left.")
def state_not_carried(source, lengths, embedding, W_xh, W_hh, b):
    return reference.encode(source, lengths, embedding, W_xh, 0 * W_hh, b)


@encode.wrong("Your W_hh is transposed; a batch of states is multiplied by W_hh.T.")
def recurrent_matrix_turned(source, lengths, embedding, W_xh, W_hh, b):
    return reference.encode(source, lengths, embedding, W_xh, W_hh.T, b)


@encode.wrong("Your words are counted from 1; word w has row w of the embedding.")
def words_counted_from_one(source, lengths, embedding, *weights):
    return reference.encode(source, lengths, embedding.roll(1, dims=0), *weights)


@encode.wrong("Your mask asks where the word is 0; 0 is a word like any other, only the length tells pads.")
def zero_is_a_pad(source, lengths, embedding, W_xh, W_hh, b):
    h = b.new_zeros(len(source), len(b))
    for t in reversed(range(source.shape[1])):
        new = torch.tanh(embedding[source[:, t]] @ W_xh.T + h @ W_hh.T + b)
        h = torch.where((source[:, t] != 0)[:, None], new, h)
    return h


@encode.wrong("Your rows come back sorted by their lengths; put them back into the order that was given.")
def rows_left_sorted(source, lengths, *weights):
    order = lengths.argsort(descending=True, stable=True)
    return reference.encode(source[order], lengths[order], *weights)


@encode.wrong("Your step has no tanh.")
def tanh_missing(source, lengths, embedding, W_xh, W_hh, b):
    h = b.new_zeros(len(source), len(b))
    for t in reversed(range(source.shape[1])):
        new = embedding[source[:, t]] @ W_xh.T + h @ W_hh.T + b
        h = torch.where((t < lengths)[:, None], new, h)
    return h


@encode.wrong("Your result is the mean of the states; asked for is the last one.")
def mean_of_the_states(source, lengths, *weights):
    kept = [reference.encode(source[:, t:], lengths - t, *weights) for t in range(source.shape[1])]
    real = torch.arange(source.shape[1]) < lengths[:, None]
    total = (torch.stack(kept, dim=1) * real[:, :, None]).sum(dim=1)
    return total / lengths.clamp(min=1)[:, None]


@encode.fault("input")
def input_doubled(source, lengths, embedding, *weights):
    return reference.encode(source, lengths, 2 * embedding, *weights)


@encode.fault("state")
def recurrent_term_negated(source, lengths, embedding, W_xh, W_hh, b):
    return reference.encode(source, lengths, embedding, W_xh, -W_hh, b)


@encode.fault("bias")
def bias_doubled(source, lengths, embedding, W_xh, W_hh, b):
    return reference.encode(source, lengths, embedding, W_xh, W_hh, 2 * b)


@encode.fault("lengths")
def short_rows_start_elsewhere(source, lengths, *weights):
    found = reference.encode(source, lengths, *weights)
    return torch.where((lengths < source.shape[1])[:, None], found.flip(1) - 0.5, found)


@encode.variant
def packed_the_other_way_round(source, lengths, embedding, W_xh, W_hh, b):
    network = nn.RNN(*W_xh.T.shape, batch_first=True, bidirectional=True, dtype=b.dtype)
    with torch.no_grad():
        for name, value in [("weight_ih", W_xh), ("weight_hh", W_hh), ("bias_ih", b), ("bias_hh", 0 * b)]:
            getattr(network, f"{name}_l0_reverse").copy_(value)
        packed = pack_padded_sequence(embedding[source], lengths.clamp(1), True, enforce_sorted=False)
        return network(packed)[1][1] * (lengths > 0)[:, None]


@encode.variant
def turned_by_an_index(source, lengths, *weights):
    steps = (lengths[:, None] - 1 - torch.arange(source.shape[1])).clamp(min=0)
    return after(forward_states(source.gather(1, steps), *weights), lengths)


@encode.variant
def numpy_row_by_row(source, lengths, embedding, W_xh, W_hh, b):
    vectors, W_xh, W_hh, b = (value.numpy().astype(np.float32) for value in (embedding, W_xh, W_hh, b))
    found = np.zeros((len(source), len(b)))
    for n, length in enumerate(lengths.tolist()):
        h = np.zeros(len(b), dtype=np.float32)
        for word in source[n, :length].tolist()[::-1]:
            h = np.tanh(W_xh @ vectors[word] + W_hh @ h + b)
        found[n] = h
    return found
