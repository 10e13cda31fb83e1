"""Attacks on the judging page: other sites, other names, wrong tokens, other people's data."""

from __future__ import annotations

import json
import socket
import tracemalloc
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from free_ports import free_port
from gainful.errors import FormatError, GainfulError, ParameterError, SourceError
from gainful.judging_page import Access, Role, application, server
from gainful.judging_page.application import BODY_LIMIT
from gainful.judging_page.server import read_users
from judging_servers import RunningPage, client, served, small_pool
from requirements import need

need("starlette")

JSON = {"content-type": "application/json"}
GRADE = {"kind": "grade", "query_id": "q0", "doc_id": "d0-0", "grade": 1, "client_id": "c1"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPage]:
    folder = tmp_path_factory.mktemp("page")
    images = folder / "images"
    images.mkdir()
    (images / "a b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (images / "evil.svg").write_text("<svg onload='alert(1)'/>")
    (folder / "secret.png").write_text("secret")
    (images / "link.png").symlink_to(folder / "secret.png")
    from gainful.judging_page.documents import Images

    with served(folder, site={"images": Images(str(images))}) as found:
        yield found


def send(found: httpx.Client, *events: dict[str, Any], **options: Any) -> httpx.Response:
    return found.post("/api/events", json={"events": list(events)}, **options)


def test_a_token_enters_one_browser_and_becomes_a_strict_cookie(page: RunningPage) -> None:
    token = page.access.issue("ana")
    with client(page) as first, client(page) as second:
        answer = first.post("/api/enter", json={"token": token})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert token.lower() not in cookie
        assert first.get("/api/settings").json()["judge"] == "ana"
        assert second.post("/api/enter", json={"token": token}).status_code == 403
        assert second.get("/api/settings").status_code == 401


@pytest.mark.parametrize("token", ["", "x" * 32, "\x00", None, 5, ["a"], {"a": 1}])
def test_wrong_tokens_do_not_enter(page: RunningPage, token: object) -> None:
    with client(page) as found:
        answer = found.post("/api/enter", json={"token": token})
        assert answer.status_code in (400, 403)
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["next", "settings", "labels", "back", "listing?query=q0"])
def test_data_needs_a_cookie(page: RunningPage, path: str) -> None:
    with client(page) as found:
        assert found.get(f"/api/{path}").status_code == 401
        found.cookies.set("judge-test", "x" * 43)
        assert found.get(f"/api/{path}").status_code == 401
        assert send(found, GRADE).status_code == 401
    assert page.session.events() == []


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1", "localhost:1", "", "a\tb"]
)
def test_other_names_of_this_computer_are_refused(page: RunningPage, host: str) -> None:
    with client(page, "ana") as found:
        for path in ("/", "/api/next", "/assets/main.js"):
            assert found.get(path, headers={"host": host}).status_code in (400, 421)
        for known in page.hosts:
            assert found.get("/api/next", headers={"host": known}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://127.0.0.1"}, 403),
        ({"origin": None}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": "multipart/form-data; boundary=application/json"}, 415),
        ({"content-type": None}, 415),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_other_sites_cannot_send_events(
    page: RunningPage, headers: dict[str, str | None], status: int
) -> None:
    before = page.session.events()
    with client(page, "ana") as found:
        request = found.build_request("POST", "/api/events", json={"events": [GRADE]})
        for name, value in headers.items():
            if value is None:
                request.headers.pop(name, None)
            else:
                request.headers[name] = value
        assert found.send(request).status_code == status
    assert page.session.events() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page: RunningPage, method: str) -> None:
    with client(page, "ana") as found:
        assert found.request(method, "/api/events").status_code == 405


def test_every_answer_forbids_other_sources(page: RunningPage) -> None:
    with client(page, "ana") as found:
        for path in ("/", "/assets/main.js", "/api/next", "/missing", "/images/x.png"):
            headers = found.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in headers
            assert "server" not in headers


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "..%2fsecret.png",
        "%2e%2e/secret.png",
        "a/../../secret.png",
        "..\\secret.png",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "evil.svg",
        "link.png",
        "missing.png",
        "a%00.png",
        "%ff.png",
        "x" * 5000 + ".png",
        "",
    ],
)
def test_no_other_file_is_an_image(page: RunningPage, name: str) -> None:
    with client(page, "ana") as found:
        answer = found.get(f"/images/{name}")
        assert answer.status_code == 404
        assert "secret" not in answer.text
        assert found.get("/images/a%20b.png").headers["content-type"] == "image/png"
    with client(page) as stranger:
        assert stranger.get("/images/a%20b.png").status_code == 401


