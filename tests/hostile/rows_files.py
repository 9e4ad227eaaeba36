"""Files in every state in which students and learning platforms hand them in, graded from end to end."""

import gzip
import io
import json
import zipfile

import jupytext
import nbformat
from conftest import answer_cell
from nbconvert import PythonExporter
from table import NOTHING, UNREADABLE, Row, chain, edit_json, replace

LETTERS = "pole_at_400_hz = 0.8 ** (1 / 4)  # réponse, 日本, ², 🙂"
BEHIND_THE_CUT = ("estimate_pole", "first_to_settle", "pole_at_400_hz", "delay_argument")
RIGHT, WRONG = "0.8 ** (1 / 4)", "-1"


def encoded(encode):
    """Build the file from its text."""
    return lambda solved: encode(nbformat.writes(solved) + "\n")


def as_bytes(change):
    """Build the file by changing its bytes."""
    return lambda solved: change(nbformat.writes(solved).encode())


def each(change):
    """Build by changing every cell of the JSON."""
    return edit_json(lambda content: [change(cell) for cell in content["cells"]])


def refused(id, data, reason):
    """The row of a file that cannot be graded."""
    return Row(id, lambda solved: data, NOTHING, UNREADABLE, says=(reason,), hides=("Traceback",))


def zipped(*files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


def in_windows(solved):
    """The file as an editor of Windows saves it that knows no UTF-8."""
    answer_cell(solved, "pole_at_400_hz").source = f"pole_at_400_hz = {RIGHT}  # réponse"
    return nbformat.writes(solved).encode("cp1252", "replace")


def old_format(number):
    """The JSON of formats 2 and 3: worksheets, and ``input`` in code cells."""

    def change(content):
        cells = content.pop("cells")
        for cell in cells:
            if cell["cell_type"] == "code":
                cell |= {"input": cell.pop("source"), "language": "python", "collapsed": False}
        content |= {"nbformat": number, "worksheets": [{"cells": cells}]}

    return edit_json(change)


def cut(solved):
    """The file ends in the middle of the written answer, the last cell."""
    text = nbformat.writes(solved)
    return text[: text.index("written-delay_argument")].encode()


def cut_in_the_middle(solved):
    text = nbformat.writes(solved)
    return text[: text.index("def estimate_pole")].encode()


def merged(first, second):
    """Git has left two sides of the answer to the last question with a number."""

    def build(solved):
        answer_cell(solved, "pole_at_400_hz").source = "pole_at_400_hz = HERE"
        lines = nbformat.writes(solved).split("\n")
        place = next(number for number, line in enumerate(lines) if "HERE" in line)
        sides = [lines[place].replace("HERE", text) for text in (first, second)]
        marked = ["<<<<<<< HEAD", sides[0], "=======", sides[1], ">>>>>>> origin/main"]
        return "\n".join([*lines[:place], *marked, *lines[place + 1 :]]).encode()

    return build


def with_large_outputs(content):
    """Sixty megabytes of pictures and prints."""
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 15_000_000}}
    for cell in cells[:4]:
        cell["outputs"] = [picture, {"output_type": "stream", "name": "stdout", "text": ["]\n"] * 50_000}]


