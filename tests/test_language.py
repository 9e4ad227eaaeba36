"""The language model: what its loss counts, what its perplexity weighs, and that it sees the past alone."""

import math

import pytest
import torch

from course_utils.batching import batches, pad
from course_utils.language import (
    LanguageModel,
    masked_loss,
    one_epoch,
    perplexity,
    shift,
    train,
    validate,
)

V = 11
KINDS = [
    dict(cell="rnn"),
    dict(cell="lstm"),
    dict(cell="lstm", tied=True),
    dict(cell="rnn", tied=True, dropout=0.5),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def model(seed=0, **kind):
    torch.manual_seed(seed)
    return LanguageModel(V, E=5, H=7, **kind).eval()


def rows(count=6, seed=1):
    rng = torch.Generator().manual_seed(seed)
    return [[2, *torch.randint(4, V, (2 + at % 4,), generator=rng).tolist(), 3] for at in range(count)]


@every_kind
def test_the_loss_is_that_of_each_row_alone_token_by_token(kind):
    one, texts = model(**kind).double(), rows()
    costs = []
    for row in texts:
        logs = torch.log_softmax(one(torch.tensor([row]))[0][0], dim=1)
        costs += [-logs[t, row[t + 1]] for t in range(len(row) - 1)]
    loss = masked_loss(one, pad(texts)[0])
    torch.testing.assert_close(loss.double(), torch.stack(costs).mean(), rtol=1e-6, atol=0)


@every_kind
@pytest.mark.parametrize("count", [5, 50])
def test_five_pads_or_fifty_change_neither_loss_nor_gradient(kind, count):
    one, ids = model(**kind), pad(rows())[0]
    wider = torch.cat([ids, torch.zeros(len(ids), count, dtype=torch.int64)], dim=1)
    seen = []
    for batch in (ids, wider):
        one.zero_grad()
        loss = masked_loss(one, batch)
        loss.backward()
        seen.append([loss.detach(), *(part.grad.clone() for part in one.parameters())])
    for short, long in zip(*seen, strict=True):
        torch.testing.assert_close(short, long, rtol=1e-5, atol=1e-7)


@every_kind
def test_scores_depend_on_no_later_token(kind):
    ids = pad(rows())[0]
    later = ids.clone()
    later[:, 3:] = 9
    one = model(**kind)
    torch.testing.assert_close(one(ids)[0][:, :3], one(later)[0][:, :3], rtol=0, atol=0)


@every_kind
def test_a_text_in_two_parts_with_the_state_carried_is_the_text_in_one(kind):
    ids, one = torch.tensor([[2, 5, 6, 7, 8, 9]]), model(**kind)
    first, carried = one(ids[:, :2])
    second, _ = one(ids[:, 2:], carried)
    torch.testing.assert_close(torch.cat([first, second], dim=1), one(ids)[0])


@every_kind
def test_an_untrained_model_gives_about_ln_v(kind):
    torch.manual_seed(3)
    wide = LanguageModel(500, E=16, H=32, **kind).eval()
    ids = torch.randint(1, 500, (8, 20))
    assert masked_loss(wide, ids).item() == pytest.approx(math.log(500), abs=0.1)


def test_tied_weights_are_one_matrix_and_take_one_from_the_count():
    loose, tied = model(), model(tied=True)
    assert tied.output.weight is tied.embedding.weight
    count = [sum(part.numel() for part in one.parameters()) for one in (loose, tied)]
    assert count[0] - count[1] == V * 7 - 5 * 7  # the output layer (V, H) against the narrow one (E, H)


def test_the_shift_pairs_each_token_with_the_one_after_it():
    inputs, targets = shift(torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]]))
    assert inputs.tolist() == [[2, 5, 6], [2, 7, 3]]
    assert targets.tolist() == [[5, 6, 3], [7, 3, 0]]


def test_perplexity_weighs_tokens_and_not_batches():
    assert perplexity([1.0, 3.0], [3, 1]) == pytest.approx(math.exp(1.5))
    assert perplexity([1.0, 3.0], [1, 1]) == pytest.approx(math.exp(2))


def test_perplexity_is_infinite_above_twenty_nats_and_finite_at_twenty():
    assert perplexity([20.0], [7]) == pytest.approx(math.exp(20))
    assert perplexity([20.001], [7]) == math.inf


def test_validation_is_the_same_in_any_batches():
    one, texts = model(), rows(count=9)
    whole = validate(one, texts, size=9)
    for size in (1, 2, 4):
        assert validate(one, texts, size=size) == pytest.approx(whole, rel=1e-5)


def test_an_epoch_says_the_mean_a_token_of_what_it_met():
    one, texts = model(), rows(count=9)
    still = torch.optim.SGD(one.parameters(), lr=0.0)
    seen = one_epoch(one, batches(texts, 2), still)
    assert math.exp(seen) == pytest.approx(validate(one, texts), rel=1e-5)


def test_no_step_of_plain_descent_is_longer_than_the_clip():
    one = model()
    before = [part.detach().clone() for part in one.parameters()]
    one_epoch(one, batches(rows(), 6), torch.optim.SGD(one.parameters(), lr=1.0), clip=0.01)
    moved = torch.stack(
        [(new - old).norm() for new, old in zip(one.parameters(), before, strict=True)]
    ).norm()
    assert moved.item() == pytest.approx(0.01, rel=1e-3)


def test_training_learns_a_text_that_repeats_and_begins_near_v():
    one = model()
    texts = [[2, 4, 5, 6, 7, 3]] * 40
    assert validate(one, texts) == pytest.approx(V, rel=0.2)
    seen = train(one, texts, texts, epochs=30, rate=0.02, size=8)
    assert seen.valid[-1] < 1.1
    assert len(seen.train) == len(seen.valid) == 30


def test_training_ends_with_the_weights_of_the_best_epoch():
    texts = rows(count=8)
    one = model()
    seen = train(one, texts, rows(count=8, seed=5), epochs=12, rate=0.05, size=4)
    assert min(seen.valid) < 0.9 * seen.valid[-1]  # it has turned
    assert validate(one, rows(count=8, seed=5)) == pytest.approx(min(seen.valid), rel=1e-6)
    assert not one.training


def test_training_twice_from_one_seed_is_the_same_and_another_order_is_not():
    def run(seed):
        return train(model(), rows(count=20), rows(seed=5), epochs=2, size=4, seed=seed).valid

    assert run(0) == run(0)
    assert run(0) != run(1)


def test_long_documents_are_cut_before_training():
    short, long = [[2] + [4] * 127], [[2] + [4] * 127 + [9] * 50]
    seen = [train(model(), part, short, epochs=1).train for part in (short, long)]
    assert seen[0] == seen[1]


def test_with_decay_the_step_size_ends_at_zero():
    texts = [[2, 4, 5, 3]] * 8
    fixed, falling = model(), model()
    train(fixed, texts, texts, epochs=2, size=8, rate=0.1)
    train(falling, texts, texts, epochs=2, size=8, rate=0.1, decay=True)
    moved = [(one.output.weight - model().output.weight).abs().max().item() for one in (fixed, falling)]
    assert moved[1] < 0.8 * moved[0]


def test_the_output_in_bfloat16_is_near_that_in_float32():
    ids = pad(rows())[0]
    assert masked_loss(model(half=True), ids).item() == pytest.approx(
        masked_loss(model(), ids).item(), abs=0.02
    )
