"""The search for secrets finds them however they are wrapped up, and finds nothing else."""

import base64
import bz2
import codecs
import gzip
import json
import lzma
import zlib

import pytest
from leaks import hidden_numbers, leaked

SECRET = "rnn-course-canary-0a1b2c"
LINE = f"some words before the {SECRET}, and some after it"
RAW = LINE.encode()
WRAPPED = {
    "plain": LINE,
    "in a JSON text": json.dumps({"hint": [LINE]}),
    "reversed": LINE[::-1],
    "hex": RAW.hex(),
    "hex, one digit off": "f" + RAW.hex(),
    "base64": base64.b64encode(RAW).decode(),
    "base64 that begins elsewhere": base64.b64encode(RAW[1:]).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(RAW).decode(),
    "base64 in lines": codecs.encode(RAW * 3, "base64").decode(),
    "base64 in lines in JSON": json.dumps(codecs.encode(RAW, "base64").decode()),
    "base64 behind other letters": "answer" + base64.b64encode(RAW).decode(),
    "zlib in base64": base64.b64encode(zlib.compress(RAW)).decode(),
    "gzip in hex": gzip.compress(RAW).hex(),
    "bz2 in base64": base64.b64encode(bz2.compress(RAW)).decode(),
    "lzma in base64": base64.b64encode(lzma.compress(RAW)).decode(),
    "a cut stream in base64": base64.b64encode(zlib.compress(RAW)[:-4]).decode(),
    "base64 of reversed": base64.b64encode(RAW[::-1]).decode(),
    "base64 of base64": base64.b64encode(base64.b64encode(RAW)).decode(),
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_a_secret_is_found(text):
    assert leaked(f"<p>{text}</p>", {SECRET, "another"}) == {SECRET}


def test_nothing_is_found_where_nothing_is():
    assert (
        leaked(LINE.replace("canary", "robin") + base64.b64encode(bytes(range(256))).decode(), {SECRET})
        == set()
    )


def test_ex02_has_hidden_numbers():
    assert len(hidden_numbers("ex02", 7)) > 100


def test_the_hidden_numbers_are_those_of_the_seed():
    assert not hidden_numbers("ex02", 7) & hidden_numbers("ex02", 8)
