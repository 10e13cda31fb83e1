"""A search engine over HTTP as a `System`."""

from __future__ import annotations

import json
import re
import ssl
from os.path import isfile, join
from typing import Any
from urllib.parse import unquote

from gainful.errors import ArgumentError, ParameterError, SearchError, SourceError
from gainful.packages import load_package
from gainful.systems.databases.engines import file_identity
from gainful.systems.http.address import Address, check_proxy, read_address
from gainful.systems.http.requests import (
    AnswerPaths,
    RecordingTransport,
    ReplayTransport,
    RequestTemplate,
    failure,
    parse_json,
    preset,
)
from gainful.systems.http.transport import LARGEST, Connection, Request, Response
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from gainful.systems.description.description import Description
    from gainful.systems.http.transport import Transport
    from gainful.systems.protocol import Answer, Query

__all__ = ["LocalQdrant", "build"]


_TARGET = re.compile(r"/collections/(?P<collection>[^/?]+)/points/query(?:\?.*)?")


class LocalQdrant:
    """A client of Qdrant as the `Transport` of a system.

    Parameters
    ----------
    client : qdrant_client.QdrantClient
        A client in local mode, of ``":memory:"`` or of a folder. The caller closes it.

    Examples
    --------
    >>> import pytest; _ = pytest.importorskip("qdrant_client")
    >>> import gainful
    >>> from gainful.systems import Query, load_system
    >>> from gainful.systems.http.system import LocalQdrant
    >>> from qdrant_client import QdrantClient, models
    >>> client = QdrantClient(":memory:")
    >>> _ = client.create_collection(
    ...     "soups", models.VectorParams(size=2, distance=models.Distance.DOT)
    ... )
    >>> _ = client.upsert("soups", [
    ...     models.PointStruct(id=1, vector=[0.0, 1.0]), models.PointStruct(id=2, vector=[1.0, 1.0])
    ... ])
    >>> system = load_system(
    ...     {"engine": "qdrant", "url": "http://localhost", "collection": "soups"},
    ...     transport=LocalQdrant(client),
    ... )
    >>> run = gainful.search(system, [Query("q1", "tomato", {"vector": [2.0, 1.0]})], k=10)
    >>> run["q1"]
    [('2', 3.0), ('1', 1.0)]
    """

    def __init__(self, client: Any) -> None:
        if not callable(getattr(client, "query_points", None)):
            raise ArgumentError(
                f"found {type(client).__name__}, expected a QdrantClient in local mode",
                hint='create one with QdrantClient(":memory:")',
            )
        self._client = client
        self._folder: str | None = None

    @classmethod
    def of_folder(cls, folder: str) -> LocalQdrant:
        """Return the transport of a folder that a client in local mode has written.

        The first request opens the folder, which unpickles its points: their pickles can run code.
        """
        # The client would create missing folders.
        if not isfile(join(folder, "meta.json")):
            raise SourceError("not a folder of QdrantClient(path=…)", file=folder)
        transport = cls.__new__(cls)
        transport._client, transport._folder = None, folder
        return transport

    def _open(self, folder: str) -> Any:
        client = load_package("qdrant_client", package="qdrant-client")
        try:
            return client.QdrantClient(path=folder)
        except RuntimeError as error:
            raise SourceError(str(error), file=folder) from None

    async def send(self, request: Request) -> Response:
        """Answer a request of the query API."""
        target = _TARGET.fullmatch(request.target)
        if target is None or request.method != "POST":
            raise SearchError(
                f"{request.method} {request.target} is not available locally",
                hint="use POST /collections/NAME/points/query",
            )
        if self._client is None and self._folder is not None:
            self._client = self._open(self._folder)
        return self._answer(unquote(target["collection"]), request.body or b"")

    def _answer(self, collection: str, body: bytes) -> Response:
        from pydantic import ValidationError
        from qdrant_client import models

        try:
            query = models.QueryRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            return _refused(400, f"Format error in JSON body: {place}: {first['msg']}")
        try:
            if not self._client.collection_exists(collection):
                return _refused(404, f"Not found: Collection `{collection}` doesn't exist!")
            points = self._client.query_points(
                collection,
                query=query.query,
                using=query.using,
                prefetch=query.prefetch,
                query_filter=query.filter,
                search_params=query.params,
                limit=10 if query.limit is None else query.limit,
                offset=query.offset,
                with_payload=False if query.with_payload is None else query.with_payload,
                with_vectors=False,
                score_threshold=query.score_threshold,
                lookup_from=query.lookup_from,
            )
        except (ValueError, AssertionError, NotImplementedError) as error:
            return _refused(400, f"Wrong input: {error}")
        result = {"result": points.model_dump(mode="json"), "status": "ok", "time": 0.0}
        return Response(200, {"content-type": "application/json"}, json.dumps(result).encode())

    async def close(self) -> None:
        """Close the client, unless the caller opened it."""
        if self._folder is not None and self._client is not None:
            self._client.close()


def folder_identity(folder: str, called: str, collection: str) -> Mapping[str, str]:
    """Return the identity of a folder and the state of a collection."""
    points = join(folder, "collection", collection, "storage.sqlite")
    return file_identity(points, called, "-wal") if isfile(points) else {"file": called}


def _refused(status: int, reason: str) -> Response:
    body = json.dumps({"status": {"error": reason}, "time": 0.0}).encode()
    return Response(status, {"content-type": "application/json"}, body)


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
