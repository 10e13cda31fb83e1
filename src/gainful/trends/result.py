"""The result of a trend: releases, changes and sentences."""

from __future__ import annotations

from gainful.formats.numbers import digits, probability, span, with_sign
from gainful.formats.table import Note
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Result
from gainful.vocabulary import PAIR_VERDICTS, SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gainful.conventions import Convention
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Change", "Drift", "Release", "Trend", "describe_total"]


def describe_total(trend: Trend) -> str:
    """Return how the measure changed since the first release, and which steps are significant."""
    first, last = trend.releases[0], trend.releases[-1]
    total = trend.total
    if total is None:
        return f"{last.release} and {first.release} have no common query with {trend.measure!r}."
    if total.queries == 1:
        return "One query proves nothing: add queries."
    name = repr(trend.measure)
    if total.verdict == "identical":
        opening = f"{name} is the same in {last.release} as in {first.release} on every query."
    else:
        level = f"{100 * (1 - trend.alpha):g}% CI"
        interval = f", {level} {span(*total.interval, with_sign)}" if total.interval else ""
        is_not = "" if total.verdict in SIGNIFICANT else "not "
        opening = (
            f"{name} is {digits(last.mean)} in {last.release} and {digits(first.mean)} in"
            f" {first.release}. The change ({with_sign(total.difference)}{interval}) is"
            f" {is_not}statistically significant."
        )
    steps = [
        f"{change.release} ({change.verdict}, {with_sign(change.difference)})"
        for change in trend.changes
        if change is not total and change.verdict in SIGNIFICANT
    ]
    if len(trend.releases) == 2:
        return opening
    if not steps:
        return f"{opening} No release differs significantly from the previous one."
    return f"{opening} Significant steps: {', '.join(steps)}."


def _describe_family(trend: Trend) -> str:
    """Return which changes were tested, and how."""
    if len(trend.changes) == 1:
        return "Randomization test by sign flips, p corrected for skewness."
    which = "each release vs. the previous one"
    if len(trend.releases) > 2:
        which += ", and the last vs. the first"
    return (
        f"Randomization test, p corrected by Holm over {len(trend.changes)} changes and for"
        f" skewness: {which}. The intervals are simultaneous."
    )


def _describe_left_out(trend: Trend) -> Iterator[str]:
    """Yield how many queries are left out because their judgments changed."""
    counts = [(one.release, one.left_out) for one in trend.releases if one.left_out]
    if counts:
        named = ", ".join(f"{count:,} of {name}" for name, count in counts[:3])
        more = f" and of {len(counts) - 3} more releases" if len(counts) > 3 else ""
        yield f"Queries left out, because their judgments have changed since: {named}{more}."


_COUNT = {"minimum": 0}

_SHARE = {"minimum": 0, "maximum": 1}


class Release(Record):
    """A release with its mean."""

    release: str = field(tables="releases")
    """The name of the release."""
    system: str
    """The name of the system in its file."""
    file: str | None = None
    """The file; None for values in memory."""
    mean: float = field(tables="releases", show=digits)
    """The mean over the queries that count."""
    interval: Interval | None = field(tables="releases", label="95% CI", show=digits)
    """The 95% confidence interval of the mean; None if it is not defined."""
    queries: int = field(tables="releases", show="{:,}".format, json=_COUNT)
    """The number of queries that count: those with a value, judged as in the last release."""
    left_out: int = field(json=_COUNT)
    """The number of queries with a value whose judgments have changed since."""


class Change(Record):
    """The change from one release to another, on their common queries."""

    release: str = field(tables="changes")
    """The later release."""
    baseline: str = field(tables="changes", label="vs.")
    """The earlier release: the previous one, or the first."""
    difference: float = field(tables="changes", show=with_sign)
    """The mean difference."""
    interval: Interval | None = field(tables="changes", label="{level} CI", show=with_sign)
    """Its simultaneous confidence interval; None if it is not defined."""
    p: float = field(json=_SHARE)
    """The p-value of the randomization test, corrected for skewness."""
    p_adjusted: float = field(tables="changes", label="p", show=probability, json=_SHARE)
    """The p-value, corrected by Holm's method over all changes."""
    wins: int = field(
        tables="changes",
        label="wins / ties / losses",
        cell=lambda change: f"{change.wins:,} / {change.ties:,} / {change.losses:,}",
        align="r",
        json=_COUNT,
    )
    """The number of queries with a better value in the later release."""
    ties: int = field(json=_COUNT)
    """The number of queries with equal values."""
    losses: int = field(json=_COUNT)
    """The number of queries with a worse value."""
    queries: int = field(json=_COUNT)
    """The number of common queries."""
    verdict: str = field(tables="changes", fit="whole", json={"enum": list(PAIR_VERDICTS)})
    """Whether the later release is better, worse, identical or inconclusive."""


