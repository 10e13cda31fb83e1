"""Descriptions of HTTP search engines: requests, secrets and errors."""

from __future__ import annotations

import asyncio
import json
import traceback
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import FormatError, SearchError
from gainful.systems import Query, load_system
from gainful.systems.http.requests import preset
from gainful.systems.http.transport import Request, Response
from http_faults import answering, serving
from requirements import need

need("aiohttp")

GENERIC: dict[str, Any] = {
    "engine": "http",
    "url": "http://localhost:8080",
    "params": {"q": "{{query}}", "n": "{{k}}"},
    "results": {"documents": "ids"},
}
SHOP: dict[str, Any] = {
    "engine": "elasticsearch",
    "url": "http://localhost:9200",
    "index": "shop",
    "body": {"query": {"match": {"title": "{{query}}"}}},
}


class Kept:
    """A transport that keeps what it is given, and answers nothing in particular."""

    def __init__(self, body: Any = None) -> None:
        self.requests: list[Request] = []
        self.body = {"ids": []} if body is None else body

    async def send(self, request: Request) -> Response:
        self.requests.append(request)
        return Response(200, {}, json.dumps(self.body).encode())

    async def close(self) -> None:
        pass


def sent(description: dict[str, Any], query: Query, k: int = 10, **more: Any) -> Request:
    kept = Kept(more.pop("answer", None))
    system = load_system(description, transport=kept, **more)
    asyncio.run(system.ask([query], k))  # type: ignore[arg-type]
    (request,) = kept.requests
    return request


def answers(body: Any, k: int = 10, **results: Any) -> Any:
    system = load_system({**GENERIC, "results": results}, transport=Kept(body))
    return asyncio.run(system.ask([Query("q", "x")], k))[0]  # type: ignore[arg-type]


# What is sent.


@given(st.text(min_size=1), st.integers(1, 10_000))
def test_what_was_typed_arrives_as_it_was_typed(typed: str, k: int) -> None:
    query = Query("q", typed)
    try:
        typed.encode()
    except UnicodeEncodeError:
        with pytest.raises(SearchError, match="not UTF-8"):
            sent(GENERIC, query, k)
        return
    target = sent(GENERIC, query, k).target
    assert target.isascii()
    assert parse_qsl(urlsplit(target).query, keep_blank_values=True) == [
        ("q", typed),
        ("n", str(k)),
    ]
    form = {**GENERIC, "form": {"query": "<{{query}}>", "n": "{{k}}"}, "params": {}}
    request = sent(form, query, k)
    assert request.method == "POST"
    assert request.content_type == "application/x-www-form-urlencoded"
    assert request.body is not None
    assert parse_qs(request.body.decode())["query"] == [f"<{typed}>"]
    body = sent({**SHOP}, query, k, answer={"hits": {"hits": []}}).body
    assert body is not None
    assert json.loads(body)["query"] == {"match": {"title": typed}}


def test_what_was_typed_is_one_segment_of_a_path() -> None:
    description = {**GENERIC, "path": "/find/{{query}}/top", "params": {"n": "{{k}}"}}
    assert sent(description, Query("q", "a/b?c#d é")).target == (
        "/find/a%2Fb%3Fc%23d%20%C3%A9/top?n=10"
    )
    for typed in (".", ".."):
        with pytest.raises(SearchError, match="expected a path without '.' and '..'"):
            sent(description, Query("q", typed))


def test_addresses_with_a_path_and_parameters_of_their_own() -> None:
    query = Query("q", "x")
    description = {**GENERIC, "url": "http://localhost:8080/api/"}
    assert sent({**description, "path": "/find"}, query).target == "/api/find?q=x&n=10"
    assert sent(description, query).target == "/api?q=x&n=10"
    description = {**GENERIC, "url": "https://shop.example/find?lang=de"}
    assert sent(description, query).target == "/find?lang=de&q=x&n=10"


def test_parameters_of_all_kinds() -> None:
    params = {"q": "{{query}}", "n": "{{k}}", "fq": ["a:1", "b:2"], "debug": False, "boost": 0.5}
    target = sent({**GENERIC, "params": params}, Query("q", "x")).target
    assert target == "/?q=x&n=10&fq=a%3A1&fq=b%3A2&debug=false&boost=0.5"


