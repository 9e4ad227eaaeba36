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


def call(name, arguments):
    """Call the student's function ``name`` on plain arguments (JSON text) and publish the outcome."""
    namespace = get_ipython().user_ns
    if name not in namespace:
        return _publish({"status": "missing"})
    function = namespace[name]
    if not callable(function):
        return _publish({"status": "unsupported", "what": f"{name} is a {type(function).__name__}"})
    inputs = [from_plain(argument) for argument in json.loads(arguments)]  # noqa: F821
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        outcome = _outcome(function, inputs)
    return _publish(outcome)


def read(name):
    """Publish the plain value of the student's variable ``name``."""
    namespace = get_ipython().user_ns
    if namespace.get(name, ...) is ...:
        return _publish({"status": "missing"})
    return _publish(_outcome(lambda: namespace[name], []))


def _outcome(function, inputs):
    try:
        result = function(*inputs)
    except (Exception, SystemExit) as error:
        if type(error) is NotImplementedError:  # the stub; IPython's refusal of input() is a subclass
            return {"status": "unanswered"}
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
        return {
            "status": "raised",
            "type": type(error).__name__,
            "message": str(error)[:300],
            "line": lines[1] if len(lines) > 1 else None,
        }
    try:
        return {"status": "ok", "value": to_plain(result)}  # noqa: F821
    except (TypeError, ValueError) as error:
        return {"status": "unsupported", "what": str(error)[:300]}


def _publish(outcome):
    get_ipython().display_pub.publish({MIME: json.dumps(outcome)})
