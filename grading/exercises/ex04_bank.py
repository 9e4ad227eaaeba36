"""The bank of exercise 04, adaptive filters; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import math

import numpy as np

from course_utils.reference import ex04 as reference
from grading.bank import Bank, Case, Question

bank = Bank("ex04")

EDGE = 0.25  # the weight of a fresh case that a constant or a one-line shortcut answers too


def filtered(x, taps):
    """Rows through one FIR filter: targets that can be learned."""
    return np.array([np.convolve(row, taps)[: len(row)] for row in np.atleast_2d(x)])


def loop(x, alpha, beta, h0=0.0):
    """Rows through one one-pole filter."""
    x = np.atleast_2d(np.asarray(x, dtype=float))
    y, rows = h0 * np.ones(len(x)), np.empty(x.shape)
    for t in range(x.shape[1]):
        rows[:, t] = y = alpha * y + beta * x[:, t]
    return rows


# lms ------------------------------------------------------------------------------------------------

lms = bank.function("lms", reference.lms)


@lms.visible
def _():
    yield Case("one tap, by hand", [[1.0, 2.0]], [[3.0, 6.0]], 1, 0.1)
    x = np.array([[1.0, -2.0, 0.5, 3.0, -1.0], [2.0, 1.0, -1.0, 0.5, 1.5]])
    yield Case("two rows, three taps", x, np.array([[1.0, 0, -2, 1, 4], [0.5, 3, 1, -1, 2]]), 3, 0.05)
    yield Case("more taps than samples", [[2, 1]], [[1, 3]], 4, 0.1)
    yield Case("no samples", np.zeros((2, 0)), np.zeros((2, 0)), 3, 0.1)


@lms.hidden
def _(rng):
    def batch(B, T):
        x = rng.normal(size=(B, T))
        x[:, 0] = rng.uniform(1, 2, size=B)
        return x, filtered(x, rng.normal(size=3)) + rng.uniform(0.5, 1.0, size=(B, T))

    yield Case("one row, two taps", *batch(1, 12), 2, rng.uniform(0.02, 0.1))
    yield Case("three rows, four taps", *batch(3, int(rng.integers(10, 16))), 4, rng.uniform(0.02, 0.1))
    yield Case("one tap", *batch(2, 9), 1, rng.uniform(0.02, 0.1))
    yield Case("a single sample", *batch(2, 1), 3, rng.uniform(0.02, 0.1), weight=EDGE)
    x = rng.integers(1, 5, size=(2, 8))
    yield Case("whole numbers in lists", x.tolist(), (3 * x - 1).tolist(), 2, 0.01)
    yield Case("fewer samples than taps", *batch(2, 4), 6, rng.uniform(0.02, 0.1))
    yield Case("a long row", *batch(1, 80), 5, rng.uniform(0.01, 0.03))


def learned(x, d, taps, window, update):
    """LMS with a window and an update of one's own: what most wrong ideas have in common."""
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    w, errors = np.zeros((len(x), taps)), np.zeros(x.shape)
    for t in range(x.shape[1]):
        u = window(x, t, taps)
        y = (w * u).sum(axis=1)
        errors[:, t] = d[:, t] - y
        w = w + update(errors[:, t], u, y)
    return w, errors


def newest_first(x, t, taps):
    padded = np.hstack([np.zeros((len(x), taps - 1)), x])
    return padded[:, t : t + taps][:, ::-1]


@lms.wrong("Your update multiplies by the output y; the error e = d - y belongs there.")
def output_for_error(x, d, taps, mu):
    return learned(x, d, taps, newest_first, lambda e, u, y: mu * y[:, None] * u)


@lms.wrong("Your update climbs, away from the target; add mu times e times u.")
def climbs(x, d, taps, mu):
    return learned(x, d, taps, newest_first, lambda e, u, y: -mu * e[:, None] * u)


@lms.wrong("Your windows have the oldest input first, which turns the taps around; put x_t first.")
def oldest_first(x, d, taps, mu):
    w, errors = reference.lms(x, d, taps, mu)
    return w[:, ::-1].copy(), errors


@lms.wrong("Your step is twice as long, the gradient of e^2; the update here is mu e u, without the 2.")
def factor_two(x, d, taps, mu):
    return reference.lms(x, d, taps, 2 * mu)


@lms.wrong("Your update gives x_t to every tap; tap i moves by its own input, x_(t-i).")
def newest_input_for_all(x, d, taps, mu):
    return learned(x, d, taps, newest_first, lambda e, u, y: mu * e[:, None] * u[:, :1] * np.ones(taps))


@lms.wrong("Your window ends at x_(t-1), so the filter predicts; let it begin with x_t.")
def window_one_late(x, d, taps, mu):
    late = np.hstack([np.zeros((len(x), 1)), np.asarray(x, dtype=float)])
    return learned(late[:, : np.shape(x)[1]], d, taps, newest_first, lambda e, u, y: mu * e[:, None] * u)


