"""The third part of the bank of exercise 11: perplexity a token and a word; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex11 as reference
from grading.bank import Case
from grading.exercises.ex11_numbers import EDGE
from grading.exercises.ex11_shares_bank import bank

# perplexity -----------------------------------------------------------------------------------------

perplexity = bank.function("perplexity", reference.perplexity)


def of_numbers(losses, tokens, words, base):
    """The arguments as tensors."""
    return torch.tensor(losses, dtype=torch.float64), torch.tensor(tokens), torch.tensor(words), base


@perplexity.visible
def _():
    yield Case("the example by hand", *of_numbers([1.0, 3.0], [300, 100], [200, 50], 2))
    yield Case("the same in nats", *of_numbers([1.0, 3.0], [300, 100], [200, 50], math.e))
    yield Case("too dear a word", *of_numbers([23.0, 24.5], [50, 20], [40, 15], 2))
    yield Case("one dear batch", *of_numbers([30.0, 2.0], [10, 90], [8, 70], 2))
    yield Case("to the base 10", *of_numbers([0.5, 1.2, 0.7], [10, 40, 20], [9, 25, 15], 10))


@perplexity.hidden
def _(rng):
    def some(base, nats=(1.0, 5.0), more=(1.2, 1.8)):
        """Batches of unequal size, with losses from ``nats`` and ``more`` tokens to a word."""
        N = int(rng.integers(3, 6))
        words = rng.permutation([10, 25, 40, 70, 110])[:N]
        tokens = np.ceil(words * rng.uniform(*more, size=N)).astype(int)
        losses = np.linspace(*nats, N)[rng.permutation(N)] / math.log(base)
        return of_numbers(losses.tolist(), tokens.tolist(), words.tolist(), base)

    yield Case("in nats", *some(math.e))
    yield Case("in bits", *some(2))
    yield Case("to the base 10", *some(10))
    yield Case("float32, in bits", *[part.float() if n == 0 else part for n, part in enumerate(some(2))])
    yield Case("large losses in bits", *some(2, nats=(8.0, 12.0), more=(1.1, 1.3)))
    yield Case("one batch above the limit", *some(math.e, nats=(1.0, 21.0), more=(1.05, 1.1)))
    yield Case("too dear a word, not a token", *some(2, nats=(14.5, 17.0), more=(1.6, 1.8)))
    yield Case("too dear", *some(10, nats=(24.0, 30.0)), weight=EDGE)


def exponential(nats):
    return math.exp(nats) if nats <= 20 else math.inf


def totals(losses, tokens, words, base):
    """All nats, all tokens, all words."""
    return math.log(base) * float((losses * tokens).sum()), int(tokens.sum()), int(words.sum())


@perplexity.wrong("Your loss is the mean of the batches' means; a batch counts by its tokens.")
def mean_of_batch_means(losses, tokens, words, base):
    mean = math.log(base) * float(losses.mean())
    return exponential(mean), exponential(mean * int(tokens.sum()) / int(words.sum()))


@perplexity.wrong(
    "Your result is a mean of the batches' perplexities; average the losses, then exponentiate."
)
def mean_of_perplexities(losses, tokens, words, base):
    each = [[exponential(math.log(base) * loss) for loss in losses.tolist()]]
    each += [[exponential(math.log(base) * loss) for loss in (losses * tokens / words).tolist()]]
    return [float(np.mean(row)) for row in each]


@perplexity.wrong(
    "Your result weights perplexities by tokens; weight the losses, the exponential comes last."
)
def weighted_perplexities(losses, tokens, words, base):
    of_tokens = [exponential(math.log(base) * loss) for loss in losses.tolist()]
    of_words = [exponential(math.log(base) * loss) for loss in (losses * tokens / words).tolist()]
    return float(np.average(of_tokens, weights=tokens)), float(np.average(of_words, weights=words))


@perplexity.wrong("Your losses are taken for nats; multiply them by the logarithm of their base.")
def base_ignored(losses, tokens, words, base):
    return reference.perplexity(losses, tokens, words, math.e)


@perplexity.wrong("Your losses are always taken for bits; their base is given.")
def always_bits(losses, tokens, words, base):
    return reference.perplexity(losses, tokens, words, 2)


@perplexity.wrong("Your losses are divided by the logarithm of their base; multiply to get nats.")
def base_upside_down(losses, tokens, words, base):
    return reference.perplexity(losses, tokens, words, math.exp(1 / math.log(base)))


@perplexity.wrong("Your nats are raised as powers of the base; once they are nats the power is that of e.")
def converted_twice(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [base ** (nats / count) if nats / count <= 20 else math.inf for count in counts]


@perplexity.wrong("Your result has not been exponentiated; those are losses in nats.")
def losses_returned(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [nats / count if nats / count <= 20 else math.inf for count in counts]


@perplexity.wrong(
    "Your result a word is the one a token times tokens a word; the losses add, so it is a power."
)
def word_by_a_factor(losses, tokens, words, base):
    nats, count, number = totals(losses, tokens, words, base)
    of_token = exponential(nats / count)
    return of_token, of_token * count / number if nats / number <= 20 else math.inf


@perplexity.wrong("Your loss a word weights the mean losses by words; share all nats out among the words.")
def weighted_by_words(losses, tokens, words, base):
    of_token, _ = reference.perplexity(losses, tokens, words, base)
    return of_token, exponential(math.log(base) * float((losses * words).sum()) / int(words.sum()))


@perplexity.wrong("Your two results are exchanged; the one a token comes first.")
def exchanged(losses, tokens, words, base):
    return reference.perplexity(losses, tokens, words, base)[::-1]


@perplexity.wrong("Your results are never infinite; above 20 nats they are.")
def never_infinite(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [math.exp(nats / count) for count in counts]


@perplexity.wrong("Your limit of 20 is held against the loss in its own unit; it means nats.")
def limit_in_its_own_unit(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [math.exp(nats / count) if nats / count <= 20 * math.log(base) else math.inf for count in counts]


@perplexity.wrong("Your result is infinite as soon as one batch is above 20 nats; the mean decides.")
def infinite_by_one_batch(losses, tokens, words, base):
    if float(losses.max()) * math.log(base) > 20:
        return math.inf, math.inf
    return reference.perplexity(losses, tokens, words, base)


@perplexity.wrong("Your limit of 20 is held against the perplexity; it means nats.")
def limit_of_the_perplexity(losses, tokens, words, base):
    found = reference.perplexity(losses, tokens, words, base)
    return torch.where(found <= 20, found, torch.inf)


@perplexity.wrong("Your exponents are cut to 20; above 20 nats the result is infinite.")
def cut_to_twenty(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [math.exp(min(nats / count, 20)) for count in counts]


@perplexity.wrong("Your limit is held against the loss a token for both; each result has its own mean.")
def one_limit_for_both(losses, tokens, words, base):
    nats, *counts = totals(losses, tokens, words, base)
    return [math.exp(nats / count) if nats / counts[0] <= 20 else math.inf for count in counts]


@perplexity.wrong(
    "Your losses are added without their tokens; they are means, so multiply by the tokens first."
)
def means_added(losses, tokens, words, base):
    nats = math.log(base) * float(losses.sum())
    return [exponential(nats / int(count.sum())) for count in (tokens, words)]


@perplexity.variant
def as_powers_of_the_base(losses, tokens, words, base):
    mean = (losses * tokens).sum() / tokens.sum()
    of_word = mean * tokens.sum() / words.sum()
    dear = 20 / math.log(base)
    return [base ** m.item() if m <= dear else float("inf") for m in (mean, of_word)]


@perplexity.variant
def torch_in_float32(losses, tokens, words, base):
    nats = torch.dot(losses.float() * np.log(base), tokens.float())
    means = torch.stack([nats / tokens.sum(), nats / words.sum()]).float()
    return torch.where(means > 20, torch.inf, means.exp())


@perplexity.variant
def averages_of_numpy(losses, tokens, words, base):
    nats = losses.double().numpy() * math.log(base)
    first = np.average(nats, weights=tokens.numpy())
    second = np.average(nats * tokens.numpy() / words.numpy(), weights=words.numpy())
    return tuple(float(np.exp(value)) if value <= 20 else np.inf for value in (first, second))
