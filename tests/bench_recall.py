"""The recall grid, one run after another against three seeds at once: ``python tests/bench_recall.py``.

Two cells, six lengths, three seeds, with 40 of the 1500 updates. First the gain of seeds trained together
on one core, as ratios of processor time: to the plain loop over runs with the course's own steps and to that
over PyTorch's modules (its LSTM is one fused routine). Then the grid as an experiment runs it, a setting on
each core, against the plain loops, as ratios of time on the clock: a busy machine spoils them. The loops have
one thread: a second one gains little on products this small, and loses much beside anything else that runs.
"""

import concurrent.futures
import multiprocessing
import os
import time

import torch
from torch import nn

from course_utils import training
from course_utils.costs import clock
from course_utils.training import first_symbol, train

CELLS, LENGTHS, SEEDS, UPDATES = ("rnn", "lstm"), (5, 10, 15, 20, 30, 50), [0, 1, 2], 40
SIZES = {"H": 32, "V": 8, "batch": 64}
SHORT = {"updates": UPDATES, "watch": 50, "tests": 10}


def together(cell, T):
    train(cell, T, SEEDS, **SHORT)


def one_by_one(cell, T):
    for seed in SEEDS:
        train(cell, T, [seed], **SHORT)


def library(cell, T):
    for seed in SEEDS:
        torch.manual_seed(seed)
        layer = training.MODULES[cell](SIZES["V"], SIZES["H"], batch_first=True)
        scores = nn.Linear(SIZES["H"], SIZES["V"])
        optimiser = torch.optim.Adam([*layer.parameters(), *scores.parameters()], lr=3e-3)
        for _ in range(UPDATES):
            symbols, targets = first_symbol(SIZES["batch"], T, SIZES["V"], torch.default_generator)
            output, _ = layer(nn.functional.one_hot(symbols, SIZES["V"]).float())
            optimiser.zero_grad()
            nn.functional.cross_entropy(scores(output[:, -1]), targets).backward()
            optimiser.step()


def seconds(run, cells, timer):
    """Time that the part of the grid with these cells takes, one setting after another."""
    start = timer()
    for cell in cells:
        for T in LENGTHS:
            run(cell, T)
    return timer() - start


def seconds_of_experiment(cores):
    """Time on the clock of the whole grid, seeds together, a setting on each core, the longest first."""
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(cores, spawn, initializer=_get_ready) as pool:
        list(pool.map(together, ["lstm"] * cores, [5] * cores))  # what is loaded at the first use
        start = time.perf_counter()
        settings = [(cell, T) for T in sorted(LENGTHS, reverse=True) for cell in CELLS]
        list(pool.map(together, *zip(*settings, strict=True)))
        return time.perf_counter() - start


def _get_ready():
    torch.set_num_threads(1)


def main():
    """Print a line for each cell on one core, one for both, and one for the grid on all cores."""
    torch.set_num_threads(1)
    together("lstm", 5)
    library("lstm", 5)
    for cells in (*((cell,) for cell in CELLS), CELLS):
        ours, own, modules = (seconds(run, cells, clock) for run in (together, one_by_one, library))
        print(
            f"{' and '.join(cells):<12} one core: seeds together {1000 * ours:6.0f} ms; one by one"
            f" {own / ours:.2f} times, PyTorch's modules one by one {modules / ours:.2f} times"
        )
    cores = os.cpu_count()
    own, modules = (seconds(run, CELLS, time.perf_counter) for run in (one_by_one, library))
    ours = seconds_of_experiment(cores)
    print(
        f"whole grid, {cores} cores: as an experiment {1000 * ours:6.0f} ms; plain loop over runs"
        f" {own / ours:.2f} times, over PyTorch's modules {modules / ours:.2f} times"
    )


if __name__ == "__main__":
    main()
