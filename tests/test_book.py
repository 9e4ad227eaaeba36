"""The book as it is built: read in Chromium, by axe, by keyboard, and searched for what must not be in it."""

import collections
import html.parser
import itertools
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from accessibility import IN_CHROMIUM, grave_findings
from nbformat.v4 import new_markdown_cell, new_notebook

from course_utils.claims import claims
from grading import CANARY, book
from grading.build import targets
from grading.canary import find
from grading.errors import UserError
from grading.files import write_text

LESSONS = [f"lessons/{target.name}.html" for target in targets() if not target.is_exercise]
EXERCISES = [f"exercises/{target.name}.html" for target in targets() if target.is_exercise]
GUIDES = [page.replace(".md", ".html") for page in book.PAGES.values()]
PAGES = ["index.html", *LESSONS, *EXERCISES, *GUIDES, "claims.html", "search.html"]
BEYOND = """[document.documentElement, document.querySelector('.bd-article-container')]
  .map(part => part.scrollWidth - part.clientWidth).reduce((a, b) => a + b)"""
ONE_OF_EACH_LOOK = """() => {  // axe would take half a minute over all that is coloured alike on a long page
  const look = e => e === document.body ? '' : look(e.parentElement) + '/' + e.tagName + '.' + e.className;
  const seen = new Set();
  for (const e of document.querySelectorAll('pre span, math, p, li, td, th, a, code'))
    if (e.isConnected) seen.has(look(e)) ? e.remove() : seen.add(look(e));
}"""

pytestmark = IN_CHROMIUM


