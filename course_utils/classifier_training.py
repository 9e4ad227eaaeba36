"""One training loop for all classifiers of lesson 10, and what it is measured by."""

import copy
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from course_utils.batching import Batch, batches, pad
from course_utils.classifier import Classifier


class Labelled(NamedTuple):
    """Rows of word numbers and the class of each: N lists of ints and (N,)."""

    rows: list
    labels: torch.Tensor


class Fitted(NamedTuple):
    """A trained model and its share of right answers on the validation rows after each epoch."""

    model: Classifier
    validation: list


def mixed_batches(rows, size, generator=None):
    """As ``batching.batches``, but long and short rows together, as they come by chance."""
    order = torch.arange(len(rows)) if generator is None else torch.randperm(len(rows), generator=generator)
    for places in order.split(size):
        yield Batch(*pad([rows[place] for place in places]), places)


BATCHES = {"by length": batches, "mixed": mixed_batches}
"""How rows are put into batches."""


def share_right(model, data, together="by length", size=64, seed=0):
    """The share of rows whose largest score is that of their class.

    Parameters
    ----------
    model : Classifier.
    data : Labelled.
    together : a key of ``BATCHES``. For a model that minds lengths it makes no difference.
    size : int, rows of a batch; 1 leaves no pads.
    seed : int, of the order of the rows.

    Returns
    -------
    float.
    """
    return right_answers(model, data, together, size, seed).double().mean().item()


def right_answers(model, data, together="by length", size=64, seed=0):
    """For each row whether it was answered right: (N,) bool tensor; the parameters are those above."""
    right = torch.zeros(len(data.rows), dtype=torch.bool)
    with torch.no_grad():
        for batch in BATCHES[together](data.rows, size, torch.Generator().manual_seed(seed)):
            named = model(batch.ids, batch.lengths).argmax(dim=1)  # (B,)
            right[batch.places] = named == data.labels[batch.places]
    return right


def epoch(model, optimiser, data, generator, together="by length", size=64):
    """One pass over the rows: an update of the weights for each batch."""
    for batch in BATCHES[together](data.rows, size, generator):
        scores = model(batch.ids, batch.lengths)  # (B, K)
        loss = cross_entropy(scores, data.labels[batch.places])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


RATES = {"bag": 1e-2, "convolution": 6e-3, "RNN": 6e-3, "LSTM": 1e-2, "GRU": 1e-2}
"""Steps of Adam: of 3e-3, 6e-3 and 1e-2 the one with the best share on the validation documents.

The share is that of the best of three epochs, the mean of seeds 100 and 101, which are not among those of the
record. For the convolution 6e-3 and 1e-2 came out equal, and the smaller was kept. No larger was tried.
"""


def fit(kind, V, data, validation, seed, *, epochs=3, rate=None, own_length=True, together="by length"):
    """Train a classifier and keep it as it was after its best epoch.

    Parameters
    ----------
    kind : a key of ``classifier.SUMMARIES``.
    V : int, words in the vocabulary.
    data, validation : Labelled; the second says which epoch was the best.
    seed : int, of the first weights and of the batches.
    epochs : int, passes over the rows.
    rate : float, step of Adam; that of ``RATES`` when None.
    own_length : bool, see ``Classifier``.
    together : a key of ``BATCHES``.

    Returns
    -------
    Fitted
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Classifier(kind, V, int(data.labels.max()) + 1, own_length)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate or RATES[kind], fused=True)
    generator = torch.Generator().manual_seed(seed)
    best, shares = None, []
    for _ in range(epochs):
        epoch(model, optimiser, data, generator, together)
        shares.append(share_right(model, validation, together))
        if shares[-1] == max(shares):
            best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    return Fitted(model, shares)
