"""A kernel that runs untrusted cells under limits and survives what they do.

How the kernel is walled in is the provisioner's part (``grading/sandbox.py``); this module talks to it,
waits, counts, and ends it.
"""

import contextlib
import queue
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import psutil
import zmq
from jupyter_client import KernelManager
from nbformat import NotebookNode, ValidationError
from nbformat.v4 import output_from_msg

from grading import sandbox, walls
from grading.kernel_side import MIME
from grading.stages import stage
from grading.texts import plain_text

START_SECONDS = 60
GRACE_SECONDS = 2  # between the interrupt and the kill
LATE_SECONDS = 0.05  # that an interrupt may come late
WATCH_SECONDS = 0.2  # between two looks at what the kernel uses
QUIET_SECONDS = 2  # without a message, after the kernel has answered on its other channel
OUTPUT_BYTES = 1_000_000  # kept of one execution
ERROR_CHARACTERS = 5_000
ANSWER_BYTES = 10_000_000  # kept of one execution; cases without an answer are asked one by one
MESSAGE_BYTES = 16_000_000  # of one message; a larger one ends the connection, and with it the kernel
RECONNECT_MS = 5  # between two attempts to reach a kernel that is starting; ZeroMQ's own are 100
MESSAGES = 20  # that may wait here; a thousand more wait in the kernel, and the next ones are lost
NO_MESSAGE = (KeyError, TypeError, AttributeError, ValidationError, RecursionError)  # of a form of no use
OUTPUT_TYPES = {"stream", "display_data", "execute_result", "error"}


def readable(value):
    """The same JSON value with every text encodable and harmless to a terminal: see ``plain_text``."""
    if isinstance(value, str):
        return plain_text(value.encode("utf-8", "replace").decode("utf-8"))
    if isinstance(value, dict):
        return NotebookNode({readable(str(key)): readable(item) for key, item in value.items()})
    return [readable(item) for item in value] if isinstance(value, list) else value


@dataclass
class Reply:
    """What came of one execution: ``ok``, ``raised``, ``too slow`` or ``crashed``, its outputs and answers.

    asked : how many answers are wanted.
    answers : {number: (text, when it came on the monotonic clock)}.
    reason : why a kernel was ended that used too much.
    """

    status: str = "ok"
    outputs: list = field(default_factory=list)
    answers: dict = field(default_factory=dict)
    asked: int = 0
    size: int = 0
    reason: str = ""

    def add(self, message):
        """Keep an output while the total stays under the limit; of errors and equal answers the last one."""
        content = message["content"]
        if MIME in content.get("data", {}):
            self._add_answer(content["metadata"].get("number"), content["data"][MIME])
        elif message["msg_type"] == "error":
            content["ename"], content["evalue"] = _cut(content["ename"]), _cut(content["evalue"])
            content["traceback"] = [_cut(line) for line in content["traceback"][-3:]]
            output = readable(output_from_msg(message))
            self.status = "raised"
            self.outputs = [o for o in self.outputs if o.output_type != "error"] + [output]
        else:
            self.size += len(str(content))  # before it is converted, which takes far more room
            if self.size <= OUTPUT_BYTES:
                self.outputs.append(readable(output_from_msg(message)))

    def _add_answer(self, number, text):
        others = sum(len(kept) for other, (kept, _) in self.answers.items() if other != number)
        if number in range(self.asked) and isinstance(text, str) and others + len(text) <= ANSWER_BYTES:
            self.answers[number] = readable(text), time.monotonic()

    def error(self):
        """The error as one line, ``NameError: name 'y' is not defined``, or None."""
        for output in self.outputs:
            if output.output_type == "error":
                line = f"{output.ename}: {output.evalue}"[:300]
                return re.sub(r"\(\d+\.py, line (\d+)\)", r"(line \1)", line)  # the kernel's own file name
        return None


def _cut(value):
    return str(value)[:ERROR_CHARACTERS]


