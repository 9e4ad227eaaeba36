"""Run a command without a network: ``python tools/offline.py COMMAND ...``; loopback stays.

Where bubblewrap can make such a place. Elsewhere the command runs as it is, and a line says so.
"""

import os
import subprocess
import sys

from grading.sandbox import installed

WALL = ("--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--")


def wall():
    """The start of a command line that cuts the network off; () where none works."""
    for bwrap in installed():
        trial = subprocess.run([bwrap, *WALL, "true"], capture_output=True, check=False)
        if trial.returncode == 0:
            return (bwrap, *WALL)
    return ()


def main(command):
    cut = wall() if sys.platform == "linux" else ()
    if not cut:
        print("Not cut off from the network, bubblewrap does not work here; what follows may use it.")
        sys.stdout.flush()
    whole = [*cut, *command]
    os.execvp(whole[0], whole)


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
