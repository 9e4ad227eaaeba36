"""The class list: whoever wrote it, the same students reach the gradebook, or none and a sentence."""

import stat

import pytest
from gradebooks import make_class
from typer.testing import CliRunner

from grading.cli import app
from grading.collect import collect
from grading.errors import UserError
from grading.people import import_people, match, read_people

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Exercise 2 (55),Final Score
,,,,,Manual Posting,
    Points Possible,,,,,20,(read only)
"Lee, Anna",12345,u1,anna@x.edu,A,,
"García López, José",777,u2,jose@x.edu,"A, B",,
"Student, Test",999,,,A,,
"""
MOODLE = """"First name","Last name","ID number","Email address"
Anna,Lee,,anna@x.edu
José,"García López",,jose@x.edu
"""
OWN = """lms_user_id;id;first_name;last_name;email
12345;anna@x.edu;Anna;Lee;anna@x.edu
777;jose@x.edu;José;García López;jose@x.edu
"""
LISTS = {
    "Canvas": CANVAS,
    "Canvas, names apart": CANVAS.replace("Student,ID", "LastName,FirstName,ID")
    .replace('"Lee, Anna"', "Lee,Anna")
    .replace('"García López, José"', "García López,José")
    .replace('"Student, Test"', "Student,Test")
    .replace("Possible,", "Possible,,")
    .replace(",,,,,Manual", ",,,,,,Manual"),
    "Moodle": MOODLE,
    "Moodle before 4.4": MOODLE.replace("Last name", "Surname"),
    "one's own": OWN,
}


@pytest.fixture
def listed(tmp_path):
    """Write a list; returns its path."""

    def write(text, encoding="utf-8"):
        (tmp_path / "list.csv").write_bytes(text.encode(encoding))
        return tmp_path / "list.csv"

    return write


@pytest.fixture
def classroom(tmp_path):
    return make_class(tmp_path / "class", {})


def students(classroom):
    with classroom.gradebook() as gradebook:
        return {one.id: (one.first_name, one.last_name, one.email) for one in gradebook.students}


TWO = {
    "anna@x.edu": ("Anna", "Lee", "anna@x.edu"),
    "jose@x.edu": ("José", "García López", "jose@x.edu"),
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_the_students_of_a_list_are_in_the_gradebook(classroom, listed, text):
    result = import_people(classroom, listed(text))
    assert (result.added, result.known) == (2, 0)
    assert students(classroom) == TWO


def test_the_account_in_canvas_is_kept(classroom, listed):
    import_people(classroom, listed(CANVAS))
    with classroom.gradebook() as gradebook:
        assert gradebook.find_student("anna@x.edu").lms_user_id == "12345"


def test_a_worksheet_of_moodle_is_a_list_too(classroom, listed):
    text = "Identifier,Full name,Email address,Status,Grade\nParticipant 7,Anna Lee,anna@x.edu,,\n"
    import_people(classroom, listed(text))
    assert students(classroom) == {"anna@x.edu": ("Anna", "Lee", "anna@x.edu")}


def test_taking_a_list_over_again_changes_and_doubles_nothing(classroom, listed):
    import_people(classroom, listed(CANVAS))
    again = import_people(classroom, listed(CANVAS))
    assert (again.added, again.known, again.told) == (0, 2, [])
    assert students(classroom) == TWO


@pytest.mark.parametrize("known", ["leeanna_12345", "Anna_Lee"])
def test_who_was_collected_before_keeps_that_id(tmp_path, listed, known):
    classroom = make_class(tmp_path / "class", {known: 18.0})
    result = import_people(classroom, listed(CANVAS))
    assert (result.added, result.known) == (1, 1)
    assert result.told == [f"anna@x.edu is in the gradebook as {known} and keeps that id"]
    assert students(classroom)[known] == TWO["anna@x.edu"]


def test_without_logins_the_id_is_the_one_that_collecting_makes(classroom, listed):
    import_people(classroom, listed('Student,ID,Section\n"O\'Lee, Anna",12345,A\n'))
    assert list(students(classroom)) == ["oleeanna_12345"]


def test_latin_1_is_told(classroom, listed):
    result = import_people(classroom, listed(MOODLE, "latin-1"))
    assert "was read as Latin-1" in result.told[0]
    assert students(classroom) == TWO


def test_what_folders_and_pages_cannot_take_is_changed_and_told(classroom, listed):
    result = import_people(classroom, listed("id,first_name\na/b,<b>Anna</b>\n"))
    assert students(classroom) == {"a_b": ("bAnna/b", None, None)}
    assert result.told[0] == "ids that no folder can have were changed: 1, e.g. to a_b"
    assert result.told[1] == "signs that nbgrader's pages cannot show were left out of the names of a_b"


REFUSED = {
    "the same id": ("id\nanna\nbo\nAnna\n", "lines 2 and 4 have the same id 'anna'; nothing was taken over"),
    "no id": ("id,email\n,a@x.edu\nbo,b@x.edu\n,\n", "line 2 has no"),
    "nobody": ("id\n", "lists no students"),
    "no column": ("Vorname,Nachname\nAnna,Lee\n", "has no column that names students"),
    "one person twice": (CANVAS + '"Lee, A.",12345,u3,a2@x.edu,A,,\n', "lists leeanna_12345 twice"),
}


@pytest.mark.parametrize(("text", "told"), REFUSED.values(), ids=REFUSED)
def test_a_list_with_a_doubtful_line_is_not_taken_over_at_all(tmp_path, listed, text, told):
    classroom = make_class(tmp_path / "class", {"leeanna_12345": 18.0})
    before = students(classroom)
    with pytest.raises(UserError, match=told):
        import_people(classroom, listed(text))
    assert students(classroom) == before


def test_many_doubtful_lines_are_counted(listed):
    with pytest.raises(UserError, match=r"line 6 has no id; and 2 more; nothing"):
        read_people(listed("id,email\n" + "".join(f",{n}\n" for n in range(2, 9))))


def test_a_key_of_two_students_tells_nothing():
    owners = {"a": {("name", "anna"), ("id", "a")}, "b": {("name", "anna")}}
    assert match(owners, [[("name", "anna")], [("name", "anna"), ("id", "a")]]) == [None, "a"]


def test_the_command_makes_a_gradebook_that_only_its_owner_reads(tmp_path, listed, monkeypatch):
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "tests")  # would start a program
    done = CliRunner().invoke(app, ["students", str(listed(CANVAS)), "--out", str(tmp_path / "new")])
    assert (done.exit_code, done.stdout) == (0, "students added: 2; known before and brought up to date: 0\n")
    assert stat.S_IMODE((tmp_path / "new/gradebook.db").stat().st_mode) == 0o600


# whoever is listed is collected under the id of the list ----------------------------------------------

FILES = {
    "Canvas": ("leeanna_12345_99_ex02.ipynb", CANVAS),
    "Moodle": ("Anna Lee_4711_assignsubmission_file_/ex02.ipynb", MOODLE),
}


@pytest.mark.parametrize(("path", "text"), FILES.values(), ids=FILES)
@pytest.mark.parametrize("how", ["gradebook", "--names"])
def test_a_class_is_collected_under_the_ids_of_its_list(classroom, listed, tmp_path, path, text, how):
    file = tmp_path / "download" / path
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    if how == "gradebook":
        import_people(classroom, listed(text))
    names = listed(text) if how == "--names" else None
    result = collect(
        file.parents[1] if "/" in path else file.parent, "ex02", classroom.folder / "submitted", names
    )
    assert (result.students, result.told) == (["anna@x.edu"], [])


def test_two_people_of_the_name_of_one_in_the_list_are_not_mixed(listed, tmp_path):
    for number in (1, 2):
        file = tmp_path / f"download/Anna Lee_{number}_assignsubmission_file_/ex02.ipynb"
        file.parent.mkdir(parents=True)
        file.write_text("{}")
    result = collect(tmp_path / "download", "ex02", tmp_path / "in", listed(MOODLE))
    assert result.students == []
    assert "several people are called Anna Lee; say with --names who 2 is" in sorted(result.aside)[1]
