"""Texts from a language model: how the next token is chosen from its scores, and what the choice does.

Source of the nucleus: Holtzman, Buys, Du, Forbes, Choi 2020, "The curious case of neural text degeneration".
"""

import torch

from course_utils.bpe import SPECIAL

BEGIN, END = SPECIAL.index("<bos>"), SPECIAL.index("<eos>")


def tempered(scores, temperature):
    """Probabilities with the scores divided by a temperature before the softmax: (V,) to (V,).

    Below 1 the likely tokens gain, above 1 the unlikely ones; near 0 the likeliest has it all.
    """
    if temperature <= 0:
        raise ValueError(f"temperature is {temperature}, expected above 0; for the likeliest take argmax")
    return torch.softmax(scores / temperature, dim=-1)


def top_k(shares, k):
    """Only the k likeliest tokens, their shares raised to sum to 1; of equal ones the lower number stays.

    >>> top_k(torch.tensor([0.5, 0.3, 0.2]), k=2).tolist()
    [0.625, 0.375, 0.0]
    """
    return only(shares, torch.sort(shares, descending=True, stable=True).indices[:k])


def nucleus(shares, mass):
    """The fewest likeliest tokens that hold at least this mass, their shares raised to sum to 1.

    >>> nucleus(torch.tensor([0.5, 0.25, 0.25]), mass=0.6).tolist()
    [0.6666666865348816, 0.3333333432674408, 0.0]
    """
    ordered, places = torch.sort(shares, descending=True, stable=True)
    before = torch.cat([ordered.new_zeros(1), ordered.cumsum(dim=0)[:-1]])  # what the likelier ones hold
    return only(shares, places[before < mass])


def only(shares, places):
    """The shares at these places, raised to sum to 1, and 0 elsewhere."""
    kept = torch.zeros_like(shares)
    kept[places] = shares[places]
    return kept / kept.sum()


@torch.no_grad()
def go_on(model, prompt, count, choose):
    """Let a model continue a row: read what is there, choose a token, read it, and so on.

    Parameters
    ----------
    model : LanguageModel; only the state is carried, no token is read twice.
    prompt : list of ints, at least the mark of begin.
    count : int, the largest number of tokens to add.
    choose : function of the scores (V,) that gives the next token.

    Returns
    -------
    list of ints, prompt and continuation; the mark of end closes it where it was chosen.
    """
    model.eval()
    row, ids, carried = list(prompt), torch.tensor([prompt]), None
    for _ in range(count):
        scores, carried = model(ids, carried)
        row.append(int(choose(scores[0, -1])))
        if row[-1] == END:
            break
        ids = torch.tensor([row[-1:]])
    return row


@torch.no_grad()
def likeliest(model, prompt, count, width):
    """The likeliest continuation of ``count`` tokens, or up to the mark of end, among those that are kept.

    Of all rows that are one token longer the ``width`` likeliest are kept (beam search); width 1 is greedy.

    Returns
    -------
    row : list of ints, prompt and continuation. nats : float, -ln P of the continuation.
    """
    model.eval()
    beam = [(0.0, list(prompt))]
    for _ in range(count):
        longer = [item for item in beam if item[1][-1] == END]
        for nats, row in beam:
            if row[-1] != END:
                costs = -torch.log_softmax(model(torch.tensor([row]))[0][0, -1], dim=0)  # (V,)
                best = torch.topk(costs, width, largest=False)
                pairs = zip(best.values.tolist(), best.indices.tolist(), strict=True)
                longer += [(nats + cost, [*row, token]) for cost, token in pairs]
        beam = sorted(longer)[:width]
    nats, row = beam[0]
    return row, nats


def repeated(row, n=2):
    """The share of the runs of n tokens in a row that came in it before: 0 says all differ.

    >>> repeated([5, 6, 5, 6, 5])
    0.5
    """
    runs = [tuple(row[at : at + n]) for at in range(len(row) - n + 1)]
    return 1 - len(set(runs)) / len(runs) if runs else 0.0
