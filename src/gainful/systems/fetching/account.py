"""The account of a search: answers, failures, retries and latency, as JSON and as tables."""

from __future__ import annotations

from gainful.formats.numbers import thousands
from gainful.formats.table import Column, Table, noted, width
from gainful.records import Record, field
from gainful.records.tables import columns_of, table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

__all__ = [
    "Account",
    "Latency",
    "describe_verification",
    "format_seconds",
    "format_time",
]


#: The maximum number of failed queries, and of reasons per line.
_LISTED, _REASONS = 10, 3
#: The width of a table of failures in columns; longer reasons are shortened.
_WIDE = 100

#: The share of changed answers for which the probability to notice it is reported.
_SHARE = 0.3

_COUNT = {"minimum": 0}
_POSITIVE = {"minimum": 1}


class Latency(Record):
    """Latency of successful calls, in seconds.

    Excludes calls that timed out or failed. Percentile p is the smallest latency that p percent of
    the answers did not exceed. Answers of a batch have the latency of their call.
    """

    mean: float = field(json=_COUNT)
    """The mean."""
    p50: float = field(json=_COUNT)
    """The median."""
    p90: float = field(json=_COUNT)
    """The 90th percentile."""
    p95: float = field(json=_COUNT)
    """The 95th percentile."""
    p99: float = field(json=_COUNT)
    """The 99th percentile."""
    max: float = field(json=_COUNT)
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
        mean = sum(ordered) / count
        return cls(mean=mean, p50=p50, p90=p90, p95=p95, p99=p99, max=ordered[-1])


class Account(Record):
    """The account of a search: the attribute `account` of its run."""

    SCHEMA = "gainful.search/1"
    COMMAND = ""

    name: str
    """The system's name."""
    identity: Mapping[str, Any]
    """Identifies the system and its settings, without keys and passwords."""
    k: int = field(json=_POSITIVE)
    """The number of requested documents per query."""
    queries: int = field(tables="account", show=thousands)
    """The number of queries."""
    answered: int = field(tables="account", show=thousands)
    """The number of queries with an answer."""
    reused: int
    """The number of these answers that came from the journal."""
    verified: int
    """The number of these answers that were requested again and are the same."""
    failed: dict[str, str] = field(
        tables="account", show=thousands, cell=lambda account: len(account.failed)
    )
    """The queries without an answer, with the reasons."""
    temporary: bool = False
    """Whether a network or server failed, so that failed queries may succeed later."""
    retried: int = field(tables="account", show=thousands)
    """The number of queries that were sent more than once."""
    retries: dict[str, int] = field(json={"additionalProperties": {"type": "integer", **_POSITIVE}})
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
    seconds: float = field(json=_COUNT)
    """The duration of all sessions in seconds, each until its last answer."""
    sessions: int = field(json=_POSITIVE)
    """How often the search was started or resumed."""
    started: str
    """The start time, as ISO 8601 in UTC."""

    def tables(self, *, written: str = "") -> list[Table]:
        """Return a table of the account, and one of the failed queries if there are any.

        Parameters
        ----------
        written : str
            A last note: where the run was written.

        Examples
        --------
        >>> import gainful
        >>> run = gainful.search(lambda text, k: ["d1"], {"q1": "tea"}, k=10, name="one")
        >>> from gainful.formats.text import text
        >>> print(text(run.account.tables()[0]))
        one: 1 query in ... ms, 10 documents per query
        queries  answered  failed  retried      p50      p90      p99      max
        ...
              1         1       0        0 ...
        <BLANKLINE>
        1 answer has fewer than 10 documents.
        """
        columns = columns_of([self], "account")
        for name in ("p50", "p90", "p99", "max"):
            seconds = None if self.latency is None else getattr(self.latency, name)
            columns.append((Column(name, show=format_seconds), [seconds]))
        title = (
            f"{self.name}: {_counted(self.answered, 'query', 'queries')} in"
            f" {format_seconds(self.seconds)}, {_counted(self.k, 'document')} per query"
        )
        notes = noted("account", [*_notes(self), *([written] if written else [])])
        table = table_of_columns(columns, title=title, notes=notes)
        return [table, *([_failures_table(self)] if self.failed else [])]

    def _repr_html_(self) -> str:
        from gainful.formats.markup import page

        return page(self.tables())

    def __repr__(self) -> str:
        return f"<Account of {self.name}: {self.answered:,} of {self.queries:,} queries answered>"


