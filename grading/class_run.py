"""The run of a class: what is graded, by whom, and what is kept of it when something breaks.

Workers only execute (``grading.parallel``); this process alone writes gradebook and files, each outcome as
soon as it is there. So an interrupted run loses what was under way and no more, and the next one goes on.
"""

import signal
import threading
import traceback
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from itertools import chain

from grading import fingerprint, sandbox, stages
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.files import PRIVATE, private, write_text
from grading.grade import new_seed, unreadable
from grading.gradebooks import quickly_opened
from grading.kept import Outcomes
from grading.marks import stands, take_over_marks
from grading.results import FAILED, Outcome, failure
from grading.worker import make_ready, unpacked


class ClassRun:
    """One run over the submissions of an exercise.

    Parameters
    ----------
    classroom : where gradebook, graded copies and outcomes lie.
    exercise : its name.
    seed : of the hidden cases. By default that of the last run, for which unchanged submissions need not run
        again; a fresh one where there is none, and with ``again``.
    again : whether to grade unchanged submissions too.
    workers : how many to start here; as many as there are cores by default.
    scheduler : address of a Dask scheduler whose workers are taken instead.
    isolated : whether to refuse workers at which nothing keeps students' code in.
    """

    def __init__(
        self, classroom, exercise, seed=None, again=False, workers=None, scheduler=None, isolated=False
    ):
        self.classroom, self.exercise = classroom, exercise
        self.seed, self.again = seed, again
        self.workers, self.scheduler, self.isolated = workers, scheduler, isolated
        self.told = []  # what the instructor has to know of the workers
        self.outcomes = Outcomes(classroom.folder, exercise)
        self.began = datetime.now().astimezone().isoformat()
        self.keys = {}  # student -> key of the submission, "" when it cannot be read
        self.unchanged = 0  # how many were taken over

    def grade(self, submissions, on_done=lambda *_: None):
        """Grade them and record each as soon as it is done.

        Parameters
        ----------
        on_done : called with each submission and its outcome.

        Returns
        -------
        {student: Outcome}, a mapping that reads each outcome from its file
        """
        if not self.scheduler:
            make_ready(self.exercise)
        with ExitStack() as stack:
            stack.enter_context(self.classroom.alone())
            self.classroom.prepare(self.exercise)
            stack.enter_context(quickly_opened())
            graders = stack.enter_context(self._graders()) if self.scheduler else None
            isolation = graders.isolation if graders else sandbox.isolation()
            try:
                stopped = stack.enter_context(_interruptible())
                todo = self._take_over(submissions, isolation, on_done)
                if not graders and any(not one.problem for one in todo):
                    graders = stack.enter_context(self._graders(len(todo)))
                self._grade(todo, graders, on_done, stopped)
            finally:
                self.outcomes.write_table([submission.student for submission in submissions])
                self.told += graders.notes if graders else []
        if len(self.outcomes) < len(submissions):
            raise UserError(
                f"interrupted: {len(self.outcomes)} of {len(submissions)} are graded and kept; "
                "the same command goes on with the others"
            )
        return self.outcomes

    def notes(self):
        """What stands below the table of a run: what was taken over, and what is wrong with workers."""
        kept = f"Unchanged and kept: {self.unchanged} of {len(self.outcomes)} (--again grades them too)."
        return [kept] * bool(self.unchanged) + self.told

    def _graders(self, most=1):
        """The workers, no more of them than there is to grade."""
        from grading.parallel import Graders, cores  # Dask takes a second to import

        return Graders(self.exercise, min(self.workers or cores(), most), self.scheduler, self.isolated)

    def _take_over(self, submissions, isolation, on_done):
        """Take what an earlier run found of unchanged submissions; returns the others."""
        recorded = set() if self.again else self.classroom.recorded(self.exercise)
        found = {}
        for one in submissions:
            self.keys[one.student] = key = self._key(one, isolation)
            entry = self.outcomes.before(one.student) if key and one.student in recorded else {}
            if entry.get("key") == key:
                found[one.student] = entry["run"], entry["outcome"]["seed"]
        if self.seed is None:
            self.seed = max(found.values())[1] if found else new_seed()
        with self.classroom.gradebook() as gradebook:
            todo = [one for one in submissions if not self._taken(one, found, gradebook, on_done)]
        if self.unchanged:
            self.classroom.refresh_penalties(self.exercise)
        return todo

    def _key(self, submission, isolation):
        try:
            data = "" if submission.problem else submission.read()
        except Exception:  # told when it is graded
            return ""
        told = "\n".join([submission.time(), *submission.repairs, submission.attention])
        return data and fingerprint.of_submission(data, told, self.exercise, isolation)

    def _taken(self, submission, found, gradebook, on_done):
        """Whether the outcome of an earlier run was taken over, with the points that a person gave.

        Not where a person took points back, or where others than ours stand in the gradebook.
        """
        if submission.student not in found or found[submission.student][1] != self.seed:
            return False
        entry = self.outcomes.before(submission.student)
        outcome = Outcome.from_dict(entry["outcome"])
        try:
            take_over_marks(gradebook, submission.student, outcome)
            if not stands(gradebook, submission.student, outcome):
                return False
        except Exception:  # then it is graded and recorded anew
            return False
        self.outcomes.keep(submission.student, outcome, entry["key"], entry["run"], entry["seconds"])
        self.unchanged += 1
        on_done(submission, outcome)
        return True

    def _grade(self, submissions, graders, on_done, stopped):
        by_name = {one.student: one for one in submissions}
        files = ((one.student, one.read) for one in submissions if not one.problem)
        answers = graders.grade(files, self.seed, stopped) if graders else ()
        aside = ((one.student, {"problem": one.problem}) for one in submissions if one.problem)
        with self.classroom.recording():
            for student, answer in chain(aside, answers):
                outcome = self._finish(by_name[student], answer)
                on_done(by_name[student], outcome)

    def _finish(self, submission, answer):
        """Record and keep one submission; whatever goes wrong with it costs it alone."""
        student, notebook = submission.student, None
        try:
            outcome, notebook = unpacked(answer)
            outcome.repairs = submission.repairs + outcome.repairs
            outcome.attention = "; ".join(filter(None, [submission.attention, outcome.attention]))
        except UserError as error:  # what is wrong with the file, in a sentence
            outcome = unreadable(self.exercise, str(error))
        except Exception as error:  # a class run never stops at one file
            self._keep_error(student, "\n".join([*getattr(error, "__notes__", ()), traceback.format_exc()]))
            outcome = unreadable(self.exercise, failure(error))
        with stages.collect() as write, stages.stage("write"):
            try:
                self.classroom.record(submission, outcome, notebook or released_notebook(self.exercise))
            except Exception as error:  # the points stand in the table all the same
                self._keep_error(student, traceback.format_exc())
                outcome.problem = outcome.problem or failure(error, FAILED[1])
        seconds = answer.get("seconds", {}) | {"write": write["write"]}
        key = "" if outcome.problem else self.keys[student]
        self.outcomes.keep(student, outcome, key, self.began, seconds)
        return outcome

    def _keep_error(self, student, text):
        """Keep what went wrong, for whoever mends the grader."""
        with suppress(OSError), private():
            write_text(self.classroom.folder / "failures" / f"{student}.txt", text, PRIVATE)


@contextmanager
def _interruptible():
    """Inside, Ctrl-C asks the run to stop, twice ends it at once; gives a function that tells."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop.is_set
        return

    def interrupted(*_):
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop.is_set
    finally:
        signal.signal(signal.SIGINT, before)
