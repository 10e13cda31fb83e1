"""Faults of a server: the error messages, and whether they are retried."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import sys
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from gainful.errors import GainfulError, SearchError
from gainful.systems import Answer, Query, load_system
from http_faults import Asked, answering, hits, serving, squeezed
from requirements import need

need("aiohttp")

GOOD = answering(hits(("d1", 2.0), ("d2", 1.0)))
ANSWER = Answer(["d1", "d2"], [2.0, 1.0])


def asked(url: str, *, times: int = 1, **keys: Any) -> list[Answer]:
    """Return what the server answers, asked by one system in one loop."""
    system = load_system(
        {
            "engine": "elasticsearch",
            "url": url,
            "index": "shop",
            "body": {"query": {"match": {"title": "{{query}}"}}},
            **keys,
        }
    )

    async def ask() -> list[Answer]:
        try:
            found: list[Answer] = []
            for number in range(times):
                found += await system.ask([Query(f"q{number}", "red shoes")], 10)  # type: ignore[misc]
            return found
        finally:
            await system.close()  # type: ignore[misc]

    return asyncio.run(asyncio.wait_for(ask(), 120))


def refused(behave: Any, **keys: Any) -> SearchError:
    with serving(behave) as server:
        with pytest.raises(SearchError) as error:
            asked(server.url, **keys)
        assert server.url in str(error.value)
    return error.value


def test_an_answer() -> None:
    with serving(GOOD) as server:
        assert asked(server.url) == [ANSWER]
        (request,) = server.asked
    assert (request.method, request.target) == ("POST", "/shop/_search")
    assert request.json == {
        "size": 10,
        "_source": False,
        "query": {"match": {"title": "red shoes"}},
    }
    assert request.headers["content-type"] == "application/json"
    assert "cookie" not in request.headers


def test_a_connection_is_used_again() -> None:
    hosts = set()

    def behave(asked: Asked, number: int) -> bytes:
        import threading

        hosts.add(threading.get_ident())
        return GOOD

    with serving(behave) as server:
        assert asked(server.url, times=5) == [ANSWER] * 5
    # The server has a thread for each connection.
    assert len(hosts) == 1


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_temporary_errors_are_retried(status: int) -> None:
    error = refused(answering({"error": {"reason": "rejected execution"}}, status=status))
    assert error.transient
    assert f"status {status} (rejected execution)" in str(error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 414, 501])
def test_permanent_errors_are_not_retried(status: int) -> None:
    error = refused(answering("<h1>no</h1>", status=status, kind="text/html"))
    assert not error.transient
    assert f"status {status} (<h1>no</h1>)" in str(error)


def test_the_root_cause_is_reported() -> None:
    """As Elasticsearch 7.17 and OpenSearch 2.19 answer to more documents than their window."""
    causes = [{"type": "illegal_argument_exception", "reason": "Result window is too large"}]
    error = {"root_cause": causes, "reason": "all shards failed", "phase": "query"}
    output = refused(answering({"error": error, "status": 400}, status=400))
    assert "status 400 (Result window is too large)" in str(output)


@pytest.mark.parametrize(
    ("output", "wait"),
    [("3", 3.0), ("0", 0.0), ("soon", None), (formatdate(0, usegmt=True), 0.0), (None, None)],
)
def test_retry_after_in_seconds(output: str | None, wait: float | None) -> None:
    error = refused(answering(b"", status=429, Retry_After=output or ""))
    assert error.wait == wait


def test_retry_after_as_a_date() -> None:
    error = refused(answering(b"", status=503, Retry_After=formatdate(time.time() + 6000)))
    assert error.wait is not None
    assert 5000 < error.wait <= 6000


def test_a_refused_connection() -> None:
    with serving(GOOD) as server:
        url = server.url
    with pytest.raises(SearchError, match=r"no connection \(Connection refused\)") as error:
        asked(url)
    assert error.value.transient


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_an_unknown_host(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def look_up(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(number, "nobody knows")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(SearchError, match="http://shop.example: no such host") as error:
        asked("http://shop.example")
    assert error.value.transient is (number == socket.EAI_AGAIN)


@pytest.mark.parametrize(
    "reply",
    [None, b"HTTP/1.1 200 OK\r\nContent-Le", GOOD[:-10], b"HTTP/1.1 200 OK\r\n"],
    ids=["at once", "in the head", "in the body", "before the body"],
)
def test_half_closed(reply: bytes | None) -> None:
    error = refused(lambda asked, number: reply)
    assert error.transient
    assert "closed before the answer" in str(error) or "the answer is truncated" in str(error)


def test_half_closed_in_a_chunk() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    error = refused(head + b'20\r\n{"hits": ')
    assert error.transient
    whole = b"".join(b"%x\r\n%s\r\n" % (1, bytes([c])) for c in GOOD.partition(b"\r\n\r\n")[2])
    with serving(head + whole + b"0\r\n\r\n") as server:
        assert asked(server.url) == [ANSWER]


def test_responses_that_are_not_http() -> None:
    error = refused(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
    assert not error.transient
    assert "not an HTTP answer" in str(error)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"hits": ', b"\xff\xfe\xff", b"NaN", b"[" * 100_000],
    ids=["empty", "html", "cut", "bytes", "nan", "deep"],
)
def test_wrong_json(body: bytes) -> None:
    error = refused(answering(body))
    assert not error.transient
    assert "the answer is not JSON" in str(error)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, r"the answer has no 'hits' \(no keys\), expected hits.hits\[\]"),
        ({"hits": []}, "a list instead of an object with 'hits'"),
        ({"hits": {"hits": {}}}, "an object instead of a list"),
        ({"hits": {"hits": [{"_id": "a", "_score": 1}, {"_i": 1}]}}, r"no '_id' \(_i.*number 2"),
        ({"hits": {"hits": ["a"]}}, "a text instead of an object with '_id'"),
        ({"hits": {"hits": [{"_id": 1.5, "_score": 1}]}}, "id is a number, not text"),
        ({"hits": {"hits": [{"_id": True, "_score": 1}]}}, "id is true, not text"),
        ({"hits": {"hits": [{"_id": "", "_score": 1}]}}, "id is an empty text, not text"),
        ({"hits": {"hits": [{"_id": "a", "_score": "1"}]}}, "score is a text, not a number"),
        (
            {"hits": {"hits": [{"_id": "a", "_score": 1}, {"_id": "b", "_score": None}]}},
            "score is null, not a number",
        ),
    ],
)
def test_responses_of_another_structure_are_errors(body: Any, message: str) -> None:
    error = refused(answering(body))
    assert not error.transient
    with pytest.raises(SearchError, match=message):
        raise error


def test_a_response_of_some_shards_is_an_error() -> None:
    for change in ({"timed_out": True}, {"_shards": {"failed": 2}}):
        error = refused(answering({**hits(("d1", 1.0)), **change}))
        assert error.transient
        assert "the answer is incomplete" in str(error)


def test_charsets() -> None:
    body = '{"hits": {"hits": [{"_id": "é", "_score": 1}]}}'
    kind = "application/json; charset=ISO-8859-1"
    with serving(answering(body.encode("latin-1"), kind=kind)) as server:
        assert asked(server.url) == [Answer(["é"], [1.0])]
    error = refused(answering(body, kind="application/json; charset=klingon"))
    assert "has the charset 'klingon'" in str(error)


def test_compressed_answers() -> None:
    body = GOOD.partition(b"\r\n\r\n")[2]
    with serving(answering(gzip.compress(body), Content_Encoding="gzip")) as server:
        assert asked(server.url) == [ANSWER]
        assert server.asked[0].headers["accept-encoding"] == "gzip"
    error = refused(answering(gzip.compress(body)[:-9], Content_Encoding="gzip"))
    assert "the answer is truncated" in str(error)
    assert error.transient
    error = refused(answering(b"no gzip at all", Content_Encoding="gzip"))
    assert "the compressed answer is damaged" in str(error)
    error = refused(answering(body, Content_Encoding="br"))
    assert "compressed with 'br'" in str(error)


def test_huge_answers() -> None:
    promised = b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n"
    error = refused(promised)
    assert "larger than 64 MiB" in str(error)
    assert not error.transient
    error = refused(answering(b"x" * 2000), largest_answer=1999)
    assert "larger than 1999 bytes" in str(error)
    endless = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"7d0\r\n%s\r\n" % (
        b"x" * 2000
    )
    error = refused(endless, largest_answer=1999)
    assert "larger than 1999 bytes" in str(error)


def test_a_small_response_that_expands_to_a_huge_one() -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    bomb = squeezed(64)
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    try:
        error = refused(bomb, largest_answer=1 << 20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "larger than 1 MiB" in str(error)
    assert peak < 16 << 20


def chunked(*parts: bytes) -> bytes:
    """Return an answer that is packed and comes in chunks."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


