"""A pool of connections for several threads."""

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
    """A pool with one connection per concurrent thread.

    Parameters
    ----------
    driver : Driver
        The database's driver.
    connect : callable
        Opens a connection.
    """

    def __init__(self, driver: Driver, connect: Callable[[], Any]) -> None:
        self._driver = driver
        self._connect = connect
        self._lock = Lock()
        self._idle: list[Any] = []
        self._busy: list[Any] = []
        # Incremented by `close`: connections opened before are not reused.
        self._closings = 0

    @contextmanager
    def borrow(self) -> Iterator[Any]:
        """Borrow a connection for exclusive use."""
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
            self._give_back(connection, closings)

    def _give_back(self, connection: Any, closings: int) -> None:
        usable = self._driver.usable(connection)
        closing = [connection]
        with self._lock:
            self._busy = [other for other in self._busy if other is not connection]
            current = closings == self._closings
            if usable and current:
                self._idle.append(connection)
                return
            if current:
                # The server has probably closed the idle ones, too: open new ones.
                closing += self._idle
                self._idle = []
        for each in closing:
            self._driver.close(each)

    def close(self) -> None:
        """Close all connections; cancel those in use, which close when they are returned.

        Later requests open new ones.
        """
        with self._lock:
            self._closings += 1
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for connection in busy:
            self._driver.cancel(connection)
        for connection in idle:
            self._driver.close(connection)
