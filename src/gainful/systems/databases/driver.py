"""What a database's driver does for a `DatabaseSystem`."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.errors import SearchError
    from gainful.systems.databases.sql import Marks

__all__ = ["Command", "Driver"]


class Command(NamedTuple):
    """One statement with the values of its parameters."""

    text: str
    values: Sequence[Any] = ()


class Driver(Protocol):
    """One database, reached over its driver. Connections are whatever the driver calls so.

    Attributes
    ----------
    marks : {"question", "dollar"}
        How parameters are written.
    brackets : bool
        Whether square brackets quote names.
    identity : mapping
        What tells the database from others, without passwords.
    """

    @property
    def marks(self) -> Marks: ...  # noqa: D102
    @property
    def brackets(self) -> bool: ...  # noqa: D102
    @property
    def identity(self) -> Mapping[str, Any]: ...  # noqa: D102

    def connect(self, setup: Sequence[Command]) -> Any:
        """Open a connection that only reads, and run the commands of the description on it."""
        ...

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the names of the columns and the first `k` rows."""
        ...

    def usable(self, connection: Any) -> bool:
        """Whether the connection is still there after an error."""
        ...

    def cancel(self, connection: Any) -> None:
        """End what another thread is waiting for on the connection; it then closes it."""
        ...

    def close(self, connection: Any) -> None:
        """Let go of the connection."""
        ...

    def end(self) -> None:
        """Let go of everything else."""
        ...

    def failure(self, error: Exception) -> SearchError | None:
        """Return what an error of the driver says to people; None if it is not one of its own."""
        ...
