"""Recorded experiments of lesson 11: language models of one corpus, from counts and from recurrent layers."""

import functools
import math
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from course_utils import bpe, corpus, ngrams
from course_utils.language import LanguageModel, target_probabilities, train, validate
from course_utils.long_text import cut_prefix

LIBRARY, V = "sympy", 2000
SEEDS = (0, 1, 2)
SETTINGS = ("cell", "E", "H", "dropout", "tied")
KEPT, LEAST = [1, 2, 3, 4, 6, 8, 12, 16], 16
"""Tokens of the prefix that a model is left, and how many stand before every target of that measurement."""


class Texts(NamedTuple):
    """A corpus in pieces: rows of numbers between the marks of begin and end.

    Weights and counts come from ``train``, epoch and settings are chosen by ``validation``, and what a
    chosen model is worth is measured on ``test``.
    """

    encoder: Tokenizer
    train: list
    validation: list
    test: list


@functools.cache
def texts():
    """The documents of one library in 2,000 pieces, a tenth to choose by and a tenth to test on."""
    sides = corpus.three_sides(corpus.documents([LIBRARY]))
    encoder = bpe.train_bpe([document.text for document in sides[0]], V)
    return Texts(encoder, *(bpe.encode_texts(encoder, [row.text for row in side]) for side in sides))


def language_runs():
    """Counts of one to five tokens; the note's settings and three epochs; then what turns the result.

    Counting draws nothing at random, so it is done once; every network is trained with three seeds.
    """
    counts = [dict(name="counts", cell="counts", order=order) for order in range(1, 6)]
    note = dict(cell="lstm", E=128, H=256, epochs=3, dropout=0.0, tied=False, decay=False)
    dropped = note | dict(epochs=12, dropout=0.3, tied=True, decay=True)
    networks = [
        dict(name="note") | note | dict(cell="rnn"),
        dict(name="note") | note,
        dict(name="longer") | note | dict(epochs=10),
        dict(name="wide") | dropped | dict(E=256, H=512, dropout=0.5),
        dict(name="dropout") | dropped,
    ]
    return counts + [network | dict(seed=seed) for network in networks for seed in SEEDS]


def language(settings):
    """Train and measure one model on the corpus; returns what was seen, in JSON types."""
    data = texts()
    if settings["cell"] == "counts":
        tables = ngrams.count_followers(data.train, settings["order"])
        sides = {"valid": data.validation, "test": data.test}
        seen = {name: _short(math.exp(ngrams.ngram_loss(tables, rows, V))) for name, rows in sides.items()}
        cut = [_counts_cut(tables[: k + 1], data.test) for k in range(1, settings["order"])]
        return seen | {"cut": [_short(value) for value in cut]}
    torch.manual_seed(settings["seed"])
    model = LanguageModel(V, **{name: settings[name] for name in SETTINGS})
    how = {name: settings[name] for name in ("epochs", "decay", "seed")}
    seen = train(model, data.train, data.validation, **how)
    return {
        "parameters": sum(part.numel() for part in model.parameters()),
        "train": [_short(value) for value in seen.train],
        "valid": [_short(value) for value in seen.valid],
        "best_epoch": 1 + seen.valid.index(min(seen.valid)),
        "test": _short(validate(model, data.test)),
        "kept": KEPT,
        "cut": [_short(value) for value in cut_prefix(model, data.test, KEPT, LEAST).values()],
        "mixed": _short(_mixed(model, data)),
    }


def _mixed(model, data):
    """Test perplexity of the mean of the probabilities that the model and a four-gram give."""
    counts = ngrams.target_probabilities(ngrams.count_followers(data.train, 4), data.test, V)
    both = target_probabilities(model, data.test).double() / 2 + torch.tensor(counts) / 2
    return both.log().mean().neg().exp().item()


def _counts_cut(tables, rows):
    """Perplexity of counts on the targets of ``cut_prefix``; they read one token less than their order."""
    logs = [
        math.log(ngrams.probability(tables, row[:t], row[t], V))
        for row in rows
        for t in range(LEAST, len(row))
    ]
    return math.exp(-sum(logs) / len(logs))


def _short(value):
    return float(f"{value:.4g}")
