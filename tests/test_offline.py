"""``tools/offline.py``: no network inside, the loopback that kernels need is there."""

import subprocess
import sys

import pytest
from offline import WALL, main, wall

INSIDE = """
import socket
print([name for _, name in socket.if_nameindex()])
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
socket.create_connection(("192.0.2.1", 80), timeout=5)
"""


@pytest.mark.skipif(not wall(), reason="bubblewrap cannot cut the network off here")
def test_inside_there_is_the_loopback_and_no_way_out():
    command = [*wall(), sys.executable, "-c", INSIDE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "['lo']\n"
    assert "Network is unreachable" in done.stderr


def test_the_command_follows_the_wall(monkeypatch):
    ran = []
    monkeypatch.setattr("offline.wall", lambda: ("bwrap", *WALL))
    monkeypatch.setattr("offline.os.execvp", lambda file, arguments: ran.append((file, arguments)))
    main(["pytest", "--nbval"])
    assert ran == [("bwrap", ["bwrap", *WALL, "pytest", "--nbval"])]


def test_without_a_wall_the_command_runs_and_that_is_said(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr("offline.wall", tuple)
    monkeypatch.setattr("offline.os.execvp", lambda file, arguments: ran.append(arguments))
    main(["pytest"])
    assert ran == [["pytest"]]
    assert "Not cut off" in capsys.readouterr().out
