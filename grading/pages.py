"""Pages for instructors and students: one file each, without scripts or anything from elsewhere."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


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


def points_text(number):
    """Points without needless decimals.

    >>> points_text(12.870000000000001), points_text(5.0)
    ('12.87', '5')
    """
    return f"{round(number, 2):g}"