def course_book(*arguments):
    command = [sys.executable, "-m", "grading.cli", "book", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built book."""
    folder = tmp_path_factory.mktemp("build") / "book"
    done = course_book("--out", folder)
    assert done.stdout == f"built the book; open {folder / 'index.html'}\n", done.stderr
    return folder


@pytest.fixture(scope="module")
def seen(browser, site):
    """What a visit to every page shows: {what: {page: what was found there}}."""
    found = collections.defaultdict(dict)
    page = browser.new_page(color_scheme="light")
    complaints, asked = [], []
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    for name in PAGES:
        page.goto((site / name).as_uri())
        for width in (1280, 800):
            page.set_viewport_size({"width": width, "height": 900})
            found[f"beyond {width}"][name] = page.evaluate(BEYOND)
        found["headings"][name] = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
            "l => l.map(e => +e.tagName[1])"
        )
        found["rules"][name] = grave_findings(page, rules={"color-contrast": {"enabled": False}})
        page.evaluate(ONE_OF_EACH_LOOK)
        found["light"][name] = grave_findings(page, runOnly=["color-contrast"])
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        found["dark"][name] = grave_findings(page, runOnly=["color-contrast"])
        found["complaints"][name] = complaints[:]
        found["asked"][name] = [url for url in asked if not url.startswith(("file:", "data:"))]
        complaints.clear(), asked.clear()
    page.close()
    return found


def remarks(by_page):
    return {name: found for name, found in by_page.items() if found}


class Page(html.parser.HTMLParser):
    """The ids, links, pictures, formulas and words of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.images, self.text, self.formulas = set(), [], [], [], []
        self.in_formula = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if tag == "img":
            self.images.append(attributes)
        if tag == "math":
            self.formulas.append("")
            self.in_formula = True

    def handle_endtag(self, tag):
        self.in_formula = self.in_formula and tag != "math"

    def handle_data(self, data):
        self.text.append(data)
        if self.in_formula:
            self.formulas[-1] += data


@pytest.fixture(scope="module")
def pages(site):
    return {name: Page(site / name) for name in PAGES}


def test_every_page_that_was_built_is_looked_at(site):
    built = {str(path.relative_to(site)) for path in site.rglob("*.html") if "_static" not in path.parts}
    assert built == set(PAGES)


def test_pages_open_without_a_complaint(seen):
    assert remarks(seen["complaints"]) == {}


def test_nothing_is_asked_of_another_machine(seen):
    assert remarks(seen["asked"]) == {}


def test_axe_finds_nothing_grave(seen):
    assert remarks(seen["rules"]) == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_has_contrast(seen, theme):
    assert remarks(seen[theme]) == {}


@pytest.mark.parametrize("width", [1280, 800])
def test_no_page_scrolls_sideways(seen, width):
    assert remarks(seen[f"beyond {width}"]) == {}


def test_a_page_has_one_title_and_no_level_is_left_out(seen):
    for name, levels in seen["headings"].items():
        assert levels[0] == 1, name
        assert levels.count(1) == 1, name
        assert all(below - above <= 1 for above, below in itertools.pairwise(levels)), name


ELSEWHERE = {"https://ngshare.readthedocs.io", "https://jobqueue.dask.org", "https://kubernetes.dask.org"}
"""Pages of others that the guides name; the book does without them."""


def leads_somewhere(link, path, pages, site):
    """Whether a link on the page at ``path`` leads to a file of the site, and to a place that is in it."""
    address = urlsplit(link)
    target = (path.parent / unquote(address.path)).resolve() if address.path else path
    if address.scheme or not (target.is_relative_to(site) and target.is_file()):
        return False
    return not address.fragment or unquote(address.fragment) in pages[str(target.relative_to(site))].ids


def test_every_link_leads_somewhere(site, pages):
    links = [(name, link) for name, page in pages.items() for link in page.links if link not in ELSEWHERE]
    assert len(links) > 1000
    assert [pair for pair in links if not leads_somewhere(pair[1], site / pair[0], pages, site)] == []


def test_every_picture_says_what_it_shows(pages):
    images = [image for page in pages.values() for image in page.images]
    assert len(images) > 100
    assert [image["src"] for image in images if len(image.get("alt") or "") < 60] == []


def test_a_picture_stands_for_every_widget(pages):
    for name in LESSONS[1:]:
        assert "".join(pages[name].text).count("A picture of what JupyterLab shows with sliders.") == 2, name


def test_no_command_of_latex_is_left_in_a_formula(pages):
    formulas = [(name, text) for name, page in pages.items() for text in page.formulas]
    assert len(formulas) > 500
    assert [formula for formula in formulas if re.search(r"[\\$]|^$", formula[1])] == []


@pytest.mark.parametrize("name", ["lessons/02_one_pole", "exercises/ex02"])
def test_the_notebook_can_be_downloaded_without_outputs(site, pages, name):
    (link,) = [link for link in pages[f"{name}.html"].links if link.endswith(".ipynb")]
    notebook = nbformat.read((site / name).parent / link, as_version=4)
    nbformat.validate(notebook)
    assert len(notebook.cells) > 20
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_the_first_page_leads_to_every_lesson_and_says_how_long_it_takes(pages):
    text = " ".join("".join(pages["index.html"].text).split())
    assert "02 One pole How long does one number remember? 50 ex02" in text
    assert set(LESSONS + EXERCISES) <= set(pages["index.html"].links)


def test_a_lesson_that_names_no_minutes_is_refused():
    lesson = new_notebook(cells=[new_markdown_cell("# 13 Words\n\n**Which ones?**\n\nA short lesson.")])
    with pytest.raises(
        UserError, match="13_words must begin with a title, a question in bold and its minutes"
    ):
        book.lesson_map({"13_words": lesson}, {})


def test_the_page_of_claims_holds_every_claim(pages):
    text = "".join(pages["claims.html"].text)
    assert [name for name in claims() if name not in text] == []


def test_an_exercise_shows_its_stub_and_no_solution(pages):
    for name in EXERCISES:
        text = "".join(pages[name].text)
        assert "raise NotImplementedError()" in text, name
        assert "SOLUTION" not in text, name


def test_the_secret_of_the_solutions_is_in_no_file(site):
    files = [path for path in site.rglob("*") if path.is_file()]
    assert [path for path in files if CANARY.encode() in path.read_bytes()] == []
    packed = [path for path in files if path.suffix in (".ipynb", ".js", ".inv")]
    assert [path for path in packed if find(CANARY, path.read_bytes())] == []


def focus_by_tab(page, selector, most=80):
    """Press Tab until an element is reached; returns whether it was."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return True
    return False


def test_a_word_is_searched_for_and_found_without_a_mouse(page, site):
    page.goto((site / "index.html").as_uri())
    assert focus_by_tab(page, ".search-button__button", most=5)
    page.keyboard.press("Enter")
    page.keyboard.type("perplexity")
    page.keyboard.press("Enter")
    page.locator("#search-results a[href*='11_language_model']").first.wait_for()


def test_another_lesson_is_opened_without_a_mouse(page, site):
    page.goto((site / "lessons/01_sequences.html").as_uri())
    assert focus_by_tab(page, "nav[aria-label='All pages'] a[href='02_one_pole.html']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/02_one_pole.html")
    assert page.locator(".prev-next-footer .right-next").get_attribute("href") == "03_modes.html"


def test_a_folded_answer_opens_without_a_mouse(page, site):
    page.goto((site / "lessons/02_one_pole.html").as_uri())
    assert page.locator("details").count() == page.locator("details:not([open])").count() == 10
    assert focus_by_tab(page, "summary")
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1
    assert "halved, again and again" in page.locator("details[open]").inner_text()


def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    (tmp_path / "index.html").write_text("a page of mine", encoding="utf-8")
    with pytest.raises(UserError, match="something else than a book; choose another folder"):
        book.build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


@pytest.mark.filterwarnings("ignore:.*Check CHANGES for Sphinx")  # what MyST uses of it
def test_a_link_that_leads_nowhere_stops_the_build(tmp_path, capsys):
    write_text(tmp_path / "source/conf.py", 'extensions = ["myst_nb"]\nhtml_theme = "basic"\n')
    write_text(tmp_path / "source/index.md", "# A page\n\n[nowhere](nowhere.md)\n")
    with pytest.raises(UserError, match="was not built"):
        book.run_sphinx(tmp_path / "source", tmp_path / "site")
    assert "nowhere.md" in capsys.readouterr().err