@lms.wrong("Your loop waits until a window is full; put zeros before the first input and start at once.")
def waits_for_a_full_window(x, d, taps, mu):
    def window(x, t, taps):
        return newest_first(x, t, taps) * (t >= taps - 1)

    return learned(x, d, taps, window, lambda e, u, y: mu * e[:, None] * u)


@lms.wrong("Your windows wrap around to the end of the row; before the first input there are zeros.")
def wraps_around(x, d, taps, mu):
    def window(x, t, taps):
        return np.stack([x[:, (t - i) % x.shape[1]] for i in range(taps)], axis=1)

    return learned(x, d, taps, window, lambda e, u, y: mu * e[:, None] * u)


@lms.wrong("Your errors are taken after the update; e_t belongs to the taps before it.")
def errors_after_the_update(x, d, taps, mu):
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    w, errors = np.zeros((len(x), taps)), np.zeros(x.shape)
    for t in range(x.shape[1]):
        u = newest_first(x, t, taps)
        w = w + mu * (d[:, t] - (w * u).sum(axis=1))[:, None] * u
        errors[:, t] = d[:, t] - (w * u).sum(axis=1)
    return w, errors


@lms.wrong("Your step is divided by the energy of the window, which is normalised LMS; use mu as it is.")
def normalised(x, d, taps, mu):
    def update(e, u, y):
        return mu * e[:, None] * u / np.maximum((u * u).sum(axis=1, keepdims=True), 1e-12)

    return learned(x, d, taps, newest_first, update)


@lms.wrong("Your second row starts from the taps of the first; every row begins at zero.")
def carries_taps_across_rows(x, d, taps, mu):
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    w, weights, errors = np.zeros((1, taps)), np.empty((len(x), taps)), np.empty(x.shape)
    for row in range(len(x)):
        for t in range(x.shape[1]):
            u = newest_first(x[row : row + 1], t, taps)
            errors[row, t] = d[row, t] - (w @ u.T).item()
            w = w + mu * errors[row, t] * u
        weights[row] = w[0]
    return weights, errors


@lms.wrong("Your rows share one set of taps, moved by their mean update; each row learns its own.")
def shares_taps(x, d, taps, mu):
    def update(e, u, y):
        return np.broadcast_to((mu * e[:, None] * u).mean(axis=0), u.shape)

    return learned(x, d, taps, newest_first, update)


@lms.wrong("Your arrays inherit integers from x and are cut; make x and d arrays of floats first.")
def integer_taps(x, d, taps, mu):
    x, d = np.asarray(x), np.asarray(d)
    w, errors = np.zeros((len(x), taps), dtype=x.dtype), np.zeros_like(x)
    for t in range(x.shape[1]):
        u = newest_first(x, t, taps)
        errors[:, t] = d[:, t] - (w * u).sum(axis=1)
        w = (w + mu * errors[:, t, None] * u).astype(x.dtype)
    return w, errors


@lms.wrong("Your second value is the output; return the errors d - y.")
def returns_outputs(x, d, taps, mu):
    w, errors = reference.lms(x, d, taps, mu)
    return w, np.asarray(d, dtype=float) - errors


@lms.variant
def three_loops(x, d, taps, mu):
    weights, errors = [], []
    for row, target in zip(x, d, strict=True):
        w, e_row = [0.0] * taps, []
        for t, d_t in enumerate(target):
            u = [float(row[t - i]) if t >= i else 0.0 for i in range(taps)]
            e = float(d_t) - sum(a * b for a, b in zip(w, u, strict=True))
            w = [a + mu * e * b for a, b in zip(w, u, strict=True)]
            e_row.append(e)
        weights.append(w)
        errors.append(e_row)
    return weights, errors


@lms.variant
def shifted_line_of_inputs(x, d, taps, mu):
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    w, u, errors = np.zeros((len(x), taps)), np.zeros((len(x), taps)), []
    for x_t, d_t in zip(x.T, d.T, strict=True):
        u = np.concatenate([x_t[:, None], u[:, :-1]], axis=1)
        e = d_t - np.einsum("bk,bk->b", w, u)
        w = w + mu * e[:, None] * u
        errors.append(e)
    return [w, np.array(errors).T.reshape(x.shape)]


@lms.variant
def lms_in_float32(x, d, taps, mu):
    x, d = np.asarray(x, dtype=np.float32), np.asarray(d, dtype=np.float32)
    w, errors = np.zeros((len(x), taps), np.float32), np.zeros_like(x)
    for t in range(x.shape[1]):
        u = newest_first(x, t, taps).astype(np.float32)
        errors[:, t] = d[:, t] - (w * u).sum(axis=1)
        w = w + np.float32(mu) * errors[:, t, None] * u
    return w, errors


