"""``course book``: lessons, exercises and guides as a static site, with the outputs that are stored."""

import base64
import re
import shutil
import tempfile
from pathlib import Path

import nbformat
from sphinx.cmd.build import build_main

from grading import ROOT
from grading.build import targets, to_text
from grading.claims_page import claims_page
from grading.errors import UserError
from grading.exercise import released_notebook
from grading.files import write_bytes, write_text
from grading.release import guard, without_outputs

BOOK = ROOT / "docs/book"
PAGES = {  # a file of the repository: its page
    "docs/conventions.md": "conventions.md",
    "docs/instructors.md": "instructors.md",
    "docs/security.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "data/README.md": "data.md",
}
MAP = "LESSON MAP\n"
TOP = re.compile(r"# ([^\n]+)\n\n\*\*([^\n]+)\*\*\n.*?^(\d+) minutes", re.M | re.S)
WIDGET = "application/vnd.jupyter.widget-view+json"
EMBEDDED = re.compile(r'src="data:(?:image|audio)/(png|wav);base64,([^"]+)"')
STILL = '<p class="still">A picture of what JupyterLab shows with sliders.</p>'


def build(folder):
    """Build the book.

    Parameters
    ----------
    folder : where the site goes; one that lies there is replaced.

    Returns
    -------
    Path of its first page.

    Raises
    ------
    UserError : when Sphinx warns of anything, or ``folder`` holds something else.
    Leak : when a solution would be in it; then nothing is written.
    """
    folder = Path(folder).resolve()
    empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not empty and not (folder / "searchindex.js").exists():
        raise UserError(f"{folder} holds something else than a book; choose another folder with --out")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".book-") as scratch:
        source, site = Path(scratch) / "source", Path(scratch) / "site"
        write_sources(source)
        run_sphinx(source, site)
        guard(site, *_names(exercises=True))
        if folder.exists():
            folder.rename(Path(scratch) / "before")
        site.rename(folder)
    return folder / "index.html"


def _names(exercises):
    return [target.name for target in targets() if target.is_exercise == exercises]


def run_sphinx(source, site):
    """Turn the pages of a folder into a site.

    Raises
    ------
    UserError : when there is a warning, e.g. of a link that leads nowhere.
    """
    options = ["-q", "-W", "--keep-going", "-d", str(source.with_name("doctrees"))]
    if build_main([*options, str(source), str(site)]):
        raise UserError("the book was not built; mend what the lines above name and build again")


def write_sources(folder):
    """Write what Sphinx reads: settings, pages, notebooks, their pictures and downloads."""
    shutil.copytree(BOOK, folder)
    paths = {name: ROOT / f"notebooks/{name}.ipynb" for name in _names(exercises=False)}
    lessons = {name: nbformat.read(path, as_version=4) for name, path in paths.items()}
    exercises = {name: released_notebook(name) for name in _names(exercises=True)}
    index = (BOOK / "index.md").read_text(encoding="utf-8")
    write_text(folder / "index.md", index.replace(MAP, lesson_map(lessons, exercises)))
    write_text(folder / "claims.md", claims_page(lessons))
    for path, page in PAGES.items():
        write_text(folder / page, linked((ROOT / path).read_text(encoding="utf-8")))
    for name, lesson in lessons.items():
        write_text(folder / f"downloads/{name}.ipynb", without_outputs(paths[name]))
        _move_pictures(name, lesson, folder)
        _write_page(folder / f"lessons/{name}.ipynb", lesson)
    for name, exercise in exercises.items():
        write_text(folder / f"downloads/{name}.ipynb", to_text(exercise))
        _write_page(folder / f"exercises/{name}.ipynb", exercise)


def lesson_map(lessons, exercises):
    """The table of lessons, with the question and the minutes that each one names at its top.

    Raises
    ------
    UserError : for a lesson that does not.
    """
    rows = ["| lesson | question | minutes | exercise |\n|---|---|---|---|\n"]
    for name, lesson in lessons.items():
        top = TOP.match(lesson.cells[0].source)
        if not top:
            raise UserError(f"lesson {name} must begin with a title, a question in bold and its minutes")
        title, question, minutes = top.groups()
        exercise = f"ex{name[:2]}"
        link = f"[{exercise}](exercises/{exercise}.ipynb)" if exercise in exercises else "none"
        rows.append(f"| [{title}](lessons/{name}.ipynb) | {question} | {minutes} | {link} |\n")
    return "".join(rows)


def linked(text):
    """A page in which the name of another page, as a path of the repository, leads there."""
    for path, page in PAGES.items():
        text = text.replace(f"`{path}`", f"[`{path}`]({page})")
    return text


def _write_page(path, notebook):
    """Write a notebook as a page, with a link to its download below the title."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for source, page in PAGES.items():
            cell.source = cell.source.replace(f"](../{source})", f"](../{page})")
    title, _, rest = notebook.cells[0].source.partition("\n")
    link = f"{{download}}`Download this notebook <../downloads/{path.name}>`"
    notebook.cells[0].source = f"{title}\n\n{link}\n{rest}"
    write_text(path, to_text(notebook))


def _move_pictures(name, lesson, folder):
    """Put the pictures and sounds of a lesson into files, and a picture in place of each widget."""
    for cell in lesson.cells:
        for number, output in enumerate(cell.get("outputs", ())):
            data = output.get("data", {})
            if "text/html" in data:
                still = STILL if data.pop(WIDGET, None) else ""
                data["text/html"] = _in_files(data["text/html"], f"{name}-{cell.id}-{number}", folder) + still


def _in_files(html, name, folder):
    def moved(match):
        path = f"_static/{name}.{match[1]}"
        write_bytes(folder / path, base64.b64decode(match[2]))
        return f'src="../{path}"'

    return EMBEDDED.sub(moved, html)
