"""The judging page on a full disk, and after its session is deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from free_ports import free_port
from gainful.errors import SourceError
from gainful.judging import Session
from gainful.judging_page import server
from judging_servers import PageProcess, RunningPage, full_disk, served, signed_in
from requirements import need

need("starlette")

GRADE = {"kind": "grade", "query_id": "q0", "doc_id": "d0-0", "grade": 1, "client_id": "c1"}


def test_a_full_disk_is_named_and_its_labels_are_not_counted(tmp_path: Path) -> None:
    with (
        served(tmp_path) as page,
        signed_in(page.address, page.access.issue("eva")) as client,
    ):
        with full_disk(page.session):
            for _ in range(2):
                answer = client.post("/api/events", json={"events": [GRADE]})
                assert answer.status_code == 503
                assert "no space left on the device" in answer.json()["error"]
            progress = client.get("/api/overview").json()["progress"]
            assert (progress["done"], progress["judges"]) == (0, [])
        answer = client.post("/api/events", json={"events": [GRADE]})
        assert answer.json()["progress"]["own"]["labels"] == 1


def test_an_address_works_again_when_there_is_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, chunks: object) -> None:
        raise SourceError("no space left on the device", file=path)

    with served(tmp_path) as page:
        token = page.access.issue("ana")
        client = httpx.Client(base_url=page.address, timeout=60)
        with monkeypatch.context() as patched, client:
            patched.setattr(server, "write_whole", fail)
            headers = {"origin": page.address[:-1]}
            answer = client.post("/api/enter", json={"token": token}, headers=headers)
            assert (answer.status_code, answer.json()) == (
                503,
                {"error": "no space left on the device"},
            )
        with signed_in(page.address, token):
            pass


def test_a_deleted_session_stops_the_page(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pool.txt").write_text("q0 d0-0\nq0 d0-1\n")
    words = ("pool.txt", "--judge", "ana", "--port", str(free_port()), "--no-browser")
    page = PageProcess(*words, folder=tmp_path)
    address, _, token = page.address.partition("#")
    try:
        with signed_in(address, token) as client:
            assert client.post("/api/events", json={"events": [GRADE]}).status_code == 200
            (tmp_path / "pool.session").unlink()
            event = {**GRADE, "doc_id": "d0-1", "client_id": "c2"}
            answer = client.post("/api/events", json={"events": [event]})
            assert answer.status_code == 503
            assert "deleted" in answer.json()["error"]
        assert page.process.wait() == 2
    finally:
        page.kill()
    assert "pool.session: the session was deleted" in capfd.readouterr().err
    with Session(tmp_path / "pool.session.backup", read_only=True) as session:
        assert session.final_grades()["q0"]["d0-0"] == 1


def test_the_browser_says_what_is_wrong_and_sends_again(
    browser: Any, opened: Callable[..., Any], tmp_path: Path
) -> None:
    with served(tmp_path) as page, browser.new_context() as context:
        context.clock.install()
        tab = opened(page.link("ana"), context=context)
        tab.wait_for_selector("text=Title d0-0")
        with full_disk(page.session):
            tab.keyboard.press("2")
            tab.wait_for_selector("text=Not stored: the session cannot be used: no space left")
            assert "No connection" not in tab.locator("#banner").inner_text()
            assert graded(page) == {}
        tab.clock.fast_forward(1000)
        tab.wait_for_selector("#banner", state="hidden")
        assert graded(page) == {"q0": {"d0-0": 2}}


def graded(page: RunningPage) -> dict[str, dict[str, float]]:
    return page.session.final_grades()
