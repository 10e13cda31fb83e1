"""Configure Sphinx. `make docs` builds the documentation into target/docs/html."""

import gc
import logging
import os
import sys
from collections.abc import Set
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.data import JsonLexer
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.domains.python import ObjectEntry, PythonDomain
from sphinx.ext.autosummary import autosummary_toc
from sphinx.pycode.parser import Parser

# A quarter of a build is the search for garbage among pages, which are none until its end.
gc.disable()
# The places of definitions, which pages with sources would show, take 120,000 lines of tokens.
Parser.parse_definition = lambda self: None

# `declared.py` in this folder compares parts of the pages with the code, and `searches.py` leads
# searches to pages.
sys.path.insert(0, str(Path(__file__).parent))

project = "Gainful"
author = "The Gainful developers"
copyright = "The Gainful developers"
version = release = installed_version("gainful")

extensions = [
    "declared",
    "searches",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxext.opengraph",
]
exclude_patterns = ["README.md"]
templates_path = ["_templates"]

# Markdown: definition lists, formulas between dollars, fences of colons, links to headings.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The notebooks are stored without output and executed when the site is built.
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

# Docstrings are in numpydoc's format. Signatures show the types already.
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
# In "array_like, shape (n,)" Sphinx takes n for a reference, and several classes have an n.
# Pages show the picture of a chart, not its specification.
suppress_warnings = ["ref.python", "mystnb.unknown_mime_type"]

# One page per object of the Python reference. These objects need options of autodoc:
# fields that the docstring describes already are left out.
autosummary_context = {
    "options": {
        "gainful.ReadOptions": [":members: replace"],
        "gainful.Qrels": [":inherited-members: object"],
        "gainful.Run": [":inherited-members: object"],
        "gainful.inference.Design": [
            ":members: mean, contributions, standard_error, degrees_of_freedom, effective"
        ],
    }
}
# Some file systems ignore case, so a class and a function of one name need two file names.
autosummary_filename_map = {
    f"gainful.{name}": f"gainful.{name}-class"
    for name in (
        "Contrast",
        "Sweep",
        "evaluation.curves.Curves",
        "inference.rank_correlation.Spearman",
    )
}

html_theme = "furo"
html_static_path = ["_static"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
html_js_files = ["filter.js", "accessibility.js"]
html_css_files = ["notebooks.css", "pages.css"]
html_title = f"Gainful {version}"
html_theme_options = {
    "source_repository": "https://github.com/gainful/gainful/",
    "source_branch": "main",
    "source_directory": "docs/",
}
# The repository has the sources of the pages.
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"

# The address of the site. Without it Open Graph addresses are relative.
html_baseurl = os.environ.get("DOCS_URL", "")
ogp_site_name = "Gainful"
ogp_site_url = html_baseurl
ogp_image = "_images/report.png"
ogp_image_alt = "An HTML report of Gainful"
ogp_social_cards = {"enable": False}

# Copy commands without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ |> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# Replaces a colon in the first line of a property's docstring while napoleon reads it. Napoleon
# takes the text before a colon for a type.
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


def skip_fields(
    app: Sphinx, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Skip the fields of named tuples: the docstring of the class describes them."""
    return True if type(value).__name__ == "_tuplegetter" else None


class SearchedByName(PythonDomain):
    """Python's domain, which searches objects only for a name that one of them has.

    A type such as `str` is none of them, and signatures have it thousands of times.
    """

    searched = 0
    names: frozenset[str] = frozenset()

    def find_obj(self, *words: Any) -> list[tuple[str, ObjectEntry]]:
        if self.searched != len(self.objects):
            self.searched = len(self.objects)
            self.names = frozenset(path.rpartition(".")[2] for path in self.objects)
        # After the environment, the module and the class.
        name = words[3].removesuffix("()").rpartition(".")[2]
        return super().find_obj(*words) if name in self.names else []


class FewPages(StandaloneHTMLBuilder):
    """Writes every page; with the tag `few`, of objects only two that the tests look at.

    To read a page, which is always done, finds the mistakes in its docstrings.
    """

    def write_documents(self, docnames: Set[str]) -> None:
        if self.tags.has("few"):
            looked_at = ("api/gainful.evaluate", "api/gainful.plots.waterfall")
            docnames = {name for name in docnames if name[:4] != "api/" or name in looked_at}
        super().write_documents(docnames)


def drop_object_pages(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the objects of the Python reference out of the navigation.

    Furo writes the whole navigation into every page: hundreds of entries would be five times the
    time of a build. The tables of the page and the search lead to the objects.
    """
    for node in list(doctree.findall(autosummary_toc)):
        node.parent.remove(node)


def unlink_measures(app: Sphinx, doctree: nodes.document) -> None:
    """Show nDCG@10 as text; reStructuredText takes it for a mail address."""
    for node in list(doctree.findall(nodes.reference)):
        if node.get("refuri", "").startswith("mailto:"):
            node.replace_self(nodes.Text(node.astext()))


def tidy_code(app: Sphinx, doctree: nodes.document) -> None:
    """Keep short code in one line, and drop the empty last line that ends an example of doctest."""
    for node in doctree.findall(nodes.literal):
        if len(node.astext()) <= 28:
            node["classes"].append("unbroken")
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block[:] = [nodes.Text(block.rawsource)]


def hide_edit_link(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Leave out the edit link of a page that autosummary generated."""
    if page.startswith("api/"):
        context["page_source_suffix"] = ""


def share_navigation(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Compute the navigation of pages once that are not in it, and so have the same."""
    folder = page.partition("/")[0]
    if page.startswith(("api/", "measures/")):
        navigation, shared = context["toctree"], vars(app).setdefault("navigation", {})

        def once(**options: object) -> str:
            key = (folder, *sorted(options.items()))
            if key not in shared:
                shared[key] = navigation(**options)
            return str(shared[key])

        context["toctree"] = once


def setup(app: Sphinx) -> None:
    """Register the lexer and the event handlers."""
    # Events are logged, 50,000 of them, for readers of `sphinx -vv`.
    logging.getLogger("sphinx").setLevel(logging.INFO)
    # Pygments has no name for JSON lines.
    app.add_lexer("jsonl", JsonLexer)
    app.add_domain(SearchedByName, override=True)
    app.add_builder(FewPages, override=True)
    app.connect("html-page-context", hide_edit_link)
    # The theme reads the navigation at priority 500.
    app.connect("html-page-context", share_navigation, priority=400)
    app.connect("doctree-read", unlink_measures)
    app.connect("doctree-read", tidy_code)
    # Sphinx collects the navigation at priority 500.
    app.connect("doctree-read", drop_object_pages, priority=400)
    app.connect("autodoc-skip-member", skip_fields)
    # Napoleon's priority is 500.
    app.connect("autodoc-process-docstring", hide_colons, priority=400)
    app.connect("autodoc-process-docstring", show_colons, priority=600)
