"""Collecting a class from an LMS: whose file it is, which attempt counts; nothing is lost or trusted."""

import io
import os
import stat
import subprocess
import sys
import tarfile
import zipfile

import nbformat
import pytest

from grading import ROOT
from grading.collect import collect
from grading.errors import UserError
from grading.exercise import source_notebook
from grading.lms import clean, layout, origin
from grading.submissions import find_submissions

DATA = nbformat.writes(source_notebook("ex02")).encode()
OLD, NEW = DATA + b"\n", DATA + b"\n\n"
DAY = (2026, 11, 1, 12, 30, 54)


@pytest.fixture
def export(tmp_path):
    """Make the zip of a class from {path in it: bytes, or (bytes, time)}."""

    def make(files, name="class.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, value in files.items():
                data, time = value if isinstance(value, tuple) else (value, DAY)
                archive.writestr(zipfile.ZipInfo(path, time), data)
        return tmp_path / name

    return make


@pytest.fixture
def collected(export, tmp_path):
    """Collect the files of a class; returns what came of it."""
    return lambda files, **options: collect(export(files), "ex02", tmp_path / "in", **options)


@pytest.fixture
def tree(tmp_path):
    """All files below the folder of submissions: {path: bytes}."""

    def read():
        files = sorted(path for path in (tmp_path / "in").rglob("*") if path.is_file())
        return {str(path.relative_to(tmp_path / "in")): path.read_bytes() for path in files}

    return read


NAMES = {
    "leeanna_12345_678910_ex02.ipynb": ("leeanna_12345", "ex02.ipynb"),
    "leeanna_LATE_12345_678910_ex02-1.ipynb": ("leeanna_12345", "ex02-1.ipynb"),
    "leeanna_12345_678910_my_homework_2.ipynb": ("leeanna_12345", "my_homework_2.ipynb"),
    "anon_x7Yz_678910_ex02.ipynb": ("anon_x7Yz", "ex02.ipynb"),
    "Ana Müller_123456_assignsubmission_file_/ex02.ipynb": ("Ana_Müller", "ex02.ipynb"),
    "Ana Müller_123456_assignsubmission_file/part1/ex02.ipynb": ("Ana_Müller", "part1/ex02.ipynb"),
    "Ana Müller_123456_assignsubmission_file_ex02.ipynb": ("Ana_Müller", "ex02.ipynb"),
    "ex02/Ana Müller_123456_assignsubmission_file_/ex02.ipynb": ("Ana_Müller", "ex02.ipynb"),
    "ex02_max_attempt_2026-11-01-12-30-55_ex02.ipynb": ("max", "ex02.ipynb"),
    "ex02_max_m_attempt_2026-11-01-12-30-55_homework 2.ipynb": ("max_m", "homework 2.ipynb"),
    "ex02_max_attempt_2026-11-01-12-30-55.txt": ("max", ""),
    "Exercise 02_max_m_attempt_2026-11-01-12-30-55_x.ipynb": ("max_m", "x.ipynb"),
    "Ex_02_71_attempt_2026-11-01-12-30-55_x.ipynb": ("71", "x.ipynb"),
    "anna/ex02/ex02.ipynb": ("anna", "ex02/ex02.ipynb"),
    "ex02/anna/ex02.ipynb": ("anna", "ex02.ipynb"),
    "anna_ex02.ipynb": ("anna", "anna_ex02.ipynb"),
}


@pytest.mark.parametrize(("path", "wanted"), NAMES.items(), ids=list(NAMES))
def test_a_name_says_whose_file_it_is(path, wanted):
    found = origin(path, "ex02", layout([path], "ex02"))
    assert (found.student, found.file) == wanted


@pytest.mark.parametrize("path", ["README.md", "ex02.ipynb", "grades.csv", "../x.txt"])
def test_a_name_without_a_student_is_nobodys(path):
    assert origin(path, "ex02", layout([path], "ex02")) is None


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("../../etc", "etc"), ("a/b\\c:d", "a_b_c_d"), ("s[1]*", "s_1"), ("..", ""), ("Å", "Å")],
)
def test_an_id_holds_only_what_a_folder_may_be_called(name, wanted):
    assert clean(name) == wanted


