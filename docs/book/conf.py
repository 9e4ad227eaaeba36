"""Sphinx settings of the book; ``course book`` copies this folder beside the pages and builds there."""

project = "Recurrent neural networks"
author = "the course's authors"
copyright = "the course's authors; prose and figures CC BY 4.0, code BSD-3-Clause"
html_title = project
language = "en"

extensions = ["myst_nb", "grading.book_math"]
exclude_patterns = ["downloads", "_static"]
smartquotes = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks hold their outputs
nb_ipywidgets_js = {}  # pictures stand for the widgets, so nothing is loaded from elsewhere
nb_number_source_lines = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_use_index = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
