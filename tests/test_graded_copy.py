"""What leaves grading: a copy that runs nothing where it is looked at, and a table of marks."""

import csv
import html
import re
import time

import pytest
from conftest import answer_cell
from gradebooks import make_class
from nbconvert.filters import markdown2html
from nbformat.v4 import new_code_cell, new_output

from grading.harmless import Harmless, harmless_markdown, harmless_output
from grading.session import readable


def export(folder, **student):
    """Export one made-up student's row and read it back."""
    classroom = make_class(folder, {"s1": 12.870000000000001}, [{"id": "s1"} | student])
    classroom.export(folder / "marks.csv")
    with open(folder / "marks.csv", encoding="utf-8", newline="") as file:
        return next(csv.DictReader(file))


def test_points_are_rounded_to_two_decimals(tmp_path):
    assert export(tmp_path)["score"] == "12.87"


@pytest.mark.parametrize("name", ["O'Neil, Zoë", 'Ann "Nan"', "Anna-Lena; B", "می\u200cخواهم"])
def test_a_name_stays_in_its_column(tmp_path, name):
    row = export(tmp_path, last_name=name, email="a@b.c")
    assert (row["last_name"], row["email"]) == (name, "a@b.c")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1"])
def test_a_name_never_becomes_a_formula(tmp_path, name):
    assert export(tmp_path, first_name=name)["first_name"] == f"'{name}"


@pytest.mark.parametrize("unseen", [" ", "\r", "\n", "\t", "\x00", "\u00a0", "\u2028", "\u200b", "\ufeff "])
def test_nor_does_one_behind_what_cannot_be_seen(tmp_path, unseen):
    assert export(tmp_path, first_name=f"{unseen}=1+1")["first_name"].lstrip("\u200b\ufeff ") == "'=1+1"


@pytest.mark.parametrize("name", ["x;=1+1", "x; =1+1", "x;\t@A1"])
def test_nor_does_a_part_of_one_where_columns_end_at_semicolons(tmp_path, name):
    assert re.fullmatch("x; ?'[=@].*", export(tmp_path, first_name=name)["first_name"])


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0b", "\x85", "\u2028"])
def test_a_name_stays_on_one_line_and_between_quotes(tmp_path, end):
    assert export(tmp_path, last_name=f"two{end}lines")["last_name"] == "two lines"
    assert '"two lines"' in (tmp_path / "marks.csv").read_text(encoding="utf-8")


# what a graded copy may hold -------------------------------------------------------------------------

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)>",
        "<iframe src='//x'></iframe>",
        "![picture](/formgrader?path=a)",
        "![picture][there]\n\n[there]: /formgrader?path=a",
        "[link](javascript:alert(1))",
        "[there]\n\n[there]: javascript:alert(1)",
        "<https://example.org>",
        "https://example.org/x",
        "# check-one_pole",
        "> check-one_pole\n> ===",
        "- check-one_pole\n  ---",
        "|a|\n|-|\n|<b onclick=alert(1)>x</b>|",
        "<!-- <script> --><script>alert(1)</script>",
        "<\x00script>alert(1)</script>",
    ],
)
def test_markdown_that_acts_becomes_plain_text(text):
    shown = markdown2html(harmless_markdown(text))
    assert not [tag for tag in ("<script", "<img", "<iframe", "<a ", "<h1", "<h2", "<b ") if tag in shown]
    assert " id=" not in shown


@pytest.mark.parametrize(
    "text",
    [
        r"$\let\h=\href1\h{javascript:alert(1)}{x}$",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\bbox[position:fixed;top:0]{x}$",
        r"$\style1{position:fixed}{x}$",
        r"$\mmlToken{mi}[href=javascript:alert(1)]{x}$",
        r"$\class_x \cssId1 \require2 \def\x{} \newcommand{\x}{}$",
        r"\$ &#92;href{javascript:alert(1)}{x} &bsol;href \$",
    ],
)
def test_a_formula_names_no_macro_that_acts(text):
    shown = html.unescape(markdown2html(harmless_markdown(text)))
    acting = r"\\(href|bbox|style|class|cssId|require|let|def|newcommand|mmlToken)(?![A-Za-z])"
    assert re.findall(acting, shown) == []


