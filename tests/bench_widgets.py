"""Time of one redraw of every dial: ``python tests/bench_widgets.py``. The bar is a median of 150 ms."""

import statistics
import time

import numpy as np
import torch

from course_utils import (
    records,
    widgets,
    widgets_adaptive,
    widgets_bptt,
    widgets_conditioning,
    widgets_gated,
    widgets_horizon,
    widgets_modes,
    widgets_rnn,
    widgets_sequences,
)
from course_utils.filters import one_pole
from course_utils.gated import lstm_trace

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


def pole_walk():
    """The walk of lesson 04 on data of its size."""
    x = np.random.default_rng(4).normal(size=300)
    return widgets_adaptive.pole_walk(x, one_pole(x, 0.9, 0.5), bottom=(0.9, 0.5))


def truncation_dial():
    """The windows of lesson 06, with made-up cosines."""
    windows = list(range(1, 121, 6))
    cosines = {lag: {name: [k / 115 for k in windows] for name in ("W_xh", "W_hh")} for lag in (5, 20, 50)}
    return widgets_bptt.truncation_dial(windows, cosines, T=120, window=19)


def recall_browser():
    """The recorded runs of lesson 07."""
    return widgets_horizon.recall_browser(records.runs("recall", cell="rnn"))


def trace_viewer():
    """The viewer of lesson 09 on an untrained unit and sentences of its size."""
    shapes = (4, 12, 18), (32, 18), (32, 8), (32,)
    trace = lstm_trace(*(torch.randn(*shape, generator=torch.Generator().manual_seed(9)) for shape in shapes))
    return widgets_gated.trace_viewer(trace, [f"{12 * f' word{number}'}".strip() for number in range(4)])


def main():
    """Print median and slowest redraw of each control; exit with 1 above the bar."""
    slow = False
    dials = [widgets.pole_dial, widgets.fir_match, widgets_adaptive.step_dial, pole_walk]
    dials += [widgets_sequences.reach_builder, widgets_sequences.shuffle_dial]
    dials += [widgets_modes.mode_dial, widgets_modes.axes_dial]
    dials += [widgets_rnn.cell_dial, widgets_rnn.padding_dial]
    dials += [widgets_bptt.unroll_player, truncation_dial]
    dials += [widgets_horizon.horizon_dial, recall_browser]
    dials += [widgets_conditioning.clip_dial, widgets_conditioning.spectrum_dial]
    dials += [widgets_gated.gate_dial, trace_viewer]
    for make in dials:
        for name in make().controls:
            times = redraw_times(make(), name)
            median = statistics.median(times)
            slow |= median > BAR_MS
            print(f"{make.__name__}.{name}: median {median:.0f} ms, slowest {max(times):.0f} ms")
    raise SystemExit(slow)


if __name__ == "__main__":
    main()
