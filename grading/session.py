"""A kernel that runs untrusted cells under limits and survives what they do.

The kernel is started through a Jupyter kernel provisioner; ``provisioner`` names it, so that an isolating
one can take the place of the local default.
"""

import contextlib
import os
import queue
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import psutil
from jupyter_client import KernelManager
from nbformat import NotebookNode, ValidationError
from nbformat.v4 import output_from_msg

from grading.kernel_side import MIME

START_SECONDS = 60
GRACE_SECONDS = 2  # between the interrupt and the kill
OUTPUT_BYTES = 1_000_000
ANSWER_BYTES = 50_000_000
OUTPUT_TYPES = {"stream", "display_data", "execute_result", "error"}
KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "VIRTUAL_ENV")


def readable(value):
    """The same JSON value with every text encodable: lone surrogates become question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return NotebookNode({readable(str(key)): readable(item) for key, item in value.items()})
    return [readable(item) for item in value] if isinstance(value, list) else value


@dataclass
class Reply:
    """What came of one execution: ``ok``, ``raised``, ``too slow`` or ``crashed``, and its outputs."""

    status: str = "ok"
    outputs: list = field(default_factory=list)
    size: int = 0

    def add(self, message):
        """Keep an output while the total stays under the limit; errors and answers are always kept."""
        output = readable(output_from_msg(message))
        if MIME in output.get("data", {}):
            if len(output.data[MIME]) <= ANSWER_BYTES:
                self.outputs.append(output)
            return
        self.size += len(str(message["content"]))
        if output.output_type == "error":
            self.status = "raised"
            output.traceback = output.traceback[-3:]
        if self.size <= OUTPUT_BYTES or output.output_type == "error":
            self.outputs.append(output)

    def error(self):
        """The error as one line, ``NameError: name 'y' is not defined``, or None."""
        for output in self.outputs:
            if output.output_type == "error":
                line = f"{output.ename}: {output.evalue}"[:300]
                return re.sub(r"\(\d+\.py, line (\d+)\)", r"(line \1)", line)  # the kernel's own file name
        return None


def _descendants(pid):
    """The processes below one, at this moment."""
    try:
        return psutil.Process(pid).children(recursive=True) if pid else []
    except psutil.NoSuchProcess:
        return []


class Session:
    """One kernel in an empty folder of its own; a context manager that leaves nothing behind."""

    def __init__(self, provisioner="local-provisioner"):
        self.provisioner = provisioner
        self.manager = self.client = self.folder = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def alive(self):
        return self.manager is not None and self.manager.is_alive()

    def start(self):
        """Start a new kernel in an empty folder of its own, ending the old one."""
        self.stop()
        self.folder = tempfile.mkdtemp(prefix="course-kernel-")
        self.manager = KernelManager(kernel_name="python3")
        self.manager.kernel_spec.metadata["kernel_provisioner"] = {"provisioner_name": self.provisioner}
        environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        environment |= {
            "HOME": self.folder,
            "TMPDIR": self.folder,
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": "1",
        }
        self.manager.start_kernel(
            cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=START_SECONDS)

    def stop(self):
        """End the kernel at once, and every process that it started."""
        if self.client:
            self.client.stop_channels()
        if self.manager:
            started = _descendants(getattr(self.manager.provisioner, "pid", None))
            self.manager.shutdown_kernel(now=True)
            self.manager.cleanup_resources()
            for process in started:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.manager = self.client = self.folder = None

    def run(self, code, seconds):
        """Execute code and wait for it, at most ``seconds``; afterwards the kernel may be dead."""
        reply = Reply()
        request = self.client.execute(code, store_history=True, allow_stdin=False, stop_on_error=False)
        if self._wait(request, reply, seconds):
            return reply
        if not self.alive():
            reply.status = "crashed"
        else:
            reply.status = "too slow"
            self.manager.interrupt_kernel()
            if not self._wait(request, Reply(), GRACE_SECONDS):
                self.stop()
        return reply

    def _wait(self, request, reply, seconds):
        """Collect outputs until the kernel is idle again: True; False when dead or out of time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                message = self.client.get_iopub_msg(timeout=0.1)
            except queue.Empty:
                if not self.alive():
                    return False
                continue
            except Exception:  # not a message of the protocol: the student's code can write to the socket
                continue
            with contextlib.suppress(KeyError, TypeError, AttributeError, ValidationError):
                if message["parent_header"]["msg_id"] != request:
                    continue
                if message["msg_type"] in OUTPUT_TYPES:
                    reply.add(message)
                elif message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return True
        return False
