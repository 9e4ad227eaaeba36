"""The bank of exercise 09, gated units; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex09_lstm_bank`` (lstm_step), ``ex09_gru_bank`` (gru_step), ``ex09_forward_bank``
(lstm_forward) and ``ex09_line_bank`` (cell_line_gradient).
"""

import math

import numpy as np
import torch

from course_utils.reference import ex09 as reference
from grading.bank import Case, Question
from grading.exercises.ex09_gru_bank import map_of, silent
from grading.exercises.ex09_line_bank import bank
from grading.exercises.ex09_numbers import EDGE, double, drawn, scattered

# gru_to_torch ---------------------------------------------------------------------------------------

gru_to_torch = bank.function(
    "gru_to_torch",
    reference.gru_to_torch,
    terms={
        "write": "the weights of the write gate",
        "reset": "the weights of the reset gate",
        "candidate": "the weights of the candidate",
        "inner": "the bias b_hn",
    },
)

ALL = ("write", "reset", "candidate", "inner")


def unit(rng, d, H):
    """Three maps and b_hn."""
    return [*(map_of(rng, d, H) for _ in range(3)), drawn(rng, H)]


def silenced_cases(rng, d, H):
    """One case for each of the four arguments alone."""
    arguments = unit(rng, d, H)
    for term, name in zip(ALL, ("the write gate", "the reset gate", "the candidate", "b_hn"), strict=True):
        alone = [part if term == other else silent(part) for part, other in zip(arguments, ALL, strict=True)]
        yield Case(f"{name} alone", *alone, terms=(term,))


@gru_to_torch.visible
def _():
    write, reset, candidate = (
        (torch.tensor([[W_x]]), torch.tensor([[W_h]]), torch.tensor([b]))
        for W_x, W_h, b in [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)]
    )
    yield Case("the example by hand", write, reset, candidate, torch.tensor([10.0]), terms=ALL)
    rng = np.random.default_rng(59)
    yield from silenced_cases(rng, 1, 2)
    yield Case("two inputs, three units", *unit(rng, 2, 3), terms=ALL)


@gru_to_torch.hidden
def _(rng):
    def sizes():
        return rng.permutation([2, 3]).tolist()

    yield Case("a unit", *unit(rng, *sizes()), terms=ALL)
    yield Case("d = H, float64", *double(*unit(rng, 2, 2)), terms=ALL)
    yield Case("many inputs", *unit(rng, 5, 2), terms=ALL)
    yield Case("not contiguous", *map(scattered, unit(rng, *sizes())), terms=ALL)
    yield Case("a single unit", *unit(rng, 2, 1), terms=ALL, weight=EDGE)


def negative(weights):
    return tuple(-part for part in weights)


def stacked(*maps):
    """W_x, W_h and b of maps, one under another."""
    return [torch.cat(parts) for parts in zip(*maps, strict=True)]


def only_last(b_hn):
    """b_hn under two blocks of zeros."""
    return torch.cat([b_hn.new_zeros(2 * len(b_hn)), b_hn])


def with_biases(advice):
    """Register a wrong idea about the two biases: ``idea(b, b_hn)`` -> bias_ih, bias_hh."""

    def register(idea):
        def whole(write, reset, candidate, b_hn):
            W_x, W_h, b, _ = reference.gru_to_torch(write, reset, candidate, b_hn)
            return W_x, W_h, *idea(b, b_hn)

        whole.__name__ = idea.__name__
        gru_to_torch.wrong(advice)(whole)
        return whole

    return register


@with_biases("Your two biases both hold all of b; PyTorch adds them, so it counts twice.")
def both_biases_whole(b, b_hn):
    return b, b + only_last(b_hn)


@with_biases("Your b is split in halves between the two biases; all of it belongs into the first.")
def biases_halved(b, b_hn):
    return b / 2, b / 2 + only_last(b_hn)


@with_biases("Your b_hn stands in the first bias; inside the reset product is the second one.")
def inner_bias_in_the_first(b, b_hn):
    return b + only_last(b_hn), only_last(0 * b_hn)


@with_biases("Your candidate has its two biases exchanged; b_hn is the one that the reset multiplies.")
def candidate_biases_exchanged(b, b_hn):
    H = len(b_hn)
    return torch.cat([b[: 2 * H], b_hn]), only_last(b[2 * H :])


@with_biases("Your b_hn stands in all three blocks; only the candidate has a bias inside its product.")
def inner_bias_in_every_block(b, b_hn):
    return b, b_hn.repeat(3)


