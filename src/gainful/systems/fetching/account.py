"""What a search was like: answered, failed, asked again, and how long it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

__all__ = ["Account", "Latency"]


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the calls took that brought an answer, in seconds.

    A call that was given up, or failed and was made again, is not among them. The percentile p is
    the least of the times that p percent of the answers did not exceed. An answer that came in one
    call with others counts with the time of that call.

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
        """Return the percentiles of some times; None of none.

        Examples
        --------
        >>> Latency.of([0.1, 0.2, 0.3, 0.4]).p50
        0.2
        """
        if not seconds:
            return None
        ordered = sorted(seconds)
        count = len(ordered)
        # Whole numbers, so that no rounding moves a rank.
        p50, p90, p95, p99 = (
            ordered[(count * percent + 99) // 100 - 1] for percent in (50, 90, 95, 99)
        )
        return cls(sum(ordered) / count, p50, p90, p95, p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class Account:
    """What a search was like; the attribute `account` of the run that it made.

    Attributes
    ----------
    name : str
        What the system is called.
    identity : mapping
        What tells it from others, as it says itself.
    k : int
        How many documents were asked for.
    queries : int
        How many queries there were.
    answered : int
        How many of them have an answer.
    kept : int
        How many of these answers the journal had before.
    damaged : int
        How many answers in the journal were damaged when the search was resumed. They are
        discarded, and their queries are asked again.
    failed : dict of str to str
        The queries without an answer, and why.
    retried : int
        How many queries were asked more than once.
    retries : dict of str to int
        Why, and how often, the most frequent first.
    empty, short : int
        Answers without a document, and with fewer than `k` (those without included).
    repeated : int
        Documents that an answer named again; the first place counts.
    unsorted : int
        Answers whose scores do not fall from rank to rank. Where there is one, the run stands in
        the order of the answers, without scores.
    latency : Latency or None
        How long the answers took; None if there is none.
    seconds : float
        How long all were fetched, over all sittings: from the begin of each to its last answer.
    sittings : int
        How often the search was begun or gone on with.
    began : str
        When, as ISO 8601 in UTC.
    """

    name: str
    identity: Mapping[str, Any]
    k: int
    queries: int
    answered: int
    kept: int
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
    sittings: int
    began: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON can hold them."""
        return asdict(self)
