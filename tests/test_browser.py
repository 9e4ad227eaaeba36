"""A real JupyterLab in Chromium: run a lesson, move a slider, press Validate, mark a submission."""

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
from functools import partial
from pathlib import Path

import nbformat
import pytest
from accessibility import grave_findings
from conftest import answer_cell
from nbformat.v4 import new_output
from playwright.sync_api import expect

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
RUN_SECONDS = 240
DIAL = "application/vnd.jupyter.widget-view+json"
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
    """Run every cell of a notebook that has no outputs; the menu is asked again while nothing starts.

    A machine with much to do may open the notebook before it knows its kernels; then JupyterLab asks for one.
    """
    from playwright.sync_api import TimeoutError as NothingStarted

    for _ in range(3):
        choice = page.locator(".jp-Dialog .jp-mod-accept")
        if choice.count():
            choice.first.click()
        with contextlib.suppress(NothingStarted):
            page.get_by_role("menuitem", name="Run", exact=True).click(timeout=20_000)
            page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
            started = f"() => {PROMPTS}.some(text => !/^\\[\\s*\\]:$/.test(text))"
            page.wait_for_function(started, timeout=15_000)
            break
    finished = f"() => {PROMPTS}.every(text => /^\\[\\d+\\]:$/.test(text))"
    page.wait_for_function(finished, timeout=RUN_SECONDS * 1000)


