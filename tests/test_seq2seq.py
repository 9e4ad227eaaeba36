"""Encoder and decoder against plain loops; pads, order of a batch and length of a source change nothing."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from course_utils import seq2seq
from course_utils.exposure import exposure, gradients_by_place, right_words
from course_utils.seq2seq import Rows, Seq2Seq, by_coin, final_state, free_run, next_scores, open_book
from course_utils.seq2seq_experiments import copy_tests, edit_distance, error_rate
from course_utils.tokens import BEGIN, END, PAD

B, S, H = 4, 6, 5
V_IN, V_OUT = 11, 9
LENGTHS = torch.tensor([6, 1, 4, 3])


@pytest.fixture
def model():
    return Seq2Seq(V_IN, V_OUT, H, E=3, seed=1).double().requires_grad_(False)


@pytest.fixture
def rows():
    rng = torch.Generator().manual_seed(5)
    source = torch.randint(4, V_IN, (B, S), generator=rng)
    target = torch.randint(4, V_OUT, (B, 5), generator=rng)
    target[:, 0] = BEGIN
    for row, length in zip(target, (5, 3, 4, 2), strict=True):
        row[length - 1 :] = PAD
        row[length - 1] = END
    return Rows(torch.where(torch.arange(S) < LENGTHS[:, None], source, PAD), LENGTHS, target)


def gru_loop(cell, x, h):
    """PyTorch's GRU written out; x (T, E), h (H,)."""
    W, U, b, c = cell.weight_ih_l0, cell.weight_hh_l0, cell.bias_ih_l0, cell.bias_hh_l0
    for x_t in x:
        (r_x, z_x, n_x), (r_h, z_h, n_h) = (W @ x_t + b).chunk(3), (U @ h + c).chunk(3)
        z = torch.sigmoid(z_x + z_h)
        h = (1 - z) * torch.tanh(n_x + torch.sigmoid(r_x + r_h) * n_h) + z * h
    return h


def test_the_final_state_is_that_of_a_loop_over_the_real_words(model, rows):
    found = final_state(model, rows.source, rows.lengths)
    for row, source, length in zip(found, rows.source, rows.lengths, strict=True):
        wanted = gru_loop(model.encoder, model.read(source[:length]), torch.zeros(H).double())
        torch.testing.assert_close(row, wanted, rtol=0, atol=1e-12)


def test_pads_behind_a_row_change_no_state(model, rows):
    more = torch.cat([rows.source, torch.full((B, 3), PAD)], dim=1)
    torch.testing.assert_close(
        final_state(model, more, rows.lengths), final_state(model, rows.source, rows.lengths), rtol=0, atol=0
    )


def test_a_permuted_batch_gives_the_permuted_answers(model, rows):
    order = torch.tensor([2, 0, 3, 1])
    h = final_state(model, rows.source, rows.lengths)
    moved = final_state(model, rows.source[order], rows.lengths[order])
    torch.testing.assert_close(moved, h[order])
    assert torch.equal(free_run(model, moved, 12), free_run(model, h, 12)[order])


def test_teacher_forcing_gives_the_scores_of_single_steps_fed_the_right_words(model, rows):
    h = final_state(model, rows.source, rows.lengths)
    scores = open_book(model, h, rows.target)
    for t, word in enumerate(rows.target[:, :-1].unbind(1)):
        step, h = next_scores(model, word, h)
        torch.testing.assert_close(scores[:, t], step, rtol=0, atol=1e-12)


def test_the_scores_of_a_step_ignore_the_word_they_are_for_and_all_later_ones(model, rows):
    h = final_state(model, rows.source, rows.lengths)
    changed = rows.target.clone()
    changed[:, 3:] = 7
    before, after = open_book(model, h, rows.target), open_book(model, h, changed)
    torch.testing.assert_close(before[:, :3], after[:, :3], rtol=0, atol=0)
    assert not torch.allclose(before[:, 3:], after[:, 3:])


