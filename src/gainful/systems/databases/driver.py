"""The driver interface of a `DatabaseSystem`."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.errors import SearchError
    from gainful.systems.databases.sql import Marks

__all__ = ["Command", "Driver"]


class Command(NamedTuple):
    """A statement with its parameters."""

    text: str
    values: Sequence[Any] = ()


class Driver(Protocol):
    """A database driver.

    Attributes
    ----------
    marks : {"question", "dollar"}
        The style of parameters.
    brackets : bool
        Whether square brackets quote names.
    identity : mapping
        Identifies the database, without passwords.
    """

    @property
    def marks(self) -> Marks: ...  # noqa: D102
    @property
    def brackets(self) -> bool: ...  # noqa: D102
    @property
    def identity(self) -> Mapping[str, Any]: ...  # noqa: D102

    def connect(self, setup: Sequence[Command]) -> Any:
        """Open a read-only connection, and run the commands of the description."""
        ...

    def ask(self, connection: Any, command: Command, k: int) -> tuple[list[str], list[Any]]:
        """Return the names of the columns and the first `k` rows."""
        ...

    def usable(self, connection: Any) -> bool:
        """Return whether the connection is usable after an error."""
        ...

    def cancel(self, connection: Any) -> None:
        """Cancel the running statement; the thread that uses the connection closes it."""
        ...

    def close(self, connection: Any) -> None:
        """Close the connection."""
        ...

    def end(self) -> None:
        """Release all other resources."""
        ...

    def failure(self, error: Exception) -> SearchError | None:
        """Convert an error of the driver; return None for other errors."""
        ...
