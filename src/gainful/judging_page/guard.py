"""Refuse requests from other sites, and forbid the page to load anything from them."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

__all__ = ["BODY_LIMIT", "ENTRY", "Guard"]

#: The largest body of a request in bytes.
BODY_LIMIT = 4_000_000

#: The same for somebody who is not signed in, and sends a token.
ENTRY_LIMIT = 4_000

#: The request that signs somebody in.
ENTRY = "/api/enter"

#: How many seconds the body of a refused request is read, and discarded.
_DRAIN_SECONDS = 5.0

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Guard:
    """An ASGI application that checks each request before another application gets it.

    Host
        Must be one of the names of the server. Otherwise a site could make its own name point to
        this computer, and read the page (DNS rebinding).
    Origin, Content-Type, Sec-Fetch-Site
        A POST must come from the page itself and contain JSON, which a form of another site cannot
        send.
    Cookie
        A POST of somebody who is not signed in is refused before its body is read, except to sign
        in, with a small body.

    Parameters
    ----------
    app : ASGI application
        What answers.
    hosts : iterable of str
        The names of the server with their port, in lower case.
    scheme : {"http", "https"}
        How it is reached.
    is_known : callable
        Returns whether the headers of a request are those of somebody who is signed in.
    """

    def __init__(
        self,
        app: Any,
        hosts: Iterable[str],
        scheme: str,
        is_known: Callable[[Any], Awaitable[bool]],
    ) -> None:
        self._app = app
        self._is_known = is_known
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for host in self._hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                added = [
                    (name.encode(), value.encode())
                    for name, value in _HEADERS.items()
                    if name.encode() not in names
                ]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        refusal = self._refusal(scope) if scope["type"] == "http" else (403, "only HTTP is served")
        if refusal is None and scope["method"] == "POST" and scope["path"] != ENTRY:
            known = await self._is_known(scope)
            refusal = None if known else (401, "sign in first")
        if refusal is None:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            status, why = refusal
            body = json.dumps({"error": why}).encode()
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
            await send_with_headers(
                {"type": "http.response.start", "status": status, "headers": headers}
            )
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await _drain(receive)
            await send({"type": "http.response.body"})

    def _refusal(self, scope: Any) -> tuple[int, str] | None:
        """Return status and reason if a request is refused."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)

        def one(name: bytes) -> str | None:
            values = headers.get(name, [])
            return values[0].decode("latin-1").lower() if len(values) == 1 else None

        if one(b"host") not in self._hosts:
            return 421, "the server does not have this name"
        method = scope["method"]
        if method not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST are served"
        site = one(b"sec-fetch-site")
        if scope["path"].startswith(("/api/", "/files/")) and site not in (
            None,
            "same-origin",
            "none",
        ):
            return 403, "the request comes from another site"
        if method != "POST":
            return None
        if one(b"origin") not in self._origins:
            return 403, "the request comes from another site"
        if (one(b"content-type") or "").partition(";")[0].strip() != "application/json":
            return 415, "expected application/json"
        length = one(b"content-length")
        if length is None or not (length.isascii() and length.isdigit()):
            return 411, "expected a length"
        limit = ENTRY_LIMIT if scope["path"] == ENTRY else BODY_LIMIT
        if int(length) > limit:
            return 413, f"the request has more than {limit:,} bytes"
        return None


async def _drain(receive: Any) -> None:
    """Discard a body for some time: a connection closed before that is reset, without an answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            size, more = 0, True
            while more and size <= BODY_LIMIT:
                message = await receive()
                size += len(message.get("body", b""))
                more = message.get("more_body", False)
