"""From the bytes of a submitted file to its text: packed files, encodings, and files of other kinds."""

import json
import re
import zlib
from pathlib import PurePosixPath

from grading.archives import BadArchive, members
from grading.errors import UserError

LARGEST_FILE = 100_000_000  # bytes
LARGEST_NOTEBOOK = 20_000_000  # characters, once pictures and other long outputs are left out
CHECKPOINTS = ".ipynb_checkpoints"  # the folder of JupyterLab's automatic copies
AS_NOTEBOOK = "hand in the notebook itself, the file that ends in .ipynb"


class Unreadable(UserError):
    """The submitted bytes are no notebook; one sentence says why, and the way out."""


BINARY = [
    (b"%PDF-", "it is a PDF document"),
    (b"\x89PNG", "it is a picture"),
    (b"\xff\xd8\xff", "it is a picture"),
    (b"GIF8", "it is a picture"),
    (b"{\\rtf", "it is a text document (RTF)"),
    (b"\xd0\xcf\x11\xe0", "it is an Office document"),
    (b"\x00\x05\x16\x07", "it is a side file of macOS"),
    (b"7z\xbc\xaf", "it is an archive (7z) that cannot be opened here"),
    (b"Rar!", "it is an archive (RAR) that cannot be opened here"),
    (b"SQLite format 3", "it is a database"),
    (b"\x7fELF", "it is a program"),
    (b"MZ\x90", "it is a program"),
]
TEXT = [
    (r"\A\s*<(!doctype|html|head|body|\?xml|!--)", "it is a web page (HTML)"),
    (r"colab\.research\.google\.com", "it is only a link to Colab"),
    (r"\A\s*(\[InternetShortcut\]|https?://\S+\s*\Z)", "it is only a link"),
    (r"\Aversion https://git-lfs", "it is only a pointer of Git LFS"),
    (r"^[ \t]*(import \w|from \w+ import |def \w+\()", "it is a Python script"),
]
BOMS = [
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xef\xbb\xbf", "utf-8"),
]


def not_a_notebook(kind):
    """The error for a file of another kind."""
    return Unreadable(f"the file is not a notebook: {kind}; {AS_NOTEBOOK}")


def read_text(data):
    """The text of a submitted file.

    Returns
    -------
    (text, repairs) : repairs are lines to the student.

    Raises
    ------
    Unreadable : for a file that is empty, too large, or of another kind.
    """
    repairs = []
    for _ in range(3):  # a zip of a zip
        if len(data) > LARGEST_FILE:
            raise Unreadable(
                f"the file has more than {LARGEST_FILE // 10**6} MB; clear the outputs and save it again"
            )
        if not data.strip(b"\0 \t\r\n"):
            raise Unreadable("the file is empty" if not data.strip() else "the file holds only zero bytes")
        inner = _unpack(data)
        if inner is None:
            break
        data = inner
        repairs = ["Your file was packed (zip or gzip); the notebook was taken out of it."]
    for start, kind in BINARY:
        if data.startswith(start):
            raise not_a_notebook(kind)
    text = _decode(data, repairs)
    if len(text) > LARGEST_NOTEBOOK:
        text = _without_outputs(text)
        repairs.append("Your notebook is very large; its outputs were left out before it was read.")
    if len(text) > LARGEST_NOTEBOOK:
        raise Unreadable(
            f"the notebook has more than {LARGEST_NOTEBOOK // 10**6} MB without its outputs; make it smaller"
        )
    return text, repairs


def _unpack(data):
    """What is inside a gzip or zip that was handed in for a notebook; None for another file."""
    if data.startswith(b"\x1f\x8b"):
        try:
            return zlib.decompressobj(wbits=31).decompress(data, LARGEST_FILE + 1)
        except zlib.error:
            raise Unreadable("the file is packed (gzip) and damaged") from None
    if not data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None
    try:
        inside = members("the file.zip", data)
        if any(member.name == "[Content_Types].xml" for member in inside):
            raise not_a_notebook("it is an Office document")
        notebooks = [m for m in inside if PurePosixPath(m.name).suffix == ".ipynb" and not m.refused]
        real = [m for m in notebooks if CHECKPOINTS not in m.name] or notebooks
        if len(real) != 1:
            raise not_a_notebook(f"it is a zip in which there are {len(real)} notebooks")
        return real[0].read()
    except BadArchive as error:
        raise Unreadable(f"the file is a zip that cannot be opened: {error}") from None


def _decode(data, repairs):
    """The text, from the encoding that its first bytes show; what cannot be decoded is replaced."""
    encoding = next((name for bom, name in BOMS if data.startswith(bom)), None)
    if encoding is None:
        encoding = json.detect_encoding(data)
    if encoding.startswith("utf-8"):
        text = _decode_eight_bits(data, repairs)
    else:
        text = data.decode(encoding, "replace")
        repairs.append(f"Your file was saved as {encoding[:6].upper()}; it was read as that.")
    if text.startswith("\ufeff"):
        text = text[1:]
        repairs.append("Your file began with a byte order mark; it was left out.")
    if "\0" in text:
        text = text.replace("\0", "")
        repairs.append("Your file held zero bytes; they were left out.")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        repairs.append("Your file had line ends of another system; they were read as usual.")
    return text


def _decode_eight_bits(data, repairs):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start > len(data) - 4 and error.reason == "unexpected end of data":
            return data[: error.start].decode("utf-8")  # cut off inside a letter
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if bad > len(text) // 10:
        raise not_a_notebook("it is not text")
    good = sum(char > "\x7f" for char in text) - bad
    if bad <= good:  # UTF-8 with a few damaged letters
        repairs.append(f"Letters of your file were damaged ({bad}); they were replaced by \ufffd.")
        return text
    repairs.append("Your file was not UTF-8; its letters were read as those of Windows (cp1252).")
    return data.decode("cp1252", "replace")


def _without_outputs(text):
    """The JSON text of a notebook with empty lists of outputs; what does not close is left as it is.

    Each character is looked at once: a text in quotes that does not close ends the search.
    """
    pieces, done = [], 0
    tokens = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<closed>"?)|[\[\]]', re.S)
    while opening := re.compile(r'"outputs"\s*:\s*\[').search(text, done):
        depth, end = 1, None
        for token in tokens.finditer(text, opening.end()):
            if token["closed"] == "":
                break
            depth += {"[": 1, "]": -1}.get(token[0], 0)
            if depth == 0:
                end = token.start()
                break
        if end is None:
            break
        pieces.append(text[done : opening.end()])
        done = end
    return "".join([*pieces, text[done:]])


def kind_of_text(text):
    """What a text that is no notebook seems to be, or ""."""
    start = text[:20_000]
    return next((kind for pattern, kind in TEXT if re.search(pattern, start, re.I | re.M)), "")
