"""The exchange of nbgrader with the lines of the guide: handed out, fetched, submitted, collected."""

import re
import stat
import sys
from types import ModuleType

import nbformat
import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from traitlets.config import Config

from grading import ROOT
from grading.attempts import read_stamp
from grading.exercise import released_notebook
from grading.export import CsvExport
from grading.submissions import find_submissions

ROOT_OF_THE_GUIDE = "/srv/nbgrader/exchange"


def snippets():
    """The pieces of configuration of the guide, in order: instructor, students, ngshare."""
    guide = (ROOT / "docs/instructors.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(# \S*nbgrader_config\.py.*?)```", guide, re.S)


def configured(snippet):
    """The configuration that nbgrader gets from a snippet."""
    config = Config()
    exec(snippet, {"get_config": lambda: config})
    return config


@pytest.fixture
def exchange(tmp_path):
    """Do a step of nbgrader's exchange as the instructor or as a student, who share it."""
    texts = [text.replace(ROOT_OF_THE_GUIDE, str(tmp_path / "x")) for text in snippets()]
    configs = {"instructor": configured(texts[0]), "student": configured(texts[1])}
    configs["instructor"].CourseDirectory.root = str(tmp_path / "course")
    configs["student"].CourseDirectory.student_id = "anna"
    configs["student"].Exchange.assignment_dir = str(tmp_path / "home")
    configs["student"].Exchange.cache = str(tmp_path / "cache")
    (tmp_path / "home").mkdir()
    (tmp_path / "course/release/ex02").mkdir(parents=True)
    nbformat.write(released_notebook("ex02"), tmp_path / "course/release/ex02/ex02.ipynb")

    def do(who, step):
        config = configs[who]
        config.CourseDirectory.assignment_id = "ex02"
        about = {"coursedir": CourseDirectory(config=config), "authenticator": Authenticator(config=config)}
        getattr(ExchangeFactory(config=config), step)(**about, config=config).start()

    return do


def test_an_exercise_goes_through_the_exchange_and_back(exchange, tmp_path, monkeypatch):
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "tests")  # would start a program
    exchange("instructor", "release_assignment")
    exchange("student", "fetch_assignment")
    fetched = tmp_path / "home/ex02/ex02.ipynb"
    assert nbformat.read(fetched, 4) == released_notebook("ex02")
    exchange("student", "submit")
    exchange("instructor", "collect")
    (found,) = find_submissions(tmp_path / "course/submitted", "ex02")
    assert (found.student, found.problem, found.repairs) == ("anna", "", [])
    assert found.read() == fetched.read_bytes()
    assert read_stamp(found.timestamp.read_text()) is not None


def test_nobody_else_can_list_what_lies_in_the_exchange(exchange, tmp_path):
    exchange("instructor", "release_assignment")
    inbound = tmp_path / "x/rnn-course/inbound"
    assert stat.S_IMODE(inbound.stat().st_mode) & 0o044 == 0


def test_the_lines_for_ngshare_replace_the_exchange_and_nothing_else(monkeypatch):
    """A stand-in for the package, which the course does not install: it notes what it is asked for."""
    asked = ModuleType("ngshare_exchange")

    def configure_exchange(config, url):
        asked.url = url
        config.ExchangeFactory.collect = ExchangeFactory.collect.default_value

    asked.configureExchange = configure_exchange
    monkeypatch.setitem(sys.modules, "ngshare_exchange", asked)
    config = configured(snippets()[2])
    assert asked.url.endswith(":8080/services/ngshare")
    assert config.CourseDirectory.course_id == "rnn-course"
    assert config.ExportApp.plugin_class is CsvExport
