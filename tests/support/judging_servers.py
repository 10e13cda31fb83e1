"""Judging pages for tests: in a thread of the tests, or as a process that can be killed."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import httpx

from awaiting import await_true
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


class ServerThread:
    """A server in a thread, whose application can be replaced: to end one takes .2 s."""

    #: Servers without an application.
    idle: ClassVar[list[ServerThread]] = []

    def __init__(self, port: int = 0) -> None:
        self.server = PageServer("127.0.0.1", port)
        self.app: Any = None
        self._requests = 0
        ready = threading.Event()
        self._thread = threading.Thread(target=self.server.run, args=(self, ready.set))
        self._thread.start()
        assert ready.wait(120)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._requests += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._requests -= 1

    @contextmanager
    def serving(self, app: Any) -> Iterator[None]:
        """Serve an application, until its last request has an answer."""
        self.app = app
        yield
        self.app = None
        await_true(lambda: not self._requests, "answers")

    def stop(self) -> None:
        self.server.stop()
        self._thread.join()


def stop_idle_servers() -> None:
    while ServerThread.idle:
        ServerThread.idle.pop().stop()


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
    """Serve the page of a session in a folder, which continues if the folder has one.

    With a port, by a server that ends with the block.
    """
    chosen = small_pool() if pool is None else pool
    given = {"scale": SCALE, **texts_of(chosen), **options}
    with Session(folder / "labels.session", chosen, **given) as session:
        access = Access(str(folder / "labels.access"), people)
        thread = ServerThread.idle.pop() if ServerThread.idle and not port else ServerThread(port)
        server = thread.server
        app = make_app(Site(session, **site), access, server.hosts, cookie="judge-test")
        try:
            with thread.serving(app):
                yield RunningPage(session, access, server.address, server.hosts)
        finally:
            if port:
                thread.stop()
            else:
                ServerThread.idle.append(thread)


@contextmanager
def signed_in(address: str, token: str | None = None) -> Iterator[httpx.Client]:
    """Yield a client of a page, which enters if it has a token."""
    headers = {"origin": address[:-1]}
    # Without TLS: to prepare for it takes longer than most requests.
    with httpx.Client(base_url=address, headers=headers, timeout=60, verify=False) as client:
        if token is not None:
            assert client.post("/api/enter", json={"token": token}).status_code == 200
        yield client


def client(page: RunningPage, name: str | None = None) -> AbstractContextManager[httpx.Client]:
    """Return a client of a person."""
    return signed_in(page.address, None if name is None else page.access.issue(name))


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
