"""A new term: other numbers in concept questions, each with its right answer, and nothing else changed."""

import math
import subprocess

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from grading import reseed, term
from grading.bank import Bank, Question, exercise_names, load_bank
from grading.build import assemble, targets
from grading.cli import app
from grading.errors import UserError
from grading.markers import _with_numbers

MAKERS = [
    pytest.param(make, others, seed, id=f"{name}-{seed}")
    for exercise in exercise_names()
    for name, (make, others) in load_bank(exercise).makers.items()
    for seed in range(len(others) + 1)
]
every_term = pytest.mark.parametrize(("make", "others", "seed"), MAKERS)


# questions --------------------------------------------------------------------------------------------


def test_every_exercise_has_numbers_for_five_terms():
    sizes = {
        exercise: [len(others) for _, others in load_bank(exercise).makers.values()]
        for exercise in exercise_names()
    }
    assert {exercise: size for exercise, size in sizes.items() if len(size) != 1 or size[0] < 4} == {}


@every_term
def test_only_the_right_answer_is_right_and_each_mistake_gets_its_advice(make, others, seed):
    question = term.numbered(make, others, seed)
    assert question.is_right(question.answer)
    assert [wrong for wrong in question.replies if question.is_right(wrong)] == []
    assert [wrong for wrong, advice in question.replies.items() if question.reply(wrong) != advice] == []
    assert len(question.replies) == len(make().replies)


@every_term
def test_the_answer_of_the_term_before_is_wrong(make, others, seed):
    before = term.numbered(make, others, seed - 1 if seed else len(others))
    question = term.numbered(make, others, seed)
    assert not question.is_right(before.answer)
    assert question.numbers != before.numbers
    assert question.explanation != before.explanation


def layers(hz):
    reach, count = 1, 0
    while reach < hz:
        reach, count = reach + 2 * 2**count, count + 1
    return count


def lag(near, far, begin, end):
    slope = (math.log10(end) - math.log10(begin)) / (far - near)
    return far + (-6 - math.log10(end)) / slope


def steps(large, small, mu):
    left, count = 1.0, 0
    while left > 1 / math.e:
        left, count = left * (1 - mu * small), count + 1
    return count - 0.5


def parameters(d, H):
    shapes = [(H, d), (H, H), (H,), (H, 2 * H), (H, H), (H,)]
    return 2 * sum(np.empty(shape).size for shape in shapes)


def clipped(first, second, third, limit):
    gradients = [torch.nn.Parameter(torch.zeros(1)) for _ in range(3)]
    for one, length in zip(gradients, (first, second, third), strict=True):
        one.grad = torch.tensor([float(length)])
    torch.nn.utils.clip_grad_norm_(gradients, limit)
    return gradients[1].grad.item()


def bias(asked):
    share = 1 / math.e if "1/e" in asked else 1 / int(asked.split("1/")[1].split()[0])
    return next(b / 1000 for b in range(9999) if torch.sigmoid(torch.tensor(b / 1000)) ** 20 >= share)


def floor(classes):
    count = next(n for n in range(2, 30) if term.words(n) == classes)
    sure = torch.eye(count)[:1]
    return torch.nn.functional.cross_entropy(sure, torch.tensor([0])).item()


AGAIN = {  # each answer computed another way, from the numbers that the student reads
    "layers_for_a_second": layers,
    "pole_at_400_hz": lambda pole: math.exp(math.log(pole) * 100 / 400),
    "left_after_one_turn": lambda a: abs((a + a * 1j) ** 8),
    "samples_to_learn": steps,
    "bidirectional_parameters": parameters,
    "paths_that_are_kept": lambda steps, window, whole: sum(
        loss // window == step // window for loss in range(steps) for step in range(loss + 1)
    ),
    "lag_of_a_millionth": lag,
    "length_of_the_second": clipped,
    "bias_for_twenty_steps": bias,
    "a_floor_of_the_loss": floor,
    "one_rare_token": lambda power: math.exp(np.mean([math.log(10)] * 99 + [power * math.log(10)])),
    "rows_right": lambda hundredth, count: np.prod([hundredth / 100] * (count + 1)),
}