@lms.variant
def lms_in_torch(x, d, taps, mu):
    import torch

    x, d = torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(d, dtype=torch.float64)
    padded = torch.nn.functional.pad(x, (taps - 1, 0))
    w, errors = torch.zeros(len(x), taps, dtype=torch.float64), torch.zeros_like(x)
    for t in range(x.shape[1]):
        u = padded[:, t : t + taps].flip(1)
        errors[:, t] = d[:, t] - (w * u).sum(dim=1)
        w = w + mu * errors[:, t, None] * u
    return w, errors


# largest_stable_step --------------------------------------------------------------------------------

largest_stable_step = bank.function("largest_stable_step", reference.largest_stable_step)


@largest_stable_step.visible
def _():
    yield Case("two equal inputs, by hand", [1, 1], 2)
    yield Case("five inputs, three taps", np.array([2.0, -1.0, 0.5, 3.0, 1.0]), 3)
    yield Case("alternating inputs", np.array([1.0, -1.0, 1.5, -1.0, 1.0, -2.0]), 2)
    yield Case("silence", np.zeros(4), 2)


@largest_stable_step.hidden
def _(rng):
    def coloured(T):
        return loop(rng.normal(1.0, 1.0, size=T), rng.uniform(0.5, 0.9), rng.uniform(1.0, 2.0))[0]

    yield Case("coloured noise around 1, three taps", coloured(int(rng.integers(20, 30))), 3)
    yield Case("coloured noise, eight taps", coloured(60), 8)
    yield Case("white noise, four taps", rng.normal(size=40) * rng.uniform(1.5, 3.0), 4)
    yield Case("one tap", rng.normal(1.0, 2.0, size=7), 1, weight=EDGE)
    yield Case("one sample", rng.uniform(1, 3, size=1), 3, weight=EDGE)
    yield Case("fewer samples than taps", rng.uniform(1, 3, size=4), 6)
    yield Case("whole numbers in a list", rng.integers(1, 9, size=9).tolist(), 3)
    yield Case("silence", np.zeros(int(rng.integers(3, 9))), 2, weight=EDGE)


def window_rows(x, taps):
    """The windows of a row: (T, taps), newest first."""
    padded = np.concatenate([np.zeros(taps - 1), np.asarray(x, dtype=float)])
    return np.array([padded[t : t + taps][::-1] for t in range(len(x))])


def over(numerator, value):
    """A quotient that is infinite where there is nothing to divide by."""
    return numerator / value if value > 1e-12 else np.inf


def largest_of(matrix):
    return np.linalg.eigvalsh(matrix)[-1]


def R_of(x, taps):
    u = window_rows(x, taps)
    return u.T @ u / len(u)


@largest_stable_step.wrong(
    "Your bound is 1 / lambda_max; the factor 1 - mu lambda may go down to -1, so it is 2."
)
def half_the_bound(x, taps):
    return over(1, largest_of(R_of(x, taps)))


@largest_stable_step.wrong(
    "Your bound takes the smallest eigenvalue; the largest one is the first to overshoot."
)
def smallest_eigenvalue(x, taps):
    return over(2, np.linalg.eigvalsh(R_of(x, taps))[0])


@largest_stable_step.wrong(
    "Your bound is 2 / trace(R), for single runs; asked for is that of the mean, 2 / lambda_max."
)
def trace_bound(x, taps):
    return over(2, np.trace(R_of(x, taps)))


@largest_stable_step.wrong(
    "Your bound is 2 / power, as for white noise; neighbours that are alike enlarge lambda_max."
)
def power_alone(x, taps):
    return over(2, np.mean(np.square(np.asarray(x, dtype=float))))


@largest_stable_step.wrong(
    "Your matrix is the covariance of the windows; R keeps their mean, so do not subtract it."
)
def covariance(x, taps):
    u = window_rows(x, taps)
    return over(2, largest_of(np.atleast_2d(np.cov(u.T, bias=True))))


@largest_stable_step.wrong("Your R is the sum over all windows; divide by their number T.")
def sum_for_mean(x, taps):
    u = window_rows(x, taps)
    return over(2, largest_of(u.T @ u))


@largest_stable_step.wrong("Your R is divided by the number of taps; it is a mean over the T windows.")
def divided_by_taps(x, taps):
    u = window_rows(x, taps)
    return over(2, largest_of(u.T @ u / taps))


@largest_stable_step.wrong(
    "Your matrix holds correlations with ones on its diagonal; R has the power of x there."
)
def correlation_coefficients(x, taps):
    R = R_of(x, taps)
    size = np.sqrt(np.maximum(np.diag(R), 1e-30))
    return over(2, largest_of(R / np.outer(size, size))) if R.any() else np.inf


@largest_stable_step.wrong(
    "Your value comes from a singular value of the windows; lambda_max is its square over T."
)
def singular_value(x, taps):
    return over(2, np.linalg.norm(window_rows(x, taps), 2) / np.sqrt(len(x)))


@largest_stable_step.wrong(
    "Your R leaves out the windows at the start; they count, with zeros before the first input."
)
def full_windows_only(x, taps):
    u = window_rows(x, taps)[taps - 1 :]
    return over(2, largest_of(u.T @ u / len(u))) if len(u) else np.inf


