"""The symbols of the lessons' formulas stand in docs/conventions.md, with one meaning a lesson."""

import re

import pytest

from grading import ROOT
from grading.build import targets

LESSONS = {target.name[:2]: target.source for target in targets() if not target.is_exercise}
MARKDOWN = re.compile(r"^# %% \[markdown\].*\n((?:#.*\n)+)", re.M)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)
ROW = re.compile(r"^\| (\$[^|]+) \|.* \| ([^|]+) \|$", re.M)
GREEK = "alpha beta gamma delta Delta epsilon varepsilon eta theta lambda mu pi rho sigma tau varphi omega"
LETTER = rf"(?:\\(?:{GREEK.replace(' ', '|')})(?![a-zA-Z])|[a-zA-Z])"
SYMBOL = re.compile(
    rf"""\\(?:text|operatorname|begin|end)[ ]*\{{[^{{}}]*\}}                       # words
    | d(?={LETTER})                                                             # a derivative
    | (?P<letter>\\(?:mathrm|mathbb|bar|tilde)[ ]*(?:\{{\w+\}}|\w) | {LETTER})
      (?P<mark>'|\^\*)? (?:_(?P<index>\{{[^{{}}]*\}}|\\\w+|\w))?
    | \\[a-zA-Z]+                                                               # an operator
    """,
    re.X,
)
RUNNING = re.compile(r"[tkijslTH\d\s,+-]|\\d?delta|\\,")
"""What an index that runs over steps or entries is made of; any other is a name, as in W_xh."""


def symbols(formula, indices=True):
    """The symbols of a formula; every index that runs is written as t, and its letters are listed, too."""
    found = set()
    for match in SYMBOL.finditer(formula):
        letter, mark, index = match.group("letter", "mark", "index")
        if letter is None:
            continue
        symbol = re.sub(r"[ {}]", "", letter) + (mark or "")
        if index is None:
            found.add(symbol)
        elif RUNNING.sub("", index.strip("{}")):
            found.add(f"{symbol}_{re.sub(r'[^a-z]', '', index)}")
        else:
            found |= {f"{symbol}_t"} | (symbols(index) if indices else set())
    return found


@pytest.fixture(scope="module")
def by_lesson():
    """The symbols in the text of each lesson."""
    found = {}
    for lesson, source in LESSONS.items():
        cells = MARKDOWN.findall(source.read_text(encoding="utf-8"))
        text = CODE.sub("", "\n".join(cells).replace("\n# ", "\n"))
        found[lesson] = set().union(*(symbols(block or line) for block, line in FORMULA.findall(text)))
    return found


@pytest.fixture(scope="module")
def table():
    """The rows of the tables: ({"h_t", "h"}, {"02", "03"}) is read from | $h_t$, $h$ | ... | 02 to 03 |."""
    rows = []
    for first, last in ROW.findall((ROOT / "docs/conventions.md").read_text(encoding="utf-8")):
        ends = [re.findall(r"\d+", span) for span in last.split(",")]
        lessons = {f"{lesson:02}" for span in ends for lesson in range(int(span[0]), int(span[-1]) + 1)}
        rows.append((set().union(*(symbols(one, indices=False) for one in first.split("$")[1::2])), lessons))
    return rows


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"h_{t-1} + W_{hh}^{20}", {"h_t", "t", "W_hh"}),
        (r"\frac{dL}{dW_{ij}} \approx \lambda_{\max}", {"L", "W_t", "i", "j", r"\lambda_max"}),
        (r"w^* \cdot \bar a\,\text{mean} \operatorname{diag}(c')", {"w^*", r"\bara", "c'"}),
        (r"x_{t - i\delta} = e^{\mathrm{i}\pi}", {"x_t", "t", "i", r"\delta", "e", r"\mathrmi", r"\pi"}),
    ],
)
def test_a_symbol_is_a_letter_with_what_names_it(formula, expected):
    assert symbols(formula) == expected


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_symbol_of_a_lesson_has_one_meaning_there(lesson, table, by_lesson):
    rows = {s: sum(s in row and lesson in lessons for row, lessons in table) for s in by_lesson[lesson]}
    wrong = {symbol: count for symbol, count in sorted(rows.items()) if count != 1}
    assert wrong == {}, f"how many rows of docs/conventions.md explain a symbol of lesson {lesson}"


def test_a_row_names_the_lessons_that_use_it_and_no_other(table, by_lesson):
    wrong = [(row, lesson) for row, lessons in table for lesson in lessons if not row & by_lesson[lesson]]
    assert wrong == [], "rows of docs/conventions.md that name a lesson without their symbols"


def test_no_row_holds_a_symbol_that_no_lesson_uses(table, by_lesson):
    seen = [(row, set().union(*(by_lesson[lesson] for lesson in lessons))) for row, lessons in table]
    assert [row - known for row, known in seen if row - known] == []
