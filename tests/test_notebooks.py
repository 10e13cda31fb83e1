"""The notebooks of the documentation run from top to bottom."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from requirements import ROOT, need

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))

#: What a notebook may import: Gainful, what its first cell installs, and the standard library.
INSTALLED = {"gainful", "numpy"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, _ = need("nbclient"), need("ipykernel")
    for name in ("altair", "vl_convert", "pandas", "bm25s", "PyStemmer"):
        need(name)
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    # The kernel must not find the settings of a user, or write outside of the folder.
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "settings"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    tables = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(tables) >= 3
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
    # Everything that is shown is in the notebook.
    for output in tables:
        assert "http" not in output.data["text/html"], output.data["text/html"][:200]


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
    index = (ROOT / "docs/index.md").read_text("utf-8")
    assert all(f"notebooks/{name}\n" in index for name in names)
