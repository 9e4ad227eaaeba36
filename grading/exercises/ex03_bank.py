"""The bank of exercise 03, the matrix recursion and its modes; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex03_states_bank`` (linear_states) and ``ex03_modes_bank`` (mode_table).
"""

import numpy as np

from course_utils.reference import ex03 as reference
from grading.bank import Case, Question
from grading.exercises.ex03_modes_bank import bank, eigenvalues, pair, with_modes
from grading.exercises.ex03_states_bank import EDGE

# power_by_modes -------------------------------------------------------------------------------------

power_by_modes = bank.function("power_by_modes", reference.power_by_modes)


@power_by_modes.visible
def _():
    yield Case("half a step by hand, in lists", [[0.8, 0.1], [0.1, 0.8]], 0.5)
    yield Case("three steps of a spiral", np.array([[0.9, 0.3], [-0.3, 0.9]]), 3)
    yield Case("two steps with oblique axes", np.array([[0.9, 1.0], [0.0, 0.4]]), 2)
    yield Case("no step", np.array([[0.5, 2.0], [0.0, 0.9]]), 0)


@power_by_modes.hidden
def _(rng):
    def real(count):
        return with_modes(rng, np.linspace(0.45, 0.9, count) + rng.uniform(-0.05, 0.05, size=count) + 0j)

    def spiral(*others):
        return with_modes(rng, [pair(rng.uniform(0.8, 1.05), rng.uniform(25, 80)), *map(complex, others)])

    yield Case("several steps, real factors", real(3), int(rng.integers(4, 8)))
    yield Case("a spiral", spiral(), int(rng.integers(4, 8)))
    yield Case("a fraction of a step", real(2), rng.uniform(0.3, 0.7))
    yield Case("a fraction of a turning step", spiral(), rng.uniform(0.3, 0.7))
    yield Case("a spiral and a decay", spiral(rng.uniform(0.4, 0.7)), rng.uniform(1.2, 1.8))
    yield Case("one step back", spiral(rng.uniform(0.5, 0.7)), -1)
    yield Case("far ahead", with_modes(rng, [0.98 + 0j, 0.9 + 0j]), 60)
    yield Case("no step", real(3), 0, weight=EDGE)


def decomposed(A):
    factors, axes = np.linalg.eig(np.asarray(A, dtype=float))
    return factors.astype(complex), axes.astype(complex)


@power_by_modes.wrong("Your axes are transposed, not inverted; V^T is V^-1 only for axes at right angles.")
def transposed_axes(A, t):
    factors, V = decomposed(A)
    return (V @ np.diag(factors**t) @ V.T).real


@power_by_modes.wrong("Your axes are conjugated and transposed; axes that are not at right angles need V^-1.")
def conjugated_axes(A, t):
    factors, V = decomposed(A)
    return (V @ np.diag(factors**t) @ V.conj().T).real


@power_by_modes.wrong("Your V and V^-1 have changed places; it is V diag(lambda^t) V^-1.")
def axes_in_the_wrong_order(A, t):
    factors, V = decomposed(A)
    return (np.linalg.inv(V) @ np.diag(factors**t) @ V).real


@power_by_modes.wrong("Your power is taken of each entry of A; take it of the factors, along the axes.")
def power_of_the_entries(A, t):
    with np.errstate(all="ignore"):
        return np.asarray(A, dtype=float) ** t


@power_by_modes.wrong("Your result is diag(lambda^t), still along the axes; put V and V^-1 around it.")
def stays_along_the_axes(A, t):
    return np.diag(decomposed(A)[0] ** t).real


@power_by_modes.wrong("Your factors are multiplied by t; t steps multiply t times, so take the t-th power.")
def t_times_the_matrix(A, t):
    return t * np.asarray(A, dtype=float)


@power_by_modes.wrong("Your complex factors lose their imaginary part before the power; cut it at the end.")
def real_parts_too_early(A, t):
    factors, V = decomposed(A)
    return (V @ np.diag(factors.real.astype(complex) ** t) @ np.linalg.inv(V)).real


