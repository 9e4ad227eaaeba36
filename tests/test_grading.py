"""Grading one submission: points, verdicts, hints; what a submission may do and what it cannot gain."""

import hashlib
import json
import re
import time

import nbformat
import pytest
from conftest import SEED, answer_cell

from grading.bank import load_bank
from grading.build import to_text
from grading.exercise import released_notebook
from grading.grade import grade_bytes
from grading.intake import Unreadable, read_notebook
from grading.paper import paper
from grading.rebuild import rebuild

FUNCTIONS = ["one_pole", "memory_horizon", "frequency_response", "estimate_pole"]
WITH_HORIZON = "def memory_horizon(alpha, fraction=1 / np.e):\n    "


@pytest.fixture
def graded_with(solved, grade):
    """Grade the solved exercise with some answers replaced; returns the questions."""

    def grade_with(**answers):
        for name, text in answers.items():
            answer_cell(solved, name).source = text
        return grade(solved).questions

    return grade_with


def test_the_solved_exercise_earns_everything(solved, grade):
    outcome = grade(solved)
    assert (outcome.score, outcome.max_score, outcome.needs_human) == (20, 20, False)
    assert {question.verdict for question in outcome.questions.values()} == {"correct"}


def test_the_released_exercise_earns_nothing_and_says_so(released, grade):
    outcome = grade(released)
    assert (outcome.score, outcome.max_score) == (0, 20)
    assert {question.verdict for question in outcome.questions.values()} == {"not answered"}


def test_an_outcome_is_json(solved, grade):
    written = json.loads(json.dumps(grade(solved).to_dict()))
    assert (written["score"], written["questions"]["one_pole"]["verdict"]) == (20, "correct")


def test_an_outcome_knows_its_file_and_how_long_it_took(released):
    data = nbformat.writes(released).encode()
    started = time.monotonic()
    outcome, _ = grade_bytes(data, "ex02", SEED)
    assert outcome.digest == hashlib.sha256(data).hexdigest()
    assert 0 < outcome.seconds <= time.monotonic() - started + 0.01
    assert outcome.questions["one_pole"].seconds <= outcome.seconds


def test_a_slow_question_is_told_by_its_seconds(graded_with):
    slow = "    import time; time.sleep(0.05)"
    text = f"def memory_horizon(alpha, fraction=1 / np.e):\n{slow}\n    return 1.0"
    questions = graded_with(memory_horizon=text)
    assert questions["memory_horizon"].seconds > 10 * 0.05 > questions["estimate_pole"].seconds


def test_a_wrong_idea_is_named_with_its_advice(graded_with):
    idea = "return np.inf if abs(alpha) >= 1 else 1 / (1 - abs(alpha)) if alpha else 0.0"
    question = graded_with(memory_horizon=WITH_HORIZON + idea)["memory_horizon"]
    assert question.misconceptions == ["rule_of_thumb"]
    assert question.hint.startswith("Your 1 / (1 - alpha) is an approximation for 1/e")


def test_a_wrong_idea_is_named_even_if_it_shapes_an_empty_answer_otherwise(solved, graded_with):
    turned = "\n_right = one_pole\ndef one_pole(*args):\n    return _right(*args).T.copy()"
    question = graded_with(one_pole=answer_cell(solved, "one_pole").source + turned)["one_pole"]
    assert question.misconceptions == ["time_first"]


def test_a_near_miss_of_a_concept_question_gets_its_advice(graded_with):
    explained = graded_with(pole_at_400_hz="pole_at_400_hz = 123.0")["pole_at_400_hz"].hint
    advised = graded_with(pole_at_400_hz="pole_at_400_hz = 0.8 ** 4")["pole_at_400_hz"].hint
    assert advised.endswith(explained)
    assert len(advised) > len(explained)


@pytest.mark.parametrize("text", ["np.float64(0.9457)", "np.array(0.9457)", "torch.tensor(0.9457)"])
def test_a_number_of_numpy_or_torch_is_a_number(graded_with, text):
    answer = f"import torch\npole_at_400_hz = {text}"
    assert graded_with(pole_at_400_hz=answer)["pole_at_400_hz"].verdict == "correct"


def test_points_are_the_weighted_share_of_the_fresh_cases_that_pass(graded_with):
    cases = load_bank("ex02").questions["memory_horizon"].hidden_cases(SEED)
    question = graded_with(memory_horizon=WITH_HORIZON + "return np.inf")["memory_horizon"]
    share = sum(case.weight for case in cases if abs(case.args[0]) >= 1) / sum(c.weight for c in cases)
    assert question.points == round(3 * share, 2) > 0


