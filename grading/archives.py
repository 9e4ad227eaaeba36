"""The files in a zip or tar, read in memory: nothing is unpacked to disk, nothing grows without limit."""

import io
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
NAMES = re.compile(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", re.I)


class BadArchive(UserError):
    """The archive, or one file of it, cannot be read; one sentence says why."""


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


def members(name, source, limit=None):
    """The files of an archive, without folders and without what macOS and Windows put beside them.

    Parameters
    ----------
    name : of the archive, for messages; its ending decides between zip and tar.
    source : a path, or the bytes of the archive.
    limit : the bytes that all files may have together; by default those of the archive of a class.

    Raises
    ------
    BadArchive
    """
    listing = _zip_members if str(name).lower().endswith(".zip") else _tar_members
    limit = limit or LARGEST_ARCHIVE
    try:
        found = [member for member in listing(name, source, limit) if not is_side_file(member.name)]
    except BadArchive:
        raise
    except Exception as error:  # zipfile, tarfile and zlib raise many kinds for a damaged archive
        raise BadArchive(f"{name} is damaged or is no archive: {_first_line(error)}") from None
    for member in found:
        if ".." in PurePosixPath(member.name).parts:
            member.refused = "its name leads out of the archive"
    return found


def is_side_file(name):
    """Whether a file was made by an operating system beside the real ones."""
    parts = PurePosixPath(name).parts
    last = parts[-1] if parts else ""
    return "__MACOSX" in parts or last.startswith("._") or last in (".DS_Store", "Thumbs.db", "desktop.ini")


def _open(source):
    return io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")


def _zip_members(name, source, limit):
    with _open(source) as file, zipfile.ZipFile(file) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        _demand_small(name, len(infos), sum(info.file_size for info in infos), limit)
        if any(info.flag_bits & 1 for info in infos):
            raise BadArchive(f"{name} is locked with a password; pack it again without one")
        return [
            Member(_zip_name(info), _zip_time(info), partial(_read_zip, name, source, info), _zip_link(info))
            for info in infos
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


def _read_zip(name, source, info):
    try:
        with _open(source) as file, zipfile.ZipFile(file) as archive, archive.open(info) as member:
            return _limited(name, member, info.file_size)
    except BadArchive:
        raise
    except Exception as error:  # a wrong checksum, an unknown compression, a cut-off stream
        raise BadArchive(f"{info.filename} in {name} cannot be unpacked: {_first_line(error)}") from None


def _tar_members(name, source, limit):
    found, total = [], 0
    with _open(source) as file, tarfile.open(fileobj=file, mode="r:*") as archive:
        for info in archive:
            total += info.size
            _demand_small(name, len(found), total, limit)
            if info.isdir():
                continue
            time = datetime.fromtimestamp(info.mtime) if info.mtime > 0 else None
            refused = "" if info.isreg() else "it is a link or a device"
            found.append(
                Member(_plain_name(info.name), time, partial(_read_tar, name, source, info), refused)
            )
    return found


def _read_tar(name, source, info):
    try:
        with _open(source) as file, tarfile.open(fileobj=file, mode="r:*") as archive:
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


def _demand_small(name, count, total, limit):
    if count > MOST_MEMBERS:
        raise BadArchive(f"{name} holds more than {MOST_MEMBERS:,} files; it is not unpacked")
    if total > limit:
        raise BadArchive(f"{name} unpacks to more than {limit // 10**6:,} MB; it is not unpacked")


def _first_line(error):
    return (str(error) or type(error).__name__).splitlines()[0][:120]
