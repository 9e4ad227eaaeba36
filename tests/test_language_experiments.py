"""The recorded language models of lesson 11: what a run gives; the record is of the corpus at hand."""

import math

import pytest
import torch

from course_utils import corpus, language_experiments, records
from course_utils.language import LanguageModel
from course_utils.language_experiments import KEPT, LEAST, language, language_runs
from course_utils.records import runs


@pytest.fixture
def small(monkeypatch):
    """The corpus of the experiment replaced by a few rows of few pieces."""
    rng = torch.Generator().manual_seed(1)
    rows = [[2, *torch.randint(4, 30, (20,), generator=rng).tolist(), 3] for _ in range(40)]
    monkeypatch.setattr(language_experiments, "V", 30)
    texts = language_experiments.Texts(None, rows[:30], rows[30:])
    monkeypatch.setattr(language_experiments, "texts", lambda: texts)
    return texts


@pytest.mark.parametrize("name", ["note", "tied", "dropout"])
def test_a_run_gives_a_perplexity_for_each_epoch_and_each_cut(name, small):
    settings = next(run for run in language_runs() if run["name"] == name) | dict(E=6, H=8, epochs=2)
    seen = language(settings)
    assert len(seen["train"]) == len(seen["valid"]) == 2
    assert len(seen["cut"]) == len(KEPT)
    torch.manual_seed(11)
    model = LanguageModel(30, 6, 8, settings["cell"], tied=settings["tied"])
    assert seen["parameters"] == sum(part.numel() for part in model.parameters())
    assert min(seen["cut"]) > 1
    assert 1 < seen["mixed"] < 60


def test_counts_of_each_order_are_cut_after_the_tokens_that_they_can_read(small):
    by_order = [language(run) for run in language_runs() if run["cell"] == "counts"]
    assert [len(run["cut"]) for run in by_order] == [0, 1, 2, 3, 4]
    assert by_order[4]["cut"][:3] == by_order[3]["cut"]
    assert all(len(row) > LEAST for row in small.held_out)


def test_the_note_s_settings_are_the_note_s():
    note = [run for run in language_runs() if run["name"] == "note"]
    assert [run["cell"] for run in note] == ["rnn", "lstm"]
    for run in note:
        assert (run["E"], run["H"], run["epochs"], run["dropout"], run["tied"]) == (128, 256, 3, 0.0, False)


def test_every_recorded_network_is_far_better_than_counting_single_tokens():
    counts = runs("language", cell="counts", order=1)[0]["valid"][0]
    networks = [run for run in records.record("language")["runs"] if run["cell"] != "counts"]
    assert networks
    assert all(min(run["valid"]) < counts / 3 for run in networks)
    assert all(math.isfinite(value) for run in networks for value in run["valid"] + run["train"] + run["cut"])


def test_the_counts_of_the_record_are_those_of_the_corpus_at_hand():
    if corpus.versions() != corpus_versions():
        pytest.skip("other versions of the libraries than those of the record")
    for run in runs("language", cell="counts"):
        if run["order"] <= 2:
            settings = dict(name="counts", cell="counts", order=run["order"])
            assert language(settings)["valid"] == pytest.approx(run["valid"], rel=1e-3)


def corpus_versions():
    """The versions that ``data/corpus.json`` was made with."""
    return records.record("corpus")["versions"]
