"""The pictures of the class report: SVG inside the page, which take their colours from its style sheet."""

import html
import io
import re

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from course_utils.drawing import INPUT, OUTPUT, STATE, WEIGHT
from course_utils.publishing import STYLE
from grading import results
from grading.report import LETTERS

INK, FAINT, PAPER = "#010203", "#040506", "#070809"
"""Stand for colours of the page, which are not the same in the light and in the dark."""
PAGE = {INK: "var(--text)", FAINT: "var(--line)", PAPER: "var(--card)"}
LOOK = STYLE | {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "font.family": "sans-serif",
    "grid.color": FAINT,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "report",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
FILLS = {
    results.CORRECT: (INPUT, ""),
    results.MARKED: ("#56B4E9", "//"),
    results.TO_BE_MARKED: ("#F0E442", ".."),
    results.WRONG: (OUTPUT, ""),
    results.RAISED: (WEIGHT, "\\\\"),
    results.TOO_SLOW: ("#CC79A7", "xx"),
    results.CRASHED: ("#8A5A83", "++"),
    results.NOT_ANSWERED: ("#A0A4AA", ""),
    results.UNREADABLE: ("#60656C", "--"),
}
"""Colour and hatching of a verdict, so that neither is needed alone."""


def _drawn(draw, alt, width=6.0, height=2.6):
    """The figure that ``draw(figure)`` fills, as one ``svg`` element with its text for who cannot see it."""
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=(width, height))
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    svg = text[text.index("<svg") :]
    svg = re.sub(r"<(metadata|style).*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="[\w.]+_\d+"', "", svg)  # the same in every picture of the page; hashes stay
    for stand_in, colour in PAGE.items():
        svg = svg.replace(stand_in, colour)
    box = re.search(r'viewBox="[^"]*"', svg)[0]
    opening = (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box} role="img" aria-label="{html.escape(alt)}">'
    )
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)


def scores(totals, most):
    """How many submissions got how many points, one bar a point.

    Parameters
    ----------
    totals : the points of each submission that was graded.
    most : the points that can be had.
    """
    ends = np.arange(np.ceil(most) + 1)
    counts, _ = np.histogram(np.clip(totals, 0, most), bins=np.append(ends, ends[-1] + 1))
    middle = float(np.median(totals))

    def draw(figure):
        ax = figure.subplots()
        ax.bar(ends, counts, width=0.85, color=STATE)
        ax.axvline(middle, color=INK, linewidth=1, linestyle="--")
        left = middle > most / 2
        words = {"textcoords": "offset points", "va": "top", "ha": "right" if left else "left"}
        ax.annotate(
            f"median {middle:.3g}",
            (middle, 1),
            (-4 if left else 4, 0),
            xycoords=ax.get_xaxis_transform(),
            **words,
        )
        ax.set(xlabel="points, rounded down", ylabel="submissions", xlim=(-0.7, most + 0.7))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))

    told = ", ".join(f"{end:.0f}: {count}" for end, count in zip(ends, counts, strict=True) if count)
    alt = f"Submissions by points, rounded down. {told}. The median is {middle:.3g} of {most:g}."
    return _drawn(draw, alt)


def questions(rows):
    """The share of its points that a question gave, and beside it how well it tells students apart.

    Parameters
    ----------
    rows : dicts with ``number``, ``share`` and ``discrimination``, each of the last two None where there
        is none.
    """
    numbers = [row["number"] for row in rows]
    shares = [np.nan if row["share"] is None else 100 * row["share"] for row in rows]
    known = [(row["number"], row["discrimination"]) for row in rows if row["discrimination"] is not None]

    def draw(figure):
        left, right = figure.subplots(1, 2)
        left.bar(numbers, shares, width=0.7, color=STATE)
        left.set(xlabel="question", ylabel="points earned (%)", ylim=(0, 105))
        right.axhline(0, color=INK, linewidth=0.8)
        right.vlines([n for n, _ in known], 0, [r for _, r in known], color=WEIGHT)
        right.plot(*zip(*known, strict=True) if known else ([], []), "o", color=WEIGHT)
        for number in sorted(set(numbers) - {n for n, _ in known}):
            right.annotate("n. d.", (number, 0), (0, 3), textcoords="offset points", ha="center")
        right.set(xlabel="question", ylabel="discrimination", ylim=(-1.05, 1.05))
        for ax in (left, right):
            ax.set(xticks=numbers, xlim=(0.4, len(numbers) + 0.6))
            ax.grid(axis="y")
            ax.set_axisbelow(True)

    told = "; ".join(f"question {row['number']}: {_share(row)}, {_correlation(row)}" for row in rows)
    return _drawn(draw, f"Points earned and discrimination. {told}.", width=7.2)