@largest_stable_step.wrong(
    "Your matrix is the outer product of the mean window; average the outer products instead."
)
def outer_of_the_mean(x, taps):
    mean = window_rows(x, taps).mean(axis=0)
    return over(2, mean @ mean)


@largest_stable_step.wrong("Your answer for silence is 0; nothing ever overshoots there, so return infinity.")
def zero_for_silence(x, taps):
    bound = over(2, largest_of(R_of(x, taps)))
    return bound if np.isfinite(bound) else 0.0


@largest_stable_step.variant
def from_the_largest_singular_value(x, taps):
    size = np.linalg.svd(window_rows(x, taps), compute_uv=False)[0]
    return 2 * len(x) / size**2 if size else float("inf")


@largest_stable_step.variant
def sum_of_outer_products(x, taps):
    R = sum(np.outer(u, u) for u in window_rows(x, taps)) / len(x)
    largest = np.linalg.eigvals(R).real.max()
    return 2 / largest if largest > 0 else np.inf


@largest_stable_step.variant
def step_in_float32(x, taps):
    u = window_rows(x, taps).astype(np.float32)
    largest = np.linalg.eigvalsh(np.einsum("ti,tj->ij", u, u) / len(u)).max()
    return np.float32(2) / largest if largest > 0 else np.inf


@largest_stable_step.variant
def step_in_torch(x, taps):
    import torch

    u = torch.as_tensor(window_rows(x, taps))
    return 2 / torch.linalg.eigvalsh(u.T @ u / len(u)).max()


# pole_gradient --------------------------------------------------------------------------------------

pole_gradient = bank.function("pole_gradient", reference.pole_gradient)


@pole_gradient.visible
def _():
    yield Case("two steps, by hand", [[1, 0]], [[3, 1]], 0.5, 2.0, 4.0)
    x = np.array([[1.0, -1.0, 2.0, 0.5], [0.0, 3.0, -1.0, 1.0]])
    d = np.array([[2.0, 1.0, 0.0, -1.0], [1.0, -2.0, 3.0, 0.5]])
    yield Case("two rows from zero", x, d, 0.8, 0.5, 0.0)
    yield Case("a negative pole, a start", x, d, -0.6, 1.5, 2.0)


@pole_gradient.hidden
def _(rng):
    def batch(B, T):
        return rng.normal(size=(B, T)), rng.normal(size=(B, T)) + rng.uniform(1.0, 2.0, size=(B, 1))

    def start():
        return rng.uniform(1.0, 3.0)

    yield Case("one row from zero", *batch(1, 8), rng.uniform(0.5, 0.9), rng.uniform(1.5, 3.0), 0.0)
    yield Case("three rows and a start", *batch(3, 7), rng.uniform(0.5, 0.9), rng.uniform(1.5, 3.0), start())
    yield Case("a negative pole", *batch(2, 9), -rng.uniform(0.5, 0.9), rng.uniform(1.5, 3.0), start())
    yield Case("a single step", *batch(2, 1), rng.uniform(0.5, 0.9), 1.5, start(), weight=EDGE)
    yield Case("a long row", *batch(1, 60), 0.95, rng.uniform(0.2, 0.6), start())
    yield Case("a pole outside the circle", *batch(2, 10), 1.1, rng.uniform(0.5, 1.0), start())
    x = rng.integers(1, 5, size=(2, 5)).tolist()
    yield Case("whole numbers in lists", x, rng.integers(1, 9, size=(2, 5)).tolist(), 0.5, 2, 1)


def gradient(x, d, alpha, beta, h0, step, reduce=np.mean, sign=-1.0):
    """The gradient by a step (y, s, b, g, x_t) -> (y, s, b, g) of one's own."""
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    B, T = x.shape
    y, s, b, g = h0 * np.ones(B), np.zeros(B), np.zeros(B), np.ones(B)
    slopes, errors = np.zeros((3, B, T)), np.zeros((B, T))
    for t in range(T):
        y, s, b, g = step(y, s, b, g, x[:, t])
        errors[:, t], slopes[:, :, t] = d[:, t] - y, (s, b, g)
    return np.array([sign * reduce(errors * slope) for slope in slopes])


def right_step(alpha, beta):
    def step(y, s, b, g, x_t):
        return alpha * y + beta * x_t, y + alpha * s, x_t + alpha * b, alpha * g

    return step


@pole_gradient.wrong(
    "Your derivative by alpha is y_(t-1) alone; it has a state of its own, add alpha times its last value."
)
def no_state_for_alpha(x, d, alpha, beta, h0):
    def step(y, s, b, g, x_t):
        return alpha * y + beta * x_t, y, x_t + alpha * b, alpha * g

    return gradient(x, d, alpha, beta, h0, step)


