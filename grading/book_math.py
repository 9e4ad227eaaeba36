"""A Sphinx extension that writes formulas as MathML, which browsers draw and read out without scripts.

The font comes along: without one that is made for formulas, a browser sets indices on the line.
"""

from importlib.resources import files
from pathlib import Path

from docutils.nodes import SkipNode, Text
from latex2mathml.converter import convert

FONT = "STIXTwoMath-Regular.ttf"
JOINER = "\u2060"  # keeps the browser from breaking a line here


def setup(app):
    """Register the renderer ``mathml`` and its font."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("build-finished", copy_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_math(writer, node):
    """Write a formula within a line; what touches it stays on its line."""
    after = node.next_node(descend=False, siblings=True)
    touched = isinstance(after, Text) and not after[:1].isspace()
    writer.body.append(convert(node.astext()) + (JOINER if touched else ""))
    raise SkipNode


def visit_math_block(writer, node):
    """Write a formula on a line of its own; a wide one scrolls by itself."""
    writer.body.append(f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def copy_font(app, error):
    """Put the font of the formulas beside the pages."""
    if not error:
        font = files("ziamath") / "fonts" / FONT
        (Path(app.outdir) / "_static" / FONT).write_bytes(font.read_bytes())
