"""Reading submitted files: every file becomes a notebook with its answers, or a reason in one sentence."""

import copy
import gzip
import io
import json
import time
import zipfile

import jupytext
import nbformat
import pytest
from conftest import answer_cell
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert import PythonExporter

from grading.exercise import released_notebook, source_notebook
from grading.intake import Unreadable, read_notebook
from grading.rebuild import rebuild

SOLVED = nbformat.writes(source_notebook("ex02"))
TEXT = SOLVED + "\n"
CONTENT = json.loads(SOLVED)
ANSWERS = 7


def zipped(*names, data=SOLVED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return packed.getvalue()


def changed(**parts):
    return json.dumps(CONTENT | parts).encode()


def each_cell(change):
    content = copy.deepcopy(CONTENT)
    for cell in content["cells"]:
        change(cell)
    return json.dumps(content).encode()


def in_format_3(content):
    """The cells on a worksheet, with ``input`` for code, as they were written until 2015."""
    cells = []
    for cell in copy.deepcopy(content["cells"]):
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
        cells.append(cell)
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


def in_windows(text):
    """A text with letters of Windows only."""
    return text.encode("ascii", "replace").replace(b"import numpy", "# é\\nimport numpy".encode("cp1252"), 1)


def sources(data):
    return [cell.source for cell in read_notebook(data).notebook.cells]


def answers_found(data):
    return rebuild(read_notebook(data).notebook, released_notebook("ex02")).found


ENCODED = {
    "with a byte order mark": (TEXT.encode("utf-8-sig"), "byte order mark"),
    "UTF-16": (TEXT.encode("utf-16"), "UTF-16"),
    "UTF-16 without its mark": (TEXT.encode("utf-16-le"), "UTF-16"),
    "UTF-16, big end first": (TEXT.encode("utf-16-be"), "UTF-16"),
    "UTF-32": (TEXT.encode("utf-32"), "UTF-32"),
    "UTF-32 without its mark": (TEXT.encode("utf-32-be"), "UTF-32"),
    "line ends of Windows": (TEXT.replace("\n", "\r\n").encode(), "line ends of another system"),
    "line ends of old Macs": (TEXT.replace("\n", "\r").encode(), "line ends of another system"),
    "zero bytes behind it": (TEXT.encode() + b"\0" * 500, "zero bytes"),
    "gzip": (gzip.compress(TEXT.encode()), "packed (zip or gzip)"),
    "zip": (zipped("homework/ex02.ipynb", "__MACOSX/homework/._ex02.ipynb"), "packed (zip or gzip)"),
    "zip in gzip": (gzip.compress(zipped("ex02.ipynb")), "packed (zip or gzip)"),
    "JSON in JSON": (json.dumps(TEXT).encode(), "wrapped in other text"),
    "as Jupyter's server sends it": (json.dumps({"content": CONTENT}).encode(), "wrapped in other text"),
    "text behind the end": (TEXT.encode() + b"}\n\nsaved twice", "After the end of the notebook"),
    "only the list of cells": (json.dumps(CONTENT["cells"]).encode(), "only the list of cells"),
}


@pytest.mark.parametrize(("data", "repair"), ENCODED.values(), ids=ENCODED)
def test_the_same_notebook_is_read_and_the_student_is_told(data, repair):
    read = read_notebook(data)
    assert [cell.source for cell in read.notebook.cells] == sources(TEXT.encode())
    assert [line for line in read.repairs if repair in line] == read.repairs[:1]
    assert len(read.repairs) <= 2
    assert read.attention == ""


def test_a_clean_file_needs_no_repair():
    read = read_notebook(TEXT.encode())
    assert (read.repairs, read.attention) == ([], "")
    assert answers_found(TEXT.encode()) == ANSWERS


def test_letters_of_windows_are_read():
    data = in_windows(SOLVED)
    assert any("# é\nimport numpy" in source for source in sources(data))
    assert "cp1252" in read_notebook(data).repairs[0]


def test_one_damaged_letter_leaves_the_others():
    data = SOLVED.replace("import numpy", "# 東京 é ?\\nimport numpy", 1).encode().replace(b" ?", b" \xff")
    assert any("# 東京 é \ufffd\n" in source for source in sources(data))


FORMS = {
    "format 3": (json.dumps(in_format_3(CONTENT)).encode(), "format 3"),
    "format 2": (json.dumps(in_format_3(CONTENT) | {"nbformat": 2}).encode(), "format 2"),
    "a format of the future": (changed(nbformat=5), "format 5"),
    "no format": (json.dumps({"cells": CONTENT["cells"]}).encode(), "unknown format"),
    "a kernel of R": (changed(metadata={"kernelspec": {"name": "ir", "language": "R"}}), "language R"),
    "types unknown": (each_cell(lambda cell: cell.update(cell_type="cellule")), "of a wrong kind (27)"),
    "metadata is null": (each_cell(lambda cell: cell.update(metadata=None)), "of a wrong kind (27)"),
    "lines without ends": (
        each_cell(lambda cell: cell.update(source="".join(cell["source"]).split("\n"))),
        "lost the ends of their lines",
    ),
    "sources of Windows": (
        each_cell(lambda cell: cell.update(source="".join(cell["source"]).replace("\n", "\r\n"))),
        "line ends of another system",
    ),
    "zero bytes in sources": (
        each_cell(lambda cell: cell.update(source="\0" + "".join(cell["source"]))),
        "zero bytes (27)",
    ),
    "no cells between the cells": (changed(cells=[*CONTENT["cells"], None, "x"]), "is no cell (2)"),
    "cells with numbers for names": (changed(cells=dict(enumerate(CONTENT["cells"]))), ""),
    "no outputs, ids or metadata": (
        each_cell(lambda cell: [cell.pop(key, None) for key in ("outputs", "id", "metadata")]),
        "",
    ),
}


@pytest.mark.parametrize(("data", "repair"), FORMS.values(), ids=FORMS)
def test_another_form_holds_the_same_answers(data, repair):
    assert sources(data) == sources(TEXT.encode())
    assert answers_found(data) == ANSWERS
    assert repair in " ".join(read_notebook(data).repairs)


def test_a_lone_surrogate_becomes_a_question_mark():
    data = each_cell(lambda cell: cell.update(source="x = '\ud800'"))
    assert sources(data)[0] == "x = '?'"


def test_headings_of_format_3_become_text():
    cells = [{"cell_type": "heading", "level": 2, "source": ["One pole"]}]
    notebook = read_notebook(json.dumps({"worksheets": [{"cells": cells}]}).encode()).notebook
    assert (notebook.cells[0].cell_type, notebook.cells[0].source) == ("markdown", "## One pole")


MARKS = {
    "schema 1": {"schema_version": 1, "grade_id": "answer-one_pole", "checksum": "x"},
    "schema 4": {"schema_version": 4, "grade_id": "answer-one_pole", "task": True, "more": [1]},
    "nothing else": {"grade_id": "answer-one_pole"},
}


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_of_nbgraders_marks_only_the_name_counts(mark):
    cell = {"cell_type": "code", "metadata": {"nbgrader": mark}, "source": "x"}
    read = read_notebook(changed(cells=[cell]))
    assert read.notebook.cells[0].metadata == {"nbgrader": {"grade_id": "answer-one_pole"}}


@pytest.mark.parametrize("name", [None, 7, "", "with blank", "x" * 200, "\ud800"])
def test_an_illegal_id_is_replaced(name):
    read = read_notebook(changed(cells=[{"cell_type": "code", "id": name, "source": "x"}]))
    assert read.notebook.cells[0].id == "cell-1"


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.99])
def test_of_a_cut_off_file_every_whole_cell_is_read(part):
    cut = SOLVED[: int(len(SOLVED) * part)]
    whole = cut.count('\n  },\n  {\n   "') + 1  # the first closes before the second opens
    read = read_notebook(cut.encode())
    assert [cell.source for cell in read.notebook.cells][: whole - 1] == sources(TEXT.encode())[: whole - 1]
    assert len(read.notebook.cells) in (whole - 1, whole)
    assert "damaged or cut off" in read.attention
    assert "Check your answers." in read.repairs[0]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("as_list", [True, False])
