"""A system under another name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from typing import Any

    from gainful.systems.protocol import Answer, Query, System

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

    __slots__ = ("_system", "asynchronous", "batch", "identity", "name")

    def __init__(
        self, system: System, name: str, *, settings: Mapping[str, str] | None = None
    ) -> None:
        self._system = system
        self.name = name
        self.identity: Mapping[str, Any] = system.identity
        if settings is not None:
            self.identity = {**self.identity, "settings": dict(settings)}
        self.asynchronous = system.asynchronous
        self.batch = system.batch

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
