"""The docstring corpus: the same from locked versions, kept between runs, divided without near copies."""

import json
import os
import sys

import pytest
import torch

from course_utils import corpus, splits
from course_utils.corpus import FOUR, Document, balanced, documents, three_sides, train_and_held_out
from course_utils.records import DATA, record
from grading import ROOT

ROWS = [
    Document("torch", f"Text number {count} of the made up corpus.", f"{count:016x}") for count in range(40)
]


@pytest.fixture(scope="module")
def rows():
    return documents()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_locked_versions_give_the_recorded_corpus(rows):
    recorded = record("corpus")
    if corpus.versions() != recorded["versions"]:
        pytest.skip("other versions of the libraries are installed than those of requirements.lock")
    assert corpus.counts(rows) == recorded["counts"]
    assert corpus.checksum(rows) == recorded["checksum"]


def test_the_recorded_versions_are_the_locked_ones():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = dict(line.partition(" ;")[0].split("==") for line in lines if "==" in line)
    recorded = record("corpus")["versions"]
    assert {name: pins.get(name) for name in recorded} == recorded


def test_the_datasheet_says_the_recorded_counts_and_checksum():
    page, recorded = (DATA / "README.md").read_text(encoding="utf-8"), record("corpus")
    lines = recorded["counts"].values()
    said = [recorded["groups"], *(sum(line[what] for line in lines) for what in ("documents", "tokens"))]
    assert recorded["checksum"] in page
    assert [count for count in said if f"{count:,}" not in page] == []


@pytest.mark.slow
def test_no_near_copy_of_a_held_out_document_is_trained_on(rows):
    train, held_out = train_and_held_out(rows)
    assert 0.09 < len(held_out) / len(rows) < 0.12
    similarity, _pair = splits.most_alike([row.text for row in train], [row.text for row in held_out])
    assert 0.3 < similarity < 0.5


@pytest.mark.slow
def test_no_near_copy_of_a_test_document_is_trained_on_or_chosen_by(rows):
    sides = three_sides([row for row in rows if row.library == "sympy"])
    train, validation, test = ([row.text for row in side] for side in sides)
    assert splits.most_alike(train + validation, test)[0] < 0.5
    assert splits.most_alike(train, validation)[0] < 0.5


def test_three_sides_have_all_rows_once_and_validation_is_what_two_sides_hold_out():
    rows = [Document("torch", "", f"{count:016x}") for count in range(400)]
    train, validation, test = three_sides(rows)
    assert sorted(row.group for side in (train, validation, test) for row in side) == [r.group for r in rows]
    assert validation == train_and_held_out(rows)[1]
    assert all(20 < len(side) < 60 for side in (validation, test))


@pytest.mark.slow
def test_no_document_names_its_own_library(rows):
    assert not [row.text for row in rows if row.library in row.text.lower()]


@pytest.mark.slow
def test_the_four_classes_are_balanced_and_repeat_with_their_generator(rows):
    drawn = balanced(torch.Generator().manual_seed(4))
    assert {sum(row.library == name for row in drawn) for name in FOUR} == {len(documents(["sqlalchemy"]))}
    assert drawn == balanced(torch.Generator().manual_seed(4)) != balanced(torch.Generator().manual_seed(5))


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache, forty documents in place of those of the installed libraries, and no memory."""
    built = []
    monkeypatch.setenv("RNN_COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(corpus, "_kept", {})
    monkeypatch.setattr(corpus, "build", lambda whole: built.append(1) or ROWS)

    def ask():
        """What a new process would get, and how often it would build."""
        corpus._kept.clear()
        built.clear()
        return documents(), len(built)

    return ask


def test_what_was_built_once_is_read_again(cache):
    assert cache() == (ROWS, 1)
    assert cache() == (ROWS, 0)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"checksum": "", "documents": [["torch", "cut"]]}', "\0"])
def test_a_damaged_cache_is_built_again_and_one_line_says_so(cache, capsys, text):
    cache()
    corpus.cache_path(corpus.cache_key()).write_text(text, encoding="utf-8")
    assert cache() == (ROWS, 1)
    assert capsys.readouterr().err.count("\n") == 1
    assert cache() == (ROWS, 0)


def test_a_changed_text_in_the_cache_is_noticed(cache):
    cache()
    path = corpus.cache_path(corpus.cache_key())
    path.write_text(path.read_text(encoding="utf-8").replace("number 7", "number 8"), encoding="utf-8")
    assert cache() == (ROWS, 1)


def test_another_version_of_a_library_is_another_corpus(cache, monkeypatch):
    cache()
    monkeypatch.setattr(corpus, "versions", lambda: {"torch": "9.9"})
    assert cache() == (ROWS, 1)


def test_whole_docstrings_are_kept_apart(cache, monkeypatch):
    monkeypatch.setattr(corpus, "build", lambda whole: ROWS[:5] if whole else ROWS)
    assert len(documents(whole=True)) == 5
    assert len(documents()) == len(ROWS)


def test_other_code_is_another_corpus(cache, monkeypatch, tmp_path):
    cache()
    changed = tmp_path / "docstrings.py"
    changed.write_text("# changed", encoding="utf-8")
    monkeypatch.setattr(corpus.docstrings, "__file__", str(changed))
    assert cache() == (ROWS, 1)


def test_a_cache_that_cannot_be_written_does_without(cache, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("RNN_COURSE_CACHE", str(tmp_path / "file" / "cache"))
    assert cache() == cache() == (ROWS, 1)


def test_a_user_without_a_home_does_without(cache, monkeypatch):
    monkeypatch.delenv("RNN_COURSE_CACHE")

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(corpus.Path, "home", homeless)
    assert cache() == cache() == (ROWS, 1)


def test_an_interrupted_write_leaves_no_half_file(cache, monkeypatch, tmp_path):
    def full_disk(draft, target):
        raise OSError("No space left on device")

    monkeypatch.setattr(corpus.Path, "replace", full_disk)
    assert cache() == (ROWS, 1)
    assert os.listdir(tmp_path / "cache") == []


def test_the_cache_holds_text_alone(cache):
    cache()
    page = json.loads(corpus.cache_path(corpus.cache_key()).read_text(encoding="utf-8"))
    assert sorted(page) == ["checksum", "documents"]


def test_a_library_that_is_unknown_is_named():
    with pytest.raises(ValueError, match="no library pandas; there are torch, sympy"):
        documents(["pandas"])


def test_a_class_that_is_not_installed_is_named(cache):
    with pytest.raises(ValueError, match=r"no documents of sympy.*pip install sympy"):
        balanced(torch.Generator(), ["torch", "sympy"])


def test_building_says_which_library_it_reads_and_leaves_the_rest_out(monkeypatch, capsys):
    found = {"torch": "1", "sympy": "2"}
    monkeypatch.setattr(corpus, "versions", lambda: found)
    monkeypatch.setattr(
        corpus.docstrings, "documents_of", lambda name, whole: [f"A text that came from {name} once."]
    )
    assert [row.library for row in corpus.build()] == ["torch", "sympy"]
    said = capsys.readouterr()
    assert "torch (1 of 2)" in said.err
    assert said.out == ""


def test_importing_the_data_modules_imports_nothing_heavy():
    import subprocess

    code = (
        "import sys; from course_utils import bpe, corpus, docstrings, splits, tokens;"
        "print({'torch', 'numpy', 'IPython', 'tokenizers'} & set(sys.modules))"
    )
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "set()"
