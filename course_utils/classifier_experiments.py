"""Recorded comparison of classifiers, for lesson 10: its settings, and how a run is done."""

import functools
import time

import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from course_utils.classifier import SUMMARIES, parameters_beyond_vectors
from course_utils.classifier_data import (
    TASKS,
    classes_of,
    documents,
    encoded,
    order_task,
    shuffled,
    vocabulary_of,
)
from course_utils.classifier_training import fit, right_answers, share_right
from course_utils.tokens import tokens

SEEDS = [0, 1, 2, 3, 4]


def classifier_runs():
    """Linear models; every network on the documents; tasks of order; shuffled words; the padding mistake.

    All networks are also *read* with the mistake. Two are trained with it, with rows of nearly one length
    together, so that there are few pads, and with long and short rows mixed.
    """
    network = dict(task="documents", seeds=SEEDS, own_length=True, together="by length", words="as written")
    runs = [dict(task="documents", kind="TF-IDF", seeds=SEEDS, together_words=count) for count in (1, 2)]
    runs += [network | {"kind": kind} for kind in SUMMARIES]
    runs += [dict(task=task, kind=kind, seeds=SEEDS) for task in TASKS for kind in SUMMARIES]
    runs += [network | {"kind": "GRU", "words": "shuffled"}]
    mistake = network | {"own_length": False, "seeds": SEEDS[:3]}
    runs += [mistake | {"kind": kind} for kind in ("RNN", "GRU")]
    return runs + [mistake | {"kind": kind, "together": "mixed"} for kind in ("RNN", "GRU")]


def classify_run(settings):
    """Train the classifiers of a run, one for each seed; returns what was seen, in JSON types."""
    if settings["kind"] == "TF-IDF":
        return linear_run(settings)
    return document_run(settings) if settings["task"] == "documents" else order_run(settings)


def linear_model(together_words=1, seed=0, words=None):
    """TF-IDF of words, or of words and pairs of neighbours, and a linear model (scikit-learn).

    A document is one number for each word: how often it comes, times ln of how rare it is, divided by the
    length of all these numbers. The linear model has a weight for each word and class.

    Parameters
    ----------
    together_words : int, 1 for words, 2 for words and pairs.
    seed : int, of the order in which the documents are looked at.
    words : list of texts, the only words that count; all of the training documents when None.
    """
    how = {"ngram_range": (1, together_words), "vocabulary": words}
    counts = TfidfVectorizer(tokenizer=tokens, token_pattern=None, **how)
    return make_pipeline(counts, LinearSVC(random_state=seed))


@functools.cache
def linear_answers(together_words, seed):
    """For each test document whether the linear model is right; its weights and seconds of training."""
    parts = documents()
    model = linear_model(together_words, seed)
    started = time.process_time()
    model.fit([row.text for row in parts.train], classes_of(parts.train))
    seconds = time.process_time() - started
    named = model.predict([row.text for row in parts.test])
    right = torch.tensor(named) == torch.tensor(classes_of(parts.test))
    return right, model[-1].coef_.size + model[-1].intercept_.size, seconds


def linear_run(settings):
    """Share of right answers of the linear model on the test documents, for each seed."""
    found = [linear_answers(settings["together_words"], seed) for seed in settings["seeds"]]
    shares, weights, seconds = zip(*found, strict=True)
    shares = [_short(right.double().mean()) for right in shares]
    return {"accuracy": shares, "parameters": weights[0], "training": [_short(spent) for spent in seconds]}


def document_run(settings):
    """A network on the documents: its accuracy read at the own length and read where the batch ends.

    ``against_linear`` counts test documents for each seed: the linear model and this one right, only the
    linear model, only this one, neither. ``training`` has the seconds of processor time.
    """
    parts = documents()
    vocabulary = vocabulary_of(parts.train)
    data = [encoded(part, vocabulary) for part in parts]
    if settings["words"] == "shuffled":
        data = [shuffled(part) for part in data]
    how = {name: settings[name] for name in ("own_length", "together")}
    names = ("accuracy", "validation", "by length", "mixed", "against_linear", "training")
    seen = {name: [] for name in names}
    for seed in settings["seeds"]:
        started = time.process_time()
        model, shares = fit(settings["kind"], len(vocabulary), *data[:2], seed, **how)
        seen["training"].append(_short(time.process_time() - started))
        model.own_length = True
        right = right_answers(model, data[2])
        seen["accuracy"].append(_short(right.double().mean()))
        seen["validation"].append([_short(share) for share in shares])
        seen["against_linear"].append(_both(linear_answers(1, 0)[0], right))
        model.own_length = False
        for together in ("by length", "mixed"):
            seen[together].append(_short(share_right(model, data[2], together)))
    return seen | {"parameters": parameters_beyond_vectors(model), "documents": [len(part) for part in parts]}


def order_run(settings):
    """A network on a task in which only the order tells the class."""
    accuracies = []
    for seed in settings["seeds"]:
        (train, validation, test), vocabulary = order_task(settings["task"], seed)
        model, _ = fit(settings["kind"], len(vocabulary), train, validation, seed, rate=3e-3)
        accuracies.append(_short(share_right(model, test)))
    return {"accuracy": accuracies}


def _both(one, other):
    pairs = (one & other, one & ~other, ~one & other, ~one & ~other)
    return [int(pair.sum()) for pair in pairs]


def _short(share):
    return float(f"{float(share):.4f}")
