"""What a search was like, in words and as JSON: ``gainful.search/1``.

The contract's schema is ``schemas/search-1.json`` beside this file.
"""

from __future__ import annotations

from gainful.report.stacked import WIDTH
from gainful.table import TextTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.systems.fetching.account import Account, Latency

__all__ = ["document", "failures_table", "tables"]

#: Failed queries that are listed, and reasons that are told in a line.
_LISTED, _REASONS = 10, 3


def tables(account: Account, *, written: str = "") -> list[TextTable]:
    """Return the account as a table, and one of the queries that failed, if any did.

    Parameters
    ----------
    account : Account
        What the search was like.
    written : str
        What became of the run, for the notes.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.search(lambda text, k: ["d1"], {"q1": "tea"}, k=10, name="one")
    >>> print(tables(run.account)[0])
    one: 1 query in ... ms, 10 documents a query
    queries  answered  failed  asked again      p50      p90      p99      max
    ...
          1         1       0            0 ...
    <BLANKLINE>
    1 answer has fewer than 10 documents.
    """
    latency = account.latency
    row = [
        f"{account.queries:,}",
        f"{account.answered:,}",
        f"{len(account.failed):,}",
        f"{account.retried:,}",
        *_latencies(latency),
    ]
    one = TextTable(
        ["queries", "answered", "failed", "asked again", "p50", "p90", "p99", "max"],
        [row],
        align="r" * 8,
        title=f"{account.name}: {_counted(account.answered, 'query', 'queries')} in"
        f" {_seconds(account.seconds)}, {_counted(account.k, 'document')} a query",
        notes=[*_notes(account), *([written] if written else [])],
    )
    return [one, failures_table(account)] if account.failed else [one]


def failures_table(account: Account, most: int = _LISTED) -> TextTable:
    """Return the queries that failed, the first of them.

    Parameters
    ----------
    account : Account
        What the search was like.
    most : int
        How many are listed.
    """
    listed = list(account.failed.items())[:most]
    left = len(account.failed) - len(listed)
    return TextTable(
        ["query", "why there is no answer"],
        [[query, reason] for query, reason in listed],
        title="Failed",
        notes=[*([f"… and {left:,} more."] if left else []), *_in_full(listed)],
    )


def _in_full(listed: Sequence[tuple[str, str]]) -> list[str]:
    """Return the reasons that the table has no room for, a few different ones."""
    wide = max(len("query"), *(len(query) for query, _ in listed))
    long: dict[str, str] = {}
    for query, reason in listed:
        if wide + 2 + len(reason) > WIDTH:
            long.setdefault(reason, query)
    return [f"{query}: {reason}" for reason, query in list(long.items())[:_REASONS]]


def _latencies(latency: Latency | None) -> list[str]:
    if latency is None:
        return ["–"] * 4
    return [_seconds(each) for each in (latency.p50, latency.p90, latency.p99, latency.max)]


def _seconds(seconds: float) -> str:
    """Return a time with two or three digits and its unit.

    >>> _seconds(0.00042), _seconds(0.0123), _seconds(0.4567), _seconds(12.3)
    ('0.42 ms', '12 ms', '457 ms', '12.3 s')
    """
    if seconds < 0.01:
        return f"{seconds * 1000:.2f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s"


def _notes(account: Account) -> list[str]:
    notes = []
    if account.kept:
        began = account.began.replace("T", " ").replace("+00:00", " UTC")
        share = "All" if account.kept == account.answered else f"{account.kept:,} of the"
        answers = f"{share} {_counted(account.answered, 'answer')}"
        if account.answered == 1:
            answers = "The answer"
        notes.append(f"{answers} came from the journal, begun {began}.")
    if account.retries:
        most = list(account.retries.items())
        told = [f"{reason} ({times:,})" for reason, times in most[:_REASONS]]
        more = f"; {len(most) - _REASONS} other reasons" if len(most) > _REASONS else ""
        notes.append(f"Asked again after: {'; '.join(told)}{more}.")
    if account.short:
        have = "has" if account.short == 1 else "have"
        none = f", {account.empty:,} of them none" if account.empty else ""
        notes.append(
            f"{_counted(account.short, 'answer')} {have} fewer than {account.k:,} documents{none}."
        )
    if account.repeated:
        notes.append(
            f"{_counted(account.repeated, 'document')} stood in an answer a second time; the first"
            " place counts."
        )
    if account.unsorted:
        notes.append(
            f"In {_counted(account.unsorted, 'answer')} scores rise from one document to the next,"
            " so the run is in the order of the answers and has no scores."
        )
    return notes


def _counted(number: int, what: str, several: str = "") -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {several or what + 's'}"


def document(account: Account) -> dict[str, object]:
    """Return the whole of it as plain values, for JSON; times are in seconds."""
    return {"schema": "gainful.search/1", **account.to_dict()}