def test_data_after_a_compressed_response_is_not_kept() -> None:
    packed = gzip.compress(GOOD.partition(b"\r\n\r\n")[2])

    def endless(asked: Asked, number: int) -> Iterator[bytes]:
        yield chunked(packed)
        while True:
            yield b"4\r\nmore\r\n" * 1000

    with serving(endless) as server:
        assert asked(server.url, largest_answer=1000) == [ANSWER]


def test_a_too_long_gzip_header_is_an_error() -> None:
    # A gzip header can contain a file name of any length.
    begun = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03"
    error = refused(chunked(begun, b"a" * 5000), largest_answer=1000)
    assert "larger than 1000 bytes" in str(error)


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "zlib", "none\u00e9"])
def test_unsupported_charsets_are_errors(charset: str) -> None:
    # A million letters of punycode would take minutes.
    kind = f"application/json; charset={charset}"
    error = refused(answering("a" * 1_000_000, kind=kind))
    assert "the answer has the charset" in str(error)


def test_a_score_of_too_many_digits_is_an_error() -> None:
    body = json.dumps(hits(("d1", 1.0))).replace("1.0", "1" + "0" * 400)
    assert "more than 308 digits" in str(refused(answering(body)))


def test_redirects_on_the_same_host_are_followed() -> None:
    def behave(asked: Asked, number: int) -> bytes:
        if number < 2:
            return answering(status=307, Location=f"/elsewhere/{number}")
        return GOOD

    with serving(behave) as server:
        assert asked(server.url) == [ANSWER]
        assert [one.target for one in server.asked] == [
            "/shop/_search",
            "/elsewhere/0",
            "/elsewhere/1",
        ]
        assert server.asked[0].body == server.asked[2].body


