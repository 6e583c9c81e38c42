"""Sphinx's settings; ``script/docs`` builds the site."""

from __future__ import annotations

import sys
from pathlib import Path

from edgeworth import __version__

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "Edgeworth"
author = "the Edgeworth contributors"
version = release = __version__
html_title = f"Edgeworth {__version__}"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_domain_indices = False
smartquotes_action = "qe"  # two hyphens begin an option and are no dash

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "mathml"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
myst_url_schemes = {
    "http": None,
    "https": None,
    "mailto": None,
    "page": "{{path}}#{{fragment}}",  # a page that Sphinx does not make, such as the desk
}
html_math_renderer = "mathml"
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()
autosummary_generate = False
suppress_warnings = ["toc.empty_glob"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"
highlight_language = "text"
pygments_style = "tango"
pygments_dark_style = "github-dark"
