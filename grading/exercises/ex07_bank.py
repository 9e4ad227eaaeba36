"""The bank of exercise 07, the horizon; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex07_products_bank`` (jacobian_products), ``ex07_factor_bank`` (per_step_factor),
``ex07_horizon_bank`` (horizon) and ``ex07_paths_bank`` (path_count).
"""

import math

import numpy as np
import torch

from course_utils.reference import ex07 as reference
from grading.bank import Case, Question
from grading.exercises.ex07_paths_bank import bank
from grading.exercises.ex07_products_bank import EDGE, scattered
from grading.term import ordinal

# recall_batch ---------------------------------------------------------------------------------------

recall_batch = bank.function("recall_batch", reference.recall_batch)


def drawn(rng, B, T, V, padded=True, smallest=0):
    """Symbols of which none comes twice in a row of a batch, cues before the last real step, and lengths."""
    symbols = np.stack([smallest + rng.permutation(V - 1 - smallest)[:T] for _ in range(B)])
    lengths = rng.integers(3, T, size=B) if padded else np.full(B, T)
    cues = np.array([rng.integers(0, length - 1) for length in lengths])
    cues[0] = 1  # not the first step
    symbols[np.arange(T) >= lengths[:, None]] = 0
    return (*map(torch.from_numpy, (symbols, cues, lengths)), V)


@recall_batch.visible
def _():
    symbols, cues, lengths = torch.tensor([[1, 0, 0], [1, 0, 0]]), torch.tensor([0, 1]), torch.tensor([3, 2])
    yield Case("two rows by hand", symbols, cues, lengths, 2)
    rng = np.random.default_rng(47)
    yield Case("three rows of full length", *drawn(rng, 3, 4, 6, padded=False))
    yield Case("three padded rows", *drawn(rng, 3, 5, 7))
    yield Case("one symbol", torch.tensor([[2]]), torch.tensor([0]), torch.tensor([1]), 3)


@recall_batch.hidden
def _(rng):
    def sizes():
        return *rng.permutation([2, 3, 4])[:1].tolist(), 5, int(rng.integers(7, 10))

    yield Case("full length", *drawn(rng, *sizes(), padded=False))
    yield Case("padded rows", *drawn(rng, *sizes()))
    yield Case("symbol 0 is padding only", *drawn(rng, 4, 6, 9, smallest=1))
    symbols, *others = drawn(rng, 3, 5, 8)
    yield Case("not contiguous", scattered(symbols), *others)
    symbols, _cues, lengths, V = drawn(rng, 3, 5, 8)
    yield Case("cued at the last real step", symbols, lengths - 1, lengths, V)
    symbols, cues, lengths, V = drawn(rng, 4, 5, 8, padded=False)
    yield Case("cued at the first step", symbols, 0 * cues, lengths, V)
    symbols = torch.from_numpy(rng.integers(0, 3, size=(2, 7)))
    yield Case("few symbols, often", symbols, torch.tensor([4, 2]), torch.tensor([7, 7]), 3)
    symbol = torch.from_numpy(rng.integers(0, 4, size=(1, 1)))
    yield Case("one symbol", symbol, torch.tensor([0]), torch.tensor([1]), 5, weight=EDGE)


def rows_of(symbols):
    return torch.arange(len(symbols))


def with_targets(symbols, cues, lengths, V, steps):
    """The right answer, with the symbols at other steps as the targets."""
    inputs, _, lags = reference.recall_batch(symbols, cues, lengths, V)
    return inputs, symbols[rows_of(symbols), steps], lags


def with_inputs(symbols, cues, lengths, V, change):
    """The right answer with other inputs: ``change(inputs)`` before the padding is put to 0."""
    inputs, targets, lags = reference.recall_batch(symbols, cues, torch.full_like(cues, symbols.shape[1]), V)
    lags = lengths - 1 - cues
    inputs = change(inputs.clone())
    inputs[torch.arange(symbols.shape[1]) >= lengths[:, None]] = 0
    return inputs, targets, lags


@recall_batch.wrong("Your targets are the last symbols; asked for is the symbol at the cue.")
def target_is_the_last(symbols, cues, lengths, V):
    return with_targets(symbols, cues, lengths, V, lengths - 1)


@recall_batch.wrong("Your targets are the first symbols, as in the lesson; here the cue says which one.")
def target_is_the_first(symbols, cues, lengths, V):
    return with_targets(symbols, cues, lengths, V, 0 * cues)


@recall_batch.wrong("Your targets come one step after the cue; symbol and cue stand at the same step.")
def target_after_the_cue(symbols, cues, lengths, V):
    return with_targets(symbols, cues, lengths, V, torch.minimum(cues + 1, lengths - 1))


@recall_batch.wrong("Your cues are counted from 1; they are indices, and 0 is the first step.")
def cues_counted_from_one(symbols, cues, lengths, V):
    earlier = (cues - 1) % symbols.shape[1]
    inputs, targets, _ = reference.recall_batch(symbols, earlier, lengths, V)
    return inputs, targets, lengths - cues


