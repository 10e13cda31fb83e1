"""The journal: stores answers as they arrive, so that searches can be resumed."""

from __future__ import annotations

import json
import os
from collections import deque
from contextlib import contextmanager
from secrets import token_bytes
from threading import Lock
from time import time
from typing import NamedTuple

from gainful.errors import ArgumentError, SearchError, SourceError
from gainful.references import refer
from gainful.systems.fetching.changes import changes
from gainful.systems.fetching.checksums import ANSWER, SEARCH, SESSION
from gainful.systems.fetching.journal_file import convert_errors, opened
from gainful.systems.fetching.journal_file import damaged as damaged_journal
from gainful.systems.fetching.session import SESSIONS, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Row = tuple[object, ...]

__all__ = ["Journal", "journal_path", "ways_out"]

#: More rows than any journal has; row numbers in SQLite go up to twice as many.
_MOST_ROWS = 2**62


class _Search(NamedTuple):
    number: int
    name: str
    identity: str
    k: int
    key: bytes


def journal_path(journal: str | os.PathLike[str] | None) -> str | None:
    """Return the path of a journal as text; None for a journal in memory."""
    if journal is None:
        return None
    try:
        return os.fsdecode(journal)
    except TypeError:
        raise ArgumentError(
            where="journal", found=repr(journal), expected="a path, or None"
        ) from None


def ways_out(*, keep: bool) -> str:
    """Return the hint of a search that differs from the one in the journal.

    Parameters
    ----------
    keep : bool
        Whether the answers can be kept.
    """
    hint = f"use another name or journal, or {refer('restart', 'True')} to send all queries again"
    kept = f"; {refer('keep_answers', 'True')} keeps the existing answers"
    return hint + (kept if keep else "")


