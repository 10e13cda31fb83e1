"""Recordings: saved responses of an engine are replayed without it."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from gainful.errors import FormatError, ParameterError, SearchError, SourceError
from gainful.systems import Answer, Query, load_system
from http_faults import Asked, answering, hits, serving
from requirements import need

need("aiohttp")


def description(url: str) -> dict[str, Any]:
    return {
        "engine": "elasticsearch",
        "url": url,
        "index": "shop",
        "headers": {"Authorization": "ApiKey ${SHOP_KEY}"},
        "body": {"query": {"match": {"title": "{{query}}"}}},
    }


def ask(system: Any, *texts: str, k: int = 10) -> list[Any]:
    async def each() -> list[Any]:
        found: list[Any] = []
        for text in texts:
            try:
                found += await system.ask([Query("q", text)], k)
            except SearchError as error:
                found.append(str(error))
        await system.close()
        return found

    return asyncio.run(each())


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-key")


def recorded(path: Path, *texts: str) -> list[Any]:
    def behave(asked: Asked, number: int) -> bytes:
        text = asked.json["query"]["match"]["title"]
        if text == "busy" and number == 0:
            return answering({"error": "slow down, s3cret-key"}, status=429, Retry_After="7")
        if text == "latin":
            body = json.dumps(hits(("é", 1.0)), ensure_ascii=False).encode("latin-1")
            return answering(body, kind="application/json; charset=latin-1")
        if text == "html":
            return answering("<html>", kind="text/html")
        if text == "bytes":
            return answering(b"\xff\xfe\xffs3cret-key", kind="application/octet-stream")
        return answering(hits((text, 0.1 + number)))

    with serving(behave) as server:
        return ask(load_system(description(server.url), record=path), *texts)


def test_a_replay_answers_like_the_engine(
    key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "session.jsonl"
    texts = ["busy", "busy", "red", "latin", "html", "bytes"]
    first = recorded(path, *texts)
    assert first[1] == Answer(["busy"], [1.1])
    # Neither the engine nor the key is needed, and the address does not matter.
    monkeypatch.delenv("SHOP_KEY")
    again = ask(load_system(description("http://localhost:1"), replay=path), *texts)
    plain = [one.partition(": ")[2] if isinstance(one, str) else one for one in first]
    assert [one.partition(": ")[2] if isinstance(one, str) else one for one in again] == plain
    assert "status 429" in again[0]
    # What comes after all that was recorded is the last answer again.
    system = load_system(description("http://localhost:1"), replay=path)
    assert ask(system, "red", "red") == [again[2], again[2]]


def test_what_a_recording_holds(key: None, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorded(path, "busy", "red")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"schema": "gainful.recording/1"}
    assert lines[1]["response"] == {"status": 429, "json": {"error": "slow down, ***"}}
    assert lines[2]["request"] == {
        "method": "POST",
        "target": "/shop/_search",
        "json": {
            "size": 10,
            "_source": False,
            "query": {"match": {"title": "red"}},
        },
    }
    assert "ApiKey" not in path.read_text()


def test_binary_responses_are_recorded_without_keys(key: None, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorded(path, "bytes")
    last_response = json.loads(path.read_text().splitlines()[-1])["response"]
    assert b64decode(last_response["base64"]) == b"\xff\xfe\xff***"


def test_what_was_not_recorded_is_an_error(key: None, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorded(path, "red")
    for texts, k in ((["blue"], 10), (["red"], 11)):
        (output,) = ask(load_system(description("http://x"), replay=path), *texts, k=k)
        assert f"http://x: {path} has no POST /shop/_search with this body" in output
        assert "record it again" in output


def test_a_recording_is_added_to(key: None, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorded(path, "red")
    with path.open("a") as file:
        file.write('{"request": {"method": "POST", "targ')  # Killed while it was written.
    recorded(path, "blue")
    system = load_system(description("http://x"), replay=path)
    assert [answer.documents for answer in ask(system, "red", "blue")] == [["red"], ["blue"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\tred shoes\n", "line 1: not a recording"),
        ('{"schema": "gainful.recording/2"}\n', "not a recording"),
        ('{"schema": "gainful.recording/1"}\n{}\n', "line 2: the line is damaged"),
        ('{"schema": "gainful.recording/1"}\n[\n', "line 2: the line is damaged"),
    ],
)
def test_other_files_are_errors(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        load_system(description("http://x"), replay=path)
    assert path.read_text() == text


def test_an_empty_file_is_one_that_nothing_was_recorded_in(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("")
    (output,) = ask(load_system(description("http://x"), replay=path), "red")
    assert "with this body" in output


def test_files_of_others_are_not_added_to(key: None, tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text("q1\tred shoes\n")
    with pytest.raises(FormatError, match="not a recording"):
        load_system(description("http://x"), record=path)
    assert path.read_text() == "q1\tred shoes\n"
    with pytest.raises(SourceError, match="no such file"):
        load_system(description("http://x"), replay=tmp_path / "none.jsonl")
    with pytest.raises(SourceError, match="the output folder does not exist"):
        load_system(description("http://x"), record=tmp_path / "none" / "session.jsonl")


def test_either_to_record_or_to_replay(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="replay cannot be combined with another transport"):
        load_system(description("http://x"), record=tmp_path / "a", replay=tmp_path / "a")
    sql = {"engine": "sqlite", "database": ":memory:", "sql": "select {{query}}, {{k}}"}
    with pytest.raises(ParameterError, match="'sqlite' cannot be recorded, only engines over"):
        load_system(sql, record=tmp_path / "a")
