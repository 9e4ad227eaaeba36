"""A real JupyterLab in Chromium: run a lesson, move a slider, press Validate."""

import contextlib
import copy
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from conftest import answer_cell

from grading import ROOT, sample
from grading.build import to_text
from grading.classroom import Classroom
from grading.files import write_text
from grading.release import without_outputs
from grading.submissions import Submission

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
SETTINGS = {  # no question about news on the first start; every cell in the page, also below the fold
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
RUN_SECONDS = 120
PROMPTS = (
    "Array.from(document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')).map(e => e.innerText.trim())"
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        CHROMIUM is None, reason="no chromium here; install it, on Debian: apt-get install chromium"
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a student's folder holds: lessons, the released exercise, one right and one wrong answer."""
    folder = tmp_path_factory.mktemp("a course")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        write_text(folder / "notebooks" / path.name, without_outputs(path))
    right = sample.submission(sample.students()[0])
    wrong = copy.deepcopy(right)
    answer_cell(wrong, "memory_horizon").source = "def memory_horizon(alpha, fraction=0):\n    return 7.0"
    for name, notebook in {"wrong": wrong, "right": right}.items():
        (folder / f"{name}.ipynb").write_text(to_text(notebook), encoding="utf-8")
    return folder


@contextlib.contextmanager
def jupyterlab(folder, home):
    """The address of a JupyterLab over a folder, with settings of its own."""
    for name, setting in SETTINGS.items():
        path = home / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(setting), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    command = [sys.executable, "-m", "jupyterlab", *options, "--IdentityProvider.token=", str(folder)]
    places = {"JUPYTER_CONFIG_DIR": home, "JUPYTERLAB_SETTINGS_DIR": home / "settings", "HOME": home}
    environment = os.environ | {name: str(path) for name, path in places.items()}
    with open(home / "lab.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/status", home / "lab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="module")
def lab(folder, tmp_path_factory):
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


def _wait_for(address, log):
    for _ in range(120):
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)
    raise RuntimeError(log.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    yield page
    page.close()


def open_notebook(page, lab, path):
    """Open a notebook in a workspace of its own, without the tabs of other tests."""
    page.goto(f"{lab}/lab/workspaces/{Path(path).stem}/tree/{path}")
    page.locator(".jp-Notebook").wait_for()
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for(state="attached")


def run_all(page):
    """Run every cell of a notebook that has no outputs; the menu is asked again while nothing starts."""
    from playwright.sync_api import TimeoutError as NothingStarted

    for _ in range(3):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
        with contextlib.suppress(NothingStarted):
            started = f"() => {PROMPTS}.some(text => !/^\\[\\s*\\]:$/.test(text))"
            page.wait_for_function(started, timeout=15_000)
            break
    finished = f"() => {PROMPTS}.every(text => /^\\[\\d+\\]:$/.test(text))"
    page.wait_for_function(finished, timeout=RUN_SECONDS * 1000)


@pytest.fixture(scope="module")
def lesson(browser, lab):
    """Lesson 02 in a browser, every cell run."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    open_notebook(page, lab, "notebooks/02_one_pole.ipynb")
    run_all(page)
    yield page
    page.close()


def test_the_lesson_runs_without_an_error(lesson):
    assert lesson.locator('[data-mime-type="application/vnd.jupyter.error"]').count() == 0
    assert lesson.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def test_every_figure_in_the_page_has_an_alt_text(lesson):
    figures = lesson.locator(".jp-OutputArea-output img")
    assert figures.count() >= 8
    assert [image for image in figures.all() if not image.get_attribute("alt")] == []


@pytest.mark.parametrize("number", [0, 1])
def test_an_arrow_key_on_a_slider_changes_the_picture(lesson, number):
    dial = lesson.locator(".jp-OutputArea-output .widget-vbox", has=lesson.locator("img")).nth(number)
    before = dial.locator("img").get_attribute("alt")
    dial.get_by_role("slider").first.focus()
    lesson.keyboard.press("ArrowLeft")
    gone = "old => !Array.from(document.querySelectorAll('.widget-vbox img')).some(i => i.alt === old)"
    lesson.wait_for_function(gone, arg=before)
    assert dial.locator("img").get_attribute("alt")


def validate(page):
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog")
    dialog.wait_for(timeout=RUN_SECONDS * 1000)
    return dialog.inner_text()


def test_validate_says_success_on_a_right_answer(page, lab):
    open_notebook(page, lab, "right.ipynb")
    assert "Success" in validate(page)


def test_validate_shows_what_failed_on_a_wrong_answer(page, lab):
    open_notebook(page, lab, "wrong.ipynb")
    text = validate(page)
    assert "check(memory_horizon)" in text
    assert "visible checks failed" in text


@pytest.fixture(scope="module")
def formgrader(tmp_path_factory):
    """The formgrader over a class in which one student was graded."""
    folder = tmp_path_factory.mktemp("class")
    student = sample.students()[0]
    classroom = Classroom(folder)
    classroom.grade("ex02", [Submission(student.id, sample.path_of(student))])
    shutil.copytree(ROOT / "grading/source", folder / "source")
    shutil.copytree(sample.FOLDER / student.id, folder / "submitted" / student.id)
    shutil.copy(ROOT / "grading/nbgrader_config.py", folder)
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield f"{address}/formgrader"


def test_the_formgrader_lists_the_exercise(page, formgrader):
    page.goto(f"{formgrader}/manage_assignments")
    page.get_by_role("link", name="ex02").first.wait_for()


def test_the_formgrader_shows_the_points_of_a_submission(page, formgrader):
    page.goto(f"{formgrader}/manage_submissions/ex02")
    row = page.get_by_role("row").filter(has_text="s01")
    row.wait_for()
    assert "18" in row.inner_text()
