"""Grading one submission: points, verdicts, hints; what a submission may do and what it cannot gain."""

import re

import pytest
from conftest import SEED, answer_cell

from grading.judge import paper
from grading.results import Outcome

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


def test_an_outcome_survives_json(solved, grade):
    outcome = grade(solved)
    assert Outcome.from_dict(outcome.to_dict()) == outcome


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


def test_points_are_the_share_of_the_cases_that_pass(graded_with):
    question = graded_with(memory_horizon=WITH_HORIZON + "return np.inf")["memory_horizon"]
    passed = sum(case.verdict == "correct" for case in question.cases)
    assert question.points == round(3 * passed / len(question.cases), 2) > 0


def test_an_answer_of_nan_never_passes(graded_with):
    question = graded_with(memory_horizon=WITH_HORIZON + "return np.nan")["memory_horizon"]
    assert question.points == 0


def test_an_object_that_equals_everything_gains_nothing(graded_with):
    trick = "class Any(float):\n    __eq__ = __le__ = lambda self, other: True\n"
    question = graded_with(memory_horizon=trick + WITH_HORIZON + "return Any()")["memory_horizon"]
    assert (question.points, question.verdict) == (0, "wrong")


def test_replaying_the_visible_cases_earns_only_those(graded_with):
    seen = {0.9: 9.4912, 0.5: 1.0, -0.8: 10.3189, 1.0: "inf"}
    question = graded_with(memory_horizon=WITH_HORIZON + f"return float({seen}.get(alpha, 'nan'))")
    cases = question["memory_horizon"].cases
    assert [case.visible for case in cases if case.verdict == "correct"] == [True] * 4


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
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 3)
    questions = graded_with(one_pole="while True:\n    pass")
    assert questions["one_pole"].verdict == "too slow"
    assert questions["estimate_pole"].verdict == "correct"


def test_a_cell_that_ends_python_costs_only_its_question(graded_with):
    questions = graded_with(one_pole="import os\nos._exit(1)")
    assert questions["one_pole"].verdict == "crashed"
    assert questions["estimate_pole"].verdict == "correct"


def test_a_loop_that_swallows_interrupts_is_ended(graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 3)
    stubborn = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    questions = graded_with(one_pole=stubborn)
    assert questions["one_pole"].verdict == "too slow"
    assert questions["memory_horizon"].verdict == "correct"


def test_endless_printing_ends_and_is_cut(graded_with, monkeypatch):
    monkeypatch.setattr("grading.runner.CELL_SECONDS", 3)
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
