"""The language model at the note's size: where its parameters sit, what an update costs, and what limits it.

The same code runs on a GPU at full size and on a CPU at a small one; ``size_for`` says which, nothing else
differs. Limits are measured on the machine itself, by a large product and by a large copy.
"""

import time
from typing import NamedTuple

import torch

from course_utils.batching import Batch
from course_utils.bpe import encode_texts, train_bpe
from course_utils.corpus import documents
from course_utils.docstrings import LIBRARIES
from course_utils.language import CELLS, LanguageModel, masked_loss, one_epoch
from course_utils.long_text import side_by_side

GATES = {"rnn": 1, "lstm": 4}
SCORE_BYTES = 32
"""About what one score costs in memory traffic, in bytes: written, read and written by the softmax, and as
much for its gradient, which both products of the backward pass read."""
WEIGHT_BYTES = 28
"""What one weight costs an update in AdamW: weight, two means read and written, gradient read, in float32."""


class Size(NamedTuple):
    """Sizes of a run: the text, the model, the batch (rows of T targets), the updates."""

    libraries: tuple
    whole: bool  # all paragraphs of the docstrings, not the first alone
    V: int
    E: int
    H: int
    rows: int
    T: int
    updates: int


FULL = Size(tuple(LIBRARIES), True, 37_580, 256, 512, rows=64, T=128, updates=60)
SMALL = Size(("sympy",), False, 2_000, 64, 128, rows=16, T=32, updates=12)


def size_for(device):
    """The full size for a GPU, the small one for a CPU."""
    return FULL if device.type == "cuda" else SMALL


def parameter_table(V, E, H, cell="rnn"):
    """Parameters of the three parts; the cell is counted with one bias, PyTorch keeps two: dict."""
    return {"embedding": V * E, "cell": GATES[cell] * H * (E + H + 1), "output": V * (H + 1)}


def operations(size, cell):
    """Multiplications and additions of one update: two for each weight and token, and twice that backward.

    Returns
    -------
    dict from "cell" and "output" to a number; looking up the embedding multiplies nothing.
    """
    weights = {"cell": GATES[cell] * size.H * (size.E + size.H), "output": size.H * size.V}
    return {part: 6 * size.rows * size.T * count for part, count in weights.items()}


def text_of(size):
    """The text of a size as windows of T + 1 pieces: (N, T + 1) int64 tensor."""
    texts = [document.text for document in documents(size.libraries, size.whole)]
    rows = encode_texts(train_bpe(texts, size.V), texts)
    line = side_by_side(rows, 1)[0]
    return line[: len(line) // (size.T + 1) * (size.T + 1)].view(-1, size.T + 1)


def batches_on(device, windows, size):
    """Batches for ``one_epoch``, each on its way while the one before is worked on (pinned on a GPU)."""
    for turn in range(size.updates):
        places = (torch.arange(size.rows) + turn * size.rows) % len(windows)
        ids = windows[places]
        if device.type == "cuda":
            ids = ids.pin_memory().to(device, non_blocking=True)
        yield Batch(ids, torch.full((size.rows,), size.T + 1), places)


def seconds(work, device, repeats=3):
    """The least seconds that a piece of work took, after one run to warm up."""
    work()
    taken = []
    for _ in range(repeats):
        wait(device)
        started = time.perf_counter()
        work()
        wait(device)
        taken.append(time.perf_counter() - started)
    return min(taken)


def wait(device):
    """Until the device has done all it was asked for."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


class Limits(NamedTuple):
    """What a machine can do: operations a second in float32 and bfloat16, bytes a second."""

    single: float
    half: float
    bytes: float


def limits_of(device):
    """Measure the limits: square products in two precisions, and a copy."""
    n = 8192 if device.type == "cuda" else 512
    rates = []
    for kind in (torch.float32, torch.bfloat16):
        a = torch.ones(n, n, dtype=kind, device=device)
        rates.append(2 * n**3 / seconds(lambda a=a: a @ a, device))
    source = torch.ones(n * n, device=device)
    copy = torch.empty_like(source)
    return Limits(*rates, 2 * source.nbytes / seconds(lambda: copy.copy_(source), device))


def bounds(size, cell, half, limits, device):
    """The least seconds of an update for three reasons: arithmetic, memory traffic, steps one after another.

    The last is measured, the recurrent layer alone, forward and backward.
    """
    work = operations(size, cell)
    tokens = size.rows * size.T
    weights = sum(parameter_table(size.V, size.E, size.H, cell).values())
    layer = CELLS[cell](size.E, size.H, batch_first=True).to(device)
    x = torch.randn(size.rows, size.T, size.E, device=device)
    return {
        "arithmetic": work["cell"] / limits.single
        + work["output"] / (limits.half if half else limits.single),
        "memory": (tokens * size.V * SCORE_BYTES + weights * WEIGHT_BYTES) / limits.bytes,
        "steps": seconds(lambda: layer(x)[0].sum().backward(), device),
    }


def run(cell, half, device, size, windows, limits, seed=11):
    """Train for ``size.updates`` batches and say how fast, and which bound holds.

    Returns
    -------
    dict with cell, half, before and after (nats a token on the first windows), tokens (a second), share (of
    the machine's operations a second), bound (its name), reached (share of an update that the bound takes).
    """
    torch.manual_seed(seed)
    model = LanguageModel(size.V, size.E, size.H, cell, half=half).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, fused=device.type == "cuda")
    short = size._replace(updates=2)
    before = _loss(model, windows, size, device)
    one_epoch(model, batches_on(device, windows, short), optimiser)  # kernels are chosen, memory taken
    wait(device)
    started = time.perf_counter()
    one_epoch(model, batches_on(device, windows, size), optimiser)
    taken = (time.perf_counter() - started) / size.updates
    least = bounds(size, cell, half, limits, device)
    bound = max(least, key=least.get)
    rate = sum(operations(size, cell).values()) / taken
    return {
        "cell": cell,
        "half": half,
        "before": before,
        "after": _loss(model, windows, size, device),
        "tokens": size.rows * size.T / taken,
        "share": rate / (limits.half if half else limits.single),
        "bound": bound,
        "reached": least[bound] / taken,
    }


@torch.no_grad()
def _loss(model, windows, size, device):
    """Nats a token on the first windows."""
    return masked_loss(model.eval(), windows[: size.rows].to(device)).item()
