"""Picture every lesson as a student sees it: ``python tools/screenshots.py [LESSON ...]``.

Each lesson is run once in JupyterLab; its pages go to ``build/screenshots/THEME-WIDTH/NN_name-PAGE.png``, in
the light and the dark theme, in windows of 1280 and of 800 pixels (there without the list of files).
``--readme`` makes the picture of the README, ``docs/pictures/lessons.png``, instead.
"""

import argparse
import io
from functools import partial

from browsing import DIALS, THEMES, VIEWPORT, arguments, each_lesson, set_theme
from PIL import Image

from grading import ROOT
from grading.files import write_bytes

FOLDER = ROOT / "build/screenshots"
WIDTHS = (1280, 800)
HEIGHT = 1500
PANEL = ".jp-Notebook .jp-WindowedPanel-outer"
SHOWN = {"02_one_pole": "light", "06_bptt": "dark"}
README_PICTURE = ROOT / "docs/pictures/lessons.png"


def pages(page):
    """The notebook from top to bottom, a picture for each page of the window."""
    panel = page.locator(PANEL)
    shown = panel.evaluate("panel => panel.clientHeight")
    whole = panel.locator(".jp-Cell").last.evaluate("cell => cell.offsetTop + cell.offsetHeight")
    for top in range(0, whole, shown):
        panel.evaluate("(panel, top) => panel.scrollTo(0, top)", top)
        page.wait_for_timeout(100)  # nothing in the page says that it was drawn after scrolling
        yield panel.screenshot()


def take(page, name):
    """All pictures of a lesson that was run."""
    for width in WIDTHS:
        if width < VIEWPORT["width"]:
            page.evaluate("jupyterapp.shell.collapseLeft()")
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for theme in THEMES:
            set_theme(page, theme)
            for number, png in enumerate(pages(page), 1):
                write_bytes(FOLDER / f"{theme}-{width}" / f"{name}-{number:02}.png", png)
    print(f"{name}: {FOLDER.relative_to(ROOT)}")


def dial_and_its_question(taken, page, name):
    """Add a picture of the first dial of a lesson to those that were taken."""
    page.evaluate("jupyterapp.shell.collapseLeft()")
    page.set_viewport_size({"width": 800, "height": 860})
    set_theme(page, SHOWN[name])
    cell = page.locator(".jp-CodeCell", has=page.locator(DIALS)).first
    cell.evaluate("cell => cell.scrollIntoView({block: 'end'})")
    page.wait_for_timeout(500)
    taken.append(Image.open(io.BytesIO(page.locator(PANEL).screenshot())))


def side_by_side(pictures):
    """One PNG of few colours, which makes it small."""
    wide = Image.new("RGB", (sum(one.width for one in pictures), max(one.height for one in pictures)))
    for place, one in enumerate(pictures):
        wide.paste(one, (sum(left.width for left in pictures[:place]), 0))
    packed = io.BytesIO()
    wide.quantize(200, Image.Quantize.FASTOCTREE).save(packed, "PNG", optimize=True)
    return packed.getvalue()


def main():
    """Read the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--readme", action="store_true", help="make the picture of the README instead")
    said = arguments(parser)
    if not said.readme:
        each_lesson(said.lessons, take)
        return
    taken = []
    each_lesson(SHOWN, partial(dial_and_its_question, taken))
    write_bytes(README_PICTURE, side_by_side(taken))


if __name__ == "__main__":
    main()