class Journal:
    """A file of searches, by name; in memory without a file.

    Parameters
    ----------
    path : str, optional
        The file, which is created if it does not exist.

    Raises
    ------
    SourceError
        If it is in use by another process, damaged, or not a journal.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._connection = opened(path)
        self._lock = Lock()
        self._pending: deque[tuple[str, Row]] = deque()
        self._broken: SourceError | None = None

    def session(
        self,
        name: str,
        identity: Mapping[str, Any],
        k: int,
        *,
        restart: bool = False,
        keep_answers: bool = False,
    ) -> Session:
        """Begin or resume a search.

        A search without answers is replaced if it differs, since no answers can be mixed.

        Raises
        ------
        SearchError
            If the search of that name is of another system or depth.
        SourceError
            If the file is damaged. Damaged answers are discarded instead, and counted.
        ArgumentError
            For an identity that cannot be stored.
        """
        try:
            described = json.dumps(identity, sort_keys=True)
        except (TypeError, ValueError, RecursionError) as error:
            raise ArgumentError(
                f"the identity is not valid JSON ({error})", where="a system"
            ) from None
        with self._lock, convert_errors(self.label), self._transaction():
            self._check_sessions()
            if restart:
                self._forget(name)
            found, damaged = self._search(name), 0
            if found is not None:
                damaged = self._discard_damaged(found)
                others = changes(json.loads(found.identity), json.loads(described))
                differences = [f"k: {found.k} → {k}"] if found.k != k else []
                differences += others
                if differences and not self._has_answers(found.number):
                    self._forget(name)
                    found = None
                elif keep_answers and found.k == k:
                    self._update_identity(found, described)
                elif differences:
                    raise self.changed(name, differences, system=bool(others))
            if found is None:
                found = _Search(self._next("search"), name, described, k, token_bytes(16))
                self._connection.execute(SEARCH.insertion, SEARCH.row(b"", found))
            session = self._next("session")
            row = (session, found.number, time(), self._next("answer"))
            self._connection.execute(SESSION.insertion, SESSION.row(found.key, row))
        return Session(self, name, found.number, session, found.key, damaged)

    def _searches(self) -> dict[int, _Search]:
        """Return all searches, by number.

        Raises
        ------
        SourceError
            If one is damaged: its name is unknown.
        """
        found = {}
        for row in self._connection.execute(f"SELECT {SEARCH.selected} FROM search").fetchall():
            if not SEARCH.is_intact(b"", row):
                raise damaged_journal(self.label, "the description of a search")
            found[row[0]] = _Search(*row[:-1])
        return found

    def _check_sessions(self) -> None:
        """Check that each session is intact and belongs to a search.

        Raises
        ------
        SourceError
            If one is damaged: the start of its answers is unknown.
        """
        searches = self._searches()
        for row in self._connection.execute(f"SELECT {SESSION.selected} FROM session").fetchall():
            search = searches.get(row[1])
            if search is None or not SESSION.is_intact(search.key, row):
                raise damaged_journal(self.label, "the beginning of a search")

    def _search(self, name: str) -> _Search | None:
        return next((each for each in self._searches().values() if each.name == name), None)

    def _next(self, table: str) -> int:
        """Return the number of the next row.

        Raises
        ------
        SourceError
            If a damaged row has the largest possible number.
        """
        (last,) = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()
        if last is not None and not 0 < last < _MOST_ROWS:
            raise damaged_journal(self.label, "the number of a row")
        return (last or 0) + 1

    def _update_identity(self, search: _Search, identity: str) -> None:
        row = SEARCH.row(b"", search._replace(identity=identity))
        self._connection.execute(
            "UPDATE search SET identity = ?, checksum = ? WHERE id = ?",
            (identity, row[-1], search.number),
        )

    def _discard_damaged(self, search: _Search) -> int:
        """Delete the damaged answers of a search, and return their number."""
        execute = self._connection.execute
        statement = f"SELECT id, {ANSWER.selected} FROM answer WHERE id >= ? AND id < ?"
        place = 1 + ANSWER.columns.index("session")
        damaged = []
        for session, number, first, stop in execute(SESSIONS).fetchall():
            if number == search.number:
                # One by one, because the answers may not fit in memory.
                damaged += [
                    row[0]
                    for row in execute(statement, (first, stop))
                    if row[place] != session or not ANSWER.is_intact(search.key, row[1:])
                ]
        for row in damaged:
            execute("DELETE FROM answer WHERE id = ?", (row,))
        return len(damaged)

    def _has_answers(self, number: int) -> bool:
        execute = self._connection.execute
        statement = "SELECT 1 FROM answer WHERE id >= ? AND id < ? AND failure IS NULL LIMIT 1"
        return any(
            execute(statement, (first, stop)).fetchone() is not None
            for _, search, first, stop in execute(SESSIONS).fetchall()
            if search == number
        )

    def _forget(self, name: str) -> None:
        execute = self._connection.execute
        found = self._search(name)
        if found is None:
            return
        for _, search, first, stop in execute(SESSIONS).fetchall():
            if search == found.number:
                execute("DELETE FROM answer WHERE id >= ? AND id < ?", (first, stop))
        for table in ("retry", "session"):
            execute(f"DELETE FROM {table} WHERE search = ?", (found.number,))
        execute("DELETE FROM search WHERE id = ?", (found.number,))

    def changed(self, name: str, differences: list[str], *, system: bool = False) -> SearchError:
        """Return the error of a search that differs from the one in the journal."""
        shown = "; ".join(differences[:3])
        if len(differences) > 3:
            shown += f"; and {len(differences) - 3:,} more"
        return SearchError(
            f"{name!r} has other settings or queries ({shown})",
            where=f"journal {self.label}",
            hint=ways_out(keep=system),
        )

    def write(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Write rows; they are committed when this returns.

        The first of several threads writes the rows of all in one transaction.
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
        with convert_errors(self.label):
            execute = self._connection.execute
            if len(rows) == 1:
                execute(*rows[0])
                return
            with self._transaction():
                for statement, values in rows:
                    execute(statement, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit the writes of a block, all or none."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # If the disk is full, SQLite has rolled back already.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def read(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a SQL query."""
        with self._lock, convert_errors(self.label):
            return self._connection.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the file after pending writes."""
        with self._lock:
            self._broken = SourceError("the journal is closed")
            self._connection.close()

    @property
    def label(self) -> str:
        """Its name in messages."""
        return self.path or "in memory"
