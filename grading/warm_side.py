"""The other side of ``grading.warm``: a Python that has imported what notebooks need, and forks kernels.

Its text is run by a fresh interpreter outside the sandbox, with the sandbox's environment and nothing of the
course; no code of a student ever runs in it. For each kernel it forks once; the child enters the namespaces
of a sandbox that bubblewrap has made, gives up every right as bubblewrap does, and only then becomes the
kernel of one submission.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys

KINDS = {"mnt": 0x00020000, "uts": 0x04000000, "ipc": 0x08000000, "net": 0x40000000, "cgroup": 0x02000000}
PID, USER = 0x20000000, 0x10000000
OWNER_OF = 0xB701  # ioctl: the user namespace that owns another namespace
SET_SECCOMP, SET_NO_NEW_PRIVS, SET_DUMPABLE, DROP_BOUND, AMBIENT = 22, 38, 4, 24, 47
CAPABILITIES = 64  # more than there are
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION = 0x20080522
libc = ctypes.CDLL(None, use_errno=True)


def demand(result):
    """Stop at a call of the operating system that failed: a kernel starts behind all its walls, or not."""
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def serve(channel):
    """Fork a kernel for each request: a line of JSON, with two open files beside it."""
    while True:
        text, files, _, _ = socket.recv_fds(channel, 65536, 2)
        if not text:
            return
        if os.fork() == 0:
            status = 1
            try:
                keep(channel, json.loads(text), *files)
                status = 0
            except BaseException as error:
                with contextlib.suppress(OSError):
                    channel.send(json.dumps({"error": repr(error)}).encode())
            finally:
                os._exit(status)
        for file in files:
            os.close(file)


def keep(channel, request, alive, seccomp):
    """Enter the sandbox, start the kernel in it, and wait for its end; ``alive`` keeps the sandbox open."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    enter(request["init"])
    kernel = os.fork()
    if kernel == 0:
        try:
            program = os.read(seccomp, 65536)
            channel.detach()  # its number is closed below, and may be another file's afterwards
            close_all()
            be_confined(request, program)
            run(request)
        finally:
            os._exit(1)
    os.close(seccomp)
    channel.send(json.dumps({"kernel": kernel, "keeper": os.getpid()}).encode())
    channel.close()
    os.waitpid(kernel, 0)


def enter(pid):
    """Move this process, and its children to come, into the namespaces of another one."""
    opened = {kind: os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in (*KINDS, "pid", "user")}
    owner = fcntl.ioctl(opened["mnt"], OWNER_OF)
    ours, outer, inner = (os.stat(name).st_ino for name in ("/proc/self/ns/user", owner, opened["user"]))
    if outer != ours:
        demand(libc.setns(owner, USER))
    for kind, flag in KINDS.items():
        demand(libc.setns(opened[kind], flag))
    demand(libc.setns(opened["pid"], PID))
    if inner != outer:  # bubblewrap makes a second one when it has no more to mount
        demand(libc.setns(opened["user"], USER))


def close_all():
    """Close every file that is open here, and put the sandbox's own nothing in place of the first three."""
    os.closerange(0, 65536)
    os.open("/dev/null", os.O_RDWR)
    os.dup2(0, 1)
    os.dup2(0, 2)


def be_confined(request, program):
    """Give up every right that entering gave, for good."""
    os.setsid()
    os.chdir(request["home"])
    for name, most in request["limits"].items():
        resource.setrlimit(getattr(resource, name), (most, most))
    for capability in range(CAPABILITIES):
        if libc.prctl(DROP_BOUND, capability, 0, 0, 0) == -1:
            break
    demand(libc.prctl(AMBIENT, 4, 0, 0, 0))
    demand(libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    demand(libc.syscall(CAPSET[os.uname().machine], header, (ctypes.c_uint32 * 6)()))
    demand(libc.prctl(SET_DUMPABLE, 1, 0, 0, 0))
    if program:
        steps = ctypes.create_string_buffer(program, len(program))
        about = (ctypes.c_uint64 * 2)(len(program) // 8, ctypes.addressof(steps))  # struct sock_fprog
        demand(libc.prctl(SET_SECCOMP, 2, about, 0, 0))


def run(request):
    """Become the kernel, as a fresh interpreter would."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    os.environ["PWD"] = request["home"]  # bubblewrap sets it too
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()  # each kernel draws its own numbers
    sys.argv[:] = ["-c", *request["arguments"]]
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


def main():
    """Import what is asked for, say so, and serve until the other end is closed."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a kernel that looks for garbage would copy every page of what is imported here
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    channel.send(b"ready")
    serve(channel)


if __name__ == "__main__":
    main()
