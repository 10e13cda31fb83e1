"""Searching an engine over HTTP with `gainful.search` and the command."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import gainful
from gainful.cli import main
from http_faults import Asked, FaultsServer, answering, hits, serving
from requirements import need

need("aiohttp")

TOML = """
engine = "elasticsearch"
url = "{url}"
index = "shop"
headers = {{ Authorization = "ApiKey ${{SHOP_KEY}}" }}

[settings]
boost.title = 2

[body.query.multi_match]
query = "{{{{query}}}}"
fields = ["title^{{{{boost.title}}}}", "brand"]
"""
QUERIES = {f"q{number}": f"red-shoes-{number}" for number in range(50)}


def describe(folder: Path, server: FaultsServer) -> Path:
    path = folder / "shop.toml"
    path.write_text(TOML.format(url=server.url))
    return path


class Done(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def call(*words: str) -> Done:
        status = main(words)
        return Done(status, *capsys.readouterr())

    return call


def text_of(asked: Asked) -> str:
    return str(asked.json["query"]["multi_match"]["query"])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-key")
    monkeypatch.setattr("gainful.systems.fetching.base.FIRST_WAIT", 0.01)


def test_a_run_comes_whole_through_faults_that_pass(tmp_path: Path) -> None:
    chance = random.Random(7)
    faults = [
        answering({"error": "busy"}, status=429, Retry_After="0"),
        answering("oops", status=500),
        answering("", status=503),
        answering(hits(("x", 1.0)))[:-5],
        None,
    ]

    def behave(asked: Asked, number: int) -> bytes | None:
        if chance.random() < 0.2:
            return chance.choice(faults)
        text = text_of(asked)
        return answering(hits((f"{text}-a", 2.0), (f"{text}-b", 1.0)))

    with serving(behave) as server:
        path = describe(tmp_path, server)
        run = gainful.search(path, QUERIES, k=5, journal=tmp_path / "shop.journal", retries=20)
        times = len(server.asked)
    assert not run.incomplete
    assert len(run) == 50
    assert run["q7"] == [("red-shoes-7-a", 2.0), ("red-shoes-7-b", 1.0)]
    assert run.account is not None
    assert times > 50
    assert b"s3cret" not in (tmp_path / "shop.journal").read_bytes()


def test_permanent_errors_are_not_retried(tmp_path: Path) -> None:
    def behave(asked: Asked, number: int) -> bytes:
        if text_of(asked).endswith("-13"):
            return answering({"error": {"reason": "too many clauses s3cret-key"}}, status=400)
        return answering(hits(("a", 1.0)))

    with serving(behave) as server:
        run = gainful.search(describe(tmp_path, server), QUERIES, k=5)
        assert len(server.asked) == 50
    assert run.incomplete
    assert list(run.failed) == ["q13"]
    assert "status 400 (too many clauses ***)" in run.failed["q13"]


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[..., Done]
) -> None:
    queries = tmp_path / "queries.tsv"
    queries.write_text("".join(f"{query}\t{text}\n" for query, text in QUERIES.items()))
    with serving(lambda asked, number: answering(hits((text_of(asked), 1.5)))) as server:
        system = describe(tmp_path, server)
        words = ["search", str(queries), "--system", str(system), "-k", "7"]
        shown = program(*words, "--dry-run")
        assert server.asked == []
        assert shown.status == 0, shown.err
        assert f"POST {server.url}/shop/_search\nAuthorization: ApiKey ${{SHOP_KEY}}" in shown.out
        assert '"title^2"' in shown.out
        output = tmp_path / "shop.run"
        session = tmp_path / "session.jsonl"
        to = ["-o", str(output), "--set", "boost.title=4"]
        done = program(*words, *to, "--record", str(session))
        assert done.status == 0, done.err
        assert {tuple(one.json["query"]["multi_match"]["fields"]) for one in server.asked} == {
            ("title^4", "brand")
        }
        assert len(server.asked) == 50
        first = output.read_bytes()
    output.unlink()
    # The server is gone, and so is the key.
    monkeypatch.delenv("SHOP_KEY")
    again = program(*words, *to, "--replay", str(session))
    assert again.status == 0, again.err
    assert output.read_bytes() == first
    assert "s3cret" not in shown.out + done.out + done.err + session.read_text()
    assert len(json.loads(session.read_text().splitlines()[1])["request"]) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("index =", "indx ="), "'index' is missing"),
        (("{{query}}", "{{qury}}"), "Hint: did you mean {{query}}?"),
        (("${SHOP_KEY}", "${OTHER_KEY}"), "export OTHER_KEY=…"),
        (("multi_match]", "multi_match"), "line 10"),
        (("elasticsearch", "elastic"), "engine = 'elastic'"),
    ],
)
def test_the_command_and_a_description_that_cannot_be(
    tmp_path: Path, change: tuple[str, str], message: str, program: Callable[..., Done]
) -> None:
    path = tmp_path / "shop.toml"
    path.write_text(TOML.format(url="http://localhost:1").replace(*change))
    queries = tmp_path / "queries.tsv"
    queries.write_text("q1\tred shoes\n")
    done = program("search", str(queries), "--system", str(path), "-o", str(tmp_path / "r.run"))
    assert done.status == 2
    assert message in done.err
    assert "shop.toml" in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "r.run").exists()
