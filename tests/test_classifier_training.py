"""The training loop of the classifiers, documents as numbers, and rows whose class only the order tells."""

from collections import Counter

import pytest
import torch

from course_utils.batching import batches
from course_utils.classifier import Classifier
from course_utils.classifier_data import (
    TASKS,
    attractors,
    encoded,
    negations,
    order_rows,
    order_task,
    shuffled,
)
from course_utils.classifier_experiments import linear_model
from course_utils.classifier_training import (
    BATCHES,
    Labelled,
    epoch,
    fit,
    mixed_batches,
    right_answers,
    share_right,
)
from course_utils.corpus import Document
from course_utils.gate_tasks import NOUNS
from course_utils.tokens import Vocabulary


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def rows_of(count=37, seed=1):
    """Rows of 1 to 9 numbers; the class says whether a 2 comes in them."""
    lengths = torch.randint(1, 10, (count,), generator=rng(seed))
    rows = [
        torch.randint(2, 9, (n,), generator=rng(n + 10 * at)).tolist()
        for at, n in enumerate(lengths.tolist())
    ]
    return Labelled(rows, torch.tensor([int(2 in row) for row in rows]))


@pytest.mark.parametrize("together", BATCHES)
def test_each_row_comes_once_with_its_own_numbers_and_length(together):
    data = rows_of()
    seen = []
    for batch in BATCHES[together](data.rows, 5, rng()):
        for ids, length, place in zip(*(part.tolist() for part in batch), strict=True):
            assert ids[:length] == data.rows[place]
            assert not any(ids[length:])
            seen.append(place)
    assert sorted(seen) == list(range(37))


def test_mixed_batches_have_more_pads_than_those_by_length():
    rows = rows_of(200).rows
    pads = [sum(int((b.ids == 0).sum()) for b in make(rows, 8, rng())) for make in (batches, mixed_batches)]
    assert pads[1] > 5 * pads[0]


def test_mixed_batches_without_a_generator_keep_the_order():
    places = [batch.places.tolist() for batch in mixed_batches([[3]] * 5, 2)]
    assert places == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("together", BATCHES)
@pytest.mark.parametrize("size", [1, 4, 64])
def test_accuracy_counts_rows_whatever_the_batches(together, size):
    data = rows_of()
    torch.manual_seed(3)
    model = Classifier("GRU", 9, 2)
    alone = [model(torch.tensor([row]), torch.tensor([len(row)])).argmax() for row in data.rows]
    wanted = torch.stack(alone) == data.labels
    assert torch.equal(right_answers(model, data, together, size), wanted)
    assert share_right(model, data, together, size) == pytest.approx(wanted.double().mean().item())


def test_one_epoch_is_the_plain_loop():
    data = rows_of()
    torch.manual_seed(3)
    ours, plain = Classifier("RNN", 9, 2), Classifier("RNN", 9, 2)
    plain.load_state_dict(ours.state_dict())
    epoch(ours, torch.optim.SGD(ours.parameters(), lr=0.1), data, rng(5), size=8)
    for batch in batches(data.rows, 8, rng(5)):
        log_p = plain(batch.ids, batch.lengths).log_softmax(dim=1)
        loss = -log_p[torch.arange(len(log_p)), data.labels[batch.places]].mean()
        gradients = torch.autograd.grad(loss, list(plain.parameters()))
        with torch.no_grad():
            for part, gradient in zip(plain.parameters(), gradients, strict=True):
                part -= 0.1 * gradient
    for one, other in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)


