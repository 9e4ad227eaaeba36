"""Copies that are made to look unlike: renamed, reordered, commented, padded. For tests and the bench."""

import ast
import random

SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


def own_names(tree):
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return sorted(stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)})


def renamed(text):
    """Every name of the student's own gets another one."""
    tree = ast.parse(text)
    new = {name: f"my_{number}{name[::-1]}" for number, name in enumerate(own_names(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
    return ast.unparse(tree)


def other_comments(text):
    """Comments and docstring replaced, an empty line after each line that ends a statement."""
    lines = ast.unparse(ast.parse(text)).splitlines()
    return "\n".join(f"{line}  # step {number}\n" for number, line in enumerate(lines))


def reordered(text):
    """Neighbours that do not depend on each other change places."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            for place in range(len(block) - 1 if isinstance(block, list) else 0):
                if _independent(block[place], block[place + 1]):
                    block[place : place + 2] = block[place + 1], block[place]
    return ast.unparse(tree)


def _independent(one, other):
    if not (isinstance(one, SIMPLE) and isinstance(other, SIMPLE)):
        return False
    read = [{n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in (one, other)]
    return not (_written(one) & read[1] or _written(other) & read[0])


def _written(statement):
    """The names that a statement may change: those it assigns to, and all of a bare expression."""
    targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def padded(text, every=3):
    """A statement without any use after every third one."""
    tree = ast.parse(text)
    for node in list(ast.walk(tree)):
        block = getattr(node, "body", None)
        if isinstance(block, list):
            for place in range(len(block) - 1, 0, -every):
                block.insert(place, ast.parse(f"check_{place} = str({place})").body[0])
    return ast.unparse(tree)


def half_of(text, other):
    """The first half of the statements of one answer, the second half of another."""
    one, two = ast.parse(text), ast.parse(other)
    body, rest = one.body[0].body, two.body[0].body
    one.body[0].body = body[: (len(body) + 1) // 2] + rest[len(rest) // 2 :]
    return ast.unparse(one)


def all_at_once(text):
    return other_comments(reordered(renamed(text)))


DISGUISES = {
    "renamed": renamed,
    "reordered": reordered,
    "other comments": other_comments,
    "all three": all_at_once,
    "all three and padded": lambda text: padded(all_at_once(text)),
}


def chosen(variants, rng: random.Random):
    """A submission that answers each question in one of the styles of its bank: {question: style}."""
    return {name: rng.randrange(len(texts)) for name, texts in variants.items()}
