"""Lossless, compact encoding of queries and answers in a journal."""

from __future__ import annotations

import json
import sys
from array import array
from hashlib import sha256
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gainful.systems.protocol import Query

    Key = str | bytes

__all__ = [
    "Content",
    "decode_documents",
    "decode_scores",
    "encode_documents",
    "encode_scores",
    "fields_digest",
    "key_of",
    "text_of",
]


class Content(NamedTuple):
    """A stored answer.

    Attributes
    ----------
    documents : str or bytes
        The ids, one per line; a JSON list if an id contains a line break or is not valid UTF-8.
    scores : bytes or None
        As 64-bit floats.
    found : int
        The number of documents.
    repeated : int
        The number of duplicates among them.
    falling : bool or None
        Whether scores never increase; None without scores.
    """

    documents: str | bytes
    scores: bytes | None
    found: int
    repeated: int
    falling: bool | None


def encode_documents(documents: list[str]) -> str | bytes:
    r"""Encode ids.

    Examples
    --------
    >>> encode_documents(["d1", "d2"]), encode_documents(["d1", "a\nb"])
    ('d1\nd2', b'["d1", "a\\nb"]')
    """
    text = "\n".join(documents)
    if text.count("\n") == max(0, len(documents) - 1):
        try:
            text.encode()
            return text
        except UnicodeEncodeError:
            pass
    return json.dumps(documents).encode()


def decode_documents(content: str | bytes, count: int) -> list[str]:
    r"""Decode ids.

    Examples
    --------
    >>> decode_documents("d1\nd2", 2), decode_documents(b'["d1", "a\\nb"]', 2)
    (['d1', 'd2'], ['d1', 'a\nb'])
    """
    if not count:
        return []
    found: list[str] = content.split("\n") if isinstance(content, str) else json.loads(content)
    return found


def encode_scores(scores: Iterable[float]) -> bytes:
    """Encode scores without loss."""
    numbers = array("d", scores)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def decode_scores(content: bytes | None) -> array[float] | None:
    """Decode scores."""
    if content is None:
        return None
    numbers = array("d", content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def fields_digest(query: Query) -> str:
    """Return a digest of a query's attributes other than its text; empty without any.

    Examples
    --------
    >>> from gainful.systems import Query
    >>> fields_digest(Query("q1", "red shoes"))
    ''
    >>> fields_digest(Query("q1", "red shoes", {"locale": "de", "size": 42}))
    '63429dfa0edffc15'
    """
    if not query.fields:
        return ""
    content = json.dumps(dict(query.fields), sort_keys=True, default=_plain)
    return sha256(content.encode()).hexdigest()[:16]


def _plain(value: Any) -> object:
    """Return a substitute of what JSON lacks: a vector as a digest of its numbers."""
    if hasattr(value, "__array__"):
        import numpy as np

        array = np.ascontiguousarray(value)
        if not array.dtype.hasobject:
            return [str(array.dtype), array.shape, sha256(array.data).hexdigest()]
    # The default representation has an address, which differs in another process.
    shown = repr(value)
    return type(value).__qualname__ if shown == object.__repr__(value) else shown


def key_of(text: str) -> Key:
    """Return a text in a form for SQLite: bytes if it is not valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def text_of(key: Key) -> str:
    """Return a text from its form in SQLite."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogateescape")
