"""The account of a search: answers, failures, retries and latency."""

from __future__ import annotations

from gainful.records import Record, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

__all__ = ["Account", "Latency"]


class Latency(Record):
    """Latency of successful calls, in seconds.

    Excludes calls that timed out or failed. Percentile p is the smallest latency that p percent of
    the answers did not exceed. Answers of a batch have the latency of their call.
    """

    mean: float = field(json={"minimum": 0})
    """The mean."""
    p50: float = field(json={"minimum": 0})
    """The median."""
    p90: float = field(json={"minimum": 0})
    """The 90th percentile."""
    p95: float = field(json={"minimum": 0})
    """The 95th percentile."""
    p99: float = field(json={"minimum": 0})
    """The 99th percentile."""
    max: float = field(json={"minimum": 0})
    """The largest."""

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Self | None:
        """Return the percentiles of latencies; None without any.

        Examples
        --------
        >>> Latency.of([0.1, 0.2, 0.3, 0.4]).p50
        0.2
        """
        if not seconds:
            return None
        ordered = sorted(seconds)
        count = len(ordered)
        # Integer arithmetic, because rounding errors could change the rank.
        p50, p90, p95, p99 = (
            ordered[(count * percent + 99) // 100 - 1] for percent in (50, 90, 95, 99)
        )
        return cls(mean=sum(ordered) / count, p50=p50, p90=p90, p95=p95, p99=p99, max=ordered[-1])


class Account(Record):
    """The account of a search: the attribute `account` of its run."""

    name: str
    """The system's name."""
    identity: Mapping[str, Any]
    """Identifies the system and its settings."""
    k: int
    """The number of requested documents."""
    queries: int
    """The number of queries."""
    answered: int
    """The number of queries with an answer."""
    reused: int
    """The number of these answers that came from the journal."""
    damaged: int
    """The number of damaged answers in the journal at the start. They are discarded, and their
    queries are sent again."""
    failed: dict[str, str]
    """The queries without an answer, with the reasons."""
    retried: int
    """The number of queries that were sent more than once."""
    retries: dict[str, int]
    """Counts of the reasons for retries, most frequent first."""
    empty: int
    """The number of answers without documents."""
    short: int
    """The number of answers with fewer than `k` documents, including empty ones."""
    repeated: int
    """The number of duplicate documents in answers, which are dropped."""
    unsorted: int
    """The number of answers whose scores increase at some rank. If there are any, the run keeps the
    order of the answers, without scores."""
    latency: Latency | None
    """The latency of the answers; None without answers."""
    seconds: float
    """The duration of all sessions in seconds, each until its last answer."""
    sessions: int
    """How often the search was started or resumed."""
    started: str
    """The start time, as ISO 8601 in UTC."""

    def __repr__(self) -> str:
        return f"<Account of {self.name}: {self.answered} of {self.queries} queries answered>"

    def _repr_html_(self) -> str:
        from gainful.formats.html import page
        from gainful.systems.search_tables import tables

        return page(tables(self))
