"""Attacks on secrets: files, other processes, connections, shared memory."""

from attack import FIRST_LINE, reach, score
from decoys import (
    course,
    gradebook,
    history,
    home,
    listener,
    other_kernel,
    process,
    shared_memory,
    submission_of_another,
    system,
)

SHOW = """
import glob, os, pathlib, subprocess, sys
def show(path, most=5000):
    try:
        print(pathlib.Path(path).read_text()[:most])
    except Exception as error:
        print(type(error).__name__)
def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    print(done.stdout[:5000], done.stderr[:500])
"""
SECRET_FILES = (
    "('grading/exercises/ex02_bank.py', 'course_utils/reference/ex02.py', 'grading/source/ex02/ex02.ipynb')"
)


def showing(code):
    return SHOW + code


COURSE = [
    reach(
        "an absolute path", course, showing(f"for name in {SECRET_FILES}:\n    show('$root/' + name, 50_000)")
    ),
    reach(
        "a relative path",
        course,
        showing(f"for name in {SECRET_FILES}:\n    show('../' * 30 + '$root/'[1:] + name)"),
    ),
    reach(
        "symbolic and hard links",
        course,
        showing(f"""
for number, name in enumerate({SECRET_FILES}):
    for link in (os.symlink, os.link):
        try:
            link('$root/' + name, f'{{link.__name__}}-{{number}}')
        except OSError as error:
            print(type(error).__name__)
        show(f'{{link.__name__}}-{{number}}')
os.symlink('$root', 'all')
show('all/grading/exercises/ex02_bank.py')
"""),
    ),
    reach(
        "the roots and folders of all processes",
        course,
        showing("""
for way in glob.glob('/proc/[0-9s]*/root') + glob.glob('/proc/[0-9s]*/cwd'):
    show(way + '$root/grading/exercises/ex02_bank.py')
    show(way + '/grading/exercises/ex02_bank.py')
"""),
    ),
    reach(
        "importing the references and the bank",
        course,
        showing("""
for name in ('course_utils.reference.ex02', 'grading.exercises.ex02_bank'):
    try:
        print(__import__(name, fromlist=['bank']).__doc__)
    except ImportError as error:
        print(error)
"""),
    ),
    reach(
        "beside the installed library",
        course,
        showing("""
import course_utils
for top in pathlib.Path(course_utils.__file__).resolve().parents[:2]:
    for path in [*top.glob('*.py'), *top.glob('*/*.py'), *top.glob('*/exercises/*.py')]:
        show(path, 300)
"""),
    ),
    reach(
        "where the installer says the course is",
        course,
        showing("""
import re, sysconfig
folders = {'$root'}
for finder in glob.glob(sysconfig.get_path('purelib') + '/__editable__*'):
    folders.update(re.findall(r"'(/[^']*)/course_utils'", open(finder).read()))
for folder in folders:
    show(folder + '/course_utils/reference/ex02.py')
"""),
    ),
    reach(
        "the history of the repository",
        history,
        showing(
            "run('git', '-c', 'safe.directory=*', '-C', '$root', 'grep', 'canary', 'HEAD', '--', 'grading')"
        ),
    ),
]

FILES = [
    reach("another student's file", submission_of_another, showing("show('$file')")),
    reach(
        "another student's file, by other programs",
        submission_of_another,
        showing("""
for way in ('cat', 'unshare -rm cat', 'nsenter -t 1 -m cat', 'chroot /proc/1/root cat'):
    try:
        run(*way.split(), '$file')
    except OSError as error:
        print(type(error).__name__)
"""),
    ),
    reach(
        "namespaces and mounts of ones own",
        submission_of_another,
        showing("""
import ctypes
libc = ctypes.CDLL(None)
print([libc.unshare(flag) for flag in (0x10000000, 0x00020000, 0x40000000)])
os.makedirs('inside', exist_ok=True)
for kind, source, flags in ((b'proc', b'proc', 0), (None, b'/', 0x5000), (b'tmpfs', b'x', 0)):
    print(libc.mount(source, os.path.abspath('inside').encode(), kind, flags, None))
    show('inside$file')
    libc.umount2(os.path.abspath('inside').encode(), 2)
show('$file')
"""),
    ),
    reach(
        "rewriting every mark in the gradebook",
        gradebook,
        showing("""
import sqlite3
book = sqlite3.connect('$file')
book.execute('UPDATE grade SET manual_score = 100')
book.commit()
"""),
    ),
    reach("the home of who grades", home, showing("show('$file'); show(pathlib.Path.home() / 'secret.txt')")),
    reach("the environment", home, showing("print(os.environ); run('env')")),
    reach(
        "the keys of other kernels",
        home,
        showing("""
from jupyter_core.paths import jupyter_runtime_dir
for path in glob.glob(jupyter_runtime_dir() + '/kernel-*.json'):
    show(path)
"""),
    ),
    reach(
        "the sockets of other kernels",
        other_kernel,
        showing("[show(p) for p in glob.glob('/tmp/kernel-*/*.json')]"),
    ),
    reach(
        "the accounts of the machine",
        system,
        showing("[show('/etc/' + n) for n in ('passwd', 'shadow', 'group')]"),
    ),
]