@pole_gradient.wrong(
    "Your derivative by beta is x_t alone; earlier inputs came in with beta too, add alpha "
    "times its last value."
)
def no_state_for_beta(x, d, alpha, beta, h0):
    def step(y, s, b, g, x_t):
        return alpha * y + beta * x_t, y + alpha * s, x_t, alpha * g

    return gradient(x, d, alpha, beta, h0, step)


@pole_gradient.wrong(
    "Your derivative by alpha takes in the new y_t; it belongs to y_(t-1), so update it before y."
)
def fed_with_the_new_output(x, d, alpha, beta, h0):
    def step(y, s, b, g, x_t):
        y = alpha * y + beta * x_t
        return y, y + alpha * s, x_t + alpha * b, alpha * g

    return gradient(x, d, alpha, beta, h0, step)


@pole_gradient.wrong("Your derivative by alpha is fed with the inputs x_t; feed it with the outputs y_(t-1).")
def fed_with_the_input(x, d, alpha, beta, h0):
    def step(y, s, b, g, x_t):
        return alpha * y + beta * x_t, x_t + alpha * s, x_t + alpha * b, alpha * g

    return gradient(x, d, alpha, beta, h0, step)


@pole_gradient.wrong(
    "Your signs are those of the step downhill; the gradient itself is minus the mean of e times the slope."
)
def downhill(x, d, alpha, beta, h0):
    return -reference.pole_gradient(x, d, alpha, beta, h0)


@pole_gradient.wrong("Your gradient is that of the mean of e^2; J has a half in front, which cancels the 2.")
def without_the_half(x, d, alpha, beta, h0):
    return 2 * reference.pole_gradient(x, d, alpha, beta, h0)


@pole_gradient.wrong("Your gradient sums over rows and steps; divide by B times T.")
def sum_over_all(x, d, alpha, beta, h0):
    return gradient(x, d, alpha, beta, h0, right_step(alpha, beta), np.sum)


@pole_gradient.wrong("Your gradient is a mean over the steps but a sum over the rows; divide by B as well.")
def sum_over_rows(x, d, alpha, beta, h0):
    return len(x) * reference.pole_gradient(x, d, alpha, beta, h0)


@pole_gradient.wrong("Your gradient is a mean over the rows but a sum over the steps; divide by T as well.")
def sum_over_steps(x, d, alpha, beta, h0):
    return np.shape(x)[1] * reference.pole_gradient(x, d, alpha, beta, h0)


@pole_gradient.wrong("Your slopes lack the error; by the chain rule each is multiplied by -e_t.")
def slopes_without_errors(x, d, alpha, beta, h0):
    def ones(products):
        return products.mean()

    x = np.asarray(x, dtype=float)
    y = loop(x, alpha, beta, h0)
    return gradient(x, y + 1.0, alpha, beta, h0, right_step(alpha, beta), ones, 1.0)


@pole_gradient.wrong("Your loss looks at the last step only; the mean runs over all steps.")
def last_step_only(x, d, alpha, beta, h0):
    return gradient(x, d, alpha, beta, h0, right_step(alpha, beta), lambda products: products[:, -1].mean())


@pole_gradient.wrong("Your filter forgets its start; y before the first input is h0.")
def starts_from_zero(x, d, alpha, beta, h0):
    return reference.pole_gradient(x, d, alpha, beta, 0.0)


@pole_gradient.wrong(
    "Your derivative by h0 is one step late: after t steps the start is multiplied by alpha^t."
)
def start_one_step_late(x, d, alpha, beta, h0):
    late = reference.pole_gradient(x, d, alpha, beta, h0)
    return np.array([late[0], late[1], late[2] / alpha])


@pole_gradient.wrong("Your derivative by h0 is 1 at every step; each step multiplies it by alpha.")
def start_never_fades(x, d, alpha, beta, h0):
    def step(y, s, b, g, x_t):
        return alpha * y + beta * x_t, y + alpha * s, x_t + alpha * b, g

    return gradient(x, d, alpha, beta, h0, step)


@pole_gradient.wrong("Your loop is fed with the targets d_(t-1) in place of its own outputs y_(t-1).")
def fed_with_the_targets(x, d, alpha, beta, h0):
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    before = np.hstack([h0 * np.ones((len(d), 1)), d[:, :-1]])
    e = d - alpha * before - beta * x
    first = np.zeros_like(e)
    first[:, 0] = alpha
    return -np.array([np.mean(e * before), np.mean(e * x), np.mean(e * first)])


@pole_gradient.variant
def central_differences(x, d, alpha, beta, h0):
    def J(alpha, beta, h0):
        return np.mean((np.asarray(d) - loop(x, alpha, beta, h0)) ** 2) / 2

    at, h = np.array([alpha, beta, h0], dtype=float), 1e-5
    return [(J(*(at + h * axis)) - J(*(at - h * axis))) / (2 * h) for axis in np.eye(3)]


