"""Byte pair encoding: pieces of words, between letters and words; by hand on words, by a library on texts.

Source: Sennrich, Haddow, Birch 2016, "Neural machine translation of rare words with subword units".
"""

from collections import Counter
from itertools import pairwise

from course_utils.tokens import BEGIN, END, MARKS

TWELVE_WORDS = (
    *("return", "returns", "returned", "returning"),
    *("compute", "computes", "computed", "computing"),
    *("given", "gives", "giving", "forgiven"),
)
"""Words on which lesson 11 learns merges by hand."""
SPECIAL = ("<pad>", "<unk>", *MARKS)
"""Pieces 0 to 3 of the library's encoding: pad, unknown letter, begin and end of a document."""


def learn_merges(words, count):
    """Join the most frequent pair of neighbours to one piece, again and again.

    Parameters
    ----------
    words : list of words; one that comes twice counts twice.
    count : int, the largest number of merges.

    Returns
    -------
    list of pairs of pieces, in the order in which they were joined. Of equally frequent pairs the one of
    older pieces wins; letters are as old as their place in the alphabet says.

    >>> learn_merges(["low", "lower", "slow"], count=2)
    [('l', 'o'), ('lo', 'w')]
    """
    spellings = {word: list(word) for word in words}
    frequency = Counter(words)
    age = {letter: turn for turn, letter in enumerate(sorted(set("".join(words))))}
    merges = []
    while len(merges) < count:
        pairs = Counter()
        for word, pieces in spellings.items():
            for pair in pairwise(pieces):
                pairs[pair] += frequency[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        age.setdefault(best[0] + best[1], len(age))
        spellings = {word: merge(pieces, best) for word, pieces in spellings.items()}
        merges.append(best)
    return merges


def merge(pieces, pair):
    """Join a pair wherever it stands in a list of pieces, from the left.

    >>> merge(["l", "o", "w", "l", "o"], ("l", "o"))
    ['lo', 'w', 'lo']
    """
    joined = []
    for piece in pieces:
        if joined and (joined[-1], piece) == pair:
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def apply_merges(word, merges):
    """The pieces of a word, also of one never seen: all merges, in the order in which they were learned.

    >>> apply_merges("slower", [("l", "o"), ("lo", "w")])
    ['s', 'low', 'e', 'r']
    """
    pieces = list(word)
    for pair in merges:
        pieces = merge(pieces, pair)
    return pieces


def train_bpe(texts, size):
    """An encoder of texts by at most ``size`` pieces, trained by the ``tokenizers`` library.

    Texts are put in lower case; a piece never reaches over a blank or a punctuation mark. The blank before a
    word is kept as the sign ▁, so that decoding gives the text again.

    Parameters
    ----------
    texts : list of texts, from the training side alone.
    size : int, pieces of the vocabulary with the four of ``SPECIAL``; fewer when no pairs are left.

    Returns
    -------
    tokenizers.Tokenizer, for ``encode_texts`` and ``decode_text``; ``get_vocab_size()`` is V.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    encoder = Tokenizer(models.BPE(unk_token=SPECIAL[1]))
    encoder.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    encoder.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()]
    )
    encoder.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(SPECIAL), show_progress=False)
    encoder.train_from_iterator(texts, trainer)
    return encoder


def encode_texts(encoder, texts):
    """Rows of numbers, each between the marks of begin (2) and end (3): list of lists of ints."""
    return [[BEGIN, *encoding.ids, END] for encoding in encoder.encode_batch(list(texts))]


def decode_text(encoder, row):
    """The text of a row of numbers, a list or a tensor, without special marks."""
    return encoder.decode([int(number) for number in row])
