"""The two languages of lesson 09, what is named instead, and the interval of a share."""

import pytest
import torch

from course_utils import training
from course_utils.gate_tasks import (
    LATEST,
    MARKS,
    VOCABULARY,
    agreement,
    echo,
    named_instead,
    sentence,
    symbols_of,
)
from course_utils.intervals import wilson
from course_utils.recall_experiments import confusions

V = len(VOCABULARY)


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(3)


def nouns(symbols):
    return [VOCABULARY[symbol] for symbol in symbols.tolist() if symbol < 8]


@pytest.mark.parametrize("T", [4, 5, 12, 30])
def test_the_verb_agrees_with_the_first_noun_of_every_sentence(T, rng):
    symbols, targets = agreement(200, T, V, rng)
    assert symbols.shape == (200, T)
    plural = [nouns(row)[0].endswith("s") for row in symbols]
    assert [VOCABULARY[target] == "are" for target in targets] == plural


def test_half_of_the_subjects_are_plural_and_the_last_noun_tells_nothing_of_the_first(rng):
    symbols, targets = agreement(2000, 12, V, rng)
    plural = targets == VOCABULARY.index("are")
    far = torch.tensor([len(nouns(row)) > 1 for row in symbols])
    last = torch.tensor([nouns(row)[-1].endswith("s") for row in symbols])
    assert 0.45 < plural.float().mean() < 0.55
    assert 0.45 < (plural == last)[far].float().mean() < 0.55
    assert far.float().mean() > 0.7


def test_the_lectures_sentence_can_be_written_and_read():
    words = "the keys to the cabinet in the door of the old house"
    assert sentence(symbols_of(words)) == words


def test_an_echo_has_one_symbol_to_keep_then_noise_and_the_question_last(rng):
    symbols, targets = echo(300, 20, len(MARKS), rng)
    assert ((symbols < 2).sum(dim=1) == 1).all()
    assert (symbols[:, -1] == MARKS.index("?")).all()
    assert (symbols[:, LATEST:-1] >= 2).all()
    assert (symbols.min(dim=1).values == targets).all()
    assert {int(row.argmin()) for row in symbols} == set(range(LATEST))


@pytest.mark.parametrize("draw", [agreement, echo])
def test_the_same_generator_gives_the_same_rows(draw):
    one, other = (draw(5, 12, V, torch.Generator().manual_seed(1)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_named_instead_counts_what_a_model_says_for_each_truth(rng):
    weights, _ = training.new_weights("lstm", [0, 1], 5, 3)
    symbols, targets = training.first_symbol(50, 4, 3, rng)
    counts = named_instead("lstm", weights, symbols, targets)
    assert (counts.sum(dim=2) == targets.bincount(minlength=3)).all()
    right = training.accuracy_of("lstm", weights, (symbols.expand(2, 50, 4), targets.expand(2, 50)))
    torch.testing.assert_close(counts.diagonal(dim1=1, dim2=2).sum(dim=1) / 50, right)


def test_rows_of_named_instead_are_the_truth():
    weights, _ = training.new_weights("rnn", [0], 5, 3)
    weights.W_y.zero_()
    weights.c.copy_(torch.tensor([0.0, 1.0, 0.0]))
    counts = named_instead("rnn", weights, torch.zeros(4, 2, dtype=int), torch.tensor([0, 0, 2, 2]))
    assert counts[0].tolist() == [[0, 2, 0], [0, 0, 0], [0, 2, 0]]


@pytest.mark.parametrize(
    ("counts", "ends"), [((0, 8), (0, 0.3244)), ((8, 8), (0.6756, 1)), ((5, 16), (0.1416, 0.5560))]
)
def test_the_interval_is_wilsons(counts, ends):
    assert wilson(*counts) == pytest.approx(ends, abs=1e-4)


def test_the_interval_holds_the_share_and_narrows_with_runs():
    widths = []
    for runs in (4, 40, 400):
        low, high = wilson(runs // 4, runs)
        assert low < 0.25 < high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("counts", [(3, 2), (-1, 4), (0, 0)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="runs"):
        wilson(*counts)


def test_a_recorded_look_holds_a_table_for_each_seed():
    settings = dict(cell="lstm", T=2, seeds=[0, 1], gate_bias=0.0, updates=2)
    seen = confusions(settings)
    tables = torch.tensor(seen["confusions"])
    assert tables.shape == (2, 8, 8)
    assert (tables.sum(dim=(1, 2)) == 2000).all()
    assert len(seen["accuracy"]) == 2
