"""Rows of different lengths as rectangles: padding, and batches in which lengths are alike."""

from typing import NamedTuple

import torch

from course_utils.tokens import PAD


class Batch(NamedTuple):
    """Rows padded to one length: ids (B, T), lengths (B,), places (B,) in the list that they come from."""

    ids: torch.Tensor
    lengths: torch.Tensor
    places: torch.Tensor


def pad(rows, value=PAD):
    """Rows of numbers as one tensor, pads behind the shorter ones.

    Parameters
    ----------
    rows : list of B lists of ints, at least one.
    value : int that fills.

    Returns
    -------
    ids : (B, T) int64 tensor, T the longest row's length. lengths : (B,) int64 tensor.

    >>> ids, lengths = pad([[5, 6, 7], [8]])
    >>> ids.tolist(), lengths.tolist()
    ([[5, 6, 7], [8, 0, 0]], [3, 1])
    """
    if not rows:
        raise ValueError("no rows to pad: the list is empty")
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), value)  # (B, T)
    for line, row in zip(ids, rows, strict=True):
        line[: len(row)] = torch.tensor(row, dtype=torch.int64)
    return ids, lengths


def places_by_length(lengths, size, generator=None):
    """Batches of places whose rows have nearly one length, so that there is little to pad.

    Parameters
    ----------
    lengths : sequence of N ints.
    size : int, rows of a batch; the last one of the longest rows may have fewer.
    generator : torch generator that draws which of equally long rows go together, and the order of the
        batches; None keeps the order and begins with the shortest.

    Returns
    -------
    list of int64 tensors; each place 0 ... N - 1 is in exactly one.

    >>> [batch.tolist() for batch in places_by_length([3, 1, 2, 1], size=2)]
    [[1, 3], [2, 0]]
    """
    if size < 1:
        raise ValueError(f"a batch of {size} rows; expected at least 1")
    if not len(lengths):
        return []
    lengths = torch.as_tensor(lengths)
    if generator is None:
        return list(lengths.argsort(stable=True).split(size))
    shuffled = torch.randperm(len(lengths), generator=generator)
    by_length = shuffled[lengths[shuffled].argsort(stable=True)]
    batches = by_length.split(size)
    return [batches[turn] for turn in torch.randperm(len(batches), generator=generator)]


def batches(rows, size, generator=None):
    """One pass over rows of numbers in padded batches of nearly one length.

    Parameters
    ----------
    rows : list of lists of ints.
    size, generator : as for ``places_by_length``. A generator that is used again draws other batches.

    Yields
    ------
    Batch; targets of the rows are ``targets[batch.places]``.
    """
    for places in places_by_length([len(row) for row in rows], size, generator):
        yield Batch(*pad([rows[place] for place in places]), places)