@every_term
def test_the_answer_follows_from_what_the_student_reads(make, others, seed):
    question = term.numbered(make, others, seed)
    assert AGAIN[make.__name__](**question.numbers) == pytest.approx(question.answer, abs=question.tolerance)


def test_the_numbers_stand_in_the_text_of_the_exercise():
    for target in targets(exercise_names()):
        numbers, text = load_bank(target.name).numbers(), target.source.read_text(encoding="utf-8")
        assert [name for name in numbers if f"<<{name}>>" not in text] == []
        assert not any("<<" in cell.source for cell in assemble(target).cells)


def test_a_place_for_an_unknown_number_is_told():
    assert (
        _with_numbers("a pole of <<pole>>, <<words>>", {"pole": 0.60, "words": "four"})
        == "a pole of 0.6, four"
    )
    with pytest.raises(UserError, match="<<zero>> is no number of a concept question; there are: pole"):
        _with_numbers("<<zero>>", {"pole": 0.6})


# the file of the term ---------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of the term, in a place of its own; not there yet."""
    monkeypatch.setattr(term, "FILE", tmp_path / "term.toml")
    return tmp_path / "term.toml"


def test_the_repository_is_in_the_first_term():
    assert term.seeds() == {}


def test_without_a_file_it_is_the_first_term(file):
    assert term.seeds() == {}


def test_one_exercise_gets_a_seed_and_the_rest_of_the_file_stays(file):
    file.write_text("# ours\n[seeds]\nex05 = 3\nex02 = 1\n", encoding="utf-8")
    assert term.with_seed("ex02", 4) == "# ours\n[seeds]\nex02 = 4\nex05 = 3\n"
    assert term.with_seed("ex02", 0) == "# ours\n[seeds]\nex05 = 3\n"


@pytest.mark.parametrize(
    "text", ["[seeds", "seeds = 3", '[seeds]\nex02 = "1"', "[seeds]\nex02 = -1", "[seeds]\nex02 = true"]
)
def test_a_damaged_file_is_told_in_a_sentence(text, file):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"^term.toml"):
        term.seeds()


def test_a_bank_takes_the_numbers_of_its_seed(file):
    file.write_text("[seeds]\nex77 = 4\n", encoding="utf-8")
    bank = Bank("ex77")
    bank.numbered((2,), (3,), (4,))(lambda n=1: Question("n", n, "why", numbers={"n": n}))
    assert (bank.questions["n"].answer, bank.numbers()) == (2, {"n": 2})


# the command ------------------------------------------------------------------------------------------


@pytest.fixture
def builds(monkeypatch):
    """Builds nothing; the exit code can be set, and the seeds at the time of the build are kept."""
    seen = {"code": 0, "seeds": []}

    def run(command, **_):
        seen["seeds"].append(term.seeds())
        return subprocess.CompletedProcess(command, seen["code"], "", "a line\ncourse: no\n")

    monkeypatch.setattr(reseed.subprocess, "run", run)
    return seen


def course(*arguments):
    return CliRunner().invoke(app, ["reseed", *arguments])


def test_each_new_term_gets_the_next_seed_before_it_is_built(file, builds):
    assert "ex02 has the seed 1: pole = 0.6; hand it out again" in course("ex02").stdout
    assert "ex02 has the seed 2: pole = 0.7;" in course("ex02").stdout
    assert "ex03 has the seed 7: a = 0.58;" in course("ex03", "--seed", "7").stdout
    assert "ex02 has the seed 0: pole = 0.8;" in course("ex02", "--seed", "0").stdout
    assert builds["seeds"] == [{"ex02": 1}, {"ex02": 2}, {"ex02": 2, "ex03": 7}, {"ex03": 7}]


def test_a_seed_with_which_nothing_can_be_built_is_not_kept(file, builds):
    builds["code"] = 2
    with pytest.raises(
        UserError, match="ex02 could not be built with the seed 1, which was not kept: course: no"
    ):
        reseed.reseed("ex02")
    assert term.seeds() == {}


def test_an_exercise_without_such_numbers_is_told(monkeypatch):
    monkeypatch.setattr(reseed, "load_bank", Bank)
    with pytest.raises(UserError, match="ex77 has no question whose numbers can be changed"):
        reseed.reseed("ex77")
