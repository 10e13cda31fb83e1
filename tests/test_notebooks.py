"""The notebooks of the documentation; test_documentation.py runs them while it builds the site."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from requirements import ROOT

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))

#: What a notebook may import: Gainful, what its first cell installs, and the standard library.
INSTALLED = {"gainful", "numpy"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output_and_needs_little(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    source = "\n".join("".join(cell["source"]) for cell in cells)
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= INSTALLED
    text = "".join("".join(cell["source"]) for cell in document["cells"])
    assert "pip install 'gainful[report" in text
    assert max(len(line) for line in source.splitlines()) <= 100


def test_there_is_a_notebook_for_each_reader() -> None:
    names = {path.stem for path in NOTEBOOKS}
    assert names == {"search-engineer", "researcher", "ml-engineer", "rag-developer"}
    tutorials = "".join(path.read_text("utf-8") for path in ROOT.glob("docs/tutorials/*.md"))
    assert all(f"notebooks/{name}\n" in tutorials for name in names)
