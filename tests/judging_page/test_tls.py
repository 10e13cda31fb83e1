"""The page over TLS, for a team in a network."""

from __future__ import annotations

import re
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from free_ports import free_port
from gainful.judging import Session
from judging_servers import PageProcess
from requirements import need

need("starlette")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate of this computer, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    paths = folder / "cert.pem", folder / "key.pem"
    options = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", "/CN=judging", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost")
    subprocess.run(
        [need("openssl"), "req", "-x509", *options, *names, "-out", paths[0], "-keyout", paths[1]],
        check=True,
        capture_output=True,
    )
    return paths


@pytest.fixture(scope="module")
def page(certificate: tuple[Path, Path]) -> Iterator[PageProcess]:
    folder = certificate[0].parent
    # Some are reserved for a judge in advance.
    (folder / "pool.pool").write_text("".join(f"q1 d{number}\n" for number in range(1, 20)))
    (folder / "users.txt").write_text("ana, owner\nben\n")
    found = PageProcess(
        *("pool.pool", "--users", "users.txt", "--host", "0.0.0.0", "--no-browser"),
        *("--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])),
        *("--port", str(free_port())),
        folder=folder,
    )
    yield found
    found.kill()


def entry(page: PageProcess, name: str) -> tuple[str, str]:
    """Return the address of a person on this computer, and the token."""
    found = re.search(rf"{name}: https://\S+:(\d+)/#(\S+)", page.greeting)
    assert found is not None, page.greeting
    return f"https://127.0.0.1:{found[1]}/", found[2]


def test_a_team_judges_over_tls(page: PageProcess, certificate: tuple[Path, Path]) -> None:
    address, token = entry(page, "ben")
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    with httpx.Client(base_url=address, verify=trusted, timeout=60) as client:
        secure = {"origin": address[:-1]}
        answer = client.post("/api/enter", json={"token": token}, headers=secure)
        assert "; secure" in answer.headers["set-cookie"].lower()
        grade = {"kind": "grade", "query_id": "q1", "doc_id": "d1", "grade": 1, "client_id": "x"}
        # The same computer without TLS is another site.
        other = {"origin": address[:-1].replace("https", "http")}
        events = {"events": [grade]}
        assert client.post("/api/events", json=events, headers=other).status_code == 403
        found = client.post("/api/events", json=events, headers=secure).json()
        assert "error" not in found["events"][0]
    with pytest.raises(httpx.TransportError):
        httpx.get(address.replace("https", "http"), timeout=60, verify=False)
    with Session(certificate[0].with_name("pool.session"), read_only=True) as session:
        assert [event.doc_id for event in session.events() if event.judge == "ben"] == ["d1"]


def test_a_browser_enters_over_tls(page: PageProcess, opened: Callable[..., Any]) -> None:
    address, token = entry(page, "ana")
    shown = opened(f"{address}#{token}", ignore_https_errors=True)
    shown.wait_for_selector(".document-title")
    (cookie,) = shown.context.cookies()
    assert cookie["secure"]
    assert cookie["httpOnly"]
    shown.keyboard.press("1")
    # The page forgets what the server has.
    shown.wait_for_function("() => localStorage.length === 0")


def test_a_certificate_that_cannot_be_used_is_one_message(
    certificate: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from gainful.cli import main

    monkeypatch.chdir(tmp_path)
    Path("pool.pool").write_text("q1 d1\n")
    Path("broken.pem").write_text("no certificate")
    for path in ("missing.pem", "broken.pem", str(certificate[1])):
        words = ("pool.pool", "--port", "0", "--tls-cert", path, "--tls-key", str(certificate[1]))
        assert main(["judge", *words, "--no-browser"]) == 2
        assert "cannot use the certificate" in capsys.readouterr().err