@pole_gradient.variant
def backward_through_time(x, d, alpha, beta, h0):
    x, d = np.asarray(x, dtype=float), np.asarray(d, dtype=float)
    y = loop(x, alpha, beta, h0)
    before = np.hstack([h0 * np.ones((len(x), 1)), y[:, :-1]])
    delta, total = np.zeros(len(x)), np.zeros(3)
    for t in reversed(range(x.shape[1])):
        delta = (y[:, t] - d[:, t]) + alpha * delta
        total += [delta @ before[:, t], delta @ x[:, t], alpha * delta.sum() if t == 0 else 0.0]
    return total / x.size


@pole_gradient.variant
def gradient_by_autograd(x, d, alpha, beta, h0):
    import torch

    x, d = torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(d, dtype=torch.float64)
    at = torch.tensor([alpha, beta, h0], dtype=torch.float64, requires_grad=True)
    y, loss = at[2] * torch.ones(len(x), dtype=torch.float64), 0.0
    for t in range(x.shape[1]):
        y = at[0] * y + at[1] * x[:, t]
        loss = loss + ((d[:, t] - y) ** 2).sum() / (2 * x.numel())
    loss.backward()
    return at.grad


@pole_gradient.variant
def gradient_in_float32(x, d, alpha, beta, h0):
    x, d = np.asarray(x, dtype=np.float32), np.asarray(d, dtype=np.float32)
    alpha, beta = np.float32(alpha), np.float32(beta)
    y, slopes, total = np.full(len(x), h0, np.float32), np.zeros((3, len(x)), np.float32), 0
    slopes[2] = 1
    for t in range(x.shape[1]):
        slopes = alpha * slopes + np.stack([y, x[:, t], 0 * y])
        y = alpha * y + beta * x[:, t]
        total = total + ((y - d[:, t]) * slopes).sum(axis=1)
    return total / np.float32(x.size)


# adapt_pole -----------------------------------------------------------------------------------------

adapt_pole = bank.function("adapt_pole", reference.adapt_pole)


@adapt_pole.visible
def _():
    yield Case("two samples, by hand", [1, 0], [2, 2], 0.5, 1.0, 0.5, 0.9)
    x = np.array([1.0, 0.5, -1.0, 2.0, 1.0, -0.5, 1.0, 1.5])
    yield Case("no limit in reach", x, loop(x, 0.6, 1.0)[0], 0.2, 0.5, 0.05, 0.95)
    yield Case("put back to 0.7", x, loop(x, 0.99, 1.5)[0], 0.5, 0.5, 0.2, 0.7)
    yield Case("put back to -0.7", x, loop(x, -0.99, 1.5)[0], -0.5, 0.5, 0.2, 0.7)


@adapt_pole.hidden
def _(rng):
    def task(T, alpha, beta):
        x = rng.uniform(0.5, 1.5, size=T) * rng.choice([-1.0, 1.0], size=T)
        return x, loop(x, alpha, beta)[0]

    limit = rng.uniform(0.6, 0.75)
    constant = rng.uniform(0.8, 1.2, size=20)
    swing = constant * (-1.0) ** np.arange(20)
    yield Case("a pole within reach", *task(40, rng.uniform(0.4, 0.6), 1.5), 0.1, 0.5, 0.03, 0.95)
    yield Case("a negative pole", *task(40, -rng.uniform(0.4, 0.6), 1.5), 0.2, 0.5, 0.03, 0.95)
    yield Case("a target beyond the limit", constant, loop(constant, 0.98, 1.0)[0], 0.5, 0.5, 0.05, limit)
    yield Case("one below minus the limit", swing, loop(swing, -0.98, 1.0)[0], -0.5, 0.5, 0.05, limit)
    yield Case("a single sample", *task(1, 0.5, 1.5), 0.3, 0.5, 0.1, 0.9, weight=EDGE)
    x = rng.integers(1, 4, size=8)
    yield Case("whole numbers in lists", x.tolist(), (2 * x).tolist(), 0.5, 1, 0.01, 0.9)
    yield Case("a start beyond the limit", *task(12, 0.5, 1.0), 0.9, 0.5, 0.02, limit, weight=EDGE)


def clip(alpha, limit):
    return min(max(alpha, -limit), limit)


@np.errstate(over="ignore", invalid="ignore")  # without a guard a pole may run away
def adapted(x, d, alpha, beta, mu, limit, *, guard=clip, slopes=None, update=None):
    """Online learning with a guard, slopes or an update of one's own."""
    path, y, s, b = np.zeros((len(x), 2)), 0.0, 0.0, 0.0
    slopes = slopes or (lambda alpha, y, s, b, x_t: (y + alpha * s, x_t + alpha * b))
    update = update or (lambda e, s, b: (mu * e * s, mu * e * b))
    for t in range(len(x)):
        s, b = slopes(alpha, y, s, b, x[t])
        y = alpha * y + beta * x[t]
        by_alpha, by_beta = update(d[t] - y, s, b)
        alpha, beta = guard(alpha + by_alpha, limit), beta + by_beta
        path[t] = alpha, beta
    return path