def test_fields_and_settings() -> None:
    description = {
        **SHOP,
        "fields": {"locale": "en"},
        "settings": {"boost": {"title": 2}, "fields": ["title", "brand"]},
        "body": {
            "query": {
                "multi_match": {"query": "{{query}}", "fields": ["title^{{boost.title}}"]},
                "filter": {"locale": "{{field.locale}}", "in": "{{fields}}"},
            }
        },
    }
    answer = {"hits": {"hits": []}}
    request = sent(description, Query("q", "x", {"locale": "de"}), answer=answer)
    assert json.loads(request.body or b"")["query"] == {
        "multi_match": {"query": "x", "fields": ["title^2"]},
        "filter": {"locale": "de", "in": ["title", "brand"]},
    }
    request = sent(description, Query("q", "x"), settings={"boost.title": 0.5}, answer=answer)
    assert json.loads(request.body or b"")["query"]["multi_match"]["fields"] == ["title^0.5"]
    assert json.loads(request.body or b"")["query"]["filter"]["locale"] == "en"


@pytest.mark.parametrize("engine", ["elasticsearch", "opensearch", "qdrant", "solr"])
def test_presets(engine: str) -> None:
    shown_text = preset(engine)
    assert shown_text.title
    assert shown_text.evidence
    (key,) = shown_text.keys
    description = {
        "engine": engine,
        "url": "http://localhost:1",
        key: "my shop",
        "body": {} if engine == "qdrant" else {"query": {"x": "{{query}}"}},
    }
    query = Query("q", "x", {"vector": [0.5, 1.0]})
    answer = {
        "elasticsearch": {"hits": {"hits": [{"_id": "a", "_score": 2.5}]}},
        "opensearch": {"hits": {"hits": [{"_id": "a", "_score": 2.5}]}},
        "qdrant": {"result": {"points": [{"id": 7, "score": 2.5}]}},
        "solr": {"response": {"docs": [{"id": "a", "score": 2.5}]}},
    }[engine]
    kept = Kept(answer)
    system = load_system(description, transport=kept)
    (found,) = asyncio.run(system.ask([query], 10))  # type: ignore[arg-type]
    assert found == (["7" if engine == "qdrant" else "a"], [2.5])
    (request,) = kept.requests
    assert "/my%20shop/" in request.target
    del description[key]
    with pytest.raises(FormatError, match=f"'{key}' is missing, expected the name of"):
        load_system(description)


# Where documents stand.


def test_paths_of_answers() -> None:
    assert answers({"ids": ["a", "b", "c"]}, k=2, documents="ids") == (["a", "b"], None)
    assert answers([3, 4], documents="") == (["3", "4"], None)
    assert answers([{"id": 3}], documents="[]", id="id") == (["3"], None)
    groups = {"g": [{"d": [{"i": "a"}]}, {"d": [{"i": "b"}, {"i": "c"}]}]}
    assert answers(groups, documents="g[].d[]", id="i") == (["a", "b", "c"], None)
    assert answers({"r": [["a"], ["b"]]}, documents="r[1]") == (["b"], None)
    dotted = {"a.b": [{"x": {"y": ["i"]}, "s": 2}]}
    assert answers(dotted, documents='"a.b"', id="x.y[0]", score="s") == (["i"], [2.0])
    assert answers({"root": {}}, documents="root.children?[]") == ([], None)
    assert answers({"hits": None}, documents="hits") == ([], None)
    near = {"o": [{"i": "a", "distance": 0.25}]}
    assert answers(near, documents="o", id="i", score="-distance") == (["a"], [-0.25])
    unscored = {"o": [{"i": "a", "s": None}]}
    assert answers(unscored, documents="o", id="i", score="s") == (["a"], None)


@pytest.mark.parametrize("path", ["a..b", ".a", "a[x]", "a[", "a[]b", "a."])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(FormatError, match="results.documents = .* expected a path such as"):
        load_system({**GENERIC, "results": {"documents": path}}, transport=Kept())


