"""Looking for a secret in bytes: as it stands, written in other ways, coded or packed.

Used by the guard of a release and by the tests, over everything that a student can get.
"""

import base64
import binascii
import bz2
import codecs
import io
import lzma
import re
import zipfile
import zlib

DEPTH = 4  # of packing inside packing
UNPACKED = 20_000_000  # bytes of one packed stream that are looked at
BREAK = rb'\r?\n|\\n",\s*"|\\n'  # between the lines of coded text, in a notebook's JSON too
BASE64 = re.compile(rb"[A-Za-z0-9+/_-](?:[A-Za-z0-9+/_-]|=|" + BREAK + rb"){15,}")
HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
STREAMS = (  # where a packed stream may begin, and what unpacks it from there
    (ZLIB, lambda: zlib.decompressobj()),
    (re.compile(rb"\x1f\x8b\x08"), lambda: zlib.decompressobj(wbits=31)),
    (re.compile(rb"BZh[1-9]1AY&SY"), lambda: bz2.BZ2Decompressor()),
    (re.compile(rb"\xfd7zXZ\x00"), lambda: lzma.LZMADecompressor()),
)


def forms(secret):
    """The secret as it might stand in a file: {name of the form: bytes}."""
    plain = secret.encode()
    return {
        "plain": plain,
        "reversed": plain[::-1],
        "rot13": codecs.encode(secret, "rot13").encode(),
        "utf-16, low byte first": secret.encode("utf-16-le"),
        "utf-16, high byte first": secret.encode("utf-16-be"),
        "hex": plain.hex().encode(),
        "hex, capitals": plain.hex().upper().encode(),
    }


def find(secret, data, depth=DEPTH):
    """Say in which form a secret is in the data.

    Parameters
    ----------
    secret : text.
    data : bytes, or a text.
    depth : how many packings inside each other are opened.

    Returns
    -------
    The form in words, e.g. ``"reversed, in zlib"``, or "" when it is not there.

    >>> find("canary", zlib.compress(b"a canary"))
    'plain, in a packed stream'
    """
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    for name, form in forms(secret).items():
        if form in data:
            return name
    if depth:
        for kind, inside in _unpacked(data):
            if name := find(secret, inside, depth - 1):
                return f"{name}, in {kind}"
    return ""


def _unpacked(data):
    """Everything that can be unpacked from the data: pairs of the kind and the bytes."""
    for begin, unpacker in STREAMS:
        for match in begin.finditer(data):
            if inside := _stream(unpacker(), memoryview(data)[match.start() :]):
                yield "a packed stream", inside
    if b"PK\x03\x04" in data:
        yield from (("a zip file", inside) for inside in _zipped(data))
    for run in HEX.findall(data):
        yield "hex", binascii.unhexlify(run)
    for run in BASE64.findall(data):
        yield from (("base64", inside) for inside in _from_base64(run))


def _stream(unpacker, data):
    """What comes out of a packed stream, as far as it can be read."""
    try:
        return unpacker.decompress(data, UNPACKED)
    except (zlib.error, OSError, EOFError, lzma.LZMAError):
        return b""


def _zipped(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as file:
                    yield file.read(UNPACKED)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, zlib.error, EOFError):
        return


def _from_base64(run):
    """The bytes of a run of base64 letters, read from each of the four places where a group may begin."""
    letters = re.sub(rb"=|" + BREAK, b"", run).translate(bytes.maketrans(b"-_", b"+/"))
    for start in range(4):
        part = letters[start:]
        part = part[:-1] if len(part) % 4 == 1 else part  # one letter alone is no byte
        yield base64.b64decode(part + b"=" * (-len(part) % 4))
