"""The report on a class: its numbers, its pictures, its words, and whose names are in it."""

import csv
import io
import itertools
import json
import re
import stat
import warnings

import numpy as np
import pytest
from nbgrader.api import Gradebook
from test_feedback import Elements, luminance, words
from typer.testing import CliRunner

from grading import results
from grading.class_report import TEXTS, discrimination, report_csv, report_page
from grading.cli import app
from grading.errors import UserError
from grading.outcomes import graded, read_outcomes
from grading.pseudonyms import Pseudonyms
from grading.results import CaseResult, Outcome, QuestionResult

NAMES = ("one_pole", "memory_horizon", "first_to_settle", "delay_argument")
MOST = (5.0, 3.0, 1.0, 2.0)
HARMFUL = '<script>alert("x")</script>'


def outcome(points, verdicts="cccm", **changes):
    """A made-up outcome of ex02: points of three questions, and a letter for each verdict."""
    kinds = {"c": results.CORRECT, "w": results.WRONG, "m": results.TO_BE_MARKED, "-": results.NOT_ANSWERED}
    named = {
        name: QuestionResult(name, float(earned), most, kinds[letter], seconds=0.1)
        for name, earned, most, letter in zip(NAMES, [*points, 0], MOST, verdicts, strict=True)
    }
    return Outcome("ex02", named, **({"seed": 7, "isolation": "bubblewrap 1", "seconds": 1.5} | changes))


def five():
    """Five students; the best at one_pole are the worst at memory_horizon."""
    outcomes = {
        "ada": outcome([5, 0, 1], "cwcm"),
        "ben": outcome([4, 1, 1], "wwcm"),
        "cid": outcome([1, 2, 1], "wwcm", repairs=["Your file had a BOM."]),
        "dan": outcome([0, 3, 1], "-ccm", attention="the file of dan is cut off"),
        "eve": outcome([0, 0, 0], "----", problem="eve's file is a picture"),
    }
    horizon = outcomes["ada"].questions["memory_horizon"]
    horizon.misconceptions, horizon.hint = ["rule_of_thumb"], "On a visible case: NameError: ada"
    outcomes["ben"].questions["memory_horizon"].misconceptions = ["rule_of_thumb"]
    outcomes["ben"].questions["one_pole"].misconceptions = ["time_first"]
    cases = [
        CaseResult("open", True, "correct"),
        CaseResult("a", False, "wrong"),
        CaseResult("b", False, "correct"),
    ]
    outcomes["ben"].questions["one_pole"].cases = cases
    return outcomes


@pytest.fixture
def class_of_five():
    """The five, fresh: a test may change them."""
    return five()


@pytest.fixture
def folder(tmp_path, class_of_five):
    """A class folder in which the class of five was graded."""
    path = tmp_path / "outcomes/ex02.json"
    path.parent.mkdir()
    path.write_text(
        json.dumps({name: one.to_dict() for name, one in class_of_five.items()}), encoding="utf-8"
    )
    return tmp_path


@pytest.fixture(scope="module")
def page():
    return report_page("ex02", five())


# numbers ---------------------------------------------------------------------------------------------


def test_discrimination_is_the_correlation_with_the_other_questions():
    points, others = np.array([0.0, 2, 1, 5, 4]), np.array([3.0, 1, 4, 6, 9])
    expected = np.cov(points, others)[0, 1] / np.sqrt(points.var(ddof=1) * others.var(ddof=1))
    assert discrimination(points, points + others) == pytest.approx(expected)


UNDEFINED = {
    "all have the same points": ([2, 2, 2], [3, 4, 5]),
    "the rest is the same for all": ([1, 2, 3], [4, 5, 6]),
    "two students": ([1, 2], [3, 9]),
    "nobody": ([], []),
}


@pytest.mark.parametrize(("points", "totals"), UNDEFINED.values(), ids=UNDEFINED)
def test_a_discrimination_without_meaning_is_not_defined(points, totals):
    assert discrimination(np.array(points, dtype=float), np.array(totals, dtype=float)) is None


