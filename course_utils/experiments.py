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
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from course_utils import (
    batching,
    bpe,
    classifier,
    classifier_data,
    classifier_experiments,
    classifier_training,
    corpus,
    language,
    language_experiments,
    long_text,
    ngrams,
    recall_experiments,
    seq2seq,
    seq2seq_experiments,
    training,
)
from course_utils.records import DATA

KEPT = DATA.parent / "build/experiments"


class Experiment(NamedTuple):
    """What is recorded under one name."""

    runs: Callable  # () to a list of settings, dicts of JSON types
    run: Callable  # settings to what was seen, a dict of JSON types
    program: tuple  # the modules whose text decides what comes out


EXPERIMENTS = {
    "recall": Experiment(recall_experiments.recall_runs, recall_experiments.recall, (training,)),
    "clipping": Experiment(recall_experiments.clipping_runs, recall_experiments.recall, (training,)),
    "starts": Experiment(recall_experiments.start_runs, recall_experiments.recall, (training,)),
    "confusions": Experiment(recall_experiments.confusion_runs, recall_experiments.confusions, (training,)),
    "classifier": Experiment(
        classifier_experiments.classifier_runs,
        classifier_experiments.classify_run,
        (batching, classifier, classifier_data, classifier_training),
    ),
    "language": Experiment(
        language_experiments.language_runs,
        language_experiments.language,
        (corpus, bpe, language, long_text, ngrams),
    ),
    "seq2seq": Experiment(
        seq2seq_experiments.seq2seq_runs, seq2seq_experiments.seq2seq_run, (seq2seq, seq2seq_experiments)
    ),
}


def result_of(run, settings):
    """Do a run on one core; returns its settings, what was seen and the seconds of processor time."""
    torch.set_num_threads(1)
    started = time.process_time()
    seen = run(settings)
    return settings | seen | {"seconds": round(time.process_time() - started, 1)}


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
    experiment = EXPERIMENTS[name]
    places = {folder / f"{_slug(run, experiment.program)}.json": run for run in experiment.runs()}
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
        running = {pool.submit(result_of, experiment.run, run): path for path, run in left.items()}
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


def _slug(settings, program):
    """The settings of a run as a file name, with a mark of the program: what another gave is run again."""
    named = "_".join(f"{key}-{_short(value)}" for key, value in settings.items())
    return f"{named}_program-{_mark(program)}"


def _short(value):
    return f"{value[0]}-{value[-1]}" if isinstance(value, list) else value


def _mark(program):
    """Eight characters that change with the text of the modules or the version of torch."""
    texts = [Path(module.__file__).read_text(encoding="utf-8") for module in program]
    return hashlib.sha256("".join([*texts, torch.__version__]).encode()).hexdigest()[:8]


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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # however it is stopped, workers end too
    try:
        for name in chosen.names or EXPERIMENTS:
            run_experiment(name, chosen.workers)
    except KeyboardInterrupt:
        sys.exit("stopped; what is done is kept, the same command goes on from there")


if __name__ == "__main__":
    main()
