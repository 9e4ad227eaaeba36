"""The references of exercise 12 against PyTorch's own networks and against exhaustive search."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from course_utils.reference.ex12 import (
    beam_search,
    decode_greedy,
    encode,
    exact_match,
    teacher_forced_loss,
)
from grading.exercises.ex12_bank import bank
from grading.exercises.ex12_numbers import CLEAR, by_hand
from grading.exercises.ex12_runs import in_view
from grading.exercises.ex12_search import from_table, is_clear

sizes = st.integers(1, 5)
seeds = st.integers(0, 2**31 - 1).map(lambda seed: torch.Generator().manual_seed(seed))
quick = settings(max_examples=40, deadline=None)
close = torch.testing.assert_close


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def unit(generator, V, E, H):
    return [normal(generator, *shape) for shape in [(V, E), (H, E), (H, H), (H,)]]


def decoder_of(generator, V, E, H):
    return *unit(generator, V, E, H), normal(generator, V, H)


def network(W_xh, W_hh, b, both=False):
    """PyTorch's network with these weights, in both directions when asked for."""
    found = nn.RNN(W_xh.shape[1], len(b), batch_first=True, bidirectional=both).double()
    with torch.no_grad():
        for parameter, weight in zip(found.parameters(), [W_xh, W_hh, b, 0 * b] * (1 + both), strict=True):
            parameter.copy_(weight)
    return found


def replayed(h, decoder, fed):
    """log p of all words at each step, by PyTorch: h (B, H), fed (B, T) -> (B, T, V)."""
    embedding, W_xh, W_hh, b, W_hy = decoder
    with torch.no_grad():
        return torch.log_softmax(network(W_xh, W_hh, b)(embedding[fed], h[None])[0] @ W_hy.T, dim=2)


def log_p_of(h, decoder, begin, words):
    """log p of a row of words, one after another: h (H,)."""
    steps = replayed(h[None], decoder, torch.tensor([[begin, *words[:-1]]]))[0]
    return sum(step[word].item() for step, word in zip(steps, words, strict=True))


# encode


