"""Checks that answer back: claims, visible checks of an exercise, concept questions of a lesson."""

import json
import os
import sys
import warnings

import numpy as np
import pytest
import torch

from course_utils import checks, claims
from course_utils.checks import CheckFailed, ClaimFailed, check, check_answer, claim, concept_check
from course_utils.plain import to_plain

ROWS = [
    {"id": "exact", "kind": "exact", "value": 9.5, "abs_tol": 0.05},
    {"id": "formula", "kind": "exact"},
    {"id": "relative", "kind": "measured", "value": 200.0, "rel_tol": 0.01},
    {"id": "power", "kind": "measured", "value": 1e12, "log10_tol": 1.0},
    {"id": "band", "kind": "band", "low": 0.4, "high": 0.6},
    {"id": "property", "kind": "property"},
]
CONCEPT = {"id": "q", "answer": "b", "options": {"a": "Too few.", "b": "Ten times as long."}}


def case(title, *arguments, expected, hint="", terms=()):
    return {
        "title": title,
        "args": [to_plain(argument, inputs=True) for argument in arguments],
        "expected": to_plain(expected),
        "hint": hint,
        "terms": list(terms),
    }


@pytest.fixture(autouse=True)
def register(monkeypatch):
    """A small register of claims, visible cases and concept questions in place of the course's."""
    functions = {
        "double": [
            case("a row", np.arange(3.0), expected=2 * np.arange(3.0)),
            case("one", 1.5, expected=3.0),
        ],
        "table": [case("wide", 2, 3, expected=np.ones((2, 3)), hint="rows first.")],
        "affine": [
            case("x alone", torch.ones(2), 3.0, 0.0, expected=3 * np.ones(2), terms=["the factor"]),
            case(
                "both", torch.ones(2), 3.0, 5.0, expected=8 * np.ones(2), terms=["the factor", "the offset"]
            ),
        ],
        "trained": [
            case("classes", np.arange(5), expected=0) | {"truth": to_plain(np.arange(5) % 3), "at_least": 0.8}
        ],
        "layers": [case("two", [(torch.ones(1, 2, dtype=torch.float64), 1)], expected=1.0)],
    }
    questions = {"regime": {"choices": ["decays", "grows"]}, "steps": {}}
    visible = {"functions": functions, "questions": questions}
    monkeypatch.setattr(claims, "claims", lambda: {row["id"]: row for row in ROWS})
    monkeypatch.setattr(checks, "_visible", visible.__getitem__)
    monkeypatch.setattr(checks, "_concepts", lambda: {"q": CONCEPT})


def double(x):
    return 2 * x


# claims


@pytest.mark.parametrize(
    ("claim_id", "measured"),
    [
        ("exact", 9.451),
        ("exact", np.float32(9.5)),
        ("exact", [9.4, 9.6]),
        ("relative", 201.9),
        ("power", 1.1e11),
        ("power", 9e12),
        ("band", [0.4, 0.6]),
        ("property", True),
        ("property", np.True_),
        ("property", [True, True]),
    ],
)
def test_a_claim_holds(claim_id, measured, capsys):
    claim(claim_id, measured)
    assert capsys.readouterr().out.endswith(", holds\n")


@pytest.mark.parametrize(
    ("claim_id", "measured"),
    [
        ("exact", 9.44),
        ("exact", np.nan),
        ("exact", [9.4, 9.8]),
        ("relative", 203.0),
        ("power", 0.9e11),
        ("power", 0.0),
        ("power", -1e12),
        ("power", np.inf),
        ("band", [0.5, 0.5, 0.61]),
        ("band", np.nan),
        ("property", False),
        ("property", [True, False]),
        ("property", 1),
        ("property", 0.3),
    ],
)
def test_a_claim_fails(claim_id, measured):
    with pytest.raises(ClaimFailed, match="DOES NOT HOLD"):
        claim(claim_id, measured)


def test_a_claim_prints_what_was_stated_and_measured(capsys):
    claim("exact", 9.4912)
    assert capsys.readouterr().out == "claim exact: stated 9.5, measured 9.4912, holds\n"


def test_a_claim_over_seeds_prints_their_spread(capsys):
    claim("band", [0.4, 0.5, 0.6])
    assert "measured 0.5 (0.4 to 0.6, 3 runs)" in capsys.readouterr().out


@pytest.mark.parametrize("claim_id", ["exact", "band", "property"])
def test_nothing_measured_is_no_evidence(claim_id):
    with pytest.raises(ValueError, match="nothing was measured"):
        claim(claim_id, [])


def test_a_formula_is_compared_with_the_value_that_is_passed():
    claim("formula", 192, stated=3 * 64)
    with pytest.raises(ClaimFailed):
        claim("formula", 192.001, stated=3 * 64)


def test_a_formula_without_its_value_is_an_error():
    with pytest.raises(ValueError, match="stated="):
        claim("formula", 192)


def test_an_unknown_claim_is_an_error():
    with pytest.raises(KeyError, match="no claim 'exakt'"):
        claim("exakt", 1)


# visible checks


