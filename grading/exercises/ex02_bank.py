"""The bank of exercise 02, the one-pole filter; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import cmath
import itertools
import math
import warnings

import numpy as np

from course_utils.reference import ex02 as reference
from grading.bank import Bank, Case, Question

bank = Bank("ex02")

EDGE = 0.25  # the weight of a fresh case that a constant or a one-line shortcut answers too


# one_pole -------------------------------------------------------------------------------------------

one_pole = bank.function("one_pole", reference.one_pole)


@one_pole.visible
def _():
    yield Case("an impulse, in lists", [[1, 0, 0, 0]], 0.8)
    x = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 4.0]])
    yield Case("two rows, a gain and a start", x, 0.9, 0.3, np.array([1.0, -2.0]))
    x = np.array([[1.0, 2.0, -1.0, 3.0], [0.5, -2.0, 4.0, 1.0]])
    yield Case("one pole per step", x, np.array([0.9, 0.2, 0.0, -0.5]), 2.0, np.array([1.0, 3.0]))
    yield Case("no steps at all", np.zeros((2, 0)), 0.9)


@one_pole.hidden
def _(rng):
    B, T = rng.integers(2, 5), rng.integers(6, 12)

    def batch(B=B, T=T):
        return rng.normal(size=(B, T))

    def start(B=B):
        return rng.uniform(1.0, 3.0, size=B)

    yield Case("a batch from zero", batch(), rng.uniform(0.5, 0.95), rng.uniform(1.5, 3.0))
    yield Case("a negative pole", batch(), -rng.uniform(0.5, 0.95), rng.uniform(1.5, 3.0), start())
    poles = rng.uniform(0.3, 0.99, size=T)
    poles[T // 2] = 0.0
    yield Case("a gate that closes once", batch(), poles, rng.uniform(1.5, 3.0), start())
    yield Case("a single step", batch(T=1), rng.uniform(0.5, 0.95), 1.0, start())
    yield Case("one long row", batch(1, 40), 0.98, rng.uniform(1.5, 3.0), start(1))
    yield Case("a growing state", batch(), 1.05, rng.uniform(1.5, 3.0), start())
    whole = rng.integers(1, 9, size=(2, 5)).tolist()
    yield Case("whole numbers in lists", whole, rng.uniform(0.3, 0.9, size=5).tolist(), 1.5, [3, 1])
    yield Case("no steps, a pole for each", np.zeros((3, 0)), np.zeros(0), 1.0, start(3), weight=EDGE)


def carry(step, x, alpha, h0):
    """Carry a batch of states with ``step(h, x_t, alpha_t)``: what most wrong ideas have in common."""
    x = np.asarray(x, dtype=float)
    h = np.zeros(len(x)) if h0 is None else np.asarray(h0, dtype=float)
    states = np.empty(x.shape)
    for t, alpha_t in enumerate(np.broadcast_to(alpha, x.shape[1])):
        states[:, t] = h = step(h, x[:, t], alpha_t)
    return states


@one_pole.wrong("Your state always starts from zero; start it from h0 when h0 is given.")
def ignores_the_start(x, alpha, beta=1.0, h0=None):
    return carry(lambda h, x_t, a: a * h + beta * x_t, x, alpha, None)


@one_pole.wrong("Your beta multiplies the old state too; it belongs to the input alone.")
def beta_on_the_state(x, alpha, beta=1.0, h0=None):
    return carry(lambda h, x_t, a: beta * (a * h + x_t), x, alpha, h0)


@one_pole.wrong("Your input enters without its gain; multiply x_t by beta.")
def ignores_beta(x, alpha, beta=1.0, h0=None):
    return carry(lambda h, x_t, a: a * h + x_t, x, alpha, h0)


@one_pole.wrong("Your input is weighted by 1 - alpha, a running average; use beta.")
def running_average(x, alpha, beta=1.0, h0=None):
    return carry(lambda h, x_t, a: a * h + (1 - a) * x_t, x, alpha, h0)


@one_pole.wrong("Your alpha weights the input; it belongs to the state, and beta to the input.")
def swapped_weights(x, alpha, beta=1.0, h0=None):
    return carry(lambda h, x_t, a: (1 - a) * h + a * x_t, x, alpha, h0)


@one_pole.wrong("Your loop uses alpha[0] at every step; step t has its own alpha[t].")
def first_pole_for_all(x, alpha, beta=1.0, h0=None):
    first = np.ravel(alpha)[:1]
    return carry(lambda h, x_t, a: first * h + beta * x_t, x, alpha, h0)


@one_pole.wrong("Your states are stored before the update; update h first, then store it.")
def stores_before_the_update(x, alpha, beta=1.0, h0=None):
    states = reference.one_pole(x, alpha, beta, h0)
    start = np.zeros(len(states)) if h0 is None else h0
    return np.column_stack([start, states])[:, : states.shape[1]]


@one_pole.wrong("Your result has h0 in front, T + 1 columns; begin with the state after x[:, 0].")
def counts_the_start(x, alpha, beta=1.0, h0=None):
    states = reference.one_pole(x, alpha, beta, h0)
    return np.column_stack([np.zeros(len(states)) if h0 is None else h0, states])


@one_pole.wrong("Your steps all begin at h0 again; assign the new state to h.")
def never_carries(x, alpha, beta=1.0, h0=None):
    h = 0.0 if h0 is None else np.asarray(h0, dtype=float)
    return carry(lambda _, x_t, a: a * h + beta * x_t, x, alpha, h0)


@one_pole.wrong("Your result has time first, (T, B); stack along axis 1 to return (B, T).")
def time_first(x, alpha, beta=1.0, h0=None):
    return np.array(list(reference.one_pole(x, alpha, beta, h0).T))


@one_pole.wrong("Your result holds the last state only; keep the state of every step.")
def last_state_only(x, alpha, beta=1.0, h0=None):
    start = np.zeros(len(x)) if h0 is None else h0
    return np.column_stack([start, reference.one_pole(x, alpha, beta, h0)])[:, -1]


@one_pole.wrong("Your second row goes on where the first ended; start each row from its own h0.")
def carries_across_rows(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    h, rows = 0.0 if h0 is None else h0[0], []
    for row in x:
        rows.append(reference.one_pole([row], alpha, beta, [h])[0])
        h = rows[-1][-1] if len(row) else h
    return np.array(rows)


@one_pole.wrong("Your closed form takes powers of one alpha; multiply the poles of the steps between.")
def powers_of_the_current_pole(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    alphas = np.broadcast_to(alpha, x.shape[1])
    return np.array([[one_sum(row, a, beta, t) for t, a in enumerate(alphas)] for row in x]) + (
        0.0 if h0 is None else np.outer(h0, alphas ** np.arange(1, len(alphas) + 1))
    )


def one_sum(row, alpha, beta, t):
    return sum(alpha ** (t - s) * beta * row[s] for s in range(t + 1))


@one_pole.wrong("Your states inherit integers from x and are cut; make x an array of floats first.")
def integer_states(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x)
    alphas, states = np.broadcast_to(alpha, x.shape[1]), np.zeros_like(x)
    h = np.zeros(len(x)) if h0 is None else np.asarray(h0)
    for t in range(x.shape[1]):
        states[:, t] = alphas[t] * h + beta * x[:, t]
        h = states[:, t]
    return states


@one_pole.variant
def lists_and_two_loops(x, alpha, beta=1.0, h0=None):
    alphas = list(np.broadcast_to(alpha, len(x[0])))
    states = []
    for row, h in zip(x, [0.0] * len(x) if h0 is None else h0, strict=True):
        states.append([h := float(a * h + beta * x_t) for a, x_t in zip(alphas, row, strict=True)])
    return states


@one_pole.variant
def one_matrix_product(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    alphas = np.broadcast_to(alpha, x.shape[1])
    kept = np.array(
        [[np.prod(alphas[s + 1 : t + 1]) * (s <= t) for s in range(len(alphas))] for t in range(len(alphas))]
    )
    states = np.einsum("ts,bs->bt", kept.reshape(len(alphas), len(alphas)), beta * x)
    return states if h0 is None else states + np.outer(h0, np.cumprod(alphas))


@one_pole.variant
def accumulated(x, alpha, beta=1.0, h0=None):
    x = np.asarray(x, dtype=float)
    steps = zip(np.broadcast_to(alpha, x.shape[1]), beta * x.T, strict=True)
    start = np.zeros(len(x)) if h0 is None else np.asarray(h0)
    states = itertools.accumulate(steps, lambda h, step: step[0] * h + step[1], initial=start)
    return np.stack(list(states), axis=1)[:, 1:]


@one_pole.variant
def one_pole_in_float32(x, alpha, beta=1.0, h0=None):
    x, alphas = np.asarray(x, dtype=np.float32), np.asarray(alpha, dtype=np.float32)
    states, h = np.zeros_like(x), np.zeros(len(x), np.float32) if h0 is None else np.float32(h0)
    for t in range(x.shape[1]):
        h = (alphas[t] if alphas.ndim else alphas) * h + np.float32(beta) * x[:, t]
        states[:, t] = h
    return states


@one_pole.variant
def one_pole_in_torch(x, alpha, beta=1.0, h0=None):
    import torch

    x = torch.as_tensor(x, dtype=torch.float32)
    alphas = torch.as_tensor(alpha, dtype=torch.float32).expand(x.shape[1])
    h = torch.zeros(len(x)) if h0 is None else torch.as_tensor(h0, dtype=torch.float32)
    states = torch.empty_like(x)
    for t in range(x.shape[1]):
        states[:, t] = h = alphas[t] * h + beta * x[:, t]
    return states


# memory_horizon -------------------------------------------------------------------------------------

memory_horizon = bank.function("memory_horizon", reference.memory_horizon)


@memory_horizon.visible
def _():
    yield Case("0.9 down to 1/e", 0.9)
    yield Case("0.5 down to a half", 0.5, 0.5)
    yield Case("a negative pole", -0.8, 0.1)
    yield Case("a state that stays", 1.0)


@memory_horizon.hidden
def _(rng):
    yield Case("a pole between 0.9 and 0.99", rng.uniform(0.9, 0.99))
    yield Case("another fraction", rng.uniform(0.6, 0.95), rng.uniform(0.02, 0.2))
    yield Case("a negative pole, another fraction", -rng.uniform(0.6, 0.95), rng.uniform(0.02, 0.2))
    yield Case("a pole of zero", 0.0, weight=EDGE)
    yield Case("a pole beyond one", rng.uniform(1.001, 1.5), rng.uniform(0.02, 0.2), weight=EDGE)
    yield Case("a pole below minus one", -rng.uniform(1.001, 1.5), weight=EDGE)


def horizon_or_limit(steps, alpha):
    """The cases that most wrong ideas get right, and ``steps(|alpha|)`` for the others."""
    factor = abs(alpha)
    return np.inf if factor >= 1 else steps(factor) if factor else 0.0


@memory_horizon.wrong("Your 1 / (1 - alpha) is an approximation for 1/e; solve |alpha|^n = fraction for n.")
def rule_of_thumb(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: 1 / (1 - factor), alpha)


@memory_horizon.wrong("Your answer is always the time to 1/e; the numerator has to be the log of fraction.")
def ignores_the_fraction(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: -1 / np.log(factor), alpha)


@memory_horizon.wrong("Your logarithm of a negative alpha is not a number; take abs(alpha) first.")
def forgets_abs(alpha, fraction=1 / np.e):
    with np.errstate(invalid="ignore"):
        return np.inf if alpha >= 1 else np.log(fraction) / np.log(alpha) if alpha else 0.0


@memory_horizon.wrong("Your math.log refuses a negative alpha; take abs(alpha) before the logarithm.")
def forgets_abs_in_math(alpha, fraction=1 / np.e):
    return math.inf if alpha >= 1 else math.log(fraction) / math.log(alpha) if alpha else 0.0


@memory_horizon.wrong("Your quotient mixes log10 and the natural logarithm; use one base for both.")
def two_bases(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: np.log10(fraction) / np.log(factor), alpha)


@memory_horizon.wrong("Your count stops at whole steps; return the exact crossing as a float.")
def whole_steps(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: np.ceil(np.log(fraction) / np.log(factor)), alpha)


@memory_horizon.wrong("Your steps are negative; both logarithms are, so drop the minus.")
def minus_too_many(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: -np.log(fraction) / np.log(factor), alpha)


@memory_horizon.wrong("Your quotient is upside down; it is log(fraction) over log(|alpha|).")
def upside_down(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: np.log(factor) / np.log(fraction), alpha)


@memory_horizon.wrong("Your formula also runs for |alpha| >= 1, where nothing fades; return infinity there.")
def no_limit_at_one(alpha, fraction=1 / np.e):
    with np.errstate(divide="ignore"):
        return np.log(fraction) / np.log(abs(alpha))


@memory_horizon.variant
def horizon_in_base_ten(alpha, fraction=1 / np.e):
    return math.inf if abs(alpha) >= 1 else math.log10(fraction) / math.log10(abs(alpha)) if alpha else 0


@memory_horizon.variant
def horizon_by_numpy_limits(alpha, fraction=1 / np.e):
    with np.errstate(divide="ignore"):
        return np.where(np.abs(alpha) < 1, np.log2(fraction) / np.log2(np.abs(alpha)), np.inf)


@memory_horizon.variant
def horizon_in_float32(alpha, fraction=1 / np.e):
    return horizon_or_limit(lambda factor: np.log(np.float32(fraction)) / np.log(np.float32(factor)), alpha)


# frequency_response ---------------------------------------------------------------------------------

frequency_response = bank.function("frequency_response", reference.frequency_response)


@frequency_response.visible
def _():
    yield Case("one pole, constant input", [0.9], 0.1, [0.0])
    yield Case("one pole, four frequencies", np.array([0.8]), 0.5, np.array([0.3, 1.0, 2.0, np.pi]))
    yield Case("two poles in series", np.array([0.9, -0.5]), 3.0, np.array([0.2, 0.7, 1.5]))


@frequency_response.hidden
def _(rng):
    def poles(P):
        return rng.uniform(0.4, 0.95, size=P)

    def omega(N):
        return np.sort(rng.uniform(0.2, 3.0, size=N))

    yield Case("one pole", poles(1), rng.uniform(1.5, 4.0), omega(7))
    yield Case("one negative pole", -poles(1), rng.uniform(1.5, 4.0), omega(5))
    yield Case("two poles", poles(2), rng.uniform(1.5, 4.0), omega(6))
    yield Case("four poles of both signs", poles(4) * [1, -1, 1, -1], rng.uniform(1.5, 4.0), omega(3))
    yield Case("the same pole twice", np.repeat(poles(1), 2), rng.uniform(1.5, 4.0), omega(8))
    yield Case("one frequency, in lists", poles(3).tolist(), rng.uniform(1.5, 4.0), omega(1).tolist())


def in_series(poles, gain, delay):
    return gain / np.prod([1 - p * delay for p in poles], axis=0)


@frequency_response.wrong("Your angle has the wrong sign; one step of delay is e^(-i omega).")
def positive_angle(poles, gain, omega):
    return in_series(poles, gain, np.exp(1j * np.asarray(omega)))


@frequency_response.wrong("Your response is the magnitude; return the complex number, phase included.")
def magnitude_only(poles, gain, omega):
    return np.abs(reference.frequency_response(poles, gain, omega))


@frequency_response.wrong("Your omega is taken in cycles per step; it is in radians already, without 2 pi.")
def cycles_for_radians(poles, gain, omega):
    return in_series(poles, gain, np.exp(-2j * np.pi * np.asarray(omega)))


@frequency_response.wrong("Your omega is converted from degrees; it is in radians already.")
def degrees_for_radians(poles, gain, omega):
    return in_series(poles, gain, np.exp(-1j * np.deg2rad(omega)))


@frequency_response.wrong("Your responses are added, as for filters side by side; in series multiply them.")
def in_parallel(poles, gain, omega):
    delay = np.exp(-1j * np.asarray(omega))
    return gain * sum(1 / (1 - p * delay) for p in poles)


@frequency_response.wrong("Your denominator sums the poles; multiply one factor for each pole.")
def sum_of_the_poles(poles, gain, omega):
    return gain / (1 - np.sum(poles) * np.exp(-1j * np.asarray(omega)))


@frequency_response.wrong("Your gain enters once for every pole; it is the gain of the whole series.")
def gain_for_each_pole(poles, gain, omega):
    return reference.frequency_response(poles, gain ** len(poles), omega)


@frequency_response.wrong("Your response has no gain in it; multiply it by gain.")
def ignores_the_gain(poles, gain, omega):
    return reference.frequency_response(poles, 1.0, omega)


@frequency_response.wrong("Your factors stand in the numerator, where they make zeros; poles divide.")
def zeros_for_poles(poles, gain, omega):
    return gain**2 / reference.frequency_response(poles, gain, omega)


@frequency_response.wrong("Your factors are 1 + p e^(-i omega); their sign is a minus.")
def plus_in_the_factor(poles, gain, omega):
    return reference.frequency_response(-np.asarray(poles), gain, omega)


@frequency_response.wrong("Your loop keeps the last pole alone; divide the response you already have.")
def last_pole_only(poles, gain, omega):
    return reference.frequency_response(poles[-1:], gain, omega)


@frequency_response.variant
def loop_over_poles(poles, gain, omega):
    response = gain * np.ones(len(omega), dtype=complex)
    for p in poles:
        response /= 1 - p * np.exp(-1j * np.asarray(omega))
    return response


@frequency_response.variant
def lists_of_complex_numbers(poles, gain, omega):
    return [gain / math.prod(1 - float(p) * cmath.exp(-1j * w) for p in poles) for w in omega]


@frequency_response.variant
def polynomial_in_z(poles, gain, omega):
    z = np.exp(1j * np.asarray(omega))
    return gain * z ** len(poles) / np.polyval(np.poly(poles), z)


@frequency_response.variant
def response_in_complex64(poles, gain, omega):
    delay = np.exp(-1j * np.asarray(omega, dtype=np.float32)).astype(np.complex64)
    return np.float32(gain) / np.prod(1 - np.float32(poles) * delay[:, None], axis=1)


@frequency_response.variant
def response_in_torch(poles, gain, omega):
    import torch

    delay = torch.polar(torch.ones(len(omega)), -torch.as_tensor(omega, dtype=torch.float32))
    return gain / torch.prod(1 - torch.as_tensor(poles, dtype=torch.float32) * delay[:, None], dim=1)


# estimate_pole --------------------------------------------------------------------------------------

estimate_pole = bank.function("estimate_pole", reference.estimate_pole)


@estimate_pole.visible
def _():
    yield Case("an exact decay", [8, 4, 2, 1])
    yield Case("a decay with noise", np.array([5.0, 4.4, 3.1, 2.9, 1.8, 1.7]))
    yield Case("alternating, with noise", np.array([4.0, -3.5, 2.6, -2.4, 1.5]))


@estimate_pole.hidden
def _(rng):
    def decay(alpha, T, noise):
        errors = noise * rng.uniform(0.5, 1.0, size=T) * (-1.0) ** np.arange(T)  # up, down, up: never small
        return 4.0 * alpha ** np.arange(T) * (1 + errors)

    yield Case("without noise", decay(rng.uniform(0.6, 0.95), 5, 0.0), weight=EDGE)
    yield Case("with noise", decay(rng.uniform(0.6, 0.9), rng.integers(5, 9), 0.25))
    yield Case("alternating, with noise", decay(-rng.uniform(0.6, 0.9), rng.integers(5, 9), 0.25))
    yield Case("a noisy growth", decay(rng.uniform(1.05, 1.2), 7, 0.25))
    yield Case("two values", decay(rng.uniform(0.6, 0.9), 2, 0.25), weight=EDGE)
    whole = np.round(10 * decay(rng.uniform(0.6, 0.9), 6, 0.25)).astype(int)
    yield Case("whole numbers in a list", whole.tolist())


def pairs(h):
    h = np.asarray(h, dtype=float)
    return h[:-1], h[1:]


@estimate_pole.wrong("Your estimate is the first ratio h_1 / h_0 alone; sum over all pairs.")
def first_ratio(h):
    return h[1] / h[0]


@estimate_pole.wrong(
    "Your mean of ratios lets the smallest, noisiest values count most; minimise the squares."
)
def mean_of_ratios(h):
    before, after = pairs(h)
    return np.mean(after / before)


@estimate_pole.wrong("Your ratio of two sums gives all pairs the same weight; multiply each pair by h_(t-1).")
def ratio_of_sums(h):
    before, after = pairs(h)
    return after.sum() / before.sum()


@estimate_pole.wrong(
    "Your line through log |h_t| loses the sign of alpha; minimise the squares of h_t itself."
)
def slope_of_the_log(h):
    return np.exp(np.polyfit(np.arange(len(h)), np.log(np.abs(h)), 1)[0])


@estimate_pole.wrong("Your denominator sums all T squares; leave out the last value, which has no successor.")
def all_values_below(h):
    before, after = pairs(h)
    return before @ after / (before @ before + after[-1] ** 2)


@estimate_pole.wrong("Your denominator holds the squares of h_t; it needs those of h_(t-1).")
def later_values_below(h):
    before, after = pairs(h)
    return before @ after / (after @ after)


@estimate_pole.wrong("Your line has an intercept; the model alpha h_(t-1) goes through the origin.")
def line_with_an_intercept(h):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two values make one pair, too few for a line
        return np.polyfit(*pairs(h), 1)[0]


@estimate_pole.wrong("Your energies have no sign; multiply each h_t by its own h_(t-1).")
def root_of_energies(h):
    before, after = pairs(h)
    return np.sqrt((after @ after) / (before @ before))


@estimate_pole.wrong("Your correlation forgets how much h_t shrinks; divide by the squares of h_(t-1) alone.")
def correlation(h):
    before, after = pairs(h)
    return before @ after / np.sqrt((before @ before) * (after @ after))


@estimate_pole.variant
def solved_by_lstsq(h):
    before, after = pairs(h)
    return np.linalg.lstsq(before[:, None], after, rcond=None)[0][0]


@estimate_pole.variant
def summed_in_a_loop(h):
    return sum(h[t] * h[t - 1] for t in range(1, len(h))) / sum(h[t - 1] ** 2 for t in range(1, len(h)))


@estimate_pole.variant
def estimate_in_float32(h):
    before, after = pairs(np.asarray(h, dtype=np.float32))
    return np.float32(np.einsum("t,t", before, after) / np.vdot(before, before))


@estimate_pole.variant
def estimate_in_torch(h):
    import torch

    h = torch.as_tensor(h, dtype=torch.float32)
    return torch.dot(h[1:], h[:-1]) / torch.dot(h[:-1], h[:-1])


# concept questions ----------------------------------------------------------------------------------

bank.question(
    "first_to_settle",
    "c",
    "A step of height u gives h_t = beta u (1 - alpha^t) / (1 - alpha). Divided by the final value this is "
    "1 - alpha^t: neither beta nor u is left. Both filters pass 90 % at the 22nd step.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "A climbs faster, but to a final value ten times as high; compare the shares, not the heights.",
        "b": "B has the lower final value, but it climbs at a tenth of the speed; both effects cancel.",
        "d": "The filter is linear: a step twice as high doubles every state and the final value alike.",
    },
)


@bank.numbered((0.6,), (0.7,), (0.5,), (0.85,), (0.75,))
def pole_at_400_hz(alpha=0.8):
    right = alpha**0.25
    return Question(
        "pole_at_400_hz",
        right,
        "Four new steps last as long as one old step, so four factors must multiply to the old one: "
        "alpha^4 = "
        f"{alpha:g}, alpha = {alpha:g}^(1/4) = {right:.3f}. Factors multiply, so it is the logarithm that is "
        "shared out.",
        tolerance=0.001,
        replies={
            round(
                1 - (1 - alpha) / 4, 4
            ): "You shared out the loss 1 - alpha; factors multiply, so that is close only for alpha near 1.",
            round(alpha / 4, 4): "You divided the factor by four; four such factors would multiply to "
            f"{(alpha / 4) ** 4:.2g}.",
            round(
                alpha**4, 4
            ): "You took the fourth power; that is the factor over four old steps, for sampling at 25 Hz.",
            alpha: "You kept the factor; applied four times as often, it forgets four times as fast.",
        },
        numbers={"pole": alpha},
    )


bank.written(
    "delay_argument",
    "0.5: the delay in numbers, 22 steps against 230 (a factor of ten, or the ratio of horizons, is enough). "
    "1.0: the reason: each output is a weighted mean of past inputs; a calmer curve spreads the weights over "
    "more steps, so the new level needs longer to outweigh the old one (0.5 without the link to calm). "
    "0.5: beta scales jump and noise alike; it acts like another threshold and buys nothing.",
)
