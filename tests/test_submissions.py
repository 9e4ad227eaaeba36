"""Finding submissions: any name and folder, several candidates, archives, links; nothing is written."""

import gzip
import io
import os
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import nbformat
import pytest

from grading import sample, submissions
from grading.errors import UserError
from grading.exercise import source_notebook
from grading.submissions import find_submissions

DATA = nbformat.writes(source_notebook("ex02")).encode()
OTHER = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])).encode()


@pytest.fixture
def put(tmp_path):
    """Write a file of the class folder; returns the folder."""

    def write(path, data=DATA, time=None):
        path = tmp_path / "class" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if time:
            os.utime(path, (time, time))
        return tmp_path / "class"

    return write


@pytest.fixture
def only(put):
    """The one submission of a class with a neighbour, who is as expected."""

    def find(student="anna"):
        folder = put("zoe/ex02/ex02.ipynb")
        found = {one.student: one for one in find_submissions(folder, "ex02")}
        assert set(found) == {student, "zoe"}
        assert (found["zoe"].repairs, found["zoe"].attention, found["zoe"].problem) == ([], "", "")
        return found[student]

    return find


def zipped(*names, data=DATA):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return packed.getvalue()


def packed_blanks(count, size):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            archive.writestr(f"ex02_{number}.ipynb", b" " * size)
    return packed.getvalue()


def tarred(name):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(DATA)
        archive.addfile(info, io.BytesIO(DATA))
    return packed.getvalue()


NAMES = [
    "anna/ex02/ex02 (1).ipynb",
    "anna/ex02/EX02.ipynb",
    "anna/ex02/anna_ex02.ipynb",
    "anna/ex02/ex02-Copy1.ipynb",
    "anna/ex02/exercise-02-final.ipynb",
    "anna/ex02/ex02.ipynb.txt",
    "anna/ex02/ex02.json",
    "anna/ex02/homework.ipynb",
    "anna/EX_2/ex02.ipynb",
    "anna/ex02 /ex02.ipynb",
    "anna /ex02/ex02.ipynb",
    "anna/ex02.ipynb",
    "anna/ex02/part1/deep/ex02.ipynb",
    "ex02/anna/ex02.ipynb",
    "Exercise 02/anna/ex02.ipynb",
    "anna_ex02.ipynb",
]


@pytest.mark.parametrize("path", NAMES)
def test_a_notebook_under_another_name_is_found_and_told(put, only, path):
    put(path)
    found = only()
    assert (found.read(), found.problem, found.attention) == (DATA, "", "")
    assert found.repairs == [f"Your notebook was found as {path}; it is expected as anna/ex02/ex02.ipynb."]


PACKED = {
    "zip": ("hw.zip", zipped("HW/ex02.ipynb", "__MACOSX/HW/ex02.ipynb")),
    "zip with paths of Windows": ("hw.zip", zipped("hw\\ex02.ipynb")),
    "zip in a zip": ("hw.zip", zipped("inner.zip", data=zipped("ex02.ipynb"))),
    "tar": ("hw.tar.gz", tarred("hw/ex02.ipynb")),
}


@pytest.mark.parametrize(("name", "data"), PACKED.values(), ids=PACKED)
def test_a_notebook_in_an_archive_is_found(put, only, name, data):
    put(f"anna/ex02/{name}", data)
    found = only()
    assert (found.read(), found.problem) == (DATA, "")
    assert f"anna/ex02/{name}/" in found.repairs[0]
    assert "__MACOSX" not in found.repairs[0]


def test_side_files_of_macos_are_no_candidates(put, only):
    put("anna/ex02/ex02.ipynb")
    put("anna/ex02/._ex02.ipynb", b"\0\5")
    put("anna/__MACOSX/ex02/ex02.ipynb", b"\0\5")
    assert (only().read(), only().attention) == (DATA, "")


