"""The page that starts a local search engine: its commands, on engines that run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine_folders
from engine_server import Server
from markdown_blocks import Reader, blocks_of
from requirements import ROOT, need

PAGE = ROOT / "docs" / "vector-stores.md"
# Of a block that only engines can run: for which of them it is.
EXEMPT = re.compile(r"<!-- with an engine: (.*) -->\n<!-- not run: it needs an engine, .* -->\n")


@pytest.fixture(params=engine_folders.SEARCH_ENGINES)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Return an engine as somebody finds it who has just started it."""
    need(request.param)
    with Server(request.param, tmp_path / "home") as server:
        if server.name == "solr":
            server.create("shop")
        yield server


def test_the_page(empty: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("bash")
    need("qdrant")
    text = PAGE.read_text("utf-8")
    if empty.engine == "elasticsearch":
        # As the page says: only the first line of the description is another.
        text = text.replace('engine = "opensearch"', 'engine = "elasticsearch"')
        text = text.replace("with an engine: opensearch -->", "with an engine: elasticsearch -->")
    text, exempt = EXEMPT.subn(
        lambda match: "" if empty.engine in match[1] else "<!-- not run: of another engine -->\n",
        text,
    )
    assert exempt == 7
    page = tmp_path / PAGE.name
    page.write_text(re.sub(r"localhost:(9200|8983)", f"localhost:{empty.port}", text), "utf-8")
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for block in blocks_of(page):
        reader.read(block)
