"""A real JupyterLab in Chromium: press Validate, mark a submission, read the feedback."""

import copy
import shutil

import nbformat
import pytest
from accessibility import IN_CHROMIUM, grave_findings
from browsing import RUN_SECONDS, jupyterlab, open_notebook
from conftest import answer_cell
from nbformat.v4 import new_output

from grading import ROOT, sample
from grading.build import to_text
from grading.classroom import Classroom
from grading.files import write_text
from grading.submissions import Submission

pytestmark = IN_CHROMIUM


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a student's folder holds: the released exercise, one right and one wrong answer."""
    folder = tmp_path_factory.mktemp("a course")
    right = sample.submission(sample.students()[0])
    wrong = copy.deepcopy(right)
    answer_cell(wrong, "memory_horizon").source = "def memory_horizon(alpha, fraction=0):\n    return 7.0"
    for name, notebook in {"wrong": wrong, "right": right}.items():
        (folder / f"{name}.ipynb").write_text(to_text(notebook), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def lab(folder, tmp_path_factory):
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


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