def test_a_coin_that_always_shows_heads_is_teacher_forcing(model, rows):
    h = final_state(model, rows.source, rows.lengths)
    scores = by_coin(model, h, rows.target, 1.0, torch.Generator())
    torch.testing.assert_close(scores, open_book(model, h, rows.target), rtol=0, atol=1e-12)


def test_a_coin_that_never_shows_heads_feeds_what_a_free_run_says(model, rows):
    h = final_state(model, rows.source, rows.lengths)
    said = by_coin(model, h, rows.target, 0.0, torch.Generator()).argmax(dim=2)
    free = free_run(model, h, rows.target.shape[1] - 1)
    assert torch.equal(torch.where(free == PAD, PAD, said[:, : free.shape[1]]), free)


def test_a_coin_at_half_feeds_both():
    fed, model = [], Seq2Seq(V_IN, V_OUT, H, seed=0)
    own = int(next_scores(model, torch.tensor([BEGIN]), torch.zeros(1, H))[0].argmax())
    model.said.register_forward_hook(lambda _module, words, _out: fed.append(words[0].flatten()))
    target = torch.full((400, 3), 5 if own == 4 else 4)  # not what it says itself
    target[:, 0] = BEGIN
    by_coin(model, torch.zeros(400, H), target, 0.5, torch.Generator().manual_seed(0))
    assert target[0, 1] != own
    assert 0.4 < (fed[1] == target[0, 1]).double().mean() < 0.6
    assert set(fed[1].tolist()) == {own, int(target[0, 1])}


class Script(nn.Module):
    """Stands for a trained decoder: what it says at each step is written down, row by row."""

    def __init__(self, said):
        super().__init__()
        self.table = nn.functional.one_hot(torch.tensor(said), V_OUT).double()  # (B, T, V)


def follow(monkeypatch, said):
    """Let ``free_run`` follow a script; the state counts the steps."""
    table = Script(said).table
    monkeypatch.setattr(seq2seq, "next_scores", lambda _m, _w, h: (table[:, int(h[0, 0])], h + 1))
    return torch.zeros(len(said), 1)


def test_a_row_ends_at_its_end_symbol_and_the_loop_with_the_last_row(monkeypatch):
    h = follow(monkeypatch, [[5, END, 6, 6, 6], [7, 8, END, 4, 4]])
    assert free_run(None, h, 5).tolist() == [[5, END, PAD], [7, 8, END]]


def test_a_row_that_never_ends_is_broken_off(monkeypatch):
    assert free_run(None, follow(monkeypatch, [[5, 6, 7, 8]]), 3).tolist() == [[5, 6, 7]]


def test_the_loss_is_the_mean_over_real_words_of_all_rows(model, rows):
    scores = open_book(model, final_state(model, rows.source, rows.lengths), rows.target)
    losses = [
        -torch.log_softmax(scores[i, t], dim=0)[word]
        for i, t in itertools.product(range(B), range(4))
        if (word := rows.target[i, t + 1]) != PAD
    ]
    torch.testing.assert_close(seq2seq.mean_loss(scores, rows.target), torch.stack(losses).mean())
    assert len(losses) == 10


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ([5, 6, END], True),
        ([5, 6, END, PAD, PAD], True),
        ([5, 6], False),
        ([5, 6, 7], False),
        ([5, END], False),
        ([5, 6, 7, END], False),
    ],
)
def test_a_row_is_right_only_up_to_its_end_symbol(said, right):
    target = torch.tensor([[BEGIN, 5, 6, END, PAD]])
    assert seq2seq.right_rows(torch.tensor([said]), target).tolist() == [right]


def test_reading_backward_turns_the_real_words_and_leaves_the_pads():
    rows = Rows(torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([3, 2]), torch.zeros(2, 3))
    assert seq2seq.backward(rows).source.tolist() == [[6, 5, 4], [8, 7, 0]]
    assert torch.equal(seq2seq.backward(seq2seq.backward(rows)).source, rows.source)


def test_rows_are_taken_with_no_more_columns_than_they_need(rows):
    part = seq2seq.take(rows, torch.tensor([1, 3]))
    assert part.source.shape == (2, 3)
    assert part.target.tolist() == rows.target[[1, 3], :3].tolist()


