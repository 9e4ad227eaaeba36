"""Recorded experiments of lesson 11: language models of one corpus, from counts and from recurrent layers."""

import functools
import math
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from course_utils import bpe, corpus, ngrams
from course_utils.language import LanguageModel, target_probabilities, train
from course_utils.long_text import cut_prefix

LIBRARY, V = "sympy", 2000
SETTINGS = ("cell", "E", "H", "dropout", "tied")
KEPT, LEAST = [1, 2, 3, 4, 6, 8, 12, 16], 16
"""Tokens of the prefix that a model is left, and how many stand before every target of that measurement."""


class Texts(NamedTuple):
    """A corpus in pieces: rows of numbers between the marks of begin and end."""

    encoder: Tokenizer
    train: list
    held_out: list


@functools.cache
def texts():
    """The documents of one library in 2,000 pieces, a tenth of them held out."""
    sides = corpus.train_and_held_out(corpus.documents([LIBRARY]))
    encoder = bpe.train_bpe([document.text for document in sides[0]], V)
    return Texts(encoder, *(bpe.encode_texts(encoder, [row.text for row in side]) for side in sides))


def language_runs():
    """Counts of one to five tokens; the note's settings and three epochs; then what turns the result."""
    counts = [dict(name="counts", cell="counts", order=order) for order in range(1, 6)]
    note = dict(E=128, H=256, epochs=3, dropout=0.0, tied=False, decay=False)
    longer = note | dict(epochs=6)
    dropped = note | dict(epochs=12, dropout=0.3, tied=True, decay=True)
    tied = note | dict(epochs=10, dropout=0.1, tied=True)
    runs = [dict(name="note", cell=cell) | note for cell in ("rnn", "lstm")]
    wide = dropped | dict(E=256, H=512, dropout=0.5)
    others = dict(longer=longer, tied=tied, dropout=dropped, wide=wide)
    runs += [dict(name=name, cell="lstm") | settings for name, settings in others.items()]
    return counts + runs


def language(settings):
    """Train and measure one model on the corpus; returns what was seen, in JSON types."""
    data = texts()
    if settings["cell"] == "counts":
        tables = ngrams.count_followers(data.train, settings["order"])
        valid = math.exp(ngrams.ngram_loss(tables, data.held_out, V))
        cut = [_counts_cut(tables[: k + 1], data.held_out) for k in range(1, settings["order"])]
        return {"valid": [_short(valid)], "cut": [_short(value) for value in cut]}
    torch.manual_seed(11)
    model = LanguageModel(V, **{name: settings[name] for name in SETTINGS})
    seen = train(model, data.train, data.held_out, settings["epochs"], decay=settings["decay"])
    return {
        "parameters": sum(part.numel() for part in model.parameters()),
        "train": [_short(value) for value in seen.train],
        "valid": [_short(value) for value in seen.valid],
        "kept": KEPT,
        "cut": [_short(value) for value in cut_prefix(model, data.held_out, KEPT, LEAST).values()],
        "mixed": _short(_mixed(model, data)),
    }


def _mixed(model, data):
    """Perplexity of the mean of the probabilities that the model and a four-gram give."""
    counts = ngrams.target_probabilities(ngrams.count_followers(data.train, 4), data.held_out, V)
    both = target_probabilities(model, data.held_out).double() / 2 + torch.tensor(counts) / 2
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
