"""Words as numbers: where a text is cut, and which number each word gets."""

import re
from collections import Counter

WORD = re.compile(r"\w+(?:'\w+)*|[^\w\s]")
PAD, UNKNOWN = 0, 1
"""Numbers that stand for no step at all and for a word outside the vocabulary."""
MARKS = ("<bos>", "<eos>")
BEGIN, END = 2, 3
"""Marks of begin and end, and their numbers in a ``Vocabulary(rows, first=MARKS)``."""


def tokens(text):
    """The words and the punctuation marks of a text, in lower case.

    >>> tokens("Doesn't sort max_iter rows (yet).")
    ["doesn't", 'sort', 'max_iter', 'rows', '(', 'yet', ')', '.']
    """
    return WORD.findall(text.lower())


class Vocabulary:
    """Which number each word has: 0 is a pad, 1 an unknown word, then the words from the most frequent on.

    Parameters
    ----------
    rows : list of lists of words, from the training side alone.
    at_least : int, how often a word must come to have a number of its own.
    first : words that get the numbers from 2 on whether they come or not, e.g. the marks of start and end.

    Attributes
    ----------
    words : list of texts; a word's place is its number. ``len(vocabulary)`` is V.

    >>> vocabulary = Vocabulary([["a", "b", "a"], ["b", "a", "c"]], at_least=2)
    >>> vocabulary.encode(["b", "a", "z"])
    [3, 2, 1]
    >>> vocabulary.decode([3, 2, 1, 0, 0])
    ['b', 'a', '<unk>']
    """

    def __init__(self, rows, at_least=1, first=()):
        count = Counter(word for row in rows for word in row)
        frequent = [word for word in count if count[word] >= at_least and word not in first]
        self.words = ["<pad>", "<unk>", *first, *sorted(frequent, key=lambda word: (-count[word], word))]
        self._number = {word: number for number, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, row):
        """The numbers of a list of words."""
        return [self._number.get(word, UNKNOWN) for word in row]

    def decode(self, numbers):
        """The words of numbers, a list or a tensor; pads are left out."""
        return [self.words[int(number)] for number in numbers if int(number) != PAD]
