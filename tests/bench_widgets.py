"""Time of one redraw of every dial: ``python tests/bench_widgets.py``. The bar is a median of 150 ms."""

import statistics
import time

import dials
import numpy as np

from course_utils import records

BAR_MS = 150


def values(control, count=60):
    """Values over the whole range of a control, there and back for one with few options."""
    if hasattr(control, "min"):
        return [type(control.value)(value) for value in np.linspace(control.min, control.max, count)]
    return [value for _, value in control.options] * (count // len(control.options))


def redraw_times(dial, name):
    """Milliseconds of each move of one control over its range."""
    control, times = dial.controls[name], []
    for value in values(control):
        start = time.perf_counter()
        control.value = value
        times.append(1000 * (time.perf_counter() - start))
    return times


def truncation_dial():
    """The windows of lesson 06, with made-up cosines."""
    windows = list(range(1, 121, 6))
    cosines = {lag: {name: [k / 115 for k in windows] for name in ("W_xh", "W_hh")} for lag in (5, 20, 50)}
    return dials.truncation_dial(windows, cosines, window=19)


def recall_browser():
    """The recorded runs of lesson 07."""
    return dials.recall_browser(records.runs("recall", cell="rnn"))


def trace_viewer():
    """The viewer of lesson 09 on an untrained unit and sentences of its size."""
    trace = dials.random_trace(B=4, T=12, d=18, H=8)
    return dials.trace_viewer(trace, [f"{12 * f' word{number}'}".strip() for number in range(4)], unit=0)


SIZED = {make.__name__: make for make in (truncation_dial, recall_browser, trace_viewer)}


def main():
    """Print median and slowest redraw of each control; exit with 1 above the bar."""
    slow = False
    for dial, make in (dials.DIALS | SIZED).items():
        for name in make().controls:
            times = redraw_times(make(), name)
            median = statistics.median(times)
            slow |= median > BAR_MS
            print(f"{dial}.{name}: median {median:.0f} ms, slowest {max(times):.0f} ms")
    raise SystemExit(slow)


if __name__ == "__main__":
    main()