def _tree(pid):
    """A process and all below it, at this moment."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def overuse(processes):
    """What these processes use too much of together, as the end of a sentence; "" when nothing."""
    if len(processes) > sandbox.PROCESSES:
        return f"it started more than {sandbox.PROCESSES} processes"
    memory = threads = 0
    for process in processes:
        with contextlib.suppress(psutil.Error), process.oneshot():
            memory += process.memory_info().rss
            threads += process.num_threads()
    if memory > sandbox.MEMORY_BYTES:
        return f"it used more than {sandbox.MEMORY_BYTES / 2**30:g} GiB of memory"
    return f"it started more than {sandbox.THREADS} threads" if threads > sandbox.THREADS else ""


class Session:
    """One kernel in an empty folder of its own; a context manager that leaves nothing behind.

    ``provisioner`` names the Jupyter kernel provisioner; by default the sandbox, where it works.
    """

    def __init__(self, provisioner=None):
        self.provisioner = provisioner or sandbox.provisioner()
        self.manager = self.client = self.folder = None
        self.next_look = 0.0  # when the kernel's processes are looked at again, on the monotonic clock

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def isolation(self):
        """What separates the kernel from this machine, in words; ``"none"`` without the sandbox."""
        return sandbox.isolation() if self.provisioner == sandbox.SANDBOX else "none"

    def alive(self):
        return self.manager is not None and self.manager.is_alive()

    @stage("start")
    def start(self):
        """Start a new kernel in an empty folder of its own, ending the old one."""
        try:
            self._start()
        except OSError:
            if not sandbox.SandboxProvisioner.template:
                raise
            sandbox.SandboxProvisioner.template = None  # it has ended; then as without one
            self._start()

    def _start(self):
        self.stop()
        self.folder = tempfile.mkdtemp(prefix="course-kernel-")
        context = self._limited_context()
        self.manager = KernelManager(kernel_name="python3", context=context)
        self.manager.kernel_spec.metadata["kernel_provisioner"] = {"provisioner_name": self.provisioner}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            self.manager.start_kernel(cwd=self.folder, env=walls.environment(self.folder), **quiet)
            self.client = self.manager.client(context=context)
            self.client.start_channels(stdin=False, hb=False)
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def _wait_until_ready(self):
        """Ask for a sign of life until one comes on the channel of outputs: then both channels are open.

        The client's own ``wait_for_ready`` waits a fifth of a second more.
        """
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.client.kernel_info()
            with contextlib.suppress(queue.Empty):
                self.client.get_iopub_msg(timeout=0.1)
                return
            if not self.alive():
                raise RuntimeError("the kernel ended while it started")
        raise RuntimeError(f"the kernel did not start in {START_SECONDS} seconds")

    @staticmethod
    def _limited_context():
        """The sockets' common settings: what waits to be read is limited, so a flood costs no memory here."""
        context = zmq.Context()
        context.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        context.setsockopt(zmq.MAXMSGSIZE, MESSAGE_BYTES)
        context.setsockopt(zmq.RCVHWM, MESSAGES)
        return context

    @stage("start")
    def stop(self):
        """End the kernel at once, and every process that it started."""
        if self.client:
            self.client.stop_channels()
        if self.manager:
            started, keeper = self._processes(), getattr(self.manager.provisioner, "keeper", None)
            self.manager.shutdown_kernel(now=True)
            self.manager.cleanup_resources()
            for process in started:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            if keeper:
                psutil.wait_procs(_tree(keeper), timeout=GRACE_SECONDS)
            self.manager.context.destroy(linger=0)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.manager = self.client = self.folder = None

    def _processes(self):
        started = (getattr(self.manager.provisioner, name, None) for name in ("pid", "kernel"))
        return [process for pid in started if pid for process in _tree(pid)]

    def run(self, code, seconds, asked=0):
        """Execute code and wait for it, at most ``seconds``; afterwards the kernel may be dead."""
        reply = Reply(asked=asked)
        request = self.client.execute(code, store_history=True, allow_stdin=False, stop_on_error=False)
        if self._wait(request, reply, seconds):
            return reply
        if reply.reason or not self.alive():
            reply.status = "crashed"
            self.stop()
        else:
            reply.status = "too slow"
            self.manager.interrupt_kernel()
            if not (self._wait(request, Reply(), GRACE_SECONDS) and self._let_interrupt_pass()):
                self.stop()
        return reply

    def _let_interrupt_pass(self):
        """An interrupt that came just after the end of its execution must not hit the next one."""
        request = self.client.execute(f"__import__('time').sleep({LATE_SECONDS})", store_history=False)
        return self._wait(request, Reply(), GRACE_SECONDS)

    def _wait(self, request, reply, seconds):
        """Collect outputs until the kernel is idle again: True; False when dead, greedy or out of time."""
        now = time.monotonic()
        deadline, heard, replied = now + seconds, now, False
        while (now := time.monotonic()) < deadline:
            if now >= self.next_look:
                reply.reason = overuse(self._processes()) or self._strange_folder()
                self.next_look = time.monotonic() + WATCH_SECONDS
            if reply.reason:
                return False
            message = None  # two large ones at a time would take twice the room
            try:
                message = self.client.get_iopub_msg(timeout=0.1)
                heard = time.monotonic()
            except queue.Empty:
                if not self.alive():
                    return False
                replied = replied or self._replied(request)
                if replied and now - heard > QUIET_SECONDS:  # that it is idle was lost, and so was the rest
                    reply.reason = "it sent more output than can be read"
                continue
            except Exception:  # not a message of the protocol: the student's code can write to the socket
                continue
            with contextlib.suppress(*NO_MESSAGE):
                if message["parent_header"]["msg_id"] != request:
                    continue
                if message["msg_type"] in OUTPUT_TYPES:
                    reply.add(message)
                elif message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return True
        return False

    def _replied(self, request):
        """Whether the kernel has answered on its other channel."""
        with contextlib.suppress(queue.Empty, KeyError, TypeError, AttributeError, ValueError):
            while True:
                if self.client.get_shell_msg(timeout=0)["parent_header"]["msg_id"] == request:
                    return True
        return False

    def _strange_folder(self):
        """What is wrong with the folder of the sandbox's sockets, the one place on disk it can write to."""
        folder = getattr(self.manager.provisioner, "folder", None)
        return sandbox.strange_folder(folder) if folder else ""
