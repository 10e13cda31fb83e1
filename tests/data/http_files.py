"""Files on a local web server that records the requests."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from http_faults import Asked, FaultsServer, answering, serving


class Part(NamedTuple):
    """A part of a file that the server sent."""

    name: str
    start: int
    end: int


class Files:
    """Files by name, their server, and the parts that it sent.

    Parameters
    ----------
    ranges : bool
        Whether the server answers requests for parts, or sends the whole file whatever is asked.
    sized : bool
        Whether it says how large a file is.
    """

    server: FaultsServer

    def __init__(self, ranges: bool, sized: bool) -> None:
        self.contents: dict[str, bytes] = {}
        self.ranges, self.sized = ranges, sized
        self.sent: list[Part] = []
        self._lock = threading.Lock()

    def url(self, name: str) -> str:
        return f"{self.server.url}/{name}"

    def bytes_sent(self, name: str) -> int:
        return sum(part.end - part.start for part in self.sent if part.name == name)

    def answer(self, asked: Asked, number: int) -> bytes:
        name = asked.target.partition("?")[0].removeprefix("/")
        if name.endswith("/") or not name:
            inside = [other for other in self.contents if other.startswith(name)]
            return answering("".join(f'<a href="/{one}">' for one in inside), kind="text/html")
        content = self.contents.get(name)
        if content is None:
            return answering(b"", 404)
        if asked.method == "HEAD":
            length = f"Content-Length: {len(content)}\r\n" if self.sized else ""
            return f"HTTP/1.1 200 OK\r\n{length}\r\n".encode()
        start, end, status = 0, len(content), 200
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", asked.headers.get("range", ""))
        if wanted and self.ranges:
            start, end, status = int(wanted[1]), min(int(wanted[2]) + 1, len(content)), 206
        with self._lock:
            self.sent.append(Part(name, start, end))
        body = content[start:end]
        if not self.sized:
            return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body
        return answering(body, status)


@contextmanager
def serving_files(ranges: bool = True, sized: bool = True) -> Iterator[Files]:
    """Serve files for the duration of the block."""
    files = Files(ranges, sized)
    with serving(files.answer) as files.server:
        yield files
