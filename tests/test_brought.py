"""Files that a reader brings: read as they are known, and one clear sentence where they are not."""

import pytest

from course_utils.brought import News, ag_news, jokes, tatoeba

NEWS = (
    '"3","Ferry firm grows","It bought two ships, and ""a third"" waits."\n"2","Rowers win","By a length."\n'
)
JOKES = 'ID,Joke\n1,"Why did the loop stop? It had no ""next""."\n2,Two pads walk into a row.\n'
FRENCH = "Go on.\tContinue.\tCC-BY 2.0 (somebody)\nGo on.\tContinuez.\tCC-BY 2.0 (somebody)\n"


@pytest.fixture
def brought(tmp_path):
    def write(text, name="file.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_news_have_labels_from_zero_and_one_text(brought):
    first = News(2, 'Ferry firm grows It bought two ships, and "a third" waits.')
    assert ag_news(brought(NEWS)) == [first, News(1, "Rowers win By a length.")]


def test_a_line_of_names_before_the_news_is_skipped(brought):
    assert ag_news(brought("Class Index,Title,Description\n" + NEWS)) == ag_news(brought(NEWS, "other.csv"))


def test_jokes_are_the_column_of_that_name(brought):
    assert jokes(brought(JOKES)) == ['Why did the loop stop? It had no "next".', "Two pads walk into a row."]
    assert jokes(brought("Joke,Stars,ID\nA short one.,5,1\n")) == ["A short one."]


def test_a_joke_over_two_lines_is_one_joke(brought):
    assert jokes(brought('ID,Joke\n1,"Knock.\nWho?"\n')) == ["Knock. Who?"]


def test_sentence_pairs_with_and_without_a_licence(brought):
    with_licence = tatoeba(brought(FRENCH, "fra.txt"))
    assert with_licence[0] == (["go", "on", "."], ["continue", "."], "go on .")
    assert tatoeba(brought("Go on.\tContinue.\n")) == with_licence[:1]


def test_a_quotation_mark_in_a_sentence_pair_is_a_character_like_any_other(brought):
    (pair,) = tatoeba(brought('"Go on.\tContinue.\n'), cut=list)
    assert pair.source[0] == '"'


def test_translations_of_one_sentence_have_one_key(brought):
    assert len({pair.key for pair in tatoeba(brought(FRENCH))}) == 1


@pytest.mark.parametrize(("read", "text"), [(ag_news, NEWS), (jokes, JOKES), (tatoeba, FRENCH)])
@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_a_byte_order_mark_and_other_line_ends_change_nothing(brought, read, text, change):
    assert read(brought(change(text))) == read(brought(text, "plain.csv"))


def test_another_encoding_can_be_named(brought):
    path = brought("Café.\tCafé.\n", encoding="latin-1")
    assert tatoeba(path, encoding="latin-1")[0].source == ["café", "."]


@pytest.mark.parametrize("read", [ag_news, jokes, tatoeba])
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "file.csv is empty"),
        (" \n\n", "file.csv is empty"),
        ("T\xe9a,milk\n", "file.csv is not in utf-8-sig .*encoding='latin-1'"),
        ("just,a,few,columns,too,many\n", r"file.csv, line 1: . columns, .*; expected "),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(brought, read, text, sentence):
    with pytest.raises(ValueError, match=sentence) as raised:
        read(brought(text, encoding="latin-1"))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (ag_news, NEWS.replace('","', '";"').replace('"', ""), "is the file separated by semicolons"),
        (ag_news, NEWS.replace('","', '";"'), "line 1: .*is the file not separated by commas"),
        (ag_news, NEWS + "World,Title,Text\n", "line 3: class 'World'; expected a number from 1 to 4"),
        (ag_news, NEWS + "7,Title,Text\n", "line 3: class '7'"),
        (ag_news, NEWS + '1,Title,"Text\n', "line 3: unexpected end of data; is a quote not closed"),
        (jokes, JOKES.replace(",", "\t"), "expected ID and Joke.*is the file separated by tabs"),
        (jokes, JOKES.replace("Joke", "Text"), r"2 columns, \['ID', 'Text'\]; expected ID and Joke"),
        (jokes, JOKES + "3,One, two and three.\n", "line 4: 3 columns.*expected 2, one for each name"),
        (tatoeba, FRENCH.replace("\t", ","), "expected 2 or 3 .*is the file separated by commas"),
        (tatoeba, FRENCH + "Go.\t\n", "line 3: 2 columns"),
    ],
)
def test_a_wrong_column_or_separator_is_named_with_its_line(brought, read, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(brought(text))


@pytest.mark.parametrize("read", [ag_news, jokes, tatoeba])
def test_a_missing_file_and_a_folder_are_said_to_be_so(read, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*missing"):
        read(tmp_path / "missing.csv")
    with pytest.raises(ValueError, match="is a folder"):
        read(tmp_path)
