"""The sandbox of a kernel: what cannot be found, reached, written or raised from within."""

import os
import platform
import socket
import socketserver
import sys
import threading

import pytest

from grading import CANARY, ROOT, sandbox, seccomp, walls
from grading.errors import UserError
from grading.session import Session


@pytest.fixture(scope="module")
def inside():
    """Run code in one sandboxed kernel; returns what it printed, or its error."""
    if sandbox.obstacle():
        pytest.skip(f"no sandbox here: {sandbox.obstacle()}")
    with Session(sandbox.SANDBOX) as session:
        session.start()

        def run(code):
            reply = session.run(code, 20)
            return (
                reply.error() or "".join(o.text for o in reply.outputs if o.output_type == "stream").strip()
            )

        yield run


@pytest.fixture
def reached(inside):
    """Whether code inside runs without an error."""
    return lambda code: inside(f"{code}\nprint('reached')").endswith("reached")


def test_there_is_a_sandbox_where_ci_runs():
    assert not (os.environ.get("CI") and sandbox.obstacle())


HIDDEN = ["grading", "course_utils/reference", "notebooks", "tests", ".git", "pyproject.toml"]


@pytest.mark.parametrize("path", HIDDEN)
def test_no_file_of_the_course_is_there(reached, path):
    assert not reached(f"import os; os.stat({str(ROOT / path)!r})")


def test_the_students_library_is_there_without_its_references(inside):
    assert inside("import course_utils.filters as f; print(f.__file__)") == "/course/course_utils/filters.py"
    assert "No module named" in inside("import course_utils.reference")
    assert "No module named" in inside("import grading")


def test_a_walk_through_all_files_meets_no_canary(inside):
    walk = f"""
import os
met = []
for folder, below, files in os.walk("/"):
    below[:] = [name for name in below if os.path.join(folder, name) not in ("/proc", "/usr", "/dev")]
    if folder.endswith("site-packages"):
        below[:] = [name for name in below if "course" in name or "grading" in name]
    for name in files:
        try:
            if {CANARY[::-1]!r}[::-1].encode() in open(os.path.join(folder, name), "rb").read(10**6):
                met.append(name)
        except OSError:
            pass
print(met)
"""
    assert inside(walk) == "[]"


def test_nothing_is_in_the_environment_but_what_we_set(inside, monkeypatch):
    names = set(inside("import os; print(*os.environ)").split())
    ours = set(walls.environment(walls.HOME))
    by_the_kernel = {"PWD", "JPY_PARENT_PID", "JPY_SESSION_NAME", "PYDEVD_USE_FRAME_EVAL", "LC_CTYPE"}
    shown_by_ipykernel = {"CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "GIT_PAGER", "PAGER", "TERM"}
    assert names - ours - by_the_kernel - shown_by_ipykernel == set()


def test_the_first_process_shows_no_environment(inside):
    shown = inside("print([entry.split('=')[0] for entry in open('/proc/1/environ').read().split('\\0')])")
    assert shown == "['']"


def test_only_its_own_processes_are_visible(inside):
    count = int(inside("import os; print(sum(name.isdigit() for name in os.listdir('/proc')))"))
    assert count == 2


def test_no_descriptor_leads_outside(inside):
    code = """
import os
for number in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink("/proc/self/fd/" + number))
    except OSError:
        pass
"""
    outside = [
        line
        for line in inside(code).splitlines()
        if not line.startswith(("socket:", "pipe:", "anon_inode:", "/dev/null", "/proc/"))
    ]
    assert outside == []


FAMILIES = {"IPv4": (socket.AF_INET, "127.0.0.1"), "IPv6": (socket.AF_INET6, "::1")}


@pytest.mark.parametrize(("family", "host"), FAMILIES.values(), ids=FAMILIES)
def test_no_listener_of_this_machine_is_reached(reached, family, host):
    server_class = type("Server", (socketserver.TCPServer,), {"address_family": family})
    try:
        server = server_class((host, 0), socketserver.BaseRequestHandler)
    except OSError:
        pytest.skip("this machine has no such loopback")
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = server.server_address[:2]
        socket.create_connection(address, 2).close()  # from here it answers
        assert not reached(f"import socket; socket.create_connection({address!r}, 2)")
        server.shutdown()


@pytest.mark.parametrize("abstract", [True, False])
def test_no_unix_socket_of_this_machine_is_reached(reached, tmp_path, abstract):
    address = "\0course-test" if abstract else str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address)  # from here it answers
        connect = "import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(2); "
        assert not reached(f"{connect}s.connect({address!r})")


READ_ONLY = ["/", "/usr", "/dev", "/course/course_utils", sys.prefix, "/etc"]


@pytest.mark.parametrize("folder", READ_ONLY)
def test_nothing_can_be_written_outside_home_and_tmp(inside, folder):
    assert "OSError" in inside(f"open({os.path.join(folder, 'x')!r}, 'w')")


@pytest.mark.parametrize("folder", [walls.HOME, "/tmp", "/dev/shm"])
def test_what_can_be_written_is_limited(inside, folder):
    fill = f"""
import os
part, count = bytes(2**20), 0
try:
    for number in range(20):
        with open(os.path.join({folder!r}, str(number)), "wb") as file:
            for _ in range(60):
                count += file.write(part)
except OSError as error:
    print(error.errno, count <= {walls.FOLDER_BYTES})
for number in range(20):
    if os.path.exists(os.path.join({folder!r}, str(number))):
        os.remove(os.path.join({folder!r}, str(number)))
"""
    assert inside(fill) == "28 True"


def test_limits_cannot_be_raised(inside):
    raised = inside("import resource as r; r.setrlimit(r.RLIMIT_DATA, (-1, -1))")
    assert raised == "ValueError: not allowed to raise maximum limit"


