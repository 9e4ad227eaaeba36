"""Rows with brackets that must be closed: what the last few tokens can never tell.

A row opens brackets of four kinds, fills the inside with letters drawn at random, says by a colon that the
inside is over, and closes the brackets, the last opened first: ``( [ y x w y z : ] )``.
"""

import itertools
import math

import torch

from course_utils.tokens import BEGIN, END

OPEN, CLOSE = "([{<", ")]}>"
LETTERS, COLON = "vwxyz", ":"
SIGNS = ("<pad>", "<unk>", "<bos>", "<eos>", *OPEN, *CLOSE, *LETTERS, COLON)
"""Each sign's place is its number, and V = len(SIGNS); pad, begin and end have their usual ones."""
SHORTEST, LONGEST = 4, 8
"""Letters inside: at least as many as a model of order 5 looks at."""


def bracket_row(kinds, letters):
    """One row as numbers: brackets opened in this order, letters, a colon, the brackets closed.

    Parameters
    ----------
    kinds : sequence of places in ``OPEN``.
    letters : sequence of places in ``LETTERS``.

    >>> print(" ".join(SIGNS[number] for number in bracket_row([0, 1], [2, 2, 0, 4])))
    <bos> ( [ x x v z : ] ) <eos>
    """
    signs = [OPEN[kind] for kind in kinds] + [LETTERS[letter] for letter in letters] + [COLON]
    signs += [CLOSE[kind] for kind in reversed(kinds)]
    return [BEGIN, *(SIGNS.index(sign) for sign in signs), END]


def bracket_rows(count, depth, generator, shortest=SHORTEST, longest=LONGEST):
    """Rows to learn from: kinds, letters and their number all drawn evenly.

    Parameters
    ----------
    count, depth : ints, rows and brackets in each.
    generator : torch generator.
    shortest, longest : ints, letters inside.
    """
    return [
        bracket_row(_draw(len(OPEN), depth, generator), _inside(shortest, longest, generator))
        for _ in range(count)
    ]


def balanced_rows(count, depth, generator, shortest=SHORTEST, longest=LONGEST):
    """Rows to test on: each inside comes once with every choice of brackets, so 4**depth rows each.

    A model that sees only letters and the colon gives one probability p_k to each kind on all rows of a
    set, and its mean of -ln p_k over them is at least ln 4, since the four p_k sum to at most 1.

    Parameters
    ----------
    count : int, how many different insides.
    depth, generator, shortest, longest : as for ``bracket_rows``.
    """
    choices = list(itertools.product(range(len(OPEN)), repeat=depth))
    insides = [_inside(shortest, longest, generator) for _ in range(count)]
    return [bracket_row(kinds, inside) for inside in insides for kinds in choices]


def closing_perplexity(given, rows):
    """Perplexity over the closing brackets alone.

    Parameters
    ----------
    given : (N,) probabilities of all tokens but the first of each row, row after row, as
        ``target_probabilities`` of ``language`` or ``ngrams`` returns them.
    rows : list of lists of ints.

    Returns
    -------
    float; 4 when nothing is known but that a bracket is closed, 1 when all is known.

    >>> rows = [bracket_row([0], [1, 1, 1, 1])]
    >>> round(closing_perplexity([0.1] * 6 + [0.25, 1.0], rows), 3)
    4.0
    """
    closing = {SIGNS.index(sign) for sign in CLOSE}
    targets = [token in closing for row in rows for token in row[1:]]
    logs = torch.as_tensor(given, dtype=torch.float64).log()[torch.tensor(targets)]
    return math.exp(-logs.mean().item())


def _draw(size, count, generator):
    return torch.randint(size, (count,), generator=generator).tolist()


def _inside(shortest, longest, generator):
    count = shortest + _draw(longest - shortest + 1, 1, generator)[0]
    return _draw(len(LETTERS), count, generator)
