"""What was fetched, kept as it arrives, so that nothing is asked twice."""

from __future__ import annotations

import json
import sys
from array import array
from collections import deque
from hashlib import sha256
from threading import Lock
from time import time
from typing import NamedTuple

from gainful.errors import SearchError, SourceError
from gainful.systems.journal_file import errors_of, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gainful.systems.protocol import Query

    Key = str | bytes
    Row = tuple[object, ...]
    Ranking = tuple[str, list[str], array[float] | None]

__all__ = ["Content", "Figures", "Journal", "Kept", "Sitting", "encoded_scores", "fields_digest"]

_ANSWER = (
    "INSERT OR REPLACE INTO answer (search, query, sitting, at, seconds, tries, failure, fields, "
    "text, found, repeated, falling, documents, scores) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_RETRY = "INSERT INTO retry (search, query, sitting, at, reason) VALUES (?, ?, ?, ?, ?)"


class Kept(NamedTuple):
    """What the journal has of a query: what was asked, and whether it was answered."""

    text: str
    fields: str
    answered: bool


class Content(NamedTuple):
    """An answer as it is kept.

    Attributes
    ----------
    documents : str
        The ids, as a list in JSON.
    scores : bytes or None
        As 64-bit floats.
    found : int
        How many documents.
    repeated : int
        How many of these stand there a second time.
    falling : bool or None
        Whether no score is above the one before it; None without scores.
    """

    documents: str
    scores: bytes | None
    found: int
    repeated: int
    falling: bool | None


class Figures(NamedTuple):
    """What the journal has of a query beside its documents.

    Attributes
    ----------
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

    query: str
    sitting: int
    at: float
    seconds: float
    tries: int
    failure: str | None
    found: int | None
    repeated: int | None
    falling: int | None


class Journal:
    """A file of searches, by name; in memory, where there is no file.

    Parameters
    ----------
    path : str, optional
        The file, which is made if there is none.

    Raises
    ------
    SourceError
        If it is in use by another process, damaged, or no journal.
    """

    __slots__ = ("_broken", "_connection", "_lock", "_pending", "path")

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._connection = opened(path)
        self._lock = Lock()
        self._pending: deque[tuple[str, Row]] = deque()
        self._broken: SourceError | None = None

    def sitting(
        self, name: str, identity: Mapping[str, Any], k: int, *, restart: bool = False
    ) -> Sitting:
        """Begin a search, or go on with one.

        Raises
        ------
        SearchError
            If there is a search of that name, of another system or to another depth.
        """
        told = json.dumps(identity, sort_keys=True, default=str)
        with self._lock, errors_of(self._label()):
            execute = self._connection.execute
            execute("BEGIN IMMEDIATE")
            try:
                if restart:
                    self._forget(name)
                found = execute(
                    "SELECT id, identity, k FROM search WHERE name = ?", (name,)
                ).fetchone()
                if found is None:
                    made = execute(
                        "INSERT INTO search (name, identity, k) VALUES (?, ?, ?)", (name, told, k)
                    )
                    number = made.lastrowid
                else:
                    number, before, depth = found
                    changes = [f"k: {depth} → {k}"] if depth != k else []
                    changes += _changes(json.loads(before), json.loads(told))
                    if changes:
                        raise self.changed(name, changes)
                begun = execute(
                    "INSERT INTO sitting (search, began) VALUES (?, ?)", (number, time())
                )
                execute("COMMIT")
            except BaseException:
                execute("ROLLBACK")
                raise
        assert number is not None
        assert begun.lastrowid is not None
        return Sitting(self, name, number, begun.lastrowid)

    def _forget(self, name: str) -> None:
        execute = self._connection.execute
        for (number,) in execute("SELECT id FROM search WHERE name = ?", (name,)).fetchall():
            for table in ("answer", "retry", "sitting"):
                execute(f"DELETE FROM {table} WHERE search = ?", (number,))
            execute("DELETE FROM search WHERE id = ?", (number,))

    def changed(self, name: str, changes: list[str]) -> SearchError:
        """Return the error of a search that is no longer the one in the journal."""
        shown = "; ".join(changes[:3])
        if len(changes) > 3:
            shown += f"; and {len(changes) - 3:,} more"
        return SearchError(
            where=f"journal {self._label()}",
            found=f"{name!r} with other settings or queries ({shown})",
            expected="the search that its answers are from",
            hint="give it another name or journal, or restart to fetch everything anew",
        )

    def write(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Write rows; they are committed when this returns.

        Of several threads the first to come writes what the others brought meanwhile, in one
        transaction.
        """
        self._pending.extend(rows)
        with self._lock:
            if self._broken is None and self._pending:
                taken = [self._pending.popleft() for _ in range(len(self._pending))]
                try:
                    self._commit(taken)
                except SourceError as error:
                    self._broken = error
            if self._broken is not None:
                raise self._broken

    def _commit(self, rows: list[tuple[str, Row]]) -> None:
        with errors_of(self._label()):
            execute = self._connection.execute
            if len(rows) == 1:
                execute(*rows[0])
                return
            execute("BEGIN IMMEDIATE")
            try:
                for statement, values in rows:
                    execute(statement, values)
            except BaseException:
                execute("ROLLBACK")
                raise
            execute("COMMIT")

    def read(self, statement: str, values: Row) -> Iterator[tuple[Any, ...]]:
        """Yield what a query of SQL finds."""
        with errors_of(self._label()):
            yield from self._connection.execute(statement, values)

    def close(self) -> None:
        """Close the file; what is written meanwhile is written whole."""
        with self._lock:
            self._broken = SourceError("the journal is closed")
            self._connection.close()

    def _label(self) -> str:
        return self.path or "in memory"


class Sitting:
    """One go at a search: what is written in it, and what earlier ones have left."""

    __slots__ = ("_journal", "_number", "_search", "name")

    def __init__(self, journal: Journal, name: str, search: int, number: int) -> None:
        self._journal = journal
        self._search = search
        self._number = number
        self.name = name

    def kept(self) -> dict[str, Kept]:
        """Return what there is of each query."""
        rows = self._journal.read(
            "SELECT query, text, fields, failure IS NULL FROM answer WHERE search = ?",
            (self._search,),
        )
        return {
            _text(key): Kept(_text(text), fields, bool(answered))
            for key, text, fields, answered in rows
        }

    def answers(self, queries: Iterable[str]) -> Iterator[Ranking]:
        """Yield the documents and scores of each query that has an answer."""
        statement = (
            "SELECT documents, scores FROM answer "
            "WHERE search = ? AND query = ? AND failure IS NULL"
        )
        for query in queries:
            for documents, scores in self._journal.read(statement, (self._search, _key(query))):
                yield query, json.loads(documents), _floats(scores)

    def figures(self) -> Iterator[Figures]:
        """Yield what there is of each query, its documents apart."""
        rows = self._journal.read(
            "SELECT query, sitting, at, seconds, tries, failure, found, repeated, falling "
            "FROM answer WHERE search = ?",
            (self._search,),
        )
        for key, *rest in rows:
            yield Figures(_text(key), *rest)

    def retries(self) -> Iterator[tuple[str, str]]:
        """Yield the query and the reason of each retry."""
        rows = self._journal.read(
            "SELECT query, reason FROM retry WHERE search = ?", (self._search,)
        )
        for key, reason in rows:
            yield _text(key), reason

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
                        *(head, _key(query.id), number, at, seconds, tries, None),
                        *(fields_digest(query), _key(query.text)),
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
                        *(head, _key(query.id), number, at, seconds, tries, reason),
                        *(fields_digest(query), _key(query.text), *[None] * 5),
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
                (_RETRY, (self._search, _key(query.id), self._number, at, reason))
                for query in queries
            ]
        )

    def check(self, queries: Iterable[Query], kept: Mapping[str, Kept]) -> None:
        """Raise if a query is no longer what it was when it was answered."""
        changes = []
        for query in queries:
            before = kept.get(query.id)
            if before is None:
                continue
            if before.text != query.text:
                changes.append(f"query {query.id}: {_short(before.text)} → {_short(query.text)}")
            elif before.fields != fields_digest(query):
                changes.append(f"query {query.id}: other fields")
        if changes:
            raise self._journal.changed(self.name, changes)


