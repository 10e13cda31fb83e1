"""The plan of a pool as a table."""

from __future__ import annotations

from gainful.formats.table import Column, Note, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.pooling.result import Pool

__all__ = ["plan_table"]

_SETTLED = "No labels could change the order of the systems under {}: judging can stop."


def plan_table(pool: Pool, pace: float) -> Table:
    """Return the numbers of documents and queries, and the hours at a pace in seconds."""
    counts = sorted(pool.counts().values())
    seconds = f"{pace:g} s per document"
    rows: list[tuple[str, str]] = [
        ("documents to judge", f"{len(pool):,}"),
        ("queries", f"{sum(count > 0 for count in counts):,}"),
    ]
    if pool.query_sample:
        drawn, queries, _ = pool.query_sample
        rows.append(("random sample of queries", f"{drawn:,} of {queries:,}"))
    if counts:
        middle = counts[len(counts) // 2]
        rows.append(("per query", f"{counts[0]:,} to {counts[-1]:,}, median {middle:,}"))
    twice = sum(count == 2 for count in pool.judges)
    if twice:
        rows.append(("by two judges", f"{twice:,}"))
    known = sum(count == 0 for count in pool.judges)
    if known:
        rows.append(("judged before", f"{known:,}"))
    rows.append((f"hours, at {seconds}", f"{pool.hours(pace):.1f}"))
    return Table(
        [Column("figure"), Column("value", align="r")],
        rows,
        title=f"Pool of {len(pool.systems)} runs: {pool.strategy}, depth {pool.depth}, random seed"
        f" {pool.seed}",
        notes=[Note("settled", _SETTLED.format(pool.settled))] if pool.settled else [],
    )
