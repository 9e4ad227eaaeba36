"""What lesson 10 reads: documents of four libraries, and rows of which only the order tells the class."""

from typing import NamedTuple

import torch

from course_utils import corpus, splits
from course_utils.classifier_training import Labelled
from course_utils.corpus import FOUR
from course_utils.gate_tasks import NOUNS, WORDS
from course_utils.tokens import Vocabulary, tokens

VALIDATION = 0.15
"""Up to this share of the groups of near copies is not trained on: a tenth to test, the rest to validate."""


class Documents(NamedTuple):
    """The documents of four libraries in three parts that share no near copies; each a list."""

    train: list
    validation: list
    test: list


def documents(seed=10):
    """As many documents of each of ``FOUR``, in three parts: about 85, 5 and 10 per cent.

    Parameters
    ----------
    seed : int, draws which documents of the larger libraries are left out.
    """
    rows, test = corpus.train_and_held_out(corpus.balanced(torch.Generator().manual_seed(seed)))
    held = [splits.is_held_out(row.group, VALIDATION) for row in rows]
    train = [row for row, out in zip(rows, held, strict=True) if not out]
    return Documents(train, [row for row, out in zip(rows, held, strict=True) if out], test)


def classes_of(rows):
    """The places of the documents' libraries among ``FOUR``: list of ints."""
    return [FOUR.index(row.library) for row in rows]


def vocabulary_of(rows, at_least=2):
    """The words of documents that come at least twice, each with its number."""
    return Vocabulary([tokens(row.text) for row in rows], at_least)


def encoded(rows, vocabulary):
    """Documents as numbers: Labelled."""
    return Labelled([vocabulary.encode(tokens(row.text)) for row in rows], torch.tensor(classes_of(rows)))


def shuffled(data, seed=0):
    """The same rows with the words of each in random order."""
    generator = torch.Generator().manual_seed(seed)
    orders = [torch.randperm(len(row), generator=generator).tolist() for row in data.rows]
    rows = [[row[place] for place in order] for row, order in zip(data.rows, orders, strict=True)]
    return data._replace(rows=rows)


FILLERS = ("this", "one", "is", "a", "very", "film", "now", "all", "in", "so")


def negations(count, between, generator):
    """Is "not" before "good" (0) or behind it (1)? Rows come in pairs of the same words.

    Two to five other words stand before and behind, so that no window of three words holds an end of the row
    and one of the two.

    Parameters
    ----------
    count : int, how many pairs.
    between : int, words between the two.
    generator : torch generator.

    Returns
    -------
    texts : list of 2 count lists of words. labels : list of 2 count ints, 0 and 1 in turn.

    >>> texts, labels = negations(1, 0, torch.Generator().manual_seed(1))
    >>> [" ".join(text) for text in texts], labels
    (['so very in not good a one one so is', 'so very in good not a one one so is'], [0, 1])
    """
    texts = []
    for _ in range(count):
        before, behind = (_words(_one_of((2, 3, 4, 5), generator), generator) for _ in range(2))
        middle = _words(between, generator)
        for first, last in [("not", "good"), ("good", "not")]:
            texts.append([*before, first, *middle, last, *behind])
    return texts, [0, 1] * count


def attractors(count, nouns, generator):
    """Does the first noun want "is" (0) or "are" (1), whatever nouns follow? In pairs of the same words.

    Every noun has two adjectives, so that no window of three words tells the first noun from the others.

    Parameters
    ----------
    count : int, how many pairs.
    nouns : int, at least 2, how many nouns a sentence has; one of the others has the other number.
    generator : torch generator.

    Returns
    -------
    texts : list of 2 count lists of words. labels : list of 2 count ints, 0 and 1 in turn.

    >>> texts, labels = attractors(1, 2, torch.Generator().manual_seed(0))
    >>> [" ".join(text) for text in texts], labels
    (['the tall tall key in the tall tall houses', 'the tall tall houses in the tall tall key'], [0, 1])
    """
    texts = []
    for _ in range(count):
        one, many = _one_of(NOUNS, generator), _one_of(NOUNS, generator) + "s"
        others = [_one_of(NOUNS, generator) + _one_of(("", "s"), generator) for _ in range(nouns - 2)]
        place = int(torch.randint(nouns - 1, (), generator=generator))
        links = [_before_a_noun(generator) for _ in range(nouns)]
        for first, other in [(one, many), (many, one)]:
            row = [first, *others[:place], other, *others[place:]]
            words = [word for link, noun in zip(links, row, strict=True) for word in [*link, noun]]
            texts.append(words[1:])  # no preposition before the first
    return texts, [0, 1] * count


def _before_a_noun(generator):
    """A preposition, "the" and two adjectives."""
    return [_one_of(WORDS[1:4], generator), "the", *(_one_of(WORDS[4:6], generator) for _ in range(2))]


def _words(count, generator):
    return [_one_of(FILLERS, generator) for _ in range(count)]


def _one_of(words, generator):
    return words[int(torch.randint(len(words), (), generator=generator))]


def order_rows(texts, labels, vocabulary):
    """Texts as numbers: Labelled."""
    return Labelled([vocabulary.encode(text) for text in texts], torch.tensor(labels))


TASKS = {
    "not good": lambda count, generator: negations(count, 0, generator),
    "not ... good": lambda count, generator: negations(count, 5, generator),
    "agreement": lambda count, generator: attractors(count, 4, generator),
}
"""The tasks in which only the order tells the class, by name: (count, generator) to texts and labels."""


def order_task(name, seed=0, counts=(500, 100, 500)):
    """Training, validation and test rows of a task, and their vocabulary.

    Parameters
    ----------
    name : a key of ``TASKS``.
    seed : int.
    counts : three ints, pairs of rows.

    Returns
    -------
    parts : three Labelled. vocabulary : Vocabulary.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = [TASKS[name](count, generator) for count in counts]
    vocabulary = Vocabulary(drawn[0][0])
    return [order_rows(*part, vocabulary) for part in drawn], vocabulary
