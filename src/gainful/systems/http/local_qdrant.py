"""Qdrant without a server: its client in local mode answers the HTTP requests.

Requests are parsed with the client's own models, so that invalid requests are refused as
by a server.
"""

from __future__ import annotations

import json
import re
from os.path import isfile, join
from typing import Any
from urllib.parse import unquote

from gainful.errors import ArgumentError, SearchError, SourceError
from gainful.extras import load_package
from gainful.systems.databases.engines import file_identity
from gainful.systems.http.transport import Request, Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LocalQdrant", "folder_identity"]

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
    >>> from gainful.systems.http.local_qdrant import LocalQdrant
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

        Raises
        ------
        SourceError
            If the folder does not exist.
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
        """Answer a request of the query API.

        Raises
        ------
        SearchError
            If it is another request.
        """
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
            found = self._client.query_points(
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
        result = {"result": found.model_dump(mode="json"), "status": "ok", "time": 0.0}
        return Response(200, {"content-type": "application/json"}, json.dumps(result).encode())

    async def close(self) -> None:
        """Close the client, unless the caller opened it."""
        if self._folder is not None and self._client is not None:
            self._client.close()


def folder_identity(folder: str, called: str, collection: str) -> Mapping[str, str]:
    """Return the identity of a folder and the state of a collection.

    Parameters
    ----------
    folder : str
        The path.
    called : str
        The path as written in the description.
    collection : str
        The name of the collection.
    """
    points = join(folder, "collection", collection, "storage.sqlite")
    return file_identity(points, called, "-wal") if isfile(points) else {"file": called}


def _refused(status: int, reason: str) -> Response:
    body = json.dumps({"status": {"error": reason}, "time": 0.0}).encode()
    return Response(status, {"content-type": "application/json"}, body)
