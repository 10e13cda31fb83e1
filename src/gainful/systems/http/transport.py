"""The interface of transports, with requests and responses."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import zlib
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urljoin, urlsplit

from gainful import __version__
from gainful.errors import SearchError
from gainful.packages import load_package
from gainful.systems.http.address import proxy_of
from gainful.systems.masking import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gainful.systems.http.address import Credentials

__all__ = ["LARGEST", "Connection", "Request", "Response", "Transport"]


class Request(NamedTuple):
    """A request, without secrets.

    Attributes
    ----------
    method : str
        Such as ``"POST"``.
    target : str
        Encoded path and query string, with ``${NAME}`` unchanged.
    body : bytes, optional
        The content.
    content_type : str, optional
        The type of the body.
    """

    method: str
    target: str
    body: bytes | None = None
    content_type: str | None = None


class Response(NamedTuple):
    """A response, decompressed.

    Attributes
    ----------
    status : int
        Such as 200.
    headers : mapping of str to str
        By name in lower case.
    body : bytes
        The complete content.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Send requests; supports concurrent tasks of one event loop."""

    async def send(self, request: Request) -> Response:
        """Send a request and wait for the complete response."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


#: The maximum bytes of an answer, decompressed; larger ones probably have all fields of documents.
LARGEST = 64 << 20

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f\\]")


