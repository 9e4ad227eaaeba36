"""Language models that count: the next token from the last few, smoothed by what fewer say."""

import numpy as np

DISCOUNT = 0.75
"""What every count gives up for the unseen, when nothing else is asked for."""


def count_followers(rows, order):
    """How often each token follows each context of 0 to order - 1 tokens.

    Parameters
    ----------
    rows : list of lists of ints; the first token of a row, the mark of begin, is context only.
    order : int, the longest n-gram.

    Returns
    -------
    list of ``order`` dicts, by the context's length: ``tables[k][context][token]`` is a count, the context a
    tuple of k ints. ``tables[:n]`` are the counts of the n-gram model.

    >>> count_followers([[2, 5, 6, 5]], order=2)[1]
    {(2,): {5: 1}, (5,): {6: 1}, (6,): {5: 1}}
    """
    tables = [{} for _ in range(order)]
    for row in rows:
        for t in range(1, len(row)):
            for k in range(min(order, t + 1)):
                followers = tables[k].setdefault(tuple(row[t - k : t]), {})
                followers[row[t]] = followers.get(row[t], 0) + 1
    return tables


def probability(tables, prefix, token, V, discount=DISCOUNT):
    """P(token | the last tokens of a prefix) by interpolated absolute discounting.

    With count(u, w) for a context u, count(u) the sum over w, N(u) the number of different followers, D the
    discount and u' the context without its oldest token:
    P(w | u) = max(count(u, w) - D, 0) / count(u) + D N(u) / count(u) P(w | u'), with 1 / V in place of
    P(w | u') for the empty context.
    A context that was never seen leaves the word to the shorter one.

    Parameters
    ----------
    tables : of ``count_followers``; as many as the order of the model.
    prefix : list of ints; the model looks at no more than its last ``len(tables) - 1``.
    token, V : int, a token and the size of the vocabulary.
    discount : float between 0 and 1.

    Source: Ney, Essen, Kneser 1994, "On structuring probabilistic dependences in stochastic language
    modelling".
    """
    p = 1 / V
    for k, table in enumerate(tables[: len(prefix) + 1]):
        followers = table.get(tuple(prefix[len(prefix) - k :]))
        if not followers:
            break
        total = sum(followers.values())
        p = (max(followers.get(token, 0) - discount, 0) + discount * len(followers) * p) / total
    return p


def distribution(tables, prefix, V, discount=DISCOUNT):
    """The same for all tokens at once: (V,) float64 array that sums to 1."""
    p = np.full(V, 1 / V)
    for k, table in enumerate(tables[: len(prefix) + 1]):
        followers = table.get(tuple(prefix[len(prefix) - k :]))
        if not followers:
            break
        total = sum(followers.values())
        p *= discount * len(followers) / total
        p[list(followers)] += [(count - discount) / total for count in followers.values()]
    return p


def target_probabilities(tables, rows, V, discount=DISCOUNT):
    """What counts gave each token that came, all but the first of each row, row after row: (N,) array."""
    spots = [(row, t) for row in rows for t in range(1, len(row))]
    return np.array([probability(tables, row[:t][-len(tables) :], row[t], V, discount) for row, t in spots])


def ngram_loss(tables, rows, V, discount=DISCOUNT):
    """Mean of -ln P over all tokens but the first of each row, in nats: float."""
    return float(-np.log(target_probabilities(tables, rows, V, discount)).mean())
