"""Choosing the next token: temperature, top k and nucleus against sums by hand; texts that are drawn."""

import math

import pytest
import torch

from course_utils.language import LanguageModel, masked_loss
from course_utils.sampling import BEGIN, END, go_on, likeliest, nucleus, repeated, tempered, top_k

SCORES = torch.tensor([1.0, 3.0, 2.0, -1.0, 0.5], dtype=torch.float64)
SHARES = torch.tensor([0.1, 0.4, 0.3, 0.05, 0.15], dtype=torch.float64)


def model(V=9, seed=4):
    """An untrained model whose scores depend much on its state."""
    torch.manual_seed(seed)
    one = LanguageModel(V, E=6, H=8, cell="rnn").eval()
    torch.nn.init.normal_(one.output.weight, std=3.0)
    return one


def greedy(scores):
    return scores.argmax()


def test_temperature_1_is_the_softmax():
    torch.testing.assert_close(tempered(SCORES, 1.0), torch.softmax(SCORES, 0))


@pytest.mark.parametrize("temperature", [0.3, 0.5, 2.0, 7.0])
def test_a_temperature_takes_that_root_of_every_probability(temperature):
    wanted = torch.softmax(SCORES, 0) ** (1 / temperature)
    torch.testing.assert_close(tempered(SCORES, temperature), wanted / wanted.sum())


def test_near_0_the_likeliest_has_it_all_and_far_up_all_are_alike():
    assert tempered(SCORES, 0.01)[1] > 0.999
    torch.testing.assert_close(tempered(SCORES, 1e6), torch.full_like(SCORES, 0.2), rtol=1e-4, atol=0)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_a_temperature_that_is_not_above_0_is_refused(temperature):
    with pytest.raises(ValueError, match="expected above 0"):
        tempered(SCORES, temperature)


@pytest.mark.parametrize(
    ("k", "kept"), [(1, {1}), (2, {1, 2}), (3, {1, 2, 4}), (5, {0, 1, 2, 3, 4}), (9, {0, 1, 2, 3, 4})]
)
def test_top_k_keeps_the_likeliest_in_their_proportions(k, kept):
    shares = top_k(SHARES, k)
    assert {place for place, share in enumerate(shares.tolist()) if share} == kept
    assert shares.sum().item() == pytest.approx(1)
    inside = sorted(kept)
    torch.testing.assert_close(shares[inside], SHARES[inside] / SHARES[inside].sum())


@pytest.mark.parametrize(
    ("mass", "count"), [(0.05, 1), (0.4, 1), (0.41, 2), (0.7, 2), (0.71, 3), (0.9, 4), (1.0, 5)]
)
def test_the_nucleus_is_the_fewest_tokens_that_hold_the_mass(mass, count):
    torch.testing.assert_close(nucleus(SHARES, mass), top_k(SHARES, count))


def test_of_equal_tokens_the_one_with_the_lower_number_stays():
    assert top_k(torch.tensor([0.25] * 4), 2).tolist() == [0.5, 0.5, 0, 0]
    assert nucleus(torch.tensor([0.25] * 4), 0.5).tolist() == [0.5, 0.5, 0, 0]


def test_reading_on_from_the_carried_state_is_reading_all_again():
    one, row = model(), [BEGIN, 5, 7]
    for _ in range(6):
        row.append(int(one(torch.tensor([row]))[0][0, -1, 4:].argmax()) + 4)
    assert go_on(one, [BEGIN, 5, 7], 6, lambda scores: scores[4:].argmax() + 4) == row


def test_a_text_stops_at_the_mark_of_end():
    assert go_on(model(), [BEGIN, 5], 9, lambda scores: END) == [BEGIN, 5, END]


def test_a_beam_of_one_is_greedy():
    one = model()
    row, nats = likeliest(one, [BEGIN], 5, width=1)
    assert row == go_on(one, [BEGIN], 5, greedy)
    assert nats == pytest.approx(masked_loss(one, torch.tensor([row])).item() * (len(row) - 1), rel=1e-5)


def test_a_beam_of_all_finds_the_likeliest_text_there_is():
    one, V, found = model(V=5, seed=7), 5, []
    for a in range(V):
        for b in range(V):
            row = [BEGIN, a] if a == END else [BEGIN, a, b]
            logs = torch.log_softmax(one(torch.tensor([row]))[0][0], dim=1)
            found.append((-sum(logs[t, row[t + 1]].item() for t in range(len(row) - 1)), row))
    nats, row = likeliest(one, [BEGIN], 2, width=V)[::-1]
    assert (row, nats) == (min(found)[1], pytest.approx(min(found)[0], rel=1e-5))


def test_a_wider_beam_is_no_less_likely_here():
    assert likeliest(model(), [BEGIN], 6, 8)[1] <= likeliest(model(), [BEGIN], 6, 1)[1] + 1e-6


@pytest.mark.parametrize(
    ("row", "n", "share"),
    [([1, 2, 3], 1, 0), ([1, 1, 1, 1], 2, 2 / 3), ([1, 2, 1, 2, 1], 2, 0.5), ([1], 2, 0)],
)
def test_repetition_counts_the_runs_that_came_before(row, n, share):
    assert repeated(row, n) == pytest.approx(share)


def test_draws_come_as_often_as_their_share_says():
    shares, rng = nucleus(tempered(SCORES, 1.0), 0.9), torch.Generator().manual_seed(0)
    counts = torch.multinomial(shares, 20_000, replacement=True, generator=rng).bincount(minlength=5) / 20_000
    error = 4 * math.sqrt(0.25 / 20_000)
    torch.testing.assert_close(counts.double(), shares, rtol=0, atol=error)
