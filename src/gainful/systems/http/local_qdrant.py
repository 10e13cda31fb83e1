"""Qdrant without a server: its client in local mode answers what would be sent over HTTP.

The client takes a request apart with the models that its own are made of, so that a request it does
not understand is refused as a server would refuse it.
"""

from __future__ import annotations

import json
import re
from os.path import isfile, join
from typing import Any
from urllib.parse import unquote

from gainful.errors import ArgumentError, GainfulError, SearchError, SourceError
from gainful.systems.databases.state import file_identity
from gainful.systems.http.transport import Request, Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["LocalQdrant", "folder_identity"]

_TARGET = re.compile(r"/collections/(?P<collection>[^/?]+)/points/query(?:\?.*)?")


class LocalQdrant:
    """A client of Qdrant as the `Transport` of a system.

    Parameters
    ----------
    client : qdrant_client.QdrantClient
        One in local mode: of ``":memory:"``, or of a folder. What made it closes it.

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
                found=f"a client of type {type(client).__name__}",
                expected='a QdrantClient in local mode, such as QdrantClient(":memory:")',
            )
        self._client = client
        self._close: Callable[[], object] | None = None

    @classmethod
    def open(cls, folder: str) -> LocalQdrant:
        """Open a folder that a client in local mode has written.

        Raises
        ------
        GainfulError
            If Qdrant's client is not installed.
        SourceError
            If there is no such folder, or another process has it open.
        """
        try:
            from qdrant_client import QdrantClient
        except ImportError:
            raise GainfulError(
                found="no package qdrant-client",
                expected="Qdrant's client, which reads the folder",
                hint="pip install qdrant-client",
            ) from None
        # The client would make an empty one of any name.
        if not isfile(join(folder, "meta.json")):
            raise SourceError(
                file=folder,
                found="no folder of Qdrant's",
                expected="one that QdrantClient(path=…) has written",
            )
        try:
            client = QdrantClient(path=folder)
        except RuntimeError as error:
            raise SourceError(
                file=folder, found=str(error), expected="a folder that nobody else has open"
            ) from None
        transport = cls(client)
        transport._close = client.close
        return transport

    async def send(self, request: Request) -> Response:
        """Answer a request of the query API.

        Raises
        ------
        SearchError
            If it is one of another kind.
        """
        target = _TARGET.fullmatch(request.target)
        if target is None or request.method != "POST":
            raise SearchError(
                found=f"{request.method} {request.target}",
                expected="POST /collections/NAME/points/query, all that is answered locally",
            )
        return self._answer(unquote(target["collection"]), request.body or b"")

    def _answer(self, collection: str, body: bytes) -> Response:
        from pydantic import ValidationError
        from qdrant_client import models

        try:
            asked = models.QueryRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            return _refused(400, f"Format error in JSON body: {place}: {first['msg']}")
        try:
            if not self._client.collection_exists(collection):
                return _refused(404, f"Not found: Collection `{collection}` doesn't exist!")
            found = self._client.query_points(
                collection,
                query=asked.query,
                using=asked.using,
                prefetch=asked.prefetch,
                query_filter=asked.filter,
                search_params=asked.params,
                limit=10 if asked.limit is None else asked.limit,
                offset=asked.offset,
                with_payload=False if asked.with_payload is None else asked.with_payload,
                with_vectors=False,
                score_threshold=asked.score_threshold,
                lookup_from=asked.lookup_from,
            )
        except (ValueError, AssertionError, NotImplementedError) as error:
            return _refused(400, f"Wrong input: {error}")
        result = {"result": found.model_dump(mode="json"), "status": "ok", "time": 0.0}
        return Response(200, {"content-type": "application/json"}, json.dumps(result).encode())

    async def close(self) -> None:
        """Close the client, if it was opened here."""
        if self._close is not None:
            self._close()


def folder_identity(folder: str, called: str, collection: str) -> Mapping[str, str]:
    """Return what tells a folder from others, and its collection from itself at other times.

    Parameters
    ----------
    folder : str
        Where it is.
    called : str
        How a description writes that.
    collection : str
        The name of the collection.
    """
    points = join(folder, "collection", collection, "storage.sqlite")
    return file_identity(points, called, "-wal") if isfile(points) else {"file": called}


def _refused(status: int, reason: str) -> Response:
    body = json.dumps({"status": {"error": reason}, "time": 0.0}).encode()
    return Response(status, {"content-type": "application/json"}, body)
