"""The notes below a sweep: the choice, the tests and the data checks."""

from __future__ import annotations

from gainful.comparison.notes import verdict_notes
from gainful.evaluation.count_ranges import describe_count_ranges
from gainful.evaluation.notes import describe_convention
from gainful.formats.table import Note, noted
from gainful.references import refer
from gainful.sweeps.points import CURRENT, format_name
from gainful.systems.fetching.account import (
    describe_verification,
    format_seconds,
    format_time,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.sweeps.result import Sweep

__all__ = ["SHOWN", "account_line", "notes"]

#: The most points to show; exports have all.
SHOWN = 30


def notes(sweep: Sweep) -> list[Note]:
    """Return the notes below the tables of a sweep."""
    comparison = sweep.comparison
    parts = list(_about_choice(sweep))
    if len(sweep.points) > SHOWN:
        parts.append(
            f"The best {SHOWN} of {len(sweep.points)} points are shown."
            f" {refer('records', 'tsv', python='records()')} exports all."
        )
    parts += [*_current(sweep), *_idle(sweep)]
    if sweep.skipped:
        parts.append(f"{sweep.skipped:,} queries without judgments were not run.")
    failed = [len(run.failed) for run in sweep.runs.values() if run.failed]
    if failed:
        parts.append(
            f"{sum(failed):,} queries failed at {len(failed)} points and are treated as"
            " missing from the run."
        )
    return [
        *noted("choice", parts),
        *noted("estimate", _estimate(sweep), explains=True),
        *verdict_notes(comparison, comparison.pairs),
        Note("counts", describe_counts(sweep)),
        Note("convention", describe_convention(sweep.evaluation)),
    ]


def _about_choice(sweep: Sweep) -> Iterator[str]:
    choice = sweep.choice
    if choice is None:
        yield "No query counts at every point, so no point was chosen."
        return
    if choice.estimates[choice.by].expected is None:
        yield "The value on other queries cannot be estimated from one query."
    if choice.left_out:
        yield (
            f"{choice.left_out:,} queries have a value at some points only and are ignored in the"
            " choice."
        )


def _estimate(sweep: Sweep) -> Iterator[str]:
    """Explain the estimates for other queries."""
    first = sweep.choice.estimates[sweep.choice.by] if sweep.choice is not None else None
    if first is None or first.expected is None:
        return
    times = f", {first.repeats} times" if first.repeats > 1 else ""
    yield (
        f"on others: {first.folds}-fold cross-validation over queries{times}. chosen: how often"
        " this point was the best in it."
    )
    if first.interval is not None:
        yield f"95% CI of the choice: bootstrap, {first.resamples:,} resamples of the queries."


def _idle(sweep: Sweep) -> Iterator[str]:
    for setting in sweep.idle:
        yield f"{setting} has no effect on any answer. Does the system use it?"


def _current(sweep: Sweep) -> Iterator[str]:
    """Describe the values of unset settings."""
    if sweep.baseline == CURRENT:
        settings = sweep.point(CURRENT).settings
        if settings:
            yield f"{CURRENT}: {format_name(settings)} (from the description)."


def describe_counts(sweep: Sweep) -> str:
    """Return the ranges of the evaluation's data checks over all points."""
    counts = [sweep.evaluation.counts(point.name) for point in sweep.points]
    return describe_count_ranges(counts, "at each point")


def account_line(sweep: Sweep, journal: str | None = None) -> str:
    """Describe the searches: number of answers and latency."""
    accounts = [run.account for run in sweep.runs.values() if run.account is not None]
    answered = sum(account.answered for account in accounts)
    reused = sum(account.reused for account in accounts)
    verified = sum(account.verified for account in accounts)
    failed = sum(len(account.failed) for account in accounts)
    retried = sum(account.retried for account in accounts)
    parts = [f"{answered:,} answers at {len(accounts)} points"]
    if reused:
        since = min(account.started for account in accounts if account.reused)
        parts.append(f"{reused:,} of them from the journal (since {format_time(since)})")
    parts += [f"{failed:,} queries failed"] if failed else []
    parts += [f"{retried:,} queries retried"] if retried else []
    medians = [account.latency.p50 for account in accounts if account.latency is not None]
    tails = [account.latency.p99 for account in accounts if account.latency is not None]
    if medians:
        parts.append(f"latency p50 {_from_to(medians)}, p99 {_from_to(tails)}")
    lines = ["; ".join(parts) + "."]
    lines += [f"{describe_verification(verified)}."] if verified else []
    if journal:
        lines.append(f"Saved in {journal}. A sweep with more points runs only the new ones.")
    return "\n".join(lines)


def _from_to(seconds: list[float]) -> str:
    least, most = format_seconds(min(seconds)), format_seconds(max(seconds))
    return least if least == most else f"{least} to {most}"
