"""Connections that several threads use, each for one query at a time."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.systems.databases.driver import Driver

__all__ = ["Connections"]


class Connections:
    """As many connections as there are threads that need one at the same time.

    Parameters
    ----------
    driver : Driver
        Of the database.
    connect : callable
        Opens one.
    """

    def __init__(self, driver: Driver, connect: Callable[[], Any]) -> None:
        self._driver = driver
        self._connect = connect
        self._lock = Lock()
        self._idle: list[Any] = []
        self._busy: list[Any] = []
        # How often all were closed: what was opened before is not used after.
        self._closings = 0

    @contextmanager
    def one(self) -> Iterator[Any]:
        """Lend a connection that nobody else has meanwhile."""
        with self._lock:
            closings = self._closings
            connection = self._idle.pop() if self._idle else None
            if connection is not None:
                self._busy.append(connection)
        if connection is None:
            connection = self._connect()
            with self._lock:
                self._busy.append(connection)
        try:
            yield connection
        finally:
            self._back(connection, closings)

    def _back(self, connection: Any, closings: int) -> None:
        usable = self._driver.usable(connection)
        gone = [connection]
        with self._lock:
            self._busy = [other for other in self._busy if other is not connection]
            current = closings == self._closings
            if usable and current:
                self._idle.append(connection)
                return
            if current:
                # The server that let go of this one did not keep the others: whoever comes next
                # opens a new one, instead of finding out again.
                gone += self._idle
                self._idle = []
        for each in gone:
            self._driver.close(each)

    def close(self) -> None:
        """Close all: those in use as soon as they come back, after what they wait for is ended.

        Whoever asks for one afterwards gets a new one.
        """
        with self._lock:
            self._closings += 1
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for connection in busy:
            self._driver.cancel(connection)
        for connection in idle:
            self._driver.close(connection)
