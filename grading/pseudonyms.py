"""Names that stand for students in what is passed on: the same in every report, and not to be traced back."""

import base64
import hashlib
import hmac
import secrets
from pathlib import Path

from grading.errors import UserError
from grading.files import PRIVATE, private, write_text

KEY_FILE = "pseudonyms.key"
KEY_BYTES = 32
LETTERS = 10  # of a pseudonym: two of a thousand students share one once in two thousand million classes


class Pseudonyms:
    """Stands for the students of one class folder.

    A pseudonym is computed from the name with a random key. The key lies in the class folder, for its owner
    only; without it nobody can tell whose pseudonym one is, not even by trying all names of the class. Who
    deletes it breaks the tie for good.

    Parameters
    ----------
    folder : the class folder; the key is made when it holds none.
    """

    def __init__(self, folder):
        path = Path(folder) / KEY_FILE
        if not path.exists():
            with private():
                write_text(path, secrets.token_hex(KEY_BYTES) + "\n", PRIVATE)
        try:
            self._key = bytes.fromhex(path.read_text(encoding="utf-8"))
        except ValueError:
            self._key = b""
        if len(self._key) != KEY_BYTES:
            raise UserError(f"{path} holds no key; delete it, and every student gets a new pseudonym")

    def __call__(self, student):
        digest = hmac.digest(self._key, student.encode(), hashlib.sha256)
        return f"student-{base64.b32encode(digest).decode().lower()[:LETTERS]}"
