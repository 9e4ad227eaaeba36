"""Recorded experiments of lesson 12: what fits through one state, by length and by its size H.

Every run is one model. The tasks: copying; numbers in words from English to French; dates in words to their
ISO form; spelling to sound.
"""

import functools

import torch

from course_utils import pairs, seq2seq
from course_utils.exposure import exposure
from course_utils.records import rounded
from course_utils.tokens import tokens

LONGEST, BEYOND = 10, 12
"""Symbols of the longest row that is copied in training, and in the tests."""
SIZES = {"copy": (16, 32, 64), "numbers": (32, 64, 128)}
SEEDS = (0, 1, 2)


def seq2seq_runs():
    """All runs: size by task, copying read backward, feeding by a coin, and two more tasks once each."""
    common = dict(keep=1.0, backward=False)
    tasks = [dict(task="copy", updates=700), dict(task="numbers", updates=500)]
    coin = dict(task="short numbers", updates=500, H=32)
    runs = []
    for seed in SEEDS:
        runs += [common | task | {"H": H, "seed": seed} for task in tasks for H in SIZES[task["task"]]]
        runs += [common | tasks[0] | {"H": 64, "backward": True, "seed": seed}]
        runs += [common | coin | {"keep": keep, "seed": seed} for keep in (1.0, 0.5)]
    runs += [common | dict(task="sounds", updates=700, H=96, seed=0)]
    runs += [common | dict(task="dates", updates=1500, H=96, seed=0)]
    return [run | {"rate": 0.003 if run["H"] > 64 else 0.01} for run in runs]


def seq2seq_run(settings):
    """Train one model and test it on what it has not seen.

    Parameters
    ----------
    settings : dict with task, H, seed, updates, rate, keep (see ``seq2seq.by_coin``) and backward.

    Returns
    -------
    dict with losses; lengths, right, of: how many of how many test rows of each length of the source a free
    run gets right; exposure, the numbers of ``Exposure``; sound_errors where the task is "sounds".
    """
    draw, test, V_in, V_out = DATA[settings["task"]](settings["backward"])
    model = seq2seq.Seq2Seq(V_in, V_out, settings["H"], seed=settings["seed"])
    wanted = {name: settings[name] for name in ("updates", "rate", "keep", "seed")}
    losses = seq2seq.train(model, draw, **wanted)
    right = seq2seq.right_by_row(model, test)
    lengths = test.lengths.unique().tolist()
    seen = {
        "losses": rounded(torch.tensor(losses)),
        "lengths": lengths,
        "right": [int(right[test.lengths == length].sum()) for length in lengths],
        "of": [int((test.lengths == length).sum()) for length in lengths],
        "exposure": rounded(torch.tensor(exposure(model, test), dtype=torch.float64)),
    }
    if settings["task"] == "sounds":
        seen["sound_errors"] = float(f"{error_rate(model, test):.4g}")
    return seen


def error_rate(model, rows, longest=40):
    """Edits that turn what is said into what is wanted, a word wanted (for sounds: the phoneme error rate).

    Parameters
    ----------
    model : Seq2Seq. rows : Rows. longest : int, words after which a row is broken off.
    """
    edits = words = 0
    with torch.no_grad():
        for places in torch.arange(len(rows.lengths)).split(500):
            part = seq2seq.take(rows, places)
            h = seq2seq.final_state(model, part.source, part.lengths)
            said = seq2seq.free_run(model, h, longest)
            for one, other in zip(said.tolist(), part.target.tolist(), strict=True):
                wanted = [word for word in other if word > seq2seq.END]
                edits += edit_distance([word for word in one if word > seq2seq.END], wanted)
                words += len(wanted)
    return edits / words


def edit_distance(one, other):
    """The fewest words to put in, take out or exchange that make one list of the other.

    >>> edit_distance("kitten", "sitting")
    3

    Source: Levenshtein 1966; the table is filled row by row (Wagner and Fischer 1974).
    """
    row = list(range(len(other) + 1))
    for count, left in enumerate(one, start=1):
        above, row = row, [count]
        for place, right in enumerate(other):
            row.append(min(row[-1] + 1, above[place + 1] + 1, above[place] + (left != right)))
    return row[-1]


def copy_data(read_backward):
    """What a run of "copy" needs: draw, test rows of every length, and the two vocabularies' sizes."""

    def draw(generator):
        return turned(seq2seq.copies(64, 1, LONGEST, generator))

    def turned(rows):
        return seq2seq.backward(rows) if read_backward else rows

    return draw, turned(copy_tests()), 12, 12


def copy_tests(each=200):
    """Rows to copy of every length from 1 to ``BEYOND``, so many of each."""
    source = torch.arange(1, BEYOND + 1).repeat_interleave(each)
    rows = seq2seq.copies(len(source), BEYOND, BEYOND, torch.Generator().manual_seed(1000))
    steps = torch.arange(BEYOND)
    words = torch.where(steps < source[:, None], rows.source, 0)
    target = torch.cat([rows.target[:, :1], words, torch.zeros(len(source), 1, dtype=torch.int64)], dim=1)
    target[torch.arange(len(source)), source + 1] = seq2seq.END
    return seq2seq.Rows(words, source, target)


@functools.cache
def number_data(digits, count, read_backward=False):
    """Numbers in words, up to so many digits: draw, held-out rows, and the two vocabularies' sizes."""
    if digits <= 4:
        numbers = range(10**digits)
    else:
        numbers = pairs.random_numbers(count, digits, torch.Generator().manual_seed(12))
    return _data(pairs.number_pairs(numbers), read_backward)


def sound_data(read_backward=False):
    """Words and their sounds, without stress: draw, every sixth held-out word, vocabularies' sizes."""
    return _data(pairs.sound_pairs(), read_backward, every=6)


def date_data(read_backward=False):
    """Days of thirty years in four languages to their ISO form: draw, held-out rows, vocabularies' sizes."""
    drawn = torch.Generator().manual_seed(12)
    return _data(pairs.date_pairs(6000, drawn, cut=tokens, years=(2000, 2029)), read_backward)


def _data(found, read_backward, every=1):
    train, held_out = pairs.split_pairs(found)
    vocabularies = pairs.vocabularies(train)
    sides = [seq2seq.padded(*pairs.encode_pairs(side, *vocabularies)) for side in (train, held_out[::every])]
    if read_backward:
        sides = [seq2seq.backward(side) for side in sides]
    return seq2seq.draw_from(sides[0]), sides[1], *map(len, vocabularies)


DATA = {
    "copy": copy_data,
    "numbers": functools.partial(number_data, 5, 6000),
    "short numbers": functools.partial(number_data, 4, 10000),
    "sounds": sound_data,
    "dates": date_data,
}
