"""What runs inside the student's kernel: call one answer on one input, publish a plain value.

The grader sends this file's text, after that of ``course_utils.plain``, into the kernel and calls
``call`` or ``read`` there. Nothing here knows an expected value, and nothing it says is believed: the
student's code can change all of it and would only change its own answer. The limits on output are no
wall either; they keep an honest slip, a loop that prints, from filling memory before the session cuts it.
"""

import contextlib
import io
import json
import signal
import sys
import traceback

from IPython import get_ipython

MIME = "application/vnd.rnn-course.answer"
OUTPUT = 200_000  # characters that one cell may print
CUT = f"[what follows was cut: a cell may print {OUTPUT:,} characters]"
DISPLAYS = 100  # figures and the like that one cell may show
DISPLAY_CHARACTERS = 1_000_000  # of all of them

kept = {}
left = dict(output=OUTPUT, displays=DISPLAYS, display_characters=DISPLAY_CHARACTERS)  # of the running cell
publish = get_ipython() and get_ipython().display_pub.publish  # there is no shell where this is imported
flush = sys.stdout.flush  # of the shell: waits until all that was published before has left


def limit_output():
    """Cut what each cell prints and shows, from now on."""
    shell = get_ipython()
    shell.display_pub.publish = _publish_within_limits
    shell.events.register("pre_run_cell", _before_cell)


def _before_cell(_info):
    """IPython gives the streams another ``write`` for each cell, and the old one back after it."""
    left.update(output=OUTPUT, displays=DISPLAYS, display_characters=DISPLAY_CHARACTERS)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a cell may have put anything in their place
            if not hasattr(stream.write, "limited"):
                stream.write = _limited(stream.write)


def _limited(write):
    """A stream's ``write`` that passes on what the cell may still print, and says once that it was cut."""

    def limited(text):
        if len(text) > left["output"] >= 0:
            write(f"{text[: left['output']]}\n{CUT}\n")
            left["output"] = -1
        elif left["output"] >= 0:
            write(text)
            left["output"] -= len(text)
        return len(text)

    limited.limited = True
    return limited


def _publish_within_limits(data, *others, **options):
    left["displays"] -= 1
    left["display_characters"] -= sum(len(part) for part in data.values() if isinstance(part, (str, bytes)))
    if left["displays"] >= 0 and left["display_characters"] >= 0:
        publish(data, *others, **options)


class Nowhere(io.TextIOBase):
    """A stream that forgets what is written: an endless print fills no memory."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


def keep(name):
    """Remember what the name stands for now, at its check cell: a later cell may use the name otherwise."""
    _stop_alarms()
    kept[name] = get_ipython().user_ns.get(name, ...)


def call(name, cases):
    """Call the student's function ``name`` on one case after another and publish each outcome at once.

    Ends early where there is no such function and after an interrupt, with which the caller gives up.

    Parameters
    ----------
    cases : the plain arguments of each call, JSON texts.
    """
    for number, arguments in enumerate(cases):
        outcome = _publish(name, lambda value: call_on(value, json.loads(arguments)), number)  # noqa: B023, F821
        if outcome["status"] == "missing" or outcome.get("type") == "KeyboardInterrupt":
            return


def read(name):
    """Publish the plain value of the student's variable ``name``."""
    _publish(name, lambda value: (value, []))


def _publish(name, use, number=0):
    """Publish what came of the name as it was at its check cell or, unanswered there, as it is now.

    It has left before the next call begins, which may never give another thread its turn.
    """
    _stop_alarms()
    for value in (kept.get(name, ...), get_ipython().user_ns.get(name, ...)):
        outcome = {"status": "missing"} if value is ... else _outcome(use, value)
        if outcome["status"] not in ("missing", "unanswered"):
            break
    publish({MIME: json.dumps(outcome)}, metadata={"number": number})
    flush()
    return outcome


def _stop_alarms():
    """An alarm that one answer has set must not ring while another one is asked."""
    if hasattr(signal, "setitimer"):
        for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
            signal.setitimer(timer, 0)


def _outcome(use, value):
    """Whatever the student's code returns or raises, even an exit or an interrupt, is its answer."""
    with contextlib.redirect_stdout(Nowhere()), contextlib.redirect_stderr(Nowhere()):
        try:
            result, changed = use(value)
        except InputChanged as error:  # noqa: F821
            return _raised(error) | {"changed": error.positions}
        except BaseException as error:
            if type(error) is NotImplementedError:  # the stub; IPython's refusal of input() is a subclass
                return {"status": "unanswered"}
            return _raised(error)
        try:
            return {"status": "ok", "value": to_plain(result), "changed": changed}  # noqa: F821
        except BaseException as error:
            known = type(error) in (TypeError, ValueError)
            return {"status": "unsupported", "what": _words(error) if known else ""}


def _raised(error):
    ours = _raised.__code__.co_filename
    places = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in places if frame.f_code.co_filename != ours]
    return {
        "status": "raised",
        "type": _name(error),
        "message": _words(error),
        "line": lines[0] if lines else None,  # the first place that is not ours is in the student's cell
    }


def _name(error):
    try:
        return str(type(error).__name__)
    except BaseException:  # a class may fail even to name itself
        return "an exception"


def _words(error):
    try:
        return str(error)[:300]
    except BaseException:  # an exception may fail even to describe itself
        return ""
