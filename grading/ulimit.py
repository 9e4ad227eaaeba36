"""Limits that hold from the first process of a sandbox on.

A kernel sets its own, but a student's code can write into the memory of every process beside it, and would go
on there without any.
"""

LETTERS = {  # of the shell's ulimit, and the bytes or seconds of its unit
    "RLIMIT_DATA": ("d", 1024),
    "RLIMIT_AS": ("v", 1024),
    "RLIMIT_FSIZE": ("f", 512),
    "RLIMIT_CPU": ("t", 1),
    "RLIMIT_NOFILE": ("n", 1),
    "RLIMIT_CORE": ("c", 512),
}


def limited(limits):
    """The beginning of a command that is to run under limits, {name: most}, and without any variable."""
    steps = [f"ulimit -{LETTERS[name][0]} {most // LETTERS[name][1]}" for name, most in limits.items()]
    return ["/bin/sh", "-c", "; ".join([*steps, 'exec /usr/bin/env -i "$0" "$@"'])]
