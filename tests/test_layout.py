"""The repository keeps its promises: versions, directions of imports, sizes."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.metadata import packages_distributions

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grading import ROOT

LIBRARY = sorted(path for path in (ROOT / "course_utils").rglob("*.py"))
OURS = sorted([*LIBRARY, *(ROOT / "grading").glob("*.py"), *(ROOT / "tools").glob("*.py")])


def locked():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def imported(path):
    """The top-level names of all modules that a file imports, wherever the import stands."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names}


def test_conda_gets_the_versions_of_the_lock_file():
    wanted = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert wanted["dependencies"][-1]["pip"] == [*locked(), "-e ."]


def test_every_pin_is_exact():
    assert all(re.fullmatch(r"[a-z0-9-]+==[^=<>+ ]+( ; .*)?", line) for line in locked())


def test_the_lock_satisfies_every_floor():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(line.partition(" ;")[0].split("==") for line in locked())
    extras = project["optional-dependencies"]
    wanted = [Requirement(text) for text in project["dependencies"] + extras["book"] + extras["test"]]
    assert [str(need) for need in wanted if pins[canonicalize_name(need.name)] not in need.specifier] == []


def declared(page):
    """The names of the distributions that a pyproject.toml asks for."""
    project = tomllib.loads((ROOT / page).read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    wanted = project["dependencies"] + extras.get("book", []) + extras.get("test", [])
    return {canonicalize_name(Requirement(text).name) for text in wanted} | {"rnn-course"}


@pytest.mark.parametrize(
    ("page", "files"),
    [
        ("pyproject.toml", [*OURS, *(ROOT / "tests").glob("*.py")]),
        ("grading/student_files/pyproject.toml", [path for path in LIBRARY if "reference" not in path.parts]),
    ],
)
def test_every_package_that_is_imported_is_declared(page, files):
    owners = packages_distributions()
    names = {name for path in files for name in imported(path)} & set(owners)
    used = {name: {canonicalize_name(owner) for owner in owners[name]} for name in names}
    assert [name for name, owned_by in sorted(used.items()) if not owned_by & declared(page)] == []


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_the_library_does_not_import_the_grading_side(path):
    assert not imported(path) & {"grading", "nbgrader", "jupytext", "dask", "notebooks"}


def test_nothing_imports_tools_or_tests_but_they_themselves():
    theirs = {path.stem for folder in ("tools", "tests") for path in (ROOT / folder).glob("*.py")}
    ours = [path for path in OURS if path.parent != ROOT / "tools"]
    assert [path.name for path in ours if imported(path) & (theirs | {"tools", "tests"})] == []


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_only_widgets_import_ipywidgets(path):
    assert path.name.startswith("widgets") or "ipywidgets" not in imported(path)


def test_importing_the_library_imports_nothing_heavy():
    code = "import sys, course_utils; print({'torch', 'matplotlib', 'numpy'} & set(sys.modules))"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "set()"


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_a_module_is_under_300_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_paths_that_a_page_names_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:course_utils|grading|notebooks|tests|docs|data|tools)/[\w./-]*)`", text)
    assert named
    assert [path for path in named if "NN" not in path and not (ROOT / path).exists()] == []


def test_every_module_is_in_the_map():
    map_of_files = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## A lesson")[0]
    rows = [line for line in map_of_files.splitlines() if line.startswith("| ")]
    named = [path for row in rows for path in re.findall(r"`([\w/]+\.py)`", row)]
    modules = {path.relative_to(ROOT).as_posix() for path in OURS if path.stem != "__init__"}
    of_a_kind = {path for path in modules if path.startswith("course_utils/reference/")}
    assert sorted(modules - of_a_kind - set(named)) == []
    assert [path for path, count in Counter(named).items() if count > 1] == []


def test_the_make_targets_that_the_readme_names_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert set(re.findall(r"(?:^|`)make (?:SETUP=no )?([a-z]+)", text, re.M)) <= set(targets)
