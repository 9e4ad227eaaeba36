"""The file of nbgrader's gradebook: looked at and copied before a run, and opened cheaply during it."""

import functools
import os
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import nbgrader.api

from grading.errors import UserError
from grading.files import PRIVATE

COPY = "gradebook.backup.db"


def back_up(gradebook):
    """Copy a sound gradebook beside itself; a run may then go wrong.

    Raises
    ------
    UserError : for a gradebook that is damaged, which stays as it is, and so does the copy; and where there
        is no room for a copy.
    """
    gradebook = Path(gradebook)
    copy = gradebook.with_name(COPY)
    if not gradebook.exists():
        return
    if damage := damaged(gradebook):
        raise UserError(f"{gradebook} is damaged ({damage}); nothing was graded. {_way_out(gradebook, copy)}")
    handle, name = tempfile.mkstemp(dir=gradebook.parent, prefix=f".{COPY}.")
    os.close(handle)
    try:
        with closing(sqlite3.connect(gradebook)) as source, closing(sqlite3.connect(name)) as target:
            source.backup(target)
        os.chmod(name, PRIVATE)
        os.replace(name, copy)
    except (sqlite3.Error, OSError) as error:
        raise UserError(
            f"no copy of {gradebook} can be made ({error}); nothing was graded. Is the disk full?"
        ) from None
    finally:
        Path(name).unlink(missing_ok=True)


def damaged(path):
    """What is wrong with the file of a gradebook, in words; "" for a sound one."""
    if not path.stat().st_size:
        return "it is empty"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        return str(error)
    return "" if found == "ok" else found.splitlines()[-1]


def _way_out(gradebook, copy):
    kept = "Outcomes and graded copies are kept"
    if copy.exists() and not damaged(copy):
        return f"{kept}, and {copy.name} is how it was before the last run: copy it over {gradebook.name}."
    return (
        f"{kept}, but there is no sound copy of it. Move it away and grade again; points that you gave "
        "by hand stand in outcomes/ (verdict: marked) and have to be given again."
    )


@contextmanager
def quickly_opened():
    """Inside, nbgrader's gradebooks of one file share their engine, and with it the compiled statements.

    nbgrader opens the gradebook eleven times for one submission, and compiles all its statements each time.
    """
    before = nbgrader.api.create_engine
    nbgrader.api.create_engine = functools.lru_cache(maxsize=4)(before)
    try:
        yield
    finally:
        nbgrader.api.create_engine = before