def test_of_an_answer_that_breaks_off_the_whole_lines_are_read(indent, as_list):
    cell = copy.deepcopy(next(cell for cell in CONTENT["cells"] if cell["id"] == "answer-one_pole"))
    lines = ["a = 1\n", "b = 2\n", "c = 3\n"]
    cell["source"] = lines if as_list else "".join(lines)
    text = json.dumps(CONTENT | {"cells": [cell, cell]}, indent=indent)
    first, last = read_notebook(text[: text.rindex("c = 3") + 3].encode()).notebook.cells
    assert (first.source, last.source) == ("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 2\n")
    assert last.metadata.nbgrader.grade_id == "answer-one_pole"


def test_a_file_cut_off_inside_a_letter_is_read():
    data = SOLVED.replace("import numpy", "é" * 9, 1).encode()
    cut = data[: data.index("é".encode()) + 3]
    assert [line for line in read_notebook(cut).repairs if "cut off" not in line] == []


def test_damage_in_the_outputs_of_one_cell_costs_no_cell():
    cells = copy.deepcopy(CONTENT["cells"])
    code = next(cell for cell in cells if cell["cell_type"] == "code")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "HERE"}]
    data = changed(cells=cells).replace(b'"HERE"', b'"HE')
    assert sources(data) == sources(TEXT.encode())