def encoded_scores(scores: Iterable[float]) -> bytes:
    """Return scores as they are kept, all their bits."""
    numbers = array("d", scores)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _floats(content: bytes | None) -> array[float] | None:
    if content is None:
        return None
    numbers = array("d", content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def fields_digest(query: Query) -> str:
    """Return a fingerprint of what is asked beside the text; nothing, where that is all.

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
    return sha256(json.dumps(_plain(query.fields), sort_keys=True).encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    """Return a value of a field as JSON can hold it; of an array, a digest of its bytes."""
    if hasattr(value, "tobytes"):
        value = [str(getattr(value, "dtype", "")), sha256(value.tobytes()).hexdigest()]
    if hasattr(value, "items"):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)


def _key(text: str) -> Key:
    """Return a text as SQLite can hold it: bytes, where it is no valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def _text(key: Key) -> str:
    return key if isinstance(key, str) else key.decode("utf-8", "surrogateescape")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else f"{text[:59]}…") if isinstance(value, str) else text


def _changes(before: object, after: object, place: str = "") -> list[str]:
    """Return what differs between two values of JSON, key by key.

    Examples
    --------
    >>> _changes({"url": "a", "boost": {"title": 1}}, {"url": "a", "boost": {"title": 2}})
    ['boost.title: 1 → 2']
    """
    if isinstance(before, dict) and isinstance(after, dict):
        found = []
        for key in sorted({*before, *after}):
            inner = f"{place}.{key}" if place else key
            if key not in before:
                found.append(f"{inner}: none → {_short(after[key])}")
            elif key not in after:
                found.append(f"{inner}: {_short(before[key])} → none")
            else:
                found += _changes(before[key], after[key], inner)
        return found
    if before == after:
        return []
    return [f"{place or 'the system'}: {_short(before)} → {_short(after)}"]
