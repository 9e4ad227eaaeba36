"""The first part of the bank of exercise 11: batches of documents; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import torch

from course_utils.reference import ex11 as reference
from grading.bank import Bank, Case
from grading.exercises.ex11_numbers import EDGE

bank = Bank("ex11")

# make_lm_batch --------------------------------------------------------------------------------------

make_lm_batch = bank.function("make_lm_batch", reference.make_lm_batch)

TOKENS = 50  # marks and pads are above or below


def documents(rng, *lengths):
    """Documents of these lengths; no token comes twice in a row."""
    return [rng.permutation(TOKENS)[:length].tolist() for length in lengths]


def mixed(rng, most):
    """Two documents that fit, one that fills a row to its last target, and one that is cut by three."""
    lengths = [*rng.permutation(range(1, most - 1))[:2], most - 1, most + 3]
    return documents(rng, *rng.permutation(lengths))


@make_lm_batch.visible
def _():
    yield Case("the example by hand", [[5, 6], [7, 8, 9, 4]], 4, 2, 3, 0)
    yield Case("longer rows allowed", [[5, 6], [7, 8, 9, 4]], 10, 2, 3, 0)
    yield Case("an empty document, pads of -1", [[5, 6, 7], []], 3, 20, 21, -1)
    yield Case("other marks", [[5], [6, 7, 8], [9, 10, 11, 12]], 5, 0, 1, 99)
    yield Case("far longer than a row", [[5, 6, 7, 8, 9, 10, 11], [12, 13]], 4, 2, 3, 0)


@make_lm_batch.hidden
def _(rng):
    yield Case("long and short documents", mixed(rng, 5), 5, 51, 52, 50)
    yield Case("pads of -1", mixed(rng, 6), 6, 50, 51, -1)
    yield Case("pads of -100", mixed(rng, 7), 7, 61, 60, -100)
    short = documents(rng, *rng.permutation([2, 3, 5, 7]))
    yield Case("no document is cut", short, int(rng.integers(9, 13)), 51, 52, 50)
    yield Case("every document is cut", documents(rng, *rng.permutation([5, 6, 8])), 4, 51, 52, 53)
    yield Case("empty documents among others", documents(rng, 0, 3, 0, 6), 4, 55, 56, 57)
    yield Case("a single document", documents(rng, int(rng.integers(3, 7))), 8, 50, 51, 52, weight=EDGE)


def boxed(inputs, targets, pad, width=0):
    """Rows of inputs and of targets, padded behind, and how many targets each row has."""
    width = max(width, *map(len, inputs), *map(len, targets))
    both = [
        torch.tensor([row + [pad] * (width - len(row)) for row in rows], dtype=torch.int64)
        for rows in (inputs, targets)
    ]
    return *both, torch.tensor([len(row) for row in targets])


def from_rows(advice):
    """Register a wrong idea about the rows: ``idea(document, most, begin, end)`` -> inputs, targets."""

    def register(idea):
        def whole(documents, most, begin, end, pad):
            pairs = [idea(document, most, begin, end) for document in documents]
            return boxed(*map(list, zip(*pairs, strict=True)), pad)

        whole.__name__ = idea.__name__
        make_lm_batch.wrong(advice)(whole)
        return whole

    return register


@from_rows("Your rows have no mark of end; the model has to learn where a document is over.")
def no_end(document, most, begin, end):
    row = [begin, *document][: most + 1]
    return row[:-1], row[1:]


@from_rows("Your rows have no mark of begin; the first token of a document is a target, too.")
def no_begin(document, most, begin, end):
    row = [*document, end][: most + 1]
    return row[:-1], row[1:]


@from_rows("Your targets are the inputs themselves; the target of a step is the token that comes next.")
def not_shifted(document, most, begin, end):
    row = [begin, *document, end][:most]
    return row, row


@from_rows("Your targets are shifted twice; they are the very next tokens.")
def shifted_twice(document, most, begin, end):
    row = [begin, *document, end][: most + 1]
    return row[:-2], row[2:]


@from_rows("Your inputs and targets are exchanged; the model reads what came before its target.")
def shifted_backwards(document, most, begin, end):
    row = [begin, *document, end][: most + 1]
    return row[1:], row[:-1]


@from_rows("Your documents that are cut get a mark of end; they do not end there, so that target is false.")
def end_behind_the_cut(document, most, begin, end):
    row = [begin, *document[: most - 1], end]
    return row[:-1], row[1:]


@from_rows("Your rows are cut to one token too few; most counts targets, and the first token is none.")
def cut_by_tokens(document, most, begin, end):
    row = [begin, *document, end][:most]
    return row[:-1], row[1:]


@from_rows("Your documents are cut before the marks are added; the mark of end counts as a target, too.")
def cut_before_the_marks(document, most, begin, end):
    row = [begin, *document[:most], end]
    return row[:-1], row[1:]


@from_rows("Your long documents lose their beginning; keep the first targets and drop the rest.")
def last_part_kept(document, most, begin, end):
    row = [begin, *document, end]
    return row[:-1][-most:], row[1:][-most:]


@from_rows("Your rows are not cut at all; no row may have more targets than most.")
def never_cut(document, most, begin, end):
    row = [begin, *document, end]
    return row[:-1], row[1:]


@from_rows("Your long documents lose their mark of end alone; cut them to most targets.")
def end_alone_cut(document, most, begin, end):
    row = [begin, *document, end] if len(document) < most else [begin, *document]
    return row[:-1], row[1:]


@from_rows("Your model reads the mark of begin again where a target is; inputs are the row without its end.")
def begin_read_twice(document, most, begin, end):
    row = [begin, *document, end][: most + 1]
    return [begin, *row[:-2]], row[1:]


def padded_otherwise(advice):
    """Register a wrong idea about what is done with right rows: ``idea(rows, most, end, pad)``."""

    def register(idea):
        def whole(documents, most, begin, end, pad):
            return idea([[begin, *document, end][: most + 1] for document in documents], most, end, pad)

        whole.__name__ = idea.__name__
        make_lm_batch.wrong(advice)(whole)
        return whole

    return register


@padded_otherwise(
    "Your mark of end is read as an input; take the last token off each row before you pad, not after."
)
def end_is_read(rows, most, end, pad):
    whole = boxed(rows, rows, pad)[0]
    return whole[:, :-1], whole[:, 1:], torch.tensor([len(row) - 1 for row in rows])


@padded_otherwise("Your pads stand in front; put them behind the tokens of a row.")
def pads_in_front(rows, most, end, pad):
    inputs, targets, counts = boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad)
    width = inputs.shape[1]
    for line, other, count in zip(inputs, targets, counts.tolist(), strict=True):
        line.copy_(line.roll(width - count))
        other.copy_(other.roll(width - count))
    return inputs, targets, counts


@padded_otherwise("Your rows are padded with marks of end; use the pad, which no loss counts.")
def padded_with_ends(rows, most, end, pad):
    return boxed([row[:-1] for row in rows], [row[1:] for row in rows], end)


@padded_otherwise("Your pads are always 0; use the number that is given, 0 may be a token.")
def pads_always_zero(rows, most, end, pad):
    return boxed([row[:-1] for row in rows], [row[1:] for row in rows], 0)


@padded_otherwise("Your batch is always as wide as most; it needs no more room than its longest row.")
def always_full_width(rows, most, end, pad):
    return boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad, width=most)


@padded_otherwise("Your counts are those of all tokens of a row; its first token is no target.")
def counts_of_tokens(rows, most, end, pad):
    inputs, targets, counts = boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad)
    return inputs, targets, counts + 1


@padded_otherwise("Your counts leave the marks out; the mark of end is a target like any other.")
def counts_without_the_end(rows, most, end, pad):
    inputs, targets, counts = boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad)
    return inputs, targets, counts - (targets == end).sum(dim=1)


@make_lm_batch.wrong("Your counts are those before the cut; count the targets that are left.")
def counts_before_the_cut(documents, most, begin, end, pad):
    inputs, targets, _ = reference.make_lm_batch(documents, most, begin, end, pad)
    return inputs, targets, torch.tensor([len(document) + 1 for document in documents])


@make_lm_batch.wrong("Your counts are the lengths of the documents; count the targets of each row.")
def counts_of_the_documents(documents, most, begin, end, pad):
    inputs, targets, _ = reference.make_lm_batch(documents, most, begin, end, pad)
    return inputs, targets, torch.tensor([len(document) for document in documents])


@padded_otherwise("Your pads are counted; count the real targets of each row.")
def counts_with_pads(rows, most, end, pad):
    inputs, targets, counts = boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad)
    return inputs, targets, torch.full_like(counts, targets.shape[1])


@padded_otherwise("Your rows stand in the order of their lengths; keep the order of the documents.")
def sorted_by_length(rows, most, end, pad):
    rows = sorted(rows, key=len)
    return boxed([row[:-1] for row in rows], [row[1:] for row in rows], pad)


@make_lm_batch.variant
def plain_lists(documents, most, begin, end, pad):
    rows = [[begin, *document, end][: most + 1] for document in documents]
    longest = max(map(len, rows)) - 1
    inputs = [row[:-1] + [pad] * (longest - len(row) + 1) for row in rows]
    targets = [row[1:] + [pad] * (longest - len(row) + 1) for row in rows]
    return inputs, targets, [len(row) - 1 for row in rows]


@make_lm_batch.variant
def pad_sequence_of_torch(documents, most, begin, end, pad):
    rows = [torch.tensor([begin, *document, end])[: most + 1] for document in documents]
    stack = torch.nn.utils.rnn.pad_sequence
    inputs = stack([row[:-1] for row in rows], batch_first=True, padding_value=pad)
    targets = stack([row[1:] for row in rows], batch_first=True, padding_value=pad)
    return inputs, targets, torch.tensor([len(row) for row in rows]) - 1


@make_lm_batch.variant
def token_by_token(documents, most, begin, end, pad):
    counts = torch.tensor([min(len(document) + 1, most) for document in documents])
    shape = len(documents), max(counts.tolist())
    inputs, targets = torch.zeros(shape) + pad, torch.zeros(shape) + pad
    for n, document in enumerate(documents):
        before = begin
        for t in range(int(counts[n])):
            token = document[t] if t < len(document) else end
            inputs[n, t], targets[n, t], before = before, token, token
    return inputs, targets, counts
