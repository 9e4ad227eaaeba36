"""The bank of exercise 05, the plain RNN over padded batches; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex05_forward_bank`` and ``ex05_states_bank`` (rnn_forward, last_valid_state),
``ex05_stacks_bank`` (stacked_forward) and ``ex05_directions_bank`` (bidirectional_forward).
"""

import math

import torch

from course_utils.reference import ex05 as reference
from grading.bank import Case, Question
from grading.exercises.ex05_directions_bank import bank

# activation_bytes -----------------------------------------------------------------------------------

activation_bytes = bank.function("activation_bytes", reference.activation_bytes)


@activation_bytes.visible
def _():
    yield Case("the example by hand", 2, 3, 5, 4)
    yield Case("two layers in both directions", 2, 3, 5, 4, 2, 2)
    yield Case("the same in float64", 2, 3, 5, 4, 2, 2, 8)
    yield Case("the lecture's sizes", 32, 100, 300, 512)


@activation_bytes.hidden
def _(rng):
    def drawn():
        B, T, d, H = (int(rng.integers(low, high)) for low, high in ((4, 9), (20, 90), (10, 19), (20, 40)))
        return B, T, d, H

    yield Case("one layer", *drawn())
    yield Case("several layers", *drawn(), int(rng.integers(3, 6)))
    yield Case("both directions", *drawn(), 1, 2)
    yield Case("float64", *drawn(), 1, 1, 8)
    yield Case("float16, layers and directions", *drawn(), int(rng.integers(2, 5)), 2, 2)
    yield Case("a single step of one row", 1, 1, *drawn()[2:], 2, 1, 8)


@activation_bytes.wrong("Your number counts numbers, not bytes; multiply it by bytes_per_number.")
def counts_numbers(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, directions, 1)


@activation_bytes.wrong("Your numbers always take 4 bytes; use bytes_per_number.")
def always_float32(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, directions, 4)


@activation_bytes.wrong("Your number is in MB; return bytes.")
def in_megabytes(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, directions, bytes_per_number) / 1e6


@activation_bytes.wrong("Your number is in MiB, of 2^20 bytes; return bytes.")
def in_mebibytes(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, directions, bytes_per_number) / 2**20


@activation_bytes.wrong("Your number is in bits; return bytes.")
def in_bits(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, directions, 8 * bytes_per_number)


@activation_bytes.wrong("Your states are those of one layer; every layer keeps its own.")
def forgets_the_layers(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, 1, directions, bytes_per_number)


@activation_bytes.wrong("Your states are those of one direction; each direction keeps its own.")
def forgets_the_directions(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return reference.activation_bytes(B, T, d, H, layers, 1, bytes_per_number)


@activation_bytes.wrong("Your sum leaves out the input x; the gradient of W_xh reads it.")
def forgets_the_input(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return layers * directions * B * T * H * bytes_per_number


@activation_bytes.wrong(
    "Your x is kept once for every layer; upper layers read states, which are counted already."
)
def input_for_every_layer(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return B * T * (layers * d + layers * directions * H) * bytes_per_number


@activation_bytes.wrong("Your x is kept once for every direction; both read the same tensor.")
def input_for_every_direction(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return B * T * (directions * d + layers * directions * H) * bytes_per_number


@activation_bytes.wrong(
    "Your states are those of one step; the backward pass reads the states of all T steps."
)
def states_of_one_step(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return B * (T * d + layers * directions * H) * bytes_per_number


@activation_bytes.wrong("Your states count twice between layers; what a layer reads, the one below has kept.")
def states_counted_twice(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    return B * T * (d + (2 * layers - 1) * directions * H) * bytes_per_number


@activation_bytes.wrong("Your sum contains the weights; they are no activations and do not grow with T.")
def adds_the_weights(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    first, above = H * (d + H + 1), H * (directions * H + H + 1)
    weights = directions * (first + (layers - 1) * above) * bytes_per_number
    return weights + reference.activation_bytes(B, T, d, H, layers, directions, bytes_per_number)


@activation_bytes.variant
def shapes_multiplied(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    shapes = [(B, T, d), *[(B, T, H)] * (layers * directions)]
    return float(sum(map(math.prod, shapes)) * bytes_per_number)


@activation_bytes.variant
def step_by_step(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    total = 0
    for _ in range(T):
        total += bytes_per_number * B * (d + H * layers * directions)
    return total


@activation_bytes.variant
def measured_on_tensors(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    kept = [torch.empty(B, T, d), torch.empty(layers * directions, B, T, H)]
    return sum(tensor.numel() for tensor in kept) * bytes_per_number


# concept questions ----------------------------------------------------------------------------------

bank.question(
    "longer_and_fewer",
    "b",
    "The steps of a row have to wait for each other, so twice as many take about twice as long; the rows of "
    "a step are worked on together, so half as many save next to nothing while the processor has room. The "
    "states that are kept are B * T * H numbers, and B * T has not changed.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "The amount of arithmetic stays, but twice as much of it now has to wait for the step before.",
        "c": "It is the other way round: B * T states are kept as before, and twice as many steps wait.",
        "d": "The time doubles, but for each row with twice the states there is one row less.",
    },
)


@bank.numbered((5, 3), (2, 5), (5, 6), (7, 5))
def bidirectional_parameters(d=3, H=4):
    own = H**2 + H
    first, second = H * d + own, 2 * H * H + own
    right = 2 * (first + second)
    return Question(
        "bidirectional_parameters",
        right,
        f"The first layer has H d + H^2 + H = {H * d} + {H**2} + {H} = {first} numbers a direction. The "
        "second "
        f"reads the states of both directions, 2H = {2 * H} numbers a step: {2 * H * H} + {H**2} + {H} = "
        f"{second} a "
        f"direction. Together 2 * ({first} + {second}) = {right}.",
        tolerance=0.5,
        replies={
            2
            * (
                first + H * H + own
            ): "Your second layer reads H states of one direction; both directions reach it, so it reads 2H.",
            4 * first: "Your second layer reads d numbers like the first; it reads the 2H states of the "
            "layer below.",
            right // 2: "You counted one direction; each has weights of its own.",
            right - 4 * H: "You left out the biases; each direction of each layer has H of them.",
            right
            + 4 * H: "You counted two biases a unit, as PyTorch has them; the unit of this course has one.",
        },
        numbers={"d": d, "H": H},
    )


bank.written(
    "padding_argument",
    "0.5: the cause: h_n of a batch that is not packed is the state after the pads, so it depends on how "
    "many pads the longest document of the batch adds (the same document, another batch, another state). "
    "0.5: why the short ones suffer: they get the most pads, and every pad changes what is left of the text "
    "once more, like any step; alone a document has no pads. "
    "0.5: two ways out: read the output at length - 1, pack (half of it for one); padding in front counts as "
    "one when the answer says that it is exact only without a bias (nn.RNN has one unless told otherwise). "
    "One document at a time, or batches of one length, also work, in both directions too, but do not keep "
    "batches of mixed lengths: half of it for both together. "
    "0.5: in both directions packing helps, or reversing each row over its own length: at length - 1 the "
    "backward direction has read the pads and one word only, and with pads in front it ends in the pads.",
)
