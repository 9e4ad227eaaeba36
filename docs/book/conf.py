"""Sphinx settings of the book; ``course book`` copies this folder beside the pages and builds there."""

project = html_title = "Recurrent neural networks"
copyright = "2026, the authors of the course; code BSD-3-Clause, prose and figures CC BY 4.0"
language = "en"

extensions = ["myst_nb", "grading.book_math"]
exclude_patterns = ["downloads", "_static", "_templates"]
templates_path = ["_templates"]
smartquotes = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the notebooks hold their outputs
nb_ipywidgets_js = {}  # pictures stand for the widgets: nothing is loaded from elsewhere

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_center": [],
    "secondary_sidebar_items": ["page-toc"],
    "search_bar_text": "Search the book",
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["contents"]}
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_use_index = False
