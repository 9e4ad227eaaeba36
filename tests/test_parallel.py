"""Grading on a Dask cluster of separate processes: workers that end, that are full, that are other."""

import os
import signal
import subprocess
import sys
import tempfile
from argparse import Namespace
from contextlib import ExitStack, contextmanager
from unittest.mock import Mock

import nbformat
import pytest
from distributed import Client, KilledWorker

from grading import ROOT, parallel
from grading.classroom import Classroom
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.parallel import Graders
from grading.submissions import find_submissions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore::distributed.versions.VersionMismatchWarning"),
]
TINY = """set -e
mount --bind /tmp /mnt
mount -t tmpfs -o size=64k,nr_inodes=20 none /tmp
case "$PWD" in /tmp/*) mkdir -p "$PWD"; mount --bind "/mnt${PWD#/tmp}" "$PWD"; cd "$PWD" ;; esac
while touch "/tmp/$((n += 1))" 2>/dev/null; do :; done
"""
"""A folder for temporary files without room for another one, in a mount namespace of its own."""


@contextmanager
def running(*command):
    """A process in a group of its own, which is ended as a whole."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **quiet)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def dask(*arguments):
    return [sys.executable, "-m", "dask", *map(str, arguments), "--host", "127.0.0.1", "--no-dashboard"]


class Cluster:
    """A scheduler; workers come and go by name."""

    def __init__(self, stack, file):
        self.stack = stack
        scheduler = dask("scheduler", "--port", 0, "--scheduler-file", file)
        self.process = stack.enter_context(running(*scheduler))
        self.client = stack.enter_context(Client(scheduler_file=str(file), timeout=60))
        self.address = self.client.scheduler.address

    def worker(self, name, *options, before=""):
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))
        known = len(self.client.nthreads())
        options = ["--name", name, "--nthreads", 1, "--local-directory", folder, *options]
        command = dask("worker", self.address, *options)
        if before:
            command = ["unshare", "-m", "sh", "-c", f'{before} exec "$@"', "sh", *command]
        process = self.stack.enter_context(running(*command))
        self.client.wait_for_workers(known + 1, timeout=60)
        return process


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and a worker, behind Dask's nanny, that stays."""
    with ExitStack() as stack:
        cluster = Cluster(stack, tmp_path_factory.mktemp("dask") / "scheduler.json")
        cluster.worker("stays")
        yield cluster


@pytest.fixture
def six(tmp_path, monkeypatch):
    """A class of six unanswered notebooks, and the students that were recorded, in their order."""
    recorded = []

    def record(self, submission, outcome, notebook, record=Classroom.record):
        recorded.append(submission.student)
        record(self, submission, outcome, notebook)

    monkeypatch.setattr(Classroom, "record", record)
    for number in range(6):
        path = tmp_path / f"in/s{number}/ex02/ex02.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(released_notebook("ex02"), path)
    return find_submissions(tmp_path / "in", "ex02"), recorded


def test_what_a_killed_worker_had_under_way_is_graded_by_another_once(cluster, six, tmp_path):
    submissions, recorded = six
    killed = cluster.worker("killed", "--no-nanny")
    run = Classroom(tmp_path / "out").run("ex02", scheduler=cluster.address)

    def kill(*_):
        if len(recorded) == 1:
            os.killpg(killed.pid, signal.SIGKILL)

    outcomes = run.grade(submissions, kill)
    assert sorted(recorded) == [one.student for one in submissions]
    assert [outcome.problem for outcome in outcomes.values()] == [""] * 6
    assert {outcome.questions["one_pole"].verdict for outcome in outcomes.values()} == {"not answered"}


def test_a_worker_with_a_full_disk_is_set_aside_and_the_others_go_on(cluster, six, tmp_path):
    done = subprocess.run(["unshare", "-m", "sh", "-c", TINY], cwd=ROOT, check=False, capture_output=True)
    if done.returncode:
        assert os.geteuid() or not os.environ.get("CI"), done.stderr
        pytest.skip("a small file system can be mounted by root only")
    submissions, recorded = six
    cluster.worker("full", "--no-nanny", before=TINY)
    run = Classroom(tmp_path / "out").run("ex02", scheduler=cluster.address)
    outcomes = run.grade(submissions[:3])
    assert [outcome.problem for outcome in outcomes.values()] == [""] * 3
    assert len(recorded) == 3
    assert "No space left on device" in run.notes()[0]


def test_without_its_scheduler_a_run_ends_and_the_next_goes_on(six, tmp_path, monkeypatch):
    monkeypatch.setitem(parallel.SETTINGS, "distributed.comm.timeouts.connect", "2s")
    monkeypatch.setattr(parallel, "PATIENCE", 5)  # after that the client gives the scheduler up
    submissions, recorded = six
    with ExitStack() as stack:
        other = Cluster(stack, tmp_path / "scheduler.json")
        other.worker("its own", "--no-nanny")

        def kill(*_):
            os.killpg(other.process.pid, signal.SIGKILL)

        with pytest.raises(UserError, match="has gone; what is graded is kept, and the same command goes on"):
            Classroom(tmp_path / "out").run("ex02", scheduler=other.address).grade(submissions, kill)
    done = len(recorded)
    assert 0 < done < 6
    outcomes = Classroom(tmp_path / "out").run("ex02", workers=1).grade(submissions)
    assert sorted(recorded) == sorted(outcomes) == [one.student for one in submissions]


def test_a_worker_with_another_version_of_the_course_is_named(cluster, monkeypatch):
    monkeypatch.setattr("grading.fingerprint.course", lambda _: "another")
    with pytest.raises(UserError, match=r"worker tcp://.* cannot grade here: it has another version of the"):
        Graders("ex02", scheduler=cluster.address).__enter__()


def test_no_scheduler_is_one_sentence(monkeypatch):
    monkeypatch.setattr(parallel, "PATIENCE", 1)
    with pytest.raises(UserError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9 .*is it running"):
        Graders("ex02", scheduler="tcp://127.0.0.1:9").__enter__()


def test_a_scheduler_behind_tls_without_certificates_is_one_sentence(monkeypatch):
    refused = TypeError("TLS expects a `ssl_context` argument")  # what Dask raises there
    monkeypatch.setattr(parallel, "Client", Mock(side_effect=refused))
    with pytest.raises(UserError, match=r"answers at tls://127\.0\.0\.1:9 \(TLS expects"):
        Graders("ex02", scheduler="tls://127.0.0.1:9").__enter__()


def test_dask_sees_no_name_of_a_student(monkeypatch):
    seen = []
    monkeypatch.setattr("grading.worker.Worker.answer", lambda *_: {"problem": "no"})
    with Graders("ex02") as graders:
        submit = graders.client.submit
        monkeypatch.setattr(
            graders.client, "submit", lambda *a, **k: (seen.append((a, k)), submit(*a, **k))[1]
        )
        answers = list(graders.grade([("anna", lambda: b"bytes")], seed=1))
    assert [name for name, _ in answers] == ["anna"]
    assert seen
    assert "anna" not in repr(seen)


def test_workers_of_this_machine_open_no_port_to_others():
    with Graders("ex02"):
        listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=False).stdout
        ours = [line.split()[3] for line in listening.splitlines() if f"pid={os.getpid()}," in line]
    assert [address for address in ours if not address.startswith("127.0.0.1:")] == []


def test_a_submission_that_ends_every_worker_is_given_up():
    class Future:
        status = "error"

        def exception(self):
            return KilledWorker("grade-1", Namespace(address="tcp://1"), 3)

    with Graders("ex02") as graders:
        assert "each worker that graded it ended" in graders._answer(Future())["fault"]
