"""What reaches a decoder: the right words or its own (the exposure gap), and gradients on their way back.

Up to the first mistake of a row the two are fed the same words, so they make that mistake together. What
differs comes after it.
"""

from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy, pad

from course_utils.seq2seq import final_state, free_run, open_book
from course_utils.tokens import PAD


class Exposure(NamedTuple):
    """Shares of words that are right, and how many words each share is of."""

    open_book: float  # fed the right words
    free: float  # fed its own
    open_after: float  # only words behind the first mistake of their row, fed the right words
    free_after: float  # the same words, fed its own
    words: int  # all words, END included
    words_after: int  # words behind a first mistake


def right_words(model, rows):
    """Which words are right, fed the right ones and fed its own, and which are words at all.

    Parameters
    ----------
    model : Seq2Seq. rows : Rows of N pairs; T is the length of a target without ``BEGIN``.

    Returns
    -------
    opened, free, real : (N, T) tensors of bools.
    """
    wanted = rows.target[:, 1:]
    with torch.no_grad():
        h = final_state(model, rows.source, rows.lengths)
        opened = open_book(model, h, rows.target).argmax(dim=2)
        said = free_run(model, h, wanted.shape[1])
    said = pad(said, (0, wanted.shape[1] - said.shape[1]), value=PAD)
    return opened == wanted, said == wanted, wanted != PAD


def exposure(model, rows):
    """How many words are right in both ways, over all and behind the first mistake of a row.

    Parameters
    ----------
    model : Seq2Seq. rows : Rows.

    Returns
    -------
    Exposure; shares behind a mistake are nan when there is none.
    """
    opened, free, real = right_words(model, rows)
    wrong = ~opened & real
    after = real & (wrong.cumsum(dim=1) - wrong.long() > 0)  # a mistake lies before the word
    shares = [hits[where].double().mean().item() for where in (real, after) for hits in (opened, free)]
    return Exposure(*shares, int(real.sum()), int(after.sum()))


def gradients_by_place(model, rows):
    """How long the gradient of each word's loss is at the vector of each word that was read.

    Parameters
    ----------
    model : Seq2Seq.
    rows : Rows whose sources all have length S and whose targets all have length T + 1.

    Returns
    -------
    (T, S) tensor, the mean over the rows; source places in the order in which they are read.
    """
    vectors = model.read(rows.source).detach().requires_grad_()  # (N, S, E)
    states, _ = model.encoder(vectors)
    scores = open_book(model, states[:, -1], rows.target)
    lengths = []
    for t, wanted in enumerate(rows.target[:, 1:].unbind(1)):
        loss = cross_entropy(scores[:, t], wanted, reduction="sum")  # so each row has its own gradient
        gradient = torch.autograd.grad(loss, vectors, retain_graph=True)[0]
        lengths.append(gradient.norm(dim=2).mean(dim=0))
    return torch.stack(lengths)