TWO = {
    "the exact name goes first": (("ex02/ex02.ipynb", 1000), ("ex02/ex02 (2).ipynb", 2000)),
    "the higher number goes first": (("ex02/ex02 (3).ipynb", 1000), ("ex02/ex02 (2).ipynb", 2000)),
    "a copy is newer": (("ex02/my ex02-Copy1.ipynb", 1000), ("ex02/my ex02.ipynb", 2000)),
    "the newer goes first": (("part1/ex02.ipynb", 2000), ("part2/ex02.ipynb", 1000)),
    "the newer of two other names": (("ex02/ex02_a.ipynb", 2000), ("ex02/ex02_b.ipynb", 1000)),
}


@pytest.mark.parametrize(("wins", "loses"), TWO.values(), ids=TWO)
def test_of_two_candidates_one_counts_and_a_person_should_look(put, only, wins, loses):
    put(f"anna/{wins[0]}", DATA, wins[1])
    put(f"anna/{loses[0]}", DATA + b"\n", loses[1])
    found = only()
    assert found.read() == DATA
    assert found.attention == f"anna/{wins[0]} was graded; there is also anna/{loses[0]}"
    assert found.attention in found.repairs[-1]


def test_two_equal_candidates_need_no_look(put, only):
    put("anna/ex02/ex02.ipynb")
    put("anna/ex02/ex02 (1).ipynb")
    assert only().attention == ""


def test_a_candidate_that_can_be_read_goes_before_an_empty_one(put, only):
    put("anna/ex02/ex02.ipynb", b"")
    put("anna/ex02/ex02 (1).ipynb")
    assert only().read() == DATA


def test_of_notebooks_of_other_names_the_one_with_our_cells_counts(put, only):
    put("anna/ex02/b.ipynb")
    put("anna/ex02/a.ipynb", OTHER)
    assert (only().read(), only().attention) == (DATA, "")


def test_an_automatic_copy_counts_when_there_is_nothing_else(put, only):
    put("anna/ex02/.ipynb_checkpoints/ex02-checkpoint.ipynb")
    assert only().read() == DATA
    assert "only an automatic copy" in only().attention
    put("anna/ex02/ex02.ipynb", DATA + b"\n")
    assert (only().read(), only().attention) == (DATA + b"\n", "")


def test_older_attempts_are_never_graded(put, only):
    put("anna/ex02/attempts/2026-11-01_x/ex02.ipynb")
    assert only().problem == "there is no anna/ex02/ex02.ipynb"


def test_a_file_of_another_kind_is_handed_on_for_its_reason(put, only):
    put("anna/ex02/ex02.pdf", b"%PDF-1.7")
    assert (only().read(), only().problem) == (b"%PDF-1.7", "")


NOTHING = {
    "an empty folder": (lambda put: put("anna/x/y").joinpath("anna/x/y").unlink(), ""),
    "several other files": (
        lambda put: [put("anna/a.txt"), put("anna/b.txt")],
        "; there is anna/a.txt, anna/b.txt",
    ),
    "a torn zip": (lambda put: put("anna/ex02.zip", b"PK\3\4"), "; ex02.zip is damaged or is no archive"),
    "a zip that leads out": (
        lambda put: put("anna/hw.zip", zipped("../../ex02.ipynb")),
        "; anna/hw.zip/../../ex02.ipynb was left alone: its name leads out of the archive",
    ),
}


@pytest.mark.parametrize(("make", "reason"), NOTHING.values(), ids=NOTHING)
def test_a_student_without_a_notebook_has_a_row_with_a_reason(put, only, make, reason):
    make(put)
    assert only().problem.startswith(f"there is no anna/ex02/ex02.ipynb{reason}")


@pytest.mark.parametrize("link", ["anna/ex02/ex02.ipynb", "anna/ex02", "anna"])
def test_links_are_never_followed(put, only, link, tmp_path):
    target = tmp_path / "secret" / "ex02.ipynb"
    target.parent.mkdir()
    target.write_bytes(DATA)
    path = put("zoe/ex02/ex02.ipynb") / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target if link.endswith("ipynb") else target.parent)
    assert "is a link, and links are not followed" in only().problem


def test_a_link_in_the_place_of_the_time_is_not_followed(put, only, tmp_path):
    put("anna/ex02/ex02.ipynb").joinpath("anna/ex02/timestamp.txt").symlink_to("/etc/hostname")
    assert only().timestamp is None


