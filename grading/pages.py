"""Pages for the instructor: one file each, without scripts or anything from elsewhere."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grading.feedback import points_text


def render(template, **view):
    """The page that a template of ``grading/templates`` makes; all texts in it are escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = points_text
    return environment.get_template(template).render(view)
