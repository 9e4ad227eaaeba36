"""Which calls to the operating system's kernel a sandboxed process may not make, as a seccomp filter.

Namespaces leave some doors between processes of one user open: keys kept by the operating system, memory
that belongs to no file and no process, other processes' memory, new namespaces with rights of their own.
The filter answers such calls with "not permitted". bubblewrap installs it (``--seccomp``).

The program is classic BPF as seccomp(2) describes it: load the architecture, load the call's number, compare.
"""

import platform
import struct

ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026  # errno 1, not permitted; 38, no such call
LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000  # numbers from here on are those of another calling convention
NEW_USER_NAMESPACE = 0x10000000

REFUSED = {
    "x86_64": {
        "keys": (248, 249, 250),
        "memory without a file": (319, 323, 447),
        "other processes": (101, 310, 311, 312, 438, 440),
        "asynchronous calls": (425, 426, 427),
        "programs in the kernel, measuring": (298, 321),
        "mounts and namespaces": (155, 161, 165, 166, 272, 308, 428, 429, 430, 432, 442),
        "files by handle": (303, 304),
        "modules, reboot, clock": (159, 164, 169, 175, 176, 227, 246, 305, 313, 320),
    },
    "aarch64": {
        "keys": (217, 218, 219),
        "memory without a file": (279, 282, 447),
        "other processes": (117, 270, 271, 272, 438, 440),
        "asynchronous calls": (425, 426, 427),
        "programs in the kernel, measuring": (241, 280),
        "mounts and namespaces": (39, 40, 41, 51, 97, 268, 428, 429, 430, 432, 442),
        "files by handle": (264, 265),
        "modules, reboot, clock": (104, 105, 106, 112, 142, 170, 171, 266, 273, 294),
    },
}
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435  # its flags cannot be looked at; libraries fall back to clone where it does not exist


def program(machine=None):
    """The filter for a machine, as bytes; None for one whose numbers are not known here."""
    machine = machine or platform.machine()
    if machine not in REFUSED:
        return None
    refused = sorted(number for numbers in REFUSED[machine].values() for number in numbers)
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (JUMP_ABOVE, 0, 1, X32),
        (RETURN, 0, 0, REFUSE),
        (JUMP_EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, UNKNOWN),
        *(step for number in refused for step in ((JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE))),
        (JUMP_EQUAL, 0, 3, CLONE[machine]),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_ANY_BIT, 0, 1, NEW_USER_NAMESPACE),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
