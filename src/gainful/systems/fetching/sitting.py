"""One go at a search: what is written in it, and what earlier ones have left."""

from __future__ import annotations

from time import time
from typing import NamedTuple

from gainful.systems.fetching.changes import short
from gainful.systems.fetching.encoding import (
    decoded_documents,
    decoded_scores,
    fields_digest,
    key_of,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from gainful.systems.fetching.encoding import Content
    from gainful.systems.fetching.journal import Journal
    from gainful.systems.protocol import Query

    Ranking = tuple[str, list[str], array[float] | None]

__all__ = ["SITTINGS", "Figures", "Kept", "Sitting"]

_ANSWER = (
    "INSERT INTO answer (search, query, sitting, at, seconds, tries, failure, fields, "
    "text, found, repeated, falling, documents, scores) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
#: Between which rows the answers of each sitting stand: the first, and the next sitting's first.
#: Nobody else writes meanwhile, so they follow each other.
SITTINGS = (
    "SELECT search, first, lead(first, 1, 9223372036854775807) OVER (ORDER BY id) "
    "FROM sitting ORDER BY id"
)
_RETRY = "INSERT INTO retry (search, query, sitting, at, reason) VALUES (?, ?, ?, ?, ?)"


class Kept(NamedTuple):
    """What the journal has of a query: what was asked, and whether it was answered."""

    text: str
    fields: str
    answered: bool


class Figures(NamedTuple):
    """What the journal has of a query beside its documents.

    Attributes
    ----------
    row : int
        Where it stands.
    query : str
        Its id.
    sitting : int
        In which it was asked last.
    at, seconds : float
        When that ended, in seconds since 1970, and how long the last call took.
    tries : int
        How often it was asked.
    failure : str or None
        Why there is no answer.
    found, repeated, falling : int or None
        See `Content`.
    """

    row: int
    query: str
    sitting: int
    at: float
    seconds: float
    tries: int
    failure: str | None
    found: int | None
    repeated: int | None
    falling: int | None


class Sitting:
    """One go at a search: what is written in it, and what earlier ones have left."""

    __slots__ = ("_journal", "_number", "_search", "name")

    def __init__(self, journal: Journal, name: str, search: int, number: int) -> None:
        self._journal = journal
        self._search = search
        self._number = number
        self.name = name

    @property
    def file(self) -> str | None:
        """Where it is kept; None in memory."""
        return self._journal.path

    def kept(self) -> dict[str, Kept]:
        """Return what there is of each query."""
        return {
            text_of(key): Kept(text_of(text), fields, bool(answered))
            for key, text, fields, answered in self._rows("query, text, fields, failure IS NULL")
        }

    def figures(self) -> dict[str, Figures]:
        """Return what there is of each query, its documents apart."""
        columns = "id, query, sitting, at, seconds, tries, failure, found, repeated, falling"
        found = {}
        for row, key, *rest in self._rows(columns):
            query = text_of(key)
            found[query] = Figures(row, query, *rest)
        return found

    def answers(self, rows: Iterable[Figures]) -> Iterator[Ranking]:
        """Yield the query, documents and scores of answers."""
        statement = "SELECT documents, scores FROM answer WHERE id = ?"
        for each in rows:
            ((documents, scores),) = self._journal.read(statement, (each.row,))
            yield each.query, decoded_documents(documents, each.found or 0), decoded_scores(scores)

    def _rows(self, columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield columns of all answers, the older ones first."""
        statement = f"SELECT {columns} FROM answer WHERE id >= ? AND id < ? ORDER BY id"
        for search, first, stop in self._journal.read(SITTINGS):
            if search == self._search:
                yield from self._journal.read(statement, (first, stop))

    def retries(self) -> Iterator[tuple[str, str]]:
        """Yield the query and the reason of each retry."""
        rows = self._journal.read(
            "SELECT query, reason FROM retry WHERE search = ?", (self._search,)
        )
        for key, reason in rows:
            yield text_of(key), reason

    def begins(self) -> dict[int, float]:
        """Return when each sitting began, in seconds since 1970."""
        rows = self._journal.read(
            "SELECT id, began FROM sitting WHERE search = ? ORDER BY id", (self._search,)
        )
        return dict(rows)

    def keep(self, entries: Iterable[tuple[Query, Content, float, int]]) -> None:
        """Keep answers: the query, what was found, seconds and tries."""
        at = time()
        head, number = self._search, self._number
        self._journal.write(
            [
                (
                    _ANSWER,
                    (
                        *(head, key_of(query.id), number, at, seconds, tries, None),
                        *(fields_digest(query), key_of(query.text)),
                        *(content.found, content.repeated, content.falling),
                        *(content.documents, content.scores),
                    ),
                )
                for query, content, seconds, tries in entries
            ]
        )

    def keep_failures(self, entries: Iterable[tuple[Query, str, float, int]]) -> None:
        """Keep why queries have no answer: the query, the reason, seconds and tries."""
        at = time()
        head, number = self._search, self._number
        self._journal.write(
            [
                (
                    _ANSWER,
                    (
                        *(head, key_of(query.id), number, at, seconds, tries, reason),
                        *(fields_digest(query), key_of(query.text), *[None] * 5),
                    ),
                )
                for query, reason, seconds, tries in entries
            ]
        )

    def keep_retries(self, queries: Iterable[Query], reason: str) -> None:
        """Keep why queries are asked again."""
        at = time()
        self._journal.write(
            [
                (_RETRY, (self._search, key_of(query.id), self._number, at, reason))
                for query in queries
            ]
        )

    def missing(self, queries: Collection[Query]) -> list[Query]:
        """Return the queries that have no answer, those that were never asked before the others.

        Whatever failed when it was asked could do so again, and nothing has to wait for it.

        Raises
        ------
        SearchError
            If a query is no longer what it was when it was asked.
        """
        kept = self.kept()
        self._check(queries, kept)
        fresh = [query for query in queries if query.id not in kept]
        failed = [query for query in queries if query.id in kept and not kept[query.id].answered]
        return fresh + failed

    def _check(self, queries: Iterable[Query], kept: Mapping[str, Kept]) -> None:
        changes = []
        for query in queries:
            before = kept.get(query.id)
            # What has no answer is asked again, with whatever text it has today.
            if before is None or not before.answered:
                continue
            if before.text != query.text:
                changes.append(f"query {query.id}: {short(before.text)} → {short(query.text)}")
            elif before.fields != fields_digest(query):
                changes.append(f"query {query.id}: other fields")
        if changes:
            raise self._journal.changed(self.name, changes)
