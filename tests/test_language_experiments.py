"""The recorded language models of lesson 11: what a run gives; the record is of the corpus at hand."""

import math
import random

import pytest
import torch

from course_utils import corpus, language_experiments, records
from course_utils.language import LanguageModel, train
from course_utils.language_experiments import KEPT, LEAST, SEEDS, SETTINGS, language, language_runs
from course_utils.ngrams import count_followers, distribution
from course_utils.records import runs

NETWORKS = [run for run in records.record("language")["runs"] if run["cell"] != "counts"]


@pytest.fixture
def small(monkeypatch):
    """The corpus of the experiment replaced by a few rows of few pieces."""
    rng = torch.Generator().manual_seed(1)
    rows = [[2, *torch.randint(4, 30, (20,), generator=rng).tolist(), 3] for _ in range(50)]
    monkeypatch.setattr(language_experiments, "V", 30)
    texts = language_experiments.Texts(None, rows[:30], rows[30:40], rows[40:])
    monkeypatch.setattr(language_experiments, "texts", lambda: texts)
    return texts


def settings_of(name, **more):
    return next(run for run in language_runs() if run["name"] == name) | dict(E=6, H=8, epochs=2) | more


@pytest.mark.parametrize("name", ["note", "longer", "wide"])
def test_a_run_gives_a_perplexity_for_each_epoch_and_each_cut(name, small):
    settings = settings_of(name)
    seen = language(settings)
    assert len(seen["train"]) == len(seen["valid"]) == 2
    assert len(seen["cut"]) == len(KEPT)
    torch.manual_seed(11)
    model = LanguageModel(30, 6, 8, settings["cell"], tied=settings["tied"])
    assert seen["parameters"] == sum(part.numel() for part in model.parameters())
    assert min(seen["cut"]) > 1
    assert 1 < seen["mixed"] < 60


def test_the_test_rows_decide_nothing_and_the_epoch_is_chosen_on_the_validation_rows(small, monkeypatch):
    settings = settings_of("longer", epochs=6)
    seen = language(settings)
    assert seen["best_epoch"] == 1 + seen["valid"].index(min(seen["valid"]))
    swapped = small._replace(test=small.test[:3])
    monkeypatch.setattr(language_experiments, "texts", lambda: swapped)
    other = language(settings)
    assert {name: other[name] for name in ("train", "valid")} == {
        name: seen[name] for name in ("train", "valid")
    }
    assert other["test"] != seen["test"]


def test_the_seed_of_a_run_draws_its_weights_and_its_batches(small):
    seen = [language(settings_of("note", seed=seed))["valid"] for seed in (0, 0, 1)]
    assert seen[0] == seen[1] != seen[2]


def test_counts_of_each_order_are_cut_after_the_tokens_that_they_can_read(small):
    by_order = [language(run) for run in language_runs() if run["cell"] == "counts"]
    assert [len(run["cut"]) for run in by_order] == [0, 1, 2, 3, 4]
    assert by_order[4]["cut"][:3] == by_order[3]["cut"]
    assert all(len(row) > LEAST for row in small.test)


def test_cut_after_k_tokens_counts_are_those_of_order_k_plus_1_on_the_same_targets(small):
    cut = language(dict(name="counts", cell="counts", order=4))["cut"]
    for k, value in enumerate(cut, start=1):
        tables = count_followers(small.train, k + 1)
        logs = [
            math.log(distribution(tables, row[t - k : t], 30)[row[t]])
            for row in small.test
            for t in range(LEAST, len(row))
        ]
        assert value == pytest.approx(math.exp(-sum(logs) / len(logs)), rel=1e-3)


def test_the_note_s_settings_are_the_note_s():
    note = [run for run in language_runs() if run["name"] == "note"]
    assert [run["cell"] for run in note] == ["rnn"] * 3 + ["lstm"] * 3
    for run in note:
        assert (run["E"], run["H"], run["epochs"], run["dropout"], run["tied"]) == (128, 256, 3, 0.0, False)


def test_every_network_is_recorded_with_each_seed_and_the_test_of_its_best_epoch():
    kinds = {(run["name"], run["cell"]) for run in NETWORKS}
    for name, cell in kinds:
        assert [run["seed"] for run in runs("language", name=name, cell=cell)] == list(SEEDS)
    assert all(run["valid"][run["best_epoch"] - 1] == min(run["valid"]) for run in NETWORKS)


def test_every_recorded_network_is_far_better_than_counting_single_tokens():
    counts = runs("language", cell="counts", order=1)[0]["test"]
    assert all(run["test"] < counts / 3 for run in NETWORKS)
    assert all(math.isfinite(value) for run in NETWORKS for value in run["valid"] + run["train"] + run["cut"])


@pytest.fixture(scope="module")
def at_hand():
    """Nothing; skips where the corpus is another than that of the record."""
    if corpus.versions() != records.record("corpus")["versions"]:
        pytest.skip("other versions of the libraries than those of the record")


def test_the_counts_of_the_record_are_those_of_the_corpus_at_hand(at_hand):
    order = random.choice([1, 2, 3])
    recorded = runs("language", cell="counts", order=order)[0]
    seen = language(dict(name="counts", cell="counts", order=order))
    assert seen["test"] == pytest.approx(recorded["test"], rel=1e-3)
    assert seen["valid"] == pytest.approx(recorded["valid"], rel=1e-3)


@pytest.mark.slow
def test_a_run_drawn_from_the_record_begins_as_it_is_recorded(at_hand):
    """Its first epoch, of a run whose step size does not depend on how many follow."""
    recorded = random.choice([run for run in NETWORKS if not run["decay"]])
    torch.manual_seed(recorded["seed"])
    model = LanguageModel(language_experiments.V, **{name: recorded[name] for name in SETTINGS})
    data = language_experiments.texts()
    seen = train(model, data.train, data.validation, epochs=1, seed=recorded["seed"])
    for name in ("train", "valid"):
        assert getattr(seen, name)[0] == pytest.approx(recorded[name][0], rel=0.02), recorded
