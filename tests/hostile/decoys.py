"""What an attack is after: files, processes, listeners. Each decoy can tell whether it was reached.

A decoy is a context manager; it yields the names that fill the attack's code, ``$name`` there, and a function
from everything that came back to whether the attack succeeded.
"""

import contextlib
import ctypes
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import uuid
from pathlib import Path

import psutil
import pytest

from grading import CANARY, ROOT

DECOY = f"decoy-{uuid.uuid4().hex}"  # in no file but those that are made here


def came_back(text):
    return DECOY in text


@contextlib.contextmanager
def course():
    """The course itself, with its canary in hidden cases, references and solutions."""
    yield {"root": ROOT}, lambda text: CANARY in text


@contextlib.contextmanager
def history():
    """The course as git keeps it."""
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the course has no history")
    with course() as (values, succeeded):
        yield values, succeeded


@contextlib.contextmanager
def _folder(parent=None):
    folder = Path(tempfile.mkdtemp(prefix="hostile-", dir=parent))
    try:
        (folder / "secret.txt").write_text(DECOY, encoding="utf-8")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def submission_of_another():
    """A file of another student, inside the course's folder."""
    with _folder(ROOT) as folder:
        yield {"file": folder / "secret.txt", "name": f"{folder.name}/secret.txt"}, came_back


@contextlib.contextmanager
def home():
    """A home with a secret file and a program's settings that hold one."""
    with _folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("COURSE_TOKEN", DECOY)
        patch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
        (folder / "kernel-other.json").write_text(f'{{"key": "{DECOY}"}}', encoding="utf-8")
        yield {"file": folder / "secret.txt", "folder": folder}, came_back


@contextlib.contextmanager
def system():
    """The accounts of this machine."""
    accounts = Path("/etc/passwd").read_text(encoding="utf-8").splitlines()[0]
    yield {}, lambda text: accounts in text


@contextlib.contextmanager
def gradebook():
    """A gradebook of another student's marks."""
    with _folder(ROOT) as folder:
        path = folder / "gradebook.db"
        with contextlib.closing(sqlite3.connect(path)) as book:
            book.execute("CREATE TABLE grade (manual_score REAL)")
            book.execute("INSERT INTO grade VALUES (1.0)")
            book.commit()

        def changed(_text):
            with contextlib.closing(sqlite3.connect(path)) as book:
                return book.execute("SELECT manual_score FROM grade").fetchall() != [(1.0,)]

        yield {"file": path}, changed


