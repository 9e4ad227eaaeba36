"""What runs inside the student's kernel: call one answer on one input, publish a plain value.

The grader sends this file's text, after that of ``course_utils.plain``, into the kernel and calls
``call`` or ``read`` there. Nothing here knows an expected value, and nothing it says is believed: the
student's code can change all of it and would only change its own answer.
"""

import contextlib
import io
import json
import traceback

from IPython import get_ipython

MIME = "application/vnd.rnn-course.answer"


kept = {}


def keep(name):
    """Remember what the name stands for now, at its check cell: a later cell may use the name otherwise."""
    kept[name] = get_ipython().user_ns.get(name, ...)


def call(name, arguments):
    """Call the student's function ``name`` on plain arguments (JSON text) and publish the outcome."""
    _publish(name, lambda value: value(*map(from_plain, json.loads(arguments))))  # noqa: F821


def read(name):
    """Publish the plain value of the student's variable ``name``."""
    _publish(name, lambda value: value)


def _publish(name, use):
    """Publish what came of the name as it was at its check cell or, unanswered there, as it is now."""
    for value in (kept.get(name, ...), get_ipython().user_ns.get(name, ...)):
        outcome = {"status": "missing"} if value is ... else _outcome(use, value)
        if outcome["status"] not in ("missing", "unanswered"):
            break
    get_ipython().display_pub.publish({MIME: json.dumps(outcome)})


def _outcome(use, value):
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            result = use(value)
    except BaseException as error:  # whatever the student's code raises is its answer
        if type(error) is NotImplementedError:  # the stub; IPython's refusal of input() is a subclass
            return {"status": "unanswered"}
        return _raised(error)
    try:
        return {"status": "ok", "value": to_plain(result)}  # noqa: F821
    except (TypeError, ValueError, RecursionError) as error:
        return {"status": "unsupported", "what": str(error)[:300]}


def _raised(error):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
    try:
        message = str(error)[:300]
    except Exception:  # an exception may fail even to describe itself
        message = ""
    line = lines[2] if len(lines) > 2 else None  # below _outcome and the lambda lies the student's cell
    return {"status": "raised", "type": type(error).__name__, "message": message, "line": line}