def test_a_right_function_passes_and_hears_of_fresh_cases(capsys):
    check(double)
    assert "All 2 visible checks passed. Grading adds fresh cases" in capsys.readouterr().out


def test_a_wrong_function_fails_and_the_count_is_said():
    with pytest.raises(CheckFailed, match="double: 1 of 2 visible checks failed"):
        check(lambda x: x + 1.5, "double")


def test_every_case_has_a_row_with_its_verdict(capsys):
    with pytest.raises(CheckFailed):
        check(lambda x: x + 1.5, "double")
    rows = {
        line.split()[0]: line for line in capsys.readouterr().out.splitlines()[1:] if line.startswith("  ")
    }
    assert rows["a"].endswith("wrong")
    assert rows["one"].endswith("ok")


def test_a_function_that_raises_gets_a_row_and_not_a_traceback(capsys):
    with pytest.raises(CheckFailed, match="2 of 2"):
        check(lambda x: x.no_such_thing, "double")
    assert "AttributeError: 'numpy.ndarray' object has no attribute" in capsys.readouterr().out


def test_a_function_that_exits_gets_a_row(capsys):
    with pytest.raises(CheckFailed, match="2 of 2"):
        check(lambda x: sys.exit(), "double")
    assert "SystemExit: " in capsys.readouterr().out


def test_a_stub_is_not_answered_yet():
    def double(x):
        raise NotImplementedError

    with pytest.raises(CheckFailed, match="double is not answered yet"):
        check(double)


def test_a_half_written_function_is_not_called_unanswered():
    def double(x):
        if np.ndim(x):
            raise NotImplementedError
        return 2 * x

    with pytest.raises(CheckFailed, match="1 of 2"):
        check(double)


def test_a_missing_return_is_named(capsys):
    with pytest.raises(CheckFailed):
        check(lambda x: None, "double")
    assert "is a return statement missing?" in capsys.readouterr().out


def test_a_transposed_answer_gets_both_hints(capsys):
    with pytest.raises(CheckFailed):
        check(lambda rows, columns: np.ones((columns, rows)), "table")
    assert "is it transposed? Hint: rows first." in capsys.readouterr().out


def test_a_tensor_is_as_good_as_an_array():
    check(lambda x: 2 * torch.as_tensor(x, dtype=torch.float64).requires_grad_(), "double")


@pytest.mark.parametrize(
    "noise",
    [
        lambda: warnings.warn("noise", stacklevel=1),
        lambda: print("noise", file=sys.stderr),
        lambda: os.write(2, b"noise\n"),
    ],
    ids=["warning", "stderr", "file descriptor"],
)
def test_noise_on_stderr_is_no_failure_and_stays_out_of_the_cell(noise, capfd):
    check(lambda x: (noise(), 2 * x)[1], "double")
    assert capfd.readouterr().err == ""


def test_what_the_function_prints_is_shown_and_does_not_fail(capsys):
    check(lambda x: (print("here"), 2 * x)[1], "double")
    assert "It printed: here" in capsys.readouterr().out


def test_a_function_under_another_name_is_found_by_the_name_it_is_called():
    namespace = {"check": check, "double": lambda x: 2 * x}
    exec("check(double)", namespace)


def test_a_function_that_no_case_knows_is_named_with_those_that_are_known():
    with pytest.raises(CheckFailed, match=r"no visible checks for dubble; .*affine, double"):
        exec("def dubble(x): return x\ncheck(dubble)", {"check": check})


def test_an_unknown_name_is_answered_in_words():
    with pytest.raises(CheckFailed, match="there are some for: affine, double"):
        check(double, "dubble")


def test_an_unknown_name_may_belong_to_a_newer_bundle():
    with pytest.raises(CheckFailed, match=r"newer bundle.*`course check` in its folder"):
        check(double, "dubble")


def test_a_function_that_changes_its_input_is_told_which(capsys):
    def double(x):
        x *= 2
        return x

    with pytest.raises(CheckFailed, match="raised: it changes its input x; work on a copy"):
        check(double)
    assert "The call: double([0., 1., 2.])" in capsys.readouterr().out


def test_a_function_that_changes_a_list_is_told_and_right(monkeypatch, capsys):
    def double(x):
        return 2 * np.array([x.pop(0), *x])

    monkeypatch.setattr(checks, "_visible", lambda _: {"double": [case("a list", [1, 2], expected=[2, 4])]})
    check(double)
    assert "Right, but it changes its input x; work on a copy." in capsys.readouterr().out


def test_a_function_cannot_change_the_cases_for_the_next_run():
    def double(x):
        if isinstance(x, np.ndarray):
            x.flags.writeable = True
            x *= 2
        return x if isinstance(x, np.ndarray) else 2 * x

    check(double)
    check(double)


def test_a_failed_check_shows_no_traceback_and_no_line_that_a_dialog_cuts_off():
    lines = CheckFailed(f"double: {'too many words, ' * 12}(0, 1)")._render_traceback_()
    assert lines[0].startswith("CheckFailed: double: too many")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 100


def test_a_failing_row_shows_the_call(capsys):
    with pytest.raises(CheckFailed):
        check(lambda x: x, "double")
    assert "The call: double([0., 1., 2.])" in capsys.readouterr().out


