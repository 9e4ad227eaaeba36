"""Feedback: made of an allow-list, for one student, safe to open, readable without colour or scripts."""

import copy
import html
import itertools
import re
import stat
from html.parser import HTMLParser

import pytest
from conftest import SEED, answer_cell

from grading import CANARY, sample
from grading.build import to_text
from grading.canary import find
from grading.classroom import Classroom
from grading.errors import UserError
from grading.feedback import SHORT_TEXT, Record, page, question_titles, short_text
from grading.grade import grade_bytes, unreadable
from grading.marks import Mark
from grading.paper import paper
from grading.results import CaseResult, Outcome, QuestionResult, failure
from grading.sketch import sketch
from grading.submissions import Submission

STUDENTS = {student.id: student for student in sample.students()}
WRITTEN = "delay_argument"
HARMFUL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def made_up(**changes):
    """An outcome without any kernel: a wrong function, a right choice, a written answer."""
    cases = [
        CaseResult("an impulse", True, "wrong", "the first differs", "f([1, 0])", "[1, 0.5]", "[1, 0.4]"),
        CaseResult("a batch", False, "correct"),
        CaseResult("a negative pole", False, "wrong", "some values differ"),
    ]
    questions = [
        QuestionResult("one_pole", 2.5, 5.0, "wrong", "Start it from h0.", ["a_wrong_idea"], cases),
        QuestionResult("first_to_settle", 1.0, 1.0, "correct", "Both settle alike."),
        QuestionResult(WRITTEN, 0.0, 2.0, "to be marked", "A person reads it.", text="Calm costs delay."),
    ]
    named = {question.name: question for question in questions}
    return Outcome("ex02", named, **({"seed": 987654321} | changes))


def record(outcome=None, **changes):
    return Record("anna", outcome or made_up(), graded="2026-03-01T12:30+00:00", **changes)


class Elements(HTMLParser):
    """Every start tag of a page with its attributes: [(tag, {name: value})]."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]


def words(text):
    """What a reader sees of a page, in one line."""
    body = text.partition("</style>")[2]
    return re.sub(r"\s+(?=[,:])", "", " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split()))


@pytest.fixture(scope="module")
def graded():
    """The outcome of a sample student with two misconceptions."""
    return grade_bytes(sample.path_of(STUDENTS["s05"]).read_bytes(), "ex02", SEED)[0]


SAID = {
    "title": "Exercise 02: One pole",
    "student": "Feedback for anna",
    "date": "graded on 1 March 2026, 12:30",
    "sum": "3.5 of 8 points so far",
    "title of a question": "1. A batch, and a pole for each step",
    "verdict": "wrong, 2.5 of 5 points",
    "hint": "Start it from h0.",
    "call": "f([1, 0])",
    "expected": "[1, 0.5]",
    "answer": "[1, 0.4]",
    "message": "the first differs",
    "count of fresh cases": "1 of 2 fresh cases passed",
    "title of a fresh case": "a negative pole: ✗ wrong",
    "written answer": "Calm costs delay.",
    "wait": "it can add up to 2 points",
    "repair": "A line about the file.",
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_the_page_says(said):
    assert said in words(page(record(made_up(repairs=["A line about the file."]))))


UNSAID = {
    "message of a fresh case": "some values differ",
    "name of a misconception": "a_wrong_idea",
    "seed": "987654321",
}


@pytest.mark.parametrize("secret", UNSAID.values(), ids=UNSAID)
@pytest.mark.parametrize("write", [page, short_text])
def test_feedback_keeps_to_itself(write, secret):
    assert secret not in write(record())


@pytest.mark.parametrize("write", [page, short_text])
def test_no_number_of_a_fresh_case_is_told(write, graded):
    text = write(Record("s05", graded))
    sheets = [paper("ex02", name, SEED) for name in ("one_pole", "memory_horizon", "estimate_pole")]
    hidden = [number for sheet in sheets for case in sheet.cases[sheet.visible :] for number in floats(case)]
    assert len(hidden) > 50
    assert [number for number in hidden if number in text] == []


def floats(case):
    """The long numbers of a case, as text."""
    return re.findall(
        r"\d\.\d{6,}", repr([getattr(arg, "tolist", lambda arg=arg: arg)() for arg in case.args])
    )


@pytest.mark.parametrize("write", [page, short_text])
def test_no_canary_is_in_the_feedback_of_a_graded_file(write, graded):
    assert find(CANARY, write(Record("s05", graded))) == ""


def test_an_outcome_keeps_values_of_visible_cases_only(graded):
    cases = graded.questions["one_pole"].cases
    kept = {
        bool(case.call or case.expected or case.answer or case.curves) for case in cases if not case.visible
    }
    assert kept == {False}
    assert all(case.call and case.expected and case.answer for case in cases if case.visible)


@pytest.fixture(params=["text", "comment", "message", "hint", "repair", "student", "problem"])
def harmful_page(request):
    """A page with markup in one of the places where people's own words stand."""
    outcome = made_up()
    changes = {}
    match request.param:
        case "text":
            outcome.questions[WRITTEN].text = HARMFUL
        case "comment":
            changes = {"marks": {WRITTEN: Mark(1.0, 0.0, HARMFUL)}}
        case "message":
            outcome.questions["one_pole"].cases[0].message = HARMFUL
        case "hint":
            outcome.questions["one_pole"].hint = HARMFUL
        case "repair":
            outcome.repairs = [HARMFUL]
        case "student":
            changes = {"name": HARMFUL}
        case "problem":
            outcome.problem = HARMFUL
    return page(record(outcome, **changes))


