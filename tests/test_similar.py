"""Likeness of answers: copies are found whatever their looks, independent answers are not taken for any."""

import itertools
import json
import re
import stat

import numpy as np
import pytest
from disguise import DISGUISES, all_at_once, reordered
from test_feedback import luminance, words
from typer.testing import CliRunner

from grading.bank import Function, exercise_names, load_bank
from grading.cli import app
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.likeness import LONG, ONE, WHOLE, alike_pairs, known_answers, likenesses, partners, statements
from grading.similar import alike_in_class, graded_answers, similar_page
from grading.texts import answer_name, is_answer

STUB = "def f(x, alpha):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
LOOP = """def f(x, alpha):
    states, h = [], 0.0
    scale = 1 - alpha
    start = len(x) // 2
    for value in x[start:]:
        h = alpha * h + scale * value
        states.append(h)
    for value in reversed(states):
        h = max(h, value ** 2) if value > 0 else h - value
    return np.array(states) / h"""
OTHER = """def f(x, alpha):
    weights = (1 - alpha) * alpha ** np.arange(len(x))
    kept = np.convolve(x, weights)[: len(x)]
    middle = kept[len(x) // 2 :]
    peak = np.where(middle > 0, middle**2, np.abs(middle)).cumsum()[-1]
    if not np.isfinite(peak):
        raise ValueError("no peak")
    return np.divide(middle, peak, out=np.zeros_like(middle), where=peak != 0)"""


def stubs(exercise):
    return {answer_name(cell): cell.source for cell in released_notebook(exercise).cells if is_answer(cell)}


# two answers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DISGUISES)
@pytest.mark.parametrize("answer", [LOOP, OTHER], ids=["loop", "arrays"])
def test_a_copy_in_disguise_is_alike(name, answer):
    disguised = DISGUISES[name](answer)
    alike, _ = likenesses([answer, disguised, LOOP if answer is OTHER else OTHER], STUB)
    assert disguised != answer
    assert alike[0, 1] >= (ONE if "padded" in name else 0.999)
    assert alike[0, 2] < 0.4


def test_the_order_of_statements_is_really_changed_and_not_looked_at():
    assert reordered(LOOP).index("scale =") < reordered(LOOP).index("states, h =")


def test_independent_right_answers_of_all_banks_are_not_alike():
    greatest = {}
    for exercise in exercise_names():
        for function in load_bank(exercise).of_kind(Function):
            known = known_answers(function)
            alike, _ = likenesses(known, stubs(exercise)[function.name], known)
            pairs = itertools.combinations(range(len(known)), 2)
            greatest |= {(function.name, *pair): alike[pair] for pair in pairs}
    assert len(greatest) > 400
    assert {pair: alike for pair, alike in greatest.items() if alike >= ONE - 0.1} == {}


def test_what_the_notebook_gave_is_not_compared():
    alike, lengths = likenesses([STUB, STUB.replace("# YOUR CODE HERE", "# later")], STUB)
    assert (lengths.sum(), alike.sum()) == (0, 0)


def test_an_empty_class_of_answers_is_no_error():
    alike, lengths = likenesses(["", ""], STUB)
    assert (alike.shape, lengths.tolist()) == ((2, 2), [0, 0])