def test_an_answer_of_nan_never_passes(graded_with):
    question = graded_with(memory_horizon=WITH_HORIZON + "return np.nan")["memory_horizon"]
    assert question.points == 0


def test_an_object_that_equals_everything_gains_nothing(graded_with):
    trick = "class Any(float):\n    __eq__ = __le__ = lambda self, other: True\n"
    question = graded_with(memory_horizon=trick + WITH_HORIZON + "return Any()")["memory_horizon"]
    assert (question.points, question.verdict) == (0, "wrong")


def test_replaying_the_visible_cases_earns_nothing(graded_with):
    seen = {0.9: 9.4912, 0.5: 1.0, -0.8: 10.3189, 1.0: "inf"}
    question = graded_with(memory_horizon=WITH_HORIZON + f"return float({seen}.get(alpha, 'nan'))")
    cases = question["memory_horizon"].cases
    assert [case.visible for case in cases if case.verdict == "correct"] == [True] * 4
    assert question["memory_horizon"].points == 0


def test_a_hint_about_a_fresh_case_quotes_no_number_of_it(graded_with):
    leak = "if abs(alpha) not in (0.9, 0.5, 0.8, 1): raise KeyError(f'{alpha} {fraction}')\n    "
    right = "return np.inf if alpha == 1 else np.log(fraction) / np.log(abs(alpha))"
    question = graded_with(memory_horizon=WITH_HORIZON + leak + right)["memory_horizon"]
    assert question.hint == "On a fresh case (a pole between 0.9 and 0.99): KeyError."


def test_the_name_of_an_own_exception_is_not_repeated(graded_with):
    leak = "raise type(f'Saw{alpha}'.replace('.', '_'), (Exception,), {})"
    question = graded_with(memory_horizon=WITH_HORIZON + leak)["memory_horizon"]
    hidden = [case.message for case in question.cases if not case.visible]
    assert set(hidden) == {"an exception"}


def test_a_syntax_error_is_told_and_costs_only_its_question(graded_with):
    questions = graded_with(one_pole="def one_pole(x\n    return x")
    assert questions["one_pole"].verdict == "raised"
    assert re.search(r"SyntaxError: .* \(line 1\)", questions["one_pole"].hint)
    assert questions["memory_horizon"].verdict == "correct"


def test_input_is_refused_and_not_waited_for(graded_with):
    question = graded_with(memory_horizon=WITH_HORIZON + "return float(input())")["memory_horizon"]
    assert question.verdict == "raised"


def test_a_cell_that_never_ends_costs_only_its_question(graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 6)
    questions = graded_with(one_pole="while True:\n    pass")
    assert questions["one_pole"].verdict == "too slow"
    assert questions["estimate_pole"].verdict == "correct"


def test_a_cell_that_ends_python_costs_only_its_question(graded_with):
    questions = graded_with(one_pole="import os\nos._exit(1)")
    assert questions["one_pole"].verdict == "crashed"
    assert questions["estimate_pole"].verdict == "correct"


def test_a_loop_that_swallows_interrupts_is_ended(graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 6)
    stubborn = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    questions = graded_with(one_pole=stubborn)
    assert questions["one_pole"].verdict == "too slow"
    assert questions["memory_horizon"].verdict == "correct"


def test_endless_printing_ends_and_is_cut(graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 6)
    questions = graded_with(one_pole="while True:\n    print('x' * 1000)")
    assert questions["one_pole"].verdict == "too slow"
    assert questions["memory_horizon"].verdict == "correct"


def test_the_environment_of_the_grader_is_not_handed_on(graded_with, monkeypatch):
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    look = "import os\npole_at_400_hz = len(os.environ.get('COURSE_TOKEN', ''))"
    assert graded_with(pole_at_400_hz=look)["pole_at_400_hz"].verdict == "wrong"


def test_the_kernel_stands_in_an_empty_folder(graded_with):
    look = "import os\npole_at_400_hz = 0.9457 if not [f for f in os.listdir() if f[0] != '.'] else 1"
    assert graded_with(pole_at_400_hz=look)["pole_at_400_hz"].verdict == "correct"


def test_a_concept_answer_of_the_wrong_form_is_told(graded_with):
    question = graded_with(first_to_settle="first_to_settle = 3")["first_to_settle"]
    assert (question.verdict, question.hint) == ("wrong", "The answer must be one of a, b, c, d.")


