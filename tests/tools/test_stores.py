"""The vector stores of docs/vector-stores.md: each row of its table is searched or read."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gainful
from gainful.systems import Answer, Query, as_system, load_system
from gainful.systems.http.transport import Request, Response
from markdown_blocks import Block, Reader, blocks_of
from requirements import ROOT, need

PAGE = ROOT / "docs" / "vector-stores.md"
QUERY = Query("q1", "tomato", {"vector": [1.0, 0.0, 0.0]})
# The page's table: each store, and whether a test runs it.
ROW = re.compile(r"^\| \[(.+?)\]\(#.*\| (run|described) \|$", re.MULTILINE)
STORES = dict(ROW.findall(PAGE.read_text("utf-8")))
RUN = [title for title, evidence in STORES.items() if evidence == "run"]
NEAREST = {"v1": ["soup", "fish"], "v2": ["fish", "bread"]}


def blocks() -> dict[str, list[Block]]:
    """Return the blocks of each section of the page, the first section without a name."""
    headings = {
        at: line.removeprefix("## ")
        for at, line in enumerate(PAGE.read_text("utf-8").splitlines(), start=1)
        if line.startswith("## ")
    }
    found: dict[str, list[Block]] = {}
    for block in blocks_of(PAGE):
        above = [name for at, name in headings.items() if at < block.line]
        found.setdefault(above[-1] if above else "", []).append(block._replace(not_run=None))
    return found


def need_store(title: str) -> None:
    """Skip where a store is absent; the names are written out for a test of the Makefile."""
    match title:
        case "FAISS":
            need("faiss")
        case "LanceDB":
            need("lancedb")
        case "Chroma":
            need("chromadb")
        case "Milvus":
            need("milvus_lite")
        case "Qdrant":
            need("qdrant")
        case "Tantivy":
            need("tantivy")
        case "DuckDB":
            need("duckdb")
        case "sqlite-vec":
            need("apsw")
            need("sqlite_vec")
        case _:
            raise AssertionError(f"no test runs {title}")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Return a reader of the page who has read its first section, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for block in blocks()[""]:
        reader.read(block)
    yield reader
    for name in ("milvus", "qdrant", "lite", "database"):
        if name in reader.names:
            reader.names[name].close()


def test_the_page_has_a_section_for_each_store() -> None:
    sections = [name for name in blocks() if name]
    assert sections == [*STORES, "Start a local search engine"]


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", RUN)
def test_a_store_is_searched(reader: Reader, title: str) -> None:
    need_store(title)
    for block in blocks()[title]:
        reader.read(block)
    run = reader.names["run"]
    found = {query: [document for document, _ in run[query]] for query in run}
    if title == "Tantivy":
        # It searches for words: a document has "tomato" in two texts, and no third.
        assert found["v1"] == ["soup", "fish"]
        assert found["v2"][0] == "fish"
    else:
        assert found == NEAREST
        scores = [score for query in run for _, score in run[query]]
        assert all(first >= second for first, second in zip(scores[::2], scores[1::2], strict=True))
    qrels = reader.names["qrels"]
    assert gainful.evaluate(qrels, run, "nDCG@2").mean() == pytest.approx(1.0)


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")
def test_faiss_itself_returns_row_numbers(reader: Reader) -> None:
    need("faiss")
    reader.read(blocks()["FAISS"][0])
    names = reader.names
    run = gainful.search(
        lambda text, k: names["index"].search(names["embed"](text)[None], k), names["queries"], k=9
    )
    assert [document for document, _ in run["v1"]] == ["0", "2", "1"]


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")
def test_point_numbers_of_qdrant_are_not_judged(reader: Reader) -> None:
    need("qdrant")
    reader.read(blocks()["Qdrant"][0])
    run = gainful.search(reader.names["search"], reader.names["queries"], k=2)
    assert [document for document, _ in run["v1"]] == ["0", "2"]
    evaluation = gainful.evaluate(reader.names["qrels"], run, "nDCG@2")
    warning = (
        "no document of the run is judged. Check the ids: the judgments have documents such as"
        " 'soup', the run such as '0'."
    )
    for text in (PAGE.read_text("utf-8"), str(evaluation)):
        assert warning in " ".join(text.split())


# --- described, not run -------------------------------------------------------------------------

NEAR = types.SimpleNamespace
ANSWERS: dict[str, tuple[Any, Answer]] = {
    "Pyserini": (
        [
            NEAR(docid="soup", score=2.5, lucene_docid=1),
            NEAR(docid="fish", score=1.5, lucene_docid=2),
        ],
        Answer(["soup", "fish"], [2.5, 1.5]),
    ),
    "Redis": (
        NEAR(total=2, docs=[NEAR(id="soup", distance="0.1"), NEAR(id="fish", distance="0.2")]),
        Answer(["soup", "fish"]),
    ),
    "MongoDB": (
        iter([{"_id": "soup", "score": 0.9}, {"_id": "fish", "score": 0.5}]),
        Answer(["soup", "fish"], [0.9, 0.5]),
    ),
}


@pytest.mark.parametrize("title", ANSWERS)
def test_answers_of_clients_are_read(title: str) -> None:
    (block,) = blocks()[title]
    returned, answer = ANSWERS[title]
    fields = {"score": None} if 'fields={"score": None}' in block.text else None
    (found,) = as_system(lambda text, k: returned, fields=fields).ask([QUERY], 10)
    assert found == answer


RESPONSES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Pinecone": (
        {"vector": [1.0, 0.0, 0.0], "topK": 10},
        {"matches": [{"id": "soup", "score": 0.9, "values": []}], "namespace": "", "usage": {}},
    ),
    "Azure AI Search": (
        {
            "select": "id",
            "top": 10,
            "vectorQueries": [
                {"kind": "vector", "vector": [1.0, 0.0, 0.0], "fields": "v", "k": 10}
            ],
        },
        {"value": [{"@search.score": 0.9, "id": "soup"}]},
    ),
}


class Service:
    """A service that answers each request with the same body."""

    def __init__(self, body: Any) -> None:
        self.body = body
        self.request: Request | None = None

    async def send(self, request: Request) -> Response:
        self.request = request
        return Response(200, {}, json.dumps(self.body).encode())

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("title", RESPONSES)
def test_requests_are_sent_and_responses_read_as_documented(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = blocks()[title]
    monkeypatch.setenv("PINECONE_API_KEY", "key")
    monkeypatch.setenv("AZURE_SEARCH_KEY", "key")
    sent, returned = RESPONSES[title]
    service = Service(returned)
    system = load_system(tomllib.loads(block.text), transport=service)
    answers = asyncio.run(system.ask([QUERY], 10))  # type: ignore[arg-type]
    assert answers == [Answer(["soup"], [0.9])]
    assert service.request is not None
    assert json.loads(service.request.body or b"") == sent


def test_every_described_store_has_an_answer() -> None:
    assert {*STORES} - {*RUN} == {*ANSWERS, *RESPONSES}
