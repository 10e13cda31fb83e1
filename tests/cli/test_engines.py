"""``gainful engines``: the list, and the starter descriptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gainful.cli import main
from gainful.errors import SourceError
from gainful.systems import load_system
from gainful.systems.description import ENGINES, read_description
from gainful.systems.description.loading import HTTP_ENGINES
from gainful.systems.http.transport import Request, Response
from requirements import need

Say = Callable[..., str]


class Silent:
    async def send(self, request: Request) -> Response:
        raise AssertionError("nothing is asked")

    async def close(self) -> None:
        pass


def test_the_list(output_of: Say) -> None:
    listing = output_of("engines")
    assert max(map(len, listing.splitlines())) <= 100
    for engine in ENGINES:
        assert f"\n{engine} " in listing
    listed = json.loads(output_of("engines", "--format", "json"))
    assert [entry["name"] for entry in listed] == list(dict.fromkeys(e["name"] for e in listed))
    assert {entry["name"] for entry in listed} == set(ENGINES)
    # The evidence distinguishes engines that tests run.
    assert {e["name"] for e in listed if not e["evidence"].startswith("run")} == {"qdrant"}
    assert "| solr " in output_of("engines", "--format", "markdown")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_starter_is_a_valid_description(
    engine: str, output_of: Say, small_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output_of("engines", engine, "-o", "begun.toml")
    assert Path("begun.toml").read_text() == output_of("engines", engine)
    assert read_description("begun.toml").engine == engine
    if engine in HTTP_ENGINES:
        load_system("begun.toml", transport=Silent())
        return
    if engine in ("bm25", "tfidf"):
        need("bm25s")
        need("PyStemmer")
        (small_files / "docs.jsonl").rename("corpus.jsonl")
    if engine == "python":
        Path("search.py").write_text("def make(boost): return lambda text, k: []")
    if engine == "duckdb":
        need("duckdb")
    if engine == "postgres":
        pytest.importorskip("psycopg")
    monkeypatch.setenv("DATABASE_URL", "postgresql://localhost:1/shop")
    try:
        system = load_system("begun.toml")
    except SourceError as error:
        # The description is valid, but the database does not exist.
        assert engine in ("sqlite", "duckdb")
        assert "shop" in str(error)
    else:
        system.close()


def test_an_unknown_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines", "solar"]) == 2
    assert "Hint: did you mean solr?" in capsys.readouterr().err
