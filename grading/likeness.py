"""How alike the answers of a class are: the code of the graded functions, whatever its names and order.

An answer becomes a bag of short runs of tokens, none longer than a statement. Names that the student gave are
all the same word in it, so that renaming changes nothing, nor do comments, docstrings, spaces and the order
of statements. What the stub holds is left out. Two bags are compared by the cosine of their TF-IDF vectors:
a run that the whole class has says little, one that two students share says much.
"""

import ast
import copy
import functools
import inspect
import io
import re
import textwrap
import tokenize
from dataclasses import dataclass, field

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from grading.bank import Function, load_bank
from grading.texts import parsed

MOST_CHARACTERS = 200_000  # a longer answer is compared line by line, names and all
RUN = 4  # tokens
ONE = 0.75  # from here on two answers to one question are alike; see docs/instructors.md for where it is from
WHOLE = 0.7  # and two submissions as a whole
LONG = 60  # tokens; a shorter answer cannot tell a copy from an obvious solution
MANY, SHARE = 4, 0.1  # an answer that so many others have, and such a share of the class, is a common one
MOST_PAIRS = 250_000  # of statements that are held against each other to show them side by side
HALF = 0.5  # of the runs of two statements, from which on they are shown beside each other
NAME, TEXT = "name", "text"
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass
class Statement:
    """A statement of an answer, or the head of a block: its first and last line, its tokens without names."""

    first: int
    last: int
    tokens: tuple


class _Nameless(ast.NodeTransformer):
    """Takes the student's own names, annotations and texts out of a syntax tree."""

    def __init__(self, own):
        self.own = own

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(NAME if node.id in self.own else node.id, node.ctx), node)

    def visit_alias(self, node):
        return ast.copy_location(ast.alias(node.name, NAME if node.asname else None), node)

    def visit_arg(self, node):
        return ast.copy_location(ast.arg(NAME), node)

    def visit_FunctionDef(self, node):
        node.name, node.returns, node.decorator_list = NAME, None, []
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Assign([node.target], node.value or ast.Constant(None)), node)

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(TEXT), node) if isinstance(node.value, str) else node


@functools.lru_cache(maxsize=8192)
def statements(source):
    """The statements of a piece of code; of one that is not Python its lines, names and all.

    >>> head, *body = statements("def f(a):\\n    b = 2 * a  # twice\\n    return b")
    >>> [statement.tokens for statement in body]
    [('name', '=', '2', '*', 'name'), ('return', 'name')]
    """
    tree = parsed(source, MOST_CHARACTERS)
    try:
        if tree is not None:
            return _of_tree(tree)
    except (RecursionError, ValueError):  # nested too deep, or a number too long to be written again
        pass
    lines = enumerate(source.splitlines(), start=1)
    found = [(n, tuple(re.findall(r"\w+|[^\w\s]", line.partition("#")[0]))) for n, line in lines]
    return [Statement(number, number, tokens) for number, tokens in found if tokens]


def _of_tree(tree):
    own = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            own.add(node.value.id)  # whether it is called np or otherwise
        elif isinstance(node, (ast.arg, ast.FunctionDef, ast.ClassDef)):
            own.add(node.arg if isinstance(node, ast.arg) else node.name)
    found = []
    _collect(_Nameless(own).visit(tree), found)
    return [one for one in found if one.tokens not in ((TEXT,), ("pass",))]


def _collect(block, found):
    """Add the statements inside a block, heads without what they hold."""
    for node in [node for name in BODIES for node in getattr(block, name, []) if isinstance(node, ast.AST)]:
        head = copy.copy(node)
        inside = [name for name in BODIES if isinstance(getattr(node, name, None), list)]
        for name in inside:
            setattr(head, name, [ast.Pass()] if name == "body" else [])
        text = ast.unparse(head).strip().removesuffix("pass")
        last = node.body[0].lineno - 1 if inside and getattr(node, "body", None) else node.end_lineno
        first = getattr(node, "lineno", last)
        found.append(Statement(first, max(first, last), _tokens(text)))
        _collect(node, found)


def _tokens(line):
    found = tokenize.generate_tokens(io.StringIO(line).readline)
    return tuple(TEXT if t.string[:1] in "\"'" else t.string for t in found if t.string.strip())


def definitions(source):
    """The functions and classes of a cell: {name: text}; none where it is not Python."""
    tree, lines = parsed(source, MOST_CHARACTERS), source.split("\n")
    kinds = ast.FunctionDef, ast.ClassDef
    found = [node for node in tree.body if isinstance(node, kinds)] if tree else []
    return {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in found}