@recall_batch.wrong("Your targets are one-hot; asked for are the numbers of the symbols.")
def targets_one_hot(symbols, cues, lengths, V):
    inputs, targets, lags = reference.recall_batch(symbols, cues, lengths, V)
    return inputs, torch.nn.functional.one_hot(targets, V), lags


@recall_batch.wrong(
    "Your one-hot takes its width from the largest symbol that occurs; it has V channels and one for the cue."
)
def width_from_the_largest(symbols, cues, lengths, V):
    return reference.recall_batch(symbols, cues, lengths, int(symbols.max()) + 1)


@recall_batch.wrong("Your inputs lack the channel of the cue; the last of their V + 1 channels shows it.")
def no_cue_channel(symbols, cues, lengths, V):
    inputs, *others = reference.recall_batch(symbols, cues, lengths, V)
    return inputs[:, :, :V], *others


@recall_batch.wrong("Your cue stands in the first channel; it comes last, behind those of the symbols.")
def cue_channel_first(symbols, cues, lengths, V):
    return with_inputs(symbols, cues, lengths, V, lambda inputs: inputs.roll(1, dims=2))


@recall_batch.wrong("Your cue takes the place of its symbol; both are 1 at that step.")
def cue_in_place_of_the_symbol(symbols, cues, lengths, V):
    def change(inputs):
        inputs[rows_of(symbols), cues, :V] = 0
        return inputs

    return with_inputs(symbols, cues, lengths, V, change)


@recall_batch.wrong("Your cue stays on from its step to the end; it is 1 at one step only.")
def cue_stays_on(symbols, cues, lengths, V):
    def change(inputs):
        inputs[:, :, V] = inputs[:, :, V].cumsum(dim=1)
        return inputs

    return with_inputs(symbols, cues, lengths, V, change)


@recall_batch.wrong("Your cue comes at the last real step, as a question; it marks the symbol to remember.")
def cue_at_the_end(symbols, cues, lengths, V):
    def change(inputs):
        inputs[:, :, V] = 0
        inputs[rows_of(symbols), lengths - 1, V] = 1
        return inputs

    return with_inputs(symbols, cues, lengths, V, change)


@recall_batch.wrong("Your padding is read as symbol 0; behind its length a row of the inputs is zeros.")
def padding_is_symbol_zero(symbols, cues, lengths, V):
    inputs, targets, _ = reference.recall_batch(symbols, cues, torch.full_like(cues, symbols.shape[1]), V)
    return inputs, targets, lengths - 1 - cues


@recall_batch.wrong(
    "Your inputs are zeros wherever the symbol is 0; 0 is a symbol, and the lengths say what is padding."
)
def symbol_zero_is_padding(symbols, cues, lengths, V):
    def change(inputs):
        inputs[symbols == 0] = 0
        return inputs

    return with_inputs(symbols, cues, lengths, V, change)


@recall_batch.wrong("Your inputs keep one step of padding; the last real step has the index length - 1.")
def one_pad_kept(symbols, cues, lengths, V):
    longer = torch.clamp(lengths + 1, max=symbols.shape[1])
    inputs, targets, _ = reference.recall_batch(symbols, cues, longer, V)
    return inputs, targets, lengths - 1 - cues


@recall_batch.wrong("Your inputs lose their last real step; only what lies behind the length is zeros.")
def last_real_step_lost(symbols, cues, lengths, V):
    inputs, targets, _ = reference.recall_batch(symbols, cues, lengths - 1, V)
    return inputs, targets, lengths - 1 - cues


@recall_batch.wrong("Your lag counts the padding, too; the answer is given at the last real step of a row.")
def lag_to_the_end_of_the_batch(symbols, cues, lengths, V):
    inputs, targets, _ = reference.recall_batch(symbols, cues, lengths, V)
    return inputs, targets, symbols.shape[1] - 1 - cues


@recall_batch.wrong("Your lag is one too large; a cue at the last real step has lag 0.")
def lag_one_too_large(symbols, cues, lengths, V):
    inputs, targets, lags = reference.recall_batch(symbols, cues, lengths, V)
    return inputs, targets, lags + 1


@recall_batch.wrong("Your lag is the step of the cue; asked for is how far back it lies from the last step.")
def lag_from_the_start(symbols, cues, lengths, V):
    inputs, targets, _ = reference.recall_batch(symbols, cues, lengths, V)
    return inputs, targets, cues


@recall_batch.wrong("Your inputs have time first; the batch comes first.")
def time_first(symbols, cues, lengths, V):
    inputs, *others = reference.recall_batch(symbols, cues, lengths, V)
    return inputs.transpose(0, 1), *others


@recall_batch.variant
def entry_by_entry_in_a_loop(symbols, cues, lengths, V):
    B, T = symbols.shape
    inputs = torch.zeros((B, T, V + 1), dtype=torch.float64)
    targets, lags = [], []
    for b in range(B):
        length, cue = lengths[b].item(), cues[b].item()
        for t in range(length):
            inputs[b, t, symbols[b, t]] = 1
        inputs[b, cue, -1] = 1
        targets.append(symbols[b, cue])
        lags.append(length - cue - 1)
    return inputs, torch.stack(targets), torch.tensor(lags)


