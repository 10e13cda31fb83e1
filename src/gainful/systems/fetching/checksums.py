"""Checksums of a journal's rows, which detect damage that SQLite does not notice."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ANSWER", "RETRY", "SEARCH", "SESSION", "Table", "checksum"]

_SIZE = 8


class Table(NamedTuple):
    """A table of the journal whose last column is a checksum of the others.

    Attributes
    ----------
    name : str
        Its name.
    columns : tuple of str
        The columns that the checksum covers, in order.

    Examples
    --------
    >>> table = Table("tea", ("leaf", "grams"))
    >>> table.insertion
    'INSERT INTO tea (leaf, grams, checksum) VALUES (?, ?, ?)'
    >>> row = table.row(b"key", ("oolong", 2.5))
    >>> table.is_intact(b"key", row), table.is_intact(b"key", ("assam", *row[1:]))
    (True, False)
    """

    name: str
    columns: tuple[str, ...]

    @property
    def insertion(self) -> str:
        """The SQL statement that inserts the result of `row`."""
        places = ", ".join("?" * (len(self.columns) + 1))
        return f"INSERT INTO {self.name} ({self.selected}) VALUES ({places})"

    @property
    def selected(self) -> str:
        """The column names and the checksum, separated by commas."""
        return ", ".join((*self.columns, "checksum"))

    def row(self, key: bytes, values: Sequence[object]) -> tuple[object, ...]:
        """Return values with their checksum."""
        return (*values, checksum(key, self.name, values))

    def is_intact(self, key: bytes, row: Sequence[object]) -> bool:
        """Return whether a row has the checksum that it was written with."""
        return row[-1] == checksum(key, self.name, row[:-1])


def checksum(key: bytes, name: str, values: Iterable[object]) -> bytes:
    """Return the checksum of a row's values and their types.

    Parameters
    ----------
    key : bytes
        Random bytes of the search, so that rows of other or deleted searches do not match.
    name : str
        The table.
    values : iterable
        Numbers, texts, bytes and None, as SQLite returns them.

    Examples
    --------
    >>> checksum(b"key", "tea", [1, "a"]) == checksum(b"key", "tea", [1, b"a"])
    False
    """
    digest = blake2b(name.encode(), digest_size=_SIZE, key=key)
    for value in values:
        if value is None:
            digest.update(b"n")
        elif isinstance(value, str):
            # Invalid UTF-8 is read with surrogate escapes, which restore its bytes here.
            content = value.encode("utf-8", "surrogateescape")
            digest.update(b"t%d:" % len(content))
            digest.update(content)
        elif isinstance(value, bytes):
            digest.update(b"b%d:" % len(value))
            digest.update(value)
        elif isinstance(value, float):
            # SQLite does not keep the sign of zero.
            digest.update(struct.pack("<cd", b"f", value + 0.0))
        elif isinstance(value, int):
            digest.update(b"i%d:" % value)
        else:
            raise TypeError(f"SQLite has no type for a {type(value).__name__}")
    return digest.digest()


SEARCH = Table("search", ("id", "name", "identity", "k", "key"))
SESSION = Table("session", ("id", "search", "began", "first"))
ANSWER = Table(
    "answer",
    (
        *("search", "query", "session", "at", "seconds", "tries", "failure", "fields"),
        *("found", "repeated", "falling", "text", "documents", "scores"),
    ),
)
RETRY = Table("retry", ("search", "query", "session", "at", "reason"))
