"""The page of claims: every claim with what its lesson printed, and no page without a measurement."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_utils.claims import claims
from grading.build import targets
from grading.claims_page import claims_page, measurements, tolerance
from grading.errors import UserError


@pytest.fixture(scope="module")
def lessons():
    """All lessons as they are stored."""
    paths = [target.notebook for target in targets() if not target.is_exercise]
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


@pytest.fixture(scope="module")
def lines(lessons):
    """The rows of the page, by claim."""
    rows = [line for line in claims_page(lessons).splitlines() if "<br>`" in line]
    return {line.partition("<br>`")[2].partition("`")[0]: line for line in rows}


def printing(text, heading="# 02 One pole"):
    output = new_output("stream", name="stdout", text=text)
    return new_notebook(cells=[new_markdown_cell(heading), new_code_cell("claim(...)", outputs=[output])])


def test_every_claim_has_its_row_in_the_order_of_the_file(lines):
    assert list(lines) == sorted(claims(), key=lambda row: claims()[row]["lesson"])


def test_a_row_holds_what_is_stated_and_what_the_lesson_printed(lines):
    row = lines["one_pole.horizon_0.99"]
    assert "| 99.5 | ± 0.05 | 99.499 | slides |" in row
    assert "[How long is the memory?](lessons/02_one_pole.ipynb#how-long-is-the-memory)" in row


def test_signs_of_markdown_in_a_claim_are_shown_as_they_are(lines):
    assert r"W\_hy^T dL\_t/dy\_t" in lines["bptt.delta_recursion"]


def test_a_claim_without_a_measurement_stops_the_page():
    with pytest.raises(
        UserError, match=r"lesson 02_one_pole prints no .* one_pole\.impulse; .* course build"
    ):
        claims_page({"02_one_pole": printing("claim one_pole.dc_gain: stated 100, measured 100, holds\n")})


@pytest.mark.parametrize("end", ["DOES NOT HOLD", "hold", ""])
def test_a_claim_that_does_not_hold_is_no_measurement(end):
    assert measurements(printing(f"claim a.b: stated 1, measured 2, {end}\n")) == {}


def test_several_measurements_are_kept_with_the_section_of_each():
    lines = [f"claim a.b: stated 1, measured {value}, holds\n" for value in (2, 3)]
    found = measurements(printing("something\n".join(lines)))
    assert found == {"a.b": [("1", "2", "02 One pole"), ("1", "3", "02 One pole")]}


def test_a_claim_belongs_to_the_last_heading_above_it():
    text = "# Title\n\nwords\n\n## Section\n\nmore words"
    notebook = printing("claim a.b: property, measured true, holds\n", text)
    assert measurements(notebook)["a.b"] == [("true", "true", "Section")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"kind": "property"}, "none"),
        ({"kind": "band", "low": 0, "high": 1}, "within the band"),
        ({"kind": "exact", "abs_tol": 5e4}, "± 50,000"),
        ({"kind": "exact", "abs_tol": 0}, "none"),
        ({"kind": "measured", "rel_tol": 0.1}, "± 10 %"),
        ({"kind": "measured", "log10_tol": 1, "abs_tol": 3}, "a factor of 10"),
        ({"kind": "exact"}, "nine digits"),
    ],
)
def test_the_tolerance_in_words(row, words):
    assert tolerance(row) == words