def test_what_an_answer_says_of_itself() -> None:
    whole = {"documents": "ids", "expect": {"complete": True, "a.b": 0}, "error": "errors"}
    assert answers({"ids": [], "complete": True, "errors": []}, **whole) == ([], None)
    with pytest.raises(SearchError, match="complete is false, expected true") as error:
        answers({"ids": [], "complete": False}, **whole)
    assert error.value.transient
    with pytest.raises(SearchError, match='the answer reports an error: .*"no field x"'):
        answers({"ids": [], "errors": [{"message": "no field x"}]}, **whole)


def test_an_engine_with_a_maximum_of_results() -> None:
    few = {**GENERIC, "params": {"q": "{{query}}"}, "results": {"documents": "ids", "most": 20}}
    sent(few, Query("q", "x"), 20)
    with pytest.raises(SearchError, match="k = 21, but the engine returns at most 20"):
        sent(few, Query("q", "x"), 21)


# What is refused.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"url": "localhost:9200"}, "url = 'localhost:9200', expected http://host:port"),
        ({"url": "ftp://x"}, "url = 'ftp://x'"),
        ({"url": "http://u:secret@h:1"}, r"url = 'http://u:\*\*\*@…'.*environment variable"),
        ({"url": "http//u:secret@h:1"}, r"url = 'http//\*\*\*@h:1'"),
        ({"headers": {"Authorization": "Bearer abc"}}, r"headers.Authorization = '\*\*\*'"),
        ({"headers": {"X-Api-Key": "abc"}}, r"expected \$\{NAME\} in place of the secret"),
        ({"headers": {"a b": "x"}}, "expected the name of a header"),
        ({"headers": {"a": 1}}, "headers.a = 1, expected a text"),
        ({"params": {"q": "{{query}}", "n": "{{k}}", "api_key": "0123456789"}}, "params.api_key"),
        ({"params": {"q": "{{query}}", "n": {"k": "{{k}}"}}}, "params.n.*a value, or a list"),
        ({"params": {"n": "{{k}}"}}, r"'\{\{query\}\}' is missing, .*depends on the query"),
        ({"params": {"q": "{{query}}"}}, r"'\{\{k\}\}' is missing.*\[results\] most"),
        ({"params": "q"}, r"params = 'q', expected a table"),
        ({"method": "DELETE"}, "method = 'DELETE', expected one of GET, POST, PUT"),
        ({"body": {"a": 1}, "form": {"b": 2}}, r"either \[form\] or \[body\]"),
        ({"results": {}}, "'results.documents' is missing"),
        ({"results": {"documents": "a", "most": 0}}, "results.most = 0, expected at least 1"),
        ({"results": {"documents": "a", "ids": "b"}}, "did you mean 'results.id'"),
        ({"path": "/a/../b"}, "path = '/a/../b', expected a path without '.' and '..'"),
        ({"pth": "/x"}, "unknown key 'pth'.*did you mean 'path'"),
        ({"largest_answer": 0}, "largest_answer = 0, expected at least 1"),
        ({"settings": {"a": 1}}, "the setting 'a' is not used"),
        ({"tls": {"ca": "none.pem"}}, "tls.ca = 'none.pem', expected certificates in a file"),
        ({"path": "/{{k"}, "path.*: braces are not closed"),
    ],
)
def test_descriptions_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message) as error:
        load_system({**GENERIC, **change}, transport=Kept())
    assert "secret@" not in str(error.value)


def test_what_no_description_lacks() -> None:
    for key in ("url", "results"):
        rest = {name: value for name, value in GENERIC.items() if name != key}
        with pytest.raises(FormatError, match=f"'{key}' is missing"):
            load_system(rest, transport=Kept())


# What stays secret.


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-key")
    monkeypatch.setenv("SHOP_PASSWORD", "p@ss/w:rd")