@with_biases("Your biases are exchanged; b goes into the first, b_hn into the second.")
def biases_exchanged(b, b_hn):
    return only_last(b_hn), b


@with_biases("Your b_hn is missing; it stands in the last block of the second bias.")
def inner_bias_missing(b, b_hn):
    return b, only_last(0 * b_hn)


@gru_to_torch.wrong("Your blocks stand in the order write, reset; PyTorch's is reset, update, candidate.")
def blocks_as_they_came(write, reset, candidate, b_hn):
    return *stacked(negative(write), reset, candidate), only_last(b_hn)


@gru_to_torch.wrong("Your z still writes; in PyTorch it keeps, so change the sign of its weights and bias.")
def sign_forgotten(write, reset, candidate, b_hn):
    return *stacked(reset, write, candidate), only_last(b_hn)


@gru_to_torch.wrong("Your blocks are those that came, order and sign; PyTorch has reset first, and z keeps.")
def nothing_done(write, reset, candidate, b_hn):
    return *stacked(write, reset, candidate), only_last(b_hn)


@gru_to_torch.wrong("Your bias of z keeps its sign; 1 - sigma(a) = sigma(-a) asks for the sign of all of a.")
def sign_of_the_weights_alone(write, reset, candidate, b_hn):
    W_x, W_h, b = write
    return *stacked(reset, (-W_x, -W_h, b), candidate), only_last(b_hn)


@gru_to_torch.wrong("Your bias of z alone changes its sign; the weights of z do so, too.")
def sign_of_the_bias_alone(write, reset, candidate, b_hn):
    W_x, W_h, b = write
    return *stacked(reset, (W_x, W_h, -b), candidate), only_last(b_hn)


@gru_to_torch.wrong("Your weights of z are 1 minus the old; 1 - sigma(a) is sigma(-a), not sigma(1 - a).")
def one_minus_the_weights(write, reset, candidate, b_hn):
    return *stacked(reset, tuple(1 - part for part in write), candidate), only_last(b_hn)


@gru_to_torch.wrong("Your reset gate changes its sign, too; both libraries mean the same by r.")
def reset_negated_too(write, reset, candidate, b_hn):
    return *stacked(negative(reset), negative(write), candidate), only_last(b_hn)


@gru_to_torch.wrong("Your blocks stand side by side; stack them one under another, (3H, d).")
def side_by_side(write, reset, candidate, b_hn):
    maps = reset, negative(write), candidate
    W_x, W_h = (torch.cat(parts, dim=1) for parts in list(zip(*maps, strict=True))[:2])
    return W_x, W_h, torch.cat([weights[2] for weights in maps]), only_last(b_hn)


@gru_to_torch.wrong("Your recurrent blocks are transposed; PyTorch keeps them as the course does.")
def recurrent_blocks_turned(write, reset, candidate, b_hn):
    maps = ((W_x, W_h.T, b) for W_x, W_h, b in (reset, negative(write), candidate))
    return *stacked(*maps), only_last(b_hn)


@gru_to_torch.fault("write")
def write_doubled(write, reset, candidate, b_hn):
    return reference.gru_to_torch(tuple(2 * part for part in write), reset, candidate, b_hn)


@gru_to_torch.fault("reset")
def reset_halved(write, reset, candidate, b_hn):
    return reference.gru_to_torch(write, tuple(part / 2 for part in reset), candidate, b_hn)


@gru_to_torch.fault("candidate")
def candidate_negated(write, reset, candidate, b_hn):
    return reference.gru_to_torch(write, reset, negative(candidate), b_hn)


@gru_to_torch.fault("inner")
def inner_bias_negated(write, reset, candidate, b_hn):
    return reference.gru_to_torch(write, reset, candidate, -b_hn)


@gru_to_torch.variant
def filled_block_by_block(write, reset, candidate, b_hn):
    H, d = write[0].shape
    found = [torch.zeros(3 * H, d), torch.zeros(3 * H, H), torch.zeros(3 * H), torch.zeros(3 * H)]
    for place, (sign, weights) in enumerate([(1, reset), (-1, write), (1, candidate)]):
        for whole, part in zip(found, weights, strict=False):
            whole[place * H : (place + 1) * H] = sign * part
    found[3][-H:] = b_hn
    return found