def test_a_passing_row_shows_no_call(capsys):
    check(double)
    assert "The call" not in capsys.readouterr().out


def test_an_exception_is_shown_with_its_line_in_the_cell(capsys):
    space = {"check": check}
    exec(compile("def double(x):\n    y = x\n    return y.none", "<cell>", "exec"), space)
    with pytest.raises(CheckFailed, match=r"a row: raised: AttributeError: .* \(line 3 of the cell\)"):
        check(space["double"])


def test_the_error_names_the_first_case_that_failed_and_why():
    with pytest.raises(CheckFailed, match="2 of 2 visible checks failed; a row: wrong: the sign is wrong"):
        check(lambda x: -2 * x, "double")


def test_what_a_function_printed_before_it_raised_is_kept(capsys):
    def double(x):
        print("x is", x)
        raise ValueError("stop")

    with pytest.raises(CheckFailed):
        check(double)
    assert "It printed: x is 1.5" in capsys.readouterr().out


def test_a_call_of_input_is_not_taken_for_a_stub():
    class StdinNotImplementedError(NotImplementedError):
        """What IPython raises where nobody can type."""

    def double(x):
        raise StdinNotImplementedError("input is not supported")

    with pytest.raises(CheckFailed, match=r"raised: it asks with input\(\)"):
        check(double)


# answers to questions


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("regime", "grows"),
        ("steps", 44),
        ("steps", 43.7),
        ("steps", np.float32(44)),
        ("steps", np.array([44.0])),
    ],
)
def test_an_answer_of_the_right_form_is_noted_and_not_judged(name, answer, capsys):
    check_answer(name, answer)
    assert "is noted" in capsys.readouterr().out


@pytest.mark.parametrize("answer", [..., None])
def test_an_open_answer_is_not_answered_yet(answer):
    with pytest.raises(CheckFailed, match="regime is not answered yet"):
        check_answer("regime", answer)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("regime", "shrinks"),
        ("regime", 1),
        ("steps", "44"),
        ("steps", True),
        ("regime", []),
        ("steps", float("nan")),
        ("steps", 10**30),
    ],
)
def test_an_answer_of_another_form_fails(name, answer):
    with pytest.raises(CheckFailed, match=name):
        check_answer(name, answer)


# concept questions


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("b", "Yes. Ten times as long."),
        ("a", "Not quite. Too few."),
        (None, 'put one of "a", "b" in place of None'),
        ("z", "'z' is not among the options"),
        (["b"], "['b'] is not among the options"),
    ],
)
def test_a_concept_question_answers_back(answer, reply, capsys):
    concept_check("q", answer)
    assert reply in capsys.readouterr().out


def test_an_unknown_concept_question_is_an_error():
    with pytest.raises(KeyError, match="no concept question 'r'"):
        concept_check("r")


# terms and tensors


def test_a_failing_check_names_the_term_at_fault(capsys):
    with pytest.raises(CheckFailed, match="1 of 2"):
        check(lambda x, factor, offset: factor * x - offset, "affine")
    assert "Look at the offset: every case in which it plays a part fails" in capsys.readouterr().out


def test_a_check_that_changes_an_input_blames_no_term(capsys):
    def in_place(x, factor, offset):
        return x.mul_(factor).add_(offset) if offset else factor * x

    with pytest.raises(CheckFailed, match="it changes its input x"):
        check(in_place, "affine")
    assert "Look at" not in capsys.readouterr().out


def test_a_check_that_passes_blames_no_term(capsys):
    check(lambda x, factor, offset: factor * x + offset, "affine")
    assert "Look at" not in capsys.readouterr().out


def test_a_call_on_tensors_can_be_repeated_as_it_is_shown(capsys):
    with pytest.raises(CheckFailed):
        check(lambda layers: 0.0, "layers")
    shown = "layers([(torch.tensor([[1., 1.]], dtype=torch.float64), 1)])"
    assert f"The call: {shown}" in capsys.readouterr().out
    assert eval(shown, {"layers": lambda layers: layers[0][0].dtype, "torch": torch}) == torch.float64


# the files that the course ships


def test_every_visible_case_in_the_files_can_be_read():
    for path in checks.VISIBLE.glob("*.json"):
        cases = [case for group in json.loads(path.read_text())["functions"].values() for case in group]
        assert all(checks.from_plain({"list": case["args"]}) for case in cases)


def test_every_concept_question_has_its_answer_among_its_options():
    rows = checks.tomllib.loads(checks.CONCEPTS_FILE.read_text(encoding="utf-8"))["concept"]
    assert [row["id"] for row in rows if row["answer"] not in row["options"]] == []


def test_a_training_needs_enough_right_predictions(capsys):
    check(lambda rows: [0, 1, 2, 0, 0], "trained")
    assert "expected 80% of 5 right" in capsys.readouterr().out


def test_a_training_with_too_few_right_predictions_says_how_many(capsys):
    with pytest.raises(CheckFailed):
        check(lambda rows: [0, 0, 0, 0, 0], "trained")
    assert "40% of the 5 predictions are right; at least 80% are needed." in capsys.readouterr().out