def test_words_of_people_are_shown_and_not_obeyed(harmful_page):
    elements = Elements(harmful_page)
    assert elements.named("script", "img", "iframe", "object", "link") == []
    assert 'alert("x")' in words(harmful_page)


def test_the_page_needs_nothing_from_elsewhere(graded):
    elements = Elements(page(Record("s05", graded)))
    addresses = [a.get(name) for _, a in elements.found for name in ("src", "href", "data") if a.get(name)]
    assert [address for address in addresses if not address.startswith("#")] == []
    assert elements.named("script") == []
    assert "default-src 'none'" in str(elements.named("meta"))


def test_the_page_can_be_read_by_a_machine(graded):
    elements = Elements(page(Record("s05", graded)))
    headings = [int(tag[1]) for tag, _ in elements.found if re.fullmatch(r"h\d", tag)]
    assert elements.named("html")[0]["lang"] == "en"
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))
    assert all("scope" in attributes for attributes in elements.named("th"))
    assert all(attributes["aria-label"] for attributes in elements.named("svg"))


COLOUR = re.compile(r"--(\w+): #([0-9a-f]{3,6});")


def luminance(colour):
    colour = "".join(letter * 2 for letter in colour) if len(colour) == 3 else colour
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "card"])
def test_every_colour_of_text_stands_out_from_its_ground(scheme, ground):
    light, dark = page(record()).split("prefers-color-scheme: dark")
    colours = dict(COLOUR.findall(light if scheme == "light" else dark.partition("</style>")[0]))
    for name in ("text", "soft", "good", "bad", "wait", "yours", "expected"):
        low, high = sorted([luminance(colours[name]), luminance(colours[ground])])
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


def test_every_verdict_has_a_word_and_a_sign_beside_its_colour():
    coloured = r'<(?:td|span) class="(?:verdict )?(?:good|bad|wait)">(.*?)</(?:td|li|p)>'
    verdicts = [words("</style>" + found) for found in re.findall(coloured, page(record()), re.S)]
    assert len(verdicts) == 9
    assert [verdict for verdict in verdicts if not re.match(r"[✓✗…] (correct|wrong|waits)", verdict)] == []


def test_a_mark_by_a_person_replaces_the_points_and_brings_its_comment():
    seen = words(page(record(marks={WRITTEN: Mark(1.5, 0.25, "Say why.")})))
    assert "✓ marked by a person, 1.75 of 2 points" in seen
    assert "Comment of your instructor Say why." in seen
    assert "so far" not in seen


