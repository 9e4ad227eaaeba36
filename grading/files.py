"""Writing files so that a reader, or an interrupted run, never meets a half-written one."""

import os
import tempfile
from pathlib import Path

from grading.errors import UserError


def write_text(path, text):
    """Write a text file in one step: to a temporary file beside it, then renamed over it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def demand_writable(path):
    """Refuse, before any work is done, a path at which no file can be written."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise UserError(f"no file can be written at {path}; choose another place")
