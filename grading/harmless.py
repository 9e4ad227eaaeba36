"""The graded copy shows a student's text and outputs to who marks it, and must run nothing there.

Whatever looks at the copy (the formgrader, JupyterLab, an exporter) meets no HTML, script, link or picture
from elsewhere in it: a page of the formgrader could change marks.
"""

import base64
import re

from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.bank import exercise_names
from grading.exercise import released_notebook
from grading.texts import is_answer, plain_text

MACROS = (
    *("href", "url", "require", "style", "class", "cssId", "bbox", "mmlToken", "includegraphics", "data"),
    *("htmlClass", "htmlId", "htmlStyle", "htmlData", "let", "def", "gdef", "edef", "xdef"),
    *("newcommand", "renewcommand", "providecommand", "newenvironment", "renewenvironment"),
)
"""What a formula may not call: links, names and styles of elements, files, new names for these."""

MARKUP = (
    (re.compile(r"<(?=[A-Za-z/!?])"), "< "),  # no tag, comment or <address>
    (re.compile(r"\](?=[(:\[])"), "] "),  # no link, no picture, no target of one
    (re.compile(r"://"), ": //"),  # no address that becomes a link by itself
    (re.compile(r"&(?=#|[A-Za-z]\w*;)"), "& "),  # no letter by its number: it could spell any of these
    (re.compile(rf"\\(?=(?:{'|'.join(MACROS)})(?![A-Za-z]))"), r"\\ "),
    (
        re.compile(r"(?<![\\#])#(?=#*(?:\s|$))"),
        r"\\#",
    ),  # no heading: its id could be that of a box for points
    (re.compile(r"^((?:>|[^\S\n])*)(=+|-+)(?=[^\S\n]*$)", re.M), r"\1\\\2"),  # nor one that is underlined
)
"""What becomes plain text, for the most part by one space more, which a formula does not show."""


class Harmless(NbGraderPreprocessor):
    """Reduces the student's own cells to what cannot act: plain text, pictures of pixels, streams, errors."""

    def preprocess(self, nb, resources):
        exercise = resources["nbgrader"]["assignment"]
        if exercise in exercise_names():
            ours = {cell.source for cell in released_notebook(exercise).cells}
            for cell in nb.cells:
                self._mend(cell, ours)
        return nb, resources

    def _mend(self, cell, ours):
        if cell.cell_type != "code":
            cell.source = cell.source if cell.source in ours else harmless_markdown(cell.source)
        elif is_answer(cell) or not cell.metadata.get("nbgrader", {}).get("grade"):  # checks: our outputs
            cell.outputs = [output for output in map(harmless_output, cell.outputs) if output]


def harmless_markdown(text):
    """The text without anything that Markdown would turn into a tag, a link or a picture.

    >>> harmless_markdown("$a<b$ ![](x.png) <script>")
    '$a< b$ ![] (x.png) < script>'
    """
    text = plain_text(text)
    for pattern, plain in MARKUP:
        text = pattern.sub(plain, text)
    return text


def harmless_output(output):
    """The output with its allowed parts only, or None when nothing is left."""
    kind = output.output_type
    if kind == "stream":
        return new_output("stream", name=output.name, text=plain_text(output.text))
    if kind == "error":
        lines = [plain_text(line) for line in output.traceback]
        return new_output(
            "error", ename=plain_text(output.ename), evalue=plain_text(output.evalue), traceback=lines
        )
    data = {mime: keep(output.data[mime]) for mime, keep in ALLOWED.items() if mime in output.data}
    data = {mime: content for mime, content in data.items() if content is not None}
    return new_output("display_data", data) if data else None


def _text(content):
    return plain_text(content) if isinstance(content, str) else None


def _png(content):
    """The picture, if it is one: nothing else may stand in the page's address of it."""
    try:
        pixels = base64.b64decode(content, validate=False)
    except (ValueError, TypeError):
        return None
    return base64.b64encode(pixels).decode() if pixels.startswith(b"\x89PNG\r\n") else None


ALLOWED = {"text/plain": _text, "image/png": _png}
