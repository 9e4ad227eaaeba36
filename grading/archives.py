"""The files in a zip or tar, read in memory: nothing is unpacked to disk, nothing grows without limit."""

import bz2
import gzip
import io
import lzma
import re
import tarfile
import unicodedata
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath

from grading.errors import UserError

MOST_MEMBERS = 20_000
LARGEST_ARCHIVE = 4_000_000_000  # bytes of all its files together, unpacked
LARGEST_MEMBER = 200_000_000
LONGEST_NAME = 1000
LARGEST_HEADER = 64_000  # bytes of one header of a tar, e.g. with a long name
LARGEST_HEADERS = 40_000_000  # bytes of all its headers
TRAPS = re.compile(rb"\d{100}|GNU\.sparse\.")  # headers at which tarfile takes time without end
COMPRESSED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
NAMES = re.compile(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", re.I)


def shown(text):
    """A name, or a message with names in it, for people: what does not print is replaced.

    >>> shown("\\x1b[2Jall good.txt")
    '\ufffd[2Jall good.txt'
    """
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


class BadArchive(UserError):
    """The archive, or one file of it, cannot be read; one sentence says why."""

    def __init__(self, message):
        super().__init__(shown(message))


@dataclass
class Budget:
    """What may be unpacked for one student, or for a class.

    listed : bytes that the files of all archives may have together, also of archives in archives.
    read : bytes that may be unpacked in all, the same ones again and again.
    """

    listed: int
    read: float = float("inf")

    def take(self, count):
        """Count bytes that were unpacked; refuse when it is too much."""
        self.read -= count
        if self.read < 0:
            raise BadArchive("the archives take too long to unpack; hand in the notebook itself")


@dataclass
class Member:
    """One file: its path with ``/`` between folders, its time, and ``read()`` for its bytes.

    ``refused`` says why the file is left alone, e.g. because it is a link.
    """

    name: str
    time: datetime | None
    read: object
    refused: str = ""


def is_archive(name):
    """Whether a file of this name is a zip or tar."""
    return bool(NAMES.search(str(name)))


def members(name, source, budget=None):
    """The files of an archive, without folders and without what macOS and Windows put beside them.

    Parameters
    ----------
    name : of the archive, for messages; its ending decides between zip and tar.
    source : a path, or the bytes of the archive.
    budget : what may be unpacked; by default that of the archive of a class.

    Raises
    ------
    BadArchive
    """
    listing = _zip_members if str(name).lower().endswith(".zip") else _tar_members
    budget = budget or Budget(LARGEST_ARCHIVE)
    try:
        found = [member for member in listing(name, source, budget) if not is_side_file(member.name)]
    except BadArchive:
        raise
    except Exception as error:  # zipfile, tarfile and zlib raise many kinds for a damaged archive
        raise BadArchive(f"{name} is damaged or is no archive: {_first_line(error)}") from None
    for member in found:
        if ".." in PurePosixPath(member.name).parts:
            member.refused = "its name leads out of the archive"
        if len(member.name) > LONGEST_NAME:
            member.name, member.refused = member.name[:LONGEST_NAME], "its name is too long"
    return found


def is_side_file(name):
    """Whether a file was made by an operating system beside the real ones."""
    parts = PurePosixPath(name).parts
    last = parts[-1] if parts else ""
    return "__MACOSX" in parts or last.startswith("._") or last in (".DS_Store", "Thumbs.db", "desktop.ini")


def _open(source):
    return io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")


def _zip_members(name, source, budget):
    with _open(source) as file, zipfile.ZipFile(file) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        _demand_small(name, len(infos), sum(info.file_size for info in infos), budget)
        if any(info.flag_bits & 1 for info in infos):
            raise BadArchive(f"{name} is locked with a password; pack it again without one")
        budget.listed -= sum(info.file_size for info in infos)
        reads = [partial(_read_zip, name, source, info, budget) for info in infos]
        return [
            Member(_zip_name(info), _zip_time(info), read, _zip_link(info))
            for info, read in zip(infos, reads, strict=True)
        ]


def _zip_name(info):
    """The name of a zip entry; without the UTF-8 flag it may still be UTF-8, as macOS writes it."""
    name = info.filename
    if not info.flag_bits & 0x800:
        with suppress(ValueError):  # really an old code page
            name = name.encode("cp437").decode("utf-8")
    return _plain_name(name)


def _plain_name(name):
    name = unicodedata.normalize("NFC", name.replace("\\", "/"))
    return re.sub(r"^([A-Za-z]:)?/+", "", name).removeprefix("./")


def _zip_time(info):
    """The time of an entry; 1980 stands for none."""
    try:
        return datetime(*info.date_time) if info.date_time[0] > 1980 else None
    except ValueError:
        return None


def _zip_link(info):
    return "it is a link" if (info.external_attr >> 16) & 0o170000 == 0o120000 else ""


def _read_zip(name, source, info, budget):
    budget.take(info.file_size)
    try:
        with _open(source) as file, zipfile.ZipFile(file) as archive, archive.open(info) as member:
            return _limited(name, member, info.file_size)
    except BadArchive:
        raise
    except Exception as error:  # a wrong checksum, an unknown compression, a cut-off stream
        raise BadArchive(f"{info.filename} in {name} cannot be unpacked: {_first_line(error)}") from None


class _Stream:
    """The unpacked bytes of a tar: not more than the limit, and with headers that can be read in no time."""

    def __init__(self, name, file, limit, budget):
        start = file.read(5)
        file.seek(0)
        unpack = next((unpack for magic, unpack in COMPRESSED.items() if start.startswith(magic)), None)
        self._file = unpack(file) if unpack else file
        self._name, self._limit, self._budget = name, limit, budget
        self._headers = 0
        self.in_headers = True

    def tell(self):
        """The position in the unpacked bytes."""
        return self._file.tell()

    def seek(self, position):
        """Go to a position; what lies between is unpacked too."""
        if position > self._limit:
            raise _too_large(self._name, self._limit)
        self._budget.take(max(position - self.tell(), 0))
        return self._file.seek(position)

    def read(self, size):
        """The next bytes."""
        self._headers += size if self.in_headers else 0
        if self.in_headers and (size > LARGEST_HEADER or self._headers > LARGEST_HEADERS):
            raise BadArchive(f"{self._name} has headers that are too large; it is not unpacked")
        if self.tell() + size > self._limit:
            raise _too_large(self._name, self._limit)
        self._budget.take(size)
        data = self._file.read(size)
        if self.in_headers and TRAPS.search(data):
            raise BadArchive(f"{self._name} has a header that cannot be read; it is not unpacked")
        return data


def _tar_members(name, source, budget):
    found, total, limit = [], 0, budget.listed + MOST_MEMBERS * 2048
    with (
        _open(source) as file,
        tarfile.open(fileobj=_Stream(name, file, limit, budget), mode="r:") as archive,
    ):
        for info in archive:
            total += info.size
            _demand_small(name, len(found), total, budget)
            if info.isdir():
                continue
            time = datetime.fromtimestamp(info.mtime) if info.mtime > 0 else None
            refused = "" if info.isreg() and not info.issparse() else "it is a link or a device"
            read = partial(_read_tar, name, source, info, limit, budget)
            found.append(Member(_plain_name(info.name), time, read, refused))
    budget.listed -= total
    return found


def _read_tar(name, source, info, limit, budget):
    try:
        with _open(source) as file:
            stream = _Stream(name, file, limit, budget)
            with tarfile.open(fileobj=stream, mode="r:") as archive:
                stream.in_headers = False
                return _limited(name, archive.extractfile(info), info.size)
    except BadArchive:
        raise
    except Exception as error:  # a cut-off or damaged stream
        raise BadArchive(f"{info.name} in {name} cannot be unpacked: {_first_line(error)}") from None


def _limited(name, member, declared):
    """The bytes of a member; one that says it is too large, or turns out to be, is refused."""
    data = member.read(LARGEST_MEMBER + 1) if declared <= LARGEST_MEMBER else b""
    if declared > LARGEST_MEMBER or len(data) > LARGEST_MEMBER:
        raise BadArchive(f"a file in {name} has more than {LARGEST_MEMBER // 10**6} MB; it is not unpacked")
    return data


def _demand_small(name, count, total, budget):
    if count > MOST_MEMBERS:
        raise BadArchive(f"{name} holds more than {MOST_MEMBERS:,} files; it is not unpacked")
    if total > budget.listed:
        raise _too_large(name, budget.listed)


def _too_large(name, limit):
    return BadArchive(f"{name} unpacks to more than {limit // 10**6:,} MB; it is not unpacked")


def _first_line(error):
    return (str(error) or type(error).__name__).splitlines()[0][:120]