@pytest.fixture(
    scope="module",
    params=[
        "01_sequences",
        "02_one_pole",
        "03_modes",
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
def lesson(request, browser, lab):
    """A lesson in a browser, every cell run."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    open_notebook(page, lab, f"notebooks/{request.param}.ipynb")
    run_all(page)
    yield page
    page.close()


def test_the_lesson_runs_without_an_error(lesson):
    assert lesson.locator('[data-mime-type="application/vnd.jupyter.error"]').count() == 0
    assert lesson.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def stored_pictures(page):
    """How many figures and dials the committed notebook of a lesson holds."""
    path = ROOT / "notebooks" / f"{Path(page.url).stem}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    kinds = [set(output.get("data", {})) for cell in cells for output in cell.get("outputs", [])]
    return sum(bool(kind & {"image/png", DIAL}) for kind in kinds)


def test_every_figure_is_in_the_page_with_an_alt_text(lesson):
    figures = lesson.locator(".jp-OutputArea-output img")
    assert figures.count() == stored_pictures(lesson)
    assert [image for image in figures.all() if not image.get_attribute("alt")] == []


def moves(control):
    """Ways to move a control: arrow keys on a slider, which may stand at its end; the options of a list."""
    if control.get_attribute("role") == "slider":
        return [partial(control.press, key) for key in ("ArrowLeft", "ArrowRight", "ArrowRight")]
    options = range(control.locator("option").count())
    return [partial(control.select_option, index=place) for place in options]


def follows(picture, control):
    """Whether the words of a picture change when a control is moved."""
    before = picture.get_attribute("alt")
    for move in moves(control):
        move()
        with contextlib.suppress(AssertionError):
            expect(picture).not_to_have_attribute("alt", before, timeout=2000)
            return True
    return False


@pytest.mark.parametrize("number", [0, 1])
def test_a_picture_follows_its_controls(lesson, number):
    """One of them at least: ``test_dials`` knows which have something to change."""
    dial = lesson.locator(".jp-OutputArea-output .widget-vbox", has=lesson.locator("img")).nth(number)
    controls = dial.locator("[role=slider], select").all()
    assert any(follows(dial.locator("img"), control) for control in controls)


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


# the formgrader --------------------------------------------------------------------------------------

MARK = "written-delay_argument"
ACTING_TEXT = """Calm costs delay, $|\\alpha| < 1$.
<script>window.obeyed = "script"</script>
<img src="/api/status?fetched=img" onerror="window.obeyed = 'img'">
<iframe srcdoc="<script>parent.obeyed = 'iframe'</script>"></iframe>
![picture](/formgrader?path=/tmp)
# written-delay_argument
"""
ACTING_CODE = """from IPython.display import HTML, Javascript, Markdown, display
display(HTML("<img src='/nowhere' onerror='window.obeyed = 1'>"))
display(Javascript("window.obeyed = 2"))
display(Markdown("<script>window.obeyed = 3</script>"))
print("kept")
"""


def acting_submission():
    """A right submission whose text and outputs would act in the page of who marks it."""
    notebook = sample.submission(sample.students()[0])
    answer_cell(notebook, "delay_argument").source = ACTING_TEXT
    notebook.cells.append(nbformat.v4.new_code_cell(ACTING_CODE, id="acting"))
    return to_text(notebook)


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    """A class in which one student was graded, laid out as nbgrader's course directory."""
    folder = tmp_path_factory.mktemp("class")
    path = folder / "submitted/s01/ex02/ex02.ipynb"
    write_text(path, acting_submission())
    classroom = Classroom(folder)
    classroom.grade("ex02", [Submission("s01", path)])
    shutil.copytree(ROOT / "grading/source", folder / "source")
    shutil.copy(ROOT / "grading/nbgrader_config.py", folder)
    return classroom


@pytest.fixture(scope="module")
def formgrader(graded_class, tmp_path_factory):
    """The address of the formgrader over the graded class."""
    with jupyterlab(graded_class.folder, tmp_path_factory.mktemp("home")) as address:
        yield f"{address}/formgrader"


@pytest.fixture
def asked(page):
    """The addresses that the page asks for."""
    found = []
    page.on("request", lambda request: found.append(request.url))
    return found


def open_submission(page, formgrader):
    """Walk from the gradebook to the page where a submission is marked."""
    page.goto(f"{formgrader}/gradebook/ex02", wait_until="domcontentloaded")
    page.get_by_role("link", name="ex02", exact=True).last.click()
    page.get_by_role("link", name="Submission #1").click()
    page.locator(f"#{MARK}").wait_for()
    page.wait_for_function("window.formgrader && formgrader.grades && formgrader.grades.loaded")


def test_the_formgrader_lists_the_exercise(page, formgrader):
    page.goto(f"{formgrader}/manage_assignments")
    page.get_by_role("link", name="ex02").first.wait_for()


def test_the_formgrader_shows_the_points_of_a_submission(page, formgrader):
    page.goto(f"{formgrader}/manage_submissions/ex02")
    row = page.get_by_role("row").filter(has_text="s01")
    row.wait_for()
    assert "18" in row.inner_text()


def test_nothing_of_a_student_acts_where_it_is_marked(page, asked, formgrader):
    open_submission(page, formgrader)
    assert page.evaluate("window.obeyed") is None
    assert page.locator("#notebook-container").locator("script, iframe, img").count() == 0
    assert page.locator(f"[id='{MARK}']").count() == 1
    assert [address for address in asked if "fetched" in address or "nowhere" in address] == []


def test_what_a_student_wrote_and_printed_can_still_be_read(page, formgrader):
    open_submission(page, formgrader)
    text = page.locator("#notebook-container").first.inner_text()
    assert "Calm costs delay" in text
    assert "kept" in text


def raw_text(notebook):
    answer_cell(notebook, "delay_argument").source = ACTING_TEXT


def raw_output(notebook):
    cell = next(cell for cell in notebook.cells if "Javascript(" in cell.source)
    cell.outputs = [new_output("display_data", {"application/javascript": "window.obeyed = 2"})]


@pytest.fixture(params=[raw_text, raw_output])
def unprotected_copy(graded_class, request):
    """The graded copy as it would be without our last step, for as long as a test runs."""
    path = graded_class.folder / "autograded/s01/ex02/ex02.ipynb"
    safe = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(safe, as_version=4)
    request.param(notebook)
    write_text(path, to_text(notebook))
    yield
    write_text(path, safe)


def test_without_our_last_step_the_same_would_act(page, formgrader, unprotected_copy):
    open_submission(page, formgrader)
    page.wait_for_function("window.obeyed")


def test_points_and_comment_of_a_person_change_total_and_feedback(page, formgrader, graded_class):
    before = graded_class.feedback("ex02")["s01"].read_text(encoding="utf-8")
    open_submission(page, formgrader)
    for box, value in ((f"#{MARK}", "1.5"), (f"#{MARK}-comment", "Say why.")):
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            page.locator(box).fill(value)
            page.locator(box).blur()
    page.goto(f"{formgrader}/gradebook/ex02/ex02", wait_until="domcontentloaded")
    row = page.get_by_role("row").filter(has_text="Submission #1")
    row.filter(has_text="19.5").wait_for()
    after = graded_class.feedback("ex02")["s01"].read_text(encoding="utf-8")
    assert "18 of 20 points so far" in before
    assert "19.5 of 20 points<" in after
    assert "Say why." in after


# the feedback page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_feedback_page_needs_no_sideways_scrolling(browser, graded_class, width, scheme):
    path = graded_class.feedback("ex02")["s01"]
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("window.obeyed") is None
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_on_the_feedback_page(browser, graded_class, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.goto(graded_class.feedback("ex02")["s01"].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert grave_findings(page) == []
    page.close()
