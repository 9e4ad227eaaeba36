"""Run all that the course does on a GPU and print one table: ``python -m course_utils.gpu_check``.

Made for under three minutes on one card, once the corpus is kept (the first run reads it). Without CUDA the
same code runs at a small size on the CPU, the table says "not measured" for the GPU, and the exit code is 0.
With ``--record`` the table also goes to ``data/gpu.txt``.
"""

import argparse
import math
import sys
import time

import torch

from course_utils import full_size
from course_utils.records import DATA

HEAD = (
    "cell",
    "output layer",
    "loss before",
    "after",
    "tokens a second",
    "share of limit",
    "bound",
    "reached",
)
MISSING = "GPU: not measured"
ALL = [(cell, half) for cell in ("rnn", "lstm") for half in (False, True)]


class Failed(RuntimeError):
    """A run on this machine did not do what it must."""


def check(device, size=None):
    """Train both cells in both precisions; returns a list of what ``full_size.run`` says.

    Raises
    ------
    Failed : when a loss does not begin near ln V or does not fall, or the two precisions end far apart.
    """
    size = size or full_size.size_for(device)
    windows, limits = full_size.text_of(size), full_size.limits_of(device)
    seen = [full_size.run(cell, half, device, size, windows, limits) for cell, half in ALL]
    for row in seen:
        if abs(row["before"] - math.log(size.V)) > 0.3:
            raise Failed(
                f"{row['cell']}: the first loss is {row['before']:.2f}, ln V is {math.log(size.V):.2f}"
            )
        if not row["after"] < row["before"]:
            raise Failed(f"{row['cell']}: the loss did not fall, {row['before']:.2f} to {row['after']:.2f}")
    for single, half in zip(seen[::2], seen[1::2], strict=True):
        if abs(single["after"] - half["after"]) > 0.15:
            raise Failed(f"{single['cell']}: bfloat16 ends at {half['after']:.2f}, not {single['after']:.2f}")
    return seen


def table(seen, name):
    """The runs as text, one line each, the machine's name in the first."""
    rows = [HEAD]
    for row in seen:
        rows.append(
            (
                row["cell"],
                "bfloat16" if row["half"] else "float32",
                f"{row['before']:.2f}",
                f"{row['after']:.2f}",
                f"{row['tokens']:,.0f}",
                f"{row['share']:.0%}",
                row["bound"],
                f"{row['reached']:.0%}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([name, *(line.rstrip() for line in lines)])


def main():
    parser = argparse.ArgumentParser(description="Run all that the course does on a GPU; one table.")
    parser.add_argument("--record", action="store_true", help="write the table to data/gpu.txt, too")
    chosen = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    started = time.perf_counter()
    try:
        seen = check(device)
    except Failed as error:
        sys.exit(str(error))
    card = device.type == "cuda"
    name = (
        torch.cuda.get_device_name()
        if card
        else "GPU: not measured. The same code at a small size, on the CPU:"
    )
    text = table(seen, name) + f"\n{len(seen)} runs in {time.perf_counter() - started:.0f} s"
    print(text)
    if chosen.record:
        (DATA / "gpu.txt").write_text((text if card else MISSING) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
