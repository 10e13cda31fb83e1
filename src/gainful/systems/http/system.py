"""A search engine over HTTP as a `System`."""

from __future__ import annotations

import json
import ssl
from typing import Any

from gainful.errors import ParameterError, SearchError
from gainful.systems.http.address import Address, read_address
from gainful.systems.http.answers import AnswerPaths, parse_json
from gainful.systems.http.connection import LARGEST, Connection
from gainful.systems.http.local_qdrant import LocalQdrant, folder_identity
from gainful.systems.http.presets import preset
from gainful.systems.http.proxies import check_proxy
from gainful.systems.http.recording import RecordingTransport, ReplayTransport
from gainful.systems.http.requests import RequestTemplate
from gainful.systems.http.statuses import failure
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import Answer, Query

__all__ = ["HttpSystem", "build"]

# The address if there is no server; not displayed.
_NOWHERE = "http://localhost"


class HttpSystem:
    """An engine that answers one query per request.

    Attributes
    ----------
    name, identity, asynchronous, batch
        As in `System`.
    """

    asynchronous = True
    batch = 1

    def __init__(
        self,
        name: str,
        identity: Mapping[str, Any],
        engine: str,
        address: Address,
        requests: RequestTemplate,
        paths: AnswerPaths,
        transport: Transport,
        hidden: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.identity = identity
        self._engine = engine
        self._address = address
        self._requests = requests
        self._paths = paths
        self._transport = transport
        self._hidden = hidden

    async def ask(self, queries: Sequence[Query], k: int) -> Sequence[Answer]:
        """Answer each query with its first `k` documents."""
        return [await self._answer(query, k) for query in queries]

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def show(self, query: Query, k: int) -> str:
        """Return the request of a query as text, with ``${NAME}`` for secrets.

        Examples
        --------
        >>> from gainful.systems import Query, load_system
        >>> system = load_system(
        ...     {"engine": "http", "url": "http://localhost:8080", "path": "/find",
        ...      "params": {"q": "{{query}}", "n": "{{k}}"}, "results": {"documents": "ids"}}
        ... )
        >>> print(system.show(Query("q1", "red shoes & socks"), 10))
        GET http://localhost:8080/find?q=red+shoes+%26+socks&n=10
        """
        request = self._request(query, k)
        lines = [f"{request.method} {self._address.shown}{request.target}"]
        lines += [f"{name}: {value.written}" for name, value in self._address.headers.items()]
        if request.body is not None:
            lines.append(f"Content-Type: {request.content_type}")
            text = request.body.decode()
            if request.content_type == "application/json":
                text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
            lines += ["", text]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<System {self.name}: {self._engine} at {self._address.shown}>"

    def _request(self, query: Query, k: int) -> Any:
        most = self._paths.most
        if most is not None and k > most:
            raise SearchError(f"k = {k}, but the engine returns at most {most} documents")
        return self._requests.request(query, k)

    async def _answer(self, query: Query, k: int) -> Answer:
        try:
            response = await self._transport.send(self._request(query, k))
            refused = failure(response)
            if refused is not None:
                raise refused
            return self._paths.answer(parse_json(response), k)
        except SearchError as error:
            # aiohttp's errors contain the whole address, possibly with keys.
            raise self._with_address(error) from None

    def _with_address(self, error: SearchError) -> SearchError:
        """Return an error with the engine's address, and without secrets."""
        problem = masked(error.problem, self._hidden)
        return error.replace(where=self._address.shown, message=problem, found=None, expected=None)


def build(
    description: Description,
    *,
    transport: Transport | None = None,
    record: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
) -> HttpSystem:
    """Create a system from a description and the preset of its engine.

    Raises
    ------
    FormatError
        If a key is missing, or the request does not depend on the query.
    ParameterError
        If several transports are given.
    """
    if replay is not None and (transport is not None or record is not None):
        raise ParameterError("replay cannot be combined with another transport")
    base = preset(description.engine)
    folder = _local_folder(description)
    whole = description.over(base.table if folder is None else {**base.table, "url": _NOWHERE})
    address = read_address(whole)
    if folder is not None:
        whole.path("folder")
        address.shown = folder
    values = {key: _key(whole, key, what) for key, what in base.keys.items()}
    requests = RequestTemplate(whole, address.prefix, values)
    results = whole.table("results", required=True)
    assert results is not None
    paths = AnswerPaths(results)
    _check_placeholders(whole, requests, paths)
    largest = whole.integer("largest_answer", LARGEST, least=1)
    trust = _trust(whole)
    proxy = whole.secret("proxy", None)
    whole.finish()
    description.keys()
    hidden: tuple[str, ...] = ()
    origin = address.shown
    if replay is not None:
        transport = ReplayTransport(replay)
    elif transport is None and folder is not None:
        transport = LocalQdrant.of_folder(folder)
    elif transport is None:
        credentials = address.credentials()
        hidden = credentials.hidden
        origin = credentials.origin + masked(credentials.prefix, hidden)
        address_of_proxy = proxy and proxy.reveal()
        if address_of_proxy:
            address_of_proxy = check_proxy(address_of_proxy, "proxy")
        transport = Connection(credentials, largest, trust, address_of_proxy)
    if record is not None:
        transport = RecordingTransport(transport, record, hidden)
    identity = _identity(whole, origin + address.prefix)
    if folder is not None:
        del identity["url"]
        identity["folder"] = folder_identity(folder, identity["folder"], values["collection"])
    return HttpSystem(
        whole.name,
        identity,
        whole.engine,
        address,
        requests,
        paths,
        transport,
        hidden,
    )


def _local_folder(description: Description) -> str | None:
    """Return the folder of a Qdrant without a server; None for an address."""
    if description.engine != "qdrant" or "folder" not in description:
        return None
    if "url" in description:
        raise description.wrong("folder", description.text("folder"), "folder or url, not both")
    return str(description.path("folder"))


def _key(description: Description, key: str, what: str) -> str:
    if key not in description:
        raise description.missing(key, what)
    value = str(description.text(key))
    if "${" in value:
        hint = "${NAME} is allowed in url, path, params and headers"
        raise description.wrong(key, value, what, hint)
    return value


def _check_placeholders(
    description: Description, requests: RequestTemplate, paths: AnswerPaths
) -> None:
    names = {placeholder.name for placeholder in requests.placeholders if placeholder.of_query}
    if not names - {"k"}:
        raise description.missing(
            "{{query}}",
            "a request that depends on the query",
            hint='add one, such as [body.query.match] title = "{{query}}"',
        )
    if "k" not in names and paths.most is None:
        raise description.missing(
            "{{k}}",
            "a request that limits the number of documents",
            hint="if it cannot, set the fixed number with [results] most = …",
        )


def _trust(description: Description) -> ssl.SSLContext | bool:
    table = description.table("tls")
    if table is None:
        return True
    verify: bool = table.flag("verify", True)
    ca = table.path("ca", None)
    if ca is None:
        return verify
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise table.wrong("ca", ca, f"certificates in a file ({error.strerror})") from None


def _identity(description: Description, url: str) -> dict[str, Any]:
    """Return the identity: everything but the name and secrets."""
    identity = description.written()
    for key in ("name", "settings", "largest_answer", "tls", "proxy"):
        identity.pop(key, None)
    identity["url"] = url
    return {"settings": dict(description.settings), **identity}
