"""Collecting the submissions of a class from an LMS: the newest attempt counts, the others are kept."""

import os
import tarfile
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

from grading.archives import LARGEST_MEMBER, BadArchive, Member, is_archive, is_side_file, members, shown
from grading.attempts import Attempt, is_current, place, read_stamp, to_utc
from grading.bank import load_bank
from grading.candidates import (
    NOTEBOOK,
    Candidate,
    answers_in,
    copy_number,
    is_folder_of,
    names,
    names_another,
)
from grading.collected import remember
from grading.decoding import CHECKPOINTS, Unreadable
from grading.errors import UserError
from grading.files import private
from grading.lms import Origin, clean, layout, origin
from grading.people import names_in_gradebook, names_in_lms, read_people
from grading.submissions import STAMP
from grading.tables import read_table


@dataclass
class Collected:
    """What came of a collection, for people: students, attempts kept beside, files set aside and why."""

    students: list[str] = field(default_factory=list)
    kept: int = 0
    late: int = 0
    aside: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    lms: str = ""
    origins: dict[str, dict] = field(default_factory=dict)  # as ``grading.collected`` keeps them


@dataclass
class _File:
    """A file of the class with what its name says."""

    member: Member
    origin: Origin

    @property
    def name(self):
        return PurePosixPath(self.origin.file).name


def collect(source, exercise, to, names_file=None):
    """Sort what an LMS exports for a class into STUDENT/EXERCISE/EXERCISE.ipynb below a folder.

    Collecting the same twice is the same as once. Nothing that was handed in is lost: the newest attempt of
    a student is the one that is graded, older ones lie below STUDENT/EXERCISE/attempts.

    Parameters
    ----------
    source : a zip or tar, or the folder that was unpacked from one.
    to : the folder of submissions.
    names_file : a CSV file with the columns ``lms`` (a name or number there) and ``student``, or a class
        list; without one, the list in the gradebook beside that folder counts, if there is one.

    Returns
    -------
    Collected

    Raises
    ------
    UserError : when nothing can be collected at all.
    """
    load_bank(exercise)  # refuses an unknown exercise
    known = _read_names(names_file) if names_file else names_in_gradebook(Path(to).parent)
    result = Collected()
    files = _files(Path(source), exercise, result)
    with private():
        for student, own in sorted(_by_student(files, known, result).items()):
            _collect_one(student, own, exercise, Path(to) / student / exercise, result)
        remember(to, exercise, result.origins)
    result.aside, result.told = [shown(line) for line in result.aside], [shown(line) for line in result.told]
    if not result.students and not result.aside:
        raise UserError(f"{source} holds no submissions of {exercise}; is it the right file?")
    return result


def _files(source, exercise, result):
    """The files of the class that may belong to the exercise; sets aside what is nobody's."""
    found = []
    entries = _without_wrapper(_entries(source), exercise, result)
    stamps = {PurePosixPath(e.name).parent: e for e in entries if PurePosixPath(e.name).name == STAMP}
    entries = [entry for entry in entries if _may_count(PurePosixPath(entry.name), exercise)]
    lms = result.lms = layout([entry.name for entry in entries if not entry.refused], exercise)
    for entry in entries:
        told = origin(entry.name, exercise, lms)
        if entry.refused:
            result.aside.append(f"{entry.name}: {entry.refused}")
        elif told is None:
            result.aside.append(f"{entry.name}: its name does not say whose it is")
        elif told.file and not names_another(told.file, exercise):
            if not lms:  # in a platform's download such a file is the student's
                told.time = _stated(entry, stamps)
            found.append(_File(entry, told))
    return found


def _may_count(path, exercise):
    """Whether a file may be one that was handed in for the exercise."""
    hidden = path.name == STAMP or path.name.startswith(".")
    return not hidden and not any(names_another(part, exercise) for part in path.parts[:-1])


def _entries(source):
    """The files of an archive or a folder, without those that operating systems add."""
    if source.is_dir():
        return list(_entries_of_folder(source))
    if not source.is_file():
        raise UserError(
            f"there is no {source}; give the zip that the LMS made, or the folder unpacked from it"
        )
    if zipfile.is_zipfile(source):
        return members(f"{source.stem}.zip", source)
    if tarfile.is_tarfile(source):
        return members(source.name, source)
    raise UserError(f"{source} is neither a folder nor a zip or tar; unpack it and give the folder")


def _entries_of_folder(source):
    for folder, _, names_here in os.walk(source):
        for name in sorted(names_here):
            path = Path(folder, name)
            if not is_side_file(name):
                refused = "" if path.is_file() and not path.is_symlink() else "it is a link"
                time = None if refused else datetime.fromtimestamp(path.stat().st_mtime)
                yield Member(path.relative_to(source).as_posix(), time, partial(_read, path), refused)


def _read(path):
    if path.stat().st_size > LARGEST_MEMBER:
        raise BadArchive(f"{path.name} has more than {LARGEST_MEMBER // 10**6} MB")
    return path.read_bytes()


