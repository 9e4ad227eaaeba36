"""The first part of the bank of exercise 07: numbers for all parts, and Jacobian products; instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools

import numpy as np
import torch

from course_utils.reference import ex07 as reference
from grading.bank import Bank, Case

bank = Bank("ex07")

EDGE = 0.25  # the weight of a fresh case that says little about an answer


def normal(rng, *shape, scale=1.0):
    """Normal numbers in float64."""
    return torch.from_numpy(scale * rng.normal(size=shape))


def some_states(rng, *shape):
    """States away from 0, where the slope of tanh is felt, and away from 1, where it vanishes."""
    return torch.from_numpy(rng.uniform(0.3, 0.8, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def scattered(values):
    """The same numbers, the first axis running fastest through the memory: not contiguous."""
    return values.transpose(0, -1).contiguous().transpose(0, -1)


def easy(values):
    """The same numbers to one decimal: short to read in an open case."""
    return values.mul(10).round().div(10) + 0.0  # + 0.0: no minus before a 0


# jacobian_products ----------------------------------------------------------------------------------

jacobian_products = bank.function(
    "jacobian_products",
    reference.jacobian_products,
    terms={
        "slopes": "the slopes 1 - h^2, and the states that they belong to",
        "matrix": "the powers of W_hh",
    },
)

BOTH = ("slopes", "matrix")


def drawn(rng, B, T, H):
    return some_states(rng, B, T, H), normal(rng, H, H, scale=0.8)


def silenced_cases(states, W_hh):
    """One case for each part alone: a matrix that changes nothing, and slopes of 1."""
    yield Case("slopes alone: W_hh is the identity", states, torch.eye(len(W_hh)).double(), terms=("slopes",))
    yield Case("W_hh alone: states of 0", torch.zeros_like(states), W_hh, terms=("matrix",))


@jacobian_products.visible
def _():
    by_hand = torch.tensor([[[0.3, -0.6], [0.5, 0.0], [0.0, 0.5]]]), torch.tensor([[0.0, 2.0], [1.0, 1.0]])
    yield Case("three steps by hand", *by_hand, terms=BOTH)
    rng = np.random.default_rng(7)
    states, W_hh = map(easy, drawn(rng, 2, 4, 3))
    yield Case("a batch, in float64", states, W_hh, terms=BOTH)
    yield from silenced_cases(states, W_hh)
    yield Case("one step only", states[:, :1], W_hh)


@jacobian_products.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3, 4]).tolist()

    def steps_first():
        B, H = rng.permutation([2, 4]).tolist()
        return B, 3, H

    yield Case("a batch", *drawn(rng, *steps_first()), terms=BOTH)
    yield from silenced_cases(*drawn(rng, *steps_first()))
    yield Case("not contiguous", *map(scattered, drawn(rng, *sizes())), terms=BOTH)
    yield Case("one row, float32", *(value.float() for value in drawn(rng, 1, 6, 3)), terms=BOTH)
    yield Case("two steps", *drawn(rng, 4, 2, 3), terms=BOTH)
    yield Case("a single unit", *drawn(rng, 2, 5, 1))  # 1 x 1 is symmetric: it clears no matrix
    yield Case("one step only", *drawn(rng, 2, 1, 3), weight=EDGE)


def jacobians(states, W_hh):
    """(B, T, H, H): at index t the Jacobian of the step that ended in states[:, t]."""
    return (1 - states**2)[..., None] * W_hh


def products_of(J):
    """The products of Jacobians (B, T, H, H) from the last step down to each."""
    products = [torch.eye(J.shape[-1], dtype=J.dtype).expand_as(J[:, 0])]
    for t in range(J.shape[1] - 1, 0, -1):
        products.append(products[-1] @ J[:, t])
    return torch.stack(products[::-1], dim=1)


def replaced(products, t, others):
    """The products with others at index t."""
    return torch.stack([others if i == t else products[:, i] for i in range(products.shape[1])], dim=1)


@jacobian_products.wrong("Your products have the oldest step on the left; the newest, J_T, comes first.")
def oldest_on_the_left(states, W_hh):
    J = jacobians(states, W_hh)
    return products_of(J.mT).mT


@jacobian_products.wrong(
    "Your matrices are transposed; row i belongs to unit i of h_T, column j to unit j of h_t."
)
def results_transposed(states, W_hh):
    return reference.jacobian_products(states, W_hh).mT


@jacobian_products.wrong(
    "Your Jacobian has W_hh transposed; the transpose belongs to a gradient that is carried back as a column."
)
def matrix_transposed(states, W_hh):
    return reference.jacobian_products(states, W_hh.T)


@jacobian_products.wrong(
    "Your slopes multiply the columns of W_hh; diag(1 - h^2) on the left multiplies its rows."
)
def slopes_on_columns(states, W_hh):
    return products_of((1 - states**2)[:, :, None] * W_hh)


@jacobian_products.wrong(
    "Your slope is that of the state before the step; J_t has the slope 1 - h_t^2 of the state it ends in."
)
def slope_of_the_state_before(states, W_hh):
    return products_of(jacobians(states.roll(1, dims=1), W_hh))


@jacobian_products.wrong("Your slopes are missing; each step multiplies by 1 - h^2 besides W_hh.")
def slopes_missing(states, W_hh):
    return reference.jacobian_products(torch.zeros_like(states), W_hh)


@jacobian_products.wrong("Your slope is 1 - tanh(h)^2; the states went through the tanh already, so 1 - h^2.")
def slope_of_tanh_of_the_state(states, W_hh):
    return reference.jacobian_products(torch.tanh(states), W_hh)


@jacobian_products.wrong("Your slope is 1 - h; the derivative of the tanh is 1 - h^2.")
def slope_without_square(states, W_hh):
    return products_of((1 - states)[..., None] * W_hh)


@jacobian_products.wrong("Your products run from the first state on, dh_t/dh_1; asked for is dh_T/dh_t.")
def from_the_first_state(states, W_hh):
    J = jacobians(states, W_hh)
    products = [torch.eye(len(W_hh), dtype=J.dtype).expand_as(J[:, 0])]
    for t in range(1, J.shape[1]):
        products.append(J[:, t] @ products[-1])
    return torch.stack(products, dim=1)


@jacobian_products.wrong("Your products stand newest first; index 0 is dh_T/dh_1, the last is the identity.")
def newest_first(states, W_hh):
    return reference.jacobian_products(states, W_hh).flip(1)


@jacobian_products.wrong(
    "Your products have one Jacobian too many; dh_T/dh_T is the identity, and dh_T/dh_t starts at J_(t+1)."
)
def one_jacobian_too_many(states, W_hh):
    return reference.jacobian_products(states, W_hh) @ jacobians(states, W_hh)


@jacobian_products.wrong("Your matrices are single Jacobians, dh_(t+1)/dh_t; multiply them up to h_T.")
def single_jacobians(states, W_hh):
    J = jacobians(states, W_hh).roll(-1, dims=1)
    return replaced(J, J.shape[1] - 1, torch.eye(len(W_hh), dtype=J.dtype).expand_as(J[:, 0]))


@jacobian_products.wrong("Your Jacobians are multiplied entry by entry; use the matrix product @.")
def entry_by_entry(states, W_hh):
    J = jacobians(states, W_hh)
    products = [torch.eye(len(W_hh), dtype=J.dtype).expand_as(J[:, 0])]
    for t in range(J.shape[1] - 1, 0, -1):
        products.append(J[:, t] if len(products) == 1 else products[-1] * J[:, t])
    return torch.stack(products[::-1], dim=1)


@jacobian_products.wrong(
    "Your slopes are averaged over the batch; each row has states and slopes of its own."
)
def slopes_averaged_over_the_batch(states, W_hh):
    slopes = (1 - states**2).mean(dim=0, keepdim=True).expand_as(states)
    return products_of(slopes[..., None] * W_hh)


@jacobian_products.fault("slopes")
def slope_with_a_third_power(states, W_hh):
    return products_of((1 - states.abs() ** 3)[..., None] * W_hh)


@jacobian_products.fault("matrix")
def matrix_made_symmetric(states, W_hh):
    return reference.jacobian_products(states, (W_hh + W_hh.T) / 2)


@jacobian_products.variant
def rows_carried_back(states, W_hh):
    """The recursion of the deltas, for H gradients at once."""
    B, T, H = states.shape
    products = torch.empty(B, T, H, H, dtype=states.dtype)
    products[:, -1] = torch.eye(H, dtype=states.dtype)
    for t in range(T - 2, -1, -1):
        inside = products[:, t + 1] * (1 - states[:, t + 1].unsqueeze(1) ** 2)
        products[:, t] = torch.einsum("bij,jk->bik", inside, W_hh)
    return products


@jacobian_products.variant
def each_from_scratch(states, W_hh):
    result = []
    for row in states:
        J = [torch.diag(1 - h * h) @ W_hh for h in row]
        eye = torch.eye(len(W_hh), dtype=states.dtype)
        result.append(
            torch.stack(
                [functools.reduce(torch.matmul, J[:t:-1], eye) for t in range(len(row))]  # J[T-1] ... J[t+1]
            )
        )
    return torch.stack(result)


@jacobian_products.variant
def autograd_of_the_linear_chain(states, W_hh):
    """With the slopes held still, the chain is linear and autograd gives its matrix."""
    B, T, H = states.shape
    slopes, products = 1 - states**2, torch.zeros(B, T, H, H, dtype=states.dtype)
    for b in range(B):
        moved = [torch.zeros(H, dtype=states.dtype, requires_grad=True) for _ in range(T)]
        h = moved[0]
        for t in range(1, T):
            h = slopes[b, t] * (W_hh @ h) + moved[t]
        for i in range(H):
            rows = torch.autograd.grad(h[i], moved, retain_graph=True)
            products[b, :, i] = torch.stack(rows)
    return products


@jacobian_products.variant
def lists_in_numpy_and_float32(states, W_hh):
    states, W_hh = states.numpy().astype(np.float32), W_hh.numpy().astype(np.float32)
    batch = []
    for row in states:
        found = [np.eye(W_hh.shape[0], dtype=np.float32)]
        for h in row[:0:-1]:
            found.insert(0, found[0].dot(np.diag(1 - h**2)).dot(W_hh))
        batch.append(found)
    return np.array(batch)
