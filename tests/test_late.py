"""Late work: what the file of deadlines says is taken off, is taken off, and follows each change of it."""

import re
import shutil
from datetime import UTC, datetime

import pytest
from gradebooks import make_class
from nbgrader.apps.api import NbGraderAPI
from typer.testing import CliRunner

from grading import ROOT, sample
from grading.classroom import Classroom
from grading.cli import app
from grading.deadlines import Rule, read_deadlines
from grading.errors import UserError
from grading.exercise import worth
from grading.feedback import Record, page, short_text
from grading.late import Change, recompute, sentence
from grading.results import Outcome, QuestionResult
from grading.submissions import find_submissions

DUE = datetime(2026, 11, 15, 22, 59)  # in UTC
TEN_PERCENT = """
time_zone = "Europe/Berlin"

[rule]
percent_a_day = 10
at_most = 50
grace_minutes = 30

[ex02]
due = 2026-11-15 23:59:00
"""
DAY = 86400


def write(folder, text):
    (folder / "deadlines.toml").write_text(text, encoding="utf-8")


# the rule ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "points"),
    [(0, 0), (1800, 0), (1801, 2), (DAY, 2), (DAY + 1, 4), (4.5 * DAY, 10), (5 * DAY, 10), (99 * DAY, 10)],
)
def test_each_day_begun_costs_up_to_a_most_and_nothing_within_the_grace(seconds, points):
    assert Rule(10, in_percent=True, at_most=50, grace=1800).penalty(seconds, 20) == points


def test_a_rule_in_points_takes_off_points_whatever_the_exercise_is_worth():
    assert Rule(1.5, at_most=4).penalty(2 * DAY, 20) == Rule(1.5).penalty(2 * DAY, 7) == 3
    assert Rule(1.5, at_most=4).penalty(3 * DAY, 20) == 4


# the file ---------------------------------------------------------------------------------------------


def test_a_due_date_counts_in_its_time_zone(tmp_path):
    write(tmp_path, TEN_PERCENT)
    assert read_deadlines(tmp_path)["ex02"].due == DUE.replace(tzinfo=UTC)


def test_a_date_with_an_offset_needs_no_time_zone(tmp_path):
    write(tmp_path, "[ex02]\ndue = 2026-11-15T23:59:00+01:00\n")
    assert read_deadlines(tmp_path)["ex02"].due == DUE.replace(tzinfo=UTC)


def test_an_extension_is_a_date_or_a_number_of_days(tmp_path):
    write(tmp_path, TEN_PERCENT + "[ex02.extensions]\nanna = 2026-11-17 23:59:00\n'b@x.edu' = 2\n")
    assert set(read_deadlines(tmp_path)["ex02"].extensions.values()) == {
        datetime(2026, 11, 17, 22, 59, tzinfo=UTC)
    }


def test_an_exercise_can_have_a_rule_of_its_own(tmp_path):
    write(tmp_path, TEN_PERCENT + "[ex02.rule]\npoints_a_day = 3\n[ex03]\ndue = 2026-12-01 12:00:00\n")
    rules = {name: deadline.rule for name, deadline in read_deadlines(tmp_path).items()}
    assert rules == {"ex02": Rule(3), "ex03": Rule(10, True, 50, 1800)}


def test_without_the_file_there_are_no_deadlines(tmp_path):
    assert read_deadlines(tmp_path) is None


def test_the_file_of_the_guide_is_one(tmp_path):
    guide = (ROOT / "docs/instructors.md").read_text(encoding="utf-8")
    write(tmp_path, re.search(r"^## Late work.*?```toml\n(.*?)```", guide, re.S | re.M)[1])
    deadlines = read_deadlines(tmp_path)
    assert [deadlines[name].rule for name in ("ex02", "ex03")] == [Rule(10, True, 50, 900), Rule(1)]
    assert len(deadlines["ex02"].extensions) == 2


