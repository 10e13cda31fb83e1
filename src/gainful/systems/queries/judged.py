"""Queries of judgments: tables in which rows of documents say what was typed."""

from __future__ import annotations

from gainful.data.columns import ALIASES
from gainful.data.corpus_fields import plain_name, readable
from gainful.errors import FormatError
from gainful.systems.protocol import Query
from gainful.systems.queries.records import USERS, identifier_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Placed: TypeAlias = tuple[str, int | None, Query]

__all__ = ["ids_of", "is_judged", "no_texts", "of_judgments", "of_records", "texts_as_ids"]

_DOCUMENTS, _GRADES = frozenset(ALIASES["doc_id"]), frozenset(ALIASES["grade"])
#: In judgments, a title or a description is the document's, and an id may be the row's.
_ASKED = ("query", "query_text", "querytext", "keywords", "question", "claim", "topic")
_ASKED_BY = ("query_id", "queryid", "qid", "topic_id")


def is_judged(header: Sequence[str]) -> bool:
    """Whether columns hold documents and their grades."""
    names = {plain_name(name) for name in header}
    return bool(names & _DOCUMENTS) and bool(names & (_GRADES | {"final_rating", "esci_label"}))


def _asked(header: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the columns of the texts of queries, and of their ids."""
    names = {plain_name(name): name for name in reversed(header)}
    text = next((names[name] for name in _ASKED if name in names), None)
    by = _ASKED_BY if text is not None else (*_ASKED_BY, *USERS)
    return text, next((names[name] for name in by if name in names), None)


def ids_of(header: Sequence[str]) -> list[str | None]:
    """Return the column by which judgments call queries; it may be that of the texts."""
    text, identifier = _asked(header)
    return [identifier or text]


def of_judgments(
    table: Iterable[tuple[int | None, Mapping[str, Any]]], header: Sequence[str], label: str
) -> Iterator[Placed]:
    """The queries of rows of judgments, each once, with what is the same in all its rows.

    Their ids are as they stand there, be it the texts: so judgments are read, too.
    """
    text_name, id_name = _asked(header)
    if text_name is None:
        if id_name is None:
            raise no_texts(label, f"judgments with the columns {', '.join(header)}")
        ids = dict.fromkeys(_said(row, id_name, label, line) for line, row in table)
        if plain_name(id_name) in USERS:
            yield from ((label, None, Query(user, user)) for user in ids)
            return
        yield from texts_as_ids(ids, label)
        return
    found: dict[str, tuple[int | None, str, Mapping[str, Any]]] = {}
    varying: set[str] = {text_name, *([id_name] if id_name else [])}
    rows = 0
    for rows, (line, row) in enumerate(table, start=1):  # noqa: B007
        identifier = _said(row, id_name or text_name, label, line)
        text = readable(_said(row, text_name, label, line)).strip()
        first, before, fields = found.setdefault(identifier, (line, text, row))
        if text != before:
            raise FormatError(
                file=label,
                line=line,
                query=identifier,
                found=f"the text {text!r}, after {before!r} in line {first}",
                expected="one text a query",
            )
        varying.update(name for name in header if row.get(name) != fields.get(name))
    judged = _DOCUMENTS | _GRADES | frozenset(ALIASES["rank"])
    varying.update(name for name in header if plain_name(name) in judged)
    if rows == len(found):
        # Nothing tells what belongs to the query, and what to the document.
        varying.update(header)
    for identifier, (line, text, fields) in found.items():
        kept = {name: value for name, value in fields.items() if name not in varying}
        yield label, line, Query(identifier, text, kept)


def of_records(
    records: Iterable[tuple[int | None, dict[str, Any]]], label: str
) -> Iterator[Placed]:
    """Rows of judgments, of which each is an object."""
    held = list(records)
    yield from of_judgments(held, list(dict.fromkeys(key for _, row in held for key in row)), label)


def texts_as_ids(ids: Iterable[str] | Mapping[str, Any], label: str) -> Iterator[Placed]:
    """Ids of judgments as texts, if they are texts: if one of them has more than one word."""
    texts = list(ids)
    if not any(" " in text.strip() for text in texts):
        raise no_texts(label, f"judgments with the query ids {', '.join(texts[:3])}")
    for text in texts:
        yield label, None, Query(text, readable(text))


def no_texts(label: str, found: str) -> FormatError:
    """Return the error for a file that holds no texts of queries."""
    return FormatError(
        file=label,
        found=found,
        expected="the texts of queries",
        hint="where the ids are what is searched for, gainful.systems.Queries.of(qrels) takes"
        " them so",
    )


def _said(row: Mapping[str, Any], column: str, label: str, line: int | None) -> str:
    """Return what a row says of its query in a column: text, or a number as text."""
    try:
        return identifier_of(row.get(column, ""))
    except FormatError as error:
        raise error.replace(file=label, line=line) from None