SAID = {
    "how many": "4 of 5 submissions graded",
    "points": "Points of 11: mean 5, median 5, from 4 to 6,",
    "seed": "Seed of the fresh cases: 7. Isolation: bubblewrap 1.",
    "a question": "1. A batch, and a pole for each step ( one_pole ) 2.5 5 1 of 4 -0.98",
    "a question that all answered alike": "( first_to_settle ) 1 1 4 of 4 not defined",
    "a question that nobody marked yet": "4. What calm costs ( delay_argument ) – 2 0 of 0 not defined",
    "the first misconception": "1 2 memory_horizon rule of thumb Your 1 / (1 - alpha) is an approximation",
    "who had it": "ada, ben",
    "verdicts": "wrong 2 3",
    "a repair": "1 Your file had a BOM. cid",
    "a file to look at": "dan look at the file: the file of dan is cut off",
    "a file that was not graded": "eve not graded: eve's file is a picture",
    "answers to be marked": "3 with a written answer to be marked",
    "time": "Grading took 1.5 s a submission (median), 7.5 s of all workers together",
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_the_page_says(said, page):
    assert said in words(page)


def test_a_class_in_which_nothing_could_be_graded_has_a_page(class_of_five):
    seen = words(report_page("ex02", {"eve": class_of_five["eve"]}))
    assert "0 of 1 submissions graded" in seen
    assert "eve not graded" in seen


def test_a_class_in_which_nobody_needs_a_person_says_so():
    assert "Who needs a person Nobody." in words(report_page("ex02", {"fay": outcome([5, 3, 1], "ccc-")}))


def test_times_that_were_not_measured_are_not_made_up(class_of_five):
    for one in class_of_five.values():
        one.seconds = 0.0
    assert "did not measure the time" in words(report_page("ex02", class_of_five))


def test_the_table_has_a_row_for_each_student_and_question(class_of_five):
    rows = list(csv.DictReader(io.StringIO(report_csv(class_of_five))))
    assert len(rows) == 5 * 4
    row = next(row for row in rows if (row["student"], row["question"]) == ("ben", "one_pole"))
    assert (row["points"], row["verdict"], row["misconceptions"]) == ("4.0", "wrong", "time_first")
    assert [row[f"{kind}_{what}"] for kind in ("visible", "fresh") for what in ("passed", "cases")] == list(
        "1112"
    )


def test_no_cell_of_the_table_is_a_formula(class_of_five):
    class_of_five["ada"].questions["memory_horizon"].hint = '=HYPERLINK("x")\nmore'
    text = report_csv({"=cmd|x": class_of_five["ada"]})
    assert [cell for row in csv.reader(io.StringIO(text)) for cell in row if cell.startswith("=")] == []


# the page --------------------------------------------------------------------------------------------


def test_each_picture_says_what_it_shows(page):
    pictures = Elements(page).named("svg")
    assert len(pictures) == 5
    labels = [picture["aria-label"] for picture in pictures]
    assert labels[0] == "Submissions by points, rounded down. 4: 2, 6: 2. The median is 5 of 11."
    assert "question 1: 50% of its points, discrimination -0.98" in labels[1]
    assert "question 1: 1 correct, 2 wrong, 2 not answered" in labels[2]
    assert labels[3].endswith("the commonest first: 2, 1.")
    assert "question 2: median 0.1, longest 0.1" in labels[4]


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing(page):
    assert Elements(page).named("script", "link", "img", "iframe", "object") == []
    references = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert [one for one in references if not one.startswith("#")] == []
    assert re.findall(r"url\((?!#)", page) == []


def test_names_in_the_pictures_are_hashes_of_what_they_name(page):
    names = re.findall(r' id="([^"]*)"', page)
    assert names
    assert [name for name in names if not re.fullmatch(r"[hmp][0-9a-f]{10}", name)] == []


def test_words_of_people_are_shown_and_not_obeyed(class_of_five):
    looked_at, lost = class_of_five["dan"], class_of_five["eve"]
    looked_at.attention, looked_at.repairs, lost.problem = f"a {HARMFUL}", [f"b {HARMFUL}"], f"c {HARMFUL}"
    page = report_page("ex02", {f"d {HARMFUL}": looked_at, "eve": lost})
    assert "<script" not in page
    assert set(re.findall(r"(.) &lt;script&gt;", page)) == set("abcd")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("colour", ["text", "soft", "link", "bad"])
def test_every_colour_of_text_stands_out_from_its_ground(scheme, colour, page):
    light, dark = re.findall(r":root \{(.*?)\}", page, re.DOTALL)[:2]
    palette = dict(re.findall(r"--(\w+): #(\w+)", light if scheme == "light" else dark))
    for ground in ("page", "card"):
        bright, dim = sorted((luminance(palette[colour]), luminance(palette[ground])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5


# names -----------------------------------------------------------------------------------------------


def test_a_report_without_names_holds_none_and_quotes_nothing(folder, class_of_five):
    named = Pseudonyms(folder)
    for text in (report_page("ex02", class_of_five, named), report_csv(class_of_five, named)):
        assert re.findall(r"\b(?:ada|ben|cid|dan|eve)\b|NameError|BOM|picture|cut off", text) == []
        assert named("ada") in text


def test_the_table_without_names_lacks_the_columns_that_quote(folder, class_of_five):
    columns = next(csv.reader(io.StringIO(report_csv(class_of_five, Pseudonyms(folder)))))
    assert not set(columns) & {*TEXTS, "digest"}


def test_pseudonyms_stay_and_differ_from_class_to_class(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    first, again, other = (Pseudonyms(tmp_path / name) for name in ("one", "one", "other"))
    assert first("ada") == again("ada") != other("ada")
    assert len({first(f"s{number}") for number in range(500)}) == 500


def test_rows_without_names_do_not_stand_in_the_order_of_the_names(folder):
    outcomes = {f"s{number:02}": outcome([1, 1, 1]) for number in range(20)}
    rows = list(csv.DictReader(io.StringIO(report_csv(outcomes, Pseudonyms(folder)))))
    seen = [name for name, _ in itertools.groupby(row["student"] for row in rows)]
    assert seen == sorted(seen) != [Pseudonyms(folder)(name) for name in outcomes]


def test_a_damaged_key_is_refused_in_a_sentence(folder):
    (folder / "pseudonyms.key").write_text("abc\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"pseudonyms.key holds no key; delete it"):
        Pseudonyms(folder)


# the command -----------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_only_the_owner_can_read_what_the_command_writes(folder):
    assert run("report", "ex02", "--out", folder).exit_code == 0
    assert run("report", "ex02", "--out", folder, "--anonymous").exit_code == 0
    written = [folder / "reports", *(folder / "reports").iterdir(), folder / "pseudonyms.key"]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in written}
    assert modes.pop("reports") == 0o700
    assert len(modes) == 5
    assert set(modes.values()) == {0o600}


def test_a_class_that_was_not_graded_is_told_what_to_do(tmp_path):
    with pytest.raises(UserError, match=r"nothing graded yet in .*; run first: course grade ex02"):
        graded(tmp_path, "ex02")


def test_a_run_that_ended_halfway_after_the_exercise_was_changed_is_told_to_go_on(folder):
    path = folder / "outcomes/ex02.json"
    outcomes = json.loads(path.read_text(encoding="utf-8"))
    del outcomes["ben"]["questions"]["memory_horizon"]
    path.write_text(json.dumps(outcomes), encoding="utf-8")
    with pytest.raises(UserError, match=r"since some were graded; run again: course grade ex02"):
        graded(folder, "ex02")


GIVEN = {  # (student, cell): points and extra points by a person
    ("ada", "written-delay_argument"): (1.5, None),
    ("ben", "written-delay_argument"): (0.0, 0.5),
    ("ben", "check-one_pole"): (None, 0.5),
}


@pytest.fixture
def gradebook(folder):
    """The gradebook of the class of five, in which a person gave points."""
    with warnings.catch_warnings(), Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        warnings.simplefilter("ignore")  # of nbgrader's own session
        gradebook.add_assignment("ex02")
        gradebook.add_notebook("ex02", "ex02")
        for cell in sorted({cell for _, cell in GIVEN}):
            gradebook.add_grade_cell(cell, "ex02", "ex02", max_score=2, cell_type="code")
        for student in ("ada", "ben"):
            gradebook.add_student(student)
            gradebook.add_submission("ex02", student)
        for (student, cell), (manual, extra) in GIVEN.items():
            grade = gradebook.find_grade(cell, "ex02", "ex02", student)
            grade.manual_score, grade.extra_credit = manual, extra
        gradebook.db.commit()


@pytest.mark.usefixtures("gradebook")
def test_points_of_the_gradebook_count(folder):
    outcomes = graded(folder, "ex02")
    found = {
        (student, name): (question.points, question.verdict)
        for student, outcome in outcomes.items()
        for name, question in outcome.questions.items()
    }
    assert found["ada", "delay_argument"] == (1.5, "marked")
    assert found["ben", "delay_argument"] == (0.5, "marked")
    assert found["ben", "one_pole"] == (4.5, "wrong")
    assert found["ada", "one_pole"] == (5, "correct")


def test_a_damaged_gradebook_is_told_in_a_sentence(folder):
    (folder / "gradebook.db").write_bytes(b"no database" * 200)
    with pytest.raises(UserError, match=r"gradebook.db cannot be read: file is not a database; put a backup"):
        graded(folder, "ex02")


@pytest.mark.parametrize("text", ["", "[1]", '{"ada": 3}', '{"ada": {"exercise": "ex02"}}', "{}", "\udcff"])
def test_a_file_without_outcomes_is_told_what_to_give_instead(text, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=r"run.json holds no outcomes; give a file that course grade"):
        read_outcomes(path)
