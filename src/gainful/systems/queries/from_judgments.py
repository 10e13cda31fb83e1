"""Queries in judgments: tables whose rows of documents contain the query text."""

from __future__ import annotations

from gainful._kernel import names_with, plain_name
from gainful.data.column_names import find_column
from gainful.data.records import readable
from gainful.errors import FormatError
from gainful.systems.protocol import Query
from gainful.systems.queries.records import identifier_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Placed: TypeAlias = tuple[str, int | None, Query]

__all__ = ["ids_of", "is_judged", "no_texts", "of_judgments", "of_records", "texts_as_ids"]

#: Names of grades of raters and of ESCI.
_GRADES = frozenset(("finalrating", "escilabel"))


def is_judged(header: Sequence[str]) -> bool:
    """Return whether columns contain documents and grades."""
    names = list(header)
    plain = {plain_name(name) for name in names}
    has_grade = bool(names_with(names, "grade")) or not plain.isdisjoint(_GRADES)
    return has_grade and bool(names_with(names, "document"))


def _query_columns(header: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the columns of the texts of queries, and of their ids."""
    names = list(header)
    text = find_column(names, "query.text_of_pair")
    # An id may be that of the row.
    others = {name for part in ("document.id", "query.text") for name in names_with(names, part)}
    users = names_with(names, "query.user")
    ids = [name for name in names_with(names, "query.id") if name not in {*others, *users}]
    if text is not None and not (ids or names_with([text], "query_id")):
        text = None  # A text that is no id may be that of a document.
    return text, next(iter(ids if text is not None else [*ids, *users]), None)


def ids_of(header: Sequence[str]) -> list[str | None]:
    """Return the column of query ids in judgments, which may be that of the texts."""
    text, identifier = _query_columns(header)
    return [identifier or text]


def of_judgments(
    table: Iterable[tuple[int | None, Mapping[str, Any]]], header: Sequence[str], label: str
) -> Iterator[Placed]:
    """Yield the queries of rows of judgments, with the fields that all rows of a query share.

    Ids are unchanged, even if they are texts, as when judgments are read.
    """
    text_name, id_name = _query_columns(header)
    if text_name is None:
        if id_name is None:
            raise no_texts(label, f"judgments with the columns {', '.join(header)}")
        ids = dict.fromkeys(_cell_text(row, id_name, label, line) for line, row in table)
        if names_with([id_name], "query.user"):
            yield from ((label, None, Query(user, user)) for user in ids)
            return
        yield from texts_as_ids(ids, label)
        return
    found: dict[str, tuple[int | None, str, Mapping[str, Any]]] = {}
    varying: set[str] = {text_name, *([id_name] if id_name else [])}
    rows = 0
    for rows, (line, row) in enumerate(table, start=1):  # noqa: B007
        identifier = _cell_text(row, id_name or text_name, label, line)
        text = readable(_cell_text(row, text_name, label, line)).strip()
        first, before, fields = found.setdefault(identifier, (line, text, row))
        if text != before:
            raise FormatError(
                f"two texts: {text!r}, and in line {first} {before!r}",
                file=label,
                line=line,
                query=identifier,
            )
        varying.update(name for name in header if row.get(name) != fields.get(name))
    for part in ("document", "grade", "rank"):
        varying.update(names_with(list(header), part))
    if rows == len(found):
        # Fields of the query cannot be distinguished from fields of documents.
        varying.update(header)
    for identifier, (line, text, fields) in found.items():
        kept = {name: value for name, value in fields.items() if name not in varying}
        yield label, line, Query(identifier, text, kept)


def of_records(
    records: Iterable[tuple[int | None, dict[str, Any]]], label: str
) -> Iterator[Placed]:
    """Yield the queries of judgments in JSON lines."""
    rows = list(records)
    yield from of_judgments(rows, list(dict.fromkeys(key for _, row in rows for key in row)), label)


def texts_as_ids(ids: Iterable[str] | Mapping[str, Any], label: str) -> Iterator[Placed]:
    """Yield ids of judgments as texts, if at least one has several words."""
    texts = list(ids)
    if not any(" " in text.strip() for text in texts):
        raise no_texts(label, f"judgments with the query ids {', '.join(texts[:3])}")
    for text in texts:
        yield label, None, Query(text, readable(text))


def no_texts(label: str, found: str) -> FormatError:
    """Return the error of a file without texts of queries."""
    return FormatError(
        f"no texts of queries, but {found}",
        file=label,
        hint="if ids are texts, use gainful.systems.Queries.of(qrels)",
    )


def _cell_text(row: Mapping[str, Any], column: str, label: str, line: int | None) -> str:
    """Return a cell as text, or a number as text."""
    try:
        return identifier_of(row.get(column, ""))
    except FormatError as error:
        raise error.replace(file=label, line=line) from None
