"""Every exercise keeps its promises: right answers pass and wrong ideas fail, whatever the seed."""

import functools
import itertools
import json
import warnings

import numpy as np
import pytest
import torch

from course_utils.checks import check
from course_utils.compare import mismatch
from course_utils.plain import InputChanged, call_on, from_plain, to_plain
from course_utils.terms import advice
from grading import CANARY, ROOT
from grading.bank import Function, Question, Written, exercise_names, load_bank
from grading.build import assemble, targets
from grading.grade import released_notebook
from grading.judge import judge_question
from grading.runner import Answer
from grading.texts import answer_name, is_answer

SEEDS = range(200)
RAISED = "raised"


def questions(kind):
    """Every question of a kind in every exercise, as test parameters (exercise, question)."""
    return [
        pytest.param(exercise, question, id=f"{exercise}-{question.name}")
        for exercise in exercise_names()
        for question in load_bank(exercise).of_kind(kind)
    ]


every_exercise = pytest.mark.parametrize("exercise", exercise_names())
every_function = pytest.mark.parametrize(("exercise", "function"), questions(Function))
every_question = pytest.mark.parametrize(("exercise", "question"), questions(Question))


def packed(value):
    """A value, arguments or an answer, as text on its way through a pipe."""
    return json.dumps(to_plain(value, inputs=True))


def unpacked(text, inputs=False):
    return from_plain(json.loads(text), inputs)


