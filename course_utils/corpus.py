"""The docstring corpus of lessons 10 and 11, built once from the installed libraries and then kept.

The first build takes about half a minute. It is kept in a directory of the user, ``RNN_COURSE_CACHE`` or else
``~/.cache/rnn-course``, under a name made of the libraries' versions and of the code that reads them, so that
a change of either builds anew. ``python -m course_utils.corpus`` records counts and checksum in ``data/``.
"""

import contextlib
import gc
import hashlib
import json
import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from course_utils import docstrings, splits, tokens
from course_utils.docstrings import LIBRARIES
from course_utils.records import DATA

FOUR = ("torch", "sympy", "matplotlib", "sqlalchemy")
"""The classes of lesson 10."""


class Document(NamedTuple):
    """The library it comes from, its text, and the name of its group of near copies."""

    library: str
    text: str
    group: str


def documents(libraries=tuple(LIBRARIES), whole=False):
    """The documents of these libraries: first paragraphs of docstrings, 5 to 60 tokens each.

    Parameters
    ----------
    libraries : keys of ``docstrings.LIBRARIES``, all unless told.
    whole : bool, all paragraphs of the docstrings, about three times the tokens; kept apart.

    Returns
    -------
    list of Document, library by library in the order of ``LIBRARIES``. What is not installed is not in it.

    Raises
    ------
    ValueError : for a name that is not in ``LIBRARIES``.
    """
    if unknown := [name for name in libraries if name not in LIBRARIES]:
        raise ValueError(f"no library {', '.join(unknown)}; there are {', '.join(LIBRARIES)}")
    return [document for document in _everything(whole) if document.library in libraries]


def balanced(generator, libraries=FOUR):
    """As many documents of each library, drawn from the larger ones.

    Parameters
    ----------
    generator : torch generator.
    libraries : names of the classes, each installed.

    Returns
    -------
    list of Document; the label of one is ``libraries.index(document.library)``.
    """
    import torch

    by_library = {name: documents([name]) for name in libraries}
    count = min(len(rows) for rows in by_library.values())
    if not count:
        missing = [name for name, rows in by_library.items() if not rows]
        raise ValueError(f"no documents of {', '.join(missing)}: not installed; run pip install {missing[0]}")
    drawn = []
    for rows in by_library.values():
        places = torch.randperm(len(rows), generator=generator)[:count].sort().values
        drawn += [rows[place] for place in places.tolist()]
    return drawn


def train_and_held_out(rows, share=0.1):
    """Documents in two lists that share no near copies; the side of one depends on nothing but its group.

    Parameters
    ----------
    rows : list of Document.
    share : float, about how much is held out.
    """
    sides = [splits.is_held_out(row.group, share) for row in rows]
    train = [row for row, held in zip(rows, sides, strict=True) if not held]
    return train, [row for row, held in zip(rows, sides, strict=True) if held]


def three_sides(rows, share=0.1):
    """Documents to train on, to choose by and to test on: three lists that share no near copies.

    Parameters
    ----------
    rows : list of Document.
    share : float, about how much goes to validation, and again to the test.

    Returns
    -------
    train, validation, test : lists of Document; validation is what ``train_and_held_out`` holds out.
    """
    rest, validation = train_and_held_out(rows, share)
    train, test = train_and_held_out(rest, 2 * share)
    return train, validation, test


def versions():
    """The versions of the libraries that are installed, without what follows a plus sign: dict of texts."""
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library).partition("+")[0]
        except metadata.PackageNotFoundError:
            continue
    return found


def checksum(rows):
    """SHA-256 of libraries and texts, in their order."""
    lines = "".join(f"{row.library}\t{row.text}\n" for row in rows)
    return hashlib.sha256(lines.encode()).hexdigest()


def counts(rows):
    """Documents and tokens of each library: dict of dicts."""
    table = {}
    for row in rows:
        line = table.setdefault(row.library, {"documents": 0, "tokens": 0})
        line["documents"] += 1
        line["tokens"] += len(tokens.tokens(row.text))
    return table


_kept = {}
"""The corpus that this process used last, by its key."""


def _everything(whole):
    """All documents: from this process, from the cache, or built."""
    key = cache_key(whole)
    if key not in _kept:
        rows = read_cache(key)
        if rows is None:
            rows = build(whole)
            write_cache(key, rows)
        _kept.clear()
        _kept[key] = rows
    return _kept[key]


def build(whole=False):
    """Read all installed libraries and group near copies; says which one it is at: list of Document."""
    found = versions()
    pairs = []
    collecting = gc.isenabled()
    gc.disable()  # syntax trees hold no cycles, and looking for them takes as long as reading
    try:
        for turn, library in enumerate(found, start=1):
            _say(f"reading docstrings, once: {library} ({turn} of {len(found)})")
            pairs += [(library, text) for text in docstrings.documents_of(library, whole)]
    finally:
        if collecting:
            gc.enable()
    _say(f"looking for near copies among {len(pairs)} documents")
    names = splits.groups([text for _library, text in pairs])
    _say("")
    return [Document(library, text, name) for (library, text), name in zip(pairs, names, strict=True)]


def cache_key(whole=False):
    """Name of the cached corpus: a hash of the libraries' versions and of the code that reads them."""
    made_by = [Path(module.__file__).read_bytes() for module in (docstrings, splits, tokens)]
    state = [json.dumps(versions()).encode(), platform.python_version_tuple()[1].encode(), *made_by]
    return ("whole-" if whole else "") + hashlib.sha256(b"\0".join(state)).hexdigest()[:16]


def cache_path(key):
    """Where a corpus is kept. Raises FileNotFoundError where the user has no home."""
    try:
        folder = os.environ.get("RNN_COURSE_CACHE") or Path.home() / ".cache" / "rnn-course"
    except RuntimeError as error:
        raise FileNotFoundError("no directory to keep the corpus in") from error
    return Path(folder) / f"docstrings-{key}.json"


def read_cache(key):
    """The cached documents, or None when there are none or the file cannot be read, which is said."""
    try:
        page = json.loads(cache_path(key).read_text(encoding="utf-8"))
        rows = [Document(*row) for row in page["documents"]]
        if page["checksum"] == checksum(rows):
            return rows
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    print(f"the cached corpus {cache_path(key).name} cannot be read; it is built again", file=sys.stderr)
    return None


def write_cache(key, rows):
    """Keep documents, whole or not at all: in a file beside it that is then renamed.

    Where nothing can be written nothing is kept, and the next process builds again.
    """
    page = json.dumps({"checksum": checksum(rows), "documents": rows})
    with contextlib.suppress(OSError):
        path = cache_path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            draft.write_text(page, encoding="utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def _say(line):
    """Show one line of progress in place of the one before; in the end nothing of it is left.

    In a notebook this clears what the cell has shown so far.
    """
    from IPython import get_ipython
    from IPython.display import clear_output

    if get_ipython():
        clear_output(wait=bool(line))
        print(line, end="")
    else:
        print(f"\r{line:<70}", end="" if line else "\r", file=sys.stderr, flush=True)


def record():
    """Write versions, counts and checksum of what is installed to ``data/corpus.json``."""
    rows = documents()
    page = {
        "command": "python -m course_utils.corpus",
        "python": platform.python_version(),
        "versions": versions(),
        "counts": counts(rows),
        "groups": len({row.group for row in rows}),
        "checksum": checksum(rows),
    }
    (DATA / "corpus.json").write_text(json.dumps(page, indent=1) + "\n", encoding="utf-8")
    return page


if __name__ == "__main__":
    print(record()["checksum"])
