"""Lines that only a notebook understands, ``%%time`` or ``!pip install``: none may cost an answer.

They are replaced by lines that do nothing, so that every other line keeps its number.
"""

import functools
import re

from IPython.core.inputtransformer2 import make_tokens_by_line

MOST_CHARACTERS = 20_000  # a longer cell is run as it is
MOST_PASSES = 5

SUSPICIOUS = re.compile(r"[%!?]|google\.colab|drive\.|chdir")
OTHER_LANGUAGE = re.compile(
    r"%%(!|bash|cmd|html|javascript|js|latex|markdown|perl|ruby|script|sh|svg|sx|system)\b"
)
WRITES_A_FILE = re.compile(r"%%(writefile|file)\b")
TIMED = re.compile(r"%time\s+(?=\S)")
HELP = re.compile(r"\?|[\w.*]+\?{1,2}$")
ASSIGNED = re.compile(r"([\w., ]+)=\s*[!%]")
COLAB = re.compile(r"(from google\.colab|import google\.colab|drive\.mount\(|drive\.flush_and_unmount\()")
CHANGES_FOLDER = re.compile(r"os\.chdir\(")


def runnable(source):
    """The source as it is run: without magics, shell and help lines, and what only Colab has.

    A header such as ``%%time`` is left out and the cell below it runs; a cell in another language does
    nothing; ``%%writefile`` stays as it is. Line numbers do not change.

    >>> runnable("%%time\\nx = 1\\n!ls")
    '\\nx = 1\\npass'
    """
    return _separate(source)[0]


def left_out(source):
    """The lines that ``runnable`` leaves out, but for ``%matplotlib``: no plot has a window here.

    >>> left_out("%matplotlib widget\\n%cd ..\\nx = 1")
    ['%cd ..']
    """
    return [line for line in _separate(source)[1] if not line.startswith("%matplotlib")]


@functools.lru_cache(maxsize=1024)
def _separate(source):
    """The lines that are run, as one text, and a list of those left out."""
    if len(source) > MOST_CHARACTERS or not SUSPICIOUS.search(source):
        return source, []
    header = source.lstrip().split("\n", 1)[0]
    if WRITES_A_FILE.match(header):
        return source, []
    if OTHER_LANGUAGE.match(header):
        return "\n" * source.count("\n"), [header]
    lines, gone = source.split("\n"), []
    if header.startswith("%%"):
        lines[lines.index(next(line for line in lines if line.strip()))] = ""
        gone.append(header.strip())
    for _ in range(MOST_PASSES):  # a shell line may hide from the tokenizer where the next one begins
        if not _replace(lines, gone):
            break
    return "\n".join(lines), gone


def _replace(lines, gone):
    """Replace the lines that are no Python, in place; True when the text has to be looked at again."""
    try:
        statements = make_tokens_by_line([line + "\n" for line in lines])
    except IndentationError:  # Python will say so
        return False
    for tokens in statements:
        words = [token for token in tokens if token.string.strip()]
        if not words:
            continue
        first, last = words[0].start[0] - 1, min(words[-1].end[0], len(lines)) - 1
        whole = "\n".join(lines[first : last + 1]).strip()
        instead = _instead(whole, indented=lines[first][:1].isspace())
        if instead is None:
            continue
        end = last if COLAB.match(whole) or CHANGES_FOLDER.match(whole) else _end_of_command(lines, first)
        gone.append(" ".join(" ".join(lines[first : end + 1]).split()))
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        lines[first : end + 1] = [indent + instead] + [""] * (end - first)
        if end < last:  # the command's quotes or brackets had swallowed lines below it
            return True
    return False


def _instead(statement, indented):
    """What runs in place of a statement; None when it is Python and stays."""
    if TIMED.match(statement):
        return TIMED.sub("", statement.split("\n")[0], count=1)
    if statement.startswith(("%", "!")) or HELP.match(statement) or CHANGES_FOLDER.match(statement):
        return "pass"
    if COLAB.match(statement) and not indented:  # indented, it may ask whether this is Colab
        return "pass"
    assigned = ASSIGNED.match(statement)
    return f"{assigned.group(1)}= None" if assigned else None


def _end_of_command(lines, first):
    """The last line of a command that goes on after each backslash."""
    last = first
    while lines[last].endswith("\\") and last + 1 < len(lines):
        last += 1
    return last
