"""The recall grid, one run after another against three seeds at once: ``python tests/bench_recall.py``.

Two cells, six lengths, three seeds, with 40 of the 1500 updates. Printed are ratios of processor time on one
core, to the plain loop over runs with the course's own steps and to that over PyTorch's modules (its LSTM is
one fused routine). An experiment also runs several settings at once, one on each core.
"""

import torch
from torch import nn

from course_utils import training
from course_utils.costs import clock
from course_utils.training import first_symbol, train

LENGTHS, SEEDS, UPDATES = (5, 10, 15, 20, 30, 50), [0, 1, 2], 40
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


def seconds(run, cell):
    """Processor time of a cell's part of the grid."""
    start = clock()
    for T in LENGTHS:
        run(cell, T)
    return clock() - start


def main():
    """Print a line for each cell and one for the whole grid."""
    torch.set_num_threads(1)
    together("lstm", 5)  # what is loaded at the first use
    library("lstm", 5)
    whole = dict.fromkeys((together, one_by_one, library), 0.0)
    for cell in ("rnn", "lstm"):
        times = {run: seconds(run, cell) for run in whole}
        _show(cell, times)
        whole = {run: spent + times[run] for run, spent in whole.items()}
    _show("both", whole)


def _show(name, times):
    ours = times[together]
    print(
        f"{name:<5} seeds together {1000 * ours:6.0f} ms; one by one {times[one_by_one] / ours:.2f} times,"
        f" PyTorch's modules one by one {times[library] / ours:.2f} times"
    )


if __name__ == "__main__":
    main()
