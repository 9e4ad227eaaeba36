"""The instructor's guide: its ten commands print what it shows; no command or option in it is stale."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from grading import ROOT
from grading.cli import app

PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in ("docs/instructors.md", "README.md")}
WALK = re.search(r"^## From clone to marks.*?(?=^## )", PAGES["docs/instructors.md"], re.S | re.M)[0]
COPIED = ("course_utils", "docs", "data", "grading", "notebooks", "tools")
FILES = ("LICENSE", "environment.yml", "requirements.lock")
FAMILY_NAMES = ("Lind", "Okoye", "Demir", "Lopez", "Novak")
ELSEWHERE = {"--force", "--update", "--nthreads", "--help"}  # of nbgrader and Dask, and of every command


def blocks(text):
    """The fenced blocks of a page: [(language, text)]."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M)


def commands(text):
    """What a reader is to type, with what is shown below it: [(command, output)]."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)


SHOWN = [pair for language, text in blocks(WALK) if not language for pair in commands(text)]


@dataclass
class Course:
    """A copy of this course in which the guide's commands are typed."""

    folder: Path

    def __post_init__(self):
        own = re.findall(r"^grading/([\w.*-]+)", (ROOT / ".gitignore").read_text(encoding="utf-8"), re.M)
        left_out = shutil.ignore_patterns("__pycache__", *own)
        for name in COPIED:
            shutil.copytree(ROOT / name, self.folder / name, ignore=left_out)
        for name in FILES:
            shutil.copy(ROOT / name, self.folder)
        (self.folder / "bin").mkdir()
        for name, what in {"course": " -m grading.cli", "python": ""}.items():
            typed = self.folder / "bin" / name
            typed.write_text(f'#!/bin/sh\nexec "{sys.executable}"{what} "$@"\n', encoding="utf-8")
            typed.chmod(0o755)

    def type(self, command):
        """Run a command line; returns its exit code and what it prints."""
        there = {"PYTHONPATH": str(self.folder), "PYTHONUNBUFFERED": "1", "COLUMNS": "80", "TZ": "UTC"}
        path = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=os.environ | there | path,
            umask=0o022,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def walk(self):
        """Do all that the section says, in order; returns {command: (exit code, output)}."""
        told = {}
        for language, text in blocks(WALK):
            if language == "toml":
                (self.folder / "grading/deadlines.toml").write_text(text, encoding="utf-8")
            told |= {command: self.type(command) for command, _ in commands(text)}
        return told


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return Course(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="module")
def told(course):
    return course.walk()


def normal(text, folder=ROOT):
    """Output without what differs from run to run and from machine to machine."""
    text = text.replace(f"{folder}/", "")
    text = re.sub(r"(cases:|--seed) \d+", r"\1 SEED", text)
    text = re.sub(r"\d+\.\d+\.\d+", "VERSION", text)
    text = re.sub(r"Isolation: (bubblewrap VERSION|none)\.", "Isolation: HOW.", text)
    return re.sub(r" +$", "", text, flags=re.M)


def matches(shown, printed):
    """Whether a line ``...`` stands for any lines, and all others are as printed."""
    parts = re.split(r"^\.\.\.\n", shown, flags=re.M)
    return re.fullmatch(".*".join(map(re.escape, parts)), printed, re.S)


def test_the_walk_has_ten_steps_each_with_a_course_command():
    numbers = re.findall(r"^\*\*(\d+)\. ", WALK, re.M)
    assert numbers == [str(number) for number in range(1, 11)]
    assert sum(command.startswith("course ") for command, _ in SHOWN) == 10


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_the_guide_shows(command, shown, told, course):
    code, printed = told[command]
    shown, printed = normal(shown), normal(printed, course.folder)
    assert matches(shown, printed), f"{printed}\ninstead of\n{shown}"
    assert code == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_page_on_likeness_names_the_two_of_the_guide(told, course):
    assert told
    page = (course.folder / "grading/reports/ex02-similar.html").read_text(encoding="utf-8")
    assert re.findall(r'href="#pair-\d+">([^<]*)<', page) == ["ada, cem"]


def test_a_changed_line_is_no_match():
    assert matches("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not matches("a\n...\nd\n", "a\nb\nc\ne\n")
    assert not matches("a\nd\n", "a\nb\nd\n")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_names_of_students_are_in_no_log_and_no_outcome(told, course):
    printed = "".join(text for command, (_, text) in told.items() if not command.startswith("cat "))
    kept = [path for name in ("outcomes", "autograded", "reports") for path in files(course, name)]
    kept += course.folder.rglob("*.log")
    assert len(kept) > 10
    texts = [printed, *(path.read_text(encoding="utf-8") for path in kept)]
    assert [name for name in FAMILY_NAMES if any(name in text for text in texts)] == []


def files(course, name):
    return [path for path in (course.folder / "grading" / name).rglob("*") if path.is_file()]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_about_students_can_be_read_by_its_owner_only(told, course):
    assert told
    names = ("submitted", "outcomes", "autograded", "reports", "feedback")
    found = [path for name in names for path in files(course, name)]
    found += [*(course.folder / "grading").glob("gradebook*.db"), course.folder / "for_canvas.csv"]
    assert len(found) > 20
    assert [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def spans(text):
    """All code inside lines of a page, each in one line."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", outside)]


def lines(text):
    """The commands in the fenced blocks of a page, as they are typed."""
    typed = re.compile(r"^(?:\$ |.*/)?(course .*)", re.M)
    return [line for _, block in blocks(text) for line in typed.findall(block)]


TYPER = typer.main.get_command(app)
NAMED = sorted(
    {span for text in PAGES.values() for span in spans(text) + lines(text) if span.startswith("course ")}
)


def options(command):
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("named", NAMED)
def test_every_command_that_is_named_exists_with_its_options(named):
    _, name, *words = shlex.split(named, comments=True)
    assert name in TYPER.commands
    assert {word for word in words if word.startswith("--")} <= options(TYPER.commands[name])


TYPED = sorted({line.partition(" >")[0] for text in PAGES.values() for line in lines(text)})


@pytest.mark.parametrize("typed", TYPED)
def test_every_command_that_is_shown_whole_can_be_read(typed):
    _, name, *words = shlex.split(typed, comments=True)
    TYPER.commands[name].make_context(name, words)


@pytest.mark.parametrize("page", PAGES)
def test_every_option_that_is_named_alone_is_one_of_a_command(page):
    known = set().union(*map(options, TYPER.commands.values())) | ELSEWHERE
    named = {span.split()[0] for span in spans(PAGES[page]) if span.startswith("--")}
    assert named - known == set()
