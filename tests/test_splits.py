"""Near copies are found exactly, stay together, and a split does not depend on the order of the texts."""

import doctest
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils import splits
from course_utils.splits import groups, jaccard, most_alike, shingles, similar_pairs, split

LINES = [f"The {adjective} {noun} rests under the old stone bridge." for noun in ("heron", "otter", "toad")
         for adjective in ("grey", "small")]  # fmt: skip
OTHERS = [
    f"Row number {'x' * count} of the ledger was paid in {'y' * count} coins." for count in range(1, 60)
]


@given(
    st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=8), max_size=12),
    st.sampled_from([0.3, 0.5, 0.7, 1]),
)
def test_every_similar_pair_is_found_and_no_other(sets, least):
    places = combinations(range(len(sets)), 2)
    wanted = [(i, j) for i, j in places if jaccard(sets[i], sets[j]) >= least]
    assert sorted(similar_pairs(sets, least)) == wanted


@given(st.permutations(LINES + OTHERS[:8]))
def test_the_groups_of_texts_do_not_depend_on_their_order(texts):
    expected = dict(zip(LINES + OTHERS[:8], groups(LINES + OTHERS[:8]), strict=True))
    assert groups(texts) == [expected[text] for text in texts]


def test_texts_linked_through_others_are_one_group():
    words = [f"w{letter}" for letter in "abcdefghij"]
    chain = [
        " ".join(words[at : at + 6]) for at in range(4)
    ]  # neighbours share 3 of 5 shingles, the ends 1 of 7
    assert jaccard(shingles(chain[0]), shingles(chain[-1])) < 0.5
    assert len(set(groups(chain))) == 1


def test_numbers_and_punctuation_make_no_difference():
    assert shingles("Pad 2 rows, twice.") == shingles("pad 30 rows twice")


def test_a_text_shorter_than_a_shingle_is_one_shingle():
    assert shingles("Two words.") == {("two", "words")}


def test_a_split_holds_every_text_once_and_about_its_share():
    train, held_out = split(OTHERS, share=0.3)
    assert sorted(train + held_out) == list(range(len(OTHERS)))
    assert 8 <= len(held_out) <= 28


def test_a_text_keeps_its_side_when_others_come_or_go():
    held = {OTHERS[at] for at in split(OTHERS, share=0.3)[1]}
    some = OTHERS[::-2]
    assert {some[at] for at in split(some, share=0.3)[1]} == held & set(some)


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_a_smaller_share_is_part_of_a_larger_one(share):
    assert set(split(OTHERS, share)[1]) <= set(split(OTHERS, share + 0.2)[1])


def test_no_near_copy_is_on_the_other_side():
    copies = OTHERS + [text.replace("was", "were") for text in OTHERS]
    train, held_out = split(copies, share=0.3)
    similarity, _pair = most_alike([copies[at] for at in train], [copies[at] for at in held_out])
    assert held_out
    assert similarity < splits.ALIKE


def test_the_most_alike_pair_is_that_of_all_comparisons():
    train, held_out = LINES[:4] + OTHERS[:9], LINES[4:] + OTHERS[9:20]
    alike = [jaccard(shingles(one), shingles(other)) for one in train for other in held_out]
    assert most_alike(train, held_out)[0] == max(alike) > 0


def test_nothing_in_common_is_no_similarity():
    assert most_alike(["one two three"], ["four five six"]) == (0.0, None)


def test_examples_of_the_docstrings():
    result = doctest.testmod(splits)
    assert result.attempted
    assert result.failed == 0
