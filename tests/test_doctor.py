"""The doctor: a good environment is called good, and each fault names the command that mends it."""

import json
import subprocess
import sys
import time
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from course_utils import doctor
from course_utils.doctor import ALL_WELL, Finding, examine, report

ROOT = Path(__file__).resolve().parents[1]
STUDENTS = ROOT / "grading/student_files/pyproject.toml"


def floors(project_file):
    """Package to floor, as a pyproject file states them."""
    project = tomllib.loads(project_file.read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(text) for text in project["dependencies"]]
    return {need.name: str(need.specifier).removeprefix(">=") for need in wanted}


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A function that makes the given program the one that the kernel python3 starts."""

    def starts(program):
        spec = tmp_path / "python3/kernel.json"
        spec.parent.mkdir()
        spec.write_text(json.dumps({"argv": [program, "-m", "ipykernel_launcher"]}), encoding="utf-8")
        monkeypatch.setattr(doctor, "_jupyter_folders", lambda kind: [tmp_path])

    return starts


def test_this_environment_has_everything():
    assert [finding for finding in examine(ROOT / "notebooks") if not finding.ok] == []


def test_the_short_report_of_a_good_environment_is_one_fixed_sentence():
    assert report(examine(), details=False) == ALL_WELL


def test_the_long_report_has_a_line_for_each_finding():
    findings = examine()
    assert len(report(findings).splitlines()) == len(findings) + 1


def test_a_problem_is_reported_with_the_command_that_mends_it():
    findings = [Finding("numpy", False, "the package is not installed", "python -m pip install numpy")]
    text = report(findings, details=False)
    assert "numpy: the package is not installed." in text
    assert "python -m pip install numpy" in text


def test_a_report_of_a_problem_does_not_say_that_all_is_well():
    assert ALL_WELL not in report([Finding("numpy", False, "missing", "mend")])


def test_a_missing_package_is_a_problem():
    finding = doctor.package("no-such-package-here", "1.0")
    assert not finding.ok
    assert finding.mend == 'python -m pip install "no-such-package-here>=1.0"'


@pytest.mark.parametrize(
    ("installed", "floor", "ok"),
    [
        ("2.10.1", "2.6", True),
        ("2.6", "2.6", True),
        ("2.13.0+cpu", "2.6", True),
        ("2.5.9", "2.6", False),
        ("3.0.0rc1", "3.0", True),
        ("13", "13.0", True),
        ("0.9.6", "0.10", False),
    ],
)
def test_versions_are_compared_as_numbers(installed, floor, ok, monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: installed)
    assert doctor.package("torch", floor).ok is ok


def test_an_old_python_is_a_problem():
    assert not doctor.python((3, 10, 12)).ok


def test_a_newer_python_will_do():
    assert doctor.python((3, 14, 0)).ok


def test_another_copy_of_the_library_beside_the_notebooks_is_a_problem(tmp_path):
    copy = tmp_path / "course_utils"
    (tmp_path / "notebooks").mkdir()
    copy.mkdir()
    (copy / "__init__.py").touch()
    (copy / "claims.py").touch()
    finding = doctor.own_library(tmp_path / "notebooks")
    assert not finding.ok
    assert finding.mend == f'python -m pip install -e "{tmp_path}"'


def test_no_course_folder_nearby_is_no_problem(tmp_path):
    assert doctor.own_library(tmp_path).ok


def test_a_missing_widgets_extension_is_a_problem(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "_jupyter_folders", lambda kind: [tmp_path])
    assert not doctor.widgets_extension().ok


def test_a_kernel_of_another_python_is_a_problem(kernels):
    kernels("/opt/another/bin/python")
    finding = doctor.kernel()
    assert not finding.ok
    assert "/opt/another/bin/python" in finding.found


@pytest.mark.parametrize("program", ["python", sys.executable])
def test_a_kernel_of_this_python_will_do(program, kernels):
    kernels(program)
    assert doctor.kernel().ok


def test_a_temporary_folder_that_cannot_be_written_to_is_a_problem(monkeypatch):
    def refuse():
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    assert "Permission denied" in doctor.temporary_folder().found


def test_a_throw_away_list_of_fonts_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "matplotlib-x1y2").mkdir()
    monkeypatch.setattr("matplotlib.get_cachedir", lambda: str(tmp_path / "matplotlib-x1y2"))
    assert "MPLCONFIGDIR" in doctor.plot_cache().mend


@pytest.mark.parametrize("look", [doctor.machine, doctor.cuda, doctor.isolation])
def test_what_is_only_good_to_know_never_fails(look, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda program: None)
    assert look().ok


def test_the_floors_are_those_that_a_student_installs():
    assert floors(STUDENTS) == doctor.FLOORS


def test_the_floors_are_those_of_the_whole_course():
    assert doctor.FLOORS.items() <= floors(ROOT / "pyproject.toml").items()


def test_the_command_answers_in_under_two_seconds_and_without_torch():
    code = "import sys, course_utils.doctor as d; d.report(d.examine()); print('torch' in sys.modules)"
    start = time.perf_counter()
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout.strip() == "False"
    assert time.perf_counter() - start < 2
