"""Two small languages whose gates are worth reading: a verb that agrees with a far noun, and an echo.

A generator has the form that ``training.train`` draws from: (count, T, V, generator) to symbols (count, T)
and the symbol (count,) that is to be named after the last.
"""

import torch

from course_utils.training import read

NOUNS = ("key", "cabinet", "door", "house")
WORDS = ("the", "to", "in", "of", "old", "tall", "often", "now")
VERBS = ("is", "are")
VOCABULARY = (*NOUNS, *(f"{noun}s" for noun in NOUNS), *WORDS, *VERBS)
"""Nouns, the same in the plural, other words, verbs: a word's place is its symbol."""
MARKS = ("A", "B", "a", "b", "?")
"""The echo's symbols: two to keep, two that are noise, and the question at the end."""
LATEST = 5
"""Last step at which the symbol to keep may come."""


def agreement(count, T, V, generator):
    """Which verb comes next? The one for the *first* noun, whatever nouns stand between.

    "the keys to the cabinet in the corner ..." A sentence is "the", up to two adjectives, the subject; then
    phrases of a preposition, "the", perhaps an adjective and a noun of random number, for as long as one
    fits; then adverbs up to T words.

    Parameters
    ----------
    count : int, how many sentences.
    T : int, words before the verb, at least 4.
    V : int, at least ``len(VOCABULARY)``.
    generator : torch generator.

    Returns
    -------
    symbols : (count, T) tensor. targets : (count,) tensor, the symbol of "is" or "are".

    >>> symbols, targets = agreement(1, 12, 18, torch.Generator().manual_seed(0))
    >>> print(sentence(symbols[0]), "...", sentence(targets))
    the houses to the old cabinet of the houses often now often ... are
    """
    draws = torch.rand(count, T, 3, generator=generator).tolist()
    rows = [_sentence(row, T) for row in draws]
    symbols = torch.tensor([[VOCABULARY.index(word) for word in row] for row in rows])
    return symbols, torch.tensor([VOCABULARY.index(_verb(row)) for row in rows])


def _sentence(draws, T):
    """A sentence of T words from three numbers between 0 and 1 a word."""
    words = ["the", *_noun_phrase(*draws[0])]
    turn = 1
    while len(words) + 4 <= T and draws[turn][0] < 0.9:
        words += [("to", "in", "of")[int(3 * draws[turn][1])], "the", *_noun_phrase(*draws[turn])]
        turn += 1
    adverbs = [("often", "now")[int(2 * draw[2])] for draw in draws]
    return [*words, *adverbs][:T]


def _noun_phrase(first, second, third):
    """A noun of either number, before it sometimes an adjective."""
    noun = NOUNS[int(4 * second)] + ("s" if third < 0.5 else "")
    adjective = ["old"] if first < 0.2 else ["tall"] if first < 0.4 else []
    return [*adjective, noun]


def _verb(words):
    subject = next(word for word in words if word in VOCABULARY[: 2 * len(NOUNS)])
    return "are" if subject.endswith("s") else "is"


def symbols_of(words):
    """Words of the vocabulary, in one text, as a tensor (T,) of symbols."""
    return torch.tensor([VOCABULARY.index(word) for word in words.split()])


def sentence(symbols):
    """Symbols as a text."""
    return " ".join(VOCABULARY[symbol] for symbol in symbols.tolist())


def echo(count, T, V, generator):
    """Name, after the question at the last step, the A or B that came at one of the first steps.

    Every other step is noise, a or b.

    Parameters
    ----------
    count : int, how many rows.
    T : int, steps, more than ``LATEST``.
    V : int, at least ``len(MARKS)``.
    generator : torch generator.

    Returns
    -------
    symbols : (count, T) tensor. targets : (count,) tensor, 0 for A, 1 for B.

    >>> symbols, targets = echo(1, 12, 5, torch.Generator().manual_seed(0))
    >>> "".join(MARKS[symbol] for symbol in symbols[0]), MARKS[targets[0]]
    ('abbaAbbbbbb?', 'A')
    """
    symbols = torch.randint(2, 4, (count, T), generator=generator)
    targets = torch.randint(2, (count,), generator=generator)
    symbols[torch.arange(count), torch.randint(LATEST, (count,), generator=generator)] = targets
    symbols[:, -1] = MARKS.index("?")
    return symbols, targets


def named_instead(cell, weights, symbols, targets):
    """How often each symbol was named for each: the confusions of S models, (S, V, V), rows the truth.

    Parameters
    ----------
    cell : "rnn", "lstm" or "gru".
    weights : ``training.Weights`` of S models.
    symbols, targets : (B, T) and (B,) tensors, read by all of them.
    """
    S, V, _ = weights.W_x.shape
    with torch.no_grad():
        named = read(cell, weights, symbols.expand(S, *symbols.shape))[1].argmax(dim=2)  # (S, B)
    pairs = targets * V + named
    return torch.stack([row.bincount(minlength=V * V).view(V, V) for row in pairs])
