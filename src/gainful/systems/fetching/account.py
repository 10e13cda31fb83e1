"""The account of a search: answers, failures, retries and latency, as JSON and as tables."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from gainful import _kernel
from gainful.data.run import Run, with_search
from gainful.data.table import kernel_rows, table_of_rows
from gainful.formats.numbers import thousands
from gainful.formats.table import Column, Table, noted, width
from gainful.records import Record, field
from gainful.records.tables import columns_of, table_of_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Self

    from gainful.systems.fetching.journal import Figures, SearchSession

__all__ = [
    "Account",
    "Latency",
    "assemble_run",
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


class _Rankings:
    """The answers as a mapping that the kernel iterates once, to save memory."""

    def __init__(self, session: SearchSession, answers: Sequence[Figures], *, scored: bool) -> None:
        self._session = session
        self._answers = answers
        self._scored = scored

    def items(self) -> Iterator[tuple[str, Any]]:
        answers = zip(self._answers, self._session.rankings(self._answers), strict=True)
        for figures, (documents, scores) in answers:
            if not self._scored:
                yield figures.key, documents
            elif scores is None:
                yield figures.key, {}
            else:
                pairs = zip(documents, scores, strict=True)
                # The kernel reads dictionaries faster, but they cannot have duplicates.
                yield figures.key, list(pairs) if figures.repeated else dict(pairs)


def assemble_run(
    session: SearchSession,
    queries: Mapping[str, object],
    *,
    identity: Mapping[str, Any],
    k: int,
    reused: int,
    verified: int,
    unsent: Mapping[str, str],
    temporary: bool,
) -> Run:
    """Return the run of a search.

    Parameters
    ----------
    session : SearchSession
        The search.
    queries : mapping
        The queries by id, in the order of the run.
    identity, k
        The system's identity, and the depth.
    reused, verified : int
        The number of answers that were in the journal before, and that were requested again.
    unsent : dict of str to str
        The queries that were not sent, with the reasons.
    temporary : bool
        Whether a failure may be temporary.

    Raises
    ------
    SourceError
        If an answer is missing from the journal.
    """
    stored = session.figures()
    missing = [query for query in queries if query not in stored and query not in unsent]
    if missing:
        raise session.damaged(f"it lost the answer to query {missing[0]}")
    answered_queries = [stored[query] for query in queries if query in stored]
    answered = [answer for answer in answered_queries if answer.failure is None]
    failures = {
        answer.key: answer.failure for answer in answered_queries if answer.failure is not None
    }
    failures.update(unsent)
    unsorted = sum(answer.falling == 0 for answer in answered)
    # Scores that contradict the order, or are missing in some answers, are dropped.
    scored = not unsorted and not any(
        answer.found and answer.falling is None for answer in answered
    )
    reasons = Counter(reason for query, reason in session.retries() if query in queries)
    begins = session.begins()
    ends = dict(begins)
    for query_answer in answered_queries:
        ends[query_answer.session] = max(ends[query_answer.session], query_answer.at)
    account = Account(
        name=session.name,
        identity=dict(identity),
        k=k,
        queries=len(queries),
        answered=len(answered),
        reused=reused,
        verified=verified,
        failed={query: failures[query] for query in queries if query in failures},
        temporary=temporary,
        retried=sum(answer.tries > 1 for answer in answered_queries),
        retries=dict(reasons.most_common()),
        empty=sum(answer.found == 0 for answer in answered),
        short=sum((answer.found or 0) < k for answer in answered),
        repeated=sum(answer.repeated or 0 for answer in answered),
        unsorted=unsorted,
        latency=Latency.of([answer.seconds for answer in answered]),
        seconds=sum(ends[number] - start for number, start in begins.items()),
        sessions=len(begins),
        started=datetime.fromtimestamp(min(begins.values()), UTC).isoformat(timespec="seconds"),
    )
    if answered:
        rankings = _Rankings(session, answered, scored=scored)
        rows = _kernel.rows_from_mapping(rankings, "run", duplicates="first")
    else:
        rows = kernel_rows(Run({"": {}})).select([])
    return with_search(table_of_rows(Run, rows, name=session.name), account, account.failed)