def own_statements(source, stub):
    """The statements of an answer that the stub does not hold."""
    given = {statement.tokens for statement in statements(stub)}
    return [statement for statement in statements(source) if statement.tokens not in given]


def runs(found):
    """The runs of tokens of some statements; a short statement is one run."""
    marked = [("^", *statement.tokens, "$") for statement in found]
    return [
        " ".join(tokens[start : start + RUN])
        for tokens in marked
        for start in range(max(1, len(tokens) - RUN + 1))
    ]


def partners(found, others):
    """For each statement the one of another answer that is the same or shares most of its runs.

    Parameters
    ----------
    found, others : lists of Statement.

    Returns
    -------
    list of Statement or None, as long as ``found``; of very long answers only what is the same.
    """
    if len(found) * len(others) > MOST_PAIRS:
        same = {other.tokens: other for other in reversed(others)}
        return [same.get(statement.tokens) for statement in found]
    bags, result = [set(runs([other])) for other in others], []
    for place, statement in enumerate(found):
        own = set(runs([statement]))
        shared = [2 * len(own & bag) / (len(own) + len(bag)) for bag in bags]
        best = max(range(len(others)), key=lambda n: (shared[n], -abs(n - place)), default=None)
        result.append(others[best] if best is not None and shared[best] > HALF else None)
    return result


def length(found):
    """How many tokens an answer has."""
    return sum(len(statement.tokens) for statement in found)


def known_answers(function):
    """The texts of the reference and of the variants: right answers that nobody copied from another."""
    return [textwrap.dedent(inspect.getsource(one)) for one in (function.reference, *function.variants)]


def likenesses(answers, stub, background=()):
    """How alike each two answers to one question are.

    Parameters
    ----------
    answers : list of N texts.
    stub : the text of the untouched answer cell.
    background : other answers to the question, which help to tell the usual from the rare.

    Returns
    -------
    (N, N) array from 0 to 1, and (N,) array of lengths in tokens; an empty answer is like no other.
    """
    found = [own_statements(text, stub) for text in answers]
    others = [own_statements(text, stub) for text in background]
    lengths = np.array([length(one) for one in found])
    if not lengths.any():
        return np.zeros((len(answers),) * 2), lengths
    vectoriser = TfidfVectorizer(analyzer=runs, sublinear_tf=True).fit([*found, *others])
    vectors = vectoriser.transform(found)
    return (vectors @ vectors.T).toarray(), lengths


@dataclass
class Pair:
    """Two students whose submissions are alike: as a whole, or in single long answers."""

    one: int
    other: int
    whole: float  # likeness of all answers, each with the weight of its length
    alike: dict = field(default_factory=dict)  # question -> likeness, of long answers from ONE on


def alike_pairs(tables):
    """The pairs of a class that a person should look at.

    Parameters
    ----------
    tables : {question: what ``likenesses`` gives}, each for the same N students.

    Returns
    -------
    list of Pair, the likest first, and {question: how many students have its common answer}.
    """
    size = len(next(iter(tables.values()))[1])
    weighed, weights, single, common = np.zeros((size, size)), np.zeros((size, size)), {}, {}
    for name, (alike, lengths) in tables.items():
        others = (alike >= ONE).sum(axis=1) - (lengths > 0)
        usual = others > max(MANY, SHARE * size)
        both = np.minimum.outer(lengths, lengths)
        counted = np.where(np.logical_and.outer(usual, usual) & (alike >= ONE), 0, both)
        weighed, weights = weighed + counted * alike, weights + counted
        single[name] = np.where((counted >= LONG) & (alike >= ONE), alike, 0.0)
        if usual.any():
            common[name] = int(usual.sum())
    whole = np.where(weights >= LONG, weighed / np.maximum(weights, 1), 0.0)
    found = (whole >= WHOLE) | np.any([table > 0 for table in single.values()], axis=0)
    pairs = [
        Pair(i, j, float(whole[i, j]), {name: float(t[i, j]) for name, t in single.items() if t[i, j]})
        for i, j in np.argwhere(np.triu(found, k=1)).tolist()
    ]
    return sorted(pairs, key=lambda pair: -pair.whole), common


def class_tables(exercise, answers, stubs):
    """The likenesses of every graded function: {question: what ``likenesses`` gives}.

    Parameters
    ----------
    answers : list of {question: text of the answer cell}, one for each student.
    stubs : the same of the released notebook.
    """
    return {
        function.name: likenesses(
            [one.get(function.name, "") for one in answers], stubs[function.name], known_answers(function)
        )
        for function in load_bank(exercise).of_kind(Function)
    }
