"""Judging pages for tests: in a thread of the tests, or as a process that can be killed."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gainful.errors import SourceError
from gainful.judging import Session
from gainful.judging_page import Access, Role, make_app
from gainful.judging_page.documents import Site
from gainful.judging_page.server import PageServer

SCALE = "0=irrelevant,1=related,2=good,3=perfect"
PEOPLE = {"ana": Role.JUDGE, "ben": Role.JUDGE, "eva": Role.OWNER}


def small_pool(queries: int = 3, documents: int = 4) -> list[tuple[str, str]]:
    """Return query and document ids."""
    return [(f"q{q}", f"d{q}-{d}") for q in range(queries) for d in range(documents)]


def texts_of(pool: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """Return a text for each query and document of a pool."""
    return {
        "queries": {query: f"question {query}" for query, *_ in pool},
        "documents": {
            each[1]: {"title": f"Title {each[1]}", "text": f"Text of {each[1]} about a question."}
            for each in pool
        },
    }


@dataclass
class RunningPage:
    """A page that is served by a thread."""

    session: Session
    access: Access
    address: str
    hosts: list[str]

    def link(self, name: str) -> str:
        """Return an address that lets a person enter once."""
        return f"{self.address}#{self.access.issue(name)}"


@contextmanager
def served(
    folder: Path,
    pool: Sequence[tuple[str, ...]] | None = None,
    *,
    people: Mapping[str, Role] = PEOPLE,
    site: Mapping[str, Any] = {},
    port: int = 0,
    **options: Any,
) -> Iterator[RunningPage]:
    """Serve the page of a session in a folder, which continues if the folder has one."""
    chosen = small_pool() if pool is None else pool
    given = {"scale": SCALE, **texts_of(chosen), **options}
    with Session(folder / "labels.session", chosen, **given) as session:
        access = Access(str(folder / "labels.access"), people)
        server = PageServer("127.0.0.1", port)
        app = make_app(Site(session, **site), access, server.hosts, cookie="judge-test")
        ready = threading.Event()
        thread = threading.Thread(target=server.run, args=(app, ready.set))
        thread.start()
        assert ready.wait(120)
        try:
            yield RunningPage(session, access, server.address, server.hosts)
        finally:
            server.stop()
            thread.join()


@contextmanager
def full_disk(session: Session) -> Iterator[None]:
    """Let SQLite find no space for the events of a session during a block."""
    connection = session._journal._connection
    connection.execute("PRAGMA max_page_count = 1")  # The file does not get smaller.
    with suppress(SourceError):
        while True:
            session.record("note", "filler", session.queries[0], text="x" * 400)
    for length in (100, 1):
        with suppress(SourceError):
            while True:
                session.record("note", "filler", session.queries[0], text="x" * length)
    yield
    connection.execute("PRAGMA max_page_count = 1073741823")


class PageProcess:
    """``gainful judge``, or another command that serves a page, as a process of its own."""

    def __init__(self, *words: str, folder: Path, command: Sequence[str] = ("judge",)) -> None:
        self._words = [sys.executable, "-m", "gainful", *command, *words]
        self._folder = folder
        self.address = ""
        self.greeting = ""
        self.start()

    def start(self) -> None:
        """Start it; the address has a new token."""
        self.process = subprocess.Popen(
            self._words, cwd=self._folder, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            found = re.search(r"https?://\S+", line)
            if found is not None:
                self.address = found[0]
            if "Ctrl-C" in line:
                self.greeting = "".join(lines)
                return
        self.kill()
        raise AssertionError(f"the page did not start: {lines}")

    def kill(self) -> None:
        """End it without warning, as kill -9 does."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