@pytest.mark.parametrize("text", ["#" * 40_000 + "x", "\n" * 40_000 + "x"], ids=["marks", "empty lines"])
def test_no_text_takes_long_to_make_harmless(text):
    began = time.process_time()
    harmless_markdown(text)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("unseen", ["\x1b]0;", "\x9b", "\r", "\x07", "\u202e", "\u2067", "\u2028"])
def test_what_a_kernel_says_cannot_steer_a_terminal(unseen):
    assert not set(readable({"a": [f"a{unseen}b"]})["a"][0]) - set("a]0;b")
    assert readable("one\n\ttwo é") == "one\n\ttwo é"


@pytest.mark.parametrize(
    "text",
    [
        r"$|\alpha| < 1$ and $h_t$",
        "**bold**, *weak*, `x[0]`",
        "1. one\n2. two",
        "a > b < c",
        r"$\left. \deg x & y$",
    ],
)
def test_ordinary_markdown_is_left_alone(text):
    assert harmless_markdown(text) == text


OUTPUTS = {
    "html": ("display_data", {"data": {"text/html": "<b>x</b>", "text/plain": "x"}}, {"text/plain": "x"}),
    "javascript": ("display_data", {"data": {"application/javascript": "alert(1)"}}, None),
    "svg": ("display_data", {"data": {"image/svg+xml": "<svg onload=alert(1)>"}}, None),
    "markdown": ("display_data", {"data": {"text/markdown": "<b>", "text/plain": "x"}}, {"text/plain": "x"}),
    "widget": ("display_data", {"data": {"application/vnd.jupyter.widget-view+json": {}}}, None),
    "picture": ("display_data", {"data": {"image/png": PNG}}, {"image/png": PNG}),
    "another kind of picture": (
        "display_data",
        {"data": {"image/png": "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"}},
        None,
    ),
    "no picture": ("display_data", {"data": {"image/png": 'x" onerror="alert(1)'}}, None),
    "colours": ("execute_result", {"data": {"text/plain": "\x1b[31mred\x1b[0m\x07"}}, {"text/plain": "red"}),
}


@pytest.mark.parametrize(("kind", "parts", "left"), OUTPUTS.values(), ids=OUTPUTS)
def test_of_an_output_what_cannot_act_is_left(kind, parts, left):
    output = harmless_output(new_output(kind, metadata={"filenames": {"image/png": "x"}}, **parts))
    assert (output and output.data) == left
    assert not output or output.metadata == {}


def test_streams_and_errors_lose_their_escapes():
    stream = harmless_output(new_output("stream", text="\x1b]8;;http://x\x07a\x1b[1mb\n"))
    error = harmless_output(new_output("error", ename="E", evalue="\x1b[1mv", traceback=["\x1b[31mt"]))
    assert (stream.text[-3:], error.evalue, error.traceback) == ("ab\n", "v", ["t"])
    assert "\x1b" not in stream.text


def test_only_what_is_ours_keeps_its_markup(solved):
    resources = {"nbgrader": {"assignment": "ex02"}}
    answer_cell(solved, "delay_argument").source = "<b>mine</b>"
    check = next(cell for cell in solved.cells if cell.id == "check-one_pole")
    check.outputs = [new_output("display_data", {"text/html": "<table>ours</table>"})]
    theirs = new_code_cell("x", outputs=[new_output("display_data", {"text/html": "<b>theirs</b>"})])
    before = [cell.source for cell in solved.cells if cell.source.startswith("## ")]
    solved.cells.append(theirs)
    solved, _ = Harmless().preprocess(solved, resources)
    assert [cell.source for cell in solved.cells if cell.source.startswith("## ")] == before
    assert answer_cell(solved, "delay_argument").source == "< b>mine< /b>"
    assert check.outputs[0].data == {"text/html": "<table>ours</table>"}
    assert theirs.outputs == []
