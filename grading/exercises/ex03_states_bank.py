"""The first part of the bank of exercise 03: the states of a matrix recursion; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools

import numpy as np

from course_utils.reference import ex03 as reference
from grading.bank import Bank, Case

bank = Bank("ex03")

EDGE = 0.25  # the weight of a fresh case that a constant or a one-line shortcut answers too


# linear_states --------------------------------------------------------------------------------------

linear_states = bank.function("linear_states", reference.linear_states)


@linear_states.visible
def _():
    A, B = [[0.5, 1], [0, 0.5]], [[0], [1]]
    yield Case("the example by hand, in lists", A, B, [[[2], [0], [1]]], [[1, 0]])
    A, B = np.array([[0.9, 0.3], [-0.2, 0.8]]), np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 0.0]])
    x = np.array(
        [[[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], [[2.0, 0, 1], [0, 0, 0], [1, 0, 3], [0, 1, 0]]]
    )
    yield Case("two sequences from zero", A, B, x)
    yield Case("the same from two starts", A, B, x, np.array([[1.0, -2.0], [0.5, 3.0]]))
    yield Case("no steps at all", A, B, np.zeros((2, 0, 3)))


@linear_states.hidden
def _(rng):
    def system(H, d, size=0.9):
        A = rng.uniform(0.2, 1.0, size=(H, H)) * np.where(rng.random((H, H)) < 0.4, -1, 1)
        A[0, -1] = 2 * A[0, -1] + np.sign(A[0, -1])  # far from symmetric
        return size * A / np.abs(np.linalg.eigvals(A)).max(), rng.uniform(0.5, 1.5, size=(H, d))

    def inputs(N, T, d):
        return rng.normal(size=(N, T, d))

    yield Case("two numbers, one input", *system(2, 1), inputs(3, 5, 1))
    yield Case("four numbers, two inputs, a start", *system(4, 2), inputs(3, 6, 2), rng.normal(size=(3, 4)))
    yield Case("more inputs than numbers", *system(2, 5), inputs(4, 7, 5), rng.normal(size=(4, 2)))
    yield Case("a single step", *system(3, 2), inputs(2, 1, 2), rng.normal(size=(2, 3)))
    yield Case("one long sequence", *system(3, 2, 0.97), inputs(1, 40, 2), rng.normal(size=(1, 3)))
    yield Case("a growing state", *system(3, 1, 1.05), inputs(2, 9, 1), rng.normal(size=(2, 3)))
    A, B = system(2, 1)
    whole = rng.integers(1, 9, size=(2, 5, 1)).tolist()
    yield Case("whole numbers in lists", A.tolist(), B.tolist(), whole, [[3, 1], [2, 5]])
    yield Case("no steps", *system(3, 2), np.zeros((4, 0, 2)), rng.normal(size=(4, 3)), weight=EDGE)


def carry(step, x, start):
    """States of a batch carried with ``step(h, x_t)``: what most wrong ideas have in common."""
    x, h = np.asarray(x, dtype=float), start
    states = np.empty((*x.shape[:2], start.shape[1]))
    for t in range(x.shape[1]):
        states[:, t] = h = step(h, x[:, t])
    return states


def with_arrays(idea):
    """Give a wrong idea arrays of floats and a start, whatever came."""

    @functools.wraps(idea)
    def called(A, B, x, h0=None):
        A, B, x = (np.asarray(value, dtype=float) for value in (A, B, x))
        start = np.zeros((len(x), len(A))) if h0 is None else np.asarray(h0, dtype=float)
        return idea(A, B, x, start)

    return called


@linear_states.wrong("Your states multiply A from the wrong side; for rows of states it is h @ A.T.")
@with_arrays
def matrix_on_the_wrong_side(A, B, x, start):
    return carry(lambda h, x_t: h @ A + x_t @ B.T, x, start)


@linear_states.wrong("Your sequences always start from zero; start them from h0 when h0 is given.")
@with_arrays
def ignores_the_start(A, B, x, start):
    return carry(lambda h, x_t: h @ A.T + x_t @ B.T, x, 0 * start)


@linear_states.wrong("Your input goes through A in the step in which it arrives; add B x_t after A h.")
@with_arrays
def input_through_the_matrix(A, B, x, start):
    return carry(lambda h, x_t: (h + x_t @ B.T) @ A.T, x, start)


@linear_states.wrong("Your input comes one step late; the state after step t contains B x_t already.")
@with_arrays
def input_one_step_late(A, B, x, start):
    late = np.concatenate([0 * x[:, :1], x[:, :-1]], axis=1)
    return carry(lambda h, x_t: h @ A.T + x_t @ B.T, late, start)


@linear_states.wrong(
    "Your step scales each number by an eigenvalue as if it were a coordinate; use A itself."
)
@with_arrays
def eigenvalues_on_the_numbers(A, B, x, start):
    factors = np.abs(np.linalg.eigvals(A))
    return carry(lambda h, x_t: h * factors + x_t @ B.T, x, start)


@linear_states.wrong("Your step uses the diagonal of A alone; every number also gets a share of the others.")
@with_arrays
def diagonal_only(A, B, x, start):
    return carry(lambda h, x_t: h * np.diag(A) + x_t @ B.T, x, start)


@linear_states.wrong("Your steps all begin at h0 again; assign the new state to h.")
@with_arrays
def never_carries(A, B, x, start):
    return carry(lambda _, x_t: start @ A.T + x_t @ B.T, x, start)


@linear_states.wrong("Your states are stored before the update; update h first, then store it.")
@with_arrays
def stores_before_the_update(A, B, x, start):
    states = reference.linear_states(A, B, x, start)
    return np.concatenate([start[:, None], states], axis=1)[:, : x.shape[1]]


@linear_states.wrong("Your result has h0 in front, T + 1 states; begin with the state after the first input.")
@with_arrays
def counts_the_start(A, B, x, start):
    return np.concatenate([start[:, None], reference.linear_states(A, B, x, start)], axis=1)


@linear_states.wrong("Your result holds the last state only; keep the state of every step.")
@with_arrays
def last_state_only(A, B, x, start):
    return counts_the_start(A, B, x, start)[:, -1]


@linear_states.wrong("Your result has time first, (T, N, H); stack along axis 1 to return (N, T, H).")
@with_arrays
def time_first(A, B, x, start):
    return np.swapaxes(reference.linear_states(A, B, x, start), 0, 1)


@linear_states.wrong("Your second sequence goes on where the first ended; start each from its own h0.")
@with_arrays
def carries_across_sequences(A, B, x, start):
    h, done = start[:1], []
    for row in x:
        done.append(reference.linear_states(A, B, row[None], h))
        h = done[-1][:, -1] if len(row) else h
    return np.concatenate(done)


@linear_states.wrong("Your closed form raises each entry of A to a power; use np.linalg.matrix_power.")
@with_arrays
def powers_of_the_entries(A, B, x, start):
    T = x.shape[1]
    driven = x @ B.T
    rows = [
        start @ (A ** (t + 1)).T + sum(driven[:, t - i] @ (A**i).T for i in range(t + 1)) for t in range(T)
    ]
    return np.stack(rows, axis=1) if rows else np.zeros((len(x), 0, len(A)))


@linear_states.wrong("Your states inherit integers from x and are cut; make x an array of floats first.")
def integer_states(A, B, x, h0=None):
    A, B, x = np.asarray(A), np.asarray(B), np.asarray(x)
    h = np.zeros((len(x), len(A))) if h0 is None else np.asarray(h0)
    states = np.zeros((*x.shape[:2], len(A)), dtype=x.dtype)
    for t in range(x.shape[1]):
        states[:, t] = h @ A.T + x[:, t] @ B.T
        h = states[:, t]
    return states


@linear_states.variant
def three_loops_over_lists(A, B, x, h0=None):
    H, states = len(A), []
    for n, row in enumerate(x):
        h, done = [0.0] * H if h0 is None else list(h0[n]), []
        for x_t in row:
            h = [float(np.dot(A[i], h) + np.dot(B[i], x_t)) for i in range(H)]
            done.append(h)
        states.append(done)
    return np.reshape(states, (len(x), len(x[0]), H))


@linear_states.variant
def by_powers_of_the_matrix(A, B, x, h0=None):
    A, B, x = (np.asarray(value, dtype=float) for value in (A, B, x))
    start = np.zeros((len(x), len(A))) if h0 is None else np.asarray(h0, dtype=float)
    T, power = x.shape[1], np.linalg.matrix_power
    states = np.zeros((len(x), T, len(A)))
    for t in range(T):
        states[:, t] = start @ power(A, t + 1).T
        for i in range(t + 1):
            states[:, t] += x[:, t - i] @ B.T @ power(A, i).T
    return states


@linear_states.variant
def with_einsum(A, B, x, h0=None):
    driven = np.einsum("hd,ntd->tnh", B, x)
    h = np.zeros(driven.shape[1:]) if h0 is None else np.asarray(h0)
    states = [h := np.einsum("hk,nk->nh", A, h) + b for b in driven]
    return np.stack(states, axis=1) if states else np.moveaxis(driven, 0, 1)


@linear_states.variant
def linear_states_in_float32(A, B, x, h0=None):
    A, B, x = (np.asarray(value, dtype=np.float32) for value in (A, B, x))
    h = np.zeros((len(x), len(A)), np.float32) if h0 is None else np.float32(h0)
    states = np.zeros((*x.shape[:2], len(A)), np.float32)
    for t in range(x.shape[1]):
        states[:, t] = h = (A @ h.T + B @ x[:, t].T).T
    return states


@linear_states.variant
def linear_states_in_torch(A, B, x, h0=None):
    import torch

    A, B, x = (torch.as_tensor(value, dtype=torch.float64) for value in (A, B, x))
    h = torch.zeros(len(x), len(A), dtype=A.dtype) if h0 is None else torch.as_tensor(h0, dtype=A.dtype)
    states = torch.empty(*x.shape[:2], len(A), dtype=A.dtype)
    for t in range(x.shape[1]):
        states[:, t] = h = torch.nn.functional.linear(h, A) + x[:, t] @ B.T
    return states