def conflicting(first, second):
    """The notebook with two sides of a merge in the answer of one_pole."""
    lines = json.dumps(CONTENT, indent=1).split("\n")
    start = next(number for number, line in enumerate(lines) if "def one_pole" in line)
    marks = ["<<<<<<< HEAD", *first, "=======", *second, ">>>>>>> theirs"]
    return "\n".join(lines[:start] + marks + lines[start + 1 :]).encode()


LINE = '    "def one_pole(x, alpha, beta=1.0, h0=None):\\n",'
LONGER = [LINE, '    "    # the better version\\n",']


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [([LINE], LONGER, "second"), (LONGER, [LINE], "first"), ([], LONGER, "second")],
)
def test_of_a_merge_the_side_counts_on_which_more_was_done(first, second, taken):
    read = read_notebook(conflicting(first, second))
    assert f"the {taken} side of each was taken" in read.attention
    assert "# the better version" in "".join(sources(conflicting(first, second)))
    assert "<<<<<<<" in read.repairs[0]


def test_of_a_merge_the_whole_side_counts():
    torn = f'    "    # {"longer " * 500}\\n",,'
    read = read_notebook(conflicting([LINE], [LINE, torn]))
    assert "the first side" in read.attention
    assert len(read.notebook.cells) == len(CONTENT["cells"])


def test_of_a_merge_the_stub_does_not_count(released):
    stub, own = answer_cell(released, "one_pole").source, "def one_pole(x): return x"
    sides = [[{"cell_type": "code", "metadata": {}, "source": text}] for text in (stub, own)]
    texts = [json.dumps({"nbformat": 4, "cells": cells}) for cells in sides]
    merged = "\n".join(["<<<<<<< a", texts[0], "=======", texts[1], ">>>>>>> b"]).encode()
    assert read_notebook(merged, known=[stub]).notebook.cells[0].source == own


def test_conflict_marks_inside_a_cell_are_left_as_they_are():
    data = each_cell(lambda cell: cell.update(source="<<<<<<< local\nx = 1\n=======\nx = 2\n>>>>>>> remote"))
    assert read_notebook(data).attention == ""
    assert sources(data)[0].startswith("<<<<<<< local")


def test_two_notebooks_in_one_file_ask_for_a_look():
    assert "second notebook" in read_notebook(SOLVED.encode() + SOLVED.encode()).attention


SCRIPTS = {
    "percent format": lambda notebook: jupytext.writes(notebook, fmt="py:percent"),
    "of nbconvert": lambda notebook: PythonExporter().from_notebook_node(notebook)[0],
}