CANVAS = {
    "leeanna_12345_678900_ex02.ipynb": OLD,
    "leeanna_LATE_12345_678910_ex02-1.ipynb": NEW,
    "mben_777_678905_homework.ipynb": DATA,
}


def test_canvas_the_newest_upload_counts_and_the_other_is_kept(collected, tree):
    result = collected(CANVAS)
    assert (result.students, result.kept, result.late) == (["leeanna_12345", "mben_777"], 1, 1)
    assert (result.aside, result.told) == ([], [])
    assert tree()["leeanna_12345/ex02/ex02.ipynb"] == NEW
    assert [data for path, data in tree().items() if "/attempts/" in path and "ipynb" in path] == [OLD]
    assert tree()["mben_777/ex02/ex02.ipynb"] == DATA


def test_canvas_uploads_of_one_number_go_by_the_number_in_the_name(collected, tree):
    collected({"a_1_5_ex02-2.ipynb": NEW, "a_1_5_ex02-1.ipynb": OLD, "a_1_5_ex02.ipynb": DATA})
    assert tree()["a_1/ex02/ex02.ipynb"] == NEW


def test_canvas_uploads_of_one_name_go_by_the_number_of_the_upload(collected, tree):
    collected({"a_1_9_ex02.ipynb": NEW, "a_1_5_ex02.ipynb": OLD})
    assert tree()["a_1/ex02/ex02.ipynb"] == NEW


def test_moodle_folders_and_flat_files(collected, tree):
    result = collected(
        {
            "Ana Lee_1_assignsubmission_file_/ex02.ipynb": DATA,
            "Bo Li_2_assignsubmission_file/ex02 (1).ipynb": OLD,
            "Cy Ng_3_assignsubmission_file_ex02.ipynb": NEW,
        }
    )
    assert result.students == ["Ana_Lee", "Bo_Li", "Cy_Ng"]
    assert [tree()[f"{student}/ex02/ex02.ipynb"] for student in result.students] == [DATA, OLD, NEW]


def test_blackboard_attempts_go_by_the_time_in_their_names(collected, tree):
    time = "2026-11-0{}-12-30-55"
    result = collected(
        {
            f"ex02_max_attempt_{time.format(3)}_ex02.ipynb": (NEW, DAY),
            f"ex02_max_attempt_{time.format(2)}_ex02.ipynb": (OLD, (2026, 12, 1, 0, 0, 0)),
            f"ex02_max_attempt_{time.format(3)}.txt": b"Name: Max",
            f"ex02_eve_attempt_{time.format(3)}.txt": b"Name: Eve",
        }
    )
    assert (result.students, result.kept, result.aside) == (["max"], 1, [])
    assert tree()["max/ex02/ex02.ipynb"] == NEW


def test_two_attempts_at_two_exercises_give_the_newest_of_this_one(collected, tree, monkeypatch):
    monkeypatch.setattr("grading.candidates.exercise_names", lambda: ["ex01", "ex02"])
    name = "week_max_attempt_2026-11-0{}-12-00-00_{}.ipynb"
    files = [(1, "ex02", OLD), (2, "ex02", NEW), (1, "ex01", DATA), (3, "ex01", DATA)]
    collected({name.format(day, exercise): data for day, exercise, data in files})
    assert [data for path, data in tree().items() if path.endswith("ipynb")] == [OLD, NEW]
    assert tree()["max/ex02/ex02.ipynb"] == NEW


PLAIN = {
    "levels as expected": ["anna/ex02/ex02.ipynb", "ben/ex02/ex02.ipynb"],
    "a folder around the class": ["class/anna/ex02/ex02.ipynb", "class/ben/ex02.ipynb"],
    "levels the other way round": ["ex02/anna/ex02.ipynb", "ex02/ben/ex02.ipynb"],
    "paths of Windows": ["anna\\ex02\\ex02.ipynb", "ben\\ex02.ipynb"],
    "flat": ["anna_ex02.ipynb", "ben_ex02.ipynb"],
}


