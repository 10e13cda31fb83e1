"""A server that answers like Elasticsearch, with a hundred documents named after the query.

It does as little as possible, so that the client is timed. It prints its port, listens on the
loopback interface, and ends when its standard input is closed.
"""

from __future__ import annotations

import asyncio
import json
import sys

DEPTH = 100
_HITS = b",".join(b'{"_id":"%%-%d","_score":%d.5}' % (at, DEPTH - at) for at in range(DEPTH))
_BODY = b'{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[' + _HITS + b"]}}"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Echo(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, rest = self.received.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(rest) < length:
            return
        self.received = rest[length:]
        text = json.loads(rest[:length])["query"]["match"]["title"]
        body = _BODY.replace(b"%", text.encode())
        self.transport.write(_HEAD % len(body) + body)


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Echo, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
