"""How a figure gets on the page: one style, a picture of fixed size, a caption and a text for it."""

import base64
import functools
import html
import io
import sys

import matplotlib
from matplotlib.figure import Figure

from course_utils.alt_text import summary

STYLE = {
    "figure.figsize": (6, 3),
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "axes.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "font.size": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.7,
}


def styled(plot):
    """Let a plot function draw in the course's style, without changing it for anyone else."""

    @functools.wraps(plot)
    def drawn(*args, **kwargs):
        with matplotlib.rc_context(STYLE):
            return plot(*args, **kwargs)

    return drawn


def show(target, caption):
    """Put a figure on the page: picture, caption, and a text that says what was drawn.

    Parameters
    ----------
    target : axes or a figure.
    caption : text, one sentence: what should the eye see?

    Raises
    ------
    ValueError : when the caption is empty.
    """
    from IPython.display import display

    data, metadata = bundle(target, caption)
    display(data, metadata=metadata, raw=True)


def bundle(target, caption):
    """The forms of a figure for a notebook: PNG, HTML with its caption, plain text. Closes the figure.

    Returns
    -------
    data : dict from MIME type to content.
    metadata : dict with the alternative text of the PNG.
    """
    if not caption or not caption.strip():
        raise ValueError("the caption is empty; say in one sentence what the eye should see")
    figure = target if isinstance(target, Figure) else target.figure
    caption = caption.strip()
    alt = f"{caption} {summary(figure)}"
    encoded, width, height = _png(figure)
    page = (
        f"<figure>{img(encoded, alt, width, height)}<figcaption>{html.escape(caption)}</figcaption></figure>"
    )
    return {"image/png": encoded, "text/html": page, "text/plain": alt}, {"image/png": {"alt": alt}}


def img(encoded, alt, width, height):
    """An HTML image of base64 PNG data that takes the same room before and after it is drawn."""
    source = f"data:image/png;base64,{encoded}"
    return f'<img alt="{html.escape(alt)}" width="{width}" height="{height}" src="{source}">'


def _png(figure):
    """The figure as base64 text, its width and its height in pixels."""
    buffer = io.BytesIO()
    dpi = STYLE["figure.dpi"]
    with matplotlib.rc_context(STYLE):  # ticks are made while drawing
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    if "matplotlib.pyplot" in sys.modules:  # a figure of pyplot would be shown a second time
        sys.modules["matplotlib.pyplot"].close(figure)
    width, height = figure.get_size_inches()
    return base64.b64encode(buffer.getvalue()).decode(), round(width * dpi), round(height * dpi)