@pytest.mark.parametrize("paths", PLAIN.values(), ids=PLAIN)
def test_plain_folders_are_collected(collected, tree, paths):
    result = collected(dict.fromkeys(paths, DATA) | {"__MACOSX/anna/._ex02.ipynb": b"\0"})
    assert (result.students, result.aside) == (["anna", "ben"], [])
    assert tree()["ben/ex02/ex02.ipynb"] == DATA


def test_a_folder_is_collected_like_its_zip(export, tmp_path):
    with zipfile.ZipFile(export(CANVAS)) as archive:
        archive.extractall(tmp_path / "unpacked")
    result = collect(tmp_path / "unpacked", "ex02", tmp_path / "in")
    assert result.students == ["leeanna_12345", "mben_777"]
    assert len(find_submissions(tmp_path / "in", "ex02")) == 2


def test_a_tar_is_collected(tmp_path, tree):
    with tarfile.open(tmp_path / "class.tgz", "w:gz") as archive:
        info = tarfile.TarInfo("anna/ex02.ipynb")
        info.size = len(DATA)
        archive.addfile(info, io.BytesIO(DATA))
        link = tarfile.TarInfo("ben/ex02.ipynb")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    result = collect(tmp_path / "class.tgz", "ex02", tmp_path / "in")
    assert result.aside == ["ben/ex02.ipynb: it is a link or a device"]
    assert tree()["anna/ex02/ex02.ipynb"] == DATA


def test_the_time_of_the_name_is_kept_for_nbgrader_in_utc(collected, tree, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    __import__("time").tzset()
    collected({"ex02_max_attempt_2026-07-01-12-00-00_ex02.ipynb": DATA})
    assert tree()["max/ex02/timestamp.txt"] == b"2026-07-01 16:00:00 UTC\n"


def test_the_time_of_the_zip_entry_is_kept_where_the_name_has_none(collected, tree):
    collected({"a_1_2_ex02.ipynb": DATA, "b_1_2_ex02.ipynb": (DATA, (1980, 1, 1, 0, 0, 0))})
    assert tree()["a_1/ex02/timestamp.txt"].startswith(b"2026-11-01 ")
    assert "b_1/ex02/timestamp.txt" not in tree()


def test_a_time_that_is_in_the_folder_is_taken_over(collected, tree):
    collected({"anna/ex02/ex02.ipynb": DATA, "anna/ex02/timestamp.txt": b"2026-10-01 08:00:00 +0000"})
    assert tree()["anna/ex02/timestamp.txt"] == b"2026-10-01 08:00:00 UTC\n"


@pytest.mark.parametrize("place", ["", "part1/"])
def test_a_student_of_moodle_cannot_set_the_time(collected, tree, place):
    own = f"Ada L_1_assignsubmission_file_/{place}"
    collected({f"{own}ex02.ipynb": DATA, f"{own}timestamp.txt": b"2026-10-01 08:00:00 UTC"})
    assert tree()["Ada_L/ex02/timestamp.txt"].startswith(b"2026-11-01 ")


def test_a_time_that_a_student_adds_further_in_does_not_count(collected, tree):
    stamps = {"anna/ex02/timestamp.txt": b"2026-10-09 08:00:00", "anna/ex02/a/timestamp.txt": b"2026-10-01"}
    collected({"anna/ex02/a/ex02.ipynb": DATA} | stamps)
    assert tree()["anna/ex02/timestamp.txt"] == b"2026-10-09 08:00:00 UTC\n"


def test_collecting_twice_is_the_same_as_once(collected, tree):
    first, before = collected(CANVAS), tree()
    assert (collected(CANVAS), tree()) == (first, before)


def test_a_newer_file_becomes_the_current_one_and_the_older_is_kept(collected, tree):
    collected({"anna/ex02.ipynb": OLD})
    collected({"anna/ex02.ipynb": (NEW, (2026, 11, 2, 0, 0, 0))})
    assert tree()["anna/ex02/ex02.ipynb"] == NEW
    assert OLD in [data for path, data in tree().items() if "/attempts/" in path]


def test_an_older_export_replaces_nothing(collected, tree):
    collected({"anna/ex02.ipynb": NEW})
    collected({"anna/ex02.ipynb": (OLD, (2026, 10, 1, 0, 0, 0))})
    assert tree()["anna/ex02/ex02.ipynb"] == NEW
    assert OLD in tree().values()


def test_an_undated_export_that_is_known_replaces_nothing(collected, tree):
    collected({"anna/ex02.ipynb": OLD})
    collected({"anna/ex02.ipynb": (NEW, (2026, 11, 2, 0, 0, 0))})
    before = tree()
    collected({"anna/ex02.ipynb": (OLD, (1980, 1, 1, 0, 0, 0))})
    assert tree() == before


def test_what_a_student_handed_in_is_not_open_to_others(collected, tmp_path):
    collected(CANVAS)
    modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (tmp_path / "in").rglob("*")}
    assert modes == {0}


