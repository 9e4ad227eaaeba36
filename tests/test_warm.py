"""A forked kernel stands behind the same walls as a started one, and knows nothing of the one before."""

import os
import re
import time

import psutil
import pytest

from grading import sandbox, walls, warm
from grading.sandbox import SandboxProvisioner
from grading.session import Session

pytestmark = pytest.mark.skipif(bool(sandbox.obstacle()), reason=f"no sandbox: {sandbox.obstacle()}")
FILES = """sorted({
    re.sub("[0-9]+|kernel-[a-z0-9_]+", "", os.readlink(f"/proc/self/fd/{n}")) + (
        str(socket.socket(fileno=os.dup(int(n))).type) if stat.S_ISSOCK(os.fstat(int(n)).st_mode) else ""
    )
    for n in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{n}")
})"""
LOOK = {
    "rights": "[a for a in open('/proc/self/status') if a[:3] in ('Cap', 'NoN', 'Sec', 'Uid', 'Gid')]",
    "limits": "[resource.getrlimit(n) for n in range(16)]",
    "limits of all": "{open(f'/proc/{p}/limits').read() for p in os.listdir('/proc') if p.isdigit()}",
    "variables": "sorted(os.environ.items())",
    "first variables": "sorted(set(open('/proc/self/environ').read().split(chr(0))) - {'PWD=/home/student'})",
    "mounts": "[line.split()[3:6] for line in open('/proc/self/mountinfo')]",
    "places": "[os.getcwd(), os.readlink('/proc/self/root'), *map(os.listdir, ('/', '.', '/tmp'))]",
    "path": "[sys.path, sys.executable, sys.prefix, sys.flags, len(sys.argv)]",
    "network": "open('/proc/net/dev').read()",
    "host": "os.uname().nodename",
    "session": "os.getsid(0) > 0",
    "names": "sorted(name for name in globals() if not name.startswith('_'))",
    "library": "__import__('course_utils.plain').__file__",
    "open files": FILES,
    "threads": "len(os.listdir('/proc/self/task'))",
}
"""What a cell can see of its walls; all of it is the same with and without a template."""


def see(session, expression):
    reply = session.run(f"import os, re, resource, socket, stat, sys\nprint({expression})", 30)
    assert reply.status == "ok", reply.error()
    text = "".join(output.text for output in reply.outputs)  # on a busy machine it comes in parts
    return re.sub("kernel-[a-z0-9_]+", "kernel-", text)  # the folder of its sockets


@pytest.fixture(scope="module")
def cold():
    """What a kernel sees that was started."""
    with Session() as session:
        session.start()
        return {name: see(session, expression) for name, expression in LOOK.items()}


@pytest.fixture(scope="module")
def template():
    made = warm.Template((*warm.IPYTHON, "numpy.random"), walls.environment(walls.HOME))
    yield made
    made.close()


@pytest.fixture
def forked(template, monkeypatch):
    """A session whose kernel is a fork of the template."""
    monkeypatch.setattr(SandboxProvisioner, "template", template)
    with Session() as session:
        session.start()
        assert session.manager.provisioner.kernel
        yield session


@pytest.fixture(scope="module")
def seen(template):
    """What a kernel sees that was forked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SandboxProvisioner, "template", template)
        with Session() as session:
            session.start()
            return {name: see(session, expression) for name, expression in LOOK.items()}


@pytest.mark.parametrize("name", LOOK)
def test_a_forked_kernel_sees_what_a_started_one_sees(cold, seen, name):
    assert seen[name] == cold[name]


def test_its_program_is_a_copy_that_nobody_can_write_to(forked):
    seals = "__import__('fcntl').fcntl(open('/proc/self/exe', 'rb'), 1034)"  # F_GET_SEALS
    assert int(see(forked, seals)) & 0x8  # F_SEAL_WRITE
    assert forked.run("open('/proc/self/exe', 'r+b')", 20).status == "raised"


def test_the_next_kernel_finds_nothing_of_the_one_before(template, monkeypatch):
    monkeypatch.setattr(SandboxProvisioner, "template", template)
    traces = []
    leave = "open('/tmp/x', 'w').close(); open('x', 'w').close(); import numpy; numpy.mark = 1"
    for _ in range(2):
        with Session() as session:
            session.start()
            what = "[os.listdir('/tmp'), os.listdir('.'), hasattr(__import__('numpy'), 'mark')]"
            traces.append(see(session, what))
            session.run(leave, 20)
    assert traces == [traces[0]] * 2
    assert "'x'" not in traces[0]
    assert "True" not in traces[0]


@pytest.mark.parametrize("draw", ["__import__('numpy').random.rand()", "__import__('random').random()"])
def test_two_kernels_draw_different_numbers(template, monkeypatch, draw):
    monkeypatch.setattr(SandboxProvisioner, "template", template)
    drawn = set()
    for _ in range(2):
        with Session() as session:
            session.start()
            drawn.add(see(session, draw))
    assert len(drawn) == 2


def test_a_slow_cell_is_interrupted_and_a_crash_is_noticed(forked):
    assert forked.run("while True: pass", 1).status == "too slow"
    assert see(forked, "1 + 1") == "2\n"
    assert forked.run("os._exit(3)", 10).status == "crashed"
    assert not forked.alive()


def test_what_it_uses_is_watched(forked, monkeypatch):
    monkeypatch.setattr(sandbox, "PROCESSES", 8)
    code = "import subprocess, time\nfor _ in range(20): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    assert forked.run(code, 30).reason == "it started more than 8 processes"


def test_nothing_is_left_of_it(template, monkeypatch):
    monkeypatch.setattr(SandboxProvisioner, "template", template)
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    with Session() as session:
        session.start()
        session.run("import subprocess; subprocess.Popen(['sleep', '300'], start_new_session=True)", 10)
    deadline = time.monotonic() + 5
    while left := {process.pid for process in psutil.Process().children(recursive=True)} - before:
        assert time.monotonic() < deadline, left


def test_where_a_wall_is_missing_it_is_not_used(forked):
    kernel, init = forked.manager.provisioner.kernel, _first(forked)
    assert warm.is_confined(kernel, init, filtered=True)
    assert not warm.is_confined(os.getpid(), init, filtered=True)  # other namespaces
    assert not warm.is_confined(os.getpid(), os.getpid(), filtered=True)  # no filter, all rights


def _first(session):
    """The first process of the sandbox: the child of bubblewrap."""
    return psutil.Process(session.manager.provisioner.pid).children()[0].pid


def test_when_the_template_has_ended_a_kernel_is_started(monkeypatch):
    ended = warm.Template(("ipykernel.kernelapp",), walls.environment(walls.HOME))
    ended.close()
    monkeypatch.setattr(SandboxProvisioner, "template", ended)
    with Session() as session:
        session.start()
        assert session.manager.provisioner.kernel is None
        assert see(session, "1 + 1") == "2\n"
        assert SandboxProvisioner.template is None


@pytest.mark.parametrize(("exercise", "heavy"), {"ex02": ["numpy.random"], "ex05": ["torch"]}.items())
def test_a_template_imports_what_the_notebook_imports(exercise, heavy):
    assert list(warm.modules_of(exercise)) == [*warm.IPYTHON, *heavy]
