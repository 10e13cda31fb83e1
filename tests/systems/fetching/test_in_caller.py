"""With one worker, blocking functions run in the calling thread."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from threading import current_thread, get_ident
from typing import Any

import pytest

import gainful
from gainful.errors import NoAnswerError, SearchError
from gainful.systems.fetching import base, in_threads

QUERIES = {f"q{at}": f"tea {at}" for at in range(5)}


def store() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table documents (id text, words text)")
    connection.executemany(
        "insert into documents values (?, ?)", [(f"d{at}", f"tea {at}") for at in range(5)]
    )
    return connection


def test_a_connection_of_sqlite3_is_used_in_a_closure() -> None:
    connection = store()

    def search(text: str, k: int) -> list[str]:
        found = connection.execute("select id from documents where words = ?", (text,))
        return [row[0] for row in found]

    run = gainful.search(search, QUERIES, k=3, workers=1)
    assert {query: list(run[query]) for query in run} == {
        f"q{at}": [(f"d{at}", None)] for at in range(5)
    }
    with pytest.raises(NoAnswerError, match=r"workers=1 calls it in the calling thread"):
        gainful.search(search, QUERIES, k=3, workers=2)


def test_all_calls_are_in_the_calling_thread_and_progress_is_reported() -> None:
    threads, seen = set(), []

    def search(text: str, k: int) -> list[str]:
        threads.add(get_ident())
        time.sleep(0.03)
        return ["d1"]

    gainful.search(
        search, QUERIES, k=1, workers=1, progress=lambda *counts: seen.append((counts, get_ident()))
    )
    assert threads == {get_ident()}
    assert {thread for _, thread in seen} == {get_ident()}
    assert seen[-1][0][:2] == (5, 5)
    assert any(counts[0] < 5 for counts, _ in seen)


def test_two_workers_use_threads() -> None:
    names = set()

    def search(text: str, k: int) -> list[str]:
        names.add(current_thread().name)
        return ["d1"]

    gainful.search(search, QUERIES, k=1, workers=2)
    assert names == {"gainful-search"}


def test_failures_are_retried_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "FIRST_WAIT", 0.01)
    calls: dict[str, int] = {}

    def search(text: str, k: int) -> list[str]:
        calls[text] = calls.get(text, 0) + 1
        if text == "tea 1" and calls[text] == 1:
            raise ConnectionError("gone")
        if text == "tea 2":
            raise SystemExit("no")
        return ["d1"]

    with pytest.warns(gainful.errors.SearchWarning, match="1 of 5"):
        run = gainful.search(search, QUERIES, k=1, workers=1)
    assert run.account is not None
    assert run.account.failed == {"q2": "SystemExit: no"}
    assert calls["tea 1"] == 2
    with pytest.raises(SearchError, match="SystemExit: no"):
        gainful.search(search, QUERIES, k=1, workers=1, on_failure="raise")


def test_a_late_answer_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    late = 0

    def search(text: str, k: int) -> list[str]:
        nonlocal late
        if text == "tea 0":
            late = 1000
        return ["d1"]

    monkeypatch.setattr(in_threads, "monotonic", lambda: time.monotonic() + late)
    with pytest.warns(gainful.errors.SearchWarning):
        run = gainful.search(search, QUERIES, k=1, workers=1, timeout=500, retries=0)
    assert run.account is not None
    assert list(run.account.failed) == ["q0"]


def test_an_interrupt_is_raised_and_the_journal_resumes(tmp_path: Path) -> None:
    asked: list[str] = []

    def search(text: str, k: int) -> list[str]:
        asked.append(text)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return ["d1"]

    options: dict[str, Any] = {"k": 1, "workers": 1, "journal": tmp_path / "j", "version": "1"}
    with pytest.raises(KeyboardInterrupt):
        gainful.search(search, QUERIES, **options)
    asked.extend(["", "", ""])
    with pytest.warns(gainful.errors.SearchWarning, match="2 of 5"):
        run = gainful.search(search, QUERIES, **options)
    assert len(run) == 5
    # The two answers are verified first.
    assert sorted(asked[6:8]) == ["tea 0", "tea 1"]
    assert asked[8:] == ["tea 2", "tea 3", "tea 4"]
