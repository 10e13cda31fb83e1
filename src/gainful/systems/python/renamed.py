"""A system under another name."""

from __future__ import annotations

from gainful.systems.protocol import Answer, Query, System, known_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from typing import Any


__all__ = ["Renamed"]


class Renamed:
    """The same system, but for its name, and the settings that it was made with.

    Parameters
    ----------
    system : System
        Which.
    name : str
        What its run is called.
    settings : mapping of str to str, optional
        What else tells it from others.
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
        """What tells it from others, with the settings."""
        return {**self._system.identity, **self._settings}

    @property
    def about(self) -> Mapping[str, Any]:
        """What of its identity is known without reading its data."""
        return {**known_of(self._system), **self._settings}

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents."""
        return self._system.ask(queries, k)

    def close(self) -> Awaitable[None] | None:
        """Let go of connections."""
        return self._system.close()

    def __repr__(self) -> str:
        return f"<{self.name!r}, which is {self._system!r}>"
