"""The second part of the bank of exercise 12: the greedy decoder; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex12 as reference
from grading.bank import Case
from grading.exercises.ex12_encode_bank import bank
from grading.exercises.ex12_numbers import (
    CLEAR,
    EDGE,
    by_hand,
    decoder_of,
    double,
    drawn,
    drawn_until,
    marks,
    ragged,
    scattered,
    silent,
)
from grading.exercises.ex12_runs import (
    all_end_at_once,
    endless,
    none_ends,
    of_all_kinds,
    some_end,
    steps_of,
    stopped,
)

# decode_greedy --------------------------------------------------------------------------------------

decode_greedy = bank.function("decode_greedy", reference.decode_greedy)


def batch(rng, B, L, V, E, H, limits=None):
    """All arguments."""
    limits = ragged(rng, B, L) if limits is None else limits
    return drawn(rng, B, H), decoder_of(rng, V, E, H), *marks(rng, V), limits


def tied(rng, B, L, V, E, H):
    """Arguments with which at the first step all words are equally likely; 0 is said, and not the end."""
    h, (embedding, W_xh, W_hh, b, W_hy), begin, end, limits = batch(rng, B, L, V, E, H)
    embedding[begin] = 0.0
    return silent(h), (embedding, W_xh, W_hh, silent(b), W_hy), begin, end, limits


def clear_behind_the_tie(h, decoder, begin, end, limits):
    run = endless(h, decoder, begin, int(limits.max()))
    return bool((run.clear[:, 1:] > CLEAR).all() and (run.words[:, 1:] == end).any())


@decode_greedy.visible
def _():
    limits = torch.tensor([3, 3, 1])
    yield Case("the example by hand", torch.tensor([[0.5], [-0.5], [0.5]]), by_hand(), 2, 1, limits)
    rng = np.random.default_rng(122)
    case = drawn_until(lambda: batch(rng, 2, 3, 4, 2, 3, torch.tensor([2, 3])), none_ends)
    yield Case("no row ends by itself", *case)
    yield Case("rows of all kinds", *drawn_until(lambda: batch(rng, 3, 5, 4, 1, 2), of_all_kinds))
    case = drawn_until(lambda: tied(rng, 1, 3, 4, 1, 2), clear_behind_the_tie)
    yield Case("all words equally likely", *case, hint="of equally likely words say the first")


@decode_greedy.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3]).tolist()

    yield Case("rows of all kinds", *drawn_until(lambda: batch(rng, 4, 5, 3, *sizes()), of_all_kinds))
    case = drawn_until(lambda: batch(rng, 3, 6, 5, *sizes()), some_end)
    yield Case("some rows end, float64", *double(*case))
    case = drawn_until(lambda: batch(rng, 4, 5, 4, *sizes()), some_end)
    yield Case("not contiguous", *map(scattered, case))
    yield Case("no row ends by itself", *drawn_until(lambda: batch(rng, 2, 4, 6, *sizes()), none_ends))
    case = drawn_until(lambda: batch(rng, 1, 3, 4, *sizes()), all_end_at_once)
    yield Case("one row, which ends at once", *case, weight=EDGE)
    case = drawn_until(lambda: tied(rng, 2, 4, 4, *sizes()), clear_behind_the_tie)
    yield Case("all words equally likely", *case, weight=EDGE)


def running(h, decoder, begin, end, limits, **slips):
    """An endless run over the longest limit, and the steps that rows take in it."""
    run = endless(h, decoder, begin, int(limits.max()), **slips)
    return run, *steps_of(run, end, limits)


def slipped(advice, **slips):
    """Register a wrong idea about what the loop is fed or carries."""

    def register(idea):
        def whole(h, decoder, begin, end, limits):
            h, begin = idea(h, begin, end)
            return stopped(endless(h, decoder, begin, int(limits.max()), **slips), end, limits)

        whole.__name__ = idea.__name__
        decode_greedy.wrong(advice)(whole)
        return whole

    return register


@slipped("Your decoder starts from zeros; it starts from the h that is given.")
def starts_from_zero(h, begin, end):
    return 0 * h, begin


@slipped("Your state is not carried on; each step goes on from the state of the step before.", carried=False)
def state_not_carried_on(h, begin, end):
    return h, begin


@slipped(
    "Your decoder is fed the begin symbol at every step; after the first it is fed what it said.",
    feed=lambda begin, said: np.full_like(said[-1], begin),
)
def begin_fed_throughout(h, begin, end):
    return h, begin


@slipped("Your decoder is fed the end symbol first; it begins with the begin symbol.")
def end_fed_first(h, begin, end):
    return h, end


@slipped(
    "Your decoder is fed the begin symbol twice; the second step is fed the first word that was said.",
    feed=lambda begin, said: said[-2] if len(said) > 1 else np.full_like(said[-1], begin),
)
def begin_fed_twice(h, begin, end):
    return h, begin


@slipped(
    "Your choice among equally likely words is the last one; say the one with the smallest number.",
    choose=lambda scores: scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1),
)
def last_of_equals(h, begin, end):
    return h, begin


@slipped("Your choice is the least likely word; take the greatest score.", choose=lambda s: s.argmin(axis=1))
def least_likely(h, begin, end):
    return h, begin


@decode_greedy.wrong("Your words hold the end symbol; it is no word, -1 stands in its place.")
def end_kept(h, decoder, begin, end, limits):
    run, steps, _ = running(h, decoder, begin, end, limits)
    _, log_p = stopped(run, end, limits)
    return np.where(np.arange(run.words.shape[1]) < steps[:, None], run.words, -1), log_p


@decode_greedy.wrong("Your log p leaves the end symbol out; saying it is a step as well.")
def end_not_counted(h, decoder, begin, end, limits):
    run, steps, ended = running(h, decoder, begin, end, limits)
    said = np.arange(run.words.shape[1]) < (steps - ended)[:, None]
    return np.where(said, run.words, -1), np.where(said, run.log_p, 0).sum(axis=1)


@decode_greedy.wrong("Your rows take one step more than their limit.")
def one_step_too_many(h, decoder, begin, end, limits):
    return stopped(endless(h, decoder, begin, int(limits.max()) + 1), end, limits + 1)


@decode_greedy.wrong("Your rows take one step less than their limit.")
def one_step_too_few(h, decoder, begin, end, limits):
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits - 1)
    return torch.nn.functional.pad(words, (0, 1), value=-1), log_p


@decode_greedy.wrong("Your rows go on after their end; behind it all is -1, and nothing counts.")
def goes_on_after_the_end(h, decoder, begin, end, limits):
    run = endless(h, decoder, begin, int(limits.max()))
    inside = np.arange(run.words.shape[1]) < limits.numpy()[:, None]
    words = np.where(inside & (run.words != end), run.words, -1)
    return words, np.where(inside, run.log_p, 0).sum(axis=1)


@decode_greedy.wrong("Your log p goes on after the end of a row; add only the steps that it takes.")
def log_p_goes_on(h, decoder, begin, end, limits):
    run = endless(h, decoder, begin, int(limits.max()))
    return stopped(run, end, limits)[0], run.log_p.sum(axis=1)


@decode_greedy.wrong("Your log p goes on to the limit of a row; nothing counts behind the end symbol.")
def log_p_goes_on_to_the_limit(h, decoder, begin, end, limits):
    run = endless(h, decoder, begin, int(limits.max()))
    inside = np.arange(run.words.shape[1]) < limits.numpy()[:, None]
    return stopped(run, end, limits)[0], np.where(inside, run.log_p, 0).sum(axis=1)


@decode_greedy.wrong("Your rows all have the longest limit; each has its own.")
def one_limit_for_all(h, decoder, begin, end, limits):
    return reference.decode_greedy(h, decoder, begin, end, limits.max().expand(len(h)))


@decode_greedy.wrong("Your loop stops for all rows where the first one ends; the others go on.")
def all_stop_with_the_first(h, decoder, begin, end, limits):
    _, steps, ended = running(h, decoder, begin, end, limits)
    first = int(steps[ended].min()) if ended.any() else int(limits.max())
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits.clamp(max=first))
    return torch.nn.functional.pad(words, (0, int(limits.max()) - words.shape[1]), value=-1), log_p


@decode_greedy.wrong("Your second value is the probability; asked for is its logarithm.")
def probability_itself(h, decoder, begin, end, limits):
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits)
    return words, log_p.exp()


@decode_greedy.wrong("Your second value is the mean of a step; asked for is the sum.")
def mean_of_a_step(h, decoder, begin, end, limits):
    _, steps, _ = running(h, decoder, begin, end, limits)
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits)
    return words, log_p / torch.from_numpy(steps)


@decode_greedy.wrong("Your second value adds probabilities; add their logarithms.")
def probabilities_added(h, decoder, begin, end, limits):
    run, steps, _ = running(h, decoder, begin, end, limits)
    taken = np.arange(run.words.shape[1]) < steps[:, None]
    return stopped(run, end, limits)[0], np.where(taken, np.exp(run.log_p), 0).sum(axis=1)


@decode_greedy.wrong("Your second value adds scores; a log softmax makes them logarithms of probabilities.")
def scores_added(h, decoder, begin, end, limits):
    run, steps, _ = running(h, decoder, begin, end, limits)
    taken = np.arange(run.words.shape[1]) < steps[:, None]
    return stopped(run, end, limits)[0], np.where(taken, run.scores, 0).sum(axis=1)


@decode_greedy.wrong("Your words are filled up with 0; that is a word, fill with -1.")
def filled_with_zeros(h, decoder, begin, end, limits):
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits)
    return words.clamp(min=0), log_p


@decode_greedy.wrong("Your words begin with the begin symbol; it is fed, not said.")
def begin_kept(h, decoder, begin, end, limits):
    words, log_p = reference.decode_greedy(h, decoder, begin, end, limits)
    return torch.cat([torch.full_like(words[:, :1], begin), words[:, :-1]], dim=1), log_p


@decode_greedy.variant
def row_by_row_in_numpy(h, decoder, begin, end, limits):
    embedding, W_xh, W_hh, b, W_hy = (weight.numpy().astype(np.float32) for weight in decoder)
    words, log_p = np.full((len(h), int(limits.max())), -1), np.zeros(len(h))
    for n, limit in enumerate(limits.tolist()):
        fed, state = begin, h[n].numpy().astype(np.float32)
        for t in range(limit):
            state = np.tanh(W_xh @ embedding[fed] + W_hh @ state + b)
            p = np.exp(W_hy @ state)
            fed = int(np.argmax(p))
            log_p[n] += np.log(p[fed] / p.sum())
            if fed == end:
                break
            words[n, t] = fed
    return words, log_p


@decode_greedy.variant
def stopped_afterwards(h, decoder, begin, end, limits):
    return stopped(endless(h, decoder, begin, int(limits.max())), end, limits)


@decode_greedy.variant
def with_a_cell_of_pytorch(h, decoder, begin, end, limits):
    embedding, W_xh, W_hh, b, W_hy = decoder
    cell = torch.nn.RNNCell(*W_xh.T.shape, dtype=h.dtype)
    cell.load_state_dict(dict(weight_ih=W_xh, weight_hh=W_hh, bias_ih=b, bias_hh=0 * b))
    fed, log_p, steps = torch.full((len(h),), begin), torch.zeros(len(h), dtype=h.dtype), []
    running = limits > 0
    with torch.no_grad():
        for t in range(int(limits.max())):
            h = cell(torch.nn.functional.embedding(fed, embedding), h)
            p = torch.softmax(torch.einsum("bh,vh->bv", h, W_hy), dim=1)
            fed = torch.where(running, p.argmax(dim=1), -1)
            log_p[running] += p.max(dim=1).values.log()[running]
            running = running & (fed != end) & (t + 1 < limits)
            steps.append(torch.where(fed == end, -1, fed))
            fed = fed.clamp(min=0)
    return torch.stack(steps, dim=1), log_p
