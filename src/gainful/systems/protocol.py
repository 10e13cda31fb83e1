"""The interface of systems: queries in, answers out.

Callables, engines and databases are all turned into a `System`, and callers use only this
interface.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from typing import Any

__all__ = ["Answer", "Query", "System", "known_of"]


class Query(NamedTuple):
    """One query.

    Attributes
    ----------
    id : str
        What judgments and runs call it.
    text : str
        What is typed.
    fields : mapping of str to object
        Whatever else is known of it, such as a filter, a locale or a vector; by name.
    """

    id: str
    text: str
    fields: Mapping[str, Any] = {}


class Answer(NamedTuple):
    """What a system found for one query, the best first.

    Attributes
    ----------
    documents : sequence of str
        The ids.
    scores : sequence of float, optional
        As many; None where the system only ranks.
    """

    documents: Sequence[str]
    scores: Sequence[float] | None = None


class System(Protocol):
    """Something that answers queries.

    Attributes
    ----------
    name : str
        What the run is called.
    identity : mapping
        What tells this system from another or from itself with other settings, as plain JSON
        values and without secrets. Answers of two identities are never mixed.
    asynchronous : bool
        Whether `ask` returns an awaitable.
    batch : int
        How many queries it takes in one call at most.
    """

    name: str
    asynchronous: bool
    batch: int

    @property
    def identity(self) -> Mapping[str, Any]: ...  # noqa: D102

    def ask(
        self, queries: Sequence[Query], k: int
    ) -> Sequence[Answer] | Awaitable[Sequence[Answer]]:
        """Answer each query with its first `k` documents.

        Raises
        ------
        SearchError
            If it cannot, and whether asking again may help. Any other exception is one that will
            come again.
        """
        ...

    def close(self) -> Awaitable[None] | None:
        """Let go of connections; nothing is asked afterwards."""
        ...


def known_of(system: System) -> Mapping[str, Any]:
    """Return what of the identity of a system is known without reading its data."""
    # By its class, for a proxy of something elsewhere says that it has every attribute.
    about: Mapping[str, Any] = system.about if hasattr(type(system), "about") else system.identity  # type: ignore[attr-defined]
    return about