def test_a_written_answer_waits_for_a_person(graded_with):
    question = graded_with(delay_argument="Because it averages.")["delay_argument"]
    assert (question.points, question.verdict) == (0, "to be marked")


def test_a_question_with_an_empty_written_answer_is_not_answered(graded_with):
    assert graded_with(delay_argument="  ")["delay_argument"].verdict == "not answered"


def test_the_same_seed_draws_the_same_cases_and_another_does_not():
    first, again, other = (paper("ex02", "one_pole", seed).expected for seed in (SEED, SEED, SEED + 1))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first[5:], other[5:], strict=True) if a.shape == b.shape)


# what a submission may try


@pytest.fixture
def graded_with_cell(solved, grade):
    """Grade the solved exercise with one more cell at its end."""

    def grade_with(text):
        solved.cells.append(nbformat.v4.new_code_cell(text, id="own"))
        return grade(solved)

    return grade_with


FORGE = """
import json
answer = json.dumps({"status": "ok", "value": %s})
get_ipython().display_pub.publish({"application/vnd.rnn-course.answer": answer})
"""
HARMLESS = {
    "a forged answer in advance": FORGE % "1e300",
    "a forged answer nested beyond reason": FORGE % ('"' + "[" * 9 + '"'),
    "exit()": "exit()",
    "a name used otherwise later": "memory_horizon = memory_horizon(0.9)",
    "a library function of the same name": "from course_utils.filters import one_pole, frequency_response",
    "a global named sys": "sys = None",
    "an exception of lone surrogates": "raise ValueError('\\ud800')",
    "a malformed message": (
        "k = get_ipython().kernel\nk.session.send(k.iopub_socket, 'display_data', {}, parent=k.get_parent())"
    ),
    "raw bytes on the socket": "get_ipython().kernel.iopub_socket.send(b'x')",
    "a file named like the kernel's launcher": "open('ipykernel_launcher.py', 'w').write('1 / 0')",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_a_cell_at_the_end_changes_nothing(graded_with_cell, text):
    assert graded_with_cell(text).score == 20


def test_a_restart_does_not_show_the_hidden_inputs_to_a_later_cell(solved, tmp_path, monkeypatch):
    monkeypatch.setattr("grading.sandbox.provisioner", lambda: "course-limits")  # where files can stay
    seen = str(tmp_path / "seen.txt")
    spy = f"def memory_horizon(*given):\n    open({seen!r}, 'a').write(str(given))\n"
    solved.cells.append(nbformat.v4.new_code_cell(f"print(open({seen!r}).read())", id="own"))
    answer_cell(solved, "memory_horizon").source = spy
    ends = "import os\ndef estimate_pole(h):\n    return os._exit(1) if len(h) == 2 else 0.0"  # a fresh case
    answer_cell(solved, "estimate_pole").source = ends
    _, notebook = grade_bytes(nbformat.writes(solved).encode(), "ex02", SEED)
    hidden = str(load_bank("ex02").questions["memory_horizon"].hidden_cases(SEED)[0].args[0])
    assert hidden in (tmp_path / "seen.txt").read_text("utf-8")
    assert hidden not in str(notebook.cells)


def test_a_hint_about_a_fresh_case_quotes_neither_its_inputs_nor_what_was_expected(graded_with):
    seen = "if (alpha, fraction) in ((0.9, 1 / np.e), (0.5, 0.5), (-0.8, 0.1), (1.0, 1 / np.e)):\n        "
    right = "return np.inf if alpha == 1 else np.log(fraction) / np.log(abs(alpha))\n    "
    packed = "return np.zeros(int(abs(alpha) * 1e4))"
    question = graded_with(memory_horizon=WITH_HORIZON + seen + right + packed)["memory_horizon"]
    assert (
        question.hint == "On a fresh case (a pole between 0.9 and 0.99): the shape is not the expected one."
    )


def test_an_answer_above_its_untouched_stub_counts(released, solved, grade):
    text = answer_cell(solved, "one_pole").source
    place = released.cells.index(answer_cell(released, "one_pole"))
    released.cells.insert(place, nbformat.v4.new_code_cell(text, id="above"))
    assert grade(released).questions["one_pole"].verdict == "correct"


def test_two_answers_in_one_cell_both_count(released, solved, grade):
    both = [answer_cell(solved, name).source for name in ("one_pole", "memory_horizon")]
    answer_cell(released, "one_pole").source = "\n\n".join(both)
    questions = grade(released).questions
    assert [questions[name].verdict for name in ("one_pole", "memory_horizon")] == ["correct"] * 2


def test_a_slow_cell_of_ones_own_is_told_and_costs_no_answer(graded_with_cell, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 6)
    outcome = graded_with_cell("import time\ntime.sleep(60)")
    assert outcome.score == 20
    assert outcome.repairs == ["A cell after the answer to delay_argument took too long and was stopped."]


def test_an_answer_that_lingers_after_its_definition_counts(solved, graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 6)
    slow = answer_cell(solved, "one_pole").source + "\nimport time\ntime.sleep(60)"
    assert graded_with(one_pole=slow)["one_pole"].verdict == "correct"


def test_a_function_that_refuses_some_cases_is_not_called_unanswered(graded_with):
    partly = "if alpha < 0: raise NotImplementedError\n    "
    right = "return np.inf if alpha >= 1 else np.log(fraction) / np.log(alpha) if alpha else 0.0"
    question = graded_with(memory_horizon=WITH_HORIZON + partly + right)["memory_horizon"]
    assert question.verdict == "raised"
    assert question.points > 1


def test_the_kernel_is_not_started_without_end(solved, grade, monkeypatch):
    monkeypatch.setattr("grading.runner.MOST_STARTS", 2)
    solved.cells += [nbformat.v4.new_code_cell("import os; os._exit(1)", id=f"own-{n}") for n in range(3)]
    assert {question.verdict for question in list(grade(solved).questions.values())[:6]} == {"crashed"}


def test_a_written_answer_in_a_cell_of_its_own_waits_for_a_person(released, grade):
    released.cells.append(nbformat.v4.new_markdown_cell("Because it averages.", id="own"))
    assert grade(released).questions["delay_argument"].verdict == "to be marked"


def test_a_large_array_is_a_legal_answer(graded_with):
    many = WITH_HORIZON + "return np.zeros(300_000)"
    question = graded_with(memory_horizon=many)["memory_horizon"]
    assert "shape (300000,) came back" in question.hint


def test_an_error_after_much_printing_is_still_told(graded_with):
    loud = "print('x' * 2_000_000)\n1 / 0"
    assert "ZeroDivisionError" in graded_with(one_pole=loud)["one_pole"].hint


BROKEN = {
    "empty": b"",
    "HTML": b"<html></html>",
    "nested beyond reason": b'{"cells": ' + b"[" * 100_000,
    "no cells": b'{"metadata": {}}',
    "another notebook": to_text(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])
    ).encode(),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_without_answers_is_unreadable_with_a_reason(data):
    outcome, notebook = grade_bytes(data, "ex02", SEED)
    assert notebook is None
    assert outcome.problem
    assert outcome.needs_human


