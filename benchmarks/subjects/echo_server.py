"""A server over HTTP that answers every query at once; it prints the port that it listens on."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"


class Echo(asyncio.Protocol):
    """GET /search?q=TEXT&k=10, as many as come on a connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\r\n\r\n")
            asked = parse_qs(urlsplit(head.split(b" ", 2)[1].decode()).query)
            text, k = asked["q"][0], int(asked["k"][0])
            hits = [{"id": f"{text}-{rank}", "score": 10.0 - rank} for rank in range(k)]
            body = json.dumps({"hits": hits}).encode()
            assert self.transport is not None
            self.transport.write(HEAD.format(len(body)).encode() + body)


async def main() -> None:
    """Listen until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