def test_names_of_the_lms_become_ids_of_the_course(collected, tmp_path):
    names = tmp_path / "names.csv"
    names.write_text("lms,student\n12345,anna\nboli,ben\n", encoding="utf-8-sig")
    files = ["leeanna_12345_1_ex02.ipynb", "boli_9_1_ex02.ipynb", "x_1_2_ex02.ipynb"]
    result = collected(dict.fromkeys(files, DATA), names_file=names)
    assert result.students == ["anna", "ben", "x_1"]
    assert result.told == ["x 1 is not in the list of names; collected as x_1"]


BLACKBOARD, TRICK = "ex02_{}_attempt_2026-11-01-12-00-00_{}", "x_11_attempt_2030-01-01-00-00-00_ex02.ipynb"
CLASSES = {
    "Blackboard": BLACKBOARD,
    "Canvas": "user_{}_112_{}",
    "Moodle": "{0} Li_{0}_assignsubmission_file_/{1}",
    "Moodle, flat": "{0} Li_{0}_assignsubmission_file_{1}",
    "a folder of each student": "{}/ex02/{}",
    "the levels the other way round": "ex02/{}/{}",
}
TRICKS = {
    "Blackboard": TRICK,
    "Canvas": "x_11_112_ex02.ipynb",
    "late": "LATE_11_112_ex02.ipynb",
    "Moodle": "11_11_assignsubmission_file_ex02.ipynb",
    "another line": "a\nex02_11_attempt_2030-01-01-00-00-00_ex02.ipynb",
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
@pytest.mark.parametrize("path", CLASSES.values(), ids=CLASSES)
def test_no_name_of_a_file_makes_it_another_students(collected, tree, tmp_path, path, trick):
    (tmp_path / "names.csv").write_text("lms,student\n11,alice\n11 Li,alice\n13,eve\n13 Li,eve\n")
    files = {path.format(11, "ex02.ipynb"): DATA} | {path.format(13, f"{n}{trick}"): NEW for n in "abc"}
    result = collected(files, names_file=tmp_path / "names.csv")
    assert result.students == ["alice", "eve"]
    assert (tree()["alice/ex02/ex02.ipynb"], tree()["eve/ex02/ex02.ipynb"]) == (DATA, NEW)


@pytest.mark.parametrize("path", ["{}/ex02/{}", "ex02/{}/{}", "{0}_1_assignsubmission_file_/{1}"])
def test_no_folder_inside_a_students_makes_it_another_students(collected, tree, path):
    inner = [f"{name}_1_assignsubmission_file_/ex02.ipynb" for name in ("alice", "bob", "carl")]
    files = {path.format("alice", "ex02.ipynb"): DATA} | {path.format("eve", name): NEW for name in inner}
    assert collected(files).students == ["alice", "eve"]
    assert tree()["alice/ex02/ex02.ipynb"] == DATA


def test_a_student_who_is_not_in_the_list_of_names_is_not_mixed_with_one_who_is(collected, tree, tmp_path):
    (tmp_path / "names.csv").write_text("lms,student\n11,alice\n")
    files = {f"{name}_assignsubmission_file_/ex02.ipynb": name.encode() for name in ("Alice_13", "Bo_11")}
    result = collected(files, names_file=tmp_path / "names.csv")
    assert tree()["alice/ex02/ex02.ipynb"] == b"Bo_11"
    assert result.aside == ["Alice_13_assignsubmission_file_/ex02.ipynb: another student is called Alice too"]


@pytest.mark.parametrize("path", ["{}_1_2_ex02.ipynb", "{}_1_assignsubmission_file_/ex02.ipynb"])
def test_a_folder_around_the_class_is_told(collected, path):
    result = collected({f"class/{path.format(name)}": DATA for name in ("anna", "ben")})
    assert [student.partition("_")[0] for student in result.students] == ["anna", "ben"]
    assert result.told[0].startswith("class was taken for a folder around the class")


def test_names_in_messages_do_nothing_to_a_terminal(collected):
    result = collected({"a_1_2_ex02.ipynb": DATA, "\x1b]0;x\x07\x9b2Jall good.txt": b"x"})
    assert result.aside == ["\ufffd]0;x\ufffd\ufffd2Jall good.txt: its name does not say whose it is"]


def test_a_students_folder_is_not_one_around_the_class(collected):
    inner = [f"{name}_1_assignsubmission_file_/ex02.ipynb" for name in ("anna", "ben")]
    assert collected({f"Eve_3_assignsubmission_file_/{path}": DATA for path in inner}).students == ["Eve"]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "\0"])
