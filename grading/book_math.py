"""A Sphinx extension that writes formulas as MathML, which browsers draw and read out without scripts.

``latex2mathml`` leaves the space around operators to the browser, which knows less of it than LaTeX:
``spaced`` says it. The font comes along; without one that is made for formulas, indices stand on the line.
"""

import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

from docutils.nodes import SkipNode, Text
from latex2mathml.converter import convert

FONT = "STIXTwoMath-Regular.ttf"
JOINER = "\u2060"  # keeps the browser from breaking a line here
THIN = "0.167em"
NAMED = {"negativethinmathspace": f"-{THIN}"}  # a width that browsers do not know by its name
EVEN = {"/": "0", ":": "0.278em", "|": "0", "‖": "0"}  # the same space on both sides
BETWEEN = re.compile("[a-z]{2,}|[…⋯]")  # ln, tanh, max; dots
BARS, SIGNS = {"|", "‖"}, {"−", "+", "±"}
UPRIGHT = re.compile(r"\\mathrm\{(\w)\}")  # one letter of it comes out slanted; of \rm it does not
OPERANDS = {")", "]", "}", "…", "⋯", *BARS}  # operators after which a sign stands between two things
SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}


def setup(app):
    """Register the renderer ``mathml`` and its font."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("build-finished", copy_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mathml(formula, display="inline"):
    r"""A formula in LaTeX as MathML.

    >>> mathml("-x").partition(">")[2]
    '<mrow><mo form="prefix">−</mo><mi>x</mi></mrow></math>'
    """
    ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")
    written = convert(UPRIGHT.sub(r"{\\rm \1}", formula), display=display)
    tree = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", written))
    tree.set("xmlns", "http://www.w3.org/1998/Math/MathML")
    for row in tree.iter():
        if row.tag not in SCRIPTS:
            spaced(row)
    return ElementTree.tostring(tree, encoding="unicode")


def spaced(row):
    """Say of bars, strokes, signs and names of functions in a row how much space is around them."""
    parts = list(row)
    for before, part, after in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        core = _core(part)
        text, alone = core.text or "", _is_operator(before)
        if text in EVEN or text in SIGNS or BETWEEN.fullmatch(text):
            core.tag = "mo"
        if core.tag == "mo" and len(parts) == 1:
            core.attrib |= {"lspace": "0", "rspace": "0"}
        elif core.tag == "mspace":
            core.set("width", NAMED.get(core.get("width"), core.get("width")))
        elif BETWEEN.fullmatch(text):
            after_it = "0" if _is_bracket(after) else THIN
            core.attrib |= {"lspace": "0" if alone else THIN, "rspace": after_it}
        elif text in EVEN:
            core.attrib |= {"lspace": EVEN[text], "rspace": EVEN[text]}
            if text in BARS:
                core.set("stretchy", core.get("stretchy", "false"))
        elif text in SIGNS:
            core.set("form", "prefix" if alone else "infix")
        elif text == ",":
            core.attrib |= {"lspace": "0", "rspace": THIN}


def _core(part):
    """What carries the indices of a part."""
    while part.tag in SCRIPTS and len(part):
        part = part[0]
    return part


def _is_operator(part):
    """Whether a part is nothing, a space, or an operator after which a sign belongs to what follows."""
    if part is None or part.tag == "mspace":
        return True
    core = _core(part)
    if core.tag == "mtext":
        return not core.text.strip()
    return core.tag == "mo" and core.text not in OPERANDS and not BETWEEN.fullmatch(core.text or "")


def _is_bracket(part):
    """Whether a part needs no space before it: nothing, a space, an operator, something in brackets."""
    if part is None or part.tag in ("mspace", "mrow"):
        return True
    return _core(part).tag == "mo" and _core(part).text not in BARS


def visit_math(writer, node):
    """Write a formula within a line; what touches it stays on its line."""
    beside = node.parent.children
    place = beside.index(node)
    before, after = beside[:place][-1:], beside[place + 1 :][:1]
    writer.body.append(
        JOINER * any(isinstance(one, Text) and not one[-1:].isspace() for one in before)
        + mathml(node.astext())
        + JOINER * any(isinstance(one, Text) and not one[:1].isspace() for one in after)
    )
    raise SkipNode


def visit_math_block(writer, node):
    """Write a formula on a line of its own; a wide one scrolls by itself."""
    writer.body.append(f'<div class="formula" tabindex="0">{mathml(node.astext(), display="block")}</div>')
    raise SkipNode


def copy_font(app, error):
    """Put the font of the formulas beside the pages."""
    if not error:
        font = files("ziamath") / "fonts" / FONT
        (Path(app.outdir) / "_static" / FONT).write_bytes(font.read_bytes())