def in_colab(content):
    content["metadata"] = {
        "colab": {"provenance": [], "gpuType": "T4"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "accelerator": "GPU",
    }
    content["nbformat_minor"] = 0
    for number, cell in enumerate(content["cells"]):
        del cell["id"]
        cell["metadata"] |= {"id": f"colab{number}", "colab": {"base_uri": "https://localhost:8080/"}}
    mount = "from google.colab import drive\ndrive.mount('/content/drive')"
    content["cells"].insert(2, {"cell_type": "code", "metadata": {}, "outputs": [], "source": mount})


def kernelspec(**spec):
    return edit_json(lambda content: content["metadata"].update(kernelspec=spec))


def schema(**mark):
    """Build with other fields in nbgrader's marks; None takes a field away."""

    def change(cell):
        if "nbgrader" in cell["metadata"]:
            merged = cell["metadata"]["nbgrader"] | mark
            cell["metadata"]["nbgrader"] = {key: value for key, value in merged.items() if value is not None}

    return each(change)


def with_lone_surrogates(content):
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = ["# \ud83d\n", *cell["source"]]


def lines_of_windows(cell):
    cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


def without_what_is_not_needed(content):
    """No format, no metadata, no ids, no outputs: types and texts alone."""
    cells = [{key: cell[key] for key in ("cell_type", "source")} for cell in content["cells"]]
    content.clear()
    content["cells"] = cells


def with_nothing_of_the_right_type(content):
    """Whatever is not the text has another type than it should."""
    content |= {"nbformat": "four", "nbformat_minor": [], "metadata": 7}
    for cell in content["cells"]:
        cell |= {"outputs": 3, "execution_count": "x", "metadata": None, "attachments": []}


READ = [
    # encodings
    Row("BOM", encoded(lambda text: text.encode("utf-8-sig")), says=("byte order mark",)),
    Row(
        "line ends of Windows",
        encoded(lambda text: text.replace("\n", "\r\n").encode()),
        says=("line ends of another system",),
    ),
    Row(
        "BOM, line ends of Windows, also in the cells",
        chain(each(lines_of_windows), lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")),
        says=("byte order mark", "line ends of another system"),
    ),
    Row("UTF-16", encoded(lambda text: text.encode("utf-16")), says=("UTF-16",)),
    Row("UTF-16 without its mark", encoded(lambda text: text.encode("utf-16-le")), says=("UTF-16",)),
    Row("UTF-32", encoded(lambda text: text.encode("utf-32")), says=("UTF-32",)),
    Row(
        "an editor of Windows",
        in_windows,
        says=("cp1252",),
    ),
    Row("letters of many scripts", replace("pole_at_400_hz", LETTERS)),
    Row("lone surrogates", edit_json(with_lone_surrogates), says=("letters that no file can hold",)),
    Row("zero bytes behind the end", as_bytes(lambda data: data + b"\0" * 4096), says=("zero bytes",)),
    # formats
    Row("format 2", old_format(2), says=("format 2; it was read as format 4",)),
    Row("format 3", old_format(3), says=("format 3; it was read as format 4",)),
    Row("format 5", edit_json(lambda content: content.update(nbformat=5)), says=("format 5",)),
    Row("no format", edit_json(lambda content: content.pop("nbformat")), says=("an unknown format",)),
    Row("types and texts alone", edit_json(without_what_is_not_needed), says=("had lost their marks",)),
    Row("wrong types", edit_json(with_nothing_of_the_right_type), says=("of a wrong kind (27)",)),
    Row("source is one text", each(lambda cell: cell.update(source="".join(cell["source"])))),
    Row(
        "lines without ends",
        each(lambda cell: cell.update(source="".join(cell["source"]).split("\n"))),
        says=("lost the ends of their lines",),
    ),
    Row("ids are gone", each(lambda cell: cell.pop("id"))),
    Row("ids are all the same", each(lambda cell: cell.update(id="x"))),
    Row("ids are illegal", each(lambda cell: cell.update(id=["no", {}]))),
    # kernels and nbgrader's marks of other places and times
    Row("Colab", edit_json(in_colab)),
    Row(
        "a kernel of conda",
        kernelspec(name="conda-env-x-py", display_name="Python [root]", language="python"),
    ),
    Row("no kernel", edit_json(lambda content: content.pop("metadata"))),
    Row("R", kernelspec(name="ir", display_name="R", language="R"), says=("for the language R",)),
    Row("nbgrader's schema 1", schema(schema_version=1, cell_type=None, task=None)),
    Row("nbgrader's schema 4", schema(schema_version=4, points="a lot", more={"x": [1]})),
    Row("no schema", schema(schema_version=None, locked=None, solution=None, grade=None)),
    # one file in another
    Row("gzip", as_bytes(gzip.compress), says=("packed (zip or gzip)",)),
    Row("zip", as_bytes(lambda data: zipped(("hw/ex02.ipynb", data))), says=("packed (zip or gzip)",)),
    Row("JSON in JSON", as_bytes(lambda data: json.dumps(data.decode()).encode()), says=("wrapped",)),
    Row(
        "text behind the end", as_bytes(lambda data: data + b"}}\n"), says=("After the end of the notebook",)
    ),
    Row("large outputs", edit_json(with_large_outputs), says=("very large",)),
    Row(
        "percent script", lambda solved: jupytext.writes(solved, fmt="py:percent").encode(), says=("script",)
    ),
    Row(
        "script of nbconvert",
        lambda solved: PythonExporter().from_notebook_node(solved)[0].encode(),
        says=("script in cells",),
    ),
    # damaged files
    Row(
        "the last bracket is missing", as_bytes(lambda data: data.rstrip()[:-1]), says=("27 cells could be",)
    ),
    Row(
        "cut off in the last answer",
        cut,
        {"delay_argument": 0},
        {"delay_argument": "not answered"},
        says=("26 cells could be read. Check your answers.", "delay_argument was missing"),
    ),
    Row(
        "cut off in the middle",
        cut_in_the_middle,
        dict.fromkeys(BEHIND_THE_CUT, 0),
        dict.fromkeys(BEHIND_THE_CUT, "not answered"),
        says=("damaged or cut off",),
    ),
    Row("conflict, ours is longer", merged(RIGHT + "  # merged", WRONG), says=("the first side",)),
    Row("conflict, theirs is longer", merged(WRONG, RIGHT + "  # merged"), says=("the second side",)),
    Row(
        "conflict marks in a cell",
        replace("pole_at_400_hz", f"<<<<<<< local\npole_at_400_hz = 1\n=======\n{LETTERS}\n>>>>>>> remote"),
        {"pole_at_400_hz": 0},
        {"pole_at_400_hz": "raised"},
        says=("SyntaxError",),
    ),
]
REFUSED = [
    refused("empty file", b"", "the file is empty"),
    refused("zero bytes", b"\0" * 9000, "the file holds only zero bytes"),
    refused("page of a login", b"<!DOCTYPE html><html><form>Log in</form></html>", "it is a web page (HTML)"),
    refused("PDF", b"%PDF-1.7\n%\xe2\xe3", "it is a PDF document"),
    refused(
        "Word", zipped(("[Content_Types].xml", ""), ("word/document.xml", "")), "it is an Office document"
    ),
    refused("two notebooks in a zip", zipped(("a.ipynb", ""), ("b.ipynb", "")), "there are 2 notebooks"),
    refused("script", b"import numpy as np\ndef one_pole(x):\n    return x\n", "it is a Python script"),
    refused("link to Colab", b'{"url": "https://colab.research.google.com/drive/1"}', "only a link to Colab"),
    refused("no notebook", b'{"a": 1}', "it has no cells"),
    refused("never saved", b'{"cells": [], "nbformat": 4}', "the notebook has no cells"),
    refused(
        "another notebook", b'{"cells": [{"cell_type": "code", "source": "x"}]}', "no cell of it answers"
    ),
    refused("deep brackets", b'{"cells": ' + b"[" * 100_000, "cut off before its first cell ends"),
    refused("gzip bomb", gzip.compress(bytes(150_000_000), 1), "more than 100 MB"),
    refused("random bytes", bytes(range(128, 256)) * 9, "it is not text"),
]
ROWS = READ + REFUSED
