"""Text to one vector to classes: classifiers that differ only in how the vectors of words become one.

    ids (B, T) -> vectors (B, T, E) -> summary (B, H) -> scores (B, K)

The first and the last arrow are the same for all; the summary in the middle is a mean, the largest answers of
a convolution, or the last state of a recurrent unit. ``classifier_training`` trains them all by one loop.
"""

import torch
from torch import nn

from course_utils.batching import pad
from course_utils.tokens import PAD

E, H = 100, 128
"""Numbers that stand for a word; size of a recurrent state, and channels of the convolution."""


class MeanVector(nn.Module):
    """A bag of vectors: the mean over the steps of each row."""

    size = E

    def forward(self, x, lengths):
        """Vectors (B, T, E) and lengths (B,) to (B, E)."""
        return (x * real_steps(x, lengths)).sum(dim=1) / lengths[:, None]


class LargestAnswers(nn.Module):
    """A convolution over three words: of each channel the largest answer in the row, at least 0."""

    size = H

    def __init__(self):
        super().__init__()
        self.windows = nn.Conv1d(E, H, kernel_size=3, padding=1)

    def forward(self, x, lengths):
        """Vectors (B, T, E) and lengths (B,) to (B, H)."""
        answers = torch.relu(self.windows(x.mT)).mT  # (B, T, H); Conv1d wants time last
        return (answers * real_steps(answers, lengths)).amax(dim=1)


class LastState(nn.Module):
    """The state of a recurrent unit after the last step of each row."""

    size = H

    def __init__(self, unit):
        super().__init__()
        self.unit = unit(E, H, batch_first=True)

    def forward(self, x, lengths):
        """Vectors (B, T, E) and lengths (B,) to (B, H)."""
        states, _ = self.unit(x)  # (B, T, H)
        return states[torch.arange(len(x)), lengths - 1]


def real_steps(x, lengths):
    """1 at the steps of each row that are not padding, 0 behind: (B, T, 1)."""
    return (torch.arange(x.shape[1]) < lengths[:, None])[:, :, None].to(x.dtype)


SUMMARIES = {
    "bag": MeanVector,
    "convolution": LargestAnswers,
    "RNN": lambda: LastState(nn.RNN),
    "LSTM": lambda: LastState(nn.LSTM),
    "GRU": lambda: LastState(nn.GRU),
}
"""What makes one vector of many, by name."""


class Classifier(nn.Module):
    """Rows of word numbers to scores of K classes; a softmax turns scores into probabilities.

    Parameters
    ----------
    kind : a key of ``SUMMARIES``.
    V, K : int, words in the vocabulary, classes.
    own_length : bool, whether a row ends at its own length; else, by mistake, where its batch ends.
    """

    def __init__(self, kind, V, K, own_length=True):
        super().__init__()
        self.vectors = nn.Embedding(V, E, padding_idx=PAD)  # the pad's vector is 0 and stays 0
        self.summary = SUMMARIES[kind]()
        self.scores = nn.Linear(self.summary.size, K)
        self.own_length = own_length

    def forward(self, ids, lengths):
        """Numbers (B, T), pads behind each row's length (B,), to scores (B, K)."""
        ends = lengths if self.own_length else torch.full_like(lengths, ids.shape[1])
        return self.scores(self.summary(self.vectors(ids), ends))


def parameters_beyond_vectors(model):
    """How many numbers a classifier learns apart from the vectors of the words."""
    return sum(part.numel() for name, part in model.named_parameters() if not name.startswith("vectors"))


def after_each_word(model, row):
    """Probabilities of the classes for the first word alone, for the first two, ... for the whole row.

    Parameters
    ----------
    model : Classifier.
    row : list of T ints.

    Returns
    -------
    (T, K) tensor.
    """
    ids, lengths = pad([row[:end] for end in range(1, len(row) + 1)])
    with torch.no_grad():
        return model(ids, lengths).softmax(dim=1)


def behind_pads(model, row, most):
    """Probabilities of the classes when a row is read after 0, 1, ..., ``most`` pads.

    Parameters
    ----------
    model : Classifier.
    row : list of T ints.
    most : int.

    Returns
    -------
    (most + 1, K) tensor.
    """
    ids = torch.tensor([row + [PAD] * most]).expand(most + 1, -1)
    with torch.no_grad():
        return model(ids, len(row) + torch.arange(most + 1)).softmax(dim=1)