class Drift(Record):
    """A query that changed from the first release to the last."""

    query_id: str = field(tables="queries", label="query")
    """The query."""
    first: float = field(tables="queries", show=digits)
    """Its value in the first release."""
    last: float = field(tables="queries", show=digits)
    """Its value in the last release."""
    difference: float = field(tables="queries", show=with_sign)
    """The difference of the two."""
    step: float = field(tables="queries", label="largest step", show=with_sign)
    """The largest change from one release to the next, in the direction of the difference."""
    release: str = field(tables="queries", label="in")
    """The release that made it."""


class Trend(Result):
    """One measure over releases: the result of `gainful.trend`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"may": "bm25.run", "june": "dense.run"}
    >>> releases = {name: gainful.make_snapshot("qrels.txt", run) for name, run in runs.items()}
    >>> result = gainful.trend(releases)
    >>> [(release.release, round(release.mean, 4)) for release in result.releases]
    [('may', 0.7193), ('june', 0.7581)]
    >>> result.changes[0].verdict
    'inconclusive'
    """

    SCHEMA = "gainful.trend/1"
    COMMAND = "trend"
    RECORDS = {"releases": Release, "changes": Change, "drifted": Drift}
    PICTURES = ("history",)

    convention: Convention
    """The convention of the values."""
    measure: Measure
    """The measure as requested."""
    resolved: str = derived(lambda trend: repr(trend.measure.resolve(trend.convention)))
    """The measure with every parameter set."""
    alpha: float = field(json=_SHARE)
    """The family-wise error rate of the changes; the level of their intervals is 1 - alpha."""
    resamples: int = field(json={"minimum": 1})
    """The number of sign flips, if not all of them were enumerated."""
    seed: int = field(json=_COUNT)
    """The random seed."""
    releases: tuple[Release, ...]
    """The releases, in order."""
    changes: tuple[Change, ...]
    """Each release vs. the previous one, then the last vs. the first."""
    drifted: tuple[Drift, ...]
    """The queries that changed most from the first release to the last, at most ten."""

    @property
    def total(self) -> Change | None:
        """The change from the first release to the last; None without a common query."""
        ends = (self.releases[-1].release, self.releases[0].release)
        matching = (one for one in self.changes if (one.release, one.baseline) == ends)
        return next(matching, None)

    def _heading(self) -> list[str]:
        return [describe_total(self)]

    def tables(self) -> list[Table]:
        """Return the releases, the changes, and the queries that drifted."""
        notes = [
            Note("verdict", _describe_family(self)),
            *(Note("judgments", text) for text in _describe_left_out(self)),
        ]
        labels = {"level": f"{100 * (1 - self.alpha):g}%"}
        first, last = self.releases[0].release, self.releases[-1].release
        tables = [table_of(self.releases, "releases", title=f"{self.measure!r} by release")]
        if self.changes:
            tables.append(
                table_of(self.changes, "changes", title="Changes", labels=labels, notes=notes)
            )
        if self.drifted:
            title = f"Queries that changed most from {first} to {last}"
            tables.append(table_of(self.drifted, "queries", title=title))
        *others, final = tables
        convention = Note("convention", str(self.convention))
        return [*others, final.replace(notes=[*final.notes, convention])]

    def points(self) -> list[dict[str, Any]]:
        """Return the means with their intervals, for a picture."""
        return [
            {
                "release": one.release,
                "mean": one.mean,
                "low": one.interval and one.interval.low,
                "high": one.interval and one.interval.high,
                "queries": one.queries,
            }
            for one in self.releases
        ]

    def _picture(self, name: str) -> Plot:
        from gainful.plots import history

        return history(self.points(), repr(self.measure))

    def __repr__(self) -> str:
        return f"<Trend of {self.measure!r} over {len(self.releases)} releases>"
