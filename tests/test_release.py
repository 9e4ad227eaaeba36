"""The student bundle: what is in it, and that no solution ever leaves with it."""

import base64
import html
import subprocess
import sys
import zipfile
import zlib

import nbformat
import pytest
from conftest import answer_cell

from grading import CANARY, ROOT
from grading.build import to_text
from grading.files import write_text
from grading.library import library_files
from grading.release import Leak, _fill, guard, release, solution_lines


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    release("ex02", folder, folder / "course")
    return folder / "rnn-course-ex02"


@pytest.fixture
def exercise(tmp_path, released):
    """Write a released notebook as it would lie in a bundle; returns the bundle's folder."""

    def write(notebook=released):
        path = tmp_path / "exercises/ex02/ex02.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_text(notebook), encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "requirements.lock",
        "environment.yml",
        "docs/conventions.md",
        "pyproject.toml",
        "notebooks/00_start.ipynb",
        "notebooks/02_one_pole.ipynb",
        "exercises/ex02/ex02.ipynb",
        "course_utils/checks.py",
        "course_utils/claims.toml",
        "course_utils/visible/ex02.json",
    ],
)
def test_the_bundle_holds(bundle, path):
    assert (bundle / path).is_file()


def test_nbgrader_gets_the_same_notebook_to_hand_out(bundle):
    released = bundle.parent / "course/release/ex02/ex02.ipynb"
    assert released.read_bytes() == (bundle / "exercises/ex02/ex02.ipynb").read_bytes()


@pytest.mark.parametrize("path", ["course_utils/reference", "grading", "tests"])
def test_the_bundle_does_not_hold(bundle, path):
    assert not (bundle / path).exists()


@pytest.mark.parametrize("lesson", ["00_start", "02_one_pole"])
def test_the_lessons_of_the_bundle_come_without_outputs(bundle, lesson):
    notebook = nbformat.read(bundle / f"notebooks/{lesson}.ipynb", as_version=4)
    assert [cell for cell in notebook.cells if cell.get("outputs")] == []
    assert "widgets" not in notebook.metadata


def test_the_stub_of_a_concept_question_names_what_to_set(released):
    assert answer_cell(released, "first_to_settle").source.startswith("first_to_settle = ...")


def test_what_nbgrader_releases_is_what_grading_compares_with(bundle, released):
    assert nbformat.read(bundle / "exercises/ex02/ex02.ipynb", as_version=4).cells == released.cells


def test_the_zip_holds_the_same_files(bundle):
    with zipfile.ZipFile(bundle.with_suffix(".zip")) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert names == {str(p.relative_to(bundle)) for p in bundle.rglob("*") if p.is_file()}


def test_two_releases_have_the_same_bytes(bundle, tmp_path):
    again = release("ex02", tmp_path)
    assert again.read_bytes() == bundle.with_suffix(".zip").read_bytes()


def test_the_library_of_the_bundle_works_on_its_own(bundle):
    code = (
        "from course_utils.student_cli import app; from course_utils.checks import check; import course_utils"
    )
    shown = f"{code}; print(course_utils.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", shown], cwd=bundle, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(bundle))


def test_an_untouched_release_passes_the_guard(exercise):
    assert guard(exercise(), "ex02") is None


def test_a_solution_line_is_refused(exercise, released):
    line = solution_lines("ex02")[0]
    answer_cell(released, "one_pole").source += f"\n    {line}"
    with pytest.raises(Leak, match="contains the solution line"):
        guard(exercise(), "ex02")


def test_a_solution_in_an_output_is_refused(exercise, released):
    line = solution_lines("ex02")[-1]
    released.cells[0].metadata["old"] = f"kept: {line}"
    with pytest.raises(Leak, match="contains the solution line"):
        guard(exercise(), "ex02")


def test_a_solution_in_a_coloured_page_is_refused(tmp_path):
    words = html.escape(solution_lines("ex02")[0]).split(" ")
    page = " ".join(f'<span class="n">{word}</span>' for word in words)
    write_text(tmp_path / "exercises/ex02.html", f"<pre>{page}</pre>")
    with pytest.raises(Leak, match=r"ex02\.html contains the solution line"):
        guard(tmp_path, "ex01", "ex02")


def test_the_model_of_the_written_answer_is_refused(exercise, released, solved):
    answer_cell(released, "delay_argument").source = answer_cell(solved, "delay_argument").source
    with pytest.raises(Leak, match="contains the solution line"):
        guard(exercise(), "ex02")


HIDDEN = {
    "plain": CANARY.encode(),
    "base64 inside other text": base64.b64encode(b"xy" + CANARY.encode() + b"z"),
    "packed": zlib.compress(CANARY.encode()),
}


@pytest.mark.parametrize("data", HIDDEN.values(), ids=HIDDEN)
def test_the_canary_is_refused(exercise, data):
    folder = exercise()
    (folder / "notes.bin").write_bytes(b"before" + data + b"after")
    with pytest.raises(Leak, match=r"notes\.bin contains the canary"):
        guard(folder, "ex02")


def test_a_reference_module_is_refused(exercise):
    folder = exercise()
    (folder / "course_utils/reference").mkdir(parents=True)
    (folder / "course_utils/reference/ex02.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(Leak, match="belongs to the references"):
        guard(folder, "ex02")


def test_a_solution_line_in_another_file_is_refused(exercise):
    folder = exercise()
    line = solution_lines("ex02")[0].replace(" ", "  ")
    (folder / "notes.txt").write_text(f"remember: {line}", encoding="utf-8")
    with pytest.raises(Leak, match=r"notes\.txt contains the solution line"):
        guard(folder, "ex02")


def test_a_link_is_refused(exercise):
    folder = exercise()
    (folder / "more").symlink_to(folder / "exercises")
    with pytest.raises(Leak, match="more is a link"):
        guard(folder, "ex02")


def test_a_file_that_is_not_tracked_stays_at_home(request):
    stray = ROOT / "course_utils/stray_try.py"
    request.addfinalizer(lambda: stray.unlink(missing_ok=True))
    stray.write_text("x = 1\n", encoding="utf-8")
    assert stray not in library_files()


def test_without_git_the_library_is_found_by_its_endings(monkeypatch, tmp_path):
    with_git = library_files()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set(library_files()) >= {path for path in with_git if path.suffix in (".py", ".toml", ".json")}


def test_the_visible_cases_of_a_later_exercise_stay_at_home(monkeypatch, tmp_path):
    later = ROOT / "course_utils/visible/ex03.json"
    monkeypatch.setattr("grading.release.library_files", lambda: [later, ROOT / "course_utils/checks.py"])
    monkeypatch.setattr("grading.release._copy", lambda source, target: copied.append(source))
    copied = []
    _fill(tmp_path, "ex02", ROOT / "grading/source/ex02/ex02.ipynb")
    assert ROOT / "course_utils/checks.py" in copied
    assert later not in copied


def test_a_refused_release_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("grading.release.CANARY", "import numpy")
    with pytest.raises(Leak):
        release("ex02", tmp_path / "dist", tmp_path / "course")
    assert list(tmp_path.iterdir()) == []