def test_an_answer_that_is_not_marked_yet_waits_and_is_no_zero():
    seen = words(page(record()))
    assert "… waits for a person – of 2" in seen
    assert "0 of 2" not in seen


def test_points_for_coming_late_are_taken_off():
    assert "1.5 of 8 points" in words(page(record(penalty=2.0)))
    assert "2 points were taken off" in words(page(record(penalty=2.0)))


@pytest.mark.parametrize("write", [page, short_text])
def test_an_unreadable_file_is_told_why_and_what_to_do(write):
    text = words("</style>" + write(record(unreadable("ex02", "the file is empty"))))
    assert "Your file could not be graded" in text
    assert "The file is empty." in text
    assert "hand in that file again" in text


@pytest.mark.parametrize("write", [page, short_text])
def test_a_fault_of_the_grader_is_not_put_on_the_student(write):
    text = write(record(unreadable("ex02", failure(KeyError("/srv/course/secret.py")))))
    assert "Grading stopped with an error of its own" in text
    assert "secret" not in text
    assert "hand in" not in text


@pytest.mark.parametrize("path", ["/home/anna/x.csv", r"C:\Users\anna\x.csv", "~/course/x.csv"])
def test_a_path_in_a_message_is_left_out(path):
    outcome = made_up()
    outcome.questions["one_pole"].cases[0].message = f"FileNotFoundError: no file '{path}' in a/b"
    seen = words(page(record(outcome)))
    assert "no file '(a path)' in a/b" in seen


def test_what_the_code_said_is_cut():
    outcome = made_up()
    outcome.questions["one_pole"].cases[0].message = "x" * 5000
    assert "x" * 300 in page(record(outcome))
    assert "x" * 301 not in page(record(outcome))


def test_the_short_text_holds_sum_verdicts_and_hints():
    text = short_text(record(marks={WRITTEN: Mark(1.5, 0.0, "Say why.")}))
    assert text.splitlines()[0] == "Exercise 02: One pole: 5 of 8 points"
    assert "1. A batch, and a pole for each step – wrong, 2.5/5" in text
    assert "1: Start it from h0." in text
    assert "3: Say why." in text


def test_the_short_text_fits_a_comment_field():
    outcome = made_up(repairs=["r" * 400] * 9)
    for question in outcome.questions.values():
        question.hint, question.verdict = "h" * 700, "wrong"
    text = short_text(record(outcome))
    assert 200 < len(text) <= SHORT_TEXT
    assert text.endswith("what to look at.\n")


def test_not_even_long_titles_make_the_short_text_long(monkeypatch):
    monkeypatch.setattr("grading.feedback.exercise_title", lambda exercise: "x" * 3000)
    assert len(short_text(record())) == SHORT_TEXT


def test_every_question_of_the_exercise_has_a_title():
    titles = question_titles("ex02")
    assert len(titles) == 7
    assert titles["memory_horizon"] == "The horizon for any fraction"


def test_a_wrong_array_is_drawn_over_the_expected_one(graded):
    case = graded.questions["one_pole"].cases[2]
    picture = str(sketch(case.curves))
    assert picture.count("<circle") == 16  # two rows of four, twice
    assert "row 1: expected 2.9 4.58 -2 7, yours 2 4.4 -2 7" in picture


def test_a_value_that_is_not_finite_breaks_the_line():
    picture = str(
        sketch({"expected": [[0.0, 1.0, 2.0, 3.0]], "answer": [[0.0, None, 2.0, 3.0]], "quantity": "value"})
    )
    assert picture.count("<circle") == 7
    assert "not finite" in picture
    assert re.search(r'class="yours"><path d="M[\d. ]+M[\d. ]+L', picture)


