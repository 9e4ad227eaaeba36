"""nbgrader's configuration of this course directory; run nbgrader's own commands from this folder."""

from grading.nbgrader_setup import configure

configure(get_config())  # noqa: F821 - nbgrader gives the name