WRONG = {
    "no TOML": ("[ex02", "cannot be read as TOML"),
    "an unknown exercise": ("[ex77]\ndue = 2026-11-15T12:00:00Z", "the file knows no 'ex77'"),
    "a misspelt entry": ("[ex02]\ndeu = 2026-11-15T12:00:00Z", "[ex02] knows no 'deu'"),
    "no due date": ("[ex02]", "[ex02] needs a due date"),
    "no time": ("[ex02]\ndue = 2026-11-15", "due in [ex02] has to be a date with a time"),
    "a text": ("[ex02]\ndue = 'Friday'", "it is 'Friday'"),
    "no zone": ("[ex02]\ndue = 2026-11-15 12:00:00", "has no time zone"),
    "an unknown zone": ("time_zone = 'Berlin'", "there is no time zone 'Berlin'"),
    "a zone that is no text": ("time_zone = 1", "there is no time zone 1"),
    "both rules": ("[rule]\npoints_a_day = 1\npercent_a_day = 1", "either points_a_day or percent_a_day"),
    "no rule": ("[rule]\nat_most = 1", "either points_a_day or percent_a_day"),
    "a negative rule": ("[rule]\npoints_a_day = -1", "has to be a number, 0 or more; it is -1"),
    "a rule that is true": ("[rule]\npoints_a_day = true", "has to be a number"),
    "a rule that is a number": ("rule = 1", "has to be a section, [rule]"),
    "an extension backwards": (
        "[ex02]\ndue = 2026-11-15T12:00:00Z\n[ex02.extensions]\nanna = -1",
        "e.g. 2026-11-15 23:59:00 or a number of days; it is -1",
    ),
    "an extension to an earlier day": (
        "[ex02]\ndue = 2026-11-15T12:00:00Z\n[ex02.extensions]\nanna = 2026-11-05T12:00:00Z",
        "anna in [ex02.extensions] is before the due date",
    ),
    "a date for never": (
        "time_zone = 'America/New_York'\n[ex02]\ndue = 9999-12-31 23:59:59",
        "due in [ex02] is in the year 9999; leave out what is never due",
    ),
    "a date before all dates": (
        "time_zone = 'Europe/Berlin'\n[ex02]\ndue = 0001-01-01 00:00:00",
        "is in the year 1;",
    ),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_an_entry_that_cannot_be_used_is_named(tmp_path, text, told):
    write(tmp_path, text)
    with pytest.raises(UserError, match=re.escape(told)):
        read_deadlines(tmp_path)


def test_a_wrong_file_stops_grading_before_anything_is_written(tmp_path):
    write(tmp_path, "[ex02]\ndue = 2026-11-15")
    with pytest.raises(UserError, match="date with a time"):
        Classroom(tmp_path).grade("ex02", [])
    assert [path.name for path in tmp_path.iterdir()] == ["deadlines.toml"]


# penalties in the gradebook ---------------------------------------------------------------------------

MARKS = {
    "early": (18.0, DUE),
    "late": (18.0, datetime(2026, 11, 17, 12)),
    "poor": (1.0, datetime(2026, 11, 17, 12)),
    "undated": (18.0, None),
}


@pytest.fixture
def classroom(tmp_path):
    write(tmp_path, TEN_PERCENT)
    return make_class(tmp_path, MARKS)


def penalties(classroom):
    with classroom.gradebook() as gradebook:
        submissions = gradebook.assignment_submissions("ex02")
        return {one.student.id: one.late_submission_penalty or 0 for one in submissions}


def test_points_are_taken_off_from_late_work_and_never_more_than_there_are(classroom):
    changes = recompute(classroom, "ex02").changes
    assert changes == [Change("late", 2, 0, 4), Change("poor", 2, 0, 1)]
    assert penalties(classroom) == {"early": 0, "late": 4, "poor": 1, "undated": 0}


def test_doing_it_again_changes_nothing(classroom):
    recompute(classroom, "ex02")
    assert recompute(classroom, "ex02").changes == []


CHANGES = {  # of the file, and how many days late the two are after it
    "a later date": (lambda text: text.replace("11-15", "11-20"), 0),
    "extensions": (
        lambda text: text + "[ex02.extensions]\nlate = 2\npoor = 2026-11-17 14:00:00\n",
        0,
    ),
    "no date any more": (lambda text: text.partition("[ex02]")[0], 0),
    "another rule": (lambda text: text.replace("percent_a_day = 10", "percent_a_day = 0"), 2),
}


@pytest.mark.parametrize(("change", "days"), CHANGES.values(), ids=CHANGES)
def test_penalties_follow_the_file(classroom, change, days):
    recompute(classroom, "ex02")
    write(classroom.folder, change(TEN_PERCENT))
    assert recompute(classroom, "ex02").changes == [Change("late", days, 4, 0), Change("poor", days, 1, 0)]
    assert set(penalties(classroom).values()) == {0}


def test_marks_that_leave_the_gradebook_follow_the_file_without_being_asked(classroom, tmp_path):
    classroom.export(tmp_path / "marks.csv")
    assert penalties(classroom)["late"] == 4


def test_points_that_a_person_gives_later_can_be_taken_off_too(classroom):
    recompute(classroom, "ex02")
    with classroom.gradebook() as gradebook:
        gradebook.find_grade("check-one_pole", "ex02", "ex02", "poor").manual_score = 10.0
        gradebook.db.commit()
    assert recompute(classroom, "ex02").changes == [Change("poor", 2, 1, 4)]


def test_without_a_file_or_a_gradebook_the_way_out_is_told(tmp_path):
    with pytest.raises(UserError, match=r"there is no deadlines.toml in .*; docs/instructors.md shows"):
        recompute(Classroom(tmp_path), "ex02")
    write(tmp_path, TEN_PERCENT)
    with pytest.raises(UserError, match="run first: course grade ex02"):
        recompute(Classroom(tmp_path), "ex02")


def test_the_command_says_what_changed_and_what_to_doubt(classroom):
    write(classroom.folder, TEN_PERCENT + "[ex02.extensions]\nlaet = 2\npoor = 9\n")
    done = CliRunner().invoke(app, ["late", "ex02", "--out", str(classroom.folder)])
    assert done.exit_code == 0
    assert "late: days late: 2; points off: 4 (was 0)" in done.stdout
    assert "due 2026-11-15 22:59 UTC; late: 1 of 4; penalties changed: 1" in done.stdout
    assert "called otherwise: laet" in done.stderr
    assert "submissions without a time, which count as in time: 1" in done.stderr


# through nbgrader -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of one late student whose exercise is released; ``autograde`` grades it with full marks."""
    folder = tmp_path_factory.mktemp("late")
    place = folder / "submitted/late/ex02"
    place.mkdir(parents=True)
    shutil.copy(sample.path_of(sample.students()[0]), place / "ex02.ipynb")
    (place / "timestamp.txt").write_text("2026-11-17 12:00:00 UTC")
    classroom = Classroom(folder)
    classroom.release("ex02")
    return classroom


@pytest.fixture
def autograde(graded, monkeypatch):
    """Grade with nbgrader after the file of deadlines is this one; returns the penalties."""

    def grade(deadlines):
        write(graded.folder, deadlines)
        assert NbGraderAPI(config=graded.config).autograde("ex02", "late")["success"]
        return penalties(graded)

    monkeypatch.setattr("grading.plugins.run_and_judge", lambda *_: full_marks())
    return grade


def full_marks():
    names = worth("ex02").items()
    return Outcome("ex02", {name: QuestionResult(name, most, most, "correct") for name, most in names})


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's own session
def test_grading_takes_points_off_and_after_an_extension_gives_them_back(autograde):
    """nbgrader itself leaves the old penalty where a deadline moves."""
    assert autograde(TEN_PERCENT) == {"late": 4}
    assert autograde(TEN_PERCENT + "[ex02.extensions]\nlate = 2\n") == {"late": 0}


@pytest.mark.slow
def test_a_class_run_gives_them_back_too(graded):
    """Whether or not the run executes what it has graded before."""
    for deadlines, points in ((TEN_PERCENT, 4), (TEN_PERCENT + "[ex02.extensions]\nlate = 2\n", 0)):
        write(graded.folder, deadlines)
        found = find_submissions(graded.folder / "submitted", "ex02")
        Classroom(graded.folder).grade("ex02", found)
        assert penalties(graded) == {"late": points}


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_feedback_follows_the_file_without_grading_again(autograde, graded):
    autograde(TEN_PERCENT)
    write(graded.folder, TEN_PERCENT.replace("percent_a_day = 10", "points_a_day = 3"))
    written = graded.feedback("ex02")["late"].read_text(encoding="utf-8")
    assert "It came 2 days late: 6 points were taken off." in written
    assert "14 of 20 points" in written


# what students read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "points", "said"),
    [
        (2, 4.0, "It came 2 days late: 4 points were taken off."),
        (1, 1.0, "It came 1 day late: 1 point was taken off."),
        (0, 0.5, "It came late: 0.5 points were taken off."),
        (3, 0.0, ""),
    ],
)
def test_one_sentence_says_how_late_and_what_it_costs(days, points, said):
    assert sentence(days, points) == said


@pytest.mark.parametrize("write_it", [page, short_text])
def test_page_and_text_say_it(write_it):
    record = Record("anna", full_marks(), penalty=4.0, days_late=2)
    assert "It came 2 days late: 4 points were taken off." in write_it(record)
