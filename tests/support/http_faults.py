"""A small HTTP server on loopback, in a thread, that can fail in every way a server can.

It writes HTTP over sockets, so that it can also send what no library would.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

__all__ = ["Asked", "FaultsServer", "answering", "hits", "serving"]


class Asked(NamedTuple):
    """A request that the server received."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


#: The response from the status line on: bytes, or parts that are sent while the client reads them;
#: None closes the connection at once.
Reply = bytes | Iterator[bytes] | None
Behaviour = Callable[[Asked, int], Reply]


def answering(
    body: bytes | str | Any = b"", status: int = 200, kind: str = "application/json", **headers: str
) -> bytes:
    """Return the bytes of a response."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    raw = body.encode() if isinstance(body, str) else body
    named = {"Content-Type": kind, "Content-Length": str(len(raw))}
    named.update({name.replace("_", "-"): value for name, value in headers.items()})
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode() + raw


def hits(*documents: tuple[str, float]) -> dict[str, Any]:
    """Return a response like Elasticsearch's."""
    found = [{"_id": document, "_score": score} for document, score in documents]
    return {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": found}}


def squeezed(megabytes: int) -> bytes:
    """Return a response of a few kilobytes that decompresses to a very large one."""
    return answering(gzip.compress(bytes(megabytes << 20), 9), Content_Encoding="gzip")


class FaultsServer:
    """A server whose behavior function receives each request and the number of earlier ones."""

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            for connection in self._open:
                connection.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as incoming:
                while asked := _request(incoming):
                    with self._lock:
                        number = len(self.asked)
                        self.asked.append(asked)
                    reply = self.behave(asked, number)
                    if reply is None:
                        return
                    if not isinstance(reply, bytes):
                        for part in reply:
                            connection.sendall(part)
                        return
                    connection.sendall(reply)
                    if _ends(reply):
                        return
        except (OSError, ValueError):
            pass
        finally:
            with self._lock:
                self._open.discard(connection)


def _ends(reply: bytes) -> bool:
    """Return whether less was sent than announced, or no length was announced."""
    head, _, body = reply.partition(b"\r\n\r\n")
    named = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    if b"transfer-encoding" in named:
        return not body.endswith(b"0\r\n\r\n")
    return int(named.get(b"content-length", -1)) != len(body)


def _request(incoming: Any) -> Asked | None:
    first = incoming.readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = {}
    while line := incoming.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = incoming.read(int(headers.get("content-length", 0)))
    return Asked(first[0], first[1], headers, body)


@contextmanager
def serving(behave: Behaviour | bytes) -> Iterator[FaultsServer]:
    """Run a server for the duration of the block; bytes are the response to every request."""
    reply = behave
    server = FaultsServer((lambda asked, number: reply) if isinstance(reply, bytes) else reply)
    try:
        yield server
    finally:
        server.close()