def test_redirects_to_other_hosts_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-key")
    with serving(GOOD) as other:
        for location in (f"{other.url}/shop", f"//127.0.0.1:{other.port}/", "https://127.0.0.1/"):
            error = refused(
                answering(status=307, Location=location), headers={"X-Key": "${SHOP_KEY}"}
            )
            assert "redirected to another host, http" in str(error)
            assert not error.transient
        assert other.asked == []


@pytest.mark.parametrize(
    "location",
    [
        "http://ann:pw@{host}/there",
        "//ann@{host}/there",
        "http://{host}\\.evil.example/",
        "http:\\\\evil.example/",
        "/\\evil.example/",
        "http://{host}\t.evil.example/",
        "http://{host}0000/",
        "http://[evil",
        "http://{host} .evil.example/",
    ],
)
def test_ambiguous_redirects_are_errors(location: str) -> None:
    def behave(asked: Asked, number: int) -> bytes:
        where = location.format(host=asked.headers["host"])
        return GOOD if number else answering(b"", status=307, Location=where)

    with serving(behave) as server:
        with pytest.raises(SearchError, match="redirected to another host, an invalid address"):
            asked(server.url)
        assert len(server.asked) == 1


def test_endless_and_invalid_redirects_are_errors() -> None:
    assert "more than 5 redirects" in str(refused(answering(status=308, Location="/again")))
    assert "redirected to another host, without an address" in str(refused(answering(status=307)))
    assert "drops the request's body" in str(refused(answering(status=302, Location="/other")))


def test_neither_cookies_nor_proxies_nor_netrc(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password s3cret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    reply = answering(hits(("d1", 2.0), ("d2", 1.0)), Set_Cookie="session=7; Path=/")
    with serving(reply) as server:
        assert asked(server.url, times=2) == [ANSWER] * 2
        for request in server.asked:
            assert not {"cookie", "authorization"} & request.headers.keys()


def test_keys_repeated_by_the_server_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-key")
    error = refused(
        answering({"message": "unknown key s3cret-key"}, status=401),
        headers={"Authorization": "ApiKey ${SHOP_KEY}"},
    )
    assert "status 401 (unknown key ***)" in str(error)
    assert "s3cret" not in repr(error.__dict__)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(
        GainfulError,
        match=r"the package aiohttp is not installed.* pip install 'gainful\[search\]'",
    ):
        asked("http://localhost:1")


def test_the_requested_delay_is_passed_on() -> None:
    """The search decides how long to wait; the transport fails immediately."""

    def behave(asked: Asked, number: int) -> bytes:
        time.sleep(5)
        return GOOD

    async def give_up(url: str) -> None:
        system = load_system(
            {
                "engine": "http",
                "url": url,
                "params": {"q": "{{query}}", "n": "{{k}}"},
                "results": {"documents": "hits"},
            }
        )
        try:
            asking: Any = system.ask([Query("q", "x")], 1)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asking, 0.05)  # short: the answer takes five seconds
        finally:
            await system.close()  # type: ignore[misc]

    with serving(behave) as server:
        asyncio.run(give_up(server.url))
