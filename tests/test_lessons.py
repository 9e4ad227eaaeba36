"""What every lesson's stored notebook must show; its numbers are compared by nbval (make lessons)."""

import html.parser
import re
import statistics

import nbformat
import pytest

from course_utils.claims import claims
from grading import ROOT
from grading.build import assemble, stale, targets
from grading.markers import shown_source

LESSONS = [target for target in targets() if not target.is_exercise]
BY_NAME = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
TOP = re.compile(r"^# \*\*(.+)\*\*\n.*?^# (\d+) minutes", re.M | re.S)
SOURCES = re.compile(r'^# %% .*shows="([\w.]+)"', re.M)


def code_cells(lesson):
    notebook = nbformat.read(lesson.notebook, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(lesson):
    return [output for cell in code_cells(lesson) for output in cell.outputs]


def printed(lesson):
    return "".join(output.text for output in outputs(lesson) if output.output_type == "stream")


class Images(html.parser.HTMLParser):
    """Collects the alt texts of the images in a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.alts = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.alts.append(dict(attributes).get("alt") or "")


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_the_committed_notebook_is_what_its_source_builds(target):
    assert stale(target) is None


@BY_NAME
def test_every_claim_of_the_lesson_is_shown_to_hold(lesson):
    rows = [row["id"] for row in claims().values() if row["lesson"] == lesson.name[:2]]
    text = printed(lesson)
    assert [row for row in rows if not re.search(rf"^claim {row}: .*, holds$", text, re.M)] == []


@BY_NAME
def test_no_stored_output_is_an_error_or_noise_on_stderr(lesson):
    bad = [o for o in outputs(lesson) if o.output_type == "error" or o.get("name") == "stderr"]
    assert bad == []


@BY_NAME
def test_no_stored_output_shows_the_name_of_a_plot_object(lesson):
    texts = [output.data.get("text/plain", "") for output in outputs(lesson) if "data" in output]
    assert [text for text in texts if re.search(r"<Figure|<Axes|Text\(|matplotlib\.", text)] == []


@BY_NAME
def test_every_picture_has_an_alt_text_with_numbers_in_it(lesson):
    pictures = [output for output in outputs(lesson) if "image/png" in output.get("data", {})]
    alts = [output.metadata.get("image/png", {}).get("alt", "") for output in pictures]
    alts += [alt for output in pictures for alt in Images(output.data["text/html"]).alts]
    assert pictures
    assert [alt for alt in alts if len(alt) < 60 or not re.search(r"\d", alt)] == []


@BY_NAME
def test_a_picture_says_the_same_in_html_and_in_metadata(lesson):
    for output in outputs(lesson):
        if "image/png" in output.get("data", {}):
            assert Images(output.data["text/html"]).alts == [output.metadata["image/png"]["alt"]]


@BY_NAME
def test_code_cells_are_short(lesson):
    lines = [len(cell.source.splitlines()) for cell in code_cells(lesson)]
    assert max(lines) <= 20
    assert statistics.median(lines) <= 8


@BY_NAME
def test_every_widget_that_is_shown_is_stored(lesson):
    views = [
        o.data["application/vnd.jupyter.widget-view+json"]["model_id"]
        for o in outputs(lesson)
        if "application/vnd.jupyter.widget-view+json" in o.get("data", {})
    ]
    notebook = nbformat.read(lesson.notebook, as_version=4)
    stored = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
    assert set(views) <= set(stored.get("state", {}))


@pytest.mark.parametrize(
    "name",
    [
        "02_one_pole",
        "04_adaptive",
        "05_rnn",
        "06_bptt",
        "07_horizon",
        "08_conditioning",
        "09_gated",
        "10_classifier",
        "11_language_model",
        "12_seq2seq",
    ],
)
def test_a_lesson_has_two_widgets(name):
    lesson = next(lesson for lesson in LESSONS if lesson.name == name)
    views = [o for o in outputs(lesson) if "application/vnd.jupyter.widget-view+json" in o.get("data", {})]
    assert len(views) >= 2


@BY_NAME
def test_what_is_shown_is_the_library(lesson):
    cells = {cell.source for cell in assemble(lesson).cells}
    shown = SOURCES.findall(lesson.source.read_text(encoding="utf-8"))
    assert [name for name in shown if shown_source(name) not in cells] == []


@BY_NAME
def test_the_lesson_asks_before_it_shows(lesson):
    notebook = nbformat.read(lesson.notebook, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert text.count("<details>") == text.count("</details>") >= 2


@pytest.mark.parametrize("path", ["README.md", "notebooks/src/00_start.py"])
def test_a_map_lists_every_lesson_with_its_question_and_minutes(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    tops = [TOP.search(lesson.source.read_text(encoding="utf-8")).groups() for lesson in LESSONS]
    assert [top for top in tops if "| {} | {} |".format(*top) not in text] == []
    others = [lesson.name for lesson in LESSONS if lesson.source != ROOT / path]
    assert [name for name in others if f"{name}.ipynb" not in text] == []