@quick
@given(seeds, sizes, sizes, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_the_encoder_is_the_backward_half_of_torchs_network(generator, E, H, lengths):
    lengths = torch.tensor(lengths)
    source = torch.randint(0, 7, (len(lengths), 6), generator=generator)
    embedding, *weights = unit(generator, 7, E, H)
    packed = pack_padded_sequence(embedding[source], lengths, batch_first=True, enforce_sorted=False)
    close(encode(source, lengths, embedding, *weights), network(*weights, both=True)(packed)[1][1].detach())


def test_the_encoder_ignores_what_stands_in_the_pads():
    generator, lengths = torch.Generator().manual_seed(1), torch.tensor([2, 0, 4])
    source, weights = torch.randint(0, 7, (3, 5), generator=generator), unit(generator, 7, 2, 3)
    other = torch.where(torch.arange(5) < lengths[:, None], source, (source + 1) % 7)
    assert torch.equal(encode(source, lengths, *weights), encode(other, lengths, *weights))
    assert torch.equal(encode(source, lengths, *weights)[1], torch.zeros(3, dtype=torch.float64))


def test_reading_in_two_parts_the_later_words_first_is_reading_the_row():
    generator = torch.Generator().manual_seed(2)
    row, (embedding, W_xh, W_hh, b) = torch.tensor([[3, 1, 4, 1]]), unit(generator, 5, 2, 3)
    h = encode(row[:, 2:], torch.tensor([2]), embedding, W_xh, W_hh, b)
    for word in (1, 3):
        h = torch.tanh(embedding[word] @ W_xh.T + h @ W_hh.T + b)
    close(encode(row, torch.tensor([4]), embedding, W_xh, W_hh, b), h)


# decode_greedy


@quick
@given(seeds, sizes, sizes, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_greedy_says_the_likeliest_word_of_torchs_network_at_each_step(generator, E, H, limits):
    decoder, h = decoder_of(generator, 4, E, H), normal(generator, len(limits), H)
    words, log_p = decode_greedy(h, decoder, 3, 2, torch.tensor(limits))
    for n, limit in enumerate(limits):
        said = [word for word in words[n].tolist() if word != -1]
        said += [2] * (len(said) < limit)  # it stopped before its limit, so it said the end
        steps = replayed(h[n : n + 1], decoder, torch.tensor([[3, *said[:-1]]]))[0]
        assert steps.argmax(dim=1).tolist() == said
        assert 2 not in said[:-1]
        close(log_p[n], steps.max(dim=1).values.sum())


@quick
@given(seeds, st.integers(1, 5))
def test_a_row_does_not_depend_on_its_neighbours(generator, H):
    decoder, h = decoder_of(generator, 5, 2, H), normal(generator, 4, H)
    limits, order = torch.tensor([5, 2, 4, 3]), torch.tensor([1, 3, 0, 2])
    words, log_p = decode_greedy(h, decoder, 4, 0, limits)
    other_words, other_log_p = decode_greedy(h[order], decoder, 4, 0, limits[order])
    assert torch.equal(words[order], other_words)
    close(log_p[order], other_log_p)


def test_the_greedy_rows_of_the_worked_example():
    h = torch.tensor([[0.5], [-0.5], [0.5]])
    words, log_p = decode_greedy(h, by_hand(), 2, 1, torch.tensor([3, 3, 1]))
    assert words.tolist() == [[0, -1, -1], [-1, -1, -1], [0, -1, -1]]
    close(log_p, torch.tensor([2.0, 1.0, 1.0]) * math.log(9 / 13))


def test_of_equally_likely_words_the_first_is_said():
    decoder = [torch.zeros(size) for size in [(4, 2), (3, 2), (3, 3), (3,), (4, 3)]]
    words, log_p = decode_greedy(torch.zeros(1, 3), decoder, 3, 2, torch.tensor([2]))
    assert words.tolist() == [[0, 0]]
    close(log_p, torch.tensor([-2 * math.log(4)]))


# teacher_forced_loss


@quick
@given(seeds, sizes, sizes, st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_the_loss_is_torchs_with_the_pads_ignored(generator, E, H, lengths):
    decoder, h = decoder_of(generator, 7, E, H), normal(generator, len(lengths), H)
    rows = [torch.randint(0, 5, (length,), generator=generator).tolist() for length in lengths]
    target = torch.tensor([row + [0] * (5 - len(row)) for row in rows])
    fed = torch.tensor([([5, *row] + [0] * 6)[:6] for row in rows])
    wanted = torch.tensor([([*row, 6] + [-100] * 6)[:6] for row in rows])
    expected = nn.functional.nll_loss(replayed(h, decoder, fed).flatten(0, 1), wanted.flatten())
    close(teacher_forced_loss(h, target, torch.tensor(lengths), decoder, 5, 6), expected)


def test_the_loss_ignores_pads_however_many():
    generator = torch.Generator().manual_seed(3)
    decoder, h = decoder_of(generator, 6, 2, 3), normal(generator, 3, 3)
    target, lengths = torch.randint(0, 4, (3, 4), generator=generator), torch.tensor([4, 0, 2])
    padded = torch.cat([target, torch.full((3, 9), 5)], dim=1)
    losses = [teacher_forced_loss(h, rows, lengths, decoder, 4, 5) for rows in (target, padded)]
    close(*losses)


@quick
@given(seeds, st.integers(1, 4))
def test_the_loss_of_what_greedy_said_is_minus_its_log_p_a_step(generator, H):
    decoder, h = decoder_of(generator, 4, 3, H), normal(generator, 5, H)
    words, log_p = decode_greedy(h, decoder, 3, 2, torch.full((5,), 8))
    lengths = (words != -1).sum(dim=1)
    over = lengths < 8
    if over.any():
        loss = teacher_forced_loss(h[over], words[over].clamp(min=0), lengths[over], decoder, 3, 2)
        close(loss, -log_p[over].sum() / (lengths[over] + 1).sum())


def test_the_gradient_of_the_loss_agrees_with_central_differences():
    generator = torch.Generator().manual_seed(4)
    decoder, h = decoder_of(generator, 5, 2, 3), normal(generator, 2, 3).requires_grad_()
    target, lengths = torch.tensor([[0, 1, 2], [2, 0, 0]]), torch.tensor([3, 1])
    assert torch.autograd.gradcheck(lambda h: teacher_forced_loss(h, target, lengths, decoder, 3, 4), h)


def test_the_loss_of_the_worked_example():
    arguments = torch.tensor([[0.5], [0.5]]), torch.tensor([[0, 0], [0, 2]]), torch.tensor([1, 0])
    expected = -(2 * math.log(9 / 13) + math.log(1 / 13)) / 3
    close(float(teacher_forced_loss(*arguments, by_hand(), 2, 1)), expected, atol=1e-5, rtol=0)


# exact_match


@quick
@given(st.data(), st.integers(1, 6), st.integers(1, 4), st.integers(1, 5))
def test_exact_match_is_that_of_texts_up_to_the_first_full_stop(data, B, T, L):
    few = st.integers(0, 2)
    said = data.draw(st.lists(st.lists(few, min_size=L, max_size=L), min_size=B, max_size=B))
    target = data.draw(st.lists(st.lists(st.integers(1, 2), min_size=T, max_size=T), min_size=B, max_size=B))
    lengths = data.draw(st.lists(st.integers(0, T), min_size=B, max_size=B))
    texts = ["".join(map(str, row)).replace("0", ".") for row in said]
    wanted = ["".join(map(str, row[:n])) + "." for row, n in zip(target, lengths, strict=True)]
    right = [text.startswith(sentence) for text, sentence in zip(texts, wanted, strict=True)]
    found = exact_match(torch.tensor(said), torch.tensor(target), torch.tensor(lengths), 0)
    assert found == pytest.approx(sum(right) / B)


# beam_search


@quick
@given(seeds, sizes, st.integers(2, 5), st.integers(1, 6))
def test_a_beam_of_one_is_greedy(generator, H, V, limit):
    decoder, h = decoder_of(generator, V, 2, H), normal(generator, H)
    words, log_p = decode_greedy(h[None], decoder, V - 1, 0, torch.tensor([limit]))
    found, found_log_p = beam_search(h, decoder, V - 1, 0, 1, limit, 0.7)
    assert found.tolist() == [word for word in words[0].tolist() if word != -1]
    assert found_log_p == pytest.approx(log_p.item())


@quick
@given(seeds, st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_a_beam_that_holds_everything_finds_the_best_of_all_finished_rows(generator, H, limit, power):
    decoder, h = decoder_of(generator, 3, 2, H), normal(generator, H)
    rows = [
        (*words, 0) for n in range(limit) for words in itertools.product([1, 2], repeat=n)
    ]  # all that end in time
    marks = {row: log_p_of(h, decoder, 2, row) / len(row) ** power for row in rows}
    words, log_p = beam_search(h, decoder, 2, 0, 1000, limit, power)
    best = max(marks, key=marks.get)
    assert words.tolist() == list(best[:-1])
    assert log_p / len(best) ** power == pytest.approx(marks[best])


@quick
@given(seeds, st.integers(1, 4), st.integers(2, 4), st.integers(1, 5))
def test_the_answer_has_the_log_p_that_torchs_network_gives_it(generator, H, width, limit):
    decoder, h = decoder_of(generator, 5, 2, H), normal(generator, H)
    words, log_p = beam_search(h, decoder, 4, 0, width, limit, 0.5)
    rows = [[*words.tolist(), 0]] + [words.tolist()] * (len(words) == limit)
    assert any(log_p == pytest.approx(log_p_of(h, decoder, 4, row)) for row in rows)


def test_a_finished_answer_waits_and_may_be_pushed_out():
    # 0 end, 1 a, 2 b, 3 begin: the end is second at first, and two rows of two words are likelier
    table = [[1, 0, 0, 0], [0, 0.5, 0.5, 0], [1, 0, 0, 0], [0.3, 0.7, 0, 0]]
    decoder = from_table(torch.tensor(table).numpy())
    early, _ = beam_search(torch.zeros(4), decoder, 3, 0, 2, 1, 0.0)
    later, log_p = beam_search(torch.zeros(4), decoder, 3, 0, 2, 3, 0.0)
    assert early.tolist() == []
    assert later.tolist() == [1, 2]
    assert log_p == pytest.approx(math.log(0.35), abs=1e-4)


def test_the_answer_of_the_worked_example():
    table = [[1.0, 0, 0, 0], [0.4, 0.3, 0.3, 0], [0.9, 0.1, 0, 0], [0, 0.6, 0.4, 0]]
    words, log_p = beam_search(torch.zeros(4), from_table(torch.tensor(table).numpy()), 3, 0, 2, 4, 0.0)
    assert words.tolist() == [2]
    assert log_p == pytest.approx(math.log(0.36), abs=1e-4)


def test_of_equally_good_beginnings_the_first_are_kept():
    decoder = [torch.zeros(size) for size in [(4, 2), (3, 2), (3, 3), (3,), (4, 3)]]
    words, log_p = beam_search(torch.zeros(3), decoder, 2, 3, 2, 2, 0.0)
    assert words.tolist() == [0, 0]  # neither the end, 3, nor a later word comes into a beam of two
    assert log_p == pytest.approx(-2 * math.log(4))


# no choice of a case hangs by rounding


def clear_ones(name, seed):
    """The fresh cases of a function but those that are ties on purpose."""
    return [case for case in bank.questions[name].hidden_cases(seed) if "equally" not in case.title]


@pytest.mark.slow
def test_every_greedy_choice_of_200_seeds_is_clear():
    for seed in range(200):
        assert all(in_view(*case.args)[2] > CLEAR for case in clear_ones("decode_greedy", seed)), seed


@pytest.mark.slow
def test_every_choice_in_a_beam_of_200_seeds_is_clear():
    for seed in range(200):
        assert all(is_clear(*case.args) for case in clear_ones("beam_search", seed)), seed
