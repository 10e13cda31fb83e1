"""Refusals have the message of the engine; temporary errors are retried."""

from __future__ import annotations

from pathlib import Path

import pytest

import gainful
from engine_descriptions import ELASTIC, SOLR, fields_of, filled, string_of, written
from engine_server import Server
from gainful import demo
from gainful.errors import SearchError
from serve import shop

# What each says of an index and of a query that it does not have.
NO_INDEX = {"elasticsearch": "no such index", "opensearch": "no such index", "solr": "status 404"}
NO_QUERY = {
    "elasticsearch": "unknown query [mach]",
    "opensearch": "unknown query [mach]",
    "solr": "invalid query parser 'mach'",
}


def failure(server: Server, description: str, folder: Path) -> str:
    run = gainful.search(written(description, folder), {"q1": "boots"}, retries=2, quiet=True)
    assert run.account is not None
    assert run.account.retried == 0, "asking again would not help"
    return run.failed["q1"]


def test_no_index(server: Server, tmp_path: Path) -> None:
    message = failure(server, fields_of(server, "shoop"), tmp_path)
    assert NO_INDEX[server.engine] in message
    assert "check the path, and that the index exists" in message


def test_no_such_query(server: Server, tmp_path: Path) -> None:
    text = string_of(server).replace("body.query.query_string", "body.query.mach")
    text = text.replace("body.query.lucene", "body.query.mach")
    message = failure(server, text, tmp_path)
    assert "status 400" in message
    assert NO_QUERY[server.engine] in message


def test_unescaped_syntax(server: Server, tmp_path: Path) -> None:
    text = string_of(server).replace("|lucene}}", "}}").replace("|solr}}", "}}")
    run = gainful.search(written(text, tmp_path), {"q1": "boots", "q2": '"boots'})
    assert list(run.failed) == ["q2"]
    assert "status 400" in run.failed["q2"]
    assert run["q1"]


def test_the_address_of_another_engine(server: Server, tmp_path: Path) -> None:
    text = ELASTIC if server.name == "solr" else SOLR
    description = text.replace("{name}", "opensearch")
    assert "status 4" in failure(server, filled(description, server, index="shop"), tmp_path)


def test_an_engine_that_dies_and_comes_back(
    server: Server, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Killed in the middle of a search and started again, it is asked for the rest alone."""
    queries = demo.queries()
    with Server(server.name, tmp_path_factory.mktemp("dies")) as first:
        fill(first)
        system = written(fields_of(first), tmp_path)

        def kill(done: int, total: int, failed: int) -> None:
            if done > 10:
                first.kill()

        broken = gainful.search(
            system, queries, journal=tmp_path / "journal", retries=1, rate=60, progress=kill
        )
    assert broken.account is not None
    assert 10 < broken.account.answered < 80
    assert len(broken.failed) == 80 - broken.account.answered
    assert "Connection refused" in " ".join(broken.failed.values())
    with pytest.raises(
        SearchError, match=f"the run is incomplete: {len(broken.failed)} queries failed"
    ):
        gainful.evaluate(demo.qrels(), broken)

    with Server(server.name, tmp_path_factory.mktemp("back"), first.port) as again:
        fill(again)
        whole = gainful.search(system, queries, journal=tmp_path / "journal")
    assert not whole.incomplete
    assert whole.account is not None
    assert (whole.account.answered, whole.account.reused) == (80, broken.account.answered)
    found = {query for query in queries if whole.get(query)}
    assert len(found) > 70


def fill(server: Server) -> None:
    server.create("shop")
    server.add("shop", shop())