def test_a_list_of_names_without_its_columns_is_refused(collected, tmp_path, text):
    (tmp_path / "names.csv").write_text(text)
    with pytest.raises(UserError, match="columns lms,student"):
        collected(CANVAS, names_file=tmp_path / "names.csv")


def test_two_people_of_one_name_get_their_numbers(collected):
    names = [f"Bo Li_{number}_assignsubmission_file_/ex02.ipynb" for number in (7, 8)]
    result = collected({names[0]: DATA, names[1]: OLD})
    assert result.students == ["Bo_Li_7", "Bo_Li_8"]
    assert len(result.told) == 2


def test_two_folders_that_make_one_id_are_not_mixed(collected, tree):
    result = collected({"bo li/ex02.ipynb": DATA, "bo_li/ex02.ipynb": OLD})
    assert tree()["bo_li/ex02/ex02.ipynb"] == DATA
    assert result.aside == ["bo_li/ex02.ipynb: another student is called bo_li too"]


def test_a_student_without_a_notebook_keeps_the_file_and_is_told(collected, tmp_path):
    result = collected({"a_1_2_report.pdf": b"%PDF-1.7", "b_1_3_ex02.ipynb": DATA, "b_1_4_plot.png": b"x"})
    assert result.aside == ["a_1: there is no notebook, only report.pdf"]
    assert [one.student for one in find_submissions(tmp_path / "in", "ex02")] == ["a_1", "b_1"]


