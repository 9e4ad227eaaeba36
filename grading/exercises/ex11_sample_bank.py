"""The fourth part of the bank of exercise 11: how the next token is drawn; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex11 as reference
from grading.bank import Case
from grading.exercises.ex11_numbers import TERM, scattered
from grading.exercises.ex11_perplexity_bank import bank

# sample_next ----------------------------------------------------------------------------------------

sample_next = bank.function(
    "sample_next",
    reference.sample_next,
    terms={"temperature": "the temperature", "k": "the choice of the k likeliest", "mass": "the nucleus"},
)

ALL = ("temperature", "k", "mass")
CUT = ("temperature", "mass")  # where the nucleus leaves little to top-k
MARGIN = 0.004  # how far sums of shares stay from mass and from u: rounding decides nothing


def settled(scores, u, temperature, k, mass):
    """Whether no token is chosen, kept or left out by less than the margin, equal scores aside.

    Where nothing has been added up the sum is 0 to the last digit, and a number of 0 may be asked for.
    """
    if temperature == 0:
        return True
    kept = np.sort(scores.double().numpy())[:, ::-1][:, :k] / temperature
    shares = np.exp(kept - kept.max(axis=1, keepdims=True))
    sums = (shares / shares.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
    drawn = sample_shares(scores, u, temperature, k, mass).cumsum(axis=1)
    cut = mass < 1 and np.abs(sums - mass).min(initial=1) <= MARGIN  # a mass of 1 keeps all that counts
    return not cut and np.abs(drawn - u.numpy()[:, None])[drawn > 0].min() > MARGIN


def sample_shares(scores, u, temperature, k, mass):
    return reference.sample_next(scores.double(), u.double(), temperature, k, mass)[1].numpy()


def spread(rng, B, V):
    """Scores (B, V) about a half apart, in a row's own order, the likeliest never the first or last."""
    rows = []
    for _ in range(B):
        row = 0.5 * np.arange(V) + rng.uniform(0, 0.1, size=V)
        row = row[rng.permutation(V)]
        place, inner = int(row.argmax()), int(rng.integers(1, V - 1))
        row[[place, inner]] = row[[inner, place]]
        rows.append(row - row.mean())
    return torch.tensor(np.array(rows), dtype=torch.float32)


def numbers(rng, B):
    """One number for the draw of each row, low and high ones among them."""
    low = np.linspace(0.05, 0.9, B) + rng.uniform(0, 0.08, size=B)
    return torch.tensor(rng.permutation(low), dtype=torch.float64)


def case(rng, title, temperature, k, mass, V=7, B=5, change=lambda scores: scores, **options):
    """A case with margins; numbers are drawn until there are."""
    while True:
        scores, u = change(spread(rng, B, V)), numbers(rng, B)
        if settled(scores, u, temperature, k, mass):
            return Case(title, scores, u, temperature, k, mass, **options)


def with_equal_ones(scores):
    """Every row has its two best tokens, and its third and fourth, at one score."""
    order = scores.argsort(dim=1, descending=True)
    for row, places in zip(scores, order, strict=True):
        row[places[1]] = row[places[0]]
        row[places[3]] = row[places[2]]
    return scores


