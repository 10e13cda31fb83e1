"""A system under another name."""

from __future__ import annotations

from gainful.systems.protocol import Answer, Query, System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from typing import Any


__all__ = ["Renamed"]


class Renamed:
    """A system with another name, and settings that extend its identity.

    Parameters
    ----------
    system : System
        The system.
    name : str
        The name of the run.
    settings : mapping of str to str, optional
        Additional parts of the identity.
    """

    def __init__(
        self, system: System, name: str, *, settings: Mapping[str, str] | None = None
    ) -> None:
        self._system = system
        self.name = name
        self._settings = {} if settings is None else {"point": dict(settings)}
        self.asynchronous = system.asynchronous
        self.batch = system.batch

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity, with the settings."""
        return {**self._system.identity, **self._settings}

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents."""
        return self._system.ask(queries, k)

    def close(self) -> Awaitable[None] | None:
        """Close all connections."""
        return self._system.close()

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self._system!r}>"