@pytest.mark.parametrize("name", ["../access.py", "..%2faccess.py", "page.py", "%2e%2e%2f", "x.js"])
def test_no_other_file_is_an_asset(page: RunningPage, name: str) -> None:
    with client(page) as found:
        assert found.get(f"/assets/{name}").status_code == 404


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"null", b'{"events": 5}', b"\xff", b"[" * 100_000]
)
def test_bodies_that_are_no_events_are_refused(page: RunningPage, body: bytes) -> None:
    with client(page, "ana") as found:
        headers = {"content-type": "application/json"}
        assert found.post("/api/events", content=body, headers=headers).status_code == 400


def test_a_large_body_is_refused_before_it_is_read(page: RunningPage) -> None:
    connection = HTTPConnection(page.hosts[0], timeout=60)
    connection.putrequest("POST", "/api/events")
    headers = {"origin": page.address[:-1], "content-type": "application/json"}
    for name, value in {**headers, "content-length": str(BODY_LIMIT + 1)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    with connection.getresponse() as answer:
        assert answer.status == 413
    connection.close()


def test_wrong_events_are_refused_one_by_one(tmp_path: Path) -> None:
    with served(tmp_path) as page, client(page, "ana") as found:
        wrong = [
            5,
            {},
            {**GRADE, "grade": 9, "client_id": "w1"},
            {**GRADE, "doc_id": "d9", "client_id": "w2"},
            {**GRADE, "client_id": None},
            {**GRADE, "kind": "adjudicate", "client_id": "w3"},
            {**GRADE, "kind": "reopen", "grade": None, "client_id": "w4"},
            {**GRADE, "kind": ["grade"], "client_id": "w5"},
            {"kind": "note", "query_id": "q0", "text": "x" * 100_001, "client_id": "w6"},
        ]
        answer = send(found, *wrong, GRADE).json()
        assert [bool(each.get("error")) for each in answer["events"]] == [True] * len(wrong) + [
            False
        ]
        assert [each.client_id for each in page.session.events()] == ["c1"]


def test_judges_see_only_their_own_labels(tmp_path: Path) -> None:
    pool = [(*pair, 2) for pair in small_pool()]
    with served(tmp_path, pool) as page, client(page, "ana") as ana, client(page, "ben") as ben:
        send(ana, GRADE, {"kind": "note", "query_id": "q0", "doc_id": "d0-0", "text": "secret",
                          "client_id": "c2"})  # fmt: skip
        for path in ("next", "labels", "back", "listing?query=q0"):
            text = ben.get(f"/api/{path}").text
            assert "secret" not in text
            assert '"ana"' not in text
        assert ben.get("/api/labels").json() == {"labels": []}
        # The id of another judge's event is refused, and shows nothing about it.
        refused = send(ben, GRADE).json()["events"][0]
        assert "unique id" in refused["error"]


def test_revoked_people_are_out_at_once(tmp_path: Path) -> None:
    users = tmp_path / "users.txt"
    users.write_text("ana\nben\neva, owner\n")
    path = str(tmp_path / "access.json")
    access = Access(path, read_users(str(users)), str(users))
    secrets = {name: access.enter(access.issue(name)) for name in ("ana", "ben", "eva")}
    assert access.identify(secrets["eva"] or "") == ("eva", Role.OWNER)
    access.revoke("ben")
    assert access.identify(secrets["ben"] or "") is None
    unused = access.issue("ben")
    users.write_text("ben\n")
    assert access.identify(secrets["ana"] or "") is None
    assert access.enter(unused) is not None
    # A file that is damaged for a moment lets nobody in.
    users.write_text("")
    assert access.people() == {}
    users.write_text("ben\nana\n")
    assert list(access.people()) == ["ben", "ana"]


def test_the_file_of_people_is_private_and_contains_no_secrets(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    access = Access(str(path), {"ana": Role.JUDGE})
    unused, used = access.issue("ana"), access.issue("ana")
    secret = access.enter(used)
    assert secret is not None
    assert path.stat().st_mode & 0o077 == 0
    text = path.read_text()
    assert not any(each in text for each in (unused, used, secret))
    # Browsers remain signed in over a restart.
    again = Access(str(path), {"ana": Role.JUDGE, "ben": Role.JUDGE})
    assert again.identify(secret) == ("ana", Role.JUDGE)
    with pytest.raises(ParameterError, match="one of ana, ben"):
        again.issue("eva")
    path.write_text("[]")
    with pytest.raises(SourceError, match="cannot be read"):
        Access(str(path), {"ana": Role.JUDGE})


@pytest.mark.parametrize(
    "text", ["", "# nobody\n", "ana, boss\n", "ana\nana\n", "x" * 300, "a\x01\n", ", owner\n"]
)
def test_files_of_people_are_checked(tmp_path: Path, text: str) -> None:
    users = tmp_path / "users.txt"
    users.write_text(text)
    with pytest.raises((FormatError, ParameterError)):
        read_users(str(users))
    with pytest.raises(SourceError):
        read_users(str(tmp_path))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "--users FILE"),
        (["--host", "0.0.0.0", "--users", "u.txt"], "--insecure-lan"),
        (["--tls-cert", "c.pem"], "a certificate needs its key"),
        (["--images", "missing"], "no such folder"),
        (["--host", "203.0.113.7", "--users", "u.txt", "--insecure-lan"], "cannot listen"),
    ],
)
@pytest.mark.usefixtures("small_files")
def test_unsafe_and_wrong_options_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from gainful.cli import main

    Path("u.txt").write_text("ana\nben\n")
    Path("pool.pool").write_text("q1 r01\n")
    assert main(["judge", "pool.pool", "--no-browser", "--port", "0", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_session_contains_no_secret_of_its_people(tmp_path: Path) -> None:
    with served(tmp_path) as page, client(page, "ana") as found:
        send(found, GRADE)
        cookie = found.cookies["judge-test"]
    for path in tmp_path.iterdir():
        assert cookie.encode() not in path.read_bytes()
    assert json.loads((tmp_path / "labels.access").read_text())["ana"]["browsers"]
    assert isinstance(ParameterError("x"), GainfulError)


def raw(page: RunningPage, path: str, length: int, body: bytes = b"") -> bytes:
    """Send a request whose body does not end, and return the answer until the server closes."""
    host = page.address.split("/")[2]
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection(host.split(":"), timeout=60) as found:
        found.sendall(head.encode() + body)
        answer = b""
        while part := found.recv(65536):
            answer += part
            if b'"}' in answer:
                break
    return answer


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        ("/api/events", 3_900_000, b"401"),
        ("/api/adjudicate", 100, b"401"),
        ("/api/enter", 5_000, b"413"),
        ("/api/nothing", 100, b"401"),
    ],
)
def test_strangers_are_refused_before_their_body(
    page: RunningPage, path: str, length: int, status: bytes
) -> None:
    assert raw(page, path, length, b"{").split()[1] == status


