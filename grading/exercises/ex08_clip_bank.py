"""The first part of the bank of exercise 08: numbers for all parts, and clipping; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np
import torch

from course_utils.reference import ex08 as reference
from grading.bank import Bank, Case

bank = Bank("ex08")

EDGE = 0.25  # the weight of a fresh case that says little about an answer


def normal(rng, *shape, scale=1.0):
    """Normal numbers in float64."""
    return torch.from_numpy(scale * rng.normal(size=shape))


def scattered(values):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    return values.transpose(0, -1).contiguous().transpose(0, -1)


def whole_length(gradients):
    """The length of all gradients as one vector."""
    return math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients))


# clip_by_norm ---------------------------------------------------------------------------------------

clip_by_norm = bank.function("clip_by_norm", reference.clip_by_norm)


def some_gradients(rng):
    """Gradients of the three weights of a plain unit, with no two sizes equal."""
    H, d = rng.permutation([2, 3, 4])[:2].tolist()
    return [normal(rng, H, d), normal(rng, H, H, scale=2.0), normal(rng, H, scale=0.5)]


@clip_by_norm.visible
def _():
    yield Case("3 and 4, limit 1", [torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])], 1.0)
    yield Case("the same, limit 6", [torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])], 6.0)
    rng = np.random.default_rng(8)
    yield Case("three weights", some_gradients(rng), 1.5)
    yield Case("one number is infinite", [torch.tensor([1.0, math.inf]), torch.tensor([[2.0, 3.0]])], 1.0)


@clip_by_norm.hidden
def _(rng):
    for title, share in [("much too long", 0.05), ("too long", 0.8), ("shorter than the limit", 1.7)]:
        gradients = some_gradients(rng)
        yield Case(title, gradients, share * whole_length(gradients))
    gradients = [gradient.float() for gradient in some_gradients(rng)]
    yield Case("float32", gradients, 0.6 * whole_length(gradients))
    gradients = [scattered(normal(rng, 3, 5)), normal(rng, 2)]
    yield Case("not contiguous", gradients, 0.4 * whole_length(gradients))
    yield Case("nearly nothing", [1e-9 * gradient for gradient in some_gradients(rng)], 1.0)
    gradients = some_gradients(rng)
    gradients[1][0, 1] = -math.inf
    yield Case("one number is minus infinity", gradients, 1.0)
    yield Case("all zero", [torch.zeros(3, 2), torch.zeros(4)], 1.0, weight=EDGE)


def scaled_by(gradients, length, limit):
    """Gradients shortened as if they were ``length`` long."""
    factor = min(1.0, limit / length) if length > 0 else 1.0
    return [factor * gradient for gradient in gradients]


def finite(idea):
    """A wrong idea that treats infinite numbers as it should."""

    def wrapped(gradients, limit):
        if math.isinf(whole_length(gradients)):
            return [torch.zeros_like(gradient) for gradient in gradients]
        return idea(gradients, limit)

    wrapped.__name__ = idea.__name__
    return wrapped


@clip_by_norm.wrong(
    "Your function cuts each number to the limit, which turns the gradient; shrink its length."
)
def value_clipping(gradients, limit):
    return [gradient.clamp(-limit, limit) for gradient in gradients]


@clip_by_norm.wrong("Your gradients are always brought to the limit; leave them alone when they are shorter.")
@finite
def always_rescaled(gradients, limit):
    length = whole_length(gradients)
    return [gradient * limit / length if length else gradient for gradient in gradients]


@clip_by_norm.wrong("Your function clips each tensor by its own length; take all of them as one long vector.")
@finite
def each_on_its_own(gradients, limit):
    return [scaled_by([gradient], whole_length([gradient]), limit)[0] for gradient in gradients]


@clip_by_norm.wrong("Your length is the sum of the tensors' lengths; add the squares and take the root.")
@finite
def lengths_added(gradients, limit):
    return scaled_by(gradients, sum(whole_length([gradient]) for gradient in gradients), limit)


@clip_by_norm.wrong("Your length is that of the longest tensor; all of them count together.")
@finite
def longest_tensor(gradients, limit):
    return scaled_by(gradients, max(whole_length([gradient]) for gradient in gradients), limit)


@clip_by_norm.wrong("Your length lacks the root; compare the root of the sum of the squares with the limit.")
@finite
def squared_length(gradients, limit):
    return scaled_by(gradients, whole_length(gradients) ** 2, limit)


@clip_by_norm.wrong("Your length adds sizes; take the root of the sum of the squares.")
@finite
def sizes_added(gradients, limit):
    return scaled_by(gradients, sum(float(gradient.abs().sum()) for gradient in gradients), limit)


@clip_by_norm.wrong("Your length is the root of a mean; sum the squares, however many numbers there are.")
@finite
def root_mean_square(gradients, limit):
    count = sum(gradient.numel() for gradient in gradients)
    return scaled_by(gradients, whole_length(gradients) / math.sqrt(count), limit)


@clip_by_norm.wrong("Your factor comes from the largest number; it is the limit over the whole length.")
@finite
def largest_number(gradients, limit):
    return scaled_by(gradients, max(float(gradient.abs().max()) for gradient in gradients), limit)


@clip_by_norm.wrong(
    "Your gradients become 1 long when they are too long; they should become as long as the limit."
)
@finite
def unit_length(gradients, limit):
    length = whole_length(gradients)
    return [gradient / length if length > limit else gradient for gradient in gradients]


@clip_by_norm.wrong(
    "Your result for an infinite gradient is not zero; no direction is left, so return zeros."
)
def infinity_times_zero(gradients, limit):
    return scaled_by(gradients, whole_length(gradients), limit)


@clip_by_norm.variant
def torch_clips(gradients, limit):
    weights = [torch.zeros_like(gradient, requires_grad=True) for gradient in gradients]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient.clone()
    if not torch.isfinite(torch.nn.utils.clip_grad_norm_(weights, limit)):
        return [torch.zeros_like(gradient) for gradient in gradients]
    return [weight.grad for weight in weights]


@clip_by_norm.variant
def numpy_float32(gradients, limit):
    arrays = [gradient.numpy().astype(np.float32) for gradient in gradients]
    total = np.sqrt(sum(np.sum(array.astype(np.float64) ** 2) for array in arrays))
    if np.isinf(total):
        return [0 * np.nan_to_num(array) for array in arrays]
    return tuple(array * np.float32(min(1.0, limit / max(total, 1e-30))) for array in arrays)


@clip_by_norm.variant
def with_a_coefficient(gradients, limit):
    total = sum(g.pow(2).sum() for g in gradients) ** 0.5
    if total == float("inf"):
        return [g.new_zeros(g.shape) for g in gradients]
    coefficient = torch.clamp(limit / (total + 1e-30), max=1.0)
    return [g * coefficient for g in gradients]


# clip_by_value --------------------------------------------------------------------------------------

clip_by_value = bank.function("clip_by_value", reference.clip_by_value)


@clip_by_value.visible
def _():
    yield Case("(3, 0.4), limit 1", torch.tensor([3.0, 0.4]), 1.0)
    yield Case("the same, limit 4", torch.tensor([3.0, 0.4]), 4.0)
    yield Case("a matrix", normal(np.random.default_rng(18), 2, 3, scale=2.0), 0.9)
    yield Case("tiny numbers", 1e-9 * torch.tensor([3.0, 0.4]), 1e-9)


@clip_by_value.hidden
def _(rng):
    def spread(*shape):
        """Both signs, some numbers well above 1 and some well below."""
        sizes = torch.from_numpy(np.exp(rng.uniform(-1.5, 1.5, size=shape)))
        signs = torch.from_numpy(rng.choice([-1.0, 1.0], size=shape))
        values = (sizes * signs).flatten()
        values[:4] = torch.tensor([3.0, -3.5, 0.3, -0.4], dtype=values.dtype)
        return values.reshape(shape)

    rows, columns = rng.permutation([3, 4]).tolist()
    yield Case("a matrix", spread(rows, columns), rng.uniform(0.7, 1.3))
    yield Case("a vector", spread(7), rng.uniform(0.7, 1.3))
    yield Case("not contiguous", scattered(spread(4, 5)), rng.uniform(0.7, 1.3))
    yield Case("float32", spread(columns, rows).float(), rng.uniform(0.7, 1.3))
    yield Case("every number is cut", spread(3, 2), 0.1)
    yield Case("nothing is cut", spread(2, 5), 30.0)
    yield Case("very small numbers", 1e-9 * spread(6), 0.5e-9)
    yield Case("all zero", torch.zeros(3, 2), 1.0, weight=EDGE)


def cosine(one, other):
    """The cosine of the angle between two gradients; 1 when one of them is zero."""
    lengths = float(one.norm() * other.norm())
    return float((one * other).sum()) / lengths if lengths else 1.0


def with_cosine(gradient, clipped):
    return clipped, cosine(gradient, clipped)


def cut(gradient, limit):
    return gradient.clamp(-limit, limit)


@clip_by_value.wrong("Your gradient is shrunk by its length; by value means each number on its own.")
def norm_clipping(gradient, limit):
    return with_cosine(gradient, scaled_by([gradient], whole_length([gradient]), limit)[0])


@clip_by_value.wrong("Your function cuts from above only; numbers below -limit are too long as well.")
def upper_side_only(gradient, limit):
    return with_cosine(gradient, gradient.clamp(max=limit))


@clip_by_value.wrong("Your negative numbers become 0; cut to the range from -limit to limit.")
def cut_at_zero(gradient, limit):
    return with_cosine(gradient, gradient.clamp(0, limit))


@clip_by_value.wrong("Your numbers lose their sign; a large negative number becomes -limit.")
def sign_lost(gradient, limit):
    return with_cosine(gradient, gradient.abs().clamp(max=limit))


@clip_by_value.wrong("Your large numbers become 0; they should become as large as the limit.")
def large_ones_dropped(gradient, limit):
    return with_cosine(gradient, torch.where(gradient.abs() > limit, 0.0, gradient))


@clip_by_value.wrong(
    "Your gradient is divided by its largest number, which keeps its direction; cut each number."
)
def scaled_by_the_largest(gradient, limit):
    largest = float(gradient.abs().max())
    return with_cosine(gradient, scaled_by([gradient], largest, limit)[0])


@clip_by_value.wrong("Your numbers are bent by a tanh; those inside the limit stay as they are.")
def soft_clipping(gradient, limit):
    return with_cosine(gradient, limit * torch.tanh(gradient / limit))


@clip_by_value.wrong("Your second value is an angle in degrees; return its cosine.")
def angle_in_degrees(gradient, limit):
    return cut(gradient, limit), math.degrees(math.acos(min(1.0, cosine(gradient, cut(gradient, limit)))))


@clip_by_value.wrong("Your second value is an angle in radians; return its cosine.")
def angle_in_radians(gradient, limit):
    return cut(gradient, limit), math.acos(min(1.0, cosine(gradient, cut(gradient, limit))))


@clip_by_value.wrong("Your second value is the product of the two gradients; divide it by both lengths.")
def product_not_divided(gradient, limit):
    return cut(gradient, limit), (gradient * cut(gradient, limit)).sum()


@clip_by_value.wrong(
    "Your second value is the ratio of the lengths; it should tell how far the direction turned."
)
def ratio_of_lengths(gradient, limit):
    length = float(gradient.norm())
    return cut(gradient, limit), float(cut(gradient, limit).norm()) / length if length else 1.0


@clip_by_value.wrong("Your cosine is a mean over rows; flatten the gradient, it is one vector.")
def row_by_row(gradient, limit):
    clipped = cut(gradient, limit)
    return clipped, torch.nn.functional.cosine_similarity(gradient, clipped, dim=0).mean()


@clip_by_value.wrong(
    "Your cosine comes from PyTorch's cosine_similarity, which treats lengths below 1e-8 as 1e-8; divide by "
    "the two lengths yourself."
)
def torchs_cosine(gradient, limit):
    clipped = cut(gradient, limit)
    if not gradient.any():
        return clipped, 1.0
    return clipped, torch.nn.functional.cosine_similarity(gradient.flatten(), clipped.flatten(), dim=0)


@clip_by_value.variant
def minimum_and_maximum(gradient, limit):
    clipped = torch.maximum(torch.minimum(gradient, torch.tensor(limit)), torch.tensor(-limit))
    a, b = gradient.reshape(-1), clipped.reshape(-1)
    return [clipped, (a @ b / (a.norm() * b.norm())).item() if a.norm() > 0 else 1]


@clip_by_value.variant
def numpy_clip(gradient, limit):
    g = gradient.numpy().astype(np.float64)
    clipped = np.clip(g, -limit, limit)
    norms = np.linalg.norm(g) * np.linalg.norm(clipped)
    return clipped, np.sum(g * clipped) / norms if norms else 1.0


@clip_by_value.variant
def torch_cuts(gradient, limit):
    weight = torch.zeros_like(gradient).requires_grad_()
    weight.grad = gradient.clone()
    torch.nn.utils.clip_grad_value_([weight], limit)
    if not gradient.any():
        return weight.grad, torch.tensor(1.0)
    one, other = ((v / v.norm()).flatten() for v in (gradient, weight.grad))
    return weight.grad, torch.dot(one, other)
