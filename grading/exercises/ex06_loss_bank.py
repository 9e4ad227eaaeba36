"""The third part of the bank of exercise 06: a loss on the real steps; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex06 as reference
from grading.bank import Case
from grading.exercises.ex06_deltas_bank import EDGE, different_sizes, easy, normal, scattered, single
from grading.exercises.ex06_gradients_bank import bank

# masked_loss ----------------------------------------------------------------------------------------

masked_loss = bank.function(
    "masked_loss",
    reference.masked_loss,
    terms={
        "error": "the half squared error, its mean over the steps, and the gradient of both",
        "mask": "the mask: which steps count, and how many they are",
    },
)

BOTH = ("error", "mask")


def lengths_mask(lengths, T):
    """1 for the real steps of each row, 0 for its padding."""
    return (torch.arange(T) < torch.tensor(lengths)[:, None]).double()


def hit(title, y, targets, mask, **options):
    """A case in which y is right at every real step, and at padding anything."""
    return Case(
        title, torch.where(mask.bool()[..., None], targets, y), targets, mask, terms=("mask",), **options
    )


@masked_loss.visible
def _():
    y, targets = torch.tensor([[[1.0], [2]], [[3], [9]]]), torch.tensor([[[0.0], [0]], [[1], [2]]])
    yield Case("four steps by hand", y, targets, torch.tensor([[1.0, 1], [1, 0]]), terms=BOTH)
    rng = np.random.default_rng(26)
    y, targets = easy(normal(rng, 3, 5, 2), normal(rng, 3, 5, 2))
    yield Case("padded rows, in float64", y, targets, lengths_mask([4, 5, 1], 5), terms=BOTH)
    y, targets = single(y, targets)
    last = torch.zeros(3, 5, dtype=torch.bool)
    last[:, -1] = True
    yield Case("the last step only, truth values", y, targets, last, terms=BOTH)
    yield Case("every step is real", y, targets, torch.ones(3, 5), terms=("error",))
    yield hit("every real step hit exactly", y, targets, lengths_mask([4, 5, 1], 5).float())
    yield Case("no step is real", y, targets, torch.zeros(3, 5))


@masked_loss.hidden
def _(rng):
    def drawn(B, T, K):
        return normal(rng, B, T, K, scale=2.0), normal(rng, B, T, K)

    B, T, K = different_sizes(rng, 2, 3, 4)
    yield Case("every step is real", *drawn(B, T, K), torch.ones(B, T).double(), terms=("error",))
    lengths = rng.permutation([1, 3, 6, 4]).tolist()
    yield Case("padding after each row", *drawn(4, 6, 3), lengths_mask(lengths, 6), terms=BOTH)
    y, targets = drawn(3, 4, 2)
    y, targets = (
        torch.cat([y, y.new_full((3, 9, 2), 50.0)], 1),
        torch.cat([targets, targets.new_zeros(3, 9, 2)], 1),
    )
    yield Case("much more padding than text", y, targets, lengths_mask([4, 2, 3], 13), terms=BOTH)
    last = torch.zeros(B, 5)
    last[:, -1] = 1.0
    yield Case("the last step only, in float32", *single(*drawn(B, 5, K)), last, terms=BOTH)
    holes = torch.from_numpy(rng.permutation(np.arange(15) < 7).reshape(3, 5))
    holes[0, :2], holes[1, 0] = torch.tensor([True, False]), True
    yield Case("any steps, a mask of truth values", *drawn(3, 5, 2), holes, terms=BOTH)
    yield Case("a row without a real step", *drawn(3, 4, 2), lengths_mask([2, 0, 4], 4), terms=BOTH)
    yield Case("not contiguous", *map(scattered, (*drawn(2, 5, 3), lengths_mask([5, 2], 5))), terms=BOTH)
    y, targets = drawn(1, 1, 1)
    y = targets + rng.uniform(1, 3)  # a small difference would be lost in float32
    yield Case("one row, one step, one output", y, targets, torch.ones(1, 1).double(), weight=EDGE)
    yield hit("every real step hit exactly", *drawn(3, 4, 2), lengths_mask([3, 1, 4], 4), weight=EDGE)
    yield Case("no step is real", *drawn(2, 3, 4), torch.zeros(2, 3).double(), weight=EDGE)


def ratio(value, count):
    """A quotient that is 0 without a real step, which most wrong ideas get right."""
    return value / max(float(count), 1.0)


def masked_error(y, targets, mask):
    return mask.to(y.dtype)[:, :, None] * (y - targets)


def half_square(error):
    return (error**2).sum() / 2


def by_count(error, count):
    """Loss and gradient for sums that are divided by ``count``."""
    return ratio(half_square(error), count), ratio(error, count)


@masked_loss.wrong("Your mean divides by B * T, padding included; divide by the number of real steps.")
def mean_over_all_steps(y, targets, mask):
    return by_count(masked_error(y, targets, mask), mask.numel())


@masked_loss.wrong(
    "Your mean of row means gives short rows more say; divide one sum by the number of all real steps."
)
def mean_of_row_means(y, targets, mask):
    error, count = masked_error(y, targets, mask), mask.sum(dim=1).clamp(min=1)[:, None, None]
    return half_square(error / count.sqrt()) / len(y), error / count / len(y)


@masked_loss.wrong("Your loss is summed over the steps but never divided; a mean divides by the real steps.")
def sum_for_mean(y, targets, mask):
    return by_count(masked_error(y, targets, mask), 1)


@masked_loss.wrong(
    "Your mask is never used; padded steps must add nothing, neither to the sum nor to the count."
)
def ignores_the_mask(y, targets, mask):
    return by_count(y - targets, mask.numel())


@masked_loss.wrong(
    "Your sum still holds the padded steps, only the count leaves them out; mask the errors too."
)
def masks_the_count_only(y, targets, mask):
    return by_count(y - targets, mask.sum())


@masked_loss.wrong(
    "Your mask comes after the mean, when padding is already in it; mask each step, then divide."
)
def masks_after_the_mean(y, targets, mask):
    loss = half_square(y - targets) / mask.numel()
    return loss * mask.to(y.dtype).mean(), masked_error(y, targets, mask) / mask.numel()


@masked_loss.wrong("Your mask is read upside down; here 1 marks a real step and 0 marks padding.")
def marks_padding(y, targets, mask):
    return reference.masked_loss(y, targets, ~mask.bool())


@masked_loss.wrong(
    "Your mask multiplies y alone, so at padding the error is the target; mask the difference."
)
def masks_the_outputs_only(y, targets, mask):
    return by_count(mask.to(y.dtype)[:, :, None] * y - targets, mask.sum())


@masked_loss.wrong(
    "Your real steps are taken to be the first ones of each row; the mask says which they are."
)
def first_steps_are_real(y, targets, mask):
    return reference.masked_loss(y, targets, lengths_mask(mask.sum(dim=1).tolist(), mask.shape[1]))


@masked_loss.wrong("Your mean runs over the K outputs too; sum over them and divide by the number of steps.")
def mean_over_the_outputs(y, targets, mask):
    return by_count(masked_error(y, targets, mask), mask.sum() * y.shape[2])


@masked_loss.wrong("Your loss lacks the factor 1/2, and your gradient has a 2; it is half the squared error.")
def without_the_half(y, targets, mask):
    loss, gradient = reference.masked_loss(y, targets, mask)
    return 2 * loss, 2 * gradient


@masked_loss.wrong(
    "Your gradient is that of the sum; the loss is a mean, so divide its gradient by the count too."
)
def gradient_of_the_sum(y, targets, mask):
    return reference.masked_loss(y, targets, mask)[0], masked_error(y, targets, mask)


@masked_loss.wrong(
    "Your gradient is not zero at padding; the loss does not depend on y there, so mask it too."
)
def gradient_at_padding(y, targets, mask):
    return reference.masked_loss(y, targets, mask)[0], ratio(y - targets, mask.sum())


@masked_loss.wrong("Your mean divides 0 by 0 when no step is real; return a loss of 0 and zeros there.")
def nothing_over_nothing(y, targets, mask):
    error = masked_error(y, targets, mask)
    return half_square(error) / mask.sum(), error / mask.sum()


@masked_loss.fault("error")
def error_without_the_square(y, targets, mask):
    error = masked_error(y, targets, mask)
    return ratio(error.abs().sum(), mask.sum()), ratio(error.sign(), mask.sum())


@masked_loss.fault("mask")
def padding_counts_a_tenth(y, targets, mask):
    return reference.masked_loss(y, targets, 0.1 + 0.9 * mask.to(y.dtype))


@masked_loss.variant
def selected_by_index(y, targets, mask):
    real, gradient = mask.bool(), torch.zeros_like(y)
    if not real.any():
        return 0.0, gradient
    difference = y[real] - targets[real]
    gradient[real] = difference / len(difference)
    return 0.5 * difference.pow(2).sum(dim=-1).mean(), gradient


@masked_loss.variant
def loss_by_autograd(y, targets, mask):
    y = y.clone().requires_grad_()
    squares = torch.nn.functional.mse_loss(y, targets, reduction="none").sum(dim=2)
    loss = (squares * mask).sum() / (2 * max(int(mask.sum()), 1))
    loss.backward()
    return loss, y.grad


@masked_loss.variant
def loops_over_rows_and_steps(y, targets, mask):
    B, T, K = y.shape
    steps = [(i, t) for i in range(B) for t in range(T) if mask[i, t]]
    total, gradient = 0.0, np.zeros((B, T, K))
    for i, t in steps:
        for j in range(K):
            difference = float(y[i, t, j]) - float(targets[i, t, j])
            total += difference**2 / 2 / len(steps)
            gradient[i, t, j] = difference / len(steps)
    return total, gradient


@masked_loss.variant
def loss_in_numpy_and_float32(y, targets, mask):
    y, targets, mask = (np.asarray(a.numpy(), dtype=np.float32) for a in (y, targets, mask))
    weight = mask / max(mask.sum(), np.float32(1))
    error = weight[..., None] * (y - targets)
    return np.float32(0.5) * (error * (y - targets)).sum(), error