@adapt_pole.wrong(
    "Your derivative by alpha is y_(t-1) alone, without its own state; add alpha times its last value."
)
def adapts_without_state(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, slopes=lambda a, y, s, b, x_t: (y, x_t + a * b))


@adapt_pole.wrong(
    "Your derivative by beta is x_t alone, without its own state; add alpha times its last value."
)
def gain_without_state(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, slopes=lambda a, y, s, b, x_t: (y + a * s, x_t))


@adapt_pole.wrong(
    "Your guard puts the pole back to exactly 1, where nothing is forgotten; put it back to limit."
)
def clips_to_one(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, guard=lambda a, limit: clip(a, 1.0))


@adapt_pole.wrong(
    "Your pole goes wherever the step takes it; put it back into [-limit, limit] after each update."
)
def no_guard(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, guard=lambda a, limit: a)


@adapt_pole.wrong("Your guard works on one side; a pole below -limit is put back to -limit too.")
def one_sided_guard(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, guard=lambda a, limit: min(a, limit))


@adapt_pole.wrong("Your guard drops the whole step of the pole; move it to the limit instead.")
def refuses_the_step(x, d, alpha, beta, mu, limit):
    path, y, s, b = np.zeros((len(x), 2)), 0.0, 0.0, 0.0
    for t in range(len(x)):
        s, b = y + alpha * s, x[t] + alpha * b
        y = alpha * y + beta * x[t]
        e = d[t] - y
        alpha = alpha + mu * e * s if abs(alpha + mu * e * s) <= limit else alpha
        beta = beta + mu * e * b
        path[t] = alpha, beta
    return path


@adapt_pole.wrong("Your guard loses the sign: a pole below -limit goes to -limit, not to +limit.")
def loses_the_sign(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, guard=lambda a, limit: a if abs(a) <= limit else limit)


@adapt_pole.wrong("Your guard holds the gain beta as well; only the pole can make the loop explode.")
def guards_the_gain(x, d, alpha, beta, mu, limit):
    path, y, s, b = np.zeros((len(x), 2)), 0.0, 0.0, 0.0
    for t in range(len(x)):
        s, b = y + alpha * s, x[t] + alpha * b
        y = alpha * y + beta * x[t]
        e = d[t] - y
        alpha, beta = clip(alpha + mu * e * s, limit), clip(beta + mu * e * b, limit)
        path[t] = alpha, beta
    return path


@adapt_pole.wrong("Your steps go uphill; add mu times e times the derivative.")
def adapts_uphill(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, update=lambda e, s, b: (-mu * e * s, -mu * e * b))


@adapt_pole.wrong("Your gain is never learned; beta moves by mu times e times its own derivative.")
def gain_stays(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, mu, limit, update=lambda e, s, b: (mu * e * s, 0.0))


@adapt_pole.wrong(
    "Your step is twice as long, the gradient of e^2; here it is mu e times the derivative, without the 2."
)
def adapts_twice_as_fast(x, d, alpha, beta, mu, limit):
    return adapted(x, d, alpha, beta, 2 * mu, limit)


@adapt_pole.wrong(
    "Your loop is fed with the target d_(t-1) in place of its own output, so it is no loop any more."
)
def fed_with_the_last_target(x, d, alpha, beta, mu, limit):
    path, before = np.zeros((len(x), 2)), 0.0
    for t in range(len(x)):
        e = d[t] - alpha * before - beta * x[t]
        alpha, beta = clip(alpha + mu * e * before, limit), beta + mu * e * x[t]
        before, path[t] = d[t], (alpha, beta)
    return path


@adapt_pole.wrong(
    "Your derivative by alpha is fed with the new y_t; it takes y_(t-1), so update it before y."
)
def adapts_with_the_new_output(x, d, alpha, beta, mu, limit):
    def slopes(a, y, s, b, x_t):
        return a * y + beta * x_t + a * s, x_t + a * b

    path, y, s, b = np.zeros((len(x), 2)), 0.0, 0.0, 0.0
    for t in range(len(x)):
        s, b = slopes(alpha, y, s, b, x[t])
        y = alpha * y + beta * x[t]
        e = d[t] - y
        alpha, beta = clip(alpha + mu * e * s, limit), beta + mu * e * b
        path[t] = alpha, beta
    return path


@adapt_pole.wrong("Your path begins with the start; its first row is what the first sample has made of it.")
def path_with_the_start(x, d, alpha, beta, mu, limit):
    path = reference.adapt_pole(x, d, alpha, beta, mu, limit)
    return np.vstack([[alpha, beta], path])[:-1]


@adapt_pole.wrong("Your result is the last pole and gain; keep them after every sample.")
def last_pair_only(x, d, alpha, beta, mu, limit):
    return reference.adapt_pole(x, d, alpha, beta, mu, limit)[-1]


@adapt_pole.variant
def adapt_with_lists(x, d, alpha, beta, mu, limit):
    y, s, b, path = 0.0, 0.0, 0.0, []
    for x_t, d_t in zip(x, d, strict=True):
        y, s, b = alpha * y + beta * x_t, y + alpha * s, x_t + alpha * b
        e = d_t - y
        alpha, beta = float(np.clip(alpha + mu * e * s, -limit, limit)), float(beta + mu * e * b)
        path.append([alpha, beta])
    return path


