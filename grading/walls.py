"""What the sandbox is made of: the bubblewrap command, and the environment of a kernel."""

import os
import sys
import sysconfig
from pathlib import Path

from grading import ROOT
from grading.library import library_files

HOME = "/home/student"
LIBRARY = "/course"
FOLDER_BYTES = 256 * 2**20  # of the home, of /tmp, of /dev/shm
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts")


def python_command(*arguments):
    """This environment's Python, without what a user or the current folder would add to its path."""
    return [sys.executable, "-s", "-P", *arguments]


def wall(bwrap, filter_of=()):
    """The bubblewrap command up to the program: what the sandbox is made of.

    ``filter_of`` holds the descriptor of the seccomp filter, which bubblewrap has to inherit. Everything is
    read-only but the home, ``/tmp`` and ``/dev/shm``, which are empty, small, and in memory.
    """
    return [
        *(bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
        *("--hostname", "sandbox"),
        *(part for descriptor in filter_of for part in ("--seccomp", str(descriptor))),
        *(part for name, value in environment(HOME).items() for part in ("--setenv", name, value)),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        *(part for place in ("/dev/shm", "/tmp", HOME) for part in _small_folder(place)),
        *_python(),  # it may lie below one of these
        *_library(),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME),
    ]


def environment(home):
    """All environment variables that a kernel gets."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "PYTHONPATH": LIBRARY if home == HOME else str(ROOT),
        "HOME": home,
        "TMPDIR": "/tmp" if home == HOME else home,
        "USER": "student",
        "LOGNAME": "student",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _system():
    """The operating system, read-only, with the links that stand at its root."""
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for path in SETTINGS:
        yield from ("--ro-bind-try", path, path)


def _python():
    """This Python and its packages, read-only; where the course lies among them, it is covered.

    Outer folders come first, so that an environment inside the course's folder shows again.
    """
    scheme = sysconfig.get_paths()
    packages = {scheme[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    shown = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *packages}
    hidden = [ROOT] if (ROOT / "pyproject.toml").exists() else [ROOT / "grading", ROOT / "course_utils"]
    for place in sorted({*map(Path, shown), *hidden}, key=lambda path: len(path.parts)):
        if place not in hidden:
            yield from ("--ro-bind", str(place), str(place))
        elif any(place.is_relative_to(folder) for folder in (*shown, *SYSTEM)):
            yield from ("--tmpfs", str(place))


def _library():
    for path in library_files():
        yield from ("--ro-bind", str(path), f"{LIBRARY}/{path.relative_to(ROOT)}")


def _small_folder(place):
    return "--size", str(FOLDER_BYTES), "--tmpfs", place
