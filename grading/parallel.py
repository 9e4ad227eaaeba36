"""The workers of a class run, on Dask: submissions go out as bytes, JSON comes back, nobody else writes.

By default they are threads of this process, each with a ``Worker`` process that does the work: so no port is
opened, through which another user of the machine could run code here. ``--scheduler`` names a Dask cluster
instead. Each of its workers grades one submission at a time, in a ``Worker`` process of its own.

What goes to a worker is the file, the exercise and the seed, never a name, and a task raises nothing: Dask
writes errors with their arguments into its log.
"""

import json
import logging
import queue
import time
import traceback
import warnings
from contextlib import ExitStack, suppress
from uuid import uuid4

import dask
from dask.system import CPU_COUNT
from distributed import Client, KilledWorker, LocalCluster, WorkerPlugin, get_worker

from grading import fingerprint, sandbox
from grading.errors import UserError, in_words
from grading.worker import Worker

NAME = "rnn-course-grader"
SETTINGS = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.comm.timeouts.connect": "10s",
    "distributed.scheduler.allowed-failures": 2,  # workers that one submission may end
}
LOOPBACK = "127.0.0.1:0"
PATIENCE = 30  # seconds for a scheduler to answer, and for a first worker
LOOK_SECONDS = 0.2
LONELY_SECONDS = 120  # without any worker
GO_ON = "what is graded is kept, and the same command goes on"
AHEAD = 2  # submissions a worker that are under way, so that none waits for the gradebook


def cores():
    """The cores that this process may use, also in a container."""
    return CPU_COUNT


class Grader(WorkerPlugin):
    """Keeps the ``Worker`` process of a Dask worker, and ends it with the run."""

    def __init__(self, name):
        self.name = name

    def setup(self, worker):
        self.worker = Worker()

    def teardown(self, worker):
        self.worker.close()


def graded(data, exercise, seed, wanted, grader):
    """What a worker does with one submission: JSON text of what ``Worker.answer`` gives, and who it was."""
    worker = get_worker()
    try:
        answer = {"unfit": _unlike(about(exercise), wanted)}
        if not answer["unfit"]:
            answer = worker.plugins[grader].worker.answer(data, exercise, seed)
    except Exception as error:  # a task that raises is written into Dask's log with its arguments
        answer = {"fault": in_words(error), "traceback": traceback.format_exc()}
    return json.dumps(answer | {"by": worker.address})


def about(exercise):
    """What two machines must have in common to grade alike."""
    return {
        "course": fingerprint.course(exercise),
        "packages": fingerprint.packages(),
        "isolation": sandbox.isolation(),
    }


def _unlike(here, wanted):
    """Why a worker may not grade, as part of a sentence; "" when it may."""
    if here["course"] != wanted["course"]:
        return "it has another version of the course or of this exercise; bring it to the same commit"
    if here["packages"] != wanted["packages"]:
        return "it has other versions of Python or of packages; install requirements.lock there"
    if here["isolation"] != wanted["isolation"]:
        return f"its isolation is {here['isolation']}, that of the others {wanted['isolation']}"
    return ""


