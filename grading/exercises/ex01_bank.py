"""The bank of exercise 01, sequences; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import itertools
import math

import numpy as np

from course_utils.reference import ex01 as reference
from grading.bank import Bank, Case, Question
from grading.term import words

bank = Bank("ex01")

EDGE = 0.25  # the weight of a fresh case that many a wrong idea answers too


# concat_weights -------------------------------------------------------------------------------------

concat_weights = bank.function("concat_weights", reference.concat_weights)


@concat_weights.visible
def _():
    yield Case("the worked example", 3, 2, [4, 1])
    yield Case("a long row, three layers", 100, 300, [512, 64, 4])
    yield Case("one layer alone", 10, 5, [7])


@concat_weights.hidden
def _(rng):
    def widths(layers):
        return rng.choice(np.arange(5, 40), size=layers, replace=False).tolist()

    def sizes():
        return int(rng.integers(5, 40)), int(rng.integers(41, 60))

    yield Case("two layers", *sizes(), widths(2))
    yield Case("three layers", *sizes(), widths(3))
    yield Case("four layers", *sizes(), widths(4))
    yield Case("one layer", *sizes(), widths(1))
    yield Case("one number a step", int(rng.integers(5, 40)), 1, widths(2))
    yield Case("one step", 1, int(rng.integers(41, 60)), widths(2), weight=EDGE)


def layers(inputs, widths, bias=1):
    """Weights and biases of a chain of full layers."""
    return sum((wide + bias) * narrow for wide, narrow in itertools.pairwise([inputs, *widths]))


@concat_weights.wrong("Your counts leave out the biases; each unit has one of its own.")
def no_biases(T, d, widths):
    return layers(T * d, widths, 0), layers(d, widths, 0)


@concat_weights.wrong("Your count stops after the first layer; the layers above have weights too.")
def first_layer_only(T, d, widths):
    return layers(T * d, widths[:1]), layers(d, widths[:1])


@concat_weights.wrong("Your first layer reads T + d numbers; T vectors of d numbers are T times d.")
def sizes_added(T, d, widths):
    return layers(T + d, widths), layers(d, widths)


@concat_weights.wrong("Your concatenation repeats the biases at each step; a unit has one bias in all.")
def bias_at_each_step(T, d, widths):
    return layers(T * d, widths) + (T - 1) * widths[0], layers(d, widths)


@concat_weights.wrong("Your shared count divides the whole network by T; only the first block is shared.")
def everything_shared(T, d, widths):
    whole = layers(T * d, widths)
    return whole, whole / T


@concat_weights.wrong("Your T multiplies every layer; the layers above read one vector, whatever T.")
def every_layer_repeated(T, d, widths):
    return T * layers(d, widths, 0) + sum(widths), layers(d, widths)


@concat_weights.wrong("Your two counts are in the other order; return the concatenated network first.")
def counts_swapped(T, d, widths):
    return layers(d, widths), layers(T * d, widths)


@concat_weights.variant
def counted_on_arrays(T, d, widths):
    shapes = [(T * d, widths[0]), *itertools.pairwise(widths)]
    whole = sum(np.empty(shape).size + np.empty(shape[1]).size for shape in shapes)
    return [whole, whole - (T - 1) * d * widths[0]]


@concat_weights.variant
def counted_by_products(T, d, widths):
    below, narrow = np.array([T * d, *widths[:-1]]), np.array(widths)
    return np.array([(below + 1) @ narrow, (below + 1) @ narrow - (T - 1) * d * narrow[0]])


# receptive_field ------------------------------------------------------------------------------------

receptive_field = bank.function("receptive_field", reference.receptive_field)


@receptive_field.visible
def _():
    yield Case("the worked example", [2, 2], [1, 3])
    yield Case("ten layers of three taps", 10 * [3], 10 * [1])
    yield Case("doubled dilations", [2, 2, 2, 2], [1, 2, 4, 8])
    yield Case("holes", [3, 3], [4, 4])
    yield Case("taps that differ", [2, 4], [1, 3])
    yield Case("no layer at all", [], [])


@receptive_field.hidden
def _(rng):
    yield Case("taps that differ", [2, 5, 3, 4], rng.integers(2, 4, size=4).tolist())
    yield Case("even lags only", [3, 2, 4], (2 * rng.permutation([1, 2, 4])).tolist())
    yield Case("wide gaps", [2, 3, 3], rng.permutation([9, 5, 3]).tolist())
    yield Case("far apart", [3, 2, 3], [int(rng.integers(5, 9)), 2, int(rng.integers(20, 30))])
    yield Case("one layer", [int(rng.integers(3, 7))], [int(rng.integers(3, 9))])
    yield Case("tripled dilations", rng.permutation([2, 3, 4]).tolist(), [1, 3, 9])
    yield Case("one tap a layer", [1, 1, 1], rng.integers(2, 9, size=3).tolist(), weight=EDGE)


def stacked(k, dilations):
    """The ages that a stack sees."""
    ages = {0}
    for taps, dilation in zip(k, dilations, strict=True):
        ages = {age + i * dilation for age in ages for i in range(taps)}
    return ages


@receptive_field.wrong("Your stack ignores the dilations; k taps reach (k - 1) times the dilation back.")
def dilation_ignored(k, dilations):
    return reference.receptive_field(k, [1] * len(k))


@receptive_field.wrong("Your reach counts k gaps a layer; between k taps there are k - 1.")
def taps_for_gaps(k, dilations):
    reach = 1 + sum(taps * dilation for taps, dilation in zip(k, dilations, strict=True))
    return reach, len(stacked(k, dilations))


@receptive_field.wrong("Your reach leaves out the newest step; add 1 to the age of the oldest.")
def newest_forgotten(k, dilations):
    reach, seen = reference.receptive_field(k, dilations)
    return reach - 1, seen


@receptive_field.wrong("Your reach adds up the layers' own fields; two layers share a step, so add gaps.")
def fields_added(k, dilations):
    fields = [1 + (taps - 1) * dilation for taps, dilation in zip(k, dilations, strict=True)]
    return sum(fields), len(stacked(k, dilations))


@receptive_field.wrong("Your reach is that of the widest layer; every layer adds its own gaps to it.")
def widest_layer(k, dilations):
    fields = [1 + (taps - 1) * dilation for taps, dilation in zip(k, dilations, strict=True)]
    return max(fields, default=1), len(stacked(k, dilations))


@receptive_field.wrong("Your reach multiplies where layers add: sum (k - 1) times the dilation over layers.")
def fields_multiplied(k, dilations):
    reach = np.prod([1 + (taps - 1) * dilation for taps, dilation in zip(k, dilations, strict=True)])
    return reach, len(stacked(k, dilations))


@receptive_field.wrong("Your layers all have the taps of the first; layer l has its own k[l].")
def first_taps_for_all(k, dilations):
    return reference.receptive_field(k[:1] * len(k), dilations)


@receptive_field.wrong(
    "Your second number equals the reach; with wide gaps some steps in reach are never read."
)
def no_holes(k, dilations):
    reach, _ = reference.receptive_field(k, dilations)
    return reach, reach


@receptive_field.wrong("Your second number counts the paths; steps that two paths share count once.")
def paths_counted(k, dilations):
    reach, _ = reference.receptive_field(k, dilations)
    return reach, np.prod(k)


@receptive_field.wrong("Your second number looks at the first layer alone; follow the gaps of every layer.")
def holes_of_one_layer(k, dilations):
    reach, _ = reference.receptive_field(k, dilations)
    return reach, 1 + (reach - 1) // (dilations[0] if dilations else 1)


@receptive_field.variant
def by_convolving_ones(k, dilations):
    paths = np.ones(1)
    for taps, dilation in zip(k, dilations, strict=True):
        kernel = np.zeros(1 + (taps - 1) * dilation)
        kernel[::dilation] = 1
        paths = np.convolve(paths, kernel)
    return len(paths), np.count_nonzero(paths)


@receptive_field.variant
def by_every_path(k, dilations):
    steps = [[i * dilation for i in range(taps)] for taps, dilation in zip(k, dilations, strict=True)]
    ages = {sum(path) for path in itertools.product(*steps)}
    return np.array([max(ages) + 1, len(ages)])


@receptive_field.variant
def reach_by_the_formula(k, dilations):
    reach = 1 + sum((taps - 1) * dilation for taps, dilation in zip(k, dilations, strict=True))
    moved = np.zeros(reach, dtype=bool)
    moved[list(stacked(k, dilations))] = True
    return [float(reach), float(moved.sum())]


# causal_conv1d --------------------------------------------------------------------------------------

causal_conv1d = bank.function("causal_conv1d", reference.causal_conv1d)


@causal_conv1d.visible
def _():
    yield Case("the worked example", [[[1], [0], [2], [0]]], [[[5, 3]]], [1], 2)
    x = np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]], [[2.0, 0.0], [1.0, 1.0], [-2.0, 4.0]]])
    W = np.array([[[1.0, 0.5], [0.0, -1.0]], [[0.2, 0.0], [1.0, 2.0]], [[0.0, 3.0], [-1.0, 0.1]]])
    yield Case("two rows, two numbers a step, three channels", x, W)
    yield Case("with a bias", x, W, np.array([1.0, -2.0, 0.5]))
    yield Case("taps that reach back too far", x[:, :2], W, np.zeros(3), 4)
    yield Case("no steps at all", np.zeros((2, 0, 2)), W)


@causal_conv1d.hidden
def _(rng):
    def sizes(B, T, d, C, k):
        return rng.normal(size=(B, T, d)), rng.normal(size=(C, d, k)), rng.uniform(0.5, 2.0, size=C)

    x, W, _ = sizes(3, int(rng.integers(7, 10)), 2, 4, 3)
    yield Case("without a bias", x, W)
    yield Case("three taps", *sizes(2, int(rng.integers(7, 10)), 4, 3, 3))
    yield Case("a dilation of two", *sizes(2, int(rng.integers(9, 12)), 3, 2, 3), 2)
    yield Case("a dilation of three", *sizes(1, int(rng.integers(10, 13)), 2, 4, 4), 3)
    yield Case("a row shorter than its reach", *sizes(3, 5, 2, 4, 3), 3)
    yield Case("one row, one number a step, one channel", *sizes(1, 12, 1, 1, 5))
    yield Case("one step", *sizes(2, 1, 3, 4, 3), weight=EDGE)
    whole = rng.integers(1, 9, size=(2, 6, 3)).tolist()
    yield Case("whole numbers in lists", whole, rng.integers(1, 9, size=(4, 3, 2)).tolist(), [1, 2, 3, 4])


def convolved(x, W, b, lags, pick=lambda x, lag: _shifted(x, lag)):
    """A convolution with freely chosen lags: what most wrong ideas have in common."""
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    y = sum(pick(x, lag) @ W[:, :, i].T for i, lag in enumerate(lags))
    return y if b is None else y + np.asarray(b, dtype=float)


def _shifted(x, lag):
    """The inputs ``lag`` steps ago (a negative lag: to come), zero outside the row."""
    T = x.shape[1]
    steps = np.arange(T) - lag
    inside = (steps >= 0) & (steps < T)
    return np.where(inside[:, None], x[:, np.clip(steps, 0, max(T - 1, 0))], 0.0)


def taps_of(W):
    return np.arange(np.shape(W)[2])


@causal_conv1d.wrong("Your output looks one step ahead; the first tap belongs to x_t itself.")
def one_step_ahead(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W) * dilation - 1)


@causal_conv1d.wrong("Your window is centred on t and so reads inputs to come; let it end at t.")
def centred(x, W, b=None, dilation=1):
    return convolved(x, W, b, (taps_of(W) - len(taps_of(W)) // 2) * dilation)


@causal_conv1d.wrong("Your window begins at t and runs into the future; tap i belongs to x_(t - i).")
def all_to_come(x, W, b=None, dilation=1):
    return convolved(x, W, b, -taps_of(W) * dilation)


@causal_conv1d.wrong("Your taps are in reverse order; W[:, :, 0] weighs the newest input.")
def oldest_first(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W)[::-1] * dilation)


@causal_conv1d.wrong("Your output comes one step late; the newest tap weighs x_t, not x_(t - 1).")
def one_step_late(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W) * dilation + 1)


@causal_conv1d.wrong("Your taps stand side by side; put dilation steps between them.")
def dilation_left_out(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W))


@causal_conv1d.wrong("Your dilation leaves out that many steps between taps; it is the distance itself.")
def dilation_as_gap(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W) * (dilation + 1))


@causal_conv1d.wrong("Your output has no bias; add b at every step.")
def no_bias(x, W, b=None, dilation=1):
    return convolved(x, W, None, taps_of(W) * dilation)


@causal_conv1d.wrong("Your bias enters once for every tap; add it once a step.")
def bias_for_each_tap(x, W, b=None, dilation=1):
    return convolved(x, W, None if b is None else len(taps_of(W)) * np.asarray(b), taps_of(W) * dilation)


@causal_conv1d.wrong("Your first outputs read the end of the row; inputs before the first are zero.")
def circular(x, W, b=None, dilation=1):
    return convolved(x, W, b, taps_of(W) * dilation, lambda x, lag: np.roll(x, lag, axis=1))


@causal_conv1d.wrong("Your padding repeats the first input; inputs before the first are zero.")
def first_input_repeated(x, W, b=None, dilation=1):
    def pick(x, lag):
        return x[:, np.clip(np.arange(x.shape[1]) - lag, 0, None)]

    return convolved(x, W, b, taps_of(W) * dilation, pick)


@causal_conv1d.wrong("Your output begins where the window first fits; keep all T steps, zeros before them.")
def full_windows_only(x, W, b=None, dilation=1):
    return reference.causal_conv1d(x, W, b, dilation)[:, (len(taps_of(W)) - 1) * dilation :]


@causal_conv1d.wrong("Your output has channels before steps; return (B, T, C).")
def channels_first(x, W, b=None, dilation=1):
    return reference.causal_conv1d(x, W, b, dilation).transpose(0, 2, 1)


@causal_conv1d.variant
def one_einsum_over_windows(x, W, b=None, dilation=1):
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    B, T, d = x.shape
    reach = (W.shape[2] - 1) * dilation
    padded = np.concatenate([np.zeros((B, reach, d)), x], axis=1)
    places = reach + np.arange(T)[:, None] - dilation * np.arange(W.shape[2])  # (T, k)
    return np.einsum("btkd,cdk->btc", padded[:, places], W) + (0 if b is None else np.asarray(b))


@causal_conv1d.variant
def loops_over_everything(x, W, b=None, dilation=1):
    x, W = np.asarray(x), np.asarray(W)
    y = np.zeros((*x.shape[:2], len(W)))
    for r, t, c in np.ndindex(*y.shape):
        y[r, t, c] = 0 if b is None else b[c]
        for i in range(W.shape[2]):
            if t - i * dilation >= 0:
                y[r, t, c] += x[r, t - i * dilation] @ W[c, :, i]
    return y


@causal_conv1d.variant
def convolution_in_float32(x, W, b=None, dilation=1):
    x, W = np.asarray(x, dtype=np.float32), np.asarray(W, dtype=np.float32)
    y = sum(_shifted(x, i * dilation).astype(np.float32) @ W[:, :, i].T for i in range(W.shape[2]))
    return y if b is None else y + np.float32(b)


@causal_conv1d.variant
def convolution_in_torch(x, W, b=None, dilation=1):
    import torch

    x, W = torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(W, dtype=torch.float32)
    b = None if b is None else torch.as_tensor(b, dtype=torch.float32)
    reach = (W.shape[2] - 1) * dilation
    padded = torch.nn.functional.pad(x.transpose(1, 2), (reach, 0))
    if not x.shape[1]:
        return torch.zeros(len(x), 0, len(W))
    return torch.nn.functional.conv1d(padded, W.flip(2), b, dilation=dilation).transpose(1, 2)


# running_statistics ---------------------------------------------------------------------------------

running_statistics = bank.function("running_statistics", reference.running_statistics)


@running_statistics.visible
def _():
    yield Case("the worked example", [[4, 2, 6]], [3])
    x = np.array([[-3.0, -1.0, -2.0, 0.0], [2.0, 5.0, 1.0, 4.0]])
    yield Case("two full rows", x, [4, 4])
    yield Case("padding behind the second step", x, [4, 2])
    yield Case("one step", [[-2.5]], [1])


@running_statistics.hidden
def _(rng):
    def rows(B, T, mean=0.0):
        return rng.normal(mean, 2.0, size=(B, T))

    yield Case("full rows", rows(3, 7), np.full(3, 7))
    yield Case("unequal lengths", rows(4, 8), np.array([8, 3, 1, 6]))
    yield Case("negative values, padded with zeros", _padded(-rng.uniform(1, 3, size=(2, 6)), [4, 6]), [4, 6])
    yield Case("far from zero", rows(2, 6, 20.0), np.array([6, 4]))
    yield Case("one row", rows(1, 12), np.array([9]))
    yield Case("single steps", rows(3, 1), np.ones(3, dtype=int), weight=EDGE)
    whole = rng.permutation(np.arange(-9, 9))[:10].reshape(2, 5).tolist()
    yield Case("whole numbers in lists", whole, [5, 3])


def _padded(x, lengths):
    return np.where(np.arange(x.shape[1]) < np.asarray(lengths)[:, None], x, 0.0)


def so_far(x, lengths, statistic):
    """A statistic of the real steps so far, at every step of every row."""
    x = np.asarray(x, dtype=float)
    return np.array(
        [
            [statistic(row[: min(t + 1, n)]) for t in range(x.shape[1])]
            for row, n in zip(x, lengths, strict=True)
        ]
    )


@running_statistics.wrong("Your padding counts as data; keep all three numbers behind the last real step.")
def padding_counted(x, lengths):
    return reference.running_statistics(x, np.full(len(x), np.shape(x)[1]))


@running_statistics.wrong("Your values behind the last step are zero; hold the last ones.")
def zero_behind_the_end(x, lengths):
    real = np.arange(np.shape(x)[1]) < np.asarray(lengths)[:, None]
    return tuple(np.where(real, part, 0.0) for part in reference.running_statistics(x, lengths))


@running_statistics.wrong("Your maximum starts at zero, so negative rows never show; start below everything.")
def maximum_from_zero(x, lengths):
    means, variances, maxima = reference.running_statistics(x, lengths)
    return means, variances, np.maximum(maxima, 0)


@running_statistics.wrong("Your mean divides by T at every step; divide by the steps read so far.")
def divides_by_all_steps(x, lengths):
    means, variances, maxima = reference.running_statistics(x, lengths)
    counts = np.minimum(np.arange(np.shape(x)[1]) + 1, np.asarray(lengths)[:, None])
    return means * counts / np.asarray(lengths)[:, None], variances, maxima


@running_statistics.wrong("Your mean is a sum; divide it by the number of steps read so far.")
def sum_for_mean(x, lengths):
    _means, variances, maxima = reference.running_statistics(x, lengths)
    return so_far(x, lengths, np.sum), variances, maxima


@running_statistics.wrong("Your mean is (old mean + input) / 2; the weight of the t-th input is 1 / t.")
def mean_of_two(x, lengths):
    def halved(row):
        h = row[0]
        for value in row[1:]:
            h = (h + value) / 2
        return h

    _means, variances, maxima = reference.running_statistics(x, lengths)
    return so_far(x, lengths, halved), variances, maxima


@running_statistics.wrong("Your variance divides by t - 1; here it is the plain mean of squares, over t.")
def sample_variance(x, lengths):
    means, _variances, maxima = reference.running_statistics(x, lengths)
    return means, so_far(x, lengths, lambda row: row.var() * len(row) / max(len(row) - 1, 1)), maxima


@running_statistics.wrong("Your second number is the standard deviation; return its square, the variance.")
def deviation_for_variance(x, lengths):
    means, variances, maxima = reference.running_statistics(x, lengths)
    return means, np.sqrt(variances), maxima


@running_statistics.wrong("Your variance is the mean of the squares; subtract the square of the mean.")
def squares_for_variance(x, lengths):
    means, variances, maxima = reference.running_statistics(x, lengths)
    return means, variances + means**2, maxima


@running_statistics.wrong("Your variance adds (x_t - new mean)^2; multiply old and new distance instead.")
def new_distance_twice(x, lengths):
    def squares(row):
        means = np.cumsum(row) / np.arange(1, len(row) + 1)
        return np.mean((row - means) ** 2)

    means, _variances, maxima = reference.running_statistics(x, lengths)
    return means, so_far(x, lengths, squares), maxima


@running_statistics.wrong(
    "Your numbers are those of the whole row at every step; at step t only t inputs are known."
)
def whole_row_at_once(x, lengths):
    return tuple(
        np.repeat(part[:, -1:], part.shape[1], axis=1) for part in reference.running_statistics(x, lengths)
    )


@running_statistics.wrong("Your result holds the last step only; return the three numbers of every step.")
def last_step_only(x, lengths):
    return tuple(part[:, -1] for part in reference.running_statistics(x, lengths))


@running_statistics.wrong("Your second row goes on where the first ended; each row starts afresh.")
def rows_run_together(x, lengths):
    x = np.asarray(x, dtype=float)
    rows, before = [], []
    for row, n in zip(x, lengths, strict=True):
        known = [np.array([*before, *row[: min(t + 1, n)]]) for t in range(len(row))]
        rows.append([(part.mean(), part.var(), part.max()) for part in known])
        before += list(row[:n])
    return tuple(np.array(rows).transpose(2, 0, 1))


@running_statistics.variant
def by_numpy_on_prefixes(x, lengths):
    return so_far(x, lengths, np.mean), so_far(x, lengths, np.var), so_far(x, lengths, np.max)


@running_statistics.variant
def by_cumulative_sums(x, lengths):
    x = np.asarray(x, dtype=float)
    counts = np.arange(1, x.shape[1] + 1)
    means, squares = np.cumsum(x, axis=1) / counts, np.cumsum(x**2, axis=1) / counts
    parts = means, squares - means**2, np.maximum.accumulate(x, axis=1)
    last = np.minimum(np.arange(x.shape[1]), np.asarray(lengths)[:, None] - 1)
    return [np.take_along_axis(part, last, axis=1) for part in parts]


@running_statistics.variant
def lists_and_loops(x, lengths):
    answers = ([], [], [])
    for row, n in zip(x, lengths, strict=True):
        for answer in answers:
            answer.append([])
        for t in range(len(row)):
            known = [float(value) for value in row[: min(t + 1, n)]]
            mean = sum(known) / len(known)
            answers[0][-1].append(mean)
            answers[1][-1].append(sum((value - mean) ** 2 for value in known) / len(known))
            answers[2][-1].append(max(known))
    return answers


@running_statistics.variant
def statistics_in_float32(x, lengths):
    x = np.asarray(x, dtype=np.float32)
    return tuple(so_far(x, lengths, f).astype(np.float32) for f in (np.mean, np.var, np.max))


# order_sensitivity ----------------------------------------------------------------------------------

order_sensitivity = bank.function("order_sensitivity", reference.order_sensitivity)


@order_sensitivity.visible
def _():
    yield Case("the worked example", [[[1], [2], [4]]], [[1], [0], [3]], [[2, 1, 0], [1, 2, 0]])
    x = np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]], [[2.0, 0.0], [1.0, 1.0], [-2.0, 4.0]]])
    W = np.array([[1.0, -0.5], [0.0, -1.0], [1.0, 1.5]])  # changes of either sign
    yield Case("two rows, two numbers a step", x, W, np.array([[1, 2, 0], [0, 2, 1], [2, 1, 0]]))
    yield Case("the same weights at every step", x, np.ones((3, 2)), np.array([[1, 2, 0], [2, 1, 0]]))


@order_sensitivity.hidden
def _(rng):
    def sizes(B, T, d, S):
        cycles = [np.roll(rng.permutation(T), 1) for _ in range(S)]
        cycles[0] = np.roll(np.arange(T), 2)  # not its own inverse
        return rng.normal(size=(B, T, d)), rng.normal(size=(T, d)), np.array(cycles)

    yield Case("several orders", *sizes(3, 6, 2, 5))
    yield Case("one order", *sizes(2, 7, 3, 1))
    yield Case("one number a step", *sizes(4, 5, 1, 3))
    yield Case("one row", *sizes(1, 9, 2, 6))
    x, W = rng.integers(1, 9, size=(3, 5, 4)), np.tile(rng.integers(1, 9, size=4), (5, 1))
    yield Case("the same weights at every step", x, W, sizes(3, 5, 4, 3)[2], weight=EDGE)  # exactly 0
    x, W, orders = (rng.integers(1, 9, size=(2, 5, 3)), rng.integers(1, 9, size=(5, 3)), sizes(2, 5, 3, 4)[2])
    yield Case("whole numbers in lists", x.tolist(), W.tolist(), orders.tolist())


def changes(x, W, orders):
    """Change of the score under each order, (S, B)."""
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    own = np.tensordot(x, W, axes=2)
    return np.array([np.tensordot(x[:, order], W, axes=2) - own for order in orders])


@order_sensitivity.wrong("Your changes keep their sign and cancel; take their sizes before the mean.")
def signed_mean(x, W, orders):
    return changes(x, W, orders).mean(axis=0)


@order_sensitivity.wrong("Your size is taken after the mean, where changes have cancelled; take it before.")
def size_of_the_mean(x, W, orders):
    return np.abs(changes(x, W, orders).mean(axis=0))


@order_sensitivity.wrong(
    "Your weights move with the steps, so nothing can change; shuffle the steps of x alone."
)
def weights_shuffled_too(x, W, orders):
    return 0 * changes(x, W, orders).mean(axis=0)


@order_sensitivity.wrong("Your result is the largest change; return the mean over the orders.")
def largest_change(x, W, orders):
    return np.abs(changes(x, W, orders)).max(axis=0)


@order_sensitivity.wrong("Your changes are added up over the orders; divide by their number.")
def sum_of_changes(x, W, orders):
    return np.abs(changes(x, W, orders)).sum(axis=0)


@order_sensitivity.wrong("Your result is the root of the mean square; the mean size is asked for.")
def root_mean_square(x, W, orders):
    return np.sqrt((changes(x, W, orders) ** 2).mean(axis=0))


@order_sensitivity.wrong("Your mean runs over the rows too; return one number for each row.")
def mean_over_rows(x, W, orders):
    return np.abs(changes(x, W, orders)).mean()


@order_sensitivity.wrong(
    "Your shuffle is undone: x[:, order] puts step order[i] at place i, not the reverse."
)
def inverse_order(x, W, orders):
    return np.abs(changes(x, W, np.argsort(orders, axis=1))).mean(axis=0)


@order_sensitivity.wrong("Your result is the mean shuffled score; subtract the score of the row as it is.")
def shuffled_scores(x, W, orders):
    x, W = np.asarray(x, dtype=float), np.asarray(W, dtype=float)
    own = np.tensordot(x, W, axes=2)
    return np.abs(changes(x, W, orders) + own).mean(axis=0)


@order_sensitivity.wrong("Your orders build on each other; apply each one to the row as it came.")
def one_shuffle_after_another(x, W, orders):
    x, total = np.asarray(x, dtype=float), []
    chained = x
    for order in orders:
        chained = chained[:, order]
        total.append(np.abs(np.tensordot(chained - x, np.asarray(W, dtype=float), axes=2)))
    return np.mean(total, axis=0)


@order_sensitivity.variant
def shuffled_in_one_step(x, W, orders):
    x, W = np.asarray(x), np.asarray(W)
    shuffled = x[:, np.asarray(orders)]  # (B, S, T, d)
    return np.abs(np.einsum("bstd,td->bs", shuffled - x[:, None], W)).mean(axis=1)


@order_sensitivity.variant
def sensitivity_in_loops(x, W, orders):
    def score(row):
        return sum(
            float(w) * float(v)
            for steps, ws in zip(row, W, strict=True)
            for v, w in zip(steps, ws, strict=True)
        )

    return [
        sum(abs(score([row[i] for i in order]) - score(row)) for order in orders) / len(orders) for row in x
    ]


@order_sensitivity.variant
def sensitivity_in_float32(x, W, orders):
    x, W = np.asarray(x, dtype=np.float32), np.asarray(W, dtype=np.float32)
    moved = [np.abs((x[:, order] * W).sum(axis=(1, 2)) - (x * W).sum(axis=(1, 2))) for order in orders]
    return np.mean(moved, axis=0, dtype=np.float32)


@order_sensitivity.variant
def sensitivity_in_torch(x, W, orders):
    import torch

    x, W = torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(W, dtype=torch.float64)
    moved = [torch.abs(((x[:, order] - x) * W).sum(dim=(1, 2))) for order in torch.as_tensor(orders)]
    return torch.stack(moved).mean(dim=0)


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((200,), (400,), (2000,), (4000,))
def layers_for_a_second(rate=1000):
    def reach(layers):
        return 1 + 2 * (2**layers - 1)

    right = next(layers for layers in range(1, 20) if reach(layers) >= rate)
    without = math.ceil((rate - 1) / 2)
    return Question(
        "layers_for_a_second",
        right,
        f"Doubled dilations add up to 2^L - 1, so three taps reach 1 + 2 (2^L - 1) steps: "
        f"{reach(right - 1)} for "
        f"L = {right - 1} and {reach(right)} for L = {right}. The reach grows by a factor with every "
        "layer, the "
        "cost by a constant.",
        tolerance=0.01,
        replies={
            right - 1: f"{words(right - 1).capitalize()} layers reach 1 + 2 * {2 ** (right - 1) - 1} = "
            f"{reach(right - 1)} steps; one more layer doubles that.",
            right
            + 1: f"{words(right + 1).capitalize()} layers are what two taps need; three taps add two gaps "
            f"a layer, so {words(right)} reach {reach(right)} steps.",
            without: "That is the number of layers without dilation; here each layer's dilation is twice "
            "the last.",
            without
            - 1: "That is nearly the number of layers without dilation; here each dilation is twice the "
            "last.",
            math.ceil(
                rate / 3
            ): "You divided the steps by the taps; layers share steps, and here their dilations double.",
        },
        numbers={"hz": rate},
    )


bank.question(
    "shuffle_verdict",
    "c",
    "An answer that no shuffle moves is a function of the bag of steps. That says nothing about the task: "
    "where the label does not depend on order, nothing is lost.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "The test looks at what the model does, not at what the labels need: a task may need order that "
        "this model never learned to use.",
        "b": "A loop can ignore order too: a running mean is one, and no shuffle moves its last value.",
        "d": "The steps inside a row were shuffled, not the rows; how they were split plays no part.",
    },
)

bank.written(
    "reader_argument",
    "0.5: the test shows that this model uses no order, not that order is useless: a mean cannot use it (the "
    "0.3 points are rounding at the border). "
    "1.0: a reader for each kind of mistake with its reason: a window of a few words for the negation, "
    "shared over positions; a carried state, or dilations that reach beyond 40, for the far pair (0.5 each). "
    "0.5: a cost or limit of what is proposed: the window's reach is fixed, the state may forget, "
    "concatenation needs examples for each position.",
)