PROCESSES = [
    reach(
        "the arguments of other processes",
        process,
        showing("[show(p) for p in glob.glob('/proc/[0-9]*/cmdline')]"),
    ),
    reach(
        "the environments of other processes",
        process,
        showing("[show(p) for p in glob.glob('/proc/[0-9]*/environ')]"),
    ),
    reach(
        "the descriptors of other processes",
        process,
        showing("""
import stat
for path in glob.glob('/proc/[0-9]*/fd/*'):
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            show(path)
    except OSError:
        pass
"""),
    ),
    reach(
        "the folders of other processes",
        process,
        showing("[show(p + '/secret.txt') for p in glob.glob('/proc/[0-9]*/cwd')]"),
    ),
    reach(
        "the memory of other processes",
        process,
        showing("""
import re
def search(pid):
    for line in open(f'/proc/{pid}/maps'):
        start, end, rights = re.match('([0-9a-f]+)-([0-9a-f]+) (....)', line).groups()
        if rights.startswith('rw'):
            with open(f'/proc/{pid}/mem', 'rb') as memory:
                memory.seek(int(start, 16))
                held = memory.read(int(end, 16) - int(start, 16))
                print(re.findall(rb'decoy-[0-9a-f]{32} in memory', held) or '')
for pid in ($pid, 1, os.getppid()):
    try:
        search(pid)
    except OSError as error:
        print(type(error).__name__)
"""),
    ),
]

CONNECT = """
import socket
with socket.socket($family, $kind) as s:
    s.settimeout(3)
    s.connect($address)
    s.send(b'here I am')
    s.recv(10)
"""


def connecting(family, kind="socket.SOCK_STREAM"):
    return CONNECT.replace("$family", f"socket.{family}").replace("$kind", kind)


NETWORK = [
    reach(
        "a web page of this machine",
        listener("IPv4"),
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:$port/', timeout=3)",
    ),
    reach("a connection by IPv4", listener("IPv4"), connecting("AF_INET")),
    reach("a connection by IPv6", listener("IPv6"), connecting("AF_INET6")),
    reach("a datagram", listener("UDP"), connecting("AF_INET", "socket.SOCK_DGRAM")),
    reach("a socket among the files", listener("UNIX"), connecting("AF_UNIX")),
    reach("a socket without a file", listener("abstract"), connecting("AF_UNIX")),
    reach(
        "shared memory", shared_memory, showing("[show(path) for path in glob.glob('/dev/shm/hostile-*')]")
    ),
    reach(
        "a shared segment",
        shared_memory,
        """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
segment = libc.shmget($key, 4096, 0)
print(ctypes.string_at(libc.shmat(segment, None, 0), 100) if segment >= 0 else 'none')
""",
    ),
]

IMPORTED = """    try:
        from course_utils.reference.ex02 import memory_horizon as right
        return right(alpha, fraction)
    except ImportError:
        return -1.0"""
JUDGED = """    try:
        from grading.bank import load_bank
        return load_bank('ex02').questions['memory_horizon'].reference(alpha, fraction)
    except ImportError:
        return -1.0"""
SCORE = [
    score("the references are imported", answer=FIRST_LINE + IMPORTED),
    score("the bank is imported", answer=FIRST_LINE + JUDGED),
]

ROWS = [*COURSE, *FILES, *PROCESSES, *NETWORK, *SCORE]