@pytest.mark.parametrize("part", ["source", "metadata", "id", "outputs", "cell_type", "execution_count"])
@pytest.mark.parametrize("value", [None, 3, [], {}, "\ud800", ["a", 1]])
def test_a_cell_with_a_part_of_another_type_never_breaks_the_grader(solved, part, value):
    content = json.loads(nbformat.writes(solved))
    for cell in content["cells"]:
        cell[part] = value
    assert outcome_or_reason(json.dumps(content).encode())


@pytest.mark.parametrize("key", ["nbformat", "nbformat_minor", "metadata"])
@pytest.mark.parametrize("value", [None, "5", {}, 4.0, ["a"]])
def test_a_notebook_with_a_part_of_another_type_never_breaks_the_grader(solved, key, value):
    content = json.loads(nbformat.writes(solved)) | {key: value}
    assert outcome_or_reason(json.dumps(content).encode())


def test_a_packed_factor_is_not_quoted_from_a_fresh_case(solved, graded_with):
    packs = "\n_right = one_pole\ndef one_pole(x, *rest):\n    right = _right(x, *rest)\n"
    factor = "    return right * 0.4321 if np.shape(x)[1] > 4 else right"
    question = graded_with(one_pole=answer_cell(solved, "one_pole").source + packs + factor)["one_pole"]
    assert question.hint.endswith("every value is off by the same factor.")


def outcome_or_reason(data):
    """Read and rebuild without running: True when it comes to a notebook or to a sentence."""
    try:
        return bool(rebuild(read_notebook(data).notebook, released_notebook("ex02")).notebook.cells)
    except Unreadable as error:
        return bool(str(error))
