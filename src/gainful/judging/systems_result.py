"""Systems by rater: means, orders and verdicts, and their tables."""

from __future__ import annotations

from gainful.comparison.pair import VERDICTS, verdict_text
from gainful.formats.numbers import digits
from gainful.formats.table import Column, Note, Table, noted
from gainful.judging.cells import cut, listed, spread
from gainful.records import Interval, Record, derived, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.conventions import Convention
    from gainful.judging.systems import QueryScores
    from gainful.measures import Measure

__all__ = ["RankCorrelation", "SystemsByRater", "VerdictByRater", "means_table", "verdicts_table"]

#: The most raters with one column each; otherwise the lowest and highest mean are shown.
_RATERS = 8
#: The most pairs to show in full; otherwise only pairs whose verdict depends on the rater are.
_VERDICTS = 20

_COUNT = {"minimum": 0}
_NUMBERS = {"additionalProperties": {"type": ["number", "null"]}}
_CORRELATION = {"minimum": -1, "maximum": 1}


class RankCorrelation(Record):
    """The agreement of two raters on the order of the systems."""

    first: str
    """The first rater."""
    second: str
    """The second rater."""
    tau: float | None = field(json=_CORRELATION)
    """Kendall's tau-b between the two orders; None if not defined."""
    interval: Interval | None = field(json=_CORRELATION)
    """Its confidence interval, for all queries from which these are a sample; None if not defined.
    See `gainful.inference.correlation_interval`."""


class VerdictByRater(Record):
    """The verdicts on two systems by rater."""

    system: str
    """The system."""
    baseline: str
    """The system that it is compared with."""
    differences: dict[str, float] = field(json=_NUMBERS)
    """By rater, the mean of the system minus that of the baseline."""
    verdicts: dict[str, str] = field(json={"additionalProperties": {"enum": list(VERDICTS)}})
    """By rater, the verdict: one of `gainful.comparison.VERDICTS`."""
    within_margin: dict[str, bool]
    """By rater, whether the difference is significantly smaller than the margin."""
    intervals: dict[str, tuple[float | None, float | None]]
    """By rater, the confidence interval of the difference, simultaneous for all pairs."""
    changes: bool = derived(
        lambda pair: len({(pair.verdicts[r], pair.within_margin[r]) for r in pair.verdicts}) > 1
    )
    """Whether the verdict differs between raters."""
    contradicts: bool = derived(lambda pair: {"better", "worse"} <= set(pair.verdicts.values()))
    """Whether the system is better for one rater and worse for another."""

    @property
    def verdict_texts(self) -> dict[str, str]:
        """By rater, the verdict as text: ``better, by less than the margin``."""
        return {
            rater: verdict_text(verdict, within_margin=self.within_margin[rater])
            for rater, verdict in self.verdicts.items()
        }


class SystemsByRater(Record):
    """Systems scored by rater, on the documents that all of them graded."""

    measure: Measure
    """The measure."""
    convention: Convention
    """The convention."""
    raters: tuple[str, ...]
    """The raters; last the final grades, if any."""
    documents: int = field(json=_COUNT)
    """The number of documents that all raters graded; only these are used."""
    queries: int = field(json=_COUNT)
    """The number of their queries."""
    baselines: tuple[str, ...]
    """The systems that the others were compared with; empty if all pairs were compared."""
    means: dict[str, dict[str, float]] = field(
        json={"additionalProperties": {"type": "object", **_NUMBERS}}
    )
    """The mean of the measure by system and rater."""
    taus: tuple[RankCorrelation, ...]
    """One per pair of `raters`."""
    verdicts: tuple[VerdictByRater, ...]
    """One per compared pair of systems."""
    slices: dict[str, SystemsByRater] = field(key="")
    """The same on each slice of the queries, whose tests are one family; empty without slices or
    with one system."""
    subject: str = field(key="")
    """What judges: ``rater``, or ``rule`` for rules that combine the labels of raters."""
    scores: dict[str, QueryScores] = field(key="")
    """By rater, the values of the systems on each query; empty with one system."""

    @property
    def changed(self) -> tuple[VerdictByRater, ...]:
        """The verdicts that differ between raters."""
        return tuple(pair for pair in self.verdicts if pair.changes)

    def correlation(self, first: str, second: str) -> RankCorrelation | None:
        """Return the agreement of two raters on the order of the systems, if there is one."""
        pairs = (pair for pair in self.taus if (pair.first, pair.second) == (first, second))
        return next(pairs, None)

    def __repr__(self) -> str:
        return (
            f"<SystemsByRater of {len(self.means)} systems by {len(self.raters)} {self.subject}s>"
        )