class Graders:
    """The workers of one run; a context manager that lets them go.

    Parameters
    ----------
    exercise : its name.
    workers : how many to start on this machine.
    scheduler : address of a Dask scheduler whose workers are taken instead.
    isolated : whether to refuse workers at which nothing keeps students' code in.
    """

    def __init__(self, exercise, workers=1, scheduler=None, isolated=False):
        self.exercise, self.scheduler, self.isolated = exercise, scheduler, isolated
        self.workers = workers
        self.name = f"{NAME}-{uuid4()}"  # two commands may use one cluster
        self.done = queue.SimpleQueue()  # names
        self.stack = ExitStack()
        self.unfit = set()  # addresses of workers that cannot grade
        self.notes = []  # why a worker was set aside
        self.seen = time.monotonic()  # when there was a worker

    def __enter__(self):
        try:
            self.stack.enter_context(dask.config.set(SETTINGS))
            self.client = self._theirs() if self.scheduler else self._ours()
            self.wanted = self._demand_alike()
            self.client.register_plugin(Grader(self.name))
            self.stack.callback(self._let_go)
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _ours(self):
        cluster = LocalCluster(
            n_workers=self.workers,
            threads_per_worker=1,
            processes=False,
            protocol="inproc://",
            dashboard_address=LOOPBACK,
            worker_dashboard_address=LOOPBACK,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
        return self.stack.enter_context(Client(self.stack.enter_context(cluster)))

    def _theirs(self):
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost scheduler is told below
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other versions are told in our own words
                client = self.stack.enter_context(Client(self.scheduler, timeout=PATIENCE))
        except (OSError, ValueError, TypeError) as error:  # TypeError: tls:// without certificates
            raise UserError(
                f"no Dask scheduler answers at {self.scheduler} ({str(error)[:100]}); is it running?"
            ) from None
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise UserError(f"{self.scheduler} has no worker; start one with: dask worker") from None
        return client

    def _demand_alike(self):
        """What all workers must be like: this machine, their isolation theirs."""
        try:
            found = self.client.run(about, self.exercise)
        except Exception as error:  # whatever an import raises there
            raise UserError(
                f"the workers of {self.scheduler} cannot use the course ({str(error)[:100]}); "
                "install it there"
            ) from None
        wanted = about(self.exercise) | {"isolation": next(iter(found.values()))["isolation"]}
        for address, here in found.items():
            if reason := _unlike(here, wanted):
                raise UserError(f"the worker {address} cannot grade here: {reason}")
        if self.isolated and wanted["isolation"] == "none":
            raise UserError(f"there is no isolation at the workers of {self.scheduler}; nothing was graded")
        return wanted

    @property
    def isolation(self):
        """What a submission runs under at the workers."""
        return self.wanted["isolation"]

    def _let_go(self):
        with suppress(Exception):  # a cluster that has gone
            self.client.unregister_worker_plugin(self.name)

    def grade(self, files, seed, stopped=lambda: False):
        """Grade files as workers become free; gives each answer once, as soon as it is there.

        What a worker had under way when it ended is graded by another one.

        Parameters
        ----------
        files : an iterable of (name, function that gives the bytes).
        seed : of the hidden cases.
        stopped : asked several times a second; once it says so, no more answers come.

        Returns
        -------
        generator of (name, answer of ``Worker.answer``)
        """
        waiting, again, under_way = iter(files), [], {}
        while not stopped():
            while len(under_way) < AHEAD * max(1, self._count()):
                name, read = again.pop() if again else next(waiting, (None, None))
                if name is None:
                    break
                try:
                    under_way[name] = read, self._submit(name, read(), seed)
                except (UserError, OSError) as error:  # it could be read a moment ago
                    yield name, {"problem": str(error)}
            if not under_way:
                return
            with suppress(queue.Empty):
                name = self.done.get(timeout=LOOK_SECONDS)
                read, future = under_way.pop(name)
                answer = self._answer(future)
                if answer and "unfit" not in answer:
                    yield name, answer
                    continue
                again.append((name, read))
                if answer:
                    self._set_aside(answer)
        self.client.cancel([future for _, future in under_way.values()], force=True)

    def _submit(self, name, data, seed):
        key = f"grade-{uuid4()}"  # Dask's logs hold it: no name
        where = self._fit() if self.unfit else None
        asked = (data, self.exercise, seed, self.wanted, self.name)
        future = self.client.submit(graded, *asked, key=key, pure=False, workers=where)
        future.add_done_callback(lambda _: self.done.put(name))
        return future

    def _answer(self, future):
        """What came of a task; None when it was lost and has to be asked for again."""
        if future.status == "finished":
            return json.loads(future.result())
        if future.status != "error":
            self._demand_scheduler()
            return None
        error = future.exception()
        ended = "each worker that graded it ended" if isinstance(error, KilledWorker) else str(error)
        return {"fault": ended, "traceback": f"{type(error).__name__}: {error}"}

    def _count(self):
        """How many workers there are now; refuses to wait for ever where there is none."""
        self._demand_scheduler()
        count = len(self._fit())
        self.seen = time.monotonic() if count else self.seen
        if time.monotonic() - self.seen > LONELY_SECONDS:
            raise UserError(f"{self.scheduler} has no worker any more; {GO_ON}")
        return count

    def _demand_scheduler(self):
        if self.client.status != "running":
            self._gone()

    def _gone(self):
        raise UserError(f"the scheduler {self.scheduler} has gone; {GO_ON}") from None

    def _set_aside(self, answer):
        """Give no more work to a worker at which nothing can be graded; the others go on."""
        who = f"the worker {answer['by']}" if self.scheduler else "this machine"
        reason = f"{who} cannot grade: {answer['unfit']}"
        self.unfit.add(answer["by"])
        if not self._fit():
            raise UserError(f"{reason}; mend that, then run the same command again: what is graded is kept")
        if reason not in self.notes:
            self.notes.append(reason)

    def _fit(self):
        try:
            return [address for address in self.client.nthreads() if address not in self.unfit]
        except OSError:  # the connection was lost in the middle of the question
            self._gone()