@recall_batch.variant
def identity_rows_in_numpy(symbols, cues, lengths, V):
    symbols, cues, lengths = symbols.numpy(), cues.numpy(), lengths.numpy()
    steps = np.arange(symbols.shape[1])[None, :]
    real = steps < lengths[:, None]
    inputs = np.eye(V + 1, dtype=np.float32)[symbols] * real[..., None]
    inputs[..., V] = steps == cues[:, None]
    return inputs, symbols[np.arange(len(symbols)), cues].astype(np.int32), lengths - cues - 1


@recall_batch.variant
def true_and_false(symbols, cues, lengths, V):
    steps = torch.arange(symbols.shape[1])
    one_hot = symbols.unsqueeze(-1) == torch.arange(V)
    cued = (steps == cues.unsqueeze(-1)).unsqueeze(-1)
    inputs = torch.cat([one_hot, cued], dim=-1) & (steps < lengths.unsqueeze(-1)).unsqueeze(-1)
    return inputs, symbols.gather(1, cues[:, None]).squeeze(1), (lengths - 1 - cues).float()


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((10, 50, 0.05, 0.001), (15, 65, 0.03, 0.0006), (30, 90, 0.02, 0.001), (40, 100, 0.01, 0.0005))
def lag_of_a_millionth(near=20, far=60, begin=0.02, end=0.0005):
    ratio, gap = round(begin / end), far - near
    factor = ratio ** (-1 / gap)

    def more(length, factor):
        """The steps from a length to a millionth."""
        return math.log(1e-6 / length) / math.log(factor)

    after = round(more(end, factor), 1)
    right = round(far + more(end, factor), 1)
    rounded = far + more(end, round(factor, 2))
    return Question(
        "lag_of_a_millionth",
        right,
        f"From lag {near} to lag {far} the length falls to a {ordinal(ratio)}: the factor is "
        f"(1/{ratio})^(1/{gap}) = {factor:.3f} a step. From {end:g} to 0.000001 it falls to a "
        f"{round(end / 1e-6)}th, which takes ln(1/{round(end / 1e-6)}) / ln({factor:.3f}) = {after:g} "
        "more steps "
        f"after {far}.",
        tolerance=round(abs(rounded - right) + 0.1, 1),  # for who rounds the factor to two digits
        replies={
            round(
                more(1, factor), 1
            ): "That is the horizon of the factor alone, from a length of 1; the line starts lower.",
            after: f"These are the steps after lag {far}; asked for is the lag.",
            round(
                near + more(end, factor), 1
            ): f"You counted on from lag {near}; {after:g} steps are what is missing after lag {far}.",
            round(
                more(1, end ** (1 / far)), 1
            ): f"Your line goes through 1 at lag 0; the first {near} lags do not lie on the line.",
            round(
                more(1, begin ** (1 / near)), 1
            ): f"You took lag 0 and lag {near} alone, where the lengths are not on the line yet.",
            round(
                far + (end - 1e-6) * gap / (begin - end), 1
            ): "You subtracted the same amount at every step; a gradient loses the same share.",
        },
        numbers={"near": near, "far": far, "begin": begin, "end": end},
    )


bank.question(
    "beyond_the_bound",
    "d",
    "A step multiplies by at most sigma_1 = 0.95, whatever the slopes and directions. So after 270 steps "
    "less than a millionth is left of any gradient: ln(1e-6) / ln(0.95) = 269.3.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "Quiet inputs bring the slopes to 1 at best; the matrix still multiplies by 0.95 at most.",
        "b": "The most stretched direction is multiplied by sigma_1 = 0.95 at most, and 0.95^300 is 2e-7.",
        "c": "Both together reach the bound at best, and the bound is 269 steps.",
    },
)

bank.written(
    "horizon_argument",
    "0.5: the bound: sigma_1 = 1.3 allows growth and promises none; the slopes and the other singular values "
    "make the measured factor 0.7, so the gradient vanishes and clipping, which only shortens, is no cure. "
    "0.5: the numbers: horizon ln(1e-6) / ln(0.7) = 39 steps, and 0.7^59 = 7e-10 is left at the first symbol "
    "of 60; the standing loss is what one expects (any horizon near 39 and a share below 1e-8 will do). "
    "0.5: the stack: each path has L - 1 more factors, and binomial(62, 3) = 37,820 paths grow like a power "
    "of T while the factor falls exponentially; the sum lasts somewhat longer, the factor a step stays. "
    "0.5: a remedy for the cause with its measure: bring the factor nearer 1 (quieter inputs, orthogonal "
    "start with a larger scale, in the end a unit that adds, i.e. gates) and fit it again before training; "
    "or shorten the distance. A larger learning rate or batch earns nothing.",
)