def test_copies_are_copies_of_every_length():
    rows = seq2seq.copies(300, 2, 5, torch.Generator().manual_seed(0))
    assert set(rows.lengths.tolist()) == {2, 3, 4, 5}
    for source, length, target in zip(*rows, strict=True):
        word = source[:length].tolist()
        assert target.tolist() == [BEGIN, *word, END] + [PAD] * (5 - int(length))
        assert min(word) >= 4


def test_copy_tests_have_as_many_rows_of_every_length():
    rows = copy_tests(each=3)
    assert rows.lengths.bincount()[1:].tolist() == [3] * int(rows.lengths.max())
    for source, length, target in zip(*rows, strict=True):
        assert target[1 : length + 2].tolist() == [*source[:length].tolist(), END]
        assert not target[length + 2 :].any()


def test_training_learns_to_copy_two_symbols_and_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    model = Seq2Seq(6, 6, 24, E=8)
    losses = seq2seq.train(model, lambda g: seq2seq.copies(32, 1, 2, g, symbols=2), 200, rate=1e-2)
    assert losses[0] > 1 > 0.3 > losses[-1]
    assert torch.equal(torch.get_rng_state(), before)
    rows = seq2seq.copies(50, 1, 2, torch.Generator().manual_seed(9), symbols=2)
    assert seq2seq.right_by_row(model, rows, size=20).double().mean() > 0.9


def test_exact_match_is_the_same_with_the_book_open_because_the_first_mistake_is(model, rows):
    opened, free, real = right_words(model, rows)
    assert torch.equal((opened | ~real).all(dim=1), (free | ~real).all(dim=1))
    first = [(~hits & real).int().argmax(dim=1) for hits in (opened, free)]
    assert torch.equal(*first)


def test_shares_behind_a_mistake_count_only_words_behind_one(monkeypatch):
    opened = torch.tensor([[True, False, True, True], [True, True, True, False]])
    free = torch.tensor([[True, False, False, True], [True, True, True, False]])
    real = torch.tensor([[True, True, True, True], [True, True, True, False]])
    monkeypatch.setattr("course_utils.exposure.right_words", lambda _m, _r: (opened, free, real))
    seen = exposure(None, None)
    assert seen == pytest.approx((6 / 7, 5 / 7, 1.0, 0.5, 7, 2))


def test_the_gradient_by_place_is_that_of_differences():
    model = Seq2Seq(8, 8, 4, E=3, seed=2).double()
    rows = seq2seq.copies(1, 3, 3, torch.Generator().manual_seed(0), symbols=4)
    found = gradients_by_place(model, rows)

    def loss(vectors, t):
        states, _ = model.encoder(vectors)
        return cross_entropy(open_book(model, states[:, -1], rows.target)[:, t], rows.target[:, t + 1]).item()

    vectors, eps = model.read(rows.source).detach(), 1e-6
    for t, k in itertools.product(range(4), range(3)):
        slopes = []
        for e in range(3):
            move = torch.zeros_like(vectors)
            move[0, k, e] = eps
            slopes.append((loss(vectors + move, t) - loss(vectors - move, t)) / (2 * eps))
        assert found[t, k].item() == pytest.approx(torch.tensor(slopes).norm().item(), rel=1e-4)


@pytest.mark.parametrize(
    ("one", "other", "edits"), [("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "bcd", 2)]
)
def test_edit_distances(one, other, edits):
    assert edit_distance(one, other) == edits


def test_the_error_rate_counts_edits_for_each_wanted_word(monkeypatch):
    target = torch.tensor([[BEGIN, 5, 6, 7, END], [BEGIN, 8, END, PAD, PAD]])
    h = follow(monkeypatch, [[5, 6, END, 4], [8, 4, END, 4]])
    monkeypatch.setattr(seq2seq, "final_state", lambda *_: h)
    rows = Rows(torch.full((2, 1), 4), torch.tensor([1, 1]), target)
    assert error_rate(None, rows) == 2 / 4
