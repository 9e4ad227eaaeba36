"""Kernels that need not import: a template process has done it, and each kernel is forked from it.

``import torch`` and IPython are two thirds of what a short submission costs. The template is an interpreter
outside the sandbox that has imported both and in which no student's code ever runs. bubblewrap makes a
sandbox for each kernel, the same as without a template, with a shell in it that waits; a fork of the
template enters it (``grading.warm_side``), and is looked at from here before it gets a word of the
submission: all namespaces those of the sandbox, no capability, no way to new ones, the seccomp filter on. A
kernel still serves one submission. Where any of this cannot be done the kernel starts as usual.
"""

import fcntl
import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from grading import sandbox, seccomp, walls
from grading.exercise import released_notebook

PATIENCE = 60  # seconds for the imports of a template
LAUNCH_SECONDS = 10
WAITING = ("/bin/sh", "-c", "echo; read end")  # in the sandbox, until the kernel's keeper has gone
NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
CONFINED = {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": 0, "NoNewPrivs": 1}
IPYTHON = (
    *("ipykernel.kernelapp", "ipykernel.debugger", "tornado.platform.asyncio"),
    *("IPython.core.completerlib", "IPython.extensions.storemagic", "IPython.core.logger"),
    *("IPython.core.debugger", "IPython.core.oinspect", "faulthandler", "tomllib"),
)
"""What every kernel imports while it starts, and the visible checks after that."""
BESIDES = {"numpy": "numpy.random", "torch": "torch"}
HEAVY = re.compile(r"^\s*(?:import|from) (numpy|torch)\b", re.M)
_used = {}  # "modules": what the template of this process imports


class Template:
    """A template process; ends with the process that made it.

    Parameters
    ----------
    modules : names of what it imports.
    environment : all environment variables of it and of its kernels.
    """

    def __init__(self, modules, environment):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(PATIENCE)
        text = Path(__file__).with_name("warm_side.py").read_text(encoding="utf-8")
        python = _sealed_copy(os.path.realpath(sys.executable))
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", text, str(theirs.fileno()), *modules],
                executable=f"/proc/{os.getpid()}/fd/{python}",
                pass_fds=[theirs.fileno()],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            theirs.close()
            if self.channel.recv(16) != b"ready":
                raise OSError("the template did not start")
        finally:
            os.close(python)

    def close(self):
        """End the template; kernels that it started end with their sandbox."""
        self.channel.close()
        self.process.kill()
        self.process.wait()

    def fork(self, init, alive, arguments):
        """Let a fork enter the sandbox of the process ``init`` and become a kernel; gives its process id.

        The second number is of its parent out here, which ends after it.

        Parameters
        ----------
        alive : a file that stays open as long as the kernel lives.
        arguments : of the kernel's command.
        """
        program = seccomp.program() or b""
        reading, writing = os.pipe()
        os.write(writing, program)
        os.close(writing)
        request = {"home": walls.HOME, "limits": sandbox.LIMITS, "arguments": arguments}
        try:
            text = json.dumps(request | {"init": init, "filtered": bool(program)})
            socket.send_fds(self.channel, [text.encode()], [alive, reading])
        finally:
            os.close(reading)
        answer = json.loads(self.channel.recv(65536) or "{}")
        if "kernel" not in answer:
            raise OSError(answer.get("error", "the template has ended"))
        deadline = time.monotonic() + LAUNCH_SECONDS
        while not is_confined(answer["kernel"], init, bool(program)):
            if time.monotonic() > deadline:
                raise OSError("the kernel did not give up its rights")
            time.sleep(0.002)
        return answer["kernel"], answer["keeper"]

    async def launch(self, provisioner, wall, launch, **kwargs):
        """Start a kernel for a provisioner: the sandbox with ``launch``, then a fork that enters it."""
        with ExitStack() as stack:
            end, alive, info, told, ready, said = (file for _ in range(3) for file in os.pipe())
            for file in (end, alive, info, told, ready, said):
                stack.callback(os.close, file)
            kwargs |= {"stdin": end, "stdout": said, "pass_fds": (*kwargs["pass_fds"], told)}
            found = await launch([*wall, "--info-fd", str(told), "--", *WAITING], **kwargs)
            if not select.select([ready], [], [], LAUNCH_SECONDS)[0] or not os.read(ready, 1):
                raise OSError("the sandbox did not start")
            init = json.loads(os.read(info, 65536))["child-pid"]
            arguments = ["-f", provisioner.parent.connection_file, sandbox.NO_HISTORY]
            provisioner.kernel, provisioner.keeper = self.fork(init, alive, arguments)
        return found


def is_confined(pid, init, filtered):
    """Whether a process is in all namespaces of another one, and has no right that could lead out."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        same = all(_namespace(pid, kind) == _namespace(init, kind) for kind in NAMESPACES)
    except OSError:
        return False
    status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    wanted = CONFINED | ({"Seccomp": 2} if filtered else {})
    return same and all(int(status[name], 16) == value for name, value in wanted.items())


def _namespace(pid, kind):
    return os.stat(f"/proc/{pid}/ns/{kind}").st_ino


def _sealed_copy(path):
    """The interpreter in memory that nobody can write to.

    A kernel can open the program that it runs. Under bubblewrap that lies on a read-only mount; of the
    template it would be the file itself, which its owner may write to.
    """
    copy = os.memfd_create("python", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(copy, "wb", closefd=False) as file:
        file.write(Path(path).read_bytes())
    fcntl.fcntl(copy, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    fcntl.fcntl(copy, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL)
    return copy


def modules_of(exercise):
    """What the notebook of an exercise imports and takes long; IPython comes with the kernel."""
    code = "\n".join(cell.source for cell in released_notebook(exercise).cells if cell.cell_type == "code")
    return (*IPYTHON, *(BESIDES[name] for name in sorted(set(HEAVY.findall(code)))))


def use(exercise):
    """From now on the kernels of this process come from a template for this exercise, where that can be."""
    modules = modules_of(exercise)
    old = sandbox.SandboxProvisioner.template
    if _used.get("modules") == modules:
        return
    if old:
        old.close()
    sandbox.SandboxProvisioner.template = None
    _used["modules"] = modules
    if not sandbox.obstacle():
        with suppress(OSError, AttributeError):  # AttributeError: an operating system without these calls
            sandbox.SandboxProvisioner.template = Template(modules, walls.environment(walls.HOME))
