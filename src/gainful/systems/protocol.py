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

__all__ = ["Answer", "Query", "System"]


class Query(NamedTuple):
    """A query.

    Attributes
    ----------
    id : str
        The id in judgments and runs.
    text : str
        The text that the user typed.
    fields : mapping of str to object
        Other attributes by name, such as a filter, a locale or a vector.
    """

    id: str
    text: str
    fields: Mapping[str, Any] = {}


class Answer(NamedTuple):
    """The documents that a system found for a query, best first.

    Attributes
    ----------
    documents : sequence of str
        The ids.
    scores : sequence of float, optional
        One per document; None if the system only ranks.
    """

    documents: Sequence[str]
    scores: Sequence[float] | None = None


class System(Protocol):
    """A system that answers queries.

    Attributes
    ----------
    name : str
        The name of the run.
    identity : mapping
        Identifies the system and its settings, as plain JSON values without secrets. Answers of
        two identities are never mixed.
    asynchronous : bool
        Whether `ask` returns an awaitable.
    batch : int
        The maximum number of queries per call.
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
            If the call fails; its attribute `transient` says whether a retry may help. After other
        exceptions there is no retry.
        """
        ...

    def close(self) -> Awaitable[None] | None:
        """Close all connections. Queries may follow, which open them again."""
        ...
