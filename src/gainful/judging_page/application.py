"""The web application: what the page requests, who may request it, and what it may load."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from importlib.resources import files

from gainful.errors import GainfulError, SourceError
from gainful.judging_page.documents import IMAGE_TYPES
from gainful.judging_page.pages import JudgeRequests, OwnerRequests
from gainful.judging_page.server import Role
from gainful.keywords import suggest_keywords
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

    from gainful.judging_page.documents import Site
    from gainful.judging_page.server import Access

__all__ = ["BODY_LIMIT", "make_app"]

#: The largest body of a request in bytes.
BODY_LIMIT = 4_000_000

#: The same for somebody who is not signed in, and sends a token.
ENTRY_LIMIT = 4_000

#: The request that signs somebody in.
_ENTRY = "/api/enter"

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
        if refusal is None and scope["method"] == "POST" and scope["path"] != _ENTRY:
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
        limit = ENTRY_LIMIT if scope["path"] == _ENTRY else BODY_LIMIT
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


#: How many seconds the body of a request may take.
_BODY_SECONDS = 60.0

_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


@suggest_keywords
def make_app(
    site: Site, access: Access, hosts: Iterable[str], *, scheme: str = "http", cookie: str = "judge"
) -> Any:
    """Return the ASGI application of a judging page.

    Parameters
    ----------
    site : Site
        The session, and what the page shows of it.
    access : Access
        Who may use it.
    hosts : iterable of str
        The names of the server with their port, the best first: ``127.0.0.1:8000``.
    scheme : {"http", "https"}
        How it is reached.
    cookie : str
        The name of the cookie, unique per port, since browsers share cookies between ports.

    Raises
    ------
    MissingPackageError
        If Starlette is not installed.
    """
    load_package("starlette", where="the judging page", extra="judge")
    from starlette.applications import Starlette
    from starlette.routing import Route

    hosts = list(hosts)
    server = _Server(site, access, f"{scheme}://{hosts[0]}/", cookie)
    routes = [
        Route("/", server.page),
        Route("/assets/{name}", server.asset),
        Route("/images/{name:path}", server.image),
        Route("/files/{form}", server.file),
        Route(_ENTRY, server.enter, methods=["POST"]),
        *(
            Route(f"/api/{name}", partial(server.answer, name=name), methods=[method])
            for name, (method, _, _) in server.requests.items()
        ),
    ]
    app = Starlette(routes=routes)
    # A redirect would repeat the Host header.
    app.router.redirect_slashes = False
    return Guard(app, hosts, scheme, server.is_known)


class _Server:
    def __init__(self, site: Site, access: Access, address: str, cookie: str) -> None:
        self._site = site
        self._access = access
        self._cookie = cookie
        self._secure = address.startswith("https:")
        folder = files("gainful.judging_page").joinpath("assets")
        self._assets = {path.name: path.read_bytes() for path in folder.iterdir()}
        #: Method, least role, and function of name and values, by the name of the request.
        self.requests: dict[str, tuple[str, Role, Callable[[str, Any], Any]]] = {}
        for name, method, function in JudgeRequests(site).requests():
            self.requests[name] = (method, Role.JUDGE, function)
        self._owners = OwnerRequests(site, access, address)
        for name, method, function in self._owners.requests():
            self.requests[name] = (method, Role.OWNER, function)

    # --- files ----------------------------------------------------------------------------------

    async def page(self, request: Any) -> Any:
        return self._file("page.html")

    async def asset(self, request: Any) -> Any:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Any:
        from starlette.responses import Response

        kind = _TYPES.get(name[name.rfind(".") :])
        if kind is None or name not in self._assets:
            return self._error(404, "no such file")
        return Response(self._assets[name], media_type=kind)

    async def image(self, request: Any) -> Any:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import FileResponse

        if await run_in_threadpool(self._person, request) is None:
            return self._error(401, "sign in first")
        path = await run_in_threadpool(self._site.images.find, request.path_params["name"])
        if path is None:
            return self._error(404, "no such image")
        suffix = path[path.rfind(".") :].lower()
        if suffix not in IMAGE_TYPES:
            return self._error(404, "no such image")
        return FileResponse(path, media_type=IMAGE_TYPES[suffix])

    async def file(self, request: Any) -> Any:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        def work() -> Any:
            person = self._person(request)
            if person is None:
                return self._error(401, "sign in first")
            if person[1] is not Role.OWNER:
                return self._error(403, "only an owner gets this")
            try:
                name, content = self._owners.file(request.path_params["form"])
            except SourceError as error:
                return self._error(503, error.problem)
            except GainfulError as error:
                return self._error(400, str(error))
            headers = {"content-disposition": f'attachment; filename="{name}"'}
            return Response(content, media_type="application/octet-stream", headers=headers)

        return await run_in_threadpool(work)

    # --- requests -------------------------------------------------------------------------------

    async def is_known(self, scope: Any) -> bool:
        """Return whether the cookie of a request is that of somebody who is signed in."""
        from starlette.concurrency import run_in_threadpool
        from starlette.requests import HTTPConnection

        return await run_in_threadpool(self._person, HTTPConnection(scope)) is not None

    def _person(self, request: Any) -> tuple[str, Role] | None:
        secret = request.cookies.get(self._cookie)
        return None if secret is None else self._access.identify(secret)

    async def enter(self, request: Any) -> Any:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse

        body = await self._body(request)
        if body is None:
            return self._error(408, "the request did not arrive in time")
        values = _decode(body)
        token = values.get("token") if isinstance(values, dict) else None
        if not isinstance(token, str):
            return self._error(400, "expected a token")
        try:
            secret = await run_in_threadpool(self._access.enter, token)
        except SourceError as error:
            return self._error(503, error.problem)
        if secret is None:
            return self._error(403, "this address was used already, or is wrong")
        response = JSONResponse({"entered": True})
        response.set_cookie(
            self._cookie,
            secret,
            max_age=90 * 24 * 3600,
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return response

    async def answer(self, request: Any, *, name: str) -> Any:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        method, least, function = self.requests[name]
        body = None
        if method == "POST":
            body = await self._body(request)
            if body is None:
                return self._error(408, "the request did not arrive in time")

        def work() -> Any:
            # One thread does all of it: each change of threads costs time on a busy computer.
            values = dict(request.query_params) if body is None else _decode(body)
            if not isinstance(values, dict):
                return self._error(400, "expected a JSON object")
            try:
                person = self._person(request)
                if person is None:
                    return self._error(401, "sign in first")
                if least is Role.OWNER and person[1] is not Role.OWNER:
                    return self._error(403, "only an owner sees this")
                result = function(person[0], values)
            except SourceError as error:
                self._site.check_end()
                return self._error(503, error.problem)
            except GainfulError as error:
                return self._error(400, str(error))
            answer = {**result, "role": person[1]} if name == "settings" else result
            # In ASCII, since an id that is repeated to its sender may be half of a surrogate pair.
            return Response(json.dumps(answer, allow_nan=False), media_type="application/json")

        return await run_in_threadpool(work)

    async def _body(self, request: Any) -> bytes | None:
        """Return the body of a request, whose length the guard has checked; None if it is late."""
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                return bytes(await request.body())
        except TimeoutError:
            return None

    def _error(self, status: int, why: str) -> Any:
        from starlette.responses import JSONResponse

        return JSONResponse({"error": why}, status)


def _decode(body: bytes) -> Any:
    """Return the JSON value of a body; None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
