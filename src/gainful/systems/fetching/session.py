"""Sessions of a search: each start or resumption, and the stored answers."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from time import time
from typing import NamedTuple

from gainful.systems.fetching.changes import short
from gainful.systems.fetching.checksums import ANSWER, RETRY
from gainful.systems.fetching.encoding import (
    Content,
    decode_documents,
    decode_scores,
    fields_digest,
    key_of,
    text_of,
)
from gainful.systems.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from gainful.systems.fetching.journal import Journal
    from gainful.systems.protocol import Query

    Ranking = tuple[str, list[str], array[float] | None]

__all__ = ["SESSIONS", "Entry", "Figures", "Session"]

#: Each session, its search, its first answer and the next session's first answer. Only one session
#: writes at a time, so their rows are consecutive.
SESSIONS = (
    "SELECT id, search, first, lead(first, 1, 9223372036854775807) OVER (ORDER BY id) "
    "FROM session ORDER BY id"
)


class Entry(NamedTuple):
    """The journal's entry for a query: its text, and whether it was answered."""

    text: str
    fields: str
    answered: bool


class Figures(NamedTuple):
    """The journal's entry for a query, without documents.

    Attributes
    ----------
    row : int
        The number of its row.
    query : str
        The query's id.
    session : int
        The number of the session of the last call.
    at, seconds : float
        The end of the last call, in seconds since 1970, and its duration.
    tries : int
        The number of calls.
    failure : str or None
        The reason of a failure; None for an answer.
    found, repeated, falling : int or None
        See `Content`.
    """

    row: int
    query: str
    session: int
    at: float
    seconds: float
    tries: int
    failure: str | None
    found: int | None
    repeated: int | None
    falling: int | None


@dataclass(frozen=True)
class Session:
    """One session of a search: its start or a resumption.

    Parameters
    ----------
    journal : Journal
        The journal.
    name : str
        The name of the search.
    search, number : int
        Its row numbers in the tables of searches and sessions.
    key : bytes
        The key of its checksums.
    damaged : int
        The number of damaged answers that were discarded at the start.
    """

    _journal: Journal
    name: str
    _search: int
    _number: int
    _key: bytes
    damaged: int

    @property
    def file(self) -> str | None:
        """The journal's path; None in memory."""
        return self._journal.path

    @property
    def label(self) -> str:
        """The journal's name in messages."""
        return self._journal.label

    def entries(self) -> dict[str, Entry]:
        """Return the entries of all queries."""
        return {
            text_of(key): Entry(text_of(text), fields, bool(answered))
            for key, text, fields, answered in self._rows("query, text, fields, failure IS NULL")
        }

    def figures(self) -> dict[str, Figures]:
        """Return the entries of all queries, without documents."""
        columns = "id, query, session, at, seconds, tries, failure, found, repeated, falling"
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
            yield each.query, decode_documents(documents, each.found or 0), decode_scores(scores)

    def _rows(self, columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield columns of all answers, oldest first."""
        statement = f"SELECT {columns} FROM answer WHERE id >= ? AND id < ? ORDER BY id"
        for _, search, first, stop in self._journal.read(SESSIONS):
            if search == self._search:
                yield from self._journal.read(statement, (first, stop))

    def retries(self) -> Iterator[tuple[str, str]]:
        """Yield the query and the reason of each retry, without damaged ones."""
        rows = self._journal.read(
            f"SELECT {RETRY.selected} FROM retry WHERE search = ?", (self._search,)
        )
        for row in rows:
            if RETRY.is_intact(self._key, row):
                _, query, _, _, reason, _ = row
                yield text_of(query), reason

    def begins(self) -> dict[int, float]:
        """Return the start of each session, in seconds since 1970."""
        rows = self._journal.read(
            "SELECT id, began FROM session WHERE search = ? ORDER BY id", (self._search,)
        )
        return dict(rows)

    def sample(self, queries: Iterable[Query], most: int) -> list[Query]:
        """Return random queries, always the same ones of the same queries and journal."""

        def draw(query: Query) -> bytes:
            content = query.id.encode("utf-8", "surrogateescape")
            return blake2b(content, key=self._key).digest()

        return nsmallest(most, queries, key=draw)

    def keep(self, entries: Iterable[tuple[Query, Content, float, int]]) -> None:
        """Store answers: query, content, seconds and tries."""
        self._keep(
            (query, content, None, seconds, tries) for query, content, seconds, tries in entries
        )

    def keep_failures(self, entries: Iterable[tuple[Query, str, float, int]]) -> None:
        """Store failures: query, reason, seconds and tries."""
        self._keep((query, None, why, seconds, tries) for query, why, seconds, tries in entries)

    def _keep(
        self, entries: Iterable[tuple[Query, Content | None, str | None, float, int]]
    ) -> None:
        at = time()
        rows = []
        for query, content, failure, seconds, tries in entries:
            key, text = key_of(query.id), key_of(query.text)
            why = None if failure is None else masked(failure)
            head = (self._search, key, self._number, at, float(seconds), tries, why)
            if content is None:
                found: tuple[object, ...] = (None, None, None, text, None, None)
            else:
                found = (
                    *(content.found, content.repeated, content.falling),
                    *(text, content.documents, content.scores),
                )
            values = (*head, fields_digest(query), *found)
            rows.append((ANSWER.insertion, ANSWER.row(self._key, values)))
        self._journal.write(rows)

    def keep_retries(self, queries: Iterable[Query], reason: str) -> None:
        """Store the reasons for retries."""
        at, reason = time(), masked(reason)
        rows = [(self._search, key_of(query.id), self._number, at, reason) for query in queries]
        self._journal.write([(RETRY.insertion, RETRY.row(self._key, row)) for row in rows])

    def missing(self, queries: Collection[Query]) -> list[Query]:
        """Return the queries without an answer: new ones first, then failed ones.

        Failed queries may fail again, and should not delay the others.

        Raises
        ------
        SearchError
            If a query has changed since it was sent.
        """
        kept = self.entries()
        self._check(queries, kept)
        fresh = [query for query in queries if query.id not in kept]
        failed = [query for query in queries if query.id in kept and not kept[query.id].answered]
        return fresh + failed

    def _check(self, queries: Iterable[Query], kept: Mapping[str, Entry]) -> None:
        changes = []
        for query in queries:
            before = kept.get(query.id)
            # A query without an answer is sent again with its current text.
            if before is None or not before.answered:
                continue
            if before.text != query.text:
                changes.append(f"query {query.id}: {short(before.text)} → {short(query.text)}")
            elif before.fields != fields_digest(query):
                changes.append(f"query {query.id}: other fields")
        if changes:
            raise self._journal.changed(self.name, changes)
