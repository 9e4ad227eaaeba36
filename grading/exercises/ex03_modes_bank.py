"""The second part of the bank of exercise 03: the table of modes; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np

from course_utils.reference import ex03 as reference
from grading.bank import Case
from grading.exercises.ex03_states_bank import EDGE, bank


def with_modes(rng, factors, skew=0.6):
    """A matrix with given factors, of which a complex number stands for its pair, and oblique axes."""
    blocks = [
        np.array([[f.real, f.imag], [-f.imag, f.real]]) if f.imag else np.array([[f.real]]) for f in factors
    ]
    H = sum(map(len, blocks))
    diagonal, row = np.zeros((H, H)), 0
    for block in blocks:
        diagonal[row : row + len(block), row : row + len(block)] = block
        row += len(block)
    turn = np.linalg.qr(rng.normal(size=(H, H)))[0]
    V = turn @ (np.eye(H) + np.triu(rng.uniform(0.5, 1, size=(H, H)) * skew, 1))
    return V @ diagonal @ np.linalg.inv(V)


def pair(radius, degrees):
    """One factor of a complex pair."""
    return radius * np.exp(1j * np.radians(degrees))


# mode_table -----------------------------------------------------------------------------------------

mode_table = bank.function("mode_table", reference.mode_table)


@mode_table.visible
def _():
    yield Case("the quarter turn by hand, in lists", [[0, 0.9], [-0.9, 0]])
    yield Case("a fast and a slow factor", np.array([[0.5, 2.0], [0.0, 0.95]]))
    yield Case("a spiral and a flip", np.array([[0.9, 0.3, 0.0], [-0.3, 0.9, 0.5], [0.0, 0.0, -0.7]]))
    yield Case("one mode grows", np.array([[1.1, 0.2], [0.2, 0.7]]))


@mode_table.hidden
def _(rng):
    yield Case("a fast factor first", np.array([[rng.uniform(0.2, 0.5), 0.0], [1.5, rng.uniform(0.7, 0.95)]]))
    three = [rng.uniform(0.4, 0.55), rng.uniform(0.85, 0.95), -rng.uniform(0.6, 0.75)]
    yield Case("three real factors", with_modes(rng, np.array(three, dtype=complex)))
    swing = pair(rng.uniform(0.85, 0.96), rng.uniform(15, 70))
    yield Case("a spiral", with_modes(rng, [swing]))
    fast = pair(rng.uniform(0.8, 0.95), rng.uniform(100, 160))
    yield Case("a pair left of zero", with_modes(rng, [complex(rng.uniform(0.3, 0.6)), fast]))
    both = [
        pair(rng.uniform(0.6, 0.7), rng.uniform(80, 100)),
        pair(rng.uniform(0.8, 0.9), rng.uniform(20, 40)),
    ]
    yield Case("two spirals", with_modes(rng, both))
    grows = pair(rng.uniform(1.02, 1.1), rng.uniform(15, 70))
    yield Case("a growing spiral", with_modes(rng, [complex(rng.uniform(0.4, 0.8)), grows]))
    yield Case("a single number", [[-rng.uniform(0.5, 0.95)]], weight=EDGE)
    yield Case("a mode that keeps nothing", np.diag([0.0, rng.uniform(0.5, 0.95)]), weight=EDGE)


def table(factors, angles=None, order=None):
    """The four rows for given factors, the angles and the order being what wrong ideas get wrong."""
    radius = np.abs(factors)
    angle = np.abs(np.angle(factors)) if angles is None else angles
    order = np.argsort(-radius) if order is None else order
    radius, angle = radius[order], angle[order]
    with np.errstate(divide="ignore"):
        horizon = np.where(radius < 1, -1 / np.log(radius), np.inf)
        return radius, angle, 2 * np.pi / angle, horizon


def eigenvalues(A):
    return np.linalg.eigvals(np.asarray(A, dtype=float))


@mode_table.wrong("Your angles are in degrees; in radians a full turn is 2 pi.")
def angle_in_degrees(A):
    radius, angle, period, horizon = reference.mode_table(A)
    return radius, np.degrees(angle), period, horizon


@mode_table.wrong("Your angles are in degrees, and 2 pi over degrees is no number of steps; use radians.")
def degrees_in_the_period_too(A):
    radius, angle, period, horizon = reference.mode_table(A)
    return radius, np.degrees(angle), period / np.degrees(1), horizon


@mode_table.wrong("Your horizon of a complex factor comes from its real part; take its size, abs(lambda).")
def horizon_of_the_real_part(A):
    factors = eigenvalues(A)
    factors = factors[np.argsort(-np.abs(factors))]
    radius, angle, period, _ = reference.mode_table(A)
    with np.errstate(divide="ignore"):
        real = -1 / np.log(np.abs(factors.real))
    return radius, angle, period, np.where(radius < 1, real, np.inf)


@mode_table.wrong("Your radius is the real part of the factor; the imaginary part counts too, use abs.")
def radius_is_the_real_part(A):
    return table(eigenvalues(A).real, np.abs(np.angle(eigenvalues(A))))


@mode_table.wrong("Your angles carry a sign and so do the periods; a pair turns one way, use abs.")
def signed_angles(A):
    factors = eigenvalues(A)
    return table(factors, np.angle(factors))


@mode_table.wrong("Your arctan of imag / real cannot tell left from right of zero; use np.angle.")
def arctan_of_the_quotient(A):
    factors = eigenvalues(A)
    with np.errstate(divide="ignore", invalid="ignore"):
        return table(factors, np.nan_to_num(np.abs(np.arctan(factors.imag / factors.real))))


@mode_table.wrong("Your modes begin with the fastest; sort by falling radius.")
def fastest_first(A):
    return tuple(row[::-1] for row in reference.mode_table(A))


@mode_table.wrong("Your modes stand in the order of np.linalg.eig, which is none; sort by falling radius.")
def unsorted(A):
    factors = eigenvalues(A)
    return table(factors, order=np.arange(len(factors)))


@mode_table.wrong("Your radii are singular values, which say how far one step stretches; use eigenvalues.")
def singular_values(A):
    return table(np.linalg.svd(np.asarray(A, dtype=float), compute_uv=False))


@mode_table.wrong("Your period is half a turn; after pi the direction is the opposite one, use 2 pi.")
def half_a_turn(A):
    radius, angle, period, horizon = reference.mode_table(A)
    return radius, angle, period / 2, horizon


@mode_table.wrong("Your period is 0 for a factor that does not turn; it never comes round, return infinity.")
def no_turn_is_zero(A):
    radius, angle, period, horizon = reference.mode_table(A)
    return radius, angle, np.where(np.isinf(period), 0.0, period), horizon


@mode_table.wrong("Your horizon is negative where a mode grows; return infinity for a radius of 1 or more.")
def no_limit_for_growth(A):
    radius, angle, period, _ = reference.mode_table(A)
    with np.errstate(divide="ignore"):
        return radius, angle, period, -1 / np.log(radius)


@mode_table.wrong("Your horizon 1 / (1 - r) is an approximation; use -1 / ln r.")
def rule_of_thumb(A):
    radius, angle, period, _ = reference.mode_table(A)
    with np.errstate(divide="ignore"):
        return radius, angle, period, np.where(radius < 1, 1 / (1 - radius), np.inf)


@mode_table.variant
def one_mode_at_a_time(A):
    rows = []
    for factor in sorted(np.linalg.eigvals(A), key=abs, reverse=True):
        radius, angle = abs(factor), abs(np.arctan2(factor.imag, factor.real))
        horizon = np.inf if radius >= 1 else 0.0 if radius == 0 else -1 / np.log(radius)
        rows.append((radius, angle, 2 * np.pi / angle if angle else np.inf, horizon))
    return tuple(map(list, zip(*rows, strict=True)))


@mode_table.variant
def table_from_logarithms(A):
    with np.errstate(divide="ignore"):
        logs = np.log(np.linalg.eigvals(np.asarray(A, dtype=float)).astype(complex))
        logs = logs[np.argsort(logs.real)[::-1]]
        angle = np.abs(logs.imag)
        return np.exp(logs.real), angle, 2 * np.pi / angle, np.where(logs.real < 0, -1 / logs.real, np.inf)


@mode_table.variant
def table_in_float32(A):
    return table(np.linalg.eigvals(np.asarray(A, dtype=np.float32)))


@mode_table.variant
def table_in_torch(A):
    import torch

    factors = torch.linalg.eigvals(torch.as_tensor(A, dtype=torch.float64))
    factors = factors[factors.abs().argsort(descending=True)]
    radius, angle = factors.abs(), factors.angle().abs()
    return radius, angle, 2 * torch.pi / angle, torch.where(radius < 1, -1 / radius.log(), torch.inf)
