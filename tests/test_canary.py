"""The search for a secret finds it however it is written, and finds nothing where there is none."""

import base64
import bz2
import codecs
import gzip
import io
import json
import lzma
import marshal
import random
import subprocess
import sys
import textwrap
import zipfile
import zlib

import pytest

from grading import CANARY, sample
from grading.build import to_text
from grading.canary import find

PLAIN = CANARY.encode()


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inside.txt", data)
    return file.getvalue()


def in_lines(data):
    """Base64 as encoders write it, in lines, as they stand in a notebook's JSON."""
    lines = textwrap.wrap(base64.b64encode(data).decode(), 20)
    return json.dumps([line + "\n" for line in lines], indent=1).encode()


FORMS = {
    "plain": PLAIN,
    "reversed": PLAIN[::-1],
    "rot13": codecs.encode(CANARY, "rot13").encode(),
    "utf-16, low byte first": CANARY.encode("utf-16-le"),
    "utf-16, high byte first": CANARY.encode("utf-16-be"),
    "hex": PLAIN.hex().encode(),
    "hex in capitals": PLAIN.hex().upper().encode(),
    "base64 at offset 0": base64.b64encode(PLAIN),
    "base64 at offset 1": base64.b64encode(b"x" + PLAIN),
    "base64 at offset 2": base64.b64encode(b"xy" + PLAIN),
    "base64 for addresses": base64.urlsafe_b64encode(b"\xff\xfe\xfb" + PLAIN[::-1]),
    "base64 in lines": in_lines(b"some words before " + PLAIN),
    "reversed in base64": base64.b64encode(PLAIN[::-1]),
    "json": json.dumps({"a": CANARY}).encode(),
    "bytecode": marshal.dumps(compile(f"x = {CANARY!r}", "x", "exec")),
    "zlib": zlib.compress(PLAIN),
    "zlib of the reversed": zlib.compress(PLAIN[::-1], 9),
    "gzip": gzip.compress(b"a " + PLAIN),
    "bz2": bz2.compress(PLAIN),
    "xz": lzma.compress(PLAIN),
    "zip": zipped(PLAIN),
    "zlib in base64": base64.b64encode(zlib.compress(PLAIN)),
    "gzip in hex": gzip.compress(PLAIN).hex().encode(),
    "base64 in gzip in base64": base64.b64encode(gzip.compress(base64.b64encode(PLAIN))),
    "the cut beginning of a zlib stream": zlib.compress(PLAIN + random.Random(0).randbytes(999))[:200],
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_the_secret_is_found(data):
    assert find(CANARY, b"before (" + data + b") after")


@pytest.mark.parametrize("other", [CANARY[:-1] + "d", "rnn-course", "a canary"])
def test_another_text_is_not_taken_for_it(other):
    assert find(CANARY, base64.b64encode(zlib.compress(other.encode())) + other.encode()) == ""


def test_what_students_receive_is_free_of_it_and_what_they_must_not_is_not(released, solved):
    assert find(CANARY, to_text(released)) == ""
    assert find(CANARY, to_text(solved)) == "plain"


def test_validating_a_wrong_answer_shows_nothing_secret():
    wrong = sample.path_of(next(student for student in sample.students() if student.id == "s05"))
    done = subprocess.run(
        [sys.executable, "-m", "grading.cli", "validate", wrong], capture_output=True, text=True, check=False
    )
    assert "visible checks failed" in done.stdout + done.stderr
    assert find(CANARY, done.stdout + done.stderr) == ""


def test_a_bomb_of_zeros_is_looked_at_in_part():
    assert find(CANARY, zlib.compress(bytes(100_000_000))) == ""