def test_the_time_of_submission_is_found_above_the_notebook(put, only):
    put("anna/ex02/timestamp.txt", b"2026-11-01 10:00:00 UTC")
    put("anna/ex02/part1/ex02.ipynb")
    put("anna/ex02/part1/timestamp.txt", b"2020-01-01 10:00:00 UTC")  # the student's own
    assert only().timestamp.read_text() == "2026-11-01 10:00:00 UTC"


def test_a_large_archive_is_not_unpacked(put, only, monkeypatch):
    monkeypatch.setattr("grading.submissions.LARGEST_UNPACKED", 1000)
    put("anna/ex02/hw.zip", zipped("ex02.ipynb"))
    assert "unpacks to more than" in only().problem


def test_archives_of_a_student_share_one_limit(put, only, monkeypatch):
    monkeypatch.setattr("grading.submissions.LARGEST_UNPACKED", 5_000_000)
    put("anna/ex02/a.zip", zipped("1.zip", data=packed_blanks(1, 3_000_000)))
    assert only().problem == ""
    put("anna/ex02/a.zip", zipped("1.zip", "2.zip", data=packed_blanks(1, 3_000_000)))
    pile = submissions._Pile()
    submissions._unpacked("a.zip", put("x/y", b"").joinpath("anna/ex02/a.zip"), None, pile)
    assert pile.reasons == ["2.zip unpacks to more than 1 MB; it is not unpacked"]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_tar_with_a_huge_header_is_not_read(put, only, kind):
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 1_000_000
    put("anna/ex02/hw.tar.gz", gzip.compress(header.tobuf() + bytes(1_000_000)))
    assert "hw.tar.gz has headers that are too large" in only().problem


def test_a_tar_whose_header_takes_time_without_end_is_not_read(put, only):
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 60_000
    put("anna/ex02/hw.tar", header.tobuf() + b"1" * 60_416 + tarfile.TarInfo("ex02.ipynb").tobuf())
    assert "hw.tar has a header that cannot be read" in only().problem


def test_one_students_trouble_is_told_and_ends_nothing(put, only, monkeypatch):
    put("anna/ex02/ex02.ipynb")
    loose = submissions._loose

    def broken(path, folder):
        return 1 / ("zoe" in str(path)) and loose(path, folder)

    monkeypatch.setattr(submissions, "_loose", broken)
    assert only().problem == "the files cannot be looked through (division by zero); look at the folder"


def test_a_class_of_one_broken_archive_has_its_row(put):
    (found,) = find_submissions(put("anna/ex02/hw.zip", b"PK"), "ex02")
    assert "hw.zip is damaged" in found.problem


def test_names_in_messages_do_nothing_to_a_terminal(put, only):
    put("anna/ex02/\x1b[2Jex02.ipynb")
    put("anna/ex02/\x1b[2Jex02 (2).ipynb", DATA + b"\n")
    found = only()
    assert "anna/ex02/\ufffd[2Jex02.ipynb" in found.attention
    assert "\x1b" not in found.attention + "".join(found.repairs)


def test_contents_of_many_candidates_are_not_kept(put, only):
    put("anna/ex02/hw.zip", packed_blanks(8, 20_000_000))
    tracemalloc.start()
    assert only().attention == ""
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


def test_a_folder_without_any_notebook_is_no_class(put):
    with pytest.raises(UserError, match="no submissions of ex02"):
        find_submissions(put("anna/picture.png", b"x"), "ex02")


def test_nothing_is_written(put, only):
    put("anna/ex02/hw.zip", zipped("ex02.ipynb"))
    before = sorted(put("zoe/ex02/ex02.ipynb").rglob("*"))
    only().read()
    assert sorted(put("zoe/ex02/ex02.ipynb").rglob("*")) == before


def test_the_sample_class_is_as_expected():
    found = find_submissions(sample.FOLDER, "ex02")
    assert [one.path for one in found] == [Path(sample.path_of(student)) for student in sample.students()]
    assert not any(one.repairs or one.attention or one.problem for one in found)
