"""What a language model has of the text before: its last tokens alone, or a state carried over long text."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from course_utils.language import perplexity, shift


@torch.no_grad()
def cut_prefix(model, rows, kept, least):
    """Perplexity on the same targets when the model reads only the last k tokens before each.

    Parameters
    ----------
    model : LanguageModel.
    rows : list of lists of ints; the targets are their tokens from place ``least`` on.
    kept : list of ints k, none above ``least``.
    least : int, tokens that stand before every target.

    Returns
    -------
    dict from k to float.
    """
    model.eval()
    spots = [(row, t) for row in rows for t in range(least, len(row))]
    targets = torch.tensor([row[t] for row, t in spots])
    seen = {}
    for k in kept:
        windows = torch.tensor([row[t - k : t] for row, t in spots])  # (N, k)
        states = [model.read(part)[0][:, -1] for part in windows.split(512)]
        losses = cross_entropy(model.scores(torch.cat(states)), targets)
        seen[k] = perplexity([losses], [1])
    return seen


def side_by_side(rows, count):
    """All rows in one line, cut into ``count`` lines of equal length: (count, N), the rest left out."""
    line = torch.tensor([number for row in rows for number in row])
    N = len(line) // count
    return line[: count * N].view(count, N)


def detached(carried):
    """The same state, without the history that led to it: gradients end here."""
    return tuple(part.detach() for part in carried) if isinstance(carried, tuple) else carried.detach()


def read_in_windows(model, lines, T, carry=True, optimiser=None):
    """Read long lines in windows of T tokens, the state carried from each to the next.

    Parameters
    ----------
    model : LanguageModel.
    lines : (B, N) int64 tensor without pads.
    T : int, steps of a window; with an optimiser gradients go back no further (truncated backpropagation).
    carry : bool; otherwise every window begins with the state 0.
    optimiser : of the model's parameters, moved once a window; None only reads.

    Returns
    -------
    float, the perplexity over all windows.
    """
    model.train(optimiser is not None)
    carried, losses, counts = None, [], []
    for at in range(0, lines.shape[1] - 1, T):
        inputs, targets = shift(lines[:, at : at + T + 1])
        with torch.set_grad_enabled(optimiser is not None):
            scores, carried = model(inputs, carried)
            loss = cross_entropy(scores.flatten(0, 1), targets.flatten())
        carried = detached(carried) if carry else None
        if optimiser:
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        losses.append(loss.detach())
        counts.append(targets.numel())
    return perplexity(losses, counts)
