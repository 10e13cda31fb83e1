"""The descriptions in docs/engines.md send and read the documented formats."""

from __future__ import annotations

import asyncio
import json
import tomllib
from typing import Any

import pytest

from gainful.systems import Answer, Query, load_system
from gainful.systems.description.loading import HTTP_ENGINES
from gainful.systems.http.transport import Request, Response
from gainful.systems.languages import FILTERS
from markdown_blocks import blocks_of
from requirements import ROOT

PAGE = ROOT / "docs" / "engines.md"
TYPED = 'red "shoes" & {{k}}'
QUERY = Query("q1", TYPED, {"vector": [0.5, 1.0]})
ELASTIC = {"hits": {"hits": [{"_id": "a", "_score": 2.5}]}}

# By the port or host of the page's address: what the engine's documentation says it answers, and
# what that is.
ANSWERS: dict[str, tuple[Any, Answer]] = {
    "shop.example:9200": (ELASTIC, Answer(["a"], [2.5])),
    "localhost:9200": (ELASTIC, Answer(["a"], [2.5])),
    "localhost:8983": (
        {"responseHeader": {"status": 0}, "response": {"docs": [{"id": "a", "score": 2.5}]}},
        Answer(["a"], [2.5]),
    ),
    "localhost:6333": (
        {"result": {"points": [{"id": 1, "score": 0.5, "payload": {"sku": "a"}}]}},
        Answer(["a"], [0.5]),
    ),
    "localhost:8000": ({"results": [{"id": 7, "score": 1}]}, Answer(["7"], [1.0])),
    "/search/": (
        {
            "root": {
                "coverage": {"full": True},
                "children": [{"id": "id:s:p::1", "relevance": 0.5, "fields": {"sku": "a"}}],
            }
        },
        Answer(["a"], [0.5]),
    ),
    "localhost:8108": (
        {"hits": [{"document": {"id": "a"}, "text_match": 578730123365711993}]},
        Answer(["a"]),
    ),
    "localhost:7700": ({"hits": [{"sku": "a", "_rankingScore": 0.75}]}, Answer(["a"], [0.75])),
    "/v1/graphql": ({"data": {"Get": {"Product": [{"sku": "a"}]}}}, Answer(["a"])),
}


def descriptions() -> list[dict[str, Any]]:
    found = [tomllib.loads(block.text) for block in blocks_of(PAGE) if block.language == "toml"]
    return [table for table in found if table.get("engine") in HTTP_ENGINES]


class Answering:
    def __init__(self, body: Any) -> None:
        self.body = body
        self.request: Request | None = None

    async def send(self, request: Request) -> Response:
        self.request = request
        return Response(200, {}, json.dumps(self.body).encode())

    async def close(self) -> None:
        pass


def documented(table: dict[str, Any]) -> tuple[Any, Answer]:
    for part, canned in ANSWERS.items():
        if part in table["url"] or part == table.get("path"):
            return canned
    raise AssertionError(f"nobody says what {table['url']} answers")


@pytest.mark.parametrize(
    "table", descriptions(), ids=lambda table: table["url"] + table.get("path", "")
)
def test_descriptions_of_the_page(table: dict[str, Any]) -> None:
    body, answer = documented(table)
    transport = Answering(body)
    system = load_system(table, transport=transport)
    assert asyncio.run(system.ask([QUERY], 12)) == [answer]  # type: ignore[arg-type]
    request = transport.request
    assert request is not None
    sent = request.target + (request.body or b"").decode()
    assert "12" in sent
    if request.body is not None:
        json.loads(request.body)


def test_what_somebody_typed_is_a_string_of_graphql() -> None:
    (table,) = (table for table in descriptions() if table.get("path") == "/v1/graphql")
    transport = Answering(ANSWERS["/v1/graphql"][0])
    system = load_system(table, transport=transport)
    asyncio.run(system.ask([QUERY], 12))  # type: ignore[arg-type]
    assert transport.request is not None
    query = json.loads(transport.request.body or b"")["query"]
    assert query == (
        '{ Get { Product(bm25: {query: "red \\"shoes\\" & {{k}}"}, limit: 12) { sku } } }'
    )


def test_the_page_names_every_filter() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in FILTERS if name not in page] == []
