"""Sweeps of a search engine over HTTP: failures, recording and secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gainful
from gainful.errors import ArgumentError, SearchError
from http_faults import Asked, answering, hits, serving
from requirements import need
from sweep_data import GOOD, THINGS, Shelf

pytestmark = pytest.mark.usefixtures("aiohttp")

TOML = """
engine = "opensearch"
url = "{url}"
index = "shop"
headers = {{ Authorization = "ApiKey ${{SHOP_KEY}}" }}

[settings]
boost.title = 3

[body.query.multi_match]
query = "{{{{query}}}}"
fields = ["title^{{{{boost.title}}}}", "brand"]
"""
GRID = {"boost.title": [1, 2, 3]}
FAST = {"resamples": 1_000, "retries": 2}


@pytest.fixture
def aiohttp(monkeypatch: pytest.MonkeyPatch) -> None:
    need("aiohttp")
    monkeypatch.setenv("SHOP_KEY", "s3cr3t")
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.01)


def answer(asked: Asked, number: int) -> bytes:
    """Answer like the shelf, with the boost of the title as the weight."""
    match = asked.json["query"]["multi_match"]
    boost = int(match["fields"][0].partition("^")[2])
    return answering(hits(*Shelf()(boost)(match["query"], asked.json["size"])))


def described(folder: Path, url: str) -> Path:
    path = folder / "shop.toml"
    path.write_text(TOML.format(url=url), encoding="utf-8")
    return path


def expected() -> dict[str, object]:
    found = gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2, 3]}, **FAST)
    return {
        name.replace("weight", "boost.title"): run.to_dict() for name, run in found.runs.items()
    }


def test_each_point_searches_with_its_settings(tmp_path: Path) -> None:
    with serving(answer) as server:
        path = described(tmp_path, server.url)
        found = gainful.sweep(path, THINGS, GOOD, GRID, baseline="current", **FAST)
    assert {name: run.to_dict() for name, run in found.runs.items()} == expected()
    assert found.baseline == "boost.title=3"


def test_temporary_failures_are_retried(tmp_path: Path) -> None:
    def sometimes(asked: Asked, number: int) -> bytes:
        return answering("busy", status=503) if number % 5 == 0 else answer(asked, number)

    kept = tmp_path / "sweep.journal"
    with serving(sometimes) as server:
        path = described(tmp_path, server.url)
        found = gainful.sweep(path, THINGS, GOOD, GRID, journal=kept, **{**FAST, "retries": 6})
    assert {name: run.to_dict() for name, run in found.runs.items()} == expected()
    assert sum(run.account.retried for run in found.runs.values()) > 0
    assert "queries retried" in found.account_line()
    assert b"s3cr3t" not in kept.read_bytes()
    assert "s3cr3t" not in json.dumps(found.to_dict())


def test_an_unreachable_search_engine_is_one_error(tmp_path: Path) -> None:
    with serving(answer) as server:
        path = described(tmp_path, server.url)
    with pytest.raises(SearchError, match=r"boost.title=1.*no query was answered .12 failed"):
        gainful.sweep(path, THINGS, GOOD, GRID, **{**FAST, "retries": 0})


def test_a_recorded_sweep_is_replayed_without_the_engine(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with serving(answer) as server:
        path = described(tmp_path, server.url)
        found = gainful.sweep(path, THINGS, GOOD, GRID, record=tape, **FAST)
    assert "s3cr3t" not in tape.read_text()
    again = gainful.sweep(path, THINGS, GOOD, GRID, replay=tape, **FAST)
    assert again.runs == found.runs
    with pytest.raises(ArgumentError, match="replay"):
        gainful.sweep(Shelf(), THINGS, GOOD, {"weight": [1, 2]}, replay=tape, **FAST)
