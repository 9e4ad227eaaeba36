"""What a model has of the text before: cut prefixes against reading each alone; windows against the whole."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from course_utils.language import LanguageModel, perplexity
from course_utils.long_text import cut_prefix, detached, read_in_windows, side_by_side

ROWS = [[2, 5, 6, 7, 8, 4, 3], [2, 7, 7, 3], [2, 4, 5, 6, 5, 3]]
LINES = torch.randint(1, 9, (3, 25), generator=torch.Generator().manual_seed(1))


def model(cell="lstm", **kind):
    torch.manual_seed(2)
    return LanguageModel(9, E=4, H=6, cell=cell, **kind).eval()


@pytest.mark.parametrize("kind", [dict(cell="rnn"), dict(cell="lstm"), dict(tied=True)])
@pytest.mark.parametrize("k", [1, 3, 4])
def test_a_cut_prefix_is_the_loss_after_its_last_tokens_alone(kind, k):
    one, costs = model(**kind), []
    for row in ROWS:
        for t in range(4, len(row)):
            scores = one(torch.tensor([row[t - k : t]]))[0][:, -1]
            costs.append(cross_entropy(scores, torch.tensor([row[t]])).item())
    assert len(costs) == 5
    wanted = perplexity(costs, [1] * len(costs))
    assert cut_prefix(one, ROWS, [k], least=4)[k] == pytest.approx(wanted, rel=1e-5)


def test_rows_side_by_side_are_the_text_in_its_order():
    lines = side_by_side(ROWS, 3)
    assert lines.shape == (3, 5)
    assert lines.flatten().tolist() == [*ROWS[0], *ROWS[1], *ROWS[2]][:15]


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
@pytest.mark.parametrize("T", [1, 5, 7, 24, 100])
def test_with_the_state_carried_windows_of_any_length_read_the_whole(cell, T):
    one = model(cell)
    scores = one(LINES[:, :-1])[0]
    whole = cross_entropy(scores.flatten(0, 1), LINES[:, 1:].flatten()).exp().item()
    assert read_in_windows(one, LINES, T) == pytest.approx(whole, rel=1e-5)


def test_without_carrying_every_window_begins_anew():
    one, T = model(), 8
    parts = [LINES[:, at : at + T + 1] for at in (0, 8, 16)]
    losses = [
        cross_entropy(one(part[:, :-1])[0].flatten(0, 1), part[:, 1:].flatten()).item() for part in parts
    ]
    wanted = perplexity(losses, [part[:, 1:].numel() for part in parts])
    assert read_in_windows(one, LINES, T, carry=False) == pytest.approx(wanted, rel=1e-5)
    assert read_in_windows(one, LINES, T) != pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_a_detached_state_is_the_same_without_history(cell):
    state = model(cell)(LINES)[1]
    parts = zip(state, detached(state), strict=True) if cell == "lstm" else [(state, detached(state))]
    for before, after in parts:
        assert before.requires_grad
        assert not after.requires_grad
        assert torch.equal(before, after)


def test_reading_alone_changes_no_weight_and_an_optimiser_learns():
    one = model()
    before = read_in_windows(one, LINES, 6)
    assert read_in_windows(one, LINES, 6) == before
    read_in_windows(one, LINES, 6, optimiser=torch.optim.Adam(one.parameters(), lr=0.05))
    assert read_in_windows(one, LINES, 6) < before
