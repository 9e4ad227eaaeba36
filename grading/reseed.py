"""A new term: other numbers in the concept questions of an exercise, and its notebook built again."""

import subprocess
import sys

from grading import ROOT, term
from grading.bank import load_bank
from grading.errors import UserError
from grading.files import write_text


def reseed(exercise, seed=None):
    """Give an exercise the numbers of another seed.

    The exercise is built in a process of its own, since its bank takes the numbers when it is imported. If
    that fails, the seed is as it was.

    Parameters
    ----------
    seed : the next one when left out; 0 for the numbers as they were written.

    Returns
    -------
    int, the seed; and {name: number} of what the exercise now says.

    Raises
    ------
    UserError : for an unknown exercise, one without such numbers, or a build that fails.
    """
    bank = load_bank(exercise)
    if not bank.makers:
        raise UserError(f"{exercise} has no question whose numbers can be changed")
    before = term.FILE.read_text(encoding="utf-8") if term.FILE.exists() else "[seeds]\n"
    seed = term.seeds().get(exercise, 0) + 1 if seed is None else seed
    write_text(term.FILE, term.with_seed(exercise, seed))
    command = [sys.executable, "-m", "grading.cli", "build", exercise]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except BaseException:
        write_text(term.FILE, before)
        raise
    if done.returncode:
        write_text(term.FILE, before)
        reason = (done.stderr.strip() or "no reason was given").splitlines()[-1]
        raise UserError(f"{exercise} could not be built with the seed {seed}, which was not kept: {reason}")
    numbers = {}
    for make, others in bank.makers.values():
        numbers |= term.numbered(make, others, seed).numbers
    return seed, numbers