@functools.lru_cache(maxsize=20_000)
def answer(implementation, arguments):
    """What the judge would see of an implementation on packed arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return unpacked(packed(implementation(*unpacked(arguments, inputs=True))))
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            return RAISED


@functools.cache
def papers(exercise, name):
    """The visible cases, then the hidden ones of every seed: lists of (packed arguments, expected).

    Without those in which something is trained; they have a test of their own.
    """
    function = load_bank(exercise).questions[name]
    drawn = [function.visible_cases(), *map(function.hidden_cases, SEEDS)]
    packs = [[packed(case.args) for case in cases if not case.band] for cases in drawn]
    return [[(arguments, answer(function.reference, arguments)) for arguments in pack] for pack in packs]


def passes(implementation, paper):
    """Whether an implementation gets every case of a paper right."""
    return all(mismatch(expected, answer(implementation, arguments)) is None for arguments, expected in paper)


def alike(one, other, paper):
    """Whether two implementations answer every case of a paper alike."""
    return all(mismatch(answer(one, arguments), answer(other, arguments)) is None for arguments, _ in paper)


class InProcess:
    """A sitting without a kernel: answers come from a namespace of this process."""

    def __init__(self, namespace):
        self.namespace = namespace

    def ready(self):
        return True

    def calls(self, name, cases, _seconds):
        return [self.call(name, arguments) for arguments in cases]

    def call(self, name, arguments):
        try:
            value, changed = call_on(self.namespace[name], json.loads(packed(list(arguments)))["list"])
            return Answer("ok", unpacked(packed(value)), changed=changed)
        except NotImplementedError:
            return Answer("unanswered")
        except InputChanged as error:
            return Answer("raised", error_type="InputChanged", changed=error.positions)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            return Answer("raised", error_type=type(error).__name__)


def namespace_of(notebook):
    """What the answer cells of a notebook define, with NumPy and torch imported."""
    namespace = {"np": np, "torch": torch}
    for cell in notebook.cells:
        if cell.cell_type == "code" and is_answer(cell) and f"def {answer_name(cell)}(" in cell.source:
            exec(cell.source, namespace)
    return namespace


@pytest.mark.slow
@every_function
def test_variants_pass_every_case_on_200_seeds(exercise, function):
    failed = {
        variant.__name__
        for paper in papers(exercise, function.name)
        for variant in function.variants
        if not passes(variant, paper)
    }
    assert failed == set()


@pytest.mark.slow
@every_function
def test_wrong_ideas_fail_on_hidden_cases_on_200_seeds(exercise, function):
    _visible, *hidden = papers(exercise, function.name)
    passed = [
        (seed, idea.name)
        for seed, paper in zip(SEEDS, hidden, strict=True)
        for idea in function.wrong_ideas
        if passes(idea.function, paper)
    ]
    assert passed == []


@pytest.mark.slow
@every_function
def test_wrong_ideas_differ_from_each_other_on_200_seeds(exercise, function):
    visible, *hidden = papers(exercise, function.name)
    pairs = itertools.combinations(function.wrong_ideas, 2)
    doubtful = [(one, other) for one, other in pairs if alike(one.function, other.function, visible)]
    same = [
        (seed, one.name, other.name)
        for seed, paper in zip(SEEDS, hidden, strict=True)
        for one, other in doubtful
        if alike(one.function, other.function, paper)
    ]
    assert same == []


@pytest.mark.slow
@every_function
def test_nearly_every_training_of_a_right_answer_ends_in_its_band(exercise, function):
    trained = [case for seed in range(20) for case in function.hidden_cases(seed) if case.band]
    for right in (function.reference, *function.variants):
        missed = [case for case in trained if mismatch(case.band, answer(right, packed(case.args)))]
        assert 20 * len(missed) <= len(trained), right.__name__


@every_function
def test_the_visible_cases_show_every_wrong_idea(exercise, function):
    packs = [packed(case.args) for case in function.visible_cases() if not case.band]
    paper = [(arguments, answer(function.reference, arguments)) for arguments in packs]
    assert [idea.name for idea in function.wrong_ideas if passes(idea.function, paper)] == []


@every_function
def test_references_neither_raise_nor_return_nan(exercise, function):
    answers = [expected for paper in papers(exercise, function.name) for _, expected in paper]
    assert RAISED not in map(str, answers)
    assert not any("NaN" in packed(expected) for expected in answers)


@every_function
def test_references_leave_their_inputs_alone(exercise, function):
    for case in function.visible_cases() + function.hidden_cases(0):
        before = packed(case.args)
        function.reference(*case.args)
        assert packed(case.args) == before, case.title


@every_function
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_right_answers_read_their_inputs_only(exercise, function):
    for case in function.visible_cases() + function.hidden_cases(0):
        for right in (function.reference, *function.variants):
            assert call_on(right, json.loads(packed(list(case.args)))["list"])[1] == [], right.__name__


@every_function
def test_hidden_cases_of_a_seed_are_always_the_same(exercise, function):
    first, second = ([packed(case.args) for case in function.hidden_cases(3)] for _ in range(2))
    assert first == second


@every_function
def test_hidden_cases_of_two_seeds_differ(exercise, function):
    first, second = ([packed(case.args) for case in function.hidden_cases(seed)] for seed in (3, 4))
    assert first != second


@every_function
def test_there_are_enough_cases_and_wrong_ideas(exercise, function):
    assert len(function.visible_cases()) >= 3
    assert len(function.hidden_cases(0)) >= 5
    assert len(function.wrong_ideas) >= 3
    assert len(function.variants) >= 2


@every_function
def test_the_judge_names_every_wrong_idea_and_only_it(exercise, function):
    for idea in function.wrong_ideas:
        sitting = InProcess({function.name: idea.function})
        result = judge_question(function, exercise, 1, sitting, 5)
        assert result.misconceptions == [idea.name]
        assert result.hint == idea.advice


@every_function
def test_a_fault_that_is_no_known_idea_is_traced_to_its_term(exercise, function):
    for term, faulty in function.faults:
        result = judge_question(function, exercise, 1, InProcess({function.name: faulty}), 5)
        assert result.misconceptions == [], faulty.__name__
        assert result.hint.endswith(advice([function.terms[term]])), faulty.__name__


@every_function
def test_every_term_stands_in_a_fresh_case_and_has_a_fault(exercise, function):
    named = {term for case in function.hidden_cases(0) for term in case.terms}
    assert named == set(function.terms)
    assert {term for term, _ in function.faults} == set(function.terms)


@every_function
def test_the_stub_scores_zero(exercise, function):
    sitting = InProcess(namespace_of(released_notebook(exercise)))
    result = judge_question(function, exercise, 1, sitting, 5)
    assert (result.points, result.verdict) == (0, "not answered")


@every_function
def test_the_solution_in_the_notebook_scores_in_full(exercise, function):
    (target,) = targets([exercise])
    sitting = InProcess(namespace_of(assemble(target)))
    result = judge_question(function, exercise, 1, sitting, 5)
    assert (result.points, result.verdict) == (1, "correct")


@every_function
def test_the_reference_passes_the_recorded_visible_checks(exercise, function, capsys):
    check(function.reference, function.name)
    assert f"All {len(function.visible_cases())} visible checks passed" in capsys.readouterr().out


@every_exercise
def test_advice_is_one_sentence_to_the_student(exercise):
    for function in load_bank(exercise).of_kind(Function):
        for idea in function.wrong_ideas:
            assert idea.advice.startswith("Your "), idea.name
            assert idea.advice.endswith("."), idea.name
            assert ". " not in idea.advice, idea.name


@every_exercise
def test_no_two_wrong_ideas_share_name_or_advice(exercise):
    ideas = [idea for function in load_bank(exercise).of_kind(Function) for idea in function.wrong_ideas]
    assert len({idea.name for idea in ideas}) == len(ideas)
    assert len({idea.advice for idea in ideas}) == len(ideas)


@every_exercise
def test_points_sum_to_twenty_over_all_questions(exercise):
    (target,) = targets([exercise])
    graded = [cell for cell in assemble(target).cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert sum(cell.metadata.nbgrader.points for cell in graded) == 20
    assert [answer_name(cell) for cell in graded] == list(load_bank(exercise).questions)


@every_exercise
def test_there_are_two_questions_and_one_written_answer(exercise):
    bank = load_bank(exercise)
    assert len(bank.of_kind(Question)) == 2
    assert len(bank.of_kind(Written)) == 1


@every_question
def test_the_right_answer_is_right_and_the_foreseen_ones_are_not(exercise, question):
    assert question.is_right(question.answer)
    assert not any(map(question.is_right, question.replies))
    assert all(question.reply(wrong) == advice for wrong, advice in question.replies.items())
    assert question.reply(question.answer) == ""


@every_question
def test_every_wrong_choice_has_a_reply(exercise, question):
    assert set(question.choices) - {question.answer} <= set(question.replies)


@every_question
def test_questions_explain_themselves_in_sentences(exercise, question):
    texts = [question.explanation, *question.replies.values()]
    assert all(text.endswith(".") for text in texts)


@every_exercise
def test_the_canary_is_in_bank_and_reference(exercise):
    reference = ROOT / f"course_utils/reference/{exercise}.py"
    bank = ROOT / f"grading/exercises/{exercise}_bank.py"
    assert f"canary: {CANARY}" in reference.read_text("utf-8")
    assert f"canary: {CANARY}" in bank.read_text("utf-8")
