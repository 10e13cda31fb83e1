"""Answers of vector stores, which answer several queries at once: the part of the only query."""

from __future__ import annotations

from gainful.errors import ArgumentError
from gainful.systems.python.steps import describe, is_identifier, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["of_one_query"]


def of_one_query(found: Any, query: str | None = None) -> Any:
    """Return the answer to the only query of a batch; other results are returned unchanged.

    Read are Chroma's mapping of columns, Milvus's list of lists of hits, and the arrays
    ``(scores, ids)`` of FAISS, in which -1 stands for no document. Distances of Chroma become
    negative scores; FAISS and Milvus return the documents in order, and their scores may be
    distances, so only the order counts.

    Raises
    ------
    ArgumentError
        For answers to several queries.

    Examples
    --------
    >>> of_one_query({"ids": [["d2", "d1"]], "distances": [[0.25, 0.5]]})
    [('d2', -0.25), ('d1', -0.5)]
    >>> of_one_query([[{"id": 7, "distance": 0.9}]])
    [{'id': 7, 'distance': 0.9}]
    >>> of_one_query(["d2", "d1"])
    ['d2', 'd1']
    """
    if is_mapping(found) and isinstance(found.get("ids"), list):
        return _of_chroma(found, query)
    if type(found) is tuple and len(found) == 2 and all(hasattr(one, "dtype") for one in found):
        return _of_faiss(found, query)
    # A list, or Milvus's own class of one.
    if isinstance(found, list) and found and all(map(_is_hits, found)):
        _check_one(len(found), found, query)
        return list(found[0])
    return found


def _is_hits(found: Any) -> bool:
    """Return whether an element of a list is a list of hits, not a pair of id and score."""
    return isinstance(found, list) and not any(
        is_identifier(one) or isinstance(one, (float, list)) for one in found
    )


def _of_chroma(found: Any, query: str | None) -> Any:
    ids, distances = found["ids"], found.get("distances")
    if ids and isinstance(ids[0], list):
        _check_one(len(ids), found, query)
        ids = ids[0]
        distances = distances[0] if distances else None
    if distances is None:
        return ids
    return [(id, -distance) for id, distance in zip(ids, distances, strict=True)]


def _of_faiss(found: Any, query: str | None) -> Any:
    scores, ids = found
    if scores.dtype.kind != "f" or ids.dtype.kind not in "iu":
        return found
    if ids.ndim == 2:
        _check_one(len(ids), found, query)
        ids = ids[0]
    return [id for id in ids.tolist() if id >= 0]


def _check_one(number: int, found: object, query: str | None) -> None:
    if number > 1:
        raise ArgumentError(
            f"answers to {number} queries in {describe(found)}",
            where="an answer",
            query=query,
            hint="search with one query at a time",
        )
