"""More of the fourth part of the bank of exercise 11: wrong draws, faults and variants of sample_next.

For instructors only. canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex11 as reference
from grading.exercises.ex11_sample_bank import bank, draw, sample_next

__all__ = ["bank"]


def other_draws(advice):
    """Register a wrong idea about the draw: ``idea(shares, u)`` -> tokens (B,)."""

    def register(idea):
        def whole(scores, u, temperature, k, mass):
            shares = reference.sample_next(scores, u, temperature, k, mass)[1]
            return idea(shares, u), shares

        whole.__name__ = idea.__name__
        sample_next.wrong(advice)(whole)
        return whole

    return register


@other_draws("Your token is always the likeliest; u decides.")
def always_the_likeliest(shares, u):
    return shares.argmax(dim=1)


@other_draws(
    "Your shares are added up from the likeliest down; go through the tokens in the order of numbers."
)
def drawn_from_the_likeliest(shares, u):
    places = torch.sort(shares, dim=1, descending=True, stable=True).indices
    return places.gather(1, draw(shares.gather(1, places), u)[:, None])[:, 0]


@other_draws("Your token is a place in the sorted row; translate it back into the number of the token.")
def place_in_the_sorted_row(shares, u):
    return draw(shares.sort(dim=1, descending=True).values, u)


@other_draws("Your u is compared with the single shares; compare it with their sum up to a token.")
def compared_with_single_shares(shares, u):
    return (shares > u[:, None]).to(shares).argmax(dim=1)


@other_draws("Your whole batch uses the first u; each row has its own.")
def first_u_for_all(shares, u):
    return draw(shares, u[:1].expand_as(u))


@other_draws(
    "Your token is the first up to which the shares sum to at least u; they have to sum to more, "
    "or u = 0 draws a token without a share."
)
def at_least_u(shares, u):
    return (shares.cumsum(dim=1) < u[:, None]).sum(dim=1)


@other_draws("Your token is the one before; take the first up to which the shares hold more than u.")
def token_before(shares, u):
    return (draw(shares, u) - 1).clamp(min=0)


@other_draws("Your draw runs from the last token down; begin with token 0.")
def from_the_last_token(shares, u):
    return shares.shape[1] - 1 - draw(shares.flip(1), u)


@sample_next.fault("temperature")
def root_of_the_temperature(scores, u, temperature, k, mass):
    return reference.sample_next(scores, u, temperature**0.5, k, mass)


@sample_next.fault("k")
def one_less_than_k(scores, u, temperature, k, mass):
    return reference.sample_next(scores, u, temperature, k if k == scores.shape[1] else k - 1, mass)


@sample_next.fault("mass")
def half_of_the_mass(scores, u, temperature, k, mass):
    return reference.sample_next(scores, u, temperature, k, mass if mass == 1 else mass / 2)


@sample_next.variant
def row_by_row_in_numpy(scores, u, temperature, k, mass):
    scores, tokens, shares = scores.numpy(), [], np.zeros(scores.shape)
    for n, row in enumerate(scores):
        places = np.argsort(-row, kind="stable")[:k]
        if temperature == 0:
            places = places[:1]
        kept = np.exp((row[places] - row.max()) / (temperature or 1))
        kept /= kept.sum()
        count = int((np.cumsum(kept) - kept < mass).sum())
        shares[n, places[:count]] = kept[:count] / kept[:count].sum()
        tokens.append(int(np.searchsorted(np.cumsum(shares[n]), float(u[n]), side="right")))
    return tokens, shares


@sample_next.variant
def one_rule_after_the_other(scores, u, temperature, k, mass):
    def only(shares, places):
        kept = torch.zeros_like(shares)
        kept[places] = shares[places]
        return kept / kept.sum()

    tokens, rows = [], []
    for row, number in zip(scores, u, strict=True):
        places = torch.sort(row, descending=True, stable=True).indices
        if temperature == 0:
            shares = only(torch.ones_like(row), places[:1])
        else:
            shares = only(torch.softmax(row / temperature, dim=0), places[:k])
            held = torch.cat([row.new_zeros(1), shares[places].cumsum(0)[:-1]])
            shares = only(shares, places[held < mass])
        rows.append(shares)
        tokens.append(next(token for token in range(len(row)) if shares[: token + 1].sum() > number))
    return torch.tensor(tokens), torch.stack(rows)


@sample_next.variant
def cut_scores_are_minus_infinity(scores, u, temperature, k, mass):
    shares = []
    for row in scores.double():
        places = sorted(range(len(row)), key=lambda v: (-row[v].item(), v))
        cut = row.clone() if temperature == 0 else row / temperature
        cut[places[1 if temperature == 0 else k :]] = -math.inf
        p, held = torch.softmax(cut, dim=0), 0.0
        for v in places:
            if held >= mass:
                cut[v] = -math.inf
            held += p[v].item()
        shares.append(torch.softmax(cut, dim=0))
    shares = torch.stack(shares)
    return torch.searchsorted(shares.cumsum(dim=1), u[:, None].double(), right=True)[:, 0], shares