# the class -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A graded class of three: a right file, a wrong one, an unreadable one."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "torn.ipynb").write_bytes(b"{ torn")
    paths = {"ada": sample.path_of(STUDENTS["s01"]), "ben": sample.path_of(STUDENTS["s05"])}
    classroom = Classroom(folder)
    files = paths | {"cid": folder / "torn.ipynb"}
    classroom.grade("ex02", [Submission(student, path) for student, path in files.items()], SEED)
    classroom.feedback("ex02")
    return classroom


def test_every_graded_student_gets_a_page_and_a_text(classroom):
    written = {str(p.relative_to(classroom.folder)) for p in (classroom.folder / "feedback").rglob("*.*")}
    wanted = {
        f"feedback/{s}/ex02/{name}" for s in ("ada", "ben", "cid") for name in ("ex02.html", f"{s}.txt")
    }
    assert written == wanted


def test_nothing_about_students_is_open_to_other_users(classroom):
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in classroom.folder.rglob("*")}
    ours = {p: mode for p, mode in modes.items() if p.name != "torn.ipynb" and "release" not in p.parts}
    assert len(ours) > 20
    assert [str(path) for path, mode in ours.items() if mode & 0o077] == []


@pytest.mark.parametrize("name", ["zoe", "../ada", "ada/../ben", "", "*", "/etc"])
def test_feedback_for_a_name_that_was_not_graded_is_refused(classroom, name):
    with pytest.raises(UserError, match="no graded ex02 of"):
        classroom.feedback("ex02", name)


def test_feedback_for_one_student_writes_no_other(classroom):
    assert list(classroom.feedback("ex02", "ben")) == ["ben"]


def test_a_copy_that_lost_its_outcome_costs_no_one_else_the_page(classroom, tmp_path):
    lost = classroom.folder / "autograded/lost/ex02/ex02.ipynb"
    lost.parent.mkdir(parents=True)
    lost.write_text(to_text(sample.submission(STUDENTS["s01"])), encoding="utf-8")
    page_of_cid = classroom.folder / "feedback/cid/ex02/ex02.html"
    page_of_cid.unlink()
    with pytest.raises(UserError, match=r"no feedback for lost .*; grade again"):
        classroom.feedback("ex02")
    lost.unlink()
    assert page_of_cid.exists()


def test_marks_and_comments_of_the_gradebook_are_on_the_page(classroom):
    with classroom.gradebook() as gradebook:
        gradebook.find_grade(f"written-{WRITTEN}", "ex02", "ex02", "ada").manual_score = 1.5
        gradebook.find_comment(f"written-{WRITTEN}", "ex02", "ex02", "ada").manual_comment = "Well said."
        gradebook.find_comment("answer-one_pole", "ex02", "ex02", "ada").manual_comment = "Neat."
        gradebook.db.commit()
    seen = words(classroom.feedback("ex02", "ada")["ada"].read_text(encoding="utf-8"))
    assert "19.5 of 20 points" in seen
    assert "Well said." in seen
    assert "Neat." in seen


def test_questions_stand_in_the_order_of_the_notebook():
    outcome = made_up()
    outcome.questions = dict(sorted(outcome.questions.items()))  # as a graded copy gives them back
    lines = [line for line in short_text(record(outcome)).splitlines() if line[0].isdigit()]
    assert [line[:20] for line in lines[:3]] == [
        "1. A batch, and a po",
        "2. Which one settles",
        "3. What calm costs –",
    ]


def test_an_outcome_that_a_file_brings_along_is_not_believed(classroom, released):
    forged = copy.deepcopy(released)
    answer_cell(forged, "one_pole").source = "def one_pole(x, alpha): return 0"
    perfect = {"points": 20.0, "max_points": 20.0, "name": "one_pole", "verdict": "correct"}
    forged.metadata["course"] = {"outcome": {"exercise": "ex02", "questions": {"one_pole": perfect}}}
    path = classroom.folder / "forged.ipynb"
    path.write_text(to_text(forged), encoding="utf-8")
    classroom.grade("ex02", [Submission("eve", path)], SEED)
    assert "0 of 20 points" in words(classroom.feedback("ex02", "eve")["eve"].read_text(encoding="utf-8"))