def test_secrets_are_sent_only_to_the_engine(secrets: None, tmp_path: Path) -> None:
    with serving(answering({"ids": ["d1"]})) as server:
        description = {
            **GENERIC,
            "url": server.url.replace("//", "//me:${SHOP_PASSWORD}@"),
            "headers": {"X-Api-Key": "key ${SHOP_KEY}"},
            "params": {"q": "{{query}}", "n": "{{k}}", "token": "${SHOP_KEY}"},
        }
        record = tmp_path / "session.jsonl"
        system = load_system(description, record=record)
        query = Query("q", "${SHOP_KEY}")

        async def ask() -> None:
            await system.ask([query], 10)  # type: ignore[misc]
            await system.close()  # type: ignore[misc]

        asyncio.run(ask())
        (asked,) = server.asked
    basic = b64encode(b"me:p@ss/w:rd").decode()
    assert asked.headers["authorization"] == f"Basic {basic}"
    assert asked.headers["x-api-key"] == "key s3cret-key"
    # What is typed is never looked up in the environment.
    assert asked.target == "/?q=%24%7BSHOP_KEY%7D&n=10&token=s3cret-key"
    shown = system.show(query, 10)  # type: ignore[attr-defined]
    assert "X-Api-Key: key ${SHOP_KEY}" in shown
    for shown_text in (shown, repr(system), json.dumps(system.identity), record.read_text()):
        for secret in ("s3cret", "p@ss", "p%40ss", basic):
            assert secret not in shown_text


def test_a_whole_address_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering({"ids": ["d1"]})) as server:
        monkeypatch.setenv("SHOP_URL", server.url.replace("//", "//me:p%40ss@") + "/api/")
        system = load_system({**GENERIC, "url": "${SHOP_URL}", "path": "/find"})

        async def ask() -> None:
            await system.ask([Query("q", "x")], 10)  # type: ignore[misc]
            await system.close()  # type: ignore[misc]

        asyncio.run(ask())
        (asked,) = server.asked
        assert asked.target == "/api/find?q=x&n=10"
        assert asked.headers["authorization"].startswith("Basic ")
        # Another server is another system, even where a variable says which.
        assert system.identity["url"] == server.url + "/api"


@pytest.mark.parametrize(
    "reply", [b"SSH-2.0\r\n\r\n", answering("bad key p%40ss%2Fw%3Ard p@ss/w:rd", status=403)]
)
def test_no_traceback_names_what_stands_in_an_address(secrets: None, reply: bytes) -> None:
    params = {"q": "{{query}}", "n": "{{k}}", "token": "${SHOP_PASSWORD}"}
    with serving(reply) as server:
        system = load_system({**GENERIC, "url": server.url, "params": params})

        async def ask() -> None:
            try:
                await system.ask([Query("q", "x")], 10)  # type: ignore[misc]
            finally:
                await system.close()  # type: ignore[misc]

        with pytest.raises(SearchError) as error:
            asyncio.run(ask())
    shown_text = "".join(traceback.format_exception(error.value))
    assert "w:rd" not in shown_text
    assert "w%3Ard" not in shown_text


@pytest.mark.parametrize("key", ["url", "headers"])
def test_no_setting_asks_the_environment(secrets: None, key: str) -> None:
    settings = {"settings": {"who": "${SHOP_KEY}"}}
    change = {"url": {"url": "http://{{who}}:1"}, "headers": {"headers": {"X-Who": "{{who}}"}}}[key]
    with pytest.raises(FormatError, match="in the description itself, not in a setting"):
        load_system({**GENERIC, **settings, **change}, transport=Kept())
    params = {"q": "{{query}}", "n": "{{k}}", "who": "{{who}}"}
    described = {**GENERIC, **settings, "params": params, "path": "/{{who}}"}
    target = sent(described, Query("q", "x")).target
    assert target == "/%24%7BSHOP_KEY%7D?q=x&n=10&who=%24%7BSHOP_KEY%7D"


def test_where_the_environment_may_stand(secrets: None) -> None:
    with serving(answering({"ids": ["d1"]})) as server:
        system = load_system({**GENERIC, "url": server.url, "path": "/of/${SHOP_KEY}/{{query}}"})

        async def ask() -> None:
            await system.ask([Query("q", "${SHOP_KEY}")], 10)  # type: ignore[misc]
            await system.close()  # type: ignore[misc]

        asyncio.run(ask())
        assert server.asked[0].target.startswith("/of/s3cret-key/%24%7BSHOP_KEY%7D?")
    with pytest.raises(FormatError, match=r"Hint: \$\{NAME\} is allowed in url, path"):
        load_system({**SHOP, "index": "${SHOP_KEY}"}, transport=Kept())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, r"variable SHOP_URL is not set.*export SHOP_URL=…"),
        ("", "is not set"),
        ("hunter2", r"url = '\$\{SHOP_URL\}', expected http://host:port"),
        ("http://h:port", "expected http://host:port"),
        ("http://h:1/find?token=hunter2", "expected http://host:port"),
    ],
)
def test_variables_that_do_not_help(
    monkeypatch: pytest.MonkeyPatch, value: str | None, message: str
) -> None:
    monkeypatch.delenv("SHOP_URL", raising=False)
    if value is not None:
        monkeypatch.setenv("SHOP_URL", value)
    with pytest.raises(FormatError, match=message) as error:
        load_system({**GENERIC, "url": "${SHOP_URL}"})
    assert "hunter2" not in str(error.value)


