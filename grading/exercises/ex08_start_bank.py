"""The second part of the bank of exercise 08: an orthogonal start; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex08 as reference
from grading.bank import Case
from grading.exercises.ex08_clip_bank import EDGE, bank, scattered

# orthogonal_ ----------------------------------------------------------------------------------------

orthogonal_ = bank.function("orthogonal_", reference.orthogonal_)


def random_numbers(rng, m, n):
    """Normal numbers without nearly parallel directions, so that single precision is exact enough."""
    while True:
        drawn = torch.from_numpy(rng.normal(size=(m, n)))
        values = torch.linalg.svdvals(drawn)
        if values.min() > 0.05 * values.max():
            return drawn


@orthogonal_.visible
def _():
    yield Case("two columns by hand", torch.tensor([[3.0, 1.0], [4.0, -7.0]]), 1.0)
    rng = np.random.default_rng(28)
    yield Case("square, gain 2", random_numbers(rng, 3, 3), 2.0)
    yield Case("tall", random_numbers(rng, 5, 2), 1.0)
    yield Case("wide", random_numbers(rng, 2, 4), 1.0)


@orthogonal_.hidden
def _(rng):
    def gain():
        return rng.uniform(1.2, 3.0)

    yield Case("square", random_numbers(rng, 4, 4), gain())
    yield Case("square, not contiguous", scattered(random_numbers(rng, 5, 5)), gain())
    yield Case("tall", random_numbers(rng, 6, 3), gain())
    yield Case("wide", random_numbers(rng, 3, 5), gain())
    yield Case("tall, float32", random_numbers(rng, 4, 2).float(), gain())
    yield Case("wide, gain below 1", random_numbers(rng, 2, 6), rng.uniform(0.3, 0.8))
    yield Case("a single number", -random_numbers(rng, 1, 1).abs(), gain(), weight=EDGE)


def from_qr(gaussian, gain, finish):
    """The reference with another way to finish: ``finish(Q, diagonal of R)``."""
    wide = gaussian.shape[0] < gaussian.shape[1]
    Q, R = torch.linalg.qr(gaussian.T if wide else gaussian)
    Q = finish(Q, torch.diagonal(R))
    return gain * (Q.T if wide else Q)


@orthogonal_.wrong(
    "Your signs are those that the QR routine chose; multiply each column by the sign of its R_ii."
)
def signs_left(gaussian, gain):
    return from_qr(gaussian, gain, lambda Q, diagonal: Q)


@orthogonal_.wrong(
    "Your signs are all flipped; multiply by the sign of R_ii, which makes the diagonal of R positive."
)
def signs_flipped(gaussian, gain):
    return from_qr(gaussian, gain, lambda Q, diagonal: -Q * torch.sign(diagonal))


@orthogonal_.wrong("Your signs go to the rows of Q; R_ii belongs to its column i.")
def signs_on_rows(gaussian, gain):
    def finish(Q, diagonal):
        signs = torch.ones(len(Q), dtype=Q.dtype)
        signs[: len(diagonal)] = torch.sign(diagonal)
        return signs[:, None] * Q

    return from_qr(gaussian, gain, finish)


@orthogonal_.wrong("Your columns are multiplied by R_ii itself, which changes their length; use its sign.")
def scaled_by_the_diagonal(gaussian, gain):
    return from_qr(gaussian, gain, lambda Q, diagonal: Q * diagonal)


@orthogonal_.wrong(
    "Your gain has no effect; multiply the finished matrix by it, for QR removes it from what goes in."
)
def gain_without_effect(gaussian, gain):
    return reference.orthogonal_(gaussian, 1.0)


@orthogonal_.wrong(
    "Your wide matrix comes from QR without a transpose, so it has the wrong shape; use the QR of G^T."
)
def wide_not_transposed(gaussian, gain):
    Q, R = torch.linalg.qr(gaussian)
    return gain * Q * torch.sign(torch.diagonal(R))


@orthogonal_.wrong("Your result is transposed; it has the shape of the numbers that came in.")
def result_transposed(gaussian, gain):
    return reference.orthogonal_(gaussian, gain).T


@orthogonal_.wrong(
    "Your matrix comes from the QR of G^T everywhere; transpose only when it is wider than tall."
)
def always_transposed(gaussian, gain):
    Q, R = torch.linalg.qr(gaussian.T)
    if gaussian.shape[0] > gaussian.shape[1]:
        return gain * Q
    return gain * (Q * torch.sign(torch.diagonal(R))).T


@orthogonal_.wrong(
    "Your columns have length 1 but not right angles; take out what lies along the earlier ones."
)
def columns_normalised(gaussian, gain):
    return gain * gaussian / gaussian.norm(dim=0)


@orthogonal_.wrong(
    "Your matrix is the random one divided by its largest singular value; only that one is 1 now."
)
def largest_singular_value_one(gaussian, gain):
    return gain * gaussian / torch.linalg.matrix_norm(gaussian, 2)


@orthogonal_.wrong("Your matrix is orthogonal but is U V^T of the singular values; asked for is the Q of QR.")
def from_the_svd(gaussian, gain):
    U, _, V = torch.linalg.svd(gaussian, full_matrices=False)
    return gain * U @ V


@orthogonal_.variant
def gram_schmidt(gaussian, gain):
    wide = gaussian.shape[1] > gaussian.shape[0]
    columns = []
    for column in gaussian if wide else gaussian.T:
        for earlier in columns:
            column = column - (column @ earlier) * earlier
        columns.append(column / column.norm())
    return gain * torch.stack(columns, dim=0 if wide else 1)


@orthogonal_.variant
def numpy_float32(gaussian, gain):
    g = gaussian.numpy().astype(np.float32)
    transposed = g.shape[0] < g.shape[1]
    q, r = np.linalg.qr(g.T if transposed else g)
    q = q @ np.diag(np.where(np.diag(r) < 0, -1, 1).astype(np.float32))
    return (q.T if transposed else q) * gain


@orthogonal_.variant
def from_cholesky(gaussian, gain):
    """R with a positive diagonal is the Cholesky factor of G^T G, and Q = G R^-1."""
    tall = gaussian if gaussian.shape[0] >= gaussian.shape[1] else gaussian.T
    tall = tall.double()
    R = torch.linalg.cholesky(tall.T @ tall).T
    Q = gain * tall @ torch.linalg.inv(R)
    return Q if Q.shape == gaussian.shape else Q.T
