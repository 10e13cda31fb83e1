"""The report of a search as tables, and as JSON in the format ``gainful.search/1``.

The schema is ``search-1.json``, next to this file.
"""

from __future__ import annotations

from gainful.formats.numbers import thousands
from gainful.formats.table import Column, Table, noted, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.fetching.account import Account

__all__ = [
    "describe_damage",
    "document",
    "failures_table",
    "format_seconds",
    "format_time",
    "tables",
]

#: The maximum number of failed queries, and of reasons per line.
_LISTED, _REASONS = 10, 3
#: The width of a table of failures in columns; longer reasons are shortened.
_WIDE = 100


def tables(account: Account, *, written: str = "") -> list[Table]:
    """Return a table of the account, and one of the failed queries if there are any.

    Parameters
    ----------
    account : Account
        The account of the search.
    written : str
        A last note: where the run was written.

    Examples
    --------
    >>> import gainful
    >>> run = gainful.search(lambda text, k: ["d1"], {"q1": "tea"}, k=10, name="one")
    >>> from gainful.formats.text import text
    >>> print(text(tables(run.account)[0]))
    one: 1 query in ... ms, 10 documents per query
    queries  answered  failed  retried      p50      p90      p99      max
    ...
          1         1       0        0 ...
    <BLANKLINE>
    1 answer has fewer than 10 documents.
    """
    latency = account.latency
    names = ("p50", "p90", "p99", "max")
    times = (latency.p50, latency.p90, latency.p99, latency.max) if latency else [None] * 4
    one = Table(
        [
            Column("queries", show=thousands),
            Column("answered", show=thousands),
            Column("failed", show=thousands),
            Column("retried", show=thousands),
            *(Column(name, show=format_seconds) for name in names),
        ],
        [(account.queries, account.answered, len(account.failed), account.retried, *times)],
        title=f"{account.name}: {_counted(account.answered, 'query', 'queries')} in"
        f" {format_seconds(account.seconds)}, {_counted(account.k, 'document')} per query",
        notes=noted("account", [*_notes(account), *([written] if written else [])]),
    )
    return [one, failures_table(account)] if account.failed else [one]


def failures_table(account: Account, most: int = _LISTED) -> Table:
    """Return a table of the first failed queries, with long reasons in full below it.

    Parameters
    ----------
    account : Account
        The account of the search.
    most : int
        The maximum number of listed queries.
    """
    listed = list(account.failed.items())[:most]
    left = len(account.failed) - len(listed)
    notes = [f"… and {left:,} more."] if left else []
    room = _WIDE - 2 - max([len("query"), *(width(query) for query, _ in listed)])
    cut: dict[str, str] = {}
    for query, reason in listed:
        if width(reason) > room:
            cut.setdefault(reason, query)
    notes += [f"{query}: {reason}" for reason, query in list(cut.items())[:_REASONS]]
    return Table(
        [Column("query"), Column("reason", "reason")],
        listed,
        title="Failed queries",
        notes=noted("failures", notes),
    )


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
    if account.damaged:
        notes.append(f"{describe_damage(account.damaged)}.")
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


def describe_damage(damaged: int, journal: str = "the journal") -> str:
    """Return a sentence about damaged answers in a journal.

    Examples
    --------
    >>> describe_damage(1)
    '1 damaged answer in the journal was discarded and its query sent again'
    """
    if damaged == 1:
        return f"1 damaged answer in {journal} was discarded and its query sent again"
    return f"{damaged:,} damaged answers in {journal} were discarded and their queries sent again"


def _counted(number: int, what: str, several: str = "") -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {several or what + 's'}"


def document(account: Account) -> dict[str, object]:
    """Return the account as plain values for JSON; times are in seconds."""
    return {"schema": "gainful.search/1", **account.to_dict()}
