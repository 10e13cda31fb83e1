"""How Sphinx builds the documentation: `make docs`, into target/docs."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

# Beside this file stands `declared.py`, which compares parts of the pages with the code.
sys.path.insert(0, str(Path(__file__).parent))

project = "Gainful"
author = "The Gainful developers"
copyright = "The Gainful developers"
version = release = installed_version("gainful")

extensions = [
    "declared",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["README.md"]

# Markdown: definition lists, formulas between dollars, fences of colons, links to headings.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Docstrings are numpydoc's kind, and the types stand in the signatures already.
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False

html_theme = "furo"
html_title = "Gainful"
# The pages' sources are in the repository; a second copy beside the HTML would only age.
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"
