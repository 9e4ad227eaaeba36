"""``course book``: lessons, exercises and guides as a static site, with the outputs that are stored."""

import base64
import re
import shutil
import tempfile
from pathlib import Path

import nbformat

from grading import ROOT
from grading.build import targets, to_text
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
WIDGET = "application/vnd.jupyter.widget-view+json"
PICTURE = re.compile(r'src="data:(image|audio)/(png|wav);base64,([^"]+)"')
STILL = "A picture of what JupyterLab shows with sliders."


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
    UserError : when Sphinx warns of anything.
    Leak : when a solution would be in it; then nothing is written.
    """
    folder = Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        source, site = Path(scratch) / "source", Path(scratch) / "site"
        write_sources(source)
        _sphinx(source, site)
        guard(site, *_names(exercises=True))
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(site, folder)
    return folder / "index.html"


def _names(exercises):
    return [target.name for target in targets() if target.is_exercise == exercises]


def _sphinx(source, site):
    from sphinx.cmd.build import build_main

    options = ["-q", "-W", "--keep-going", "-d", str(site.with_name("doctrees"))]
    if build_main([*options, str(source), str(site)]):
        raise UserError("the book was not built; mend what the lines above name and build again")
    (site / ".buildinfo").unlink(missing_ok=True)


def write_sources(folder):
    """Write what Sphinx reads: settings, pages, notebooks and their pictures."""
    shutil.copytree(BOOK, folder)
    lessons = {name: nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4) for name in _names(False)}
    for name, lesson in lessons.items():
        write_text(folder / f"downloads/{name}.ipynb", without_outputs(ROOT / f"notebooks/{name}.ipynb"))
        write_text(folder / f"lessons/{name}.ipynb", to_text(lesson_page(name, lesson, folder)))
    for name in _names(True):
        text = to_text(released_notebook(name))
        write_text(folder / f"downloads/{name}.ipynb", text)
        write_text(folder / f"exercises/{name}.ipynb", to_text(with_download(name, released_notebook(name))))
    for path, page in PAGES.items():
        write_text(folder / page, (ROOT / path).read_text(encoding="utf-8"))
    write_text(folder / "claims.md", "# Claims\n")


def with_download(name, notebook):
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    first.source = f"{title}\n\n{{download}}`Download as a notebook <../downloads/{name}.ipynb>`\n{rest}"
    return notebook


def lesson_page(name, notebook, folder):
    """A lesson as the book shows it: pictures in files, and in place of its widgets."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for number, output in enumerate(cell.get("outputs", [])):
            data = output.get("data", {})
            if "text/html" not in data:
                continue
            if data.pop(WIDGET, None):
                data["text/html"] += f'<p class="still">{STILL}</p>'
            file = f"{name}-{cell.id}-{number}"
            data["text/html"] = _with_files(data["text/html"], folder, file)
    return with_download(name, notebook)


def _with_files(html, folder, name):
    def moved(match):
        path = f"_static/pictures/{name}.{match[2]}"
        write_bytes(folder / path, base64.b64decode(match[3]))
        return f'src="../{path}"'

    return PICTURE.sub(moved, html)


if __name__ == "__main__":
    import sys

    print(build(sys.argv[1]))
