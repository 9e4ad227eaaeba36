"""Tables: whatever encoding and separator a file has, the cells come out; none that is written is run."""

import csv
import doctest
import io
import re
import stat

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grading import deadlines, late, lms_export, tables
from grading.errors import UserError
from grading.tables import CONTROLS, guarded, read_table, unguarded, write_table

ROWS = [["anna", "Müller, Ana"], ["max", 'Ann "Nan" O\'Neil']]
TEXT = 'id,name\nanna,"Müller, Ana"\nmax,"Ann ""Nan"" O\'Neil"\n'


def separated_by(mark):
    """The same table with another separator; the commas between quotes stay."""
    return re.sub(r"(?m)^(\w+),", rf"\1{mark}", TEXT)


WRITTEN = {
    "UTF-8": TEXT.encode(),
    "with a mark": TEXT.encode("utf-8-sig"),
    "of a spreadsheet": separated_by("\t").encode("utf-16"),
    "semicolons": separated_by(";").encode(),
    "lines of Windows": TEXT.replace("\n", "\r\n").encode(),
    "empty lines": TEXT.replace("\n", "\n\n , \n").encode(),
}


@pytest.mark.parametrize("data", WRITTEN.values(), ids=WRITTEN)
def test_a_table_reads_the_same_however_it_was_saved(tmp_path, data):
    (tmp_path / "x.csv").write_bytes(data)
    table = read_table(tmp_path / "x.csv")
    assert (table.header, table.rows, table.told) == (["id", "name"], ROWS, [])


def test_latin_1_is_read_and_told(tmp_path):
    (tmp_path / "x.csv").write_bytes(TEXT.encode("latin-1"))
    table = read_table(tmp_path / "x.csv")
    assert table.rows == ROWS
    assert "not UTF-8 and was read as Latin-1" in table.told[0]


NO_TABLE = {
    "missing": (None, "there is no file"),
    "empty": (b"", "is empty"),
    "a workbook": (b"PK\x03\x04\x00\x00", "save the table as CSV"),
    "an open quote": (b'id,name\nanna,"Ana', "is no CSV file: line 2"),
    "a comma outside of quotes": (b"id,name\nanna,Ana,Lee", "line 2: more cells than columns"),
}


@pytest.mark.parametrize(("data", "told"), NO_TABLE.values(), ids=NO_TABLE)
def test_what_is_no_table_is_told(tmp_path, data, told):
    if data is not None:
        (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(UserError, match=told):
        read_table(tmp_path / "x.csv")


TRICKY = st.lists(st.sampled_from(["=", "'", " ", ";", "a", "+", "\u200b", '"'])).map("".join)


@settings(deadline=None)
@given(st.text() | TRICKY)
def test_a_guarded_text_comes_back(text):
    seen = " ".join(CONTROLS.sub(" ", text).split())
    assert unguarded(guarded(text)) == seen


@settings(deadline=None)
@given(TRICKY)
def test_no_part_of_a_guarded_text_begins_with_a_sign(text):
    parts = guarded(text).replace("\u200b", "").split(";")
    assert [part for part in parts if part.strip().startswith(("=", "+"))] == []


@settings(deadline=None)
@given(TRICKY, st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
@example('a;"=1;', csv.QUOTE_ALL)
def test_no_cell_begins_with_a_sign_where_a_spreadsheet_splits_at_semicolons(text, quoting):
    file = io.StringIO()
    csv.writer(file, quoting=quoting).writerow([guarded(text)] * 2)
    cells = next(csv.reader(io.StringIO(file.getvalue().replace("\u200b", "")), delimiter=";"))
    assert [cell for cell in cells if cell.strip().startswith(("=", "+"))] == []


@pytest.mark.parametrize("module", [tables, deadlines, late, lms_export], ids=lambda one: one.__name__)
def test_the_examples_of_the_docstrings_hold(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_a_table_comes_back_and_only_its_owner_can_read_it(tmp_path):
    write_table(tmp_path / "x.csv", ["id", "name"], ROWS, delimiter=";")
    assert read_table(tmp_path / "x.csv").rows == ROWS
    assert stat.S_IMODE((tmp_path / "x.csv").stat().st_mode) == 0o600
