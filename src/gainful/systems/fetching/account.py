"""The account of a search: answers, failures, retries and latency."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

__all__ = ["Account", "Latency"]


@dataclass(frozen=True, slots=True)
class Latency:
    """Latency of successful calls, in seconds.

    Excludes calls that timed out or failed. Percentile p is the smallest latency that p percent of
    the answers did not exceed. Answers of a batch have the latency of their call.

    Attributes
    ----------
    mean, p50, p90, p95, p99, max : float
        Seconds.
    """

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float

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
        return cls(sum(ordered) / count, p50, p90, p95, p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a search: the attribute `account` of its run.

    Attributes
    ----------
    name : str
        The system's name.
    identity : mapping
        Identifies the system and its settings.
    k : int
        The number of requested documents.
    queries : int
        The number of queries.
    answered : int
        The number of queries with an answer.
    reused : int
        The number of these answers that came from the journal.
    damaged : int
        The number of damaged answers in the journal at the start. They are discarded, and their
        queries are sent again.
    failed : dict of str to str
        The queries without an answer, with the reasons.
    retried : int
        The number of queries that were sent more than once.
    retries : dict of str to int
        Counts of the reasons for retries, most frequent first.
    empty, short : int
        Answers without documents, and answers with fewer than `k`, including empty ones.
    repeated : int
        Duplicate documents in answers, which are dropped.
    unsorted : int
        Answers whose scores increase at some rank. If there are any, the run keeps the order of
        the answers, without scores.
    latency : Latency or None
        The latency of the answers; None without answers.
    seconds : float
        The duration of all sessions in seconds, each until its last answer.
    sessions : int
        How often the search was started or resumed.
    started : str
        The start time, as ISO 8601 in UTC.
    """

    name: str
    identity: Mapping[str, Any]
    k: int
    queries: int
    answered: int
    reused: int
    damaged: int
    failed: dict[str, str] = field(repr=False)
    retried: int
    retries: dict[str, int] = field(repr=False)
    empty: int
    short: int
    repeated: int
    unsorted: int
    latency: Latency | None
    seconds: float
    sessions: int
    started: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        return asdict(self)

    def _repr_html_(self) -> str:
        from gainful.formats.html import page
        from gainful.systems.search_tables import tables

        return page(tables(self))
