"""How Sphinx builds the documentation: `make docs`, into target/docs."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from pygments.lexers.data import JsonLexer
from sphinx.application import Sphinx

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
# In "array_like, shape (n,)" an n is taken for a reference, and several classes have one.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "Gainful"
# The pages' sources are in the repository; a second copy beside the HTML would only age.
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"

# Stands for a colon in the first line of a property while napoleon reads it, which would take what
# stands before the colon for a type.
COLON = "\ue000"


def hide_colons(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Hide colons from napoleon."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", f"{COLON} ")


def show_colons(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Show the colons again."""
    lines[:] = [line.replace(COLON, ":") for line in lines]


def setup(app: Sphinx) -> None:
    """Teach Sphinx what it does not know by itself."""
    # JSON lines are coloured as JSON; Pygments has no name for them.
    app.add_lexer("jsonl", JsonLexer)
    # Napoleon listens at 500.
    app.connect("autodoc-process-docstring", hide_colons, priority=400)
    app.connect("autodoc-process-docstring", show_colons, priority=600)
