"""Explaining a mark: the stored question once more, with inputs, both outputs and the rule."""

import json

import numpy as np
import pytest
from conftest import SEED
from typer.testing import CliRunner

from course_utils.compare import Band
from grading import explain as module
from grading import sample
from grading.cli import app
from grading.errors import UserError
from grading.explain import _decided, _rule, explain, text
from grading.grade import grade_bytes
from grading.results import CaseResult
from grading.runner import Answer

STUDENT = next(student for student in sample.students() if student.id == "s05")  # two misconceptions
WHERE = "submitted/s05/ex02/ex02.ipynb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A class folder in which one student was graded, the file beside it."""
    folder = tmp_path_factory.mktemp("class")
    data = sample.path_of(STUDENT).read_bytes()
    outcome, _ = grade_bytes(data, "ex02", SEED)
    lost = outcome.to_dict() | {"problem": "the file is empty"}
    for path, content in {
        WHERE: data,
        "outcomes/ex02.json": json.dumps({"s05": outcome.to_dict(), "lost": lost}).encode(),
    }.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_bytes(content)
    return folder


@pytest.fixture
def refused(folder):
    """Ask for an explanation that is refused before anything runs; returns the sentence."""

    def ask(student="s05", question="one_pole", submitted="submitted", exercise="ex02"):
        with pytest.raises(UserError) as caught:
            explain(folder, folder / submitted, exercise, student, question)
        return str(caught.value)

    return ask


@pytest.fixture(scope="module")
def explained(folder):
    """What the command prints on a wrong function."""
    arguments = ["explain", "ex02", "s05", "one_pole", "--out", folder, "--submitted", folder / "submitted"]
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.stdout


SAID = {
    "seed": f"ex02, s05, one_pole; seed of the fresh cases {SEED}\n",
    "what was stored": "stored: wrong, 0.86 of 5 points, misconception ignores_the_start\n",
    "what came again": "replay: wrong, 0.86 of 5 points, misconception ignores_the_start\n",
    "rule": "rule: numbers: each may miss the expected one by 0.0001 of itself plus 1e-05 of the largest",
    "visible case": "case 2 (visible, no points): two rows, a gain and a start: wrong\n",
    "fresh case": "case 5 (fresh, weight 1): a batch from zero: correct\n",
    "input": "  h0 = float64 of shape (2,) [ 1. -2.]\n",
    "expected": "  expected: float64 of shape (2, 3)\n    [[ 1.2     1.68    1.212 ]\n",
    "answer": "  answer: float64 of shape (2, 3)\n    [[0.3    0.87   0.483 ]\n",
    "difference": "broken: 6 of 6 values differ, the first at index (0, 0): expected 1.2, got 0.3; "
    "worst at [1, 2]: off by 1.46, allowed 3.05e-05",
    "points": "points: fresh cases passed 1.25 of 7.25 by weight, so 0.86 of 5\n",
    "misconception": "misconception: ignores_the_start gives this answer on every case",
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_the_explanation_says(said, explained):
    assert said in explained


def test_every_case_of_the_paper_is_explained(explained):
    assert explained.count("\ncase ") == 12


def test_the_values_shown_are_those_that_were_judged(explained):
    cases = explained.split("\ncase ")[1:]
    assert [("kept" in case) for case in cases] == [": correct\n" in case for case in cases]


def test_a_replay_that_differs_is_told(folder, monkeypatch):
    monkeypatch.setattr(module, "_replay", lambda *_: (changed, Answer("ok", 0.9)))
    changed = module.QuestionResult("pole_at_400_hz", 0.0, 1.0, "wrong", "A hint.")
    explanation = explain(folder, folder / "submitted", "ex02", "s05", "pole_at_400_hz")
    assert not explanation.same
    assert "replay: wrong, 0 of 1 points, NOT the same" in explanation.lines
    assert "right: 0.9457416090031758" in explanation.lines
    assert "rule: a number, wrong by at most 0.001" in explanation.lines


REFUSED = {
    "student": ({"student": "nobody"}, "no graded ex02 of 'nobody' in"),
    "question": ({"question": "two_poles"}, "ex02 has no question 'two_poles'; it has: one_pole, memory_"),
    "written answer": ({"question": "delay_argument"}, "a person marks it, along the rubric in its bank"),
    "file that was not graded": ({"student": "lost"}, "ex02 of lost was not graded: the file is empty"),
    "exercise": ({"exercise": "ex99"}, "there is no exercise 'ex99'"),
    "exercise that was not graded": ({"exercise": "ex03"}, "run first: course grade ex03"),
    "folder": ({"submitted": "elsewhere"}, "there is no folder"),
}


@pytest.mark.parametrize(("what", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_explained_is_said_in_a_sentence(what, sentence, refused):
    assert sentence in refused(**what)


def test_a_file_that_changed_since_is_not_replayed(folder, refused):
    path = folder / WHERE
    before = path.read_bytes()
    path.write_bytes(before.replace(b"0.946", b"0.945") + b"\n")
    assert "the file of s05 has changed since it was graded" in refused()
    path.write_bytes(before)


def test_a_file_that_is_gone_is_named(folder, refused):
    path = folder / "other/ann/ex02/ex02.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes((folder / WHERE).read_bytes())
    assert "the file of s05 is not in" in refused(submitted="other")


RULES = {
    "band": (Band(np.array([1, 0]), 0.85), "at least 85% of the predictions right"),
    "text": ("b", "the same text, letter by letter"),
    "several values": ((np.zeros(2), 1.0), "2 values, each by itself; numbers"),
    "complex numbers": (np.array([1j]), "they have to be complex"),
}


@pytest.mark.parametrize(("expected", "words"), RULES.values(), ids=RULES)
def test_each_kind_of_answer_has_its_rule(expected, words):
    assert words in _rule(expected)


DECIDED = {
    "kept": (
        np.array([1.0, 2]),
        Answer("ok", np.array([1.0, 2.00001])),
        "correct",
        "kept; worst at [1]: off by 1e-05",
    ),
    "another shape": (
        np.zeros(2),
        Answer("ok", np.zeros(3)),
        "wrong",
        "broken: shape (3,) came back, expected",
    ),
    "infinite": (np.inf, Answer("ok", np.inf), "correct", "kept"),
    "raised": (1.0, Answer("raised", detail="ValueError: x"), "raised", "no value came back: raised"),
    "not steady": (1.0, Answer("ok", 1.0), "wrong", "broken: called twice; worst: off by 0"),
    "band": (
        Band(np.array([1, 0]), 0.9),
        Answer("ok", np.array([1, 1])),
        "wrong",
        "broken: 50% of the 2 predictions",
    ),
}


@pytest.mark.parametrize(("expected", "answer", "verdict", "words"), DECIDED.values(), ids=DECIDED)
def test_how_a_case_was_decided(expected, answer, verdict, words):
    assert _decided(expected, answer, CaseResult("a", False, verdict, "called twice")).startswith(words)


def test_long_values_are_cut():
    assert len(text(np.zeros((50, 50)))) < 2001
    assert len(text("x" * 9000)) == 2000
