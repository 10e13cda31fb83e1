"""TLS connections require a trusted certificate."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gainful.errors import SearchError
from gainful.systems import Answer, Query, load_system
from requirements import need

need("aiohttp")

# A certificate of localhost by nobody in particular, with its key: good for nothing but this.
CERTIFICATE = Path(__file__).with_name("loopback.pem")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"ids": ["d1"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up over the certificate: that is what is tested."""


@pytest.fixture
def port() -> Iterator[int]:
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def asked(port: int, tls: dict[str, Any]) -> Answer:
    system = load_system(
        {
            "engine": "http",
            "url": f"https://localhost:{port}",
            "params": {"q": "{{query}}", "n": "{{k}}"},
            "results": {"documents": "ids"},
            "tls": tls,
        }
    )

    async def ask() -> Answer:
        try:
            (answer,) = await system.ask([Query("q", "x")], 1)  # type: ignore[misc]
            return answer
        finally:
            await system.close()  # type: ignore[misc]

    return asyncio.run(ask())


def test_an_untrusted_certificate_is_an_error(port: int) -> None:
    with pytest.raises(SearchError, match=r"no trusted connection .*\[tls\] ca") as error:
        asked(port, {})
    assert not error.value.transient


@pytest.mark.parametrize("tls", [{"ca": str(CERTIFICATE)}, {"verify": False}])
def test_a_certificate_that_is_known_or_does_not_matter(port: int, tls: dict[str, Any]) -> None:
    assert asked(port, tls) == Answer(["d1"])