def test_a_header_of_several_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "abc\r\nX-Evil: 1")
    with pytest.raises(FormatError, match="expected a single line") as error:
        load_system({**GENERIC, "headers": {"X-Key": "${SHOP_KEY}"}})
    assert "Evil" not in str(error.value)


def test_a_header_that_would_end_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "secret")
    with pytest.raises(FormatError, match="expected a single line"):
        load_system({**GENERIC, "headers": {"X-Key": "${SHOP_KEY}\0"}})


@pytest.mark.parametrize("url", ["http://${SHOP_KEY}@{host}", "${SHOP_URL}"])
def test_a_key_in_the_place_of_a_user_or_in_a_path(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SHOP_KEY", "sk-0123/456789")
    repeated = f"no sk-0123/456789 or {b64encode(b'sk-0123/456789:').decode()}"
    with serving(answering(repeated, status=401)) as server:
        host = server.url.removeprefix("http://")
        monkeypatch.setenv("SHOP_URL", f"http://sk-0123%2F456789@{host}/KEY-0123456789")
        system = load_system({**GENERIC, "url": url.replace("{host}", host)})

        async def ask() -> None:
            try:
                await system.ask([Query("q", "x")], 10)  # type: ignore[misc]
            finally:
                await system.close()  # type: ignore[misc]

        with pytest.raises(SearchError) as error:
            asyncio.run(ask())
        assert "status 401 (no *** or" in str(error.value)
        assert ("KEY" in server.asked[0].target) is (url == "${SHOP_URL}")
    for shown_text in (str(error.value), json.dumps(system.identity), repr(system)):
        assert "0123" not in shown_text
        assert b64encode(b"sk-0123/4").decode() not in shown_text


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"q": "{{query}}", "n": "{{k}}", "apiKey": "0123456789"}},
        {"form": {"access_token": "0123456789"}},
        {"url": "http://localhost:8080/find?lang=de&api-key=0123456789"},
        {"path": "/find?sig=0123456789"},
        {"headers": {"X-Api-Key": "0123456789"}},
        {"url": "http://ann:0123456789@localhost:8080"},
        {"url": "http://ann:01234/56789@localhost:8080"},
        {"url": "http://ann:01234?56789@localhost:8080"},
    ],
)
def test_a_key_in_the_file_itself_is_refused_and_not_shown(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError) as error:
        load_system({**GENERIC, **change})
    assert "01234" not in str(error.value)


def test_parameters_whose_names_only_sound_like_keys() -> None:
    params = {"author": "shakespeare", "sort_key": "popularity", "tokenizer": "standard"}
    target = sent({**GENERIC, "params": {**GENERIC["params"], **params}}, Query("q", "x")).target
    assert target.endswith("&author=shakespeare&sort_key=popularity&tokenizer=standard")


def test_identities_tell_what_matters() -> None:
    def identity(change: dict[str, Any], **more: Any) -> dict[str, Any]:
        return dict(load_system({**GENERIC, **change}, **more).identity)

    settings = {"settings": {"a": 1}, "params": {"q": "{{query}}", "n": "{{k}}", "a": "{{a}}"}}
    same = identity(settings)
    assert same == identity({**settings, "name": "other", "largest_answer": 10})
    assert same != identity(settings, settings={"a": 2})
    assert same != identity({**settings, "url": "http://localhost:8081"})
    assert same != identity({**settings, "path": "/other"})
    json.dumps(same)


def test_certificates() -> None:
    load_system({**GENERIC, "url": "https://localhost:1", "tls": {"verify": False}})
    with pytest.raises(FormatError, match="tls.verify = 'no', expected true or false"):
        load_system({**GENERIC, "tls": {"verify": "no"}})