@pytest.mark.parametrize("write", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_in_cells_is_read_and_told(write, solved):
    data = write(solved).encode()
    assert answers_found(data) == ANSWERS
    assert "Your file was a script in cells" in read_notebook(data).repairs[0]


REFUSED = {
    "empty": (b"", "the file is empty"),
    "white space": (b" \n\t", "the file is empty"),
    "zero bytes": (b"\0" * 5000, "holds only zero bytes"),
    "a web page": (b"<!DOCTYPE html>\n<html><title>Log in</title></html>", "it is a web page (HTML)"),
    "a PDF": (b"%PDF-1.7\n", "it is a PDF document"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "it is a picture"),
    "a Word document": (zipped("[Content_Types].xml", "word/document.xml"), "it is an Office document"),
    "a zip without a notebook": (zipped("notes.txt"), "in which there are 0 notebooks"),
    "a zip of two notebooks": (zipped("a.ipynb", "b.ipynb"), "in which there are 2 notebooks"),
    "a torn zip": (zipped("ex02.ipynb")[:200], "a zip that cannot be opened"),
    "a torn gzip": (b"\x1f\x8b\x08zzzz", "packed (gzip) and damaged"),
    "a script": (b"import numpy as np\n\ndef one_pole(x):\n    return x\n", "it is a Python script"),
    "a link to Colab": (b'{"url": "https://colab.research.google.com/drive/1"}', "only a link to Colab"),
    "a link": (b"[InternetShortcut]\nURL=https://example.org", "it is only a link"),
    "a pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "a pointer of Git LFS"),
    "prose": (b"Here is my homework.", "it is some other text"),
    "random bytes": (bytes(range(128, 256)) * 9, "it is not text"),
    "JSON of something else": (b'{"a": 1}', "it has no cells"),
    "no cells at all": (changed(cells=[]), "the notebook has no cells"),
    "cut off at once": (b'{"cells": [{"cell_type": "code", "metad', "cut off before its first cell ends"),
    "deep brackets": (b'{"cells": ' + b"[" * 100_000, "cut off before its first cell ends"),
    "too many cells": (changed(cells=[{}] * 6000), "more than 5,000 cells"),
    "too large": (b" " * 100_000_001, "more than 100 MB"),
    "a gzip bomb": (gzip.compress(b"0" * 150_000_000, 1), "more than 100 MB"),
    "large without outputs": (
        b'{"cells": ["' + b"x" * 20_000_001 + b'"]}',
        "more than 20 MB without its outputs",
    ),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_notebook_gets_a_reason_in_one_line(data, reason):
    with pytest.raises(Unreadable) as caught:
        read_notebook(data)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 160
    assert "\n" not in str(caught.value)


def test_large_outputs_are_left_out():
    cells = copy.deepcopy(CONTENT["cells"])
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 45_000_000}, "metadata": {}}
    lines = {"output_type": "stream", "text": [']\n\\"'] * 100_000}
    for cell in [cell for cell in cells if cell["cell_type"] == "code"][:2]:
        cell["outputs"] = [picture, lines]
    data = changed(cells=cells)
    assert len(data) > 90_000_000
    assert sources(data) == sources(TEXT.encode())
    assert "very large" in read_notebook(data).repairs[0]


HOSTILE = {
    "cells in cells": b'{"cells": [' + b'{"cell_type":' * 300_000,
    "conflicts without an end": b"<<<<<<< a\n" * 300_000,
    "white space": b'{"cells":[{"cell_type":"code"' + b" " * 2_000_000,
    "backslashes": b'{"cells":[{"cell_type":"code","source":["' + b"\\\\" * 1_000_000,
    "outputs without an end": b'"outputs":[' * 1_900_000,
    "empty lines": b"\n" * 2_000_000 + b"x",
    "quotes": b'"' * 2_000_000,
    "marks of cells": b"# %%\n" * 300_000,
    "sources in sources": b'{"cells":[' + b'{"source":"' * 300_000,
    "a number of a million digits": b'{"cells": [' + b"9" * 1_000_000 + b"]}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_files_made_to_take_long_end_soon(data):
    assert reads_or_refuses(data)


def reads_or_refuses(data):
    """True when the bytes come to a notebook that can be written, or to a sentence."""
    try:
        read = read_notebook(data)
    except Unreadable as error:
        return bool(str(error))
    rebuild(read.notebook, released_notebook("ex02"))
    return bool(nbformat.writes(read.notebook).encode())


def test_an_output_that_does_not_close_takes_no_time_without_end(monkeypatch):
    text = '{"cells":[{"outputs":["' + '\\"' * 1_000_000
    monkeypatch.setattr("grading.decoding.LARGEST_NOTEBOOK", 2_000_000)
    start = time.process_time()
    assert reads_or_refuses(text.encode())
    assert time.process_time() - start < 10


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(["cell_type", "source", "input", "metadata", "id", "level", "nbgrader", "grade_id"])
cells = st.dictionaries(keys, json_values | st.just("code") | st.dictionaries(keys, json_values), max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(data):
    assert reads_or_refuses(data)


@settings(max_examples=150, deadline=None)
@given(json_values, st.lists(cells | json_values, max_size=4) | json_values, json_values)
def test_no_json_raises_anything_else(number, several, metadata):
    content = {"nbformat": number, "cells": several, "metadata": metadata, "worksheets": several}
    assert reads_or_refuses(json.dumps(content).encode())


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(SOLVED)), st.integers(0, len(SOLVED)), st.binary(max_size=6))
def test_no_damage_raises_anything_else(start, length, instead):
    data = SOLVED.encode()
    assert reads_or_refuses(data[:start] + instead + data[start + length // 20 :])


def test_a_script_beyond_the_limit_is_refused_at_once():
    with pytest.raises(Unreadable, match="the script has more than 2 MB"):
        read_notebook(b"# %%\n" + b"#\n" * 1_100_000)
