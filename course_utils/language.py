"""A recurrent language model: at every step the probabilities of the next token; its loss and its training.

The model reads w_1 ... w_t and says how probable each token is as w_(t+1). Rows of numbers begin with a mark
of begin and end with a mark of end; 0 is a pad (``course_utils.bpe``, ``course_utils.batching``).
"""

import math
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from course_utils.batching import batches
from course_utils.tokens import PAD

CELLS = {"rnn": nn.RNN, "lstm": nn.LSTM}
LONGEST = 128
"""Tokens of a document that are read; the rest is cut off."""
TOO_DEAR = 20.0
"""Nats a token from which on the perplexity is called infinite."""


class LanguageModel(nn.Module):
    """Embedding, recurrent layer, and scores of the next token from each state.

    Parameters
    ----------
    V, E, H : int, sizes of vocabulary, embedding and state.
    cell : "rnn" or "lstm".
    dropout : float, share of numbers set to 0 in training, behind the embedding and behind the states.
    tied : bool: embedding and output layer are one matrix (V, E); a layer (E, H) leads from the state to it.
    half : bool: multiply by the output layer in bfloat16. The state stays in float32: it is carried from step
        to step, and an error of one step is carried with it.

    Source: Press, Wolf 2017, "Using the output embedding to improve language models", for ``tied``.
    """

    def __init__(self, V, E=128, H=256, cell="lstm", dropout=0.0, tied=False, half=False):
        super().__init__()
        self.embedding = nn.Embedding(V, E)
        self.recurrent = CELLS[cell](E, H, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.narrow = nn.Linear(H, E, bias=False) if tied else nn.Identity()
        self.output = nn.Linear(E if tied else H, V)
        self.half = half
        if tied:
            nn.init.normal_(self.embedding.weight, std=E**-0.5)  # at 1 first scores are far from equal
            self.output.weight = self.embedding.weight
        self.scale = E**0.5 if tied else 1.0  # so that what is read has size 1 in either case

    def read(self, ids, carried=None):
        """States after each of (B, T) tokens, narrowed where tied: (B, T, H or E), and what to go on with."""
        x = self.drop(self.scale * self.embedding(ids))  # (B, T, E)
        states, carried = self.recurrent(x, carried)  # (B, T, H)
        return self.narrow(self.drop(states)), carried

    def scores(self, states):
        """Scores of the next token from each state: (..., V)."""
        with torch.autocast(states.device.type, torch.bfloat16, enabled=self.half):
            return self.output(states)

    def forward(self, ids, carried=None):
        """Scores of the next token after each of (B, T) tokens: (B, T, V), and the state to go on with."""
        states, carried = self.read(ids, carried)
        return self.scores(states), carried


def shift(ids):
    """What is read and what is to be foretold: all tokens but the last, and all but the first.

    >>> inputs, targets = shift(torch.tensor([[2, 7, 8, 3]]))
    >>> inputs.tolist(), targets.tolist()
    ([[2, 7, 8]], [[7, 8, 3]])
    """
    return ids[:, :-1], ids[:, 1:]


def masked_loss(model, ids):
    """Mean of -ln P(next token) over the targets of a padded batch that are no pads, in nats.

    Parameters
    ----------
    model : LanguageModel, or what turns (B, T) tokens into scores (B, T, V) and a state.
    ids : (B, T) int64 tensor, T at least 2.

    Returns
    -------
    scalar tensor.
    """
    inputs, targets = shift(ids)
    scores, _carried = model(inputs)
    return cross_entropy(scores.flatten(0, 1).float(), targets.flatten(), ignore_index=PAD)


def perplexity(losses, counts):
    """exp of the mean loss a token, over batches of unequal size.

    Parameters
    ----------
    losses : (N,) mean losses of N batches, nats a token.
    counts : (N,) tokens of each batch.

    Returns
    -------
    float; infinite when the mean is above 20 nats.

    >>> round(perplexity([math.log(10.0), math.log(1000.0)], [2, 1]), 1)
    46.4
    """
    losses, counts = (torch.as_tensor(row, dtype=torch.float64) for row in (losses, counts))
    mean = float((losses * counts).sum() / counts.sum())
    return math.exp(mean) if mean <= TOO_DEAR else math.inf


def one_epoch(model, parts, optimiser, clip=1.0, schedule=None):
    """Go through the training rows once; nothing in the loop waits for the device.

    Parameters
    ----------
    model : LanguageModel.
    parts : iterable of ``batching.Batch``: ids on the model's device, lengths on the CPU.
    optimiser : of the model's parameters.
    clip : float, the largest length of the gradient of all weights.
    schedule : of the step size, moved after each update; None keeps it.

    Returns
    -------
    float, mean loss a token in nats, as it was when each batch was met.
    """
    model.train()
    total, count = 0.0, 0
    for ids, lengths, _places in parts:
        loss = masked_loss(model, ids)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        if schedule:
            schedule.step()
        tokens = int(lengths.sum()) - len(lengths)  # the first token of a row is no target
        total, count = total + loss.detach() * tokens, count + tokens
    return float(total) / count  # the one wait


@torch.no_grad()
def validate(model, rows, size=64):
    """Perplexity of a model on rows of numbers, over all tokens but the first of each row."""
    model.eval()
    losses, counts = [], []
    for ids, lengths, _places in batches(rows, size):
        losses.append(masked_loss(model, ids).item())
        counts.append(int(lengths.sum()) - len(lengths))
    return perplexity(losses, counts)


@torch.no_grad()
def target_probabilities(model, rows):
    """What a model gave each token that came, all but the first of each row, row after row: (N,) tensor."""
    model.eval()
    given = []
    for row in rows:
        shares = torch.softmax(model(torch.tensor([row[:-1]]))[0][0], dim=1)  # (T, V)
        given.append(shares[torch.arange(len(row) - 1), row[1:]])
    return torch.cat(given)


class Progress(NamedTuple):
    """What was seen after each epoch, both in perplexity."""

    train: list
    valid: list


def train(model, rows, validation, epochs=3, rate=3e-3, size=64, decay=False, seed=0):
    """The training of the note: AdamW at 3e-3, batches of 64, clipping at 1.0, documents cut to 128 tokens.

    In the end the model has the weights of the epoch that was best on the validation rows.

    Parameters
    ----------
    model : LanguageModel, which is changed.
    rows, validation : lists of lists of ints.
    epochs, rate, size : passes, step size, rows of a batch.
    decay : bool: the step size falls in a line to 0 at the end.
    seed : int, of the order of the batches.

    Returns
    -------
    Progress.
    """
    rows = [row[:LONGEST] for row in rows]
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    updates = epochs * math.ceil(len(rows) / size)
    fall = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda done: 1 - done / updates if decay else 1.0)
    seen, best = Progress([], []), None
    for _ in range(epochs):
        loss = one_epoch(model, batches(rows, size, generator), optimiser, schedule=fall)
        value = validate(model, validation)
        if best is None or value < min(seen.valid):
            best = {name: part.clone() for name, part in model.state_dict().items()}
        seen.train.append(perplexity([loss], [1]))
        seen.valid.append(value)
    model.load_state_dict(best)
    return seen