def _share(row):
    return "nothing settled" if row["share"] is None else f"{row['share']:.0%} of its points"


def _correlation(row):
    r = row["discrimination"]
    return "discrimination not defined" if r is None else f"discrimination {r:.2f}"


def verdicts(counts):
    """How many answers to each question got which verdict, as stacked bars.

    Parameters
    ----------
    counts : {number of the question: Counter of verdicts}.
    """
    kinds = [verdict for verdict in FILLS if any(count[verdict] for count in counts.values())]
    numbers = list(counts)
    whole = max(count.total() for count in counts.values())

    def draw(figure):
        ax = figure.subplots()
        below = np.zeros(len(numbers))
        for verdict in kinds:
            heights = np.array([counts[number][verdict] for number in numbers])
            colour, hatch = FILLS[verdict]
            letter = LETTERS[verdict][0]
            label = f"{letter}  {verdict}" if letter else verdict
            bars = ax.bar(
                numbers,
                heights,
                0.7,
                below,
                color=colour,
                hatch=hatch,
                edgecolor=PAPER,
                linewidth=0.5,
                label=label,
            )
            tall = [letter if height > 0.07 * whole else "" for height in heights]
            ax.bar_label(bars, tall, label_type="center", color="black", fontsize=8)
            below += heights
        ax.set(xlabel="question", ylabel="answers", xticks=numbers)
        ax.set(xlim=(0.4, len(numbers) + 0.6), ylim=(0, 1.02 * whole))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        handles, labels = ax.get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside right upper")

    told = "; ".join(
        f"question {number}: " + ", ".join(f"{counts[number][v]} {v}" for v in kinds if counts[number][v])
        for number in numbers
    )
    return _drawn(draw, f"Verdicts of each question. {told}.", width=7.2)


def ideas(counts):
    """How many students had each misconception, by its rank in the table.

    Parameters
    ----------
    counts : how many students had each, the most first.
    """
    ranks = list(range(1, len(counts) + 1))

    def draw(figure):
        ax = figure.subplots()
        ax.bar(ranks, counts, width=0.7, color=OUTPUT)
        ax.set(xlabel="misconception, by rank in the table", ylabel="students")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlim=(0.4, max(len(ranks), 8) + 0.6), ylim=(0, None))

    told = ", ".join(map(str, counts))
    return _drawn(draw, f"Students for each misconception, the commonest first: {told}.", height=2.2)


def seconds(times):
    """The seconds that the calls of each function took, as boxes: middle half, median, range.

    Parameters
    ----------
    times : {number of the question: seconds of each submission}; "" comes back for none.
    """
    if not times:
        return ""

    def draw(figure):
        ax = figure.subplots()
        numbers, took = list(times), list(times.values())
        low, quarter, middle, three_quarters, high = np.transpose(
            [np.quantile(one, [0, 0.25, 0.5, 0.75, 1]) for one in took]
        )
        ax.vlines(numbers, low, high, color=INK, linewidth=1)
        ax.bar(numbers, three_quarters - quarter, 0.5, quarter, color=STATE)
        ax.plot(numbers, middle, "_", color=OUTPUT, markersize=22, markeredgewidth=2)
        ax.set(
            xlabel="question",
            ylabel="seconds (log)",
            yscale="log",
            xticks=numbers,
            xlim=(0.4, max(times) + 0.6),
        )

    told = "; ".join(
        f"question {number}: median {np.median(took):.3g}, longest {max(took):.3g}"
        for number, took in times.items()
    )
    return _drawn(draw, f"Seconds of all calls of a function. {told}.", height=2.4)