def test_a_zip_of_a_student_is_kept_and_found(collected, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("hw/ex02.ipynb", DATA)
    assert collected({"a_1_2_hw.zip": packed.getvalue()}).aside == []
    assert find_submissions(tmp_path / "in", "ex02")[0].read() == DATA


@pytest.mark.parametrize("code", ["utf-8", "cp437"])
def test_names_without_the_flag_for_utf_8_are_read(export, tmp_path, code):
    letter = "ü".encode(code)
    path = export({f"M{'Q' * len(letter)}ller_1_assignsubmission_file_/ex02.ipynb": DATA})
    path.write_bytes(path.read_bytes().replace(b"Q" * len(letter) + b"ller", letter + b"ller"))
    assert collect(path, "ex02", tmp_path / "in").students == ["Müller"]


def test_what_leads_out_of_the_archive_is_set_aside(collected, tree):
    result = collected({"../../evil/ex02.ipynb": DATA, "/abs/ex02.ipynb": DATA, "C:\\win\\ex02.ipynb": OLD})
    assert result.aside == ["../../evil/ex02.ipynb: its name leads out of the archive"]
    assert {path.split("/")[0] for path in tree()} == {"abs", "win"}


def test_links_in_a_zip_are_set_aside(tmp_path, tree):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        info = zipfile.ZipInfo("ben/ex02.ipynb", DAY)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert collect(tmp_path / "class.zip", "ex02", tmp_path / "in").aside == ["ben/ex02.ipynb: it is a link"]
    assert tree() == {}


def test_links_in_a_folder_are_set_aside(tmp_path, tree):
    (tmp_path / "class/ben").mkdir(parents=True)
    os.symlink("/etc/passwd", tmp_path / "class/ben/ex02.ipynb")
    assert collect(tmp_path / "class", "ex02", tmp_path / "in").aside == ["ben/ex02.ipynb: it is a link"]
    assert tree() == {}


def test_a_damaged_file_in_the_zip_costs_itself_alone(export, tmp_path, tree):
    path = export({"a_1_2_ex02.ipynb": OLD, "b_1_3_ex02.ipynb": DATA})
    path.write_bytes(path.read_bytes().replace(b"import numpy", b"import nampy", 1))
    result = collect(path, "ex02", tmp_path / "in")
    assert result.students == ["b_1"]
    assert "a_1_2_ex02.ipynb in class.zip cannot be unpacked" in result.aside[0]


def test_a_locked_zip_is_refused(export, tmp_path):
    path = export({"a_1_2_ex02.ipynb": DATA})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match="locked with a password"):
        collect(path, "ex02", tmp_path / "in")


@pytest.mark.parametrize(("limit", "value"), [("MOST_MEMBERS", 1), ("LARGEST_ARCHIVE", 1000)])
def test_a_zip_that_grows_too_much_is_refused(export, tmp_path, monkeypatch, limit, value):
    monkeypatch.setattr(f"grading.archives.{limit}", value)
    with pytest.raises(UserError, match="it is not unpacked"):
        collect(export(CANVAS), "ex02", tmp_path / "in")


def test_a_large_file_is_set_aside(collected, monkeypatch):
    monkeypatch.setattr("grading.archives.LARGEST_MEMBER", len(DATA))
    result = collected({"a_1_2_ex02.ipynb": DATA, "b_1_3_ex02.ipynb": OLD})
    assert result.students == ["a_1"]
    assert "b_1_3_ex02.ipynb: a file in class.zip has more than" in result.aside[0]


BAD = {
    "missing": ("no.zip", None, "there is no"),
    "no archive": ("class.zip", b"hello", "neither a folder nor a zip or tar"),
    "nothing in it": ("class.zip", b"PK\5\6" + b"\0" * 18, "holds no submissions of ex02"),
}


@pytest.mark.parametrize(("name", "data", "reason"), BAD.values(), ids=BAD)
def test_what_cannot_be_collected_is_refused_in_a_sentence(tmp_path, name, data, reason):
    if data:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=reason):
        collect(tmp_path / name, "ex02", tmp_path / "in")


@pytest.mark.parametrize(("files", "code"), [(CANVAS, 0), (CANVAS | {"index.html": b"<html>"}, 1)])
def test_the_command_says_what_it_did(export, tmp_path, files, code):
    command = [
        sys.executable,
        "-m",
        "grading.cli",
        "collect",
        str(export(files)),
        "ex02",
        "--to",
        str(tmp_path / "in"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "collected 2 students (1 late) into" in done.stdout
    assert f"1 older attempts kept; {code} set aside" in done.stdout
    assert ("index.html: its name does not say whose it is" in done.stderr) == bool(code)
