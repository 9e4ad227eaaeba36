"""Attacks on the machine, and on whoever is graded next: memory, processes, disk, output, what outlives."""

from attack import reach
from decoys import flood, marked_process, printed, startup_files, traces, victim

SHORT = {"grading.runner.CELL_SECONDS": 4, "grading.sandbox.MEMORY_BYTES": 2**29}

# On the unprotected path an attack goes only a little beyond what the sandbox allows (``small``); in the
# sandbox it tries for as much as there is (``full``).


def greedy(name, code, small, full, decoy=printed):
    return reach(name, decoy, code, small=small, full=full, limits=SHORT)


HELD = "\nprint('held', $mb * 10**6 // 1000, 'kB')"
MEMORY = [
    greedy("memory at once", f"kept = b'x' * ($mb * 10**6){HELD}", {"mb": 800}, {"mb": 20_000}),
    greedy(
        "memory in small steps",
        f"kept = [bytearray(b'x') * 10**6 for _ in range($mb)]{HELD}",
        {"mb": 800},
        {"mb": 20_000},
    ),
    greedy(
        "memory in NumPy",
        f"import numpy as np\nkept = np.ones($mb * 10**6 // 8){HELD}",
        {"mb": 800},
        {"mb": 20_000},
    ),
    greedy(
        "memory in torch",
        f"import torch\nkept = torch.ones($mb * 10**6 // 4){HELD}",
        {"mb": 800},
        {"mb": 20_000},
    ),
    greedy(
        "memory in many processes",
        f"""
import os, time
for _ in range(8):
    if os.fork() == 0:
        kept = b'x' * ($mb * 10**6 // 8)
        time.sleep(1.5)
        os._exit(0)
while True:
    try:
        assert os.wait()[1] == 0
    except ChildProcessError:
        break
{HELD}
""",
        {"mb": 800},
        {"mb": 4000},
    ),
]

PROCESSES = [
    greedy(
        "a bomb of forks",
        """
import os, time
for _ in range($doublings):
    if os.fork() == 0:
        top = False
    else:
        top = 'top' not in globals() or top
time.sleep(3)
if not top:
    os._exit(0)
print('held', 2 ** $doublings)
""",
        {"doublings": 7},
        {"doublings": 11},
    ),
    greedy(
        "ten thousand threads",
        """
import threading, time
threading.stack_size(2**16)
for _ in range($threads):
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
time.sleep(1)
print('held', $threads)
""",
        {"threads": 600},
        {"threads": 10_000},
    ),
]

FILL = """
import contextlib, os
held = 0
for place in $places:
    names = [os.path.join(place, f'$prefix-{n}') for n in range($files)]
    with contextlib.suppress(OSError):
        for name in names:
            with open(name, 'wb') as file:
                for _ in range($mb):
                    held += file.write(bytes(10**6))
    for name in names:
        with contextlib.suppress(OSError):
            os.remove(name)
print('held' if held >= $wanted * 10**6 else 'less:', held)
"""
EVERYWHERE = {"places": "['.', '/tmp', '/dev/shm', '/var/tmp', '/']", "prefix": "hostile"}
DISK = [
    greedy(
        "a disk filled by files",
        FILL,
        EVERYWHERE | {"places": "['.']", "files": 7, "mb": 50, "wanted": 300},
        EVERYWHERE | {"files": 60, "mb": 60, "wanted": 1000},
    ),
    greedy(
        "a disk filled by one file",
        FILL,
        EVERYWHERE | {"places": "['.']", "files": 1, "mb": 70, "wanted": 70},
        EVERYWHERE | {"files": 1, "mb": 3000, "wanted": 250},
    ),
]

