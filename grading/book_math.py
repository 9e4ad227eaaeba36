"""A Sphinx extension that writes formulas as MathML, which browsers draw and read out without scripts."""

from latex2mathml.converter import convert


def setup(app):
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_math(writer, node):
    """Write a formula within a line."""
    from docutils.nodes import SkipNode

    writer.body.append(convert(node.astext()))
    raise SkipNode


def visit_math_block(writer, node):
    """Write a formula on a line of its own; a wide one scrolls by itself."""
    from docutils.nodes import SkipNode

    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise SkipNode
