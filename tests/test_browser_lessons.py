"""Every lesson in a real JupyterLab: it runs; its dials follow keys and mouse while the page stands still."""

import statistics
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from accessibility import IN_CHROMIUM
from browsing import (
    CONTROLS,
    DIALS,
    LESSONS,
    by_keys,
    by_mouse,
    hand_out,
    jupyterlab,
    open_notebook,
    redraw,
    run_all,
    set_theme,
)

from grading import ROOT

WITH_DIALS = LESSONS[1:]
WIDGET = "application/vnd.jupyter.widget-view+json"
STATE = """dial => {
  const cell = dial.closest('.jp-Cell'), page = dial.closest('.jp-WindowedPanel-outer');
  const box = part => {
    const at = part.getBoundingClientRect();
    return [at.x, at.y + page.scrollTop, at.width, at.height].map(Math.round);
  };
  return {
    places: [...box(dial.querySelector('img')), ...box(cell.nextElementSibling)],
    rest: [page.scrollTop, document.querySelector('.jp-Cell.jp-mod-active').dataset.windowedListIndex],
  };
}"""
FITTED = """() => {
  const right = document.querySelector('.jp-Notebook').getBoundingClientRect().right;
  return right <= innerWidth && right > innerWidth - 60;
}"""
TOO_WIDE = """() => Array.from(document.querySelectorAll(
    '.jp-OutputArea-output, .course-dial, .course-dial :is(button, .widget-label, .widget-readout)'))
  .filter(part => part.clientWidth && part.scrollWidth > part.clientWidth + 1)
  .map(part => `${part.className}: ${part.innerText.slice(0, 60)}`)"""

CONTRASTS = """() => {  // by the formula of WCAG; axe takes all of JupyterLab for hidden
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = part => {
    const colour = channels(getComputedStyle(part).backgroundColor);
    return colour[3] === 0 ? behind(part.parentElement) : colour;
  };
  const words = '.course-dial :is(button, .widget-label, .widget-readout, figcaption)';
  return Array.from(document.querySelectorAll(words)).map(part => {
    const both = [channels(getComputedStyle(part).color), behind(part)].map(light);
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  });
}"""

pytestmark = IN_CHROMIUM


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab over the lessons as students get them."""
    folder = tmp_path_factory.mktemp("a course")
    hand_out(LESSONS, folder)
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture(scope="module", params=WITH_DIALS)
def lesson(request, browser, lab):
    """A lesson in a browser, every cell run."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    open_notebook(page, lab, f"{request.param}.ipynb")
    run_all(page)
    yield page
    page.close()


def errors(page):
    kinds = ("error", "stderr")
    return [page.locator(f'[data-mime-type="application/vnd.jupyter.{kind}"]').count() for kind in kinds]


def stored_pictures(page):
    """How many figures and dials the committed notebook of a lesson holds."""
    path = ROOT / "notebooks" / f"{Path(page.url).stem}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    kinds = [set(output.get("data", {})) for cell in cells for output in cell.get("outputs", [])]
    return sum(bool(kind & {"image/png", WIDGET}) for kind in kinds)


def pictures_told(page):
    """How many figures the page shows that have a text."""
    images = page.locator(".jp-OutputArea-output img").all()
    return sum(bool(image.get_attribute("alt")) for image in images)


def test_the_lesson_runs_without_an_error(lesson):
    assert errors(lesson) == [0, 0]


def test_every_figure_is_in_the_page_with_an_alt_text(lesson):
    figures = lesson.locator(".jp-OutputArea-output img")
    assert figures.count() == pictures_told(lesson) == stored_pictures(lesson)


def test_lesson_00_which_has_no_dial_runs_too(page, lab):
    open_notebook(page, lab, "00_start.ipynb")
    run_all(page)
    assert errors(page) == [0, 0]
    assert pictures_told(page) == stored_pictures(page) > 0


# the dials -------------------------------------------------------------------------------------------


@dataclass
class Walk:
    """What was seen while each control of a lesson moved."""

    silent: list = field(default_factory=list)
    restless: list = field(default_factory=list)
    jumps: list = field(default_factory=list)
    times: list = field(default_factory=list)


def move(dial, control, moves, walk, name):
    """Try the moves of a control until the picture follows; keep what was seen."""
    before = dial.evaluate(STATE)
    for step in moves:
        time = redraw(dial, step)
        after = dial.evaluate(STATE)
        walk.jumps += [name] * (after["places"] != before["places"])
        walk.restless += [name] * (after["rest"] != before["rest"])
        if time is not None:
            walk.times.append(time)
            return
    walk.silent.append(name)


@pytest.fixture(scope="module")
def walk(lesson):
    """Each control of each dial moved by keyboard, then by mouse."""
    walk = Walk()
    for place, dial in enumerate(lesson.locator(DIALS).all()):
        dial.locator("xpath=ancestor::*[contains(@class, 'jp-CodeCell')]").click(position={"x": 5, "y": 5})
        for number, control in enumerate(dial.locator(CONTROLS).all()):
            control.scroll_into_view_if_needed()
            for way in (by_keys, by_mouse):
                move(dial, control, way(control), walk, (place, number, way.__name__))
    return walk


def test_the_picture_follows_every_control_by_keyboard_and_by_mouse(walk):
    assert walk.times
    assert walk.silent == []


def test_no_key_moves_the_page_or_chooses_another_cell(walk):
    assert walk.restless == []


def test_picture_and_next_cell_stay_where_they_are(walk):
    assert walk.jumps == []


def test_a_picture_comes_soon(walk):
    """Far above what ``tools/redraws.py`` measures: this machine may have much to do."""
    assert statistics.median(walk.times) < 1000


def test_a_number_can_be_typed(lesson):
    dial = lesson.locator(DIALS, has=lesson.locator(".widget-slider")).first
    handle, number = (dial.locator(part).first for part in ("[role=slider]", ".widget-readout"))
    now, least, most = (handle.get_attribute(f"aria-value{name}") for name in ("now", "min", "max"))
    number.fill(most if now == least else least)
    assert redraw(dial, lambda: number.press("Enter")) is not None


def test_what_the_keys_would_move_is_seen(lesson):
    lesson.locator(DIALS).first.locator("[role=slider], button").first.press("Tab")
    assert lesson.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert lesson.evaluate("document.activeElement.closest('.course-dial') !== null")


@pytest.mark.parametrize("width", [1280, 800])
def test_nothing_is_wider_than_its_cell(lesson, width):
    lesson.set_viewport_size({"width": width, "height": 900})
    lesson.wait_for_function(FITTED)  # JupyterLab follows a window a moment later
    assert lesson.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_words_at_a_dial_can_be_read_in_both_themes(lesson, theme):
    set_theme(lesson, theme)
    assert min(lesson.evaluate(CONTRASTS)) > 4.5