OUTPUT = [
    greedy("one endless line", "print('held ' * ($mb * 200_000))", {"mb": 5}, {"mb": 50}, decoy=flood),
    greedy(
        "lines without end",
        "for n in range($lines): print('held ' * 10, n)",
        {"lines": 80_000},
        {"lines": 500_000},
        decoy=flood,
    ),
    greedy(
        "pictures without end",
        "for _ in range($n): display({'text/html': 'held' * 250_000}, raw=True)",
        {"n": 5},
        {"n": 200},
        decoy=flood,
    ),
    greedy(
        "displays without end",
        "for n in range($n): display({'text/html': 'held' * 1000}, raw=True)",
        {"n": 1200},
        {"n": 10_000},
        decoy=flood,
    ),
    greedy(
        "output past the limits of our side",
        """
kernel = get_ipython().kernel
for _ in range($n):
    text = {'name': 'stdout', 'text': 'held ' * 3_000_000}
    kernel.session.send(kernel.iopub_socket, 'stream', text, parent=kernel.get_parent())
""",
        {"n": 1},
        {"n": 100},
        decoy=flood,
    ),
]

STUBBORN = [
    greedy(
        "an interrupt that is ignored",
        """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGINT)
end = time.time() + $seconds
while time.time() < end:
    pass
print('held', 1)
""",
        {"seconds": 3},
        {"seconds": 60},
    ),
    greedy(
        "a call into C that keeps the interpreter",
        """
import ctypes, signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
ctypes.PyDLL(None).sleep($seconds)
print('held', 1)
""",
        {"seconds": 3},
        {"seconds": 60},
    ),
]

DAEMON = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 200)
        command = [sys.executable, '-c', 'import time; time.sleep(60)', '$mark']
        os.execv(sys.executable, command)
    os._exit(0)
os.wait()
time.sleep(0.5)
"""
AT_EXIT = """
import atexit, subprocess, sys
command = [sys.executable, '-c', 'import time; time.sleep(60)', '$mark']
atexit.register(lambda: subprocess.Popen(command, start_new_session=True))
"""
KILL = """
import os, signal
assert os.getpid() < 100 or $targets == [$pid]  # outside of a sandbox nobody but the decoy
for target in $targets:
    try:
        os.kill(target, signal.SIGKILL)
    except (ProcessLookupError, PermissionError) as error:
        print(type(error).__name__)
"""
STARTUP = """
import pathlib, sys
home = pathlib.Path.home()
startup = home / '.ipython/profile_default/startup/hostile.py'
packages = home / f'.local/lib/python3.{sys.version_info[1]}/site-packages/usercustomize.py'
for path in (startup, packages, pathlib.Path('$folder') / 'usercustomize.py'):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('raise SystemExit')
    except OSError as error:
        print(type(error).__name__)
"""
ENVIRONMENT = """
import course_utils, pathlib, sys, sysconfig
places = [sysconfig.get_path('purelib'), '$root/course_utils/visible', *$more]
for place in (*places, *course_utils.__path__):
    try:
        (pathlib.Path(place) / '$mark').write_text('x')
    except OSError as error:
        print(type(error).__name__)
"""
CONNECTION = """
import pathlib, time
from ipykernel.connect import get_connection_file
folder = pathlib.Path(get_connection_file()).parent
(folder / '$mark').write_bytes(bytes(10**6))
time.sleep(3)
"""
AGAIN = """
import os, pathlib
home = pathlib.Path.home()
places = [pathlib.Path(place) / '$mark' for place in ('.', home, '/tmp', '/dev/shm', '/var/tmp')]
if any(place.exists() for place in places):
    print('held', [str(place) for place in places if place.exists()])
for place in places:
    try:
        place.write_text('x')
    except OSError as error:
        print(type(error).__name__)
"""
MORE = "[sys.prefix, sys.base_prefix, '$root', '/usr/lib', '/etc', '/']"
OUTLIVING = [
    reach("a daemon that goes on", marked_process, DAEMON),
    reach("a process that is started at exit", marked_process, AT_EXIT),
    reach(
        "killing other processes",
        victim,
        KILL,
        small={"targets": "[$pid]"},
        full={"targets": "[$pid, -1, 1, os.getppid()]"},
        limits=SHORT,
    ),
    reach("files that run in the next kernel", startup_files, STARTUP),
    reach("files in the environment", traces, ENVIRONMENT, small={"more": "[]"}, full={"more": MORE}),
    reach("a file beside the connection", traces, CONNECTION),
    reach("files for a kernel that is started again", traces, AGAIN, runs=2),
]

ROWS = [*MEMORY, *PROCESSES, *DISK, *OUTPUT, *STUBBORN, *OUTLIVING]
