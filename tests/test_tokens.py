"""Words, their numbers, padded batches, and pieces of words."""

import doctest
from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_utils import batching, bpe, tokens
from course_utils.batching import batches, pad, places_by_length
from course_utils.bpe import TWELVE_WORDS, apply_merges, decode_text, encode_texts, learn_merges, train_bpe
from course_utils.tokens import Vocabulary

TEXTS = [
    "The ferry leaves at noon, and the ferry is never late.",
    "At noon the bells ring; nobody hears them (it's the wind).",
    "A late wind, a later ferry: waiting isn't hard at noon.",
]


def test_words_keep_apostrophes_and_marks_stand_alone():
    assert tokens.tokens("It's 2-D, isn't it?") == ["it's", "2", "-", "d", ",", "isn't", "it", "?"]


def test_numbers_of_words_begin_at_two_and_fall_with_frequency():
    vocabulary = Vocabulary([["b", "a", "b"], ["c", "a", "b", "d"]])
    assert vocabulary.words == ["<pad>", "<unk>", "b", "a", "c", "d"]


def test_rare_words_are_unknown_and_marks_that_are_asked_for_come_first():
    vocabulary = Vocabulary([["b", "a", "b"]], at_least=2, first=["<bos>", "<eos>"])
    assert vocabulary.encode(["<eos>", "b", "a"]) == [3, 4, tokens.UNKNOWN]
    assert len(vocabulary) == 5


@given(st.lists(st.text("abc", min_size=1), min_size=1))
def test_decoding_gives_known_words_again_without_pads(words):
    vocabulary = Vocabulary([words])
    assert vocabulary.decode([*vocabulary.encode(words), 0, 0]) == words


def test_the_order_of_the_rows_does_not_change_the_vocabulary():
    rows = [tokens.tokens(text) for text in TEXTS]
    assert Vocabulary(rows).words == Vocabulary(rows[::-1]).words


def test_pads_stand_behind_the_rows():
    ids, lengths = pad([[4], [7, 8, 9], [5, 6]], value=-1)
    assert ids.tolist() == [[4, -1, -1], [7, 8, 9], [5, 6, -1]]
    assert lengths.tolist() == [1, 3, 2]


def test_no_rows_are_no_batch():
    with pytest.raises(ValueError, match="no rows"):
        pad([])
    assert list(batches([], 3)) == []


@given(st.lists(st.integers(1, 9)), st.integers(1, 5), st.one_of(st.none(), st.integers(0, 99)))
def test_every_row_is_in_one_batch_and_lengths_do_not_overlap(lengths, size, seed):
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    parts = [batch.tolist() for batch in places_by_length(lengths, size, generator)]
    assert sorted(place for part in parts for place in part) == list(range(len(lengths)))
    spans = sorted((min(lengths[at] for at in part), max(lengths[at] for at in part)) for part in parts)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_batch_holds_its_rows_and_says_where_they_come_from():
    rows = [[place] * (1 + place % 4) for place in range(2, 13)]
    for batch in batches(rows, 3, torch.Generator().manual_seed(1)):
        again = [ids[:length].tolist() for ids, length in zip(batch.ids, batch.lengths, strict=True)]
        assert again == [rows[place] for place in batch.places]


def test_a_generator_repeats_its_batches_and_its_next_pass_is_another():
    lengths, generator = [1, 2, 2, 2, 3, 3, 3, 4] * 5, torch.Generator().manual_seed(5)
    first, second = (torch.cat(places_by_length(lengths, 4, generator)).tolist() for _ in range(2))
    again = torch.cat(places_by_length(lengths, 4, torch.Generator().manual_seed(5))).tolist()
    assert first == again != second


def merges_of_the_library(words, count):
    """The pairs that the ``tokenizers`` library joins on words, with nothing but letters at the start."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    encoder = Tokenizer(models.BPE())
    encoder.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    size = len(set("".join(words))) + count
    encoder.train_from_iterator([" ".join(words)], trainers.BpeTrainer(vocab_size=size, show_progress=False))
    return [tuple(pair) for pair in json.loads(encoder.to_str())["model"]["merges"]], encoder


@pytest.mark.parametrize("count", [1, 7, 20, 40])
def test_merges_by_hand_are_those_of_the_library_on_the_twelve_words(count):
    assert len(TWELVE_WORDS) == 12
    assert learn_merges(TWELVE_WORDS, count) == merges_of_the_library(TWELVE_WORDS, count)[0]


def test_merges_by_hand_are_those_of_the_library_on_sentences_and_cut_new_words_alike():
    words = [word for text in TEXTS for word in tokens.tokens(text)]
    merges, encoder = merges_of_the_library(words, 30)
    assert learn_merges(words, 30) == merges
    for word in ("ferrying", "later", "noon", "ringing"):
        assert apply_merges(word, merges) == encoder.encode(word).tokens


def test_the_first_merge_is_the_most_frequent_pair():
    pairs = Counter(pair for word in TWELVE_WORDS for pair in pairwise(word))
    assert pairs[learn_merges(TWELVE_WORDS, 1)[0]] == max(pairs.values())


@given(st.text("abr", min_size=1, max_size=9))
def test_pieces_put_together_are_the_word(word):
    assert "".join(apply_merges(word, learn_merges(["abra", "barb", "rab"], 5))) == word


def test_merging_ends_when_every_word_is_one_piece():
    assert learn_merges(["ab", "c"], 10) == [("a", "b")]


@pytest.fixture(scope="module")
def encoder():
    return train_bpe(TEXTS, 60)


def test_a_row_stands_between_begin_and_end_and_decodes_to_its_text(encoder):
    rows = encode_texts(encoder, TEXTS)
    assert [(row[0], row[-1]) for row in rows] == [(2, 3)] * 3
    assert [decode_text(encoder, torch.tensor(row)) for row in rows] == [text.lower() for text in TEXTS]


def test_the_special_pieces_come_first_and_an_unknown_letter_is_one(encoder):
    assert [encoder.id_to_token(number) for number in range(4)] == ["<pad>", "<unk>", "<bos>", "<eos>"]
    assert encoder.get_vocab_size() == 60
    assert encode_texts(encoder, ["\N{SNOWMAN}"])[0][-2] == tokens.UNKNOWN


def test_training_twice_gives_the_same_pieces(encoder):
    assert train_bpe(TEXTS, 60).get_vocab() == encoder.get_vocab()


def test_no_piece_reaches_over_a_blank_or_a_mark():
    pieces = train_bpe(TEXTS * 3, 300).get_vocab()
    wide = [
        piece for piece in pieces if "\u2581" in piece[1:] or (len(piece) > 2 and set(piece) & set(",.;()'"))
    ]
    assert wide == list(bpe.SPECIAL[:0])


@pytest.mark.parametrize("module", [tokens, batching, bpe], ids=lambda module: module.__name__)
def test_examples_of_the_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert result.failed == 0
