"""When two gradings of a file must come out alike: the same bytes, exercise, grader, packages and walls."""

import functools
import hashlib
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from grading import ROOT, sandbox, term

OURS = ("grading/*.py", "course_utils/*.py", "course_utils/*.toml")
OF_EXERCISE = (
    "grading/exercises/{0}*.py",
    "grading/source/{0}/{0}.ipynb",
    "course_utils/reference/*.py",
    "course_utils/visible/{0}.json",
)


@functools.lru_cache(maxsize=16)
def course(exercise):
    """A digest of all that decides about an exercise: its notebook, bank and references, and the grader."""
    patterns = [*OURS, *(pattern.format(exercise) for pattern in OF_EXERCISE)]
    parts = [
        part
        for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
        for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes())
    ]
    return _digest([*parts, str(term.seeds().get(exercise, 0)).encode()])


@functools.lru_cache(maxsize=1)
def packages():
    """A digest of the versions, here, of Python and of all packages of the lock file."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    names = [line.partition("==")[0] for line in lines if not line.startswith("#")]
    found = [platform.python_version()]
    for name in names:
        with suppress(PackageNotFoundError):
            found.append(f"{name}=={version(name)}")
    return _digest(part.encode() for part in found)


def of_submission(data, timestamp, exercise, isolation=None):
    """The key of one submission: its outcome is kept under it, and holds as long as the key is the same.

    Parameters
    ----------
    data : the bytes of the file.
    timestamp : the text that says when it was handed in, or "".
    isolation : what it runs under; by default what there is on this machine.
    """
    isolation = isolation or sandbox.isolation()
    parts = (data, timestamp.encode(), course(exercise).encode(), packages().encode(), isolation.encode())
    return _digest(parts)


def _digest(parts):
    """One SHA-256 of several texts of bytes; their lengths keep them apart."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