def _without_wrapper(entries, exercise, result):
    """Without a folder that holds the whole class; says so, because a student's could look like it."""
    paths = [PurePosixPath(entry.name).parts for entry in entries if not entry.refused]
    top = paths[0][0] if paths else ""
    inner = ["/".join(parts[1:]) for parts in paths]
    if any(parts[0] != top or len(parts) == 1 for parts in paths) or layout([top + "/x"], exercise):
        return entries
    below = {parts[1] for parts in paths if len(parts) > 2}
    of_exercises = any(_is_of_an_exercise(name, exercise) for name in {top} | below)
    if paths and not of_exercises and (len(below) > 1 or layout(inner, exercise)):
        result.told.append(
            f"{top} was taken for a folder around the class; if it is a student's, collect {exercise}/{top}"
        )
        for entry in entries:
            entry.name = entry.name if entry.refused else entry.name.partition("/")[2]
    return entries


def _is_of_an_exercise(name, exercise):
    return is_folder_of(name, exercise) or names_another(name, exercise)


def _stated(entry, stamps):
    """The time in nbgrader's file beside a notebook or above it, the outermost one; None without one."""
    places = [place for place in PurePosixPath(entry.name).parents if place in stamps and place.parts]
    time = read_stamp(stamps[places[-1]].read().decode("utf-8", "replace")) if places else None
    return time and time.replace(tzinfo=UTC)


def _read_names(path):
    """The names that students have in the LMS: {lms: student}, in lower case; also from a class list."""
    try:
        table = read_table(path)
        if table.find("lms") is None or table.find("student") is None:
            return names_in_lms(read_people(path)[0])
    except UserError as error:
        raise UserError(f"{error} (--names takes a class list, or the columns lms,student)") from None
    rows = [(table.get(row, "lms"), table.get(row, "student")) for row in table.rows]
    return {lms.casefold(): clean(student) for lms, student in rows if lms}


def _by_student(files, known, result):
    """The files of each student: {id: files}; two people of the same id get their number or are told."""
    people = {}
    for file in files:
        people.setdefault((file.origin.name, file.origin.number), []).append(file)
    found, taken = {}, Counter(own[0].origin.student.casefold() for own in people.values())
    unknown = {}
    called = Counter(name.casefold() for name, number in people if number.casefold() not in known)
    for (name, number), own in people.items():
        if called[name.casefold()] > 1 and name.casefold() in known and number.casefold() not in known:
            told = f"several people are called {name}; say with --names who {number} is"
            result.aside += [f"{file.member.name}: {told}" for file in own]
            continue
        made = own[0].origin.student
        student = next((known[k.casefold()] for k in (number, name, made) if k.casefold() in known), None)
        if student:
            found.setdefault(student, []).extend(own)
        else:
            unknown[name, number] = own
    for (name, number), own in unknown.items():
        student = made = own[0].origin.student
        if known:
            result.told.append(
                f"{name} {number}".strip() + f" is not in the list of names; collected as {made}"
            )
        if taken[made.casefold()] > 1 and number:
            student = f"{made}_{number}"
            result.told.append(f"several students are called {name}; one was collected as {student}")
        if any(student.casefold() == one.casefold() for one in found):
            result.aside += [f"{file.member.name}: another student is called {student} too" for file in own]
        else:
            found[student] = own
    return found


def _collect_one(student, own, exercise, folder, result):
    """Put the files of one student into place."""
    chosen, is_notebook = _relevant(own, exercise)
    chosen, attempts, read = sorted(chosen, key=lambda file: _order(file, exercise)), [], []
    for file in chosen:
        name = f"{exercise}.ipynb" if NOTEBOOK.search(file.name) else clean(file.name) or "file"
        try:
            attempts.append(Attempt(name, file.member.read(), to_utc(file.origin.time or file.member.time)))
            read.append(file)
        except (BadArchive, Unreadable) as error:
            result.aside.append(f"{file.member.name}: {error}")
    if not attempts:
        return
    if not is_notebook:
        listed = ", ".join(sorted({attempt.name for attempt in attempts})[:3])
        result.aside.append(f"{student}: there is no notebook, only {listed}")
    result.kept += place(folder, attempts)
    if result.lms and is_current(folder, attempts[-1]):
        result.origins[student] = _origin(read[-1], result.lms)
    result.students.append(student)
    result.late += chosen[-1].origin.late


def _origin(file, lms):
    return {"lms": lms, "path": file.member.name, "name": file.origin.name, "number": file.origin.number}


def _relevant(own, exercise):
    """The files of a student that may be the notebook, and whether there is one."""
    notebooks = [file for file in own if NOTEBOOK.search(file.name)]
    real = [file for file in notebooks if CHECKPOINTS not in PurePosixPath(file.member.name).parts]
    named = [file for file in real if names(file.name, exercise)]
    if named:
        return named, True
    ours = [file for file in real if answers_in(Candidate(file.name, file.member.read), exercise)]
    archives = [file for file in own if is_archive(file.name)]
    found = ours or real or archives or notebooks
    return found or own, bool(found)


def _order(file, exercise):
    """What makes one attempt newer than another."""
    stated = file.origin.time.timestamp() if file.origin.time else 0
    dated = file.member.time.timestamp() if file.member.time else 0
    exact = file.name == f"{exercise}.ipynb" and not file.origin.upload
    return stated, file.origin.upload, exact, copy_number(file.name, exercise), dated