@power_by_modes.wrong("Your factors are replaced by their sizes, so nothing turns; keep them complex.")
def sizes_only(A, t):
    factors, V = decomposed(A)
    return (V @ np.diag(np.abs(factors) ** t) @ np.linalg.inv(V)).real


@power_by_modes.wrong("Your t is cut to whole steps; lambda^t has a value for a fraction too.")
def whole_steps(A, t):
    return np.linalg.matrix_power(np.asarray(A, dtype=float), int(t))


@power_by_modes.wrong("Your factors grow like e^(lambda t), as in continuous time; here it is lambda^t.")
def exponential_of_the_factors(A, t):
    factors, V = decomposed(A)
    return (V @ np.diag(np.exp(factors * t)) @ np.linalg.inv(V)).real


@power_by_modes.variant
def solved_not_inverted(A, t):
    factors, V = np.linalg.eig(np.asarray(A, dtype=float))
    return np.linalg.solve(V.T, (V * np.emath.power(factors, t)).T).T


@power_by_modes.variant
def sum_of_outer_products(A, t):
    factors, V = decomposed(A)
    rows = np.linalg.inv(V)
    return sum(f**t * np.outer(V[:, i], rows[i]) for i, f in enumerate(factors)).real


@power_by_modes.variant
def by_polar_form(A, t):
    factors, V = decomposed(A)
    powers = np.abs(factors) ** t * np.exp(1j * t * np.angle(factors))
    return np.einsum("ij,j,jk->ik", V, powers, np.linalg.inv(V)).real


@power_by_modes.variant
def power_in_torch(A, t):
    import torch

    factors, V = torch.linalg.eig(torch.as_tensor(A, dtype=torch.float64))
    return (V @ torch.diag(factors ** float(t)) @ torch.linalg.inv(V)).real


# slowest_horizon ------------------------------------------------------------------------------------

slowest_horizon = bank.function("slowest_horizon", reference.slowest_horizon)


@slowest_horizon.visible
def _():
    yield Case("a flip is the slowest, in lists", [[0.5, 3], [0, -0.8]])
    yield Case("a spiral", np.array([[0.9, 0.3], [-0.3, 0.9]]))
    yield Case("growth along an axis", np.array([[1.1, 0.2], [0.2, 0.7]]))


@slowest_horizon.hidden
def _(rng):
    factors = np.array([rng.uniform(0.3, 0.6), rng.uniform(0.8, 0.97)], dtype=complex)
    yield Case("two real factors", with_modes(rng, factors, skew=2.0))
    turning = [complex(rng.uniform(0.3, 0.6)), pair(rng.uniform(0.8, 0.97), rng.uniform(50, 80))]
    yield Case("a spiral is the slowest", with_modes(rng, turning))
    yield Case("a flip is the slowest", with_modes(rng, [complex(rng.uniform(0.3, 0.6)), -0.9 + 0j]))
    A = rng.normal(size=(7, 7))
    yield Case("seven numbers", 0.95 * A / np.abs(np.linalg.eigvals(A)).max())
    yield Case("oblique axes", np.array([[rng.uniform(0.4, 0.9), 5.0], [0.0, rng.uniform(0.1, 0.3)]]))
    yield Case("a growing spiral", with_modes(rng, [pair(rng.uniform(1.02, 1.2), 70)]), weight=EDGE)
    yield Case("nothing is kept", np.array([[0.0, rng.uniform(1, 3)], [0.0, 0.0]]), weight=EDGE)


def horizon_of(radius):
    with np.errstate(divide="ignore"):
        return np.inf if radius >= 1 else -1 / np.log(radius) if radius > 0 else 0.0


@slowest_horizon.wrong("Your slowest factor is the largest number; take the largest size, abs(lambda).")
def largest_number(A):
    return horizon_of(eigenvalues(A).real.max())


@slowest_horizon.wrong("Your sizes are those of the real parts; a complex factor counts with abs(lambda).")
def largest_real_part(A):
    return horizon_of(np.abs(eigenvalues(A).real).max())


@slowest_horizon.wrong("Your horizon is the shortest one; the slowest mode has the largest factor.")
def fastest_mode(A):
    return horizon_of(np.abs(eigenvalues(A)).min())