def test_a_fit_is_repeated_by_its_seed_and_leaves_the_global_generator_alone():
    data = rows_of()
    before = torch.get_rng_state()
    first, again = (fit("bag", 9, data, data, seed=4) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert first.validation == again.validation
    assert all(map(torch.equal, first.model.parameters(), again.model.parameters()))
    assert not torch.equal(fit("bag", 9, data, data, seed=5).model.vectors.weight, first.model.vectors.weight)


def test_what_is_kept_is_the_best_epoch():
    data = rows_of()
    found = fit("GRU", 9, data, data, seed=1, epochs=6, rate=0.3)
    assert min(found.validation) < max(found.validation)
    assert share_right(found.model, data) == max(found.validation)


@pytest.mark.parametrize("own_length", [True, False])
def test_a_fit_trains_the_reader_that_was_asked_for(own_length):
    assert (
        fit("RNN", 9, rows_of(), rows_of(), seed=0, epochs=1, own_length=own_length).model.own_length
        == own_length
    )


@pytest.mark.parametrize("make", [lambda: negations(30, 3, rng()), lambda: attractors(30, 3, rng())])
def test_rows_come_in_pairs_of_the_same_words_and_different_classes(make):
    texts, labels = make()
    assert labels == [0, 1] * 30
    for one, other in zip(texts[::2], texts[1::2], strict=True):
        assert Counter(one) == Counter(other)
        assert one != other


@pytest.mark.parametrize("between", [0, 4])
def test_the_class_of_a_negation_is_the_place_of_not(between):
    texts, labels = negations(40, between, rng())
    for text, label in zip(texts, labels, strict=True):
        assert (text.index("not") > text.index("good")) == label
        assert abs(text.index("not") - text.index("good")) == between + 1
        assert 2 <= min(text.index("not"), text.index("good")) <= 5
        assert 2 <= len(text) - 1 - max(text.index("not"), text.index("good")) <= 5


def test_the_class_of_a_sentence_is_the_number_of_its_first_noun():
    texts, labels = attractors(40, 4, rng())
    for text, label in zip(texts, labels, strict=True):
        nouns = [word for word in text if word.removesuffix("s") in NOUNS]
        assert len(nouns) == 4
        assert nouns[0].endswith("s") == label
        assert {noun.endswith("s") for noun in nouns} == {True, False}


@pytest.mark.parametrize("task", TASKS)
def test_a_bag_is_right_on_exactly_half_of_the_pairs(task):
    (train, validation, test), vocabulary = order_task(task, counts=(40, 10, 30))
    model = fit("bag", len(vocabulary), train, validation, seed=0).model
    assert share_right(model, test) == 0.5


def test_a_unit_learns_an_order_that_a_convolution_cannot_see():
    (train, validation, test), vocabulary = order_task("not ... good", counts=(300, 50, 100))
    scores = {
        kind: share_right(fit(kind, len(vocabulary), train, validation, seed=0, rate=3e-3).model, test)
        for kind in ("GRU", "convolution")
    }
    assert scores["GRU"] > 0.95
    assert scores["convolution"] < 0.65


def test_documents_become_numbers_and_places_of_their_library():
    rows = [Document("sympy", "Solve it.", "a"), Document("torch", "Solve twice.", "b")]
    vocabulary = Vocabulary([["solve", "it", "."]])
    data = encoded(rows, vocabulary)
    assert [vocabulary.decode(row) for row in data.rows] == [["solve", "it", "."], ["solve", "<unk>", "."]]
    assert data.labels.tolist() == [1, 0]


def test_shuffling_keeps_the_words_of_each_row_and_its_class():
    data = rows_of(200)
    moved = shuffled(data)
    assert [Counter(row) for row in moved.rows] == [Counter(row) for row in data.rows]
    assert torch.equal(moved.labels, data.labels)
    assert moved.rows != data.rows
    assert shuffled(data).rows == moved.rows


def test_texts_become_rows_in_their_order():
    vocabulary = Vocabulary([["not", "good"]])
    data = order_rows([["not", "good"], ["good", "not"]], [0, 1], vocabulary)
    assert data.rows[0] == data.rows[1][::-1]


def test_a_linear_model_counts_only_the_words_it_is_given():
    texts = ["draw axes", "draw lines", "solve roots", "solve it"]
    every, two = (linear_model(words=words).fit(texts, [0, 0, 1, 1]) for words in (None, ["axes", "solve"]))
    assert (every[-1].coef_.size, two[-1].coef_.size) == (6, 2)
    assert two.predict(["axes", "solve"]).tolist() == [0, 1]
    assert two.decision_function(["draw"]) == two.decision_function(["roots"])  # unseen, both
    assert every.decision_function(["draw"]) < 0 < every.decision_function(["roots"])
