"""Sequence to sequence: an encoder reads a row into one state, a decoder writes another row from it.

Rows are numbers of words: 0 is a pad, a target begins with ``BEGIN`` and ends with ``END``. The decoder is
fed ``BEGIN`` first and says ``END`` last, so what it says is the target without ``BEGIN``.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Cho et al., "Learning phrase
representations using RNN encoder-decoder", EMNLP 2014; Sutskever, Vinyals and Le, "Sequence to sequence
learning with neural networks", NIPS 2014; Bengio, Vinyals, Jaitly and Shazeer, "Scheduled sampling for
sequence prediction with recurrent neural networks", NIPS 2015, for the coin.
"""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from course_utils.batching import pad
from course_utils.tokens import BEGIN, END, PAD


class Rows(NamedTuple):
    """Padded pairs: source (N, S), lengths (N,) of the sources, target (N, T + 1) from BEGIN to END."""

    source: torch.Tensor
    lengths: torch.Tensor
    target: torch.Tensor


class Seq2Seq(nn.Module):
    """Two recurrent networks with weights of their own; all that goes from one to the other is a state.

    Parameters
    ----------
    V_in, V_out : int, words that are read and words that are written.
    H, E : int, sizes of the state and of a word's vector.
    seed : int, of the first weights.
    """

    def __init__(self, V_in, V_out, H, E=32, seed=0):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.read = nn.Embedding(V_in, E)
            self.encoder = nn.GRU(E, H, batch_first=True)
            self.said = nn.Embedding(V_out, E)
            self.decoder = nn.GRU(E, H, batch_first=True)
            self.scores = nn.Linear(H, V_out)


def final_state(model, source, lengths):
    """The encoder's state after the last word of each row; pads behind it change nothing.

    Parameters
    ----------
    model : Seq2Seq.
    source : (B, S) tensor of ints. lengths : (B,) tensor of ints, 1 to S.

    Returns
    -------
    (B, H) tensor.
    """
    states, _ = model.encoder(model.read(source))  # (B, S, H)
    return states[torch.arange(len(source)), lengths - 1]


def rounded_state(h, levels):
    """The states with every number moved to the nearest of so many levels, evenly from -1 to 1.

    >>> rounded_state(torch.tensor([[-0.9, 0.1, 0.4]]), levels=3).tolist()
    [[-1.0, 0.0, 0.0]]
    """
    return ((h + 1) / 2 * (levels - 1)).round() / (levels - 1) * 2 - 1


def next_scores(model, word, h):
    """One step of the decoder: fed a word, it moves its state and scores the next word.

    Parameters
    ----------
    model : Seq2Seq.
    word : (B,) tensor of ints. h : (B, H) tensor.

    Returns
    -------
    scores : (B, V) tensor, before a softmax. h : (B, H) tensor.
    """
    states, _ = model.decoder(model.said(word)[:, None], h[None])  # (B, 1, H)
    return model.scores(states[:, 0]), states[:, 0]


def likeliest(scores):
    """The greedy choice: (B, V) to (B,)."""
    return scores.argmax(dim=1)


def drawn(scores, generator):
    """A word drawn with the probability that the decoder gives it: (B, V) to (B,)."""
    return torch.multinomial(torch.softmax(scores, dim=1), 1, generator=generator)[:, 0]


def free_run(model, h, longest, choose=likeliest):
    """The decoder on its own: fed ``BEGIN``, then always the word it has just said, until ``END``.

    Parameters
    ----------
    model : Seq2Seq.
    h : (B, H) tensor, the state to begin with.
    longest : int >= 1, steps after which a row is broken off.
    choose : function of scores (B, V) that gives words (B,).

    Returns
    -------
    (B, T) tensor of ints, T at most ``longest``; pads behind ``END``.
    """
    word, said = torch.full((len(h),), BEGIN), []
    running = torch.ones(len(h), dtype=torch.bool)
    while running.any() and len(said) < longest:
        scores, h = next_scores(model, word, h)
        word = torch.where(running, choose(scores), PAD)
        said.append(word)
        running = running & (word != END)
    return torch.stack(said, dim=1)


def open_book(model, h, target):
    """The decoder fed the right words (teacher forcing): at each step the one that should have come before.

    Parameters
    ----------
    model : Seq2Seq.
    h : (B, H) tensor. target : (B, T + 1) tensor of ints from ``BEGIN`` on.

    Returns
    -------
    (B, T, V) tensor of scores for the words ``target[:, 1:]``.
    """
    states, _ = model.decoder(model.said(target[:, :-1]), h[None])  # (B, T, H)
    return model.scores(states)


