"""How soon a picture follows a key in the browser: ``python tools/redraws.py [LESSON ...]``.

Each control of each dial is moved by keyboard in JupyterLab; the time runs from the key to the picture,
ready to be shown. Prints a table; the bar is a median of 150 ms.
"""

import argparse
import statistics
from functools import partial

from browsing import CONTROLS, DIALS, arguments, each_lesson, redraw

BAR_MS = 150
PRESSES = 6


def steps(control):
    """Moves of a control by keyboard: walks from both ends of a slider; Space on each button in turn."""
    handle = control.locator("[role=slider]")
    if handle.count():
        walks = (("End", "ArrowLeft"), ("Home", "ArrowRight"))
        return [partial(handle.press, key) for end, arrow in walks for key in (end, *[arrow] * PRESSES)]
    buttons = control.locator("button").all()
    return [partial(button.press, "Space") for button in (buttons * PRESSES)[: 2 * PRESSES]]


def measure(worst, page, name):
    """Print a row for each control of a lesson."""
    for number, dial in enumerate(page.locator(DIALS).all(), 1):
        for control in dial.locator(CONTROLS).all():
            times = [time for step in steps(control) if (time := redraw(dial, step, 1000)) is not None]
            words = control.locator(".widget-label").inner_text()
            if not times:  # nothing to change where the others stand; test_dials knows these
                continue
            median = statistics.median(times)
            worst.append(median)
            print(
                f"| {name} | {number} | {words} | {median:.0f} | {max(times):.0f} | {len(times)} |",
                flush=True,
            )


def main():
    """Measure, print; exit with 1 above the bar."""
    said = arguments(argparse.ArgumentParser(description=__doc__.partition("\n")[0]))
    medians = []
    print("| lesson | dial | control | median, ms | slowest, ms | redraws |\n|---|---|---|---|---|---|")
    each_lesson(said.lessons, partial(measure, medians))
    raise SystemExit(max(medians, default=0) > BAR_MS)


if __name__ == "__main__":
    main()
