"""Comparing two gradings: who changed, in what, and the reason that is named."""

import copy
import csv
import io
import json
import stat

import pytest
from typer.testing import CliRunner

from grading.cli import app
from grading.compare_runs import change_csv, compare
from grading.errors import UserError
from grading.results import Outcome, QuestionResult


def run_of_two(**changes):
    """A made-up run: ada has all, ben is wrong at the horizon."""
    right = QuestionResult("one_pole", 5.0, 5.0, "correct")
    wrong = QuestionResult("memory_horizon", 1.0, 3.0, "wrong", "Take abs.", ["forgets_abs"])
    full = QuestionResult("memory_horizon", 3.0, 3.0, "correct")
    kept = {"seed": 7, "isolation": "none", "digest": "d1"} | changes
    outcomes = {
        "ada": Outcome("ex02", {"one_pole": right, "memory_horizon": full}, **kept),
        "ben": Outcome("ex02", {"one_pole": right, "memory_horizon": wrong}, **kept),
    }
    return copy.deepcopy(outcomes)


def test_equal_runs_do_not_differ():
    assert compare(run_of_two(), run_of_two()) == []


@pytest.mark.parametrize("changes", [{"seed": 8}, {"digest": "d2"}, {"seconds": 9.0}])
def test_another_seed_or_file_alone_is_no_difference(changes):
    assert compare(run_of_two(), run_of_two(**changes)) == []


def mended(after):
    after["ben"].questions["memory_horizon"] = QuestionResult("memory_horizon", 3.0, 3.0, "correct")


def reworded(after):
    after["ben"].questions["memory_horizon"].hint = "Take abs(alpha)."


def marked(after):
    question = after["ben"].questions["memory_horizon"]
    question.points, question.verdict = 2.0, "marked"


def lost(after):
    after["ben"].problem = "the file is empty"


def gone(after):
    del after["ben"]


def more(after):
    after["ben"].questions["frequency_response"] = QuestionResult("frequency_response", 4.0, 4.0, "correct")


UNEXPLAINED = "same file and seed: the exercise or the grader changed, or the answer does"
REASONS = {
    "points and verdict": (mended, {"seed": 8}, (1.0, 3.0, "wrong", "correct"), "seed 7, then 8"),
    "another file": (mended, {"digest": "d2"}, (1.0, 3.0, "wrong", "correct"), "another file"),
    "isolation": (
        mended,
        {"isolation": "bwrap"},
        (1.0, 3.0, "wrong", "correct"),
        "isolation none, then bwrap",
    ),
    "misconception": (mended, {}, (1.0, 3.0, "wrong", "correct"), "misconception forgets_abs, then none"),
    "hint alone": (reworded, {}, (1.0, 1.0, "wrong", "wrong"), "another hint"),
    "a person": (marked, {"seed": 8}, (1.0, 2.0, "wrong", "marked"), "points by a person"),
    "file lost": (lost, {}, (6.0, 6.0, "", ""), "not graded: nothing, then: the file is empty"),
    "student only in one": (gone, {}, (6.0, None, "", ""), "only in the first run"),
    "question only in one": (more, {}, (None, 4.0, "", ""), "only in the second run"),
}


@pytest.mark.parametrize(("change", "kept", "numbers", "why"), REASONS.values(), ids=REASONS)
def test_a_change_is_told_with_its_reason(change, kept, numbers, why):
    after = run_of_two(**kept)
    change(after)
    (found,) = compare(run_of_two(), after)
    assert found.student == "ben"
    assert (found.points_before, found.points_after, found.verdict_before, found.verdict_after) == numbers
    assert why in found.why


def test_points_that_move_without_a_reason_are_told_as_such():
    after = run_of_two()
    after["ada"].questions["memory_horizon"].points = 2.0
    assert [change.why for change in compare(run_of_two(), after)] == [UNEXPLAINED]


def test_runs_of_two_exercises_are_not_compared():
    other = run_of_two()
    other["ada"].exercise = "ex03"
    with pytest.raises(UserError, match="different exercises: ex02, ex03"):
        compare(run_of_two(), other)


def test_the_table_of_changes_computes_nothing_in_a_spreadsheet():
    after = {"=cmd": run_of_two()["ada"]} | run_of_two()
    rows = list(csv.DictReader(io.StringIO(change_csv(compare(run_of_two(), after)))))
    assert [(row["student"], row["points_before"], row["points_after"]) for row in rows] == [
        ("'=cmd", "", "8.0")
    ]


@pytest.mark.parametrize(
    ("change", "code", "said"), [(None, 0, "nothing changed for 2"), (mended, 1, "1 → 3")]
)
def test_the_exit_code_says_whether_anything_changed(change, code, said, tmp_path):
    after = run_of_two()
    if change:
        change(after)
    for name, outcomes in (("one.json", run_of_two()), ("two.json", after)):
        text = json.dumps({student: outcome.to_dict() for student, outcome in outcomes.items()})
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("one.json", "two.json", "changes.csv")]
    done = CliRunner().invoke(app, ["compare", *files[:2], "--csv", files[2]])
    assert (done.exit_code, said in done.stdout) == (code, True)
    assert stat.S_IMODE((tmp_path / "changes.csv").stat().st_mode) == 0o600