def at_the_ends(rng, V=7, B=4):
    """Rows whose first and last token are cut, drawn with 0 and with a number near 1."""
    scores = spread(rng, B, V)
    for row in scores:
        low = row.argsort()[:2].tolist()
        row[[0, low[0]]] = row[[low[0], 0]]
        second = int(row.argsort()[1])
        row[[V - 1, second]] = row[[second, V - 1]]
    return scores, torch.tensor([0.0, 0.995] * (B // 2), dtype=torch.float64)


@sample_next.visible
def _():
    ln2 = math.log(2)
    scores = torch.tensor([[0.0, 2 * ln2, ln2, 0.0]])
    for u in (0.1, 0.6):
        title = f"the example by hand, u = {u}"
        yield Case(title, scores, torch.tensor([u], dtype=torch.float64), 0.5, 3, 0.9)
    rng = np.random.default_rng(21)
    yield case(rng, "a temperature alone", 2.0, 6, 1.0, V=6, B=3, terms=("temperature",))
    yield case(rng, "the three likeliest", 1.0, 3, 1.0, V=6, B=3, terms=("k",))
    yield case(rng, "a nucleus alone", 1.0, 6, 0.6, V=6, B=3, terms=("mass",))
    yield case(rng, "all three rules", 2.0, 4, 0.69, B=3, terms=ALL)
    equal = "torch.topk promises no order of equal scores; torch.sort with stable=True does"
    yield case(rng, "equal scores", 1.0, 3, 1.0, V=6, B=3, change=with_equal_ones, hint=equal)
    yield case(rng, "temperature 0", 0, 6, 1.0, V=6, B=2, change=with_equal_ones)
    yield Case("u = 0 and u near 1", *at_the_ends(rng, B=2), 1.0, 4, 1.0)


@sample_next.hidden
def _(rng):
    low, high = rng.uniform(0.4, 0.7), rng.uniform(1.6, 2.5)
    # Here the nucleus has another size when the temperature comes later, or top-k comes after it.
    warm, mass = rng.uniform(1.8, 2.2), rng.uniform(0.675, 0.71)
    yield case(rng, "all three rules", warm, 4, mass, terms=ALL)
    alone = [low, high][int(rng.integers(2))]
    yield case(rng, "a temperature alone", alone, 7, 1.0, terms=("temperature",), weight=TERM)
    yield case(rng, "top-k alone", 1.0, int(rng.integers(3, 6)), 1.0, terms=("k",), weight=TERM)
    yield case(rng, "a nucleus alone", 1.0, 7, rng.uniform(0.4, 0.6), terms=("mass",), weight=TERM)
    mass = rng.uniform(0.75, 0.85)
    yield case(
        rng, "float64, not contiguous", low, 4, mass, change=lambda s: scattered(s.double()), terms=CUT
    )
    yield case(rng, "equal scores", 1.0, 3, 1.0, change=with_equal_ones)
    yield case(rng, "a small nucleus", low, 6, 0.05)
    yield case(rng, "temperature 0", 0, 5, 0.9, change=with_equal_ones, weight=TERM)
    yield Case("u = 0 and u near 1", *at_the_ends(rng), 1.0, 4, 1.0)


def ordered(scores, temperature=1.0, k=None):
    """Places from the likeliest down, and their shares after temperature and top-k: both (B, k)."""
    places = torch.sort(scores, dim=1, descending=True, stable=True).indices[:, :k]
    best = scores.gather(1, places)
    if temperature == 0:
        return places[:, :1], torch.ones_like(best[:, :1])
    return places, torch.softmax(best / temperature, dim=1)


def in_nucleus(shares, mass):
    """Shares in falling order, 0 behind the nucleus; not yet raised."""
    return torch.where(shares.cumsum(dim=1) - shares < mass, shares, 0.0)


def raised(shares):
    return shares / shares.sum(dim=1, keepdim=True)


def back(scores, places, shares):
    """Shares at their tokens."""
    return torch.zeros_like(scores).scatter(1, places, shares)


def draw(shares, u):
    """The first token up to which the shares hold more than u."""
    return (shares.cumsum(dim=1) <= u[:, None]).sum(dim=1).clamp(max=shares.shape[1] - 1)


def other_shares(advice):
    """Register a wrong idea about the shares: ``idea(scores, temperature, k, mass)`` -> (B, V)."""

    def register(idea):
        def whole(scores, u, temperature, k, mass):
            shares = idea(scores, temperature, k, mass)
            return draw(shares, u), shares

        whole.__name__ = idea.__name__
        sample_next.wrong(advice)(whole)
        return whole

    return register


@other_shares("Your temperature divides probabilities, which changes nothing; divide the scores.")
def temperature_on_probabilities(scores, temperature, k, mass):
    return reference.sample_next(scores, scores[:, 0], 1.0 if temperature else 0, k, mass)[1]


@other_shares("Your scores are multiplied by the temperature; divide, so that a low one sharpens.")
def temperature_multiplies(scores, temperature, k, mass):
    return reference.sample_next(scores, scores[:, 0], 1 / temperature if temperature else 0, k, mass)[1]


@other_shares("Your temperature comes after the cuts; divide the scores before anything is cut.")
def temperature_last(scores, temperature, k, mass):
    if temperature == 0:
        return back(scores, *ordered(scores, 0))
    places, shares = ordered(scores, 1.0, k)
    kept = in_nucleus(shares, mass) ** (1 / temperature)
    return back(scores, places, raised(kept))


@other_shares("Your nucleus leaves out the token that crosses the mass; it is the last one that stays.")
def crossing_token_left_out(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature, k)
    inside = shares.cumsum(dim=1) <= mass + 1e-6
    inside[:, 0] = True
    return back(scores, places, raised(torch.where(inside, shares, 0.0)))


@other_shares("Your nucleus keeps what sums to less than mass; the token that reaches it stays as well.")
def reaching_token_left_out(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature, k)
    inside = shares.cumsum(dim=1) < mass - 1e-6
    inside[:, 0] = True
    return back(scores, places, raised(torch.where(inside, shares, 0.0)))


@other_shares(
    "Your nucleus is measured before top-k; raise the k likeliest to sum to 1, then cut among them."
)
def nucleus_first(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature)
    return back(scores, places[:, :k], raised(in_nucleus(shares, mass)[:, :k]))


@other_shares("Your shares do not sum to 1 after the cuts; raise those that are kept.")
def not_raised(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature)
    kept = raised(shares[:, :k])
    return back(scores, places[:, :k], torch.where(in_nucleus(kept, mass) > 0, shares[:, :k], 0.0))


@other_shares("Your kept shares go through a softmax again; divide them by their sum.")
def softmax_again(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature, k)
    kept = in_nucleus(shares, mass)
    return back(scores, places, raised(torch.where(kept > 0, kept.exp(), 0.0)))


@other_shares("Your tokens that are cut get probability again; 0 as a score is no 0 as a share.")
def cut_scores_are_zero(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature, k)
    kept = in_nucleus(shares, mass)
    best = scores.gather(1, places) / (temperature or 1e-3)
    return torch.softmax(back(scores, places, torch.where(kept > 0, best, 0.0)), dim=1)


@other_shares(
    "Your top-k keeps every token as good as the last of them; of equal ones the lower number stays."
)
def ties_all_kept(scores, temperature, k, mass):
    if temperature == 0:
        return back(scores, *ordered(scores, 0))
    last = scores.sort(dim=1, descending=True).values[:, k - 1 : k]
    places, shares = ordered(torch.where(scores >= last, scores, -torch.inf), temperature)
    return back(scores, places, raised(in_nucleus(shares, mass)))


@other_shares(
    "Your temperature of 0 shares among equally good tokens; the one with the lowest number has it all."
)
def shared_at_temperature_zero(scores, temperature, k, mass):
    if temperature:
        return reference.sample_next(scores, scores[:, 0], temperature, k, mass)[1]
    return raised((scores == scores.amax(dim=1, keepdim=True)).to(scores))


@other_shares("Your scores are divided by a temperature of 0; there the likeliest token has all probability.")
def divided_by_zero(scores, temperature, k, mass):
    if temperature:
        return reference.sample_next(scores, scores[:, 0], temperature, k, mass)[1]
    return torch.full_like(scores, torch.nan)


@other_shares("Your top-k keeps the higher number of equal tokens; keep the lower one.")
def ties_to_the_higher(scores, temperature, k, mass):
    return reference.sample_next(scores.flip(1), scores[:, 0], temperature, k, mass)[1].flip(1)


@other_shares("Your top-k keeps one token too many; k are kept.")
def one_more_than_k(scores, temperature, k, mass):
    return reference.sample_next(scores, scores[:, 0], temperature, k + 1, mass)[1]


@other_shares("Your k is never used; only the k likeliest tokens may be drawn.")
def k_ignored(scores, temperature, k, mass):
    return reference.sample_next(scores, scores[:, 0], temperature, scores.shape[1], mass)[1]


@other_shares("Your mass is never used; cut to the nucleus after top-k.")
def mass_ignored(scores, temperature, k, mass):
    return reference.sample_next(scores, scores[:, 0], temperature, k, 1.0)[1]


@other_shares("Your nucleus keeps every token whose own share is above 1 - mass; add the shares up instead.")
def nucleus_by_threshold(scores, temperature, k, mass):
    places, shares = ordered(scores, temperature, k)
    inside = shares > 1 - mass
    inside[:, 0] = True
    return back(scores, places, raised(torch.where(inside, shares, 0.0)))


@other_shares("Your cuts follow the first row for the whole batch; each row has its own likeliest tokens.")
def cuts_of_the_first_row(scores, temperature, k, mass):
    first = reference.sample_next(scores, scores[:, 0], temperature, k, mass)[1][:1] > 0
    return torch.softmax(torch.where(first, scores, -torch.inf) / (temperature or 1e-3), dim=1)
