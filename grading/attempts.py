"""The attempts of one student at one exercise: the newest is graded, the others lie beside it."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from grading.files import PRIVATE, write_bytes, write_text
from grading.submissions import ATTEMPTS, STAMP


@dataclass
class Attempt:
    """One file that was handed in: its name in the folder, its bytes, and its time in UTC or None."""

    name: str
    data: bytes
    time: datetime | None = None

    @property
    def digest(self):
        return hashlib.sha256(self.data).hexdigest()


def to_utc(time):
    """A time of this computer's zone, as archives hold it, in UTC and without a zone; None stays None."""
    return time and time.astimezone(UTC).replace(tzinfo=None, microsecond=0)


def read_stamp(text):
    """The time in nbgrader's file, in UTC and without a zone; None when it cannot be read."""
    try:
        return parse_utc(text.strip())
    except (ValueError, OverflowError):
        return None


def place(folder, attempts):
    """Put the attempts of one student into the folder STUDENT/EXERCISE.

    The last one is graded from now on, unless a newer one lies there already. Whatever it replaces moves to
    ``attempts``; nothing is ever written over.

    Parameters
    ----------
    attempts : list of Attempt, the oldest first.

    Returns
    -------
    int : how many attempts lie beside the one that counts.
    """
    *older, newest = attempts
    kept = {_digest(path) for path in (folder / ATTEMPTS).glob("*/*") if path.name != STAMP}
    current = _current(folder)
    for attempt in older:
        if attempt.digest not in kept | {newest.digest} | {one.digest for one in current}:
            _keep(folder, attempt)
            kept.add(attempt.digest)
    if newest.digest not in {one.digest for one in current}:
        if current and _is_older(newest, current[0], kept):
            if newest.digest not in kept:
                _keep(folder, newest)
        else:
            for one in current:
                _keep(folder, one)
                (folder / one.name).unlink()
            _write(folder, newest)
    return len(list((folder / ATTEMPTS).glob("*")))


def is_current(folder, attempt):
    """Whether an attempt is the one that lies in the folder and is graded."""
    return attempt.digest in {one.digest for one in _current(folder)}


def _is_older(newest, current, kept):
    """Whether what comes was handed in before what lies there; without both times, whether it was known."""
    if newest.time and current.time and newest.time != current.time:
        return newest.time < current.time
    return newest.digest in kept


def _current(folder):
    """What lies in the folder now; usually one file."""
    stamp = folder / STAMP
    time = read_stamp(stamp.read_text(encoding="utf-8", errors="replace")) if stamp.is_file() else None
    files = sorted(path for path in folder.glob("*") if path.is_file() and path.name != STAMP)
    return [Attempt(path.name, path.read_bytes(), time) for path in files]


def _keep(folder, attempt):
    when = f"{attempt.time:%Y-%m-%d_%H-%M-%S}" if attempt.time else "undated"
    _write(folder / ATTEMPTS / f"{when}_{attempt.digest[:8]}", attempt)


def _write(folder, attempt):
    write_bytes(folder / attempt.name, attempt.data, PRIVATE)
    if attempt.time:
        write_text(folder / STAMP, f"{attempt.time:%Y-%m-%d %H:%M:%S} UTC\n", PRIVATE)
    else:
        (folder / STAMP).unlink(missing_ok=True)


def _digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