def test_a_body_of_a_stranger_is_not_kept(page: RunningPage) -> None:
    with client(page) as found:
        tracemalloc.start()
        try:
            answer = found.post("/api/events", content=bytes(3_900_000), headers=JSON)
            assert answer.status_code == 401
            # The client has a copy of the body.
            assert tracemalloc.get_traced_memory()[1] < 6_000_000
        finally:
            tracemalloc.stop()


def test_unfinished_requests_end(page: RunningPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "_BODY_SECONDS", 0.05)
    assert raw(page, "/api/enter", 100, b"{").split()[1] == b"408"
    monkeypatch.setattr(server, "_HEADER_SECONDS", 0.05)
    for begun in (b"", b"GET / HT"):
        with socket.create_connection(page.address.split("/")[2].split(":"), timeout=60) as found:
            found.sendall(begun)
            assert found.recv(1) == b""


@pytest.mark.parametrize(
    "changed",
    [{"seconds": 10**400}, {"client_id": "\ud800"}, {"doc_id": "\ud800"}, {"grade": 10**400}],
    ids=str,
)
def test_values_that_no_page_sends_are_refused(page: RunningPage, changed: dict[str, Any]) -> None:
    with client(page, "ana") as found:
        content = json.dumps({"events": [{**GRADE, **changed}]})
        answer = found.post("/api/events", content=content, headers=JSON)
        assert answer.status_code == 200
        assert answer.json()["events"][0]["error"]


def test_a_body_does_not_wait_for_the_headers_to_be_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, options = server._protocol(), []

    class Recorded(usual):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            connection = transport.get_extra_info("socket")
            options.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(server, "_protocol", lambda: Recorded)
    with served(tmp_path, port=free_port()) as page, client(page) as found:
        assert found.get("/").status_code == 200
    assert options == [1]