@adapt_pole.variant
def adapt_with_vectors(x, d, alpha, beta, mu, limit):
    w, y, slope, path = np.array([alpha, beta], dtype=float), 0.0, np.zeros(2), []
    for x_t, d_t in zip(x, d, strict=True):
        u = np.array([y, x_t], dtype=float)
        slope = u + w[0] * slope
        y = w @ u
        w = w + mu * (d_t - y) * slope
        w[0] = np.maximum(-limit, np.minimum(limit, w[0]))
        path.append(w)
    return np.stack(path)


@adapt_pole.variant
def adapt_in_float32(x, d, alpha, beta, mu, limit):
    x, d = np.asarray(x, dtype=np.float32), np.asarray(d, dtype=np.float32)
    alpha, beta, mu, limit = map(np.float32, (alpha, beta, mu, limit))
    y = s = b = np.float32(0)
    path = np.zeros((len(x), 2), np.float32)
    for t in range(len(x)):
        s, b = y + alpha * s, x[t] + alpha * b
        y = alpha * y + beta * x[t]
        alpha, beta = np.clip(alpha + mu * (d[t] - y) * s, -limit, limit), beta + mu * (d[t] - y) * b
        path[t] = alpha, beta
    return path


@adapt_pole.variant
def adapt_in_torch(x, d, alpha, beta, mu, limit):
    import torch

    x, d = torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(d, dtype=torch.float64)
    w = torch.tensor([alpha, beta], dtype=torch.float64)
    y, slope, path = torch.zeros((), dtype=torch.float64), torch.zeros(2, dtype=torch.float64), []
    for x_t, d_t in zip(x, d, strict=True):
        u = torch.stack([y, x_t])
        slope, y = u + w[0] * slope, w @ u
        w = w + mu * (d_t - y) * slope
        w = torch.stack([w[0].clamp(-limit, limit), w[1]])
        path.append(w)
    return torch.stack(path)


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((5, 0.04), (8, 0.04), (4, 0.08), (10, 0.05), (5, 0.1))
def samples_to_learn(large=4, small=0.04):
    mu = 1 / large
    factor = 1 - mu * small
    right = round(-1 / math.log(factor), 1)
    return Question(
        "samples_to_learn",
        right,
        "A step multiplies the component along an axis by 1 - mu lambda. Along the slow axis that is "
        f"1 - {mu:g} * {small:g} = {factor:g}, and a factor {factor:g} falls to 1/e in -1 / ln {factor:g} "
        f"= {right:g} "
        f"steps, nearly 1 / (mu lambda) = {1 / (mu * small):g}.",
        tolerance=0.6,
        replies={
            1.0: f"You took the large eigenvalue: with 1 - {mu:g} * {large:g} = 0 its component is gone "
            "in one "
            "sample, but the slow one has hardly moved.",
            1 / small: "That is 1 / lambda of the slow axis; the step counts as well, the factor is 1 - mu "
            "lambda.",
            round(
                -1 / math.log(1 - 2 * mu * small), 1
            ): "You used twice the step; the factor of the slow axis is "
            f"1 - {mu:g} * {small:g} = {factor:g}.",
            1 / mu: "That is 1 / mu; each axis has its own factor, 1 - mu lambda.",
        },
        numbers={"large": large, "small": small, "mu": mu},
    )


bank.question(
    "which_loop",
    "d",
    "Only d has two states that it returns to by itself, about +0.995 and -0.995, and a small "
    "input is pulled back: "
    "from 0.995 the sign changes only below -3 * 0.995. a and b are linear, and c forgets: its "
    "factor is at most 0.5.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "It forgets: half of the state is lost at every step, so after ten steps a pulse is down to a "
        "thousandth.",
        "b": "It holds, but it is linear: pulses of 0.1 are not ignored, they add up, and "
        "nothing bounds the sum.",
        "c": "It is bounded by the tanh, but its factor is at most 0.5, so it forgets at least as fast as a.",
    },
)

bank.written(
    "wall_argument",
    "0.5: what happened: one update carried the pole across the unit circle; output and "
    "derivative share the factor "
    "1.03, so over the row both grow (1.03^1000 is about 7e12), and the next gradient is useless. "
    "0.5: a clip to exactly 1 is no cure: on the circle nothing is forgotten, output and "
    "gradient still grow with the "
    "row (0.25 for saying only that the limit should be below 1). "
    "0.5: a step ten times smaller makes it rarer, not impossible, and slows learning "
    "everywhere; the curvature near "
    "the circle grows without bound, so no fixed step is safe. "
    "0.5: a sound proposal with its price: projection to a limit below 1, a parametrisation "
    "such as tanh, or cutting "
    "long steps (any one, with what it costs or leaves open).",
)
