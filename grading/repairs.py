"""What was repaired in a submission, in one plain line for each kind of repair."""

FOUND = {
    "id": ("its cell id", "their cell ids"),
    "definition": ("what it defines", "what they define"),
    "place": ("its place", "their places"),
}

SENTENCES = {  # for one question, for several
    "missing": (
        "The answer cell of {} was missing; it was put back empty.",
        "The answer cells of {} were missing; they were put back empty.",
    ),
    "copies": (
        "The answer cell of {} occurs {count} times; the last edited one counts.",
        "The answer cells of {} occur {count} times each; the last edited one counts.",
    ),
    "copies, one defines": (
        "The answer cell of {} occurs {count} times; the last one that defines it counts.",
        "The answer cells of {} occur {count} times each; the last ones that define them count.",
    ),
    "joined": (
        "The answer of {} stood in several cells; they were put together.",
        "The answers of {} stood in several cells; they were put together.",
    ),
    "elsewhere": (
        "The answer of {} was taken from another cell, because its own does not hold it.",
        "The answers of {} were taken from other cells, because their own do not hold them.",
    ),
    "in a check": (
        "The answer of {} stood where a check belongs; it counts, and the check was put back.",
        "The answers of {} stood where checks belong; they count, and the checks were put back.",
    ),
    "beside": (
        "The answer of {} was taken from the cell beside it.",
        "The answers of {} were taken from the cells beside them.",
    ),
    "in the question": (
        "The answer of {} was taken from the cell of its question.",
        "The answers of {} were taken from the cells of their questions.",
    ),
    "at the end": ("The answer of {} was taken from the end of the notebook.",) * 2,
    "kind": (
        "The answer cell of {} had become a {kind} cell; it was read as {ours}.",
        "The answer cells of {} had become {kind} cells; they were read as {ours}.",
    ),
    "fenced": ("The ``` lines around the code of {} were left out.",) * 2,
    "spaces": ("Spaces that Python does not know, in the code of {}, were replaced by plain ones.",) * 2,
    "check missing": (
        "The check cell of {} was missing; it was put back.",
        "The check cells of {} were missing; they were put back.",
    ),
    "check edited": (
        "The check cell of {} had been changed; ours was used.",
        "The check cells of {} had been changed; ours were used.",
    ),
    "check unmarked": (
        "The check cell of {} had lost its mark; ours was used.",
        "The check cells of {} had lost their marks; ours were used.",
    ),
}


class Repairs:
    """The repairs of one submission; the same one of several questions becomes one line."""

    def __init__(self):
        self._names = {}  # (kind, details) -> questions
        self._others = []

    def add(self, kind, name, /, **details):
        """Note a repair of one question; its kind is a key of ``SENTENCES`` or ``FOUND``."""
        names = self._names.setdefault((kind, tuple(details.items())), [])
        if name not in names:
            names.append(name)

    def tell(self, line):
        """Note a repair that belongs to no question."""
        self._others.append(line)

    def lines(self, unmarked=False):
        """The lines for the student.

        Parameters
        ----------
        unmarked : whether no cell had a mark: then one line says by what the answers were found.
        """
        found = {kind: names for (kind, _), names in self._names.items() if kind in FOUND}
        lines = [_all_found(found)] if unmarked and found else [_found(*item) for item in found.items()]
        for (kind, details), names in self._names.items():
            if kind not in FOUND and not (unmarked and kind == "check unmarked"):
                sentence = SENTENCES[kind][len(names) > 1]
                lines.append(sentence.format(listed(names), **dict(details)))
        return lines + self._others


def _found(kind, names):
    if len(names) == 1:
        return f"The answer cell of {names[0]} had lost its mark; it was found by {FOUND[kind][0]}."
    return f"The answer cells of {listed(names)} had lost their marks; they were found by {FOUND[kind][1]}."


def _all_found(found):
    ways = [f"{FOUND[kind][1]} ({', '.join(names)})" for kind, names in found.items()]
    return f"All cells had lost their marks; answers were found by {listed(ways)}."


def listed(words):
    """Words as they stand in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
