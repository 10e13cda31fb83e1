"""Classes of documents that count as one, such as copies of a text or the chunks of a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike

from gainful.data.column_names import find_column, missing_column
from gainful.data.query_attributes import read_document_classes, value_column
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.evaluation.value_tables import frame_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from gainful.data.inputs import ArrowStream
    from gainful.data.table import Id

    #: The class of each document, or what contains or computes it.
    ClassesLike: TypeAlias = (
        Mapping[Id, Id]
        | Iterable[tuple[Id, Id]]
        | ArrowStream
        | Callable[[str], Id | None]
        | str
        | PathLike[str]
    )
    Classes: TypeAlias = Callable[[str], Id | None]

__all__ = ["read_classes"]


def read_classes(same: ClassesLike) -> tuple[Classes, str | None]:
    r"""Return a function from the id of a document to its class, or None, and a digest of it.

    The digest is None for a function.

    Parameters
    ----------
    same : mapping, pairs, data frame, path, pattern or function
        The class by document; ``(document, class)`` pairs; a data frame with columns such as
        ``document`` and ``class``; the path of such a file, or ``FILE:COLUMN``; a colon and a
        regular expression whose group is the class; or the function itself.

    Raises
    ------
    SourceError, ColumnError, FormatError
        For a file that cannot be read, or has two classes of a document.
    ParameterError
        For no class, or a pattern without one group.

    Examples
    --------
    >>> classes, digest = read_classes({"a1": "a", "a2": "a"})
    >>> classes("a2"), classes("b"), digest[:7]
    ('a', None, 'sha256:')
    >>> read_classes(r":^(.+)#\d+$")[0]("returns#2")
    'returns'
    """
    if isinstance(same, str) and same.startswith(":"):
        return _pattern(same[1:]), _digest(same)
    if callable(same):
        return same, None
    values = _values(same)
    if not values:
        raise ParameterError(where="same", found="no class", expected="at least one")
    return values.get, _digest(sorted(values.items()))


def _digest(rule: object) -> str:
    return f"sha256:{sha256(repr(rule).encode('utf-8', 'backslashreplace')).hexdigest()}"


def _pattern(text: str) -> Classes:
    """Return the function that takes the group of a regular expression."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise ParameterError(
            where="same", found=f"the pattern {text!r} ({error})", expected="a regular expression"
        ) from None
    if pattern.groups != 1:
        raise ParameterError(
            where="same",
            found=f"{pattern.groups} groups in {text!r}",
            expected="one, which is the class, as in :^(.+)#",
        )

    def class_of(document: str) -> str | None:
        match = pattern.search(document)
        return (match and match[1]) or None

    return class_of


def _values(same: Any) -> dict[str, str]:
    """Return the class by document of a file or of what is in memory."""
    if isinstance(same, (str, PathLike)):
        return read_document_classes(same)
    frame = frame_records(same)
    pairs: list[Any]
    if isinstance(same, Mapping):
        pairs = list(same.items())
    elif frame is None:
        # Anything else is refused as one pair.
        pairs = list(same) if hasattr(same, "__iter__") else [same]
    else:
        document = find_column(frame.columns, "doc_id", where="same")
        if document is None:
            raise missing_column(frame.columns, "doc_id", "documents", where="same")
        column = value_column("same", "same", frame.columns, document, None, "doc_id")
        pairs = [(row.cells[document], row.cells[column]) for row in frame.rows]
    values: dict[str, str] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ArgumentError(
                where="same",
                found=type(pair).__name__,
                expected="{document: class}, (document, class) pairs, a data frame or a path",
            )
        document, name = pair
        if name in (None, ""):
            continue
        if values.setdefault(str(document), str(name)) != str(name):
            raise FormatError(
                f"two classes: {values[str(document)]!r} and {str(name)!r}",
                where="same",
                document=str(document),
            )
    return values
