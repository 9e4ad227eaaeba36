"""How well copies are told from independent right answers: ``python tests/bench_similar.py``.

Independent are the reference and the variants of each graded function in the banks. They were written to
differ, so a class, in which many write the obvious loop, is less varied: see the last two tables.
"""

import itertools
import random

import numpy as np
from disguise import DISGUISES, chosen, half_of

from grading.bank import Function, exercise_names, load_bank
from grading.exercise import released_notebook
from grading.likeness import LONG, ONE, WHOLE, alike_pairs, known_answers, likenesses
from grading.texts import answer_name, is_answer

CLASS = 40


def every_function():
    """(exercise, question, texts of the right answers, stub) for every graded function."""
    for exercise in exercise_names():
        stubs = {answer_name(c): c.source for c in released_notebook(exercise).cells if is_answer(c)}
        for function in load_bank(exercise).of_kind(Function):
            yield exercise, function.name, known_answers(function), stubs[function.name]


def measured():
    """Likenesses of independent answers with their length, and of each kind of disguised copy."""
    independent, copies, halves = [], {name: [] for name in DISGUISES}, []
    for _, _, known, stub in every_function():
        made = {name: [disguise(text) for text in known] for name, disguise in DISGUISES.items()}
        mixed = [half_of(*pair) for pair in itertools.pairwise(known)]
        texts = [*known, *itertools.chain(*made.values()), *mixed]
        alike, lengths = likenesses(texts, stub, known)
        size = len(known)
        for i, j in itertools.combinations(range(size), 2):
            independent.append((alike[i, j], min(lengths[i], lengths[j])))
        for number, name in enumerate(made, start=1):
            copies[name] += [(alike[i, number * size + i], lengths[i]) for i in range(size)]
        start = (len(made) + 1) * size
        halves += [(alike[i, start + i], lengths[i]) for i in range(size - 1)]
    return np.array(independent), {name: np.array(v) for name, v in copies.items()}, np.array(halves)


def by_chance(repeats=20):
    """Whole submissions, each answer in a style drawn at random: pairs by the share of styles in common.

    The same style counts as the same text, character by character: worse than any class.
    """
    found = {}
    for exercise, group in itertools.groupby(every_function(), key=lambda row: row[0]):
        rows = list(group)
        variants, stubs = {r[1]: r[2] for r in rows}, {r[1]: r[3] for r in rows}
        for seed in range(repeats):
            rng = random.Random(f"{exercise}{seed}")
            students = [chosen(variants, rng) for _ in range(CLASS)]
            tables = {
                name: likenesses([texts[s[name]] for s in students], stubs[name], texts)
                for name, texts in variants.items()
            }
            pairs, _ = alike_pairs(tables)
            flagged = {(p.one, p.other) for p in pairs if p.whole >= WHOLE}
            for i, j in itertools.combinations(range(CLASS), 2):
                same = sum(students[i][name] == students[j][name] for name in variants)
                counts = found.setdefault((same, len(variants)), [0, 0])
                counts[0] += (i, j) in flagged
                counts[1] += 1
    return found


def main():
    independent, copies, halves = measured()
    long = independent[:, 1] >= LONG
    print(f"independent right answers: {len(independent)} pairs, {long.sum()} of {LONG} tokens or more")
    print(f"  likeness: median {np.median(independent[:, 0]):.2f}, greatest {independent[:, 0].max():.2f}")
    print(f"  taken for alike (from {ONE}): {(independent[:, 0] >= ONE).sum()}")
    for name, values in copies.items():
        share = (values[:, 0] >= ONE).mean()
        print(f"{name}: {len(values)} copies, least {values[:, 0].min():.2f}, found {share:.1%}")
    found = (halves[:, 0] >= ONE).mean()
    print(f"half a copy: {len(halves)}, median {np.median(halves[:, 0]):.2f}, found {found:.1%}")
    print(
        f"pairs of a class of {CLASS} that are alike as a whole (from {WHOLE}), by answers alike by chance:"
    )
    for (same, of), (flagged, count) in sorted(by_chance().items()):
        print(f"  {same} of {of}: {flagged} of {count} ({flagged / count:.2%})")


if __name__ == "__main__":
    main()
