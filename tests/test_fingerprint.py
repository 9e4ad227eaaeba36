"""The key of a submission changes with whatever decides about its outcome, and with nothing else."""

import shutil

import pytest

from grading import ROOT, fingerprint, term

DECIDING = [
    "grading/judge.py",
    "grading/exercises/ex02_bank.py",
    "grading/source/ex02/ex02.ipynb",
    "course_utils/reference/ex02.py",
    "course_utils/visible/ex02.json",
    "course_utils/filters.py",
]
OTHER = ["grading/exercises/ex03_bank.py", "grading/source/ex03/ex03.ipynb", "docs/security.md"]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A copy of some of the course; gives the digest of ex02 in it."""
    for name in DECIDING + OTHER:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path)
    return lambda: fingerprint.course.__wrapped__("ex02")


@pytest.mark.parametrize("name", DECIDING)
def test_a_file_that_decides_changes_it(course, tmp_path, name):
    before = course()
    with open(tmp_path / name, "a", encoding="utf-8") as file:
        file.write("\n")
    assert course() != before


@pytest.mark.parametrize("name", OTHER)
def test_another_exercise_does_not(course, tmp_path, name):
    before = course()
    (tmp_path / name).unlink()
    assert course() == before


@pytest.mark.parametrize(("seeds", "changes"), [("ex02 = 1", True), ("ex03 = 1", False)])
def test_the_numbers_of_the_term_change_it(course, tmp_path, monkeypatch, seeds, changes):
    monkeypatch.setattr(term, "FILE", tmp_path / "term.toml")
    before = course()
    term.FILE.write_text(f"[seeds]\n{seeds}\n", encoding="utf-8")
    assert (course() != before) is changes


def test_bytes_time_and_isolation_change_the_key():
    parts = {
        (b"a", "", "none"),
        (b"b", "", "none"),
        (b"a", "b", "none"),
        (b"ab", "", "none"),
        (b"a", "", "a wall"),
    }
    keys = {fingerprint.of_submission(data, time, "ex02", wall) for data, time, wall in parts}
    assert len(keys) == len(parts)


def test_a_version_changes_the_packages(monkeypatch):
    before = fingerprint.packages.__wrapped__()
    monkeypatch.setattr(fingerprint, "version", lambda name: "99")
    assert fingerprint.packages.__wrapped__() != before