def by_coin(model, h, target, keep, generator):
    """The decoder fed the right word or its own choice; a coin decides at every step, row by row.

    Parameters
    ----------
    model : Seq2Seq.
    h : (B, H) tensor. target : (B, T + 1) tensor of ints from ``BEGIN`` on.
    keep : float, how likely the right word is: 1 is ``open_book``, 0 its own choice throughout.
    generator : torch generator of the coin.

    Returns
    -------
    (B, T, V) tensor of scores for the words ``target[:, 1:]``.
    """
    word, rows = target[:, 0], []
    for right in target[:, 1:].unbind(1):
        scores, h = next_scores(model, word, h)
        rows.append(scores)
        heads = torch.rand(len(target), generator=generator) < keep
        word = torch.where(heads, right, likeliest(scores))  # no gradient goes through a choice
    return torch.stack(rows, dim=1)


def mean_loss(scores, target):
    """Cross-entropy in nats a word, ``END`` included, pads left out: (B, T, V), (B, T + 1) to a number."""
    return cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)


def right_rows(said, target):
    """Which rows are right from the first word to ``END``.

    Parameters
    ----------
    said : (B, T') tensor of ints, of ``free_run``. target : (B, T + 1) tensor from ``BEGIN`` on.

    Returns
    -------
    (B,) tensor of bools.
    """
    wanted = target[:, 1:]
    longest = max(said.shape[1], wanted.shape[1])
    said, wanted = (nn.functional.pad(row, (0, longest - row.shape[1]), value=PAD) for row in (said, wanted))
    return (said == wanted).all(dim=1)


def padded(sources, targets):
    """Lists of rows, as ``pairs.encode_pairs`` gives them, as ``Rows``."""
    source, lengths = pad(sources)
    return Rows(source, lengths, pad(targets)[0])


def backward(rows):
    """The same pairs, each source from its last word to its first; pads stay behind."""
    steps = torch.arange(rows.source.shape[1])
    real = steps < rows.lengths[:, None]  # (N, S)
    mirrored = torch.where(real, rows.lengths[:, None] - 1 - steps, steps)
    return rows._replace(source=rows.source.gather(1, mirrored))


def take(rows, places):
    """Some of the pairs, cut to the longest among them."""
    source, lengths, target = (part[places] for part in rows)
    longest = int((target != PAD).sum(dim=1).max())
    return Rows(source[:, : int(lengths.max())], lengths, target[:, :longest])


def right_by_row(model, rows, longest=60, size=500):
    """Which rows a free run from the encoder's state gets right.

    Parameters
    ----------
    model : Seq2Seq. rows : Rows of N pairs.
    longest : int, words after which a row is broken off.
    size : int, rows at once.

    Returns
    -------
    (N,) tensor of bools.
    """
    found = []
    with torch.no_grad():
        for places in torch.arange(len(rows.lengths)).split(size):
            part = take(rows, places)
            h = final_state(model, part.source, part.lengths)
            found.append(right_rows(free_run(model, h, longest), part.target))
    return torch.cat(found)


def train(model, draw, updates, rate=3e-3, keep=1.0, clip=1.0, seed=0, watch=50):
    """Adam on the mean loss a word; the step falls in a line to zero.

    Parameters
    ----------
    model : Seq2Seq; its weights are changed.
    draw : function of a torch generator that gives a batch, ``Rows``.
    updates, rate, clip : number and size of the updates, greatest length of a gradient.
    keep : float, how likely the right word is fed; see ``by_coin``.
    seed : int, of the batches and the coin.
    watch : int, every how many updates the loss is kept.

    Returns
    -------
    list of floats, the losses kept, in nats a word.
    """
    generator, kept = torch.Generator().manual_seed(seed), []
    steps = torch.optim.Adam(model.parameters(), lr=rate)
    falling = torch.optim.lr_scheduler.LinearLR(steps, 1.0, 0.0, total_iters=updates)
    for update in range(updates):
        source, lengths, target = draw(generator)
        h = final_state(model, source, lengths)
        if keep == 1:
            loss = mean_loss(open_book(model, h, target), target)
        else:
            loss = mean_loss(by_coin(model, h, target, keep, generator), target)
        steps.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        steps.step()
        falling.step()
        if update % watch == 0:
            kept.append(loss.item())
    return kept


def draw_from(rows, size=64):
    """A ``draw`` for ``train``: batches of rows drawn at random, with replacement."""

    def draw(generator):
        return take(rows, torch.randint(len(rows.lengths), (size,), generator=generator))

    return draw


def copies(count, shortest, longest, generator, symbols=8):
    """The copying task: say again what was read; rows of random symbols, numbered from 4 on.

    Parameters
    ----------
    count : int. shortest, longest : ints, least and greatest length, each length equally likely.
    generator : torch generator. symbols : int, different symbols.

    Returns
    -------
    Rows.
    """
    lengths = torch.randint(shortest, longest + 1, (count,), generator=generator)
    steps = torch.arange(longest + 1)
    words = torch.randint(4, 4 + symbols, (count, longest + 1), generator=generator)
    words = torch.where(steps < lengths[:, None], words, PAD)
    ended = torch.where(steps == lengths[:, None], END, words)
    return Rows(words[:, :-1], lengths, torch.cat([torch.full((count, 1), BEGIN), ended], dim=1))
