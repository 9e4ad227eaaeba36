"""Recorded experiments on first-symbol recall, for lessons 07 to 09: their settings, and how one is run."""

import torch

from course_utils.gate_tasks import named_instead
from course_utils.records import rounded
from course_utils.training import first_symbol, train

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


def recall(settings):
    """Train the models of a run; returns what was seen, in JSON types.

    The settings are those of ``train``, with the optimiser by its name and None for what is left as it is;
    ``keep`` names what more than the rest to keep.
    """
    return _seen(settings, _trained(settings))


def confusions(settings):
    """The same, and for each model a table of counts: rows the first symbol, columns what was named.

    The counts are those of 2000 fresh rows.
    """
    trained = _trained(settings)
    fresh = first_symbol(2000, settings["T"], 8, torch.Generator().manual_seed(1000))
    table = named_instead(settings["cell"], trained.weights, *fresh)
    return _seen(settings, trained) | {"confusions": table.tolist()}


def _trained(settings):
    chosen = {name: value for name, value in settings.items() if value is not None and name != "keep"}
    if "optimiser" in chosen:
        chosen["optimiser"] = getattr(torch.optim, chosen["optimiser"])
    return train(**chosen)


def _seen(settings, trained):
    watched = ["losses", "accuracies", "first", "last", *settings.get("keep", "").split()]
    return {
        "accuracy": rounded(trained.accuracy),
        "at": trained.updates.tolist(),
        **{name: rounded(getattr(trained, name)) for name in watched},
    }