@gru_to_torch.variant
def through_numpy(write, reset, candidate, b_hn):
    r, z, n = ([part.numpy() for part in weights] for weights in (reset, write, candidate))
    W_x, W_h, b = (np.concatenate([r[k], -1.0 * z[k], n[k]]) for k in range(3))
    return W_x, W_h, b, np.pad(b_hn.numpy(), (2 * len(b_hn), 0))


@gru_to_torch.variant
def read_from_a_module(write, reset, candidate, b_hn):
    H, d = write[0].shape
    gru = torch.nn.GRU(d, H, dtype=b_hn.dtype)
    with torch.no_grad():
        for parameter in gru.parameters():
            parameter.zero_()
        for name, *parts in zip(
            ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"), reset, write, candidate, strict=True
        ):
            block = getattr(gru, name)
            block[:H], block[H : 2 * H], block[2 * H :] = parts
            block[H : 2 * H].neg_()
        gru.bias_hh_l0[2 * H :] = b_hn
    return tuple(parameter.data for parameter in gru.parameters())


# concept questions ----------------------------------------------------------------------------------

HORIZON = "gives its cell a horizon of 20 steps, that is, leaves 1/e of a value after 20 steps"


@bank.numbered((5,), (20,), (3,), (4,))
def bias_for_twenty_steps(part=math.e):
    usual = part == math.e
    share, root = ("1/e", "exp(-1/20)") if usual else (f"1/{part}", f"(1/{part})^(1/20)")

    def bias(part, steps=20):
        gate = part ** (-1 / steps)
        return round(math.log(gate / (1 - gate)), 2)

    gate, right = part ** (-1 / 20), bias(part)
    other = "You let half be left after 20 steps; the horizon asks for 1/e, 0.37."
    return Question(
        "bias_for_twenty_steps",
        right,
        f"A gate f keeps f^20 over 20 steps. That is {share} for f = {root} = {gate:.3f}, and sigma(b) = "
        "f for b = "
        f"ln(f / (1 - f)) = {right:.2f}. A rule of thumb for a horizon of T steps is the bias ln T; ln 20 "
        "= 3.0.",
        tolerance=0.06,
        replies={
            round(gate, 2): "That is the gate; asked for is the bias whose sigmoid it is.",
            -right: f"The sign is that of a gate of {1 - gate:.3f}, which forgets nearly all; {gate:.3f} "
            "needs a "
            "bias above 0.",
            round(
                math.log10(gate / (1 - gate)), 2
            ): "You took the logarithm to base 10; the sigmoid is made of e.",
            bias(2): other if usual else f"You let half be left after 20 steps; asked for is {share}.",
            0.0: "At a bias of about 0 the gate is 0.5, a horizon of 1.4 steps.",
            bias(
                math.e, 10
            ): f"A bias of about 2.25 gives f = {math.exp(-1 / 10):.3f}, a horizon of 10 steps.",
            20: "That is the horizon; asked for is the bias."
            if usual
            else "Those are the steps, not the bias.",
        },
        numbers={"asked": HORIZON if usual else f"leaves {share} of a value in its cell after 20 steps"},
    )


bank.question(
    "a_shut_gate",
    "b",
    "Along the cell every product from before step 30 holds the factor 0. But c_29 also sets h_29, which "
    "goes into the write gate and the candidate of step 30, and so into c_30: past the forget gate.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "That is true of the way along the cell; h_29 also goes into the write gate and the candidate.",
        "c": "The way along the cell is cut, and what it carried is missing; only the other ways are left.",
        "d": "The gradient is a product and a sum, no quotient; a factor of 0 is as good as any other.",
    },
)

bank.written(
    "memory_report",
    "0.5: the counts: 1 of 3 and 0 of 3 are compatible with the same share (intervals 0.06 to 0.79 and 0 to "
    "0.56), so nothing was shown; several more runs of each, reported as shares with intervals. "
    "0.5: the line: along the cell the gradient is the product of the forget gates, not 1; at biases near 0 "
    "that is 0.5^80, about 1e-24. The GRU has the same kind of line, with 1 - z for f (either half: 0.25). "
    "0.5: the average: 0.97^80 = 0.09 would be left, and an average hides a single small gate that cuts the "
    "product, in some unit, sequence or step; the unit may also write its answer again and again. Look at "
    "the product for each unit, and at what the write gate does. "
    "0.5: the advice: start the gates open, forget bias near ln 80 = 4.4 (z at -4.4), say 3 to 5; then more "
    "runs, or restarts. A bias of 1 or 2 is worth half of it: 0.88^80 = 4e-5.",
)
