"""What was fetched, kept as it arrives, so that nothing is asked twice."""

from __future__ import annotations

import json
from collections import deque
from contextlib import contextmanager
from threading import Lock
from time import time

from gainful.errors import ArgumentError, SearchError, SourceError
from gainful.systems.content import Digester, IncomparableError
from gainful.systems.fetching.changes import changes, incomparable
from gainful.systems.fetching.journal_file import errors_of, opened
from gainful.systems.fetching.sitting import SITTINGS, Sitting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Row = tuple[object, ...]

__all__ = ["Journal"]


def _digest(value: object) -> str:
    """Return what an identity says of a value that JSON does not have."""
    return f"{type(value).__name__} sha256:{Digester().digest(value)}"


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
        self,
        name: str,
        identity: Mapping[str, Any],
        k: int,
        *,
        restart: bool = False,
        mended: bool = False,
    ) -> Sitting:
        """Begin a search, or go on with one.

        A search that has no answer yet is begun anew where it is another one: there is nothing
        that could be mixed.

        Raises
        ------
        SearchError
            If there is a search of that name, of another system or to another depth.
        ArgumentError
            For an identity that cannot be written down.
        """
        try:
            told = json.dumps(identity, sort_keys=True, default=_digest)
        except (TypeError, ValueError, IncomparableError) as error:
            raise ArgumentError(
                where="a system",
                found=f"an identity that is no JSON ({error})",
                expected="names and plain values",
            ) from None
        with self._lock, errors_of(self.label), self._transaction():
            execute = self._connection.execute
            if restart:
                self._forget(name)
            found = execute("SELECT id, identity, k FROM search WHERE name = ?", (name,)).fetchone()
            if found is not None:
                number, before, depth = found
                others = changes(json.loads(before), json.loads(told))
                differences = [f"k: {depth} → {k}"] if depth != k else []
                differences += others
                if differences and not self._has_answers(number):
                    self._forget(name)
                    found = None
                elif mended and depth == k:
                    execute("UPDATE search SET identity = ? WHERE id = ?", (told, number))
                elif differences:
                    raise self.changed(
                        name,
                        differences,
                        system=bool(others),
                        vouching=bool(incomparable(json.loads(told))),
                    )
            if found is None:
                made = execute(
                    "INSERT INTO search (name, identity, k) VALUES (?, ?, ?)", (name, told, k)
                )
                number = made.lastrowid
            begun = execute(
                "INSERT INTO sitting (search, began, first) "
                "SELECT ?, ?, coalesce(max(id), 0) + 1 FROM answer",
                (number, time()),
            )
        assert number is not None
        assert begun.lastrowid is not None
        return Sitting(self, name, number, begun.lastrowid)

    def _has_answers(self, number: int) -> bool:
        execute = self._connection.execute
        statement = "SELECT 1 FROM answer WHERE id >= ? AND id < ? AND failure IS NULL LIMIT 1"
        return any(
            execute(statement, (first, stop)).fetchone() is not None
            for search, first, stop in execute(SITTINGS).fetchall()
            if search == number
        )

    def _forget(self, name: str) -> None:
        execute = self._connection.execute
        for (number,) in execute("SELECT id FROM search WHERE name = ?", (name,)).fetchall():
            sittings = execute(SITTINGS).fetchall()
            for _, first, stop in (each for each in sittings if each[0] == number):
                execute("DELETE FROM answer WHERE id >= ? AND id < ?", (first, stop))
            for table in ("retry", "sitting"):
                execute(f"DELETE FROM {table} WHERE search = ?", (number,))
            execute("DELETE FROM search WHERE id = ?", (number,))

    def changed(
        self, name: str, differences: list[str], *, system: bool = False, vouching: bool = False
    ) -> SearchError:
        """Return the error of a search that is no longer the one in the journal.

        Of another system also what to do if it was only mended, or cannot be compared.
        """
        shown = "; ".join(differences[:3])
        if len(differences) > 3:
            shown += f"; and {len(differences) - 3:,} more"
        return SearchError(
            where=f"journal {self.label}",
            found=f"{name!r} with other settings or queries ({shown})",
            expected="the search that its answers are from",
            hint="give it another name or journal, or restart to fetch everything anew"
            + ("; mended keeps the answers, if they would be the same today" if system else "")
            + ("; the same version for both says that they are one system" if vouching else ""),
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
        with errors_of(self.label):
            execute = self._connection.execute
            if len(rows) == 1:
                execute(*rows[0])
                return
            with self._transaction():
                for statement, values in rows:
                    execute(statement, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit what is done meanwhile, all of it or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # Where the disk is full, SQLite has done so already.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def read(self, statement: str, values: Row = ()) -> list[tuple[Any, ...]]:
        """Return what a query of SQL finds."""
        with self._lock, errors_of(self.label):
            return self._connection.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the file; what is written meanwhile is written whole."""
        with self._lock:
            self._broken = SourceError("the journal is closed")
            self._connection.close()

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.path or "in memory"
