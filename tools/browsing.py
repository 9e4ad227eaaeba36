"""A JupyterLab of its own in a headless Chromium, for the tests and for what measures or pictures."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from functools import partial
from pathlib import Path

from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

from course_utils.corpus import cache_path
from grading import ROOT
from grading.files import write_text
from grading.release import without_outputs

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
VIEWPORT = {"width": 1280, "height": 900}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
RUN_SECONDS = 240
PROMPTS = (
    "Array.from(document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')).map(e => e.innerText.trim())"
)


@contextlib.contextmanager
def chromium():
    """A headless Chromium."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def jupyterlab(folder, home, theme="light"):
    """The address of a JupyterLab over a folder, with settings of its own.

    No question about news on the first start; every cell in the page, also below the fold.
    """
    settings = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "apputils-extension/themes": {"theme": THEMES[theme]},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for name, setting in settings.items():
        path = home / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(setting), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    options += ["--expose-app-in-browser", "--IdentityProvider.token="]
    command = [sys.executable, "-m", "jupyterlab", *options, str(folder)]
    places = {
        "JUPYTER_CONFIG_DIR": home,
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "HOME": home,
        "RNN_COURSE_CACHE": cache_path("").parent,  # where the documents were read once already
    }
    environment = os.environ | {name: str(path) for name, path in places.items()}
    with open(home / "lab.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/status", home / "lab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(address, log):
    for _ in range(240):
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError(log.read_text(encoding="utf-8"))


def open_notebook(page, lab, path):
    """Open a notebook in a workspace of its own, without the tabs of other tests, and wait for its kernel."""
    page.goto(f"{lab}/lab/workspaces/{Path(path).stem}/tree/{path}")
    page.locator(".jp-Notebook").wait_for()
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady")
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for(state="attached")


def run_all(page):
    """Run every cell of a notebook that has no outputs."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
    finished = f"() => {PROMPTS}.every(text => /^\\[\\d+\\]:$/.test(text))"
    page.wait_for_function(finished, timeout=RUN_SECONDS * 1000)


def hand_out(names, folder):
    """Write lessons into a folder as students get them, without results."""
    for name in names:
        write_text(folder / f"{name}.ipynb", without_outputs(ROOT / f"notebooks/{name}.ipynb"))


def each_lesson(names, use):
    """Run lessons one after the other, as students get them; ``use`` gets the page and the name of each."""
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder, home = Path(made, "course"), Path(made, "home")
        hand_out(names, folder)
        with jupyterlab(folder, home) as lab:
            for name in names:
                page = browser.new_page(viewport=VIEWPORT)
                page.set_default_timeout(60_000)
                open_notebook(page, lab, f"{name}.ipynb")
                run_all(page)
                use(page, name)
                page.close()


def arguments(parser):
    """What a command line says, and which lessons to run: all if it names none; ends at an unknown name."""
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="NN_name; all lessons if none is named")
    said = parser.parse_args()
    unknown = sorted(set(said.lessons) - set(LESSONS))
    if unknown:
        parser.error(f"there is no lesson {', '.join(unknown)}; the lessons are {', '.join(LESSONS)}")
    said.lessons = said.lessons or LESSONS
    return said


def set_theme(page, theme):
    """Let JupyterLab look light or dark."""
    page.evaluate(
        "name => jupyterapp.commands.execute('apputils:change-theme', {theme: name})", THEMES[theme]
    )
    page.locator(f"body[data-jp-theme-name='{THEMES[theme]}']").wait_for(state="attached")


# dials -----------------------------------------------------------------------------------------------

DIALS = ".course-dial"
CONTROLS = ":scope > .widget-inline-hbox:not(.widget-html)"
WATCH = """dial => {
  const words = dial.querySelector('img').alt;
  let began = null;
  dial.milliseconds = null;
  for (const kind of ['keydown', 'pointerdown'])
    dial.addEventListener(kind, () => began ??= performance.now(), {capture: true, once: true});
  const watch = new MutationObserver(async () => {
    const image = dial.querySelector('img');
    if (image.alt === words) return;
    watch.disconnect();
    await image.decode();
    dial.milliseconds = performance.now() - began;
  });
  watch.observe(dial, {childList: true, subtree: true});
}"""


def redraw(dial, move, limit_ms=2000):
    """Milliseconds from the first key or click of a move to the new picture; None when none comes."""
    dial.evaluate(WATCH)
    move()
    with contextlib.suppress(TooLate):
        handle = dial.element_handle()
        dial.page.wait_for_function("dial => dial.milliseconds !== null", arg=handle, timeout=limit_ms)
    return dial.evaluate("dial => dial.milliseconds")


def by_keys(control):
    """Moves of a control by keyboard: keys on a slider, which may stand at its end; Space on each button."""
    handle = control.locator("[role=slider]")
    if handle.count():
        return [partial(handle.press, key) for key in ("ArrowRight", "ArrowLeft", "Home", "End")]
    return [partial(button.press, "Space") for button in _not_down(control)]


def by_mouse(control):
    """Moves of a control by mouse: a click on two places of a slider; on each button."""
    track = control.locator(".noUi-base")
    if track.count():
        width, height = (track.bounding_box()[side] for side in ("width", "height"))
        return [partial(track.click, position={"x": width * at, "y": height / 2}) for at in (0.95, 0.2)]
    return [button.click for button in _not_down(control)]


def _not_down(control):
    return control.locator("button:not(.mod-active)").all()