@slowest_horizon.wrong("Your factor is the largest singular value, the stretch of one step; use eigenvalues.")
def largest_stretch(A):
    return horizon_of(np.linalg.norm(np.asarray(A, dtype=float), 2))


@slowest_horizon.wrong("Your horizon is that of the mean size; in the end only the largest one is left.")
def mean_size(A):
    return horizon_of(np.abs(eigenvalues(A)).mean())


@slowest_horizon.wrong("Your horizons of the modes are added up; they run side by side, take the largest.")
def sum_of_horizons(A):
    return sum(map(horizon_of, np.abs(eigenvalues(A))))


@slowest_horizon.wrong("Your formula also runs for a growing state; return infinity when rho is 1 or more.")
def no_limit_at_one(A):
    rho = np.abs(eigenvalues(A)).max()
    return -1 / np.log(rho) if rho > 0 else 0.0


@slowest_horizon.wrong("Your 1 / (1 - rho) is an approximation; use -1 / ln rho.")
def rule_of_thumb_for_rho(A):
    rho = np.abs(eigenvalues(A)).max()
    return np.inf if rho >= 1 else 1 / (1 - rho) if rho else 0.0


@slowest_horizon.variant
def largest_of_the_horizons(A):
    return max(map(horizon_of, np.abs(np.linalg.eigvals(A))))


@slowest_horizon.variant
def horizon_in_base_two(A):
    rho = max(abs(factor) for factor in np.linalg.eig(np.array(A, dtype=float))[0])
    return float("inf") if rho >= 1 else -1 / (np.log2(rho) * np.log(2)) if rho else 0


@slowest_horizon.variant
def horizon_in_torch(A):
    import torch

    rho = torch.linalg.eigvals(torch.as_tensor(A, dtype=torch.float64)).abs().max()
    return torch.where(rho < 1, -1 / rho.log(), torch.inf)


# concept questions ----------------------------------------------------------------------------------

bank.question(
    "every_second_step",
    "a",
    "Two steps at once multiply by lambda^2: the radius is squared, so its logarithm doubles and the "
    "horizon halves; the angle doubles, so the period halves too. Measured in time nothing has changed: "
    "each new step is two old ones.",
    choices=("a", "b", "c", "d"),
    replies={
        "b": "The factor of a new step is smaller, not larger; fewer of the longer steps are needed.",
        "c": "The angle doubles as well: in lambda^2 = r^2 e^(2 i theta) both parts have changed.",
        "d": "In time nothing changes, but both are counted in steps here, and a new step is two old ones.",
    },
)


@bank.numbered((0.55,), (0.65,), (0.58,), (0.62,))
def left_after_one_turn(part=0.6):
    square = 2 * part * part
    return Question(
        "left_after_one_turn",
        square**4,
        f"The angle of {part:g} + {part:g}i is 45 degrees, so a turn takes 8 steps; its size is the root of "
        f"{square:g}, {square**0.5:.3f}. What is left is {square**0.5:.3f}^8 = {square:g}^4 = "
        f"{square**4:.3f}.",
        tolerance=0.002,
        replies={
            part**8: f"You took powers of the real part; the size of the number, {square**0.5:.3f}, is what "
            "shrinks the swing.",
            square**0.5: "That is what is left after one step; a full turn of 45 degrees a step takes eight.",
            square**8: "You took the square of the size as the size; it is the root of "
            f"{part * part:g} + {part * part:g}.",
            1.0: "The direction comes back after a turn, the size does not; it shrinks at each of eight "
            "steps.",
            8.0: "Eight is the number of steps; the question is what is left of the swing after them.",
        },
        numbers={"a": part},
    )


bank.written(
    "growth_argument",
    "0.5: without input the state does go to zero, since the radius 0.97 is below 1; the eigenvalues settle "
    "the end, and only the end. "
    "1.0: why it grows first: nearly parallel axes (a non-normal matrix), and a start that is the difference "
    "of two long coordinates, of which the faster decays first (0.5 for 'not normal' or 'axes not at right "
    "angles' without the cancelling). "
    "0.5: what to look at: the largest singular value (of A, or of its powers), or a matrix with axes at "
    "right angles (symmetric, orthogonal times a factor), for which it equals the radius.",
)
