"""Where the time of one submission goes: seconds a stage, for ``make bench``.

Nothing is kept unless ``collect`` is open. What is measured never becomes part of an outcome, which is the
same again with the same seed.
"""

import time
from contextlib import contextmanager
from contextvars import ContextVar

STAGES = ("start", "import", "student code", "probe", "judge", "write")
_open = ContextVar("stages", default=None)


class _Clock:
    def __init__(self):
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.running = []
        self.since = time.perf_counter()

    def turn(self):
        """Give the time since the last turn to the stage that ran."""
        now = time.perf_counter()
        if self.running:
            self.seconds[self.running[-1]] += now - self.since
        self.since = now


@contextmanager
def collect():
    """Measure what happens inside; gives {stage: seconds}, complete at the end."""
    clock = _Clock()
    token = _open.set(clock)
    try:
        yield clock.seconds
    finally:
        clock.turn()
        _open.reset(token)


@contextmanager
def stage(name):
    """What happens inside counts for this stage; a stage within another takes its time from it."""
    clock = _open.get()
    if clock is None:
        yield
        return
    clock.turn()
    clock.running.append(name)
    try:
        yield
    finally:
        clock.turn()
        clock.running.pop()