BROKEN = {
    "a bracket that is open": LOOP.replace("len(x) // 2", "len(x // 2"),
    "deeper than Python can walk": LOOP + "\nz = " + "-" * 600 + "1",
    "a magic": "%%time\n" + LOOP,
    "a number too long to be written": LOOP + "\nz = 0x" + "f" * 5000,
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_code_that_cannot_be_read_is_compared_as_it_stands(text):
    alike, _ = likenesses([text, text, OTHER], STUB)
    assert alike[0, 1] == pytest.approx(1)
    assert alike[0, 2] < 0.5


HIDDEN = {
    "another name for NumPy": "import numpy as q\n" + re.sub(r"\bnp\b", "q", OTHER),
    "a comment of many characters": DISGUISES["renamed"](OTHER) + "\n#" + 30_000 * "x",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_a_copy_that_hides_from_the_comparison_is_alike(text):
    alike, _ = likenesses([OTHER, text, LOOP], STUB)
    assert alike[0, 1] > 0.95
    assert alike[0, 2] < 0.4


def test_statements_know_their_lines():
    found = statements("def f(a):\n    if a:\n        b = [\n            1,\n        ]\n    return b")
    assert [(one.first, one.last) for one in found] == [(1, 1), (2, 2), (3, 5), (6, 6)]


def test_each_statement_is_shown_beside_its_like():
    left, right = statements(LOOP), statements(reordered(LOOP))
    beside = [partner.tokens for partner in partners(left, right)]
    assert beside == [statement.tokens for statement in left]
    assert partners(statements("q = [7]"), right) == [None]


def test_very_long_answers_are_shown_beside_each_other_in_no_time(monkeypatch):
    long = statements("\n".join(f"x = {number}" for number in range(5000)))
    monkeypatch.setattr("grading.likeness.runs", None)  # nothing is compared but whole statements
    assert partners(long, long[::-1]) == long


# a class ----------------------------------------------------------------------------------------------


def table(pairs, lengths):
    """What ``likenesses`` would give for these likenesses: {(i, j): number}."""
    alike = np.diag(np.minimum(lengths, 1.0))
    for (i, j), value in pairs.items():
        alike[i, j] = alike[j, i] = value
    return alike, np.array(lengths)


def found(tables):
    return [(pair.one, pair.other, round(pair.whole, 3), pair.alike) for pair in alike_pairs(tables)[0]]


def test_a_pair_is_weighed_by_the_length_of_its_answers():
    tables = {"short": table({(0, 1): 0.0}, [50, 50, 0]), "long": table({(0, 1): 1.0}, [150, 200, 0])}
    assert found(tables) == [(0, 1, 0.75, {"long": 1.0})]


def test_short_answers_are_never_told_from_copies():
    tables = {name: table({(0, 1): 1.0}, [LONG // 3, LONG // 3, 90]) for name in ("one", "two")}
    assert found(tables) == []


def test_many_short_answers_together_are_enough():
    tables = {name: table({(0, 1): 1.0}, [LONG // 2, LONG // 2, 90]) for name in ("one", "two")}
    assert found(tables) == [(0, 1, 1.0, {})]


def test_a_long_answer_alone_is_told_though_the_rest_differs():
    tables = {"same": table({(0, 1): ONE}, [LONG, LONG, 9]), "rest": table({(0, 1): 0.1}, [400, 400, 9])}
    ((one, other, whole, alike),) = found(tables)
    assert (one, other, alike) == (0, 1, {"same": ONE})
    assert whole < WHOLE


def test_an_answer_that_many_have_is_not_counted_but_named():
    everyone = {pair: 1.0 for pair in itertools.combinations(range(8), 2)}
    pairs, common = alike_pairs({"usual": table(everyone, [100] * 8), "rest": table({}, [100] * 8)})
    assert (pairs, common) == ([], {"usual": 8})


def ten():
    """Five who answer ex02 each in a style of their own, and a disguised copy of each."""
    functions = load_bank("ex02").of_kind(Function)
    own = [{f.name: known_answers(f)[n % len(known_answers(f))] for f in functions} for n in range(5)]
    copies = [{name: all_at_once(text) for name, text in one.items()} for one in own]
    return dict(zip("abcdeABCDE", own + copies, strict=True))


@pytest.fixture(scope="module")
def class_of_ten():
    return ten()


def test_five_copies_and_five_independent_answers_are_told_apart(class_of_ten):
    pairs, _ = alike_in_class("ex02", class_of_ten)
    whole = [pair for pair in pairs if pair.whole >= WHOLE]
    assert sorted((pair.one, pair.other) for pair in whole) == [(n, n + 5) for n in range(5)]


# page and command -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, class_of_ten):
    """A class folder with the graded copies of the ten."""
    for student, answers in class_of_ten.items():
        mark = [{"nbgrader": {"grade_id": f"answer-{name}", "solution": True}} for name in answers]
        texts = [text.splitlines(keepends=True) for text in answers.values()]
        cells = [{"metadata": m, "source": source} for m, source in zip(mark, texts, strict=True)]
        path = tmp_path / "autograded" / student / "ex02/ex02.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(
            json.dumps({"cells": [{"metadata": {}, "source": "import x"}, *cells]}), encoding="utf-8"
        )
    return tmp_path


def test_the_answers_are_read_from_the_graded_copies(folder, class_of_ten):
    assert graded_answers(folder, "ex02") == class_of_ten


def test_functions_in_cells_of_their_own_belong_to_the_answers_that_use_them(folder):
    path = folder / "autograded/b/ex02/ex02.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    own = "x = 1\ndef solve(a):\n    return twice(a)\n\ndef unused(): pass", "def twice(a):\n    return 2 * a"
    cells = [{"id": f"extra-{n}", "metadata": {}, "source": text} for n, text in enumerate(own)]
    notebook["cells"] += cells
    notebook["cells"][1]["source"] = "one_pole = solve"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    given = "# from another cell\n"
    assert next(iter(graded_answers(folder, "ex02")["b"].values())) == (
        f"one_pole = solve\n\n\n{given}def solve(a):\n    return twice(a)\n\n\n{given}{own[1]}"
    )


def test_a_graded_copy_that_is_damaged_is_named(folder):
    (folder / "autograded/b/ex02/ex02.ipynb").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"b/ex02/ex02.ipynb is no graded copy; grade again"):
        graded_answers(folder, "ex02")


def test_a_class_that_was_not_graded_is_told_what_to_do(tmp_path):
    with pytest.raises(UserError, match=r"0 graded submissions in .*; run first: course grade ex02"):
        graded_answers(tmp_path, "ex02")


@pytest.fixture(scope="module")
def page(class_of_ten):
    answers = {name: class_of_ten[name] for name in "aA"}
    harmful = {"x": answers["a"], "</pre><script>": answers["A"]}
    harmful["x"] = harmful["x"] | {"one_pole": harmful["x"]["one_pole"] + "\n    # <script>alert(1)</script>"}
    return similar_page("ex02", harmful, *alike_in_class("ex02", harmful))


def test_the_page_shows_a_pair_side_by_side(page):
    assert "Pairs alike as a whole: 1;" in words(page)
    assert page.count("<pre ") >= 2
    assert "no proof" in page
    same = re.findall(r'<span class="same">.*?</b>(.*?)<i> ↔ (\d+)</i>', page)
    assert any("np.asarray" in text for text, _ in same)


def test_code_and_names_are_shown_and_not_run(page):
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_code_stands_out_from_the_ground_that_marks_it(page, scheme):
    palette = dict(re.findall(r"--(\w+): #(\w+)", re.findall(r":root \{(.*?)\}", page, re.DOTALL)[scheme]))
    for colour in ("text", "soft"):
        bright, dim = sorted((luminance(palette[colour]), luminance(palette["match"])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_only_the_owner_can_read_the_page(folder):
    done = CliRunner().invoke(app, ["similar", "ex02", "--out", str(folder)])
    path = folder / "reports/ex02-similar.html"
    assert (done.exit_code, stat.S_IMODE(path.stat().st_mode)) == (0, 0o600)
    assert "alike among 10 submissions: 5;" in done.stdout
