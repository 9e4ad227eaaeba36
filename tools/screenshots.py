"""Picture every lesson as a student sees it: ``python tools/screenshots.py [LESSON ...]``.

Each lesson is run once in JupyterLab; its pages go to ``build/screenshots/THEME-WIDTH/NN_name-PAGE.png``, in the
light and in the dark theme, in a window of 1280 and of 800 pixels (there without the list of files beside it).
``--readme`` makes the pictures of the README in ``docs/pictures/`` instead.
"""

import argparse
import tempfile
from pathlib import Path

from browsing import THEMES, chromium, jupyterlab, open_notebook, run_all, set_theme

from grading import ROOT
from grading.files import write_bytes, write_text
from grading.release import without_outputs

FOLDER = ROOT / "build/screenshots"
WIDTHS = (1280, 800)
HEIGHT = 1500
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
PANEL = ".jp-Notebook .jp-WindowedPanel-outer"


def pages(page):
    """The notebook from top to bottom, a picture for each page of the window."""
    panel = page.locator(PANEL)
    whole, shown = panel.evaluate("panel => [panel.scrollHeight, panel.clientHeight]")
    for top in range(0, whole, shown):
        panel.evaluate("(panel, top) => panel.scrollTo(0, top)", top)
        page.wait_for_timeout(100)  # for a scrolled page there is nothing to wait on
        yield panel.screenshot()


def take(page, name):
    """All pictures of a lesson that was run."""
    for width in WIDTHS:
        if width == WIDTHS[-1]:
            page.evaluate("jupyterapp.shell.collapseLeft()")
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for theme in THEMES:
            set_theme(page, theme)
            for number, png in enumerate(pages(page), 1):
                write_bytes(FOLDER / f"{theme}-{width}" / f"{name}-{number:02}.png", png)


def with_lessons(names, use):
    """Run lessons one after the other; ``use`` gets the page and the name of each."""
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder, home = Path(made, "course"), Path(made, "home")
        for name in names:
            path = folder / "notebooks" / f"{name}.ipynb"
            write_text(path, without_outputs(ROOT / "notebooks" / path.name))
        with jupyterlab(folder, home) as lab:
            for name in names:
                page = browser.new_page(viewport={"width": WIDTHS[0], "height": HEIGHT})
                page.set_default_timeout(60_000)
                open_notebook(page, lab, f"notebooks/{name}.ipynb")
                run_all(page)
                use(page, name)
                print(f"pictured {name}")
                page.close()


def main():
    """Read the command line and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="NN_name; all lessons if none is named")
    names = parser.parse_args().lessons or LESSONS
    unknown = set(names) - set(LESSONS)
    if unknown:
        parser.error(f"no lesson {', '.join(sorted(unknown))}; the lessons are {', '.join(LESSONS)}")
    with_lessons(names, take)


if __name__ == "__main__":
    main()
