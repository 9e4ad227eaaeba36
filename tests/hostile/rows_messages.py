"""Messages that are no answers: malformed, endless, huge, or of a form that no answer has."""

from table import Row, append, prepend

SMALL = {"grading.session.ANSWER_BYTES": 100_000}  # so that a long answer is no slow one
FORGE = """
import json, sys
ours = sys.modules['_course']
real = ours.publish
def forge(data, *others, **options):
    if 'memory_horizon' in get_ipython().kernel.get_parent()['content']['code']:
        data = {ours.MIME: PAYLOAD}
    real(data, *others, **options)
ours.publish = forge
"""
PAYLOADS = {
    "an answer nested beyond reason": """'{"status": "ok", "value": ' + '[' * 90_000""",
    "an answer of lists in lists": (
        """'{"status": "ok", "value": ' + '{"list": [' * 7000 + ']}' * 7000 + '}'"""
    ),
    "an answer that is no JSON": "'infinity'",
    "an answer that is a list": "'[1, 2]'",
    "an answer without an end": "'x' * 120_000",
    "an answer of a status that is a list": """'{"status": ["ok"], "value": 2.0}'""",
    "an answer of a status that says correct": """'{"status": "correct", "points": 3, "value": 2.0}'""",
    "an answer of an impossible shape": (
        """'{"status": "ok", "value": {"array": [1.0], "dtype": "float64", "shape": [1000000000000]}}'"""
    ),
    "an answer of objects": (
        """'{"status": "ok", "value": {"array": [1], "dtype": "object", "shape": [1]}}'"""
    ),
    "an answer of digits without end": """'{"status": "ok", "value": ' + '9' * 90_000 + '}'""",
    "an answer that is not text": "{'status': 'ok', 'value': 2.0}",
}
MALFORMED = """
import os, sys
kernel = get_ipython().kernel
def send(*parts, parent=kernel.get_parent()):
    kernel.session.send(kernel.iopub_socket, *parts, parent=parent)
for kind in ('display_data', 'stream', 'error', 'status', 'execute_result', 'no such kind', ''):
    for content in ({}, {'data': None}, {'data': 3, 'name': 3, 'text': 3}, {'execution_state': ['idle']}):
        send(kind, content)
for number in (None, -1, 10**9, 0.5, '0', [0], {}):
    send('display_data', {'data': {'application/vnd.rnn-course.answer': '2'}, 'metadata': {'number': number}})
deep = []
for _ in range(800): deep = [deep]
sys.setrecursionlimit(10_000)
for data in ({'text/plain': deep}, {'application/vnd.rnn-course.answer': deep}):
    send('display_data', {'data': data, 'metadata': {'number': 0}})
send('error', {'ename': deep, 'evalue': deep, 'traceback': deep})
sys.setrecursionlimit(3_000)
send('stream', {'name': 'stdout', 'text': '\\ud800'})
send('stream', {'name': 'stdout', 'text': 'x'}, parent={'header': 3})
for raw in ([b''], [b'x'] * 30, [b'<IDS|MSG>', b'', b'{', b'{', b'{', b'{'], [os.urandom(1000)]):
    kernel.iopub_socket.send_multipart(raw)
"""


def forged(name, payload):
    """Every answer to ``memory_horizon`` is replaced by another message."""
    trick = prepend(FORGE.replace("PAYLOAD", payload))
    return Row(name, trick, {"memory_horizon": 0.0}, {"memory_horizon": "wrong"}, limits=SMALL)


ROWS = [
    *(forged(name, payload) for name, payload in PAYLOADS.items()),
    Row("messages of no form", append(MALFORMED)),
    Row("messages of no form, before everything", prepend(MALFORMED)),
]