def test_every_process_of_the_sandbox_is_under_the_limits(inside):
    """A student's code can write into the memory of each of them."""
    limits = "{open(f'/proc/{pid}/limits').read() for pid in os.listdir('/proc') if pid.isdigit()}"
    assert inside(f"import os; print(len({limits}))") == "1"


def test_no_new_file_system_can_be_mounted(inside):
    code = "import ctypes; print(ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None))"
    assert inside(code) == "-1"


FORBIDDEN = {
    "a key for the next process": (248, "b'user', b'note', b'hello', 5, -4"),
    "a key of its session": (250, "1, None"),
    "memory without a file": (319, "b'hidden', 0"),
    "another process's memory": (310, "1, None, 0, None, 0, 0"),
    "a namespace": (272, "0x10000000"),
    "asynchronous calls": (425, "8, None"),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize(("number", "arguments"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_calls_that_reach_past_the_walls_are_refused(inside, number, arguments):
    call = f"libc = ctypes.CDLL(None, use_errno=True); libc.syscall({number}, {arguments})"
    assert inside(f"import ctypes; {call}; print(ctypes.get_errno())").endswith("1")


def test_threads_and_child_processes_still_work(inside):
    both = """
import multiprocessing, threading
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [1, -2]))
"""
    assert inside(both) == "thread\n[1, 2]"


def test_every_machine_has_a_filter_of_the_right_length():
    assert all(len(seccomp.program(machine)) % 8 == 0 for machine in seccomp.REFUSED)
    assert seccomp.program("pdp11") is None


DEEP = """
import glob, os, time
os.chdir(glob.glob("/tmp/kernel-*")[0])
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
time.sleep(20)
"""
RACE = """
import glob, os, socket
place = glob.glob("/tmp/kernel-*")[0] + "/more"
while True:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(place)
    os.unlink(place)
"""


@pytest.mark.parametrize("code", [DEEP, RACE], ids=["deep", "race"])
def test_whatever_is_made_in_the_folder_of_the_sockets_is_gone_afterwards(code):
    if sandbox.obstacle():
        pytest.skip(f"no sandbox here: {sandbox.obstacle()}")
    with Session(sandbox.SANDBOX) as session:
        session.start()
        folder = session.manager.provisioner.folder
        session.run(code, 5)
    assert not os.path.exists(folder)


def test_a_file_in_the_folder_of_the_sockets_ends_the_kernel():
    if sandbox.obstacle():
        pytest.skip(f"no sandbox here: {sandbox.obstacle()}")
    write = "import glob, time\nopen(glob.glob('/tmp/kernel-*')[0] + '/mine', 'w')\ntime.sleep(20)"
    with Session(sandbox.SANDBOX) as session:
        session.start()
        assert session.run(write, 10).reason == "it wrote into the folder of its connection"


@pytest.fixture
def without_bwrap(monkeypatch):
    """A machine without bubblewrap."""
    for cached in (sandbox._working_bwrap, sandbox.isolation):
        cached.cache_clear()
    monkeypatch.setattr(sandbox, "installed", lambda: iter(()))
    yield
    for cached in (sandbox._working_bwrap, sandbox.isolation):
        cached.cache_clear()


def test_without_bubblewrap_the_reason_is_told_and_limits_stay(without_bwrap):
    assert sandbox.obstacle() == "bubblewrap is not installed"
    assert (sandbox.isolation(), sandbox.provisioner()) == ("none", "course-limits")
    with Session() as session:
        session.start()
        assert session.isolation == "none"
        limit = session.run("import resource; print(resource.getrlimit(resource.RLIMIT_FSIZE)[1])", 10)
        assert limit.outputs[0].text == f"{sandbox.FILE_BYTES}\n"


def test_without_bubblewrap_isolation_can_be_demanded(without_bwrap):
    with pytest.raises(UserError, match="bubblewrap is not installed; nothing was graded"):
        sandbox.demand_isolation()


def test_a_bubblewrap_that_fails_is_no_isolation(without_bwrap, monkeypatch):
    monkeypatch.setattr(sandbox, "installed", lambda: iter(["/bin/false"]))
    assert sandbox.obstacle() == "no reason was given"


def test_an_environment_inside_the_course_is_shown_and_the_course_is_not(monkeypatch, tmp_path):
    """The order of the mounts: the folder above, then the cover, then the environment in it."""
    monkeypatch.setattr(walls, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr(sys, "exec_prefix", str(tmp_path.parent))
    parts = list(walls._python())
    places = [parts[i + 1] for i, part in enumerate(parts) if part in ("--ro-bind", "--tmpfs")]
    order = [places.index(str(place)) for place in (tmp_path.parent, tmp_path, tmp_path / ".venv")]
    assert order == sorted(order)


def test_the_course_among_installed_packages_is_covered(monkeypatch, tmp_path):
    """Installed without a repository around it, the course lies beside the libraries."""
    monkeypatch.setattr(walls, "ROOT", tmp_path)
    monkeypatch.setattr(
        walls.sysconfig,
        "get_paths",
        lambda: dict.fromkeys(("stdlib", "platstdlib", "purelib", "platlib"), str(tmp_path)),
    )
    text = " ".join(walls._python())
    assert f"--tmpfs {tmp_path}/grading" in text
    assert f"--tmpfs {tmp_path}/course_utils" in text


def test_an_environment_below_a_private_folder_is_shown(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/tmp/course/.venv")
    parts = walls.wall("bwrap")
    assert parts.index("/tmp/course/.venv") > max(n for n, part in enumerate(parts) if part == "/tmp")
