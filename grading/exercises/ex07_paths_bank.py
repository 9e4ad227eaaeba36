"""The fourth part of the bank of exercise 07: paths through a stack; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import functools
import math

import numpy as np

from course_utils.reference import ex07 as reference
from grading.bank import Case
from grading.exercises.ex07_horizon_bank import bank
from grading.exercises.ex07_products_bank import EDGE

# path_count -----------------------------------------------------------------------------------------

path_count = bank.function(
    "path_count",
    reference.path_count,
    terms={
        "time": "the moves of one step back in time",
        "layers": "the moves down through the layers",
        "skip": "the moves of several steps at once",
    },
)

ALL = ("time", "layers", "skip")


@path_count.visible
def _():
    yield Case("four steps, two layers by hand", 4, 2, 2, terms=ALL)
    yield Case("one layer", 6, 1, 2, terms=("time", "skip"))
    yield Case("a skip longer than the sequence", 4, 3, 9, terms=("time", "layers"))
    yield Case("a single step", 1, 4, 2, terms=("layers",))
    yield Case("one layer, no skip", 5, 1, 7, terms=("time",))
    yield Case("eight steps, three layers", 8, 3, 3, terms=ALL)


@path_count.hidden
def _(rng):
    def some(low, high):
        return int(rng.integers(low, high + 1))

    yield Case("two layers", some(6, 9), 2, 2, terms=ALL)
    yield Case("three layers", some(6, 8), 3, some(2, 3), terms=ALL)
    yield Case("more layers than steps", some(4, 5), some(6, 7), some(2, 3), terms=ALL)
    skip = some(3, 4)
    yield Case("steps that the skip does not divide", 2 * skip + some(1, skip - 1) + 1, 2, skip, terms=ALL)
    yield Case("one layer", some(7, 12), 1, some(2, 3), terms=("time", "skip"))
    yield Case("a long sequence", some(17, 20), 1, 2, terms=("time", "skip"))
    T = some(4, 6)
    yield Case("a skip from the last step to the first", T, some(2, 4), T - 1, terms=ALL)
    yield Case("a skip as long as the sequence", T, some(3, 4), T, terms=("time", "layers"))
    yield Case("one layer, no skip", some(3, 8), 1, 20, terms=("time",), weight=EDGE)
    yield Case("a single step", 1, some(2, 6), some(2, 4), terms=("layers",), weight=EDGE)


def jumps_possible(T, skip):
    """(jumps, moves in time) of every way to go T - 1 steps back."""
    return [(jumps, T - 1 - jumps * (skip - 1)) for jumps in range((T - 1) // skip + 1)]


def fewest(T, L, skip):
    return reference.path_count(T, L, skip)[1]


def counted(T, L, skip, arrows):
    """Paths to (1, 1) when ``arrows(t, layer)`` lists the nodes that (t, layer) leads back to."""

    @functools.cache
    def from_node(t, layer):
        if (t, layer) == (1, 1):
            return 1
        return sum(from_node(*node) for node in arrows(t, layer) if min(node) >= 1)

    return from_node(T, L)


@path_count.wrong("Your count knows no skip; besides the step before, h_t reads the state skip steps before.")
def skip_ignored(T, L, skip):
    return math.comb(T + L - 2, L - 1), T + L - 2


@path_count.wrong(
    "Your paths make T moves back in time; from step T to step 1 there are T - 1, to h_0 there is one more."
)
def one_step_too_many(T, L, skip):
    return reference.path_count(T + 1, L, skip)


@path_count.wrong("Your paths make L moves down; from layer L to layer 1 there are L - 1.")
def one_layer_too_many(T, L, skip):
    return reference.path_count(T, L + 1, skip)


@path_count.wrong("Your skip jumps over that many steps; it goes back that many, from t to t - skip.")
def skip_one_longer(T, L, skip):
    return reference.path_count(T, L, skip + 1)


@path_count.wrong(
    "Your skip takes the place of the single step; from t both t - 1 and t - skip can be reached."
)
def skip_in_place_of_the_step(T, L, skip):
    def arrows(t, layer):
        return [(t - skip if t > skip else t - 1, layer), (t, layer - 1)]

    return counted(T, L, skip, arrows), fewest(T, L, skip)


@path_count.wrong("Your skips are in the top layer only; every layer has them.")
def skip_in_the_top_layer(T, L, skip):
    def arrows(t, layer):
        return [(t - 1, layer), (t, layer - 1)] + [(t - skip, layer)] * (layer == L)

    return counted(T, L, skip, arrows), fewest(T, L, skip)


@path_count.wrong("Your skips also go down a layer; in time a move stays in its layer.")
def skip_goes_down(T, L, skip):
    def arrows(t, layer):
        return [(t - 1, layer), (t, layer - 1), (t - skip, layer), (t - skip, layer - 1)]

    return counted(T, L, skip, arrows), fewest(T, L, skip)


@path_count.wrong("Your count ignores in which order steps and skips come; each order is a path of its own.")
def order_in_time_ignored(T, L, skip):
    paths = sum(math.comb(moves + L - 1, L - 1) for _jumps, moves in jumps_possible(T, skip))
    return paths, fewest(T, L, skip)


@path_count.wrong(
    "Your count leaves out where the moves down come; they may come between any two moves in time."
)
def moves_down_together(T, L, skip):
    return reference.path_count(T, 1, skip)[0], fewest(T, L, skip)


@path_count.wrong(
    "Your moves down all come together, at any one place of a path; each may have a place of its own."
)
def moves_down_at_one_step(T, L, skip):
    paths = sum(math.comb(n, j) * (n + 1 if L > 1 else 1) for j, n in jumps_possible(T, skip))
    return paths, fewest(T, L, skip)


@path_count.wrong("Your paths end in any layer of the first step; they end in the first layer.")
def ends_in_any_layer(T, L, skip):
    def arrows(t, layer):
        return [(t - 1, layer), (t, layer - 1), (t - skip, layer)]

    paths = sum(counted(T, higher, skip, arrows) for higher in range(1, L + 1))
    return paths, fewest(T, L, skip)


@path_count.wrong("Your paths begin at every step of the top layer; they begin at the last.")
def begins_at_every_step(T, L, skip):
    return sum(reference.path_count(t, L, skip)[0] for t in range(1, T + 1)), fewest(T, L, skip)


@path_count.wrong("Your fewest factors are those of the longest path; the shortest jumps as often as it can.")
def factors_of_the_longest(T, L, skip):
    return reference.path_count(T, L, skip)[0], T + L - 2


@path_count.wrong("Your number of factors counts nodes; between n nodes there are n - 1 moves.")
def nodes_for_factors(T, L, skip):
    paths, factors = reference.path_count(T, L, skip)
    return paths, factors + 1


@path_count.wrong("Your number of factors leaves out the moves down; each has a matrix and a slope, too.")
def factors_in_time_only(T, L, skip):
    paths, factors = reference.path_count(T, L, skip)
    return paths, factors - (L - 1)


@path_count.wrong(
    "Your shortest path has skips only; the steps that the skip does not divide are moves as well."
)
def rest_forgotten(T, L, skip):
    return reference.path_count(T, L, skip)[0], (T - 1) // skip + L - 1


@path_count.fault("time")
def first_move_given_away(T, L, skip):
    return reference.path_count(max(1, T - 1), L, skip)


@path_count.fault("layers")
def two_moves_for_each_layer(T, L, skip):
    return reference.path_count(T, 2 * L - 1, skip)


@path_count.fault("skip")
def every_skip_twice(T, L, skip):
    def arrows(t, layer):
        return [(t - 1, layer), (t, layer - 1), (t - skip, layer), (t - skip, layer)]

    return counted(T, L, skip, arrows), fewest(T, L, skip)


@path_count.variant
def by_recursion(T, L, skip):
    @functools.cache
    def walk(t, layer):
        """(paths, fewest factors) from a node."""
        if t == 1 and layer == 1:
            return 1, 0
        reached = [(t - 1, layer), (t - skip, layer), (t, layer - 1)]
        found = [walk(*node) for node in reached if node[0] > 0 and node[1] > 0]
        return sum(paths for paths, _ in found), 1 + min(factors for _, factors in found)

    return walk(T, L)


@path_count.variant
def binomials(T, L, skip):
    paths, factors = 0, []
    for jumps in range((T - 1) // skip + 1):
        moves = T - 1 - jumps * skip + jumps
        paths += math.comb(moves, jumps) * math.comb(moves + L - 1, moves)
        factors.append(moves + L - 1)
    return [paths, min(factors)]


@path_count.variant
def layer_by_layer_in_numpy(T, L, skip):
    count, shortest = np.zeros(T), np.full(T, np.inf)
    count[0], shortest[0] = 1, -1
    for _layer in range(L):
        shortest = shortest + 1
        for t in range(1, T):
            count[t] += count[t - 1] + (count[t - skip] if t >= skip else 0)
            shortest[t] = min(
                shortest[t], shortest[t - 1] + 1, shortest[t - skip] + 1 if t >= skip else np.inf
            )
    return count[-1], shortest[-1]


@path_count.variant
def powers_of_a_matrix(T, L, skip):
    """Paths of n moves are entries of the n-th power of the matrix of all arrows."""
    arrows = np.zeros((T * L, T * L))
    for t in range(T):
        for layer in range(L):
            for earlier, lower in [(t - 1, layer), (t - skip, layer), (t, layer - 1)]:
                if earlier >= 0 and lower >= 0:
                    arrows[t * L + layer, earlier * L + lower] = 1
    power, found = np.eye(T * L), []
    for _moves in range(T + L - 1):
        found.append(power[-1, 0])
        power = power @ arrows
    return sum(found), next(moves for moves, paths in enumerate(found) if paths)
