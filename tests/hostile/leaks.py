"""Does a text give away a secret, plainly or wrapped up?"""

import base64
import bz2
import contextlib
import lzma
import re
import zlib

import numpy as np

from grading.bank import Function, load_bank
from grading.judge import paper

DIGITS = 10  # of a number's text; fewer could agree by chance
DEPTH = 2  # of wrappings within wrappings
MOST_BYTES = 1_000_000  # that are unpacked from one blob


def hidden_numbers(exercise, seed):
    """The long numbers of the hidden cases, of what is expected of them, and of what wrong ideas answer.

    Those that occur in a visible case as well are no secret.
    """
    secret, known = set(), set()
    for function in load_bank(exercise).of_kind(Function):
        sheet = paper(exercise, function.name, seed)
        answers = [sheet.expected, *(theirs for _, theirs in sheet.ideas.values())]
        for number, case in enumerate(sheet.cases):
            found = secret if number >= sheet.visible else known
            for values in (*case.args, *(given[number] for given in answers)):
                found.update(_long_texts(values))
    return secret - known


def _long_texts(values):
    try:
        array = np.asarray(values, dtype=complex)
    except (TypeError, ValueError):  # None, or the mark of an implementation that raises
        return set()
    parts = np.abs([array.real, array.imag]).ravel().tolist()
    return {repr(part)[:DIGITS] for part in parts if len(repr(part)) > DIGITS}


def leaked(text, secrets):
    """The secrets that a text holds: plainly, reversed, or inside base64, hex or a compressed stream."""
    found = set()
    for layer in _layers(text):
        found.update(secret for secret in secrets if secret in layer or secret[::-1] in layer)
    return found


def _layers(text, depth=DEPTH):
    """The text, and the texts that are wrapped up in it."""
    yield text
    if not depth:
        return
    for blob in _blobs(text):
        yield from _layers(blob.decode("latin-1"), depth - 1)
        for unpacker in (zlib.decompressobj(wbits=47), bz2.BZ2Decompressor(), lzma.LZMADecompressor()):
            with contextlib.suppress(zlib.error, OSError, EOFError, lzma.LZMAError):
                yield from _layers(unpacker.decompress(blob, MOST_BYTES).decode("latin-1"), depth - 1)


def _blobs(text):
    """The bytes behind each run of hex, of base64, and of base64 that begins anywhere in the run."""
    whole = re.sub(r"\\n|\s", "", text)  # encoders break their lines
    for source in {text, whole}:
        for run in re.findall(r"[0-9a-fA-F]{16,}", source):
            yield from (bytes.fromhex(part[: len(part) // 2 * 2]) for part in (run, run[1:]))
        for run in re.findall(r"[\w+/-]{16,}", source, re.ASCII):
            plain = run.translate(str.maketrans("-_", "+/"))
            for part in (plain[start:] for start in range(4)):
                yield base64.b64decode(part[: len(part) // 4 * 4])
                if len(part) % 4 > 1:
                    yield base64.b64decode(part + "=" * (-len(part) % 4))
