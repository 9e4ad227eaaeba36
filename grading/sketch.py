"""A small figure without a library: a student's values drawn over the expected ones, as inline SVG."""

from html import escape

WIDTH, HEIGHT = 320, 110  # of one row, in units of the picture
LEFT, RIGHT, TOP, BOTTOM = 44, 10, 10, 22
SPOKEN = 8  # numbers of a row in the alt text


def sketch(curves):
    """Draw ``curves`` (made by ``grading.shown.curves``), one panel for each row.

    Returns
    -------
    The text of one ``svg`` element, which takes its colours from the page's style sheet.
    """
    pairs = list(zip(curves["expected"], curves["answer"], strict=True))
    panels = "".join(_panel(*pair, number * HEIGHT) for number, pair in enumerate(pairs))
    size = f"0 0 {WIDTH} {HEIGHT * len(pairs)}"
    label = escape(f"{curves['quantity']} over index; {alt_text(pairs)}")
    return f'<svg viewBox="{size}" role="img" aria-label="{label}">{panels}</svg>'


def alt_text(pairs):
    """The figure in words: the first numbers of each row."""
    rows = []
    for number, pair in enumerate(pairs, start=1):
        expected, answer = (" ".join(map(_spoken, row[:SPOKEN])) for row in pair)
        more = " and so on" if max(map(len, pair)) > SPOKEN else ""
        rows.append(f"row {number}: expected {expected}, yours {answer}{more}")
    return "; ".join(rows)


def _spoken(number):
    return "not finite" if number is None else f"{number:.4g}"


def _panel(expected, answer, top):
    """One row: expected as open circles on a dashed line, the answer as dots on a solid one."""
    finite = [number for number in (*expected, *answer) if number is not None] or [0.0]
    low, high = min(finite), max(finite)
    steps = max(len(expected), len(answer)) - 1
    across = (WIDTH - LEFT - RIGHT) / steps
    upward = (HEIGHT - TOP - BOTTOM) / ((high - low) or 1.0)
    base = top + HEIGHT - BOTTOM

    def points(row):
        return [
            None if number is None else (LEFT + across * step, base - upward * (number - low))
            for step, number in enumerate(row)
        ]

    return "".join(
        [
            f'<path class="axis" d="M{LEFT} {top + TOP}V{base}H{WIDTH - RIGHT}"/>',
            _label(LEFT - 4, top + TOP + 4, "end", f"{high:.3g}"),
            _label(LEFT - 4, base, "end", f"{low:.3g}") if high > low else "",
            _label(LEFT, base + 14, "middle", "0"),
            _label(WIDTH - RIGHT, base + 14, "end", f"index {steps}"),
            _curve("expected", points(expected), 4.5),
            _curve("yours", points(answer), 2.5),
        ]
    )


def _label(x, y, anchor, text):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _curve(kind, points, radius):
    """A line through the points, broken where a value is not finite, and a circle on each."""
    path, pen = "", "M"
    for point in points:
        path += f"{pen}{point[0]:.1f} {point[1]:.1f}" if point else ""
        pen = "L" if point else "M"
    dots = "".join(f'<circle cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="{radius}"/>' for p in points if p)
    return f'<g class="{kind}"><path d="{path}"/>{dots}</g>'
