"""Score systems with the labels of each rater: means, orders, verdicts and their tables."""

from __future__ import annotations

from itertools import combinations
from math import inf
from typing import NamedTuple

from gainful.byte_order import in_byte_order
from gainful.comparison.pair import verdict_text
from gainful.evaluation import evaluate
from gainful.evaluation.query_groups import slices_of
from gainful.formats.numbers import digits, thousands
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference import correlation_interval, crossed_mean, kendall_tau
from gainful.judging.source import by_grade, cut, listed, share, spread
from gainful.records import Interval, Record, derived, field
from gainful.vocabulary import PAIR_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from gainful.comparison import Comparison
    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.judging.source import Rater
    from gainful.measures import Measure

__all__ = [
    "AlphaSummary",
    "Coverage",
    "DocumentCounts",
    "FinalSummary",
    "PairSummary",
    "RankCorrelation",
    "RaterSummary",
    "SliceSummary",
    "SystemsByRater",
    "VerdictByRater",
    "means_table",
    "score_judgments",
    "verdicts_table",
]

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
    verdicts: dict[str, str] = field(json={"additionalProperties": {"enum": list(PAIR_VERDICTS)}})
    """By rater, the verdict: better, worse, equivalent, identical or inconclusive."""
    within_margin: dict[str, bool]
    """By rater, whether the difference is significantly smaller than the margin."""
    intervals: dict[str, tuple[float | None, float | None]]
    """By rater, the confidence interval of the difference, simultaneous for all pairs."""
    other_raters_interval: Interval | None = None
    """The confidence interval of the mean difference over queries and raters like these,
    simultaneous for all pairs (`gainful.inference.crossed_mean`); None for one rater, and with
    weights or clusters."""
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
    documents: int
    """The number of documents that all raters graded; only these are used."""
    queries: int
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
    has_others = any(pair.other_raters_interval for pair in shown)
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
        others = [pair.other_raters_interval] if has_others else []
        rows.append((f"{cut(pair.system)} vs. {cut(pair.baseline)}", ends, *others, lines))
    notes = [Note("changes", _changes(systems))]
    if has_others:
        text = "Other raters: the confidence interval over queries and raters like these."
        notes.append(Note("other_raters", text))
    if not whole and len(shown) < len(systems.verdicts):
        text = (
            f"The table shows verdicts that depend on the {systems.subject}; JSON and CSV have all."
        )
        notes.append(Note("left_out", text))
    return Table(
        [
            Column("system"),
            Column("difference", show=spread),
            *[Column("other_raters", "other raters", spread)] * has_others,
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


#: Krippendorff's customary limits for reliable data and for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667

#: The maximum length of a name in a table of pairs.
_TWO = 17

_SHARE = {"minimum": 0, "maximum": 1}

_COUNTS = {"additionalProperties": {"type": "integer", "minimum": 1}}


class DocumentCounts(Record):
    """The numbers of documents of the queries."""

    min: int
    """The smallest."""
    median: float
    """The median."""
    max: int
    """The largest."""


class Coverage(Record):
    """How many queries and documents have judgments."""

    queries: int
    """Queries with a judgment."""
    documents: int
    """Judged documents; a document of two queries counts twice."""
    labels: int
    """Labels without the final grades."""
    blank: int
    """Number of cells without a grade."""
    per_query: DocumentCounts
    """Documents per query."""
    rated_by: dict[int, int] = field(json=_COUNTS)
    """Number of documents by their number of raters."""
    no_relevant: tuple[str, ...]
    """Queries without a grade of 1 or more."""
    judged: dict[str, float | None] = field(
        json={"additionalProperties": {"type": ["number", "null"], **_SHARE}}
    )
    """By run, the judged share of the documents above the measure's cutoff, on the judged queries;
    None without a cutoff."""
    cutoff: int | None = field(json={"minimum": 1})
    """The measure's cutoff."""
    unjudged: dict[str, int] = field(json={"additionalProperties": {"type": "integer", **_COUNT}})
    """By run, the number of its queries without judgments."""


class RaterSummary(Record):
    """The labels of a rater."""

    rater: Rater = field(key="")
    """The rater."""
    name: str = derived(lambda summary: summary.rater.name, key="rater")
    """The name of the rater."""
    source: str | None = derived(lambda summary: summary.rater.source.kind or None)
    """The kind of the rater: ``human``, ``model``, ``clicks``, or another word; None if unknown."""
    model: str | None = derived(lambda summary: summary.rater.source.model or None)
    """The name of the model or log; None without one."""
    version: str | None = derived(lambda summary: summary.rater.source.version or None)
    """Its version; None if unknown."""
    labels: int
    """The number of labels."""
    queries: int
    """The number of queries with a label."""
    distribution: dict[float, int] = field(key="")
    """Number of labels by grade, in ascending order."""
    _distribution: dict[str, int] = derived(
        lambda summary: by_grade(summary.distribution), key="distribution", json=_COUNTS
    )
    """The number of labels by grade."""
    mean: float
    """Mean grade."""
    compared: int
    """Number of documents that other raters graded too."""
    bias: float | None
    """On these documents, the mean of the rater's grade minus the other raters' mean; None without
    such documents."""
    interval: Interval | None
    """The interval of the bias: Student's t, clustered by query."""
    same_as_final: float | None = field(json=_SHARE)
    """The share of the rater's grades that equal the final ones."""
    confusion: dict[tuple[float, float], int] = field(key="")
    """Counts of pairs of grades: the rater's and any other rater's. A document is counted once for
    each other rater."""
    _confusion: tuple[tuple[float, ...], ...] = derived(
        lambda summary: _cells(summary.confusion), key="confusion"
    )
    """Triples: the rater's grade, another rater's grade, and the number of documents with both."""


class FinalSummary(Record):
    """The final grades."""

    name: str
    """The name of the final grades."""
    documents: int
    """Number of documents with a final grade."""
    distribution: dict[float, int] = field(key="")
    """Number of documents by grade."""
    _distribution: dict[str, int] = derived(
        lambda summary: by_grade(summary.distribution), key="distribution", json=_COUNTS
    )
    """The number of documents by grade."""
    mean: float
    """Mean grade."""


class PairSummary(Record):
    """Two raters on the documents that both graded."""

    first: str
    """The first rater."""
    second: str
    """The second rater."""
    raters: str = derived(
        lambda pair: f"{cut(pair.first, _TWO)} and {cut(pair.second, _TWO)}",
        key="",
        tables="agreement",
    )
    """Both names, shortened for tables."""
    documents: int = field(tables="agreement", show=thousands, json={"minimum": 1})
    """Number of documents that both graded."""
    same: float = field(tables="agreement", label="same grade", show=share, json=_SHARE)
    """The share of these documents with the same grade from both, weighted like kappa."""
    kappa: float | None = field(tables="agreement", json={"maximum": 1})
    """Weighted kappa; None if not defined."""
    interval: Interval | None = field(tables="agreement", label="{level}")
    """Its interval; None if not defined."""
    difference: float
    """Mean of the first rater's grade minus the second's."""
    confusion: dict[tuple[float, float], int] = field(key="")
    """Number of documents by (first grade, second grade)."""
    _confusion: tuple[tuple[float, ...], ...] = derived(
        lambda pair: _cells(pair.confusion), key="confusion"
    )
    """Triples: the first rater's grade, the other's grade, and the number of documents with both.
    """


class AlphaSummary(Record):
    """Krippendorff's alpha of some raters.

    Examples
    --------
    >>> AlphaSummary(kind=None, raters=("ana", "ben"), documents=466, value=0.799,
    ...     interval=Interval(0.767, 0.829)).interpretation
    'enough for tentative conclusions, possibly reliable'
    """

    kind: str | None
    """The kind of these raters, such as ``"human"``; None for all."""
    raters: tuple[str, ...]
    """The names of the raters."""
    documents: int
    """Number of documents with at least two labels."""
    value: float | None = field(json={"maximum": 1})
    """Alpha; None if not defined."""
    interval: Interval | None
    """Its interval; None if not defined."""
    interpretation: str = derived(lambda alpha: _interpret(alpha))
    """The conclusion that Krippendorff's limits, .800 and .667, allow. It is "possibly" if only the
    upper end of the interval reaches the limit."""


class SliceSummary(Record):
    """The agreement of the raters on a slice of the queries."""

    queries: int
    """Number of its queries."""
    documents: int
    """Number of their judged documents."""
    pairs: tuple[PairSummary, ...]
    """The agreement of each pair of raters with a common document."""
    alphas: tuple[AlphaSummary, ...]
    """Krippendorff's alpha, as for all queries."""
    systems: SystemsByRater | None
    """The systems by rater on these queries; None without several runs and raters."""


def _cells(confusion: dict[tuple[float, float], int]) -> tuple[tuple[float, ...], ...]:
    return tuple((grade, other, count) for (grade, other), count in confusion.items())


def _interpret(alpha: AlphaSummary) -> str:
    # K. Krippendorff: Reliability in content analysis: some common misconceptions and
    # recommendations. Human Communication Research 30(3), 2004.
    if alpha.value is None:
        return "not defined"
    if alpha.interval is None:
        return "too few queries for a confidence interval"
    low, high = alpha.interval
    if low >= RELIABLE:
        return "reliable"
    if low >= TENTATIVE:
        more = ", possibly reliable" if high >= RELIABLE else ""
        return f"enough for tentative conclusions{more}"
    if high >= RELIABLE:
        return "too uncertain to interpret"
    if high >= TENTATIVE:
        return "possibly enough for tentative conclusions"
    return "not enough for conclusions"


class QueryScores(NamedTuple):
    """The values of systems on queries.

    Attributes
    ----------
    queries : tuple of str
        The queries.
    systems : tuple of str
        The systems.
    values : numpy.ndarray, shape (queries, systems)
        The values; NaN where a query does not count.
    """

    queries: tuple[str, ...]
    systems: tuple[str, ...]
    values: NDArray[np.float64]

    def on(self, queries: Sequence[str], systems: Sequence[str]) -> NDArray[np.float64]:
        """Return the values on some queries of some systems; NaN for absent queries."""
        import numpy as np

        rows = {query: index for index, query in enumerate(self.queries)}
        columns = [self.systems.index(system) for system in systems]
        values = np.full((len(queries), len(columns)), np.nan)
        for place, query in enumerate(queries):
            if query in rows:
                values[place] = self.values[rows[query]][columns]
        return values


def score_judgments(
    judgments: Mapping[str, Qrels],
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    subject: str,
    sampled: Sequence[str] = (),
    convention: Convention,
    baseline: str | Sequence[str] | None,
    margin: float | None,
    groups: QueryGroups,
    level: float,
    resamples: int,
    seed: int,
    threads: int | None,
    progress: Callable[[int, int], object] | None,
) -> SystemsByRater:
    """Score systems with several judgments of the same documents."""
    from gainful.comparison import compare

    judges = list(judgments)
    common = [
        (query, document)
        for query, judgment in judgments[judges[0]].items()
        for document in judgment
    ]
    described: dict[str, Any] = {
        "measure": measure,
        "convention": convention,
        "raters": tuple(judges),
        "documents": len(common),
        "queries": len({query for query, _ in common}),
        "subject": subject,
        "slices": {},
    }
    if len(runs) < 2:
        (system,) = runs
        alone = {
            judge: evaluate(
                judgments[judge],
                runs=runs,
                measures=[measure],
                convention=convention,
                weights=groups.weights,
                threads=threads,
                progress=progress,
            ).mean(measure, system)
            for judge in judges
        }
        return SystemsByRater(
            **described,
            means={system: alone},
            taus=tuple(
                RankCorrelation(first=first, second=second, tau=None, interval=None)
                for first, second in combinations(judges, 2)
            ),
            verdicts=(),
            baselines=(),
            scores={},
        )
    compared = {
        judge: compare(
            judgments[judge],
            runs,
            [measure],
            baseline=baseline,
            convention=convention,
            weights=groups.weights,
            clusters=groups.clusters,
            by=groups.slices or None,
            margin=margin,
            bootstrap=0,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        for judge in judges
    }
    bootstrap = {"level": level, "resamples": resamples, "seed": seed}
    whole = SystemsByRater(**described, **_collect(compared, sampled, None, groups, bootstrap))
    if not groups.slices:
        return whole
    parts = {}
    for name in dict.fromkeys(name for score in compared.values() for name in score.segments):
        if any(name not in score.segments for score in compared.values()):
            continue
        pairs = [pair for pair in common if name in slices_of(groups.slices, pair[0])]
        sizes: dict[str, Any] = {
            "documents": len(pairs),
            "queries": len({query for query, _ in pairs}),
        }
        figures = _collect(compared, sampled, name, groups, bootstrap)
        parts[name] = SystemsByRater(**{**described, **sizes}, **figures)
    return whole.replace(slices=parts)


def _collect(
    compared: Mapping[str, Comparison],
    sampled: Sequence[str],
    segment: str | None,
    groups: QueryGroups,
    bootstrap: dict[str, Any],
) -> dict[str, Any]:
    """Return the figures of all systems by rater, on all queries or on a slice."""
    by_pair: dict[tuple[str, str], VerdictByRater] = {}
    leading = next(iter(compared.values()))
    means: dict[str, dict[str, float]] = {system: {} for system in leading.systems}
    for judge, comparison in compared.items():
        for system, mean in comparison.means(segment=segment).items():
            means[system][judge] = mean
        for pair in comparison.pairs if segment is None else comparison.segments[segment]:
            verdict = by_pair.setdefault(
                (pair.system, pair.baseline),
                VerdictByRater(
                    system=pair.system,
                    baseline=pair.baseline,
                    differences={},
                    verdicts={},
                    within_margin={},
                    intervals={},
                ),
            )
            verdict.differences[judge] = pair.difference
            verdict.verdicts[judge] = pair.verdict
            verdict.within_margin[judge] = pair.within_margin
            verdict.intervals[judge] = pair.interval or (None, None)
    values = {judge: _scores(comparison, segment) for judge, comparison in compared.items()}
    if sampled and groups.weights is None and groups.clusters is None:
        level = 1.0 - (1.0 - bootstrap["level"]) / len(by_pair)
        low, high = leading.measures[0].range(leading.convention)
        reach = inf if low is None or high is None else high - low
        for couple, verdict in by_pair.items():
            interval = _over_raters([values[judge] for judge in sampled], couple, level, reach)
            by_pair[couple] = verdict.replace(other_raters_interval=interval)
    # A convention can leave out all queries of a slice for a system.
    complete = [system for system, mean in means.items() if len(mean) == len(compared)]
    orders = {judge: [means[system][judge] for system in complete] for judge in compared}
    return {
        "means": means,
        "taus": tuple(
            RankCorrelation(
                first=first,
                second=second,
                tau=kendall_tau(orders[first], orders[second]),
                interval=_tau_interval(
                    compared[first], compared[second], segment, groups, bootstrap
                ),
            )
            for first, second in combinations(compared, 2)
        ),
        "verdicts": tuple(by_pair.values()),
        "baselines": leading.baselines,
        "scores": values,
    }


def _over_raters(
    scores: Sequence[QueryScores], pair: tuple[str, str], level: float, reach: float
) -> Interval | None:
    """Return the interval of the mean difference over queries and raters, within what it can be."""
    import numpy as np

    queries = scores[0].queries
    values = np.array([rater.on(queries, pair) for rater in scores])
    differences = (values[..., 0] - values[..., 1]).T
    mean = crossed_mean(differences[np.isfinite(differences).all(axis=1)], level=level)
    return mean and Interval(max(mean.low, -reach), min(mean.high, reach))


def _scores(compared: Comparison, segment: str | None) -> QueryScores:
    import numpy as np

    rows = compared.scores.rows(segment)
    queries = np.array(compared.scores.queries)[rows]
    return QueryScores(
        tuple(map(str, queries)), tuple(compared.systems), compared.scores.values[0][rows]
    )


def _tau_interval(
    one: Comparison,
    two: Comparison,
    segment: str | None,
    groups: QueryGroups,
    bootstrap: dict[str, Any],
) -> Interval | None:
    """Return the interval of tau between the orders of the systems under two raters."""
    sides = [_scores(judge, segment) for judge in (one, two)]
    queries = in_byte_order({query for side in sides for query in side.queries})
    first, second = (side.on(queries, side.systems) for side in sides)
    ends = correlation_interval(first, second, groups.design(queries), **bootstrap)
    return ends and Interval(*ends)
