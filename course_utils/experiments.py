"""Repeat the recorded experiments: ``python -m course_utils.experiments [NAME ...]``; all, without a name.

An experiment is a list of runs; several run at once, each on one core. What a run gave is kept in
``build/experiments`` until the experiment is complete, so an interrupted one goes on where it stopped.
The record, with command, versions and processor time, goes to ``data/``.
"""

import argparse
import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import platform
import signal
import sys
import time
from importlib.metadata import version
from pathlib import Path

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from course_utils import training
from course_utils.gate_tasks import named_instead
from course_utils.records import DATA
from course_utils.training import first_symbol, train

KEPT = DATA.parent / "build/experiments"
SEEDS = list(range(16))


def recall_runs():
    """First-symbol recall: which cell learns it at which distance."""
    runs = [dict(cell="rnn", T=T, seeds=SEEDS[:8], gate_bias=0.0) for T in (5, 10, 15, 20, 30, 50)]
    runs += [dict(cell="lstm", T=T, seeds=SEEDS[:8], gate_bias=2.0) for T in (5, 10, 15, 20, 30)]
    runs += [dict(cell="gru", T=T, seeds=SEEDS[:8], gate_bias=0.0) for T in (5, 10, 15, 20, 30)]
    return [{"updates": 1500} | run for run in runs]


def clipping_runs():
    """First-symbol recall with large steps of plain gradient descent: what clipping decides."""
    settings = dict(cell="rnn", T=10, seeds=SEEDS[:12], updates=800, rate=0.2, optimiser="SGD", watch=20)
    runs = [settings | {"clip": limit} for limit in (None, 0.1, 0.5, 2.0, 8.0)]
    return [run | {"keep": "norms"} if run["clip"] in (None, 2.0) else run for run in runs]


def start_runs():
    """Recall at T = 50: how many runs learn it, from which start of the gates, and with twice the updates."""
    runs = [dict(cell="lstm", T=50, seeds=SEEDS, gate_bias=2.0)]
    runs += [dict(cell="gru", T=50, seeds=SEEDS[:12], gate_bias=bias) for bias in (2.0, 0.0)]
    runs += [dict(cell="lstm", T=50, seeds=SEEDS[:12], gate_bias=bias) for bias in (0.0, 1.0)]
    runs += [dict(cell="lstm", T=50, seeds=SEEDS[:8], gate_bias=2.0, updates=3000)]
    return [{"updates": 1500} | run for run in runs]


def confusion_runs():
    """What the units name instead that learn recall in part, at T = 30, or not at all, at T = 50."""
    return [dict(cell="lstm", T=T, seeds=SEEDS[:8], gate_bias=2.0, updates=1500) for T in (30, 50)]


EXPERIMENTS = {
    "recall": recall_runs,
    "clipping": clipping_runs,
    "starts": start_runs,
    "confusions": confusion_runs,
}


def result_of(settings, look=None):
    """Train the models of a run; returns its settings and what was seen, in JSON types.

    The settings are those of ``train``, with the optimiser by its name and None for what is left as it is;
    ``keep`` names what more than the rest to keep. ``look`` is a function of settings and trained weights
    that sees more: it returns a dict.
    """
    torch.set_num_threads(1)
    started = time.process_time()
    chosen = {name: value for name, value in settings.items() if value is not None and name != "keep"}
    if "optimiser" in chosen:
        chosen["optimiser"] = getattr(torch.optim, chosen["optimiser"])
    trained = train(**chosen)
    watched = ["losses", "accuracies", "first", "last", *settings.get("keep", "").split()]
    seen = {
        "accuracy": _rounded(trained.accuracy),
        "at": trained.updates.tolist(),
        **{name: _rounded(getattr(trained, name)) for name in watched},
    }
    if look:
        seen |= look(settings, trained.weights)
    return settings | seen | {"seconds": round(time.process_time() - started, 1)}


def confusions(settings, weights):
    """For each model a table of counts: rows the first symbol, columns what was named; 2000 fresh rows."""
    fresh = first_symbol(2000, settings["T"], 8, torch.Generator().manual_seed(1000))
    return {"confusions": named_instead(settings["cell"], weights, *fresh).tolist()}


LOOKS = {"confusions": confusions}
"""What is seen besides in the runs of an experiment."""


def _rounded(values):
    """Numbers to four digits, lists of lists as they are."""
    if values.ndim > 1:
        return [_rounded(row) for row in values]
    return [float(f"{number:.4g}") for number in values.tolist()]


def run_experiment(name, workers, kept=KEPT, data=DATA):
    """Do what is left of an experiment, then write its record.

    Parameters
    ----------
    name : a key of ``EXPERIMENTS``.
    workers : int, runs at once.
    kept, data : folders for single runs and for the record.
    """
    folder = kept / name
    folder.mkdir(parents=True, exist_ok=True)
    places = {folder / f"{_slug(run)}.json": run for run in EXPERIMENTS[name]()}
    left = {path: run for path, run in places.items() if not path.exists()}
    columns = (
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with (
        Progress(*columns) as bar,
        concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool,
    ):
        task = bar.add_task(name, total=len(places), completed=len(places) - len(left))
        running = {pool.submit(result_of, run, LOOKS.get(name)): path for path, run in left.items()}
        try:
            for done in concurrent.futures.as_completed(running):
                _write(running[done], done.result())
                bar.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():  # its run would take minutes to its end
                worker.terminate()
            raise
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in places]
    head = {
        "command": f"python -m course_utils.experiments {name}",
        "versions": {
            "python": platform.python_version(),
            "torch": version("torch"),
            "numpy": version("numpy"),
        },
        "seconds": round(sum(run["seconds"] for run in runs)),
    }
    _write(data / f"{name}.json", head | {"runs": runs})


def _slug(settings):
    """The settings of a run as a file name, with a mark of the program: what another gave is run again."""
    seeds = settings["seeds"]
    parts = {key: value for key, value in settings.items() if key != "seeds"}
    named = "_".join(f"{key}-{value}" for key, value in parts.items())
    return f"{named}_seeds-{seeds[0]}-{seeds[-1]}_program-{_program()}"


def _program():
    """Eight characters that change with the text of the training or the version of torch."""
    text = Path(training.__file__).read_text(encoding="utf-8") + torch.__version__
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _write(path, value):
    """Write JSON with a line for each run, whole or not at all."""
    head = {key: part for key, part in value.items() if key != "runs"}
    text = json.dumps(head)
    if "runs" in value:
        lines = ",\n  ".join(json.dumps(run) for run in value["runs"])
        text = f'{text[:-1]},\n "runs": [\n  {lines}\n]}}'
    unfinished = path.with_suffix(".part")
    unfinished.write_text(text + "\n", encoding="utf-8")
    unfinished.replace(path)


def main():
    parser = argparse.ArgumentParser(description="Repeat the recorded experiments.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(EXPERIMENTS)}; all when none"
    )
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="runs at once (default: the cores)"
    )
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.names) - set(EXPERIMENTS)):
        parser.error(f"there is no experiment {unknown[0]!r}; there are: {', '.join(EXPERIMENTS)}")
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # however it is stopped, workers end too
    try:
        for name in chosen.names or EXPERIMENTS:
            run_experiment(name, chosen.workers)
    except KeyboardInterrupt:
        sys.exit("stopped; what is done is kept, the same command goes on from there")


if __name__ == "__main__":
    main()