def _failures_table(account: Account) -> Table:
    """Return a table of the first failed queries, with long reasons in full below it."""
    listed = list(account.failed.items())[:_LISTED]
    left = len(account.failed) - len(listed)
    notes = [f"… and {left:,} more."] if left else []
    room = _WIDE - 2 - max([len("query"), *(width(query) for query, _ in listed)])
    cut: dict[str, str] = {}
    for query, reason in listed:
        if width(reason) > room:
            cut.setdefault(reason, query)
    notes += [f"{query}: {reason}" for reason, query in list(cut.items())[:_REASONS]]
    columns = [Column("query"), Column("reason")]
    return Table(columns, listed, title="Failed queries", notes=noted("failures", notes))


def format_seconds(seconds: float) -> str:
    """Return a duration with two or three digits and its unit.

    >>> [format_seconds(seconds) for seconds in (0.0000042, 0.00042, 0.0123, 12.3)]
    ['4.2 µs', '0.42 ms', '12 ms', '12.3 s']
    """
    if seconds < 0.00001:
        return f"{seconds * 1e6:.1f} µs"
    if seconds < 0.01:
        return f"{seconds * 1000:.2f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s"


def format_time(time: str) -> str:
    """Return a time in ISO 8601 in a readable form.

    >>> format_time("2026-05-02T07:30:00+00:00")
    '2026-05-02 07:30:00 UTC'
    """
    return time.replace("T", " ").replace("+00:00", " UTC")


def _notes(account: Account) -> list[str]:
    notes = []
    if account.reused:
        share = "All" if account.reused == account.answered else f"{account.reused:,} of the"
        answers = f"{share} {_counted(account.answered, 'answer')}"
        if account.answered == 1:
            answers = "The answer"
        notes.append(f"{answers} came from the journal, started {format_time(account.started)}.")
    if account.verified:
        notes.append(f"{describe_verification(account.verified)}.")
    if account.retries:
        most = list(account.retries.items())
        reasons = [f"{reason} ({times:,})" for reason, times in most[:_REASONS]]
        more = f"; {len(most) - _REASONS} other reasons" if len(most) > _REASONS else ""
        notes.append(f"Retried after: {'; '.join(reasons)}{more}.")
    if account.short:
        have = "has" if account.short == 1 else "have"
        none = f" ({account.empty:,} have none)" if account.empty else ""
        notes.append(
            f"{_counted(account.short, 'answer')} {have} fewer than {account.k:,} documents{none}."
        )
    if account.repeated:
        notes.append(
            f"{_counted(account.repeated, 'duplicate document')} in answers; the first rank counts."
        )
    if account.unsorted:
        notes.append(
            f"The scores of {_counted(account.unsorted, 'answer')} are not sorted, so the run"
            " has no scores and keeps the order of the answers."
        )
    return notes


def describe_verification(verified: int) -> str:
    """Return a sentence about answers that were requested again and have not changed.

    With k queries, a change that affects a share s of all answers is noticed with probability
    1 − (1 − s)^k.

    Examples
    --------
    >>> describe_verification(8)
    '8 answers were requested again and are the same: a change that affects 30% of all answers ...'
    """
    share = 1.0 - (1.0 - _SHARE) ** verified
    were, are = ("was", "is") if verified == 1 else ("were", "are")
    return (
        f"{_counted(verified, 'answer')} {were} requested again and {are} the same: a change that"
        f" affects {_SHARE:.0%} of all answers is noticed with a probability of {share:.0%}"
    )


def _counted(number: int, what: str, several: str = "") -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {several or what + 's'}"