class Connection:
    """A pool of connections to one engine.

    The caller limits the number of concurrent requests. Cookies and passwords from the environment
    are not used.

    Parameters
    ----------
    credentials : Credentials
        The address and headers.
    largest : int
        The maximum bytes of an answer.
    trust : ssl.SSLContext or bool
        The trusted certificates; False for no verification.
    proxy : str, optional
        The address of a proxy, or empty for none. Default: that of the environment.
    """

    def __init__(
        self,
        credentials: Credentials,
        largest: int = LARGEST,
        trust: ssl.SSLContext | bool = True,
        proxy: str | None = None,
    ) -> None:
        # Report a missing package before any query is sent.
        self._aiohttp = load_package("aiohttp", where="engines over HTTP", extra="search")
        self._credentials = credentials
        self._largest = largest
        self._trust = trust
        self._proxy = proxy_of(credentials.origin) if proxy is None else proxy or None
        self._session: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, request: Request) -> Response:
        """Send a request, follow redirects on the same host, return the answer."""
        from yarl import URL

        url = self._credentials.origin + self._credentials.prefix + self._filled(request.target)
        headers = {"Content-Type": request.content_type} if request.content_type else None
        session = self._open()
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                async with session.request(
                    request.method,
                    URL(url, encoded=True),
                    data=request.body,
                    headers=headers,
                    allow_redirects=False,
                    proxy=self._proxy,
                ) as answer:
                    if answer.status not in _REDIRECTS:
                        body = await self._read(answer)
                        named = {name.lower(): value for name, value in answer.headers.items()}
                        return Response(answer.status, named, body)
                    location = answer.headers.get("Location", "")
                    status = answer.status
            except (OSError, self._aiohttp.ClientError, ValueError) as error:
                raise self._failure(error) from None
            url = self._redirected(url, location, status, request.method)
        raise SearchError(f"more than {_MOST_REDIRECTS} redirects")

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            # Connections belong to an event loop; an older loop has ended.
            aiohttp = self._aiohttp
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, ssl=self._trust),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                requote_redirect_url=False,
                headers={
                    "User-Agent": f"gainful/{__version__}",
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip",
                    **self._credentials.headers,
                },
            )
            self._loop = loop
        return self._session

    def _filled(self, target: str) -> str:
        variables = self._credentials.variables
        if not variables:
            return target
        return VARIABLE.sub(
            lambda match: (
                quote(variables[match[1]], safe="") if match[1] in variables else match[0]
            ),
            target,
        )

    def _redirected(self, url: str, location: str, status: int, method: str) -> str:
        there = _joined(url, location)
        unknown = "an invalid address" if location else "without an address"
        if there is None or _origin(there) != _origin(self._credentials.origin):
            raise SearchError(
                f"redirected to another host, {_shown(there) if there else unknown}",
                hint="if that is the engine, set url to its address",
            )
        if method != "GET" and status not in (307, 308):
            raise SearchError(
                f"status {status}, a redirect that drops the request's body",
                hint="set url and path to the target of the redirect",
            )
        return there

    async def _read(self, answer: Any) -> bytes:
        """Read and decompress an untrusted body, up to the size limit."""
        encoding = answer.headers.get("Content-Encoding", "identity").lower()
        if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
            raise SearchError(
                f"the answer is compressed with {encoding[:20]!r}, expected gzip or none"
            )
        length = answer.content_length
        if length is not None and length > self._largest:
            raise self._too_large(answer)
        if encoding == "identity" and length is not None:
            whole: bytes = await answer.read()
            return whole
        inflate = None if encoding == "identity" else zlib.decompressobj(wbits=47)
        parts = []
        came = size = 0
        async for part in answer.content.iter_any():
            # Limit both sizes: endless compressed data may expand to nothing.
            came += len(part)
            if inflate is not None:
                try:
                    part = inflate.decompress(part, self._largest - size + 1)
                except zlib.error:
                    raise SearchError("the compressed answer is damaged", transient=True) from None
            size += len(part)
            if size > self._largest:
                raise self._too_large(answer)
            parts.append(part)
            if inflate is not None and inflate.unused_data:
                # Ignore data after the end of the compressed stream.
                answer.close()
                break
            if came > self._largest:
                raise self._too_large(answer)
        if inflate is not None and parts and not inflate.eof:
            raise SearchError("the answer is truncated", transient=True)
        return b"".join(parts)

    def _too_large(self, answer: Any) -> SearchError:
        # The rest is not read, so the connection cannot be reused.
        answer.close()
        limit = self._largest
        size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit} bytes"
        return SearchError(
            f"the answer is larger than {size}",
            hint="request fewer fields of the documents, or raise largest_answer",
        )

    def _failure(self, error: Any) -> SearchError:
        aiohttp = self._aiohttp
        if isinstance(error, aiohttp.ClientProxyConnectionError):
            problem = f"no connection to the proxy ({_message_of(error.os_error)})"
            return SearchError(problem, transient=True)
        if isinstance(getattr(error, "os_error", None), socket.gaierror):
            again = error.os_error.errno == socket.EAI_AGAIN
            return SearchError("no such host", transient=again)
        if isinstance(error, (ssl.SSLError, ssl.CertificateError, aiohttp.ClientSSLError)):
            return SearchError(
                f"no trusted connection ({_message_of(error)})",
                hint='set the certificate with [tls] ca = "certificate.pem"',
            )
        if isinstance(error, TimeoutError):
            return SearchError("connection timed out", transient=True)
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return SearchError(f"the proxy refused the connection (status {error.status})")
        if isinstance(error, aiohttp.ClientConnectorError):
            return SearchError(f"no connection ({_message_of(error.os_error)})", transient=True)
        if isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, OSError)):
            return SearchError("the connection was closed before the answer", transient=True)
        if isinstance(error, aiohttp.ClientPayloadError):
            return SearchError("the answer is truncated", transient=True)
        # Messages of aiohttp about answers contain the whole address.
        message = " ".join(getattr(error, "message", "").split())[:160] or _message_of(error)
        return SearchError(f"not an HTTP answer ({message})")


def _message_of(error: BaseException) -> str:
    # asyncio replaces the operating system's message with the address.
    number = getattr(error, "errno", None)
    if type(number) is int and number > 0 and not isinstance(error, ssl.SSLError):
        return os.strerror(number)
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(text.split())[:160]


def _joined(url: str, location: str) -> str | None:
    """Return the target of a redirect; None if it is invalid or contains a user."""
    try:
        there = urljoin(url, location)
        parts = urlsplit(there)
        _ = parts.port
    except ValueError:
        return None
    # Refuse what some parsers read as a host and others as a path.
    plain = parts.hostname and parts.username is None and not _AMBIGUOUS.search(there)
    return there if location and plain else None


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


def _shown(url: str) -> str:
    """Return an address without the parts of its path that may be keys."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
