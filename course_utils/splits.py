"""Training and held-out documents that share no text, and no near copy of one.

Two documents are near copies when the Jaccard similarity of their shingles, the sets of three words in a row,
is at least ``ALIKE``. Near copies form a group and so does what is linked through others; a group is never
divided. The side of a group is drawn by a hash of its texts, so that it does not change with their order.
"""

import hashlib
import math
import re
from collections import Counter, defaultdict

from course_utils.tokens import tokens

ALIKE = 0.5
"""Jaccard similarity from which on two documents are near copies."""


def shingles(text, words=3):
    """The set of a text's runs of three words; punctuation is left out and every number reads 0.

    >>> sorted(shingles("Return the 2 sums, sorted."))
    [('0', 'sums', 'sorted'), ('return', 'the', '0'), ('the', '0', 'sums')]
    """
    row = [re.sub(r"\d+", "0", token) for token in tokens(text) if token[0].isalnum()]
    return {tuple(row[at : at + words]) for at in range(max(len(row) - words + 1, 1))}


def jaccard(one, other):
    """|A and B| / |A or B| of two sets: 1 for equal ones, 0 without a common element; source: Jaccard 1901.

    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    """
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def similar_pairs(sets, least=ALIKE):
    """All pairs of sets whose Jaccard similarity is at least ``least``, found without comparing all pairs.

    A pair that alike shares at least ``least`` of the elements of either. So in any order of the elements it
    shares one of the first n - ceil(least n) + 1 of each; with the rarest elements first there are few
    candidates. This is exact (prefix filter; Chaudhuri, Ganti, Kaushik 2006).

    Parameters
    ----------
    sets : list of non-empty sets of sortable elements.
    least : float, above 0 and at most 1.

    Yields
    ------
    pairs (i, j) of places, i < j.

    >>> list(similar_pairs([{1, 2, 3}, {7, 8}, {2, 3, 4}]))
    [(0, 2)]
    """
    frequency = Counter(element for members in sets for element in members)
    holders = defaultdict(list)
    for place, members in enumerate(sets):
        rarest = sorted(members, key=lambda element: (frequency[element], element))
        prefix = rarest[: len(members) - math.ceil(least * len(members) - 1e-9) + 1]
        for candidate in sorted({holder for element in prefix for holder in holders[element]}):
            if jaccard(sets[candidate], members) >= least:
                yield candidate, place
        for element in prefix:
            holders[element].append(place)


def groups(texts, least=ALIKE):
    """A name for the group of each text: equal for near copies and for all that are linked through others.

    Parameters
    ----------
    texts : list of texts.
    least : float, the similarity of near copies.

    Returns
    -------
    list of texts of 16 hexadecimal digits: the smallest hash in the group, whatever the order of the texts.
    """
    sets = [shingles(text) for text in texts]
    parent = list(range(len(texts)))

    def root(place):
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    for one, other in similar_pairs(sets, least):
        parent[root(other)] = root(one)
    roots = [root(place) for place in range(len(texts))]
    smallest = {}
    for at, text in zip(roots, texts, strict=True):
        smallest[at] = min(smallest.get(at, "g"), digest(text))  # "g" is above every hexadecimal digit
    return [smallest[at] for at in roots]


def digest(text):
    """16 hexadecimal digits of the SHA-256 of a text's tokens, the same on every machine."""
    return hashlib.sha256(" ".join(tokens(text)).encode()).hexdigest()[:16]


def is_held_out(group, share=0.1):
    """Whether a group belongs to the held-out side, which gets about this share of the groups."""
    return int(digest(group), 16) / 16**16 < share


def split(texts, share=0.1, least=ALIKE):
    """Places of the texts for training and of those held out; near copies are on one side.

    Parameters
    ----------
    texts : list of texts.
    share : float between 0 and 1, about how much is held out.
    least : float, the similarity of near copies.

    Returns
    -------
    train, held_out : lists of places, each in the order of the texts.
    """
    sides = [is_held_out(group, share) for group in groups(texts, least)]
    return [at for at, held in enumerate(sides) if not held], [at for at, held in enumerate(sides) if held]


def most_alike(train, held_out):
    """The pair across a split whose shingles are most alike, all pairs considered.

    Parameters
    ----------
    train, held_out : lists of texts.

    Returns
    -------
    similarity : float, its Jaccard similarity, 0 when no pair shares a shingle. pair : two texts, or None.
    """
    sets = [shingles(text) for text in train]
    holders = defaultdict(list)
    for place, members in enumerate(sets):
        for element in members:
            holders[element].append(place)
    best, pair = 0.0, None
    for text in held_out:
        members = shingles(text)
        common = Counter(place for element in members for place in holders.get(element, ()))
        for place, shared in common.items():
            similarity = shared / (len(members) + len(sets[place]) - shared)
            if similarity > best:
                best, pair = similarity, (train[place], text)
    return best, pair