def means_table(systems: SystemsByRater) -> Table:
    """Return the systems' means by rater, or their range."""
    rows: list[list[object]]
    if len(systems.raters) <= _RATERS:
        columns = [
            Column(f"{systems.subject}.{rater}", cut(rater), digits) for rater in systems.raters
        ]
        rows = [
            [cut(system), *(means[rater] for rater in systems.raters)]
            for system, means in systems.means.items()
        ]
    else:
        columns = [
            Column("min", show=digits),
            Column("min_rater", systems.subject),
            Column("max", show=digits),
            Column("max_rater", systems.subject),
        ]
        rows = []
        for system, means in systems.means.items():
            least, most = min(means, key=lambda r: means[r]), max(means, key=lambda r: means[r])
            rows.append([cut(system), means[least], cut(least), means[most], cut(most)])
    return Table(
        [Column("system"), *columns],
        rows,
        title=f"Mean {systems.measure!r} by {systems.subject}",
        notes=noted("orders", _orders(systems)),
    )


def _orders(systems: SystemsByRater) -> Iterator[str]:
    known = [(pair.tau, pair) for pair in systems.taus if pair.tau is not None]
    if len(systems.means) > 1 and known:
        tau, least = min(known, key=lambda item: item[0])
        subject = (
            f"Kendall's tau-b between the {systems.subject}s' rankings of the"
            f" {len(systems.means)} systems"
        )
        if len(known) == 1:
            yield f"{subject}: {digits(tau)}."
        else:
            yield f"{subject}: at least {digits(tau)} ({least.first} and {least.second})."
    documents = f"the {systems.documents:,} documents of {systems.queries:,} queries"
    graded = " that all raters graded" if systems.subject == "rater" else ""
    yield f"Scored on {documents}{graded}; other documents count as unjudged."


def verdicts_table(systems: SystemsByRater) -> Table | None:
    """Return the verdicts by rater: all, or those that differ."""
    if not systems.verdicts:
        return None
    whole = len(systems.verdicts) <= _VERDICTS
    shown = systems.verdicts if whole else systems.changed[:_VERDICTS]
    rows: list[tuple[object, ...]] = []
    for pair in shown:
        groups: dict[str, list[str]] = {}
        for rater, verdict in pair.verdict_texts.items():
            groups.setdefault(verdict, []).append(rater)
        if len(groups) == 1:
            lines = [f"{next(iter(groups))} for all"]
        else:
            lines = [f"{verdict} for {listed(raters, 4)}" for verdict, raters in groups.items()]
        differences = pair.differences.values()
        ends = (min(differences), max(differences))
        rows.append((f"{cut(pair.system)} vs. {cut(pair.baseline)}", ends, lines))
    notes = [Note("changes", _changes(systems))]
    if not whole and len(shown) < len(systems.verdicts):
        text = (
            f"The table shows verdicts that depend on the {systems.subject}; JSON and CSV have all."
        )
        notes.append(Note("left_out", text))
    return Table(
        [
            Column("system"),
            Column("difference", show=spread),
            Column("verdict", fit="wrap"),
        ],
        rows or [("none", "", "")],
        title=f"Verdicts by {systems.subject}",
        notes=notes,
    )


def _changes(systems: SystemsByRater) -> str:
    changed, all_of = len(systems.changed), len(systems.verdicts)
    against = sum(pair.contradicts for pair in systems.verdicts)
    if not changed:
        if all_of == 1:
            return f"The verdict does not depend on the {systems.subject}."
        return f"None of the {all_of} verdicts depends on the {systems.subject}."
    if all_of == 1:
        return f"The verdict depends on the {systems.subject}" + (
            ": it is better for one and worse for another." if against else "."
        )
    verb = "depends" if changed == 1 else "depend"
    line = f"{changed} of {all_of} verdicts {verb} on the {systems.subject}"
    if not against:
        return f"{line}; none is better for one and worse for another."
    verb = "is" if against == 1 else "are"
    return f"{line}; {against} {verb} better for one and worse for another."
