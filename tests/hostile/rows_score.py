"""Attacks on the score from inside IPython and its protocol."""

from attack import score

AST = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Drop())
"""
INPUT = """
def drop(lines):
    return [line.replace('assert', 'False and') for line in lines]
get_ipython().input_transformers_cleanup.append(drop)
"""
RUN_CELL = """
shell = get_ipython()
run = shell.run_cell_async
async def quiet(source, *given, **named):
    if 'assert' in source:
        source = named['transformed_cell'] = 'pass'
    return await run(source, *given, **named)
shell.run_cell_async = quiet
"""
SHOWTRACEBACK = """
from IPython.core.interactiveshell import ExecutionResult
ExecutionResult.success = property(lambda self: True)
shell = get_ipython()
shell.showtraceback = shell._showtraceback = lambda *given, **named: None
"""
EXCEPTHOOK = """
import IPython
from IPython.core.interactiveshell import ExecutionResult
get_ipython().set_custom_exc((Exception,), lambda *given, **named: None)
ExecutionResult.success = property(lambda self: True)
"""
SESSION = """
session = get_ipython().kernel.session
send = session.send
def lie(stream, kind, content=None, *given, **named):
    if kind == 'error':
        return None
    if kind == 'execute_reply':
        content = {'status': 'ok', 'execution_count': 1, 'user_expressions': {}, 'payload': []}
    return send(stream, kind, content, *given, **named)
session.send = lie
"""
DISPLAY_HOOK = """
type(get_ipython().displayhook).compute_format_data = lambda self, result: ({'text/plain': '3'}, {})
"""
DISPLAY_PUB = """
shell = get_ipython()
publish = shell.display_pub.publish
def forge(data, *given, **named):
    if 'memory_horizon' in shell.kernel.get_parent()['content']['code']:
        data = {kind: '{"status": "ok", "value": 2.0}' for kind in data}
    return publish(data, *given, **named)
shell.display_pub.publish = forge
class Three:
    def __repr__(self):
        return '3'
hook = type(shell.displayhook)
call = hook.__call__
hook.__call__ = lambda self, result=None: call(self, None if result is None else Three())
"""

# Messages of the student's own: a result as nbgrader reads it, an answer as our own kernel side publishes it.
FORGE = """
import json
kernel = get_ipython().kernel
def send(kind, parent, number=None, **content):
    content['metadata'] = {'number': number}
    kernel.session.send(kernel.iopub_socket, kind, content, parent=parent)
def forge_result(parent):
    send('execute_result', parent, data={'text/plain': '3'}, execution_count=1)
def forge_answer(parent, value=2.0):
    answer = json.dumps({'status': 'ok', 'value': value})
    for number in range(4):
        send('display_data', parent, number, data={'application/vnd.rnn-course.answer': answer})
def now():
    return kernel.get_parent()
def is_test(info):
    return 'memory_horizon' in info.raw_cell and ('reference' in info.raw_cell or '_course' in info.raw_cell)
"""
BEFORE = """
def before(info):
    if is_test(info):
        forge_result(now()), forge_answer(now())
get_ipython().events.register('pre_run_cell', before)
"""
TWICE = """
def twice(info):
    if is_test(info):
        for value in (1.0, 2.0, 1e300):
            forge_result(now()), forge_answer(now(), value)
get_ipython().events.register('pre_run_cell', twice)
"""
AHEAD = """
import threading, time
header = now()['header']
stem, number = header['msg_id'].rsplit('_', 1)
to_come = [{'header': header | {'msg_id': f'{stem}_{int(number) + n}'}} for n in range(1, 60)]
for parent in to_come:
    forge_answer(parent)
def flood():
    for _ in range(100):
        for parent in to_come:
            forge_result(parent)
        time.sleep(0.02)
threading.Thread(target=flood, daemon=True).start()
"""
DONE = """
def done(info):
    if is_test(info):
        reply = {'status': 'ok', 'execution_count': 1, 'user_expressions': {}, 'payload': []}
        address = kernel._parent_ident['shell']
        kernel.session.send(kernel.shell_stream, 'execute_reply', reply, parent=now(), ident=address)
        send('status', now(), execution_state='idle')
get_ipython().events.register('pre_run_cell', done)
"""
REPLAYED = """
kernel = get_ipython().kernel
session = kernel.session
send, first = session.send, {}
def replay(stream, kind, content=None, *given, **named):
    if kind == 'error':
        return None
    if kind == 'execute_reply':
        content = first.setdefault('reply', content)
    if isinstance(kind, dict) and 'memory_horizon' in str(kind['parent_header']) + str(kernel.get_parent()):
        kind['content'] = first.setdefault(kind['msg_type'], kind['content'])
    return send(stream, kind, content, *given, **named)
session.send = replay
"""

ROWS = [
    score("an AST transformer drops every assert", AST),
    score("an input transformer rewrites every assert", INPUT),
    score("run_cell leaves out the tests", RUN_CELL),
    score("showtraceback shows nothing", SHOWTRACEBACK),
    score("an exception handler of ones own", EXCEPTHOOK),
    score("session.send turns errors into successes", SESSION),
    score("every reply is the first one again", REPLAYED),
    score("the display hook shows full points", DISPLAY_HOOK, hidden="score"),
    score("the publisher replaces what is published", DISPLAY_PUB, hidden="score"),
    score("an answer forged before each test", FORGE + BEFORE, hidden="score"),
    score("three forged answers in one reply", FORGE + TWICE, hidden="score"),
    score("answers forged for requests to come", FORGE + AHEAD, hidden="score"),
    score("a forged end of the test", FORGE + DONE),
]
