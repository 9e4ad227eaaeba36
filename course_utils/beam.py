"""Beam search: the decoder keeps several beginnings of an answer and goes on with the likeliest of them.

Sources: the lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Sutskever, Vinyals and Le, "Sequence to
sequence learning with neural networks", NIPS 2014, for beginnings that end and leave; Wu et al., "Google's
neural machine translation system", arXiv 1609.08144 (2016), for dividing by a power of the length.
"""

import math
from typing import NamedTuple

import torch

from course_utils.tokens import BEGIN, END, MARKS, Vocabulary


class Answer(NamedTuple):
    """A row of words, ``END`` included when it came, and how likely the decoder finds it."""

    words: tuple
    log_p: float  # natural logarithm of the probability of the whole row
    ended: bool


def beam_search(step, h, width, longest, power=0.0, end=END):
    """The answers that a beam of some width finds, best first.

    At every step each of the beginnings is gone on with by every word, and the ``width`` likeliest are kept.
    One that ends leaves the beam with its place. Of equally likely ones the earlier comes first: that of the
    better beginning, then that with the smaller number of the word.

    Parameters
    ----------
    step : function of words (N,) and states (N, H) that gives scores (N, V) and states (N, H), e.g.
        ``partial(next_scores, model)``; rows of scores are made probabilities by a softmax.
    h : (H,) tensor, the state to begin with.
    width : int >= 1; 1 is the greedy choice.
    longest : int >= 1, steps after which the search is broken off.
    power : float, of the length in the final order: log p / length**power. 0 leaves log p as it is, 1 is the
        mean of a word.
    end : int, the word that ends a row.

    Returns
    -------
    list of Answer: those that ended; the broken ones when none did.
    """
    beam, states, finished = [Answer((), 0.0, False)], h[None], []
    for _ in range(longest):
        fed = torch.tensor([answer.words[-1] if answer.words else BEGIN for answer in beam])
        scores, states = step(fed, states)
        so_far = torch.tensor([answer.log_p for answer in beam], dtype=torch.float64)
        totals = so_far[:, None] + torch.log_softmax(scores.double(), dim=1)  # (N, V)
        order = totals.flatten().argsort(descending=True, stable=True)[: width - len(finished)]
        places = [divmod(place, totals.shape[1]) for place in order.tolist()]
        places = [place for place in places if totals[place] > -math.inf]  # impossible words are no answers
        longer = [Answer((*beam[n].words, word), totals[n, word].item(), word == end) for n, word in places]
        finished += [answer for answer in longer if answer.ended]
        states = states[[n for n, word in places if word != end]]
        beam = [answer for answer in longer if not answer.ended]
        if not beam:
            break
    return sorted(finished or beam, key=lambda answer: -normalised(answer, power))


def normalised(answer, power):
    """What answers are ordered by: log p / length**power, ``END`` counted."""
    return answer.log_p / len(answer.words) ** power


def chain(following):
    """A decoder without a state, to try a search on: the next word depends on the last one alone.

    Parameters
    ----------
    following : dict from a word to a dict from each word that may follow to its probability; "<bos>" is what
        is fed first. A word of which nothing is said is followed by "<eos>".

    Returns
    -------
    step : for ``beam_search``. vocabulary : Vocabulary; of equally likely words the first in the alphabet has
        the smaller number.

    >>> step, vocabulary = chain({"<bos>": {"a": 0.75, "<eos>": 0.25}})
    >>> scores, _ = step(torch.tensor([BEGIN]), torch.zeros(1, 1))
    >>> vocabulary.words, scores.exp()[0].tolist()
    (['<pad>', '<unk>', '<bos>', '<eos>', 'a'], [0.0, 0.0, 0.0, 0.25, 0.75])
    """
    words = {word for last, row in following.items() for word in [last, *row]} - set(MARKS)
    vocabulary = Vocabulary([sorted(words)], first=MARKS)
    table = torch.zeros(len(vocabulary), len(vocabulary))
    table[:, END] = 1.0
    for last, row in following.items():
        number = vocabulary.encode([last])[0]
        table[number, END] = 0.0
        table[number, vocabulary.encode(row)] = torch.tensor(list(row.values()))

    def step(fed, h):
        return torch.log(table[fed]), h

    return step, vocabulary


def probability(answer):
    """The probability of a whole answer."""
    return math.exp(answer.log_p)
