"""Writing files so that a reader, or an interrupted run, never meets a half-written one."""

import io
import os
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

from grading.errors import UserError

PUBLIC, PRIVATE = 0o644, 0o600
"""What everyone on the machine may read; what is about students, and only for who grades them."""


def write_text(path, text, mode=PUBLIC):
    """Write a text file in one step; see ``write_bytes``."""
    write_bytes(path, text.encode("utf-8"), mode)


def write_bytes(path, data, mode=PUBLIC):
    """Write a file in one step: to a temporary file beside it, then renamed over it."""
    _write(path, [data], mode)


def write_pieces(path, texts, mode=PUBLIC):
    """Write a text file in one step, piece by piece, so that it need not be in memory as a whole."""
    _write(path, (text.encode("utf-8") for text in texts), mode)


def _write(path, pieces, mode):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def zipped(files, mode=PUBLIC):
    """A zip of {name: bytes}, with fixed dates, so that the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            archive.writestr(entry, content)
    return data.getvalue()


@contextmanager
def private():
    """Inside, every new file and folder is closed to other users, whoever writes it."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def demand_writable(path):
    """Refuse, before any work is done, a path at which no file can be written."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise UserError(f"no file can be written at {path}; choose another place")