VICTIM = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1 % 2**64))  # let any process of this user trace it
kept = bytearray(open(sys.argv[1], "rb").read() + b" in memory")
held = open(sys.argv[1])
print("ready", flush=True)
time.sleep(120)
"""


@contextlib.contextmanager
def process():
    """A process with a secret in its arguments, environment, memory, descriptors and folder."""
    with _folder() as folder:
        command = [sys.executable, "-c", VICTIM, str(folder / "secret.txt"), DECOY]
        started = subprocess.Popen(
            command, env=os.environ | {"TOKEN": DECOY}, cwd=folder, stdout=subprocess.PIPE
        )
        with started:
            started.stdout.readline()
            yield {"pid": started.pid}, came_back
            started.kill()


FAMILIES = {
    "IPv4": (socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1"),
    "IPv6": (socket.AF_INET6, socket.SOCK_STREAM, "::1"),
    "UDP": (socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1"),
    "UNIX": (socket.AF_UNIX, socket.SOCK_STREAM, "file"),
    "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "abstract"),
}


def listener(family):
    """A listener of this machine that answers whoever connects, and remembers that someone did."""

    @contextlib.contextmanager
    def listening():
        number, kind, host = FAMILIES[family]
        with _folder() as folder, socket.socket(number, kind) as server:
            address = {"file": str(folder / "s"), "abstract": f"\0{DECOY}"}.get(host, (host, 0))
            try:
                server.bind(address)
            except OSError:
                pytest.skip(f"this machine has no {family}")
            server.settimeout(60)
            met = threading.Event()
            threading.Thread(target=_serve, args=(server, kind, met), daemon=True).start()
            address = server.getsockname()
            address = address.decode() if isinstance(address, bytes) else address
            port = address[1] if isinstance(address, tuple) else 0
            yield {"address": repr(address[:2] if port else address), "port": port}, lambda _text: met.wait(1)

    return listening


def _serve(server, kind, met):
    with contextlib.suppress(OSError):
        if kind == socket.SOCK_DGRAM:
            server.recv(100)
            met.set()
            return
        server.listen()
        client, _ = server.accept()
        met.set()
        client.sendall(b"HTTP/1.0 200 OK\r\n\r\nhello")
        client.close()


@contextlib.contextmanager
def shared_memory():
    """A file in shared memory, and a segment of the older kind."""
    name = Path("/dev/shm") / f"hostile-{uuid.uuid4().hex}"
    key = uuid.uuid4().int % 2**30
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    name.write_text(DECOY, encoding="utf-8")
    segment = libc.shmget(key, 4096, 0o1600)  # made anew, for this user
    place = libc.shmat(segment, None, 0)
    ctypes.memmove(place, DECOY.encode(), len(DECOY))
    try:
        yield {"file": name, "key": key}, came_back
    finally:
        libc.shmdt(ctypes.c_void_p(place))
        libc.shmctl(segment, 0, None)  # remove it
        name.unlink()


@contextlib.contextmanager
def other_kernel():
    """The folder of another kernel's sockets, with the key to it."""
    folder = Path(tempfile.mkdtemp(prefix="kernel-", dir="/tmp"))
    (folder / "kernel.json").write_text(f'{{"key": "{DECOY}"}}', encoding="utf-8")
    try:
        yield {}, came_back
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def printed():
    """The machine's resources: the attack prints ``held`` and how much it got hold of."""
    yield {}, lambda text: bool(re.search(r"held \d", text))


MOST_TEXT = 4_000_000


@contextlib.contextmanager
def flood():
    """The memory of whoever reads the output."""
    yield {}, lambda text: len(text) > MOST_TEXT


@contextlib.contextmanager
def marked_process():
    """Time after the grading: a process with a mark among its arguments that is still there."""
    mark = f"hostile-{uuid.uuid4().hex}"

    def marked(_text=""):
        time.sleep(0.5)
        return [p for p in psutil.process_iter() if mark in str(_arguments(p))]

    try:
        yield {"mark": mark}, marked
    finally:
        for process in marked():
            process.kill()


def _arguments(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@contextlib.contextmanager
def victim():
    """Another process of the same user."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"]) as started:

        def killed(_text):
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(timeout=0.5)
            return started.returncode is not None

        yield {"pid": started.pid}, killed
        started.kill()


@contextlib.contextmanager
def startup_files():
    """A home in which Python and IPython look for code to run."""
    with home() as (values, _):
        yield (
            values,
            lambda _text: (
                list(values["folder"].rglob("hostile.py")) + list(values["folder"].rglob("usercustomize.py"))
            ),
        )


@contextlib.contextmanager
def traces():
    """Places that the next submission could meet: a marked file in any of them is a trace."""
    mark = f"hostile-{uuid.uuid4().hex}.txt"
    with home() as (values, _):
        scheme = sysconfig.get_paths()
        course = [ROOT, ROOT / "course_utils", ROOT / "course_utils/visible"]
        system = [scheme["purelib"], sys.prefix, sys.base_prefix, "/usr/lib", "/etc", "/"]
        temporary = ["/tmp", "/var/tmp", "/dev/shm", values["folder"]]

        def found(_text=""):
            kernels = Path("/tmp").glob("kernel-*")
            places = map(Path, (*course, *system, *temporary, *kernels))
            return [place / mark for place in places if (place / mark).exists()]

        try:
            yield values | {"mark": mark, "root": ROOT}, found
        finally:
            for path in found():
                path.unlink()
