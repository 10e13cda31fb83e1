"""How well measures agree and what they detect, and the result."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import chain, combinations
from math import isfinite

import numpy as np

from gainful import plots
from gainful.agreement.power import PastEvaluation, past_evaluation
from gainful.byte_order import in_byte_order
from gainful.conventions import Convention, get
from gainful.data.named_runs import runs_by_name
from gainful.errors import MatchError, MeasureError, ParameterError
from gainful.evaluation import Evaluation, evaluate
from gainful.evaluation.query_groups import read_query_groups
from gainful.formats.numbers import digits, short
from gainful.formats.table import Column, Note, Table, noted
from gainful.inference import (
    correlation_interval,
    max_t_pairs,
    paired_t,
    randomization_test,
    randomized_tukey,
)
from gainful.inference.bootstrap import SharedDraws
from gainful.inference.design import Design
from gainful.inference.rank_correlation import kendall_tau, rbo_ext, tau_ap_b, tie_groups
from gainful.keywords import suggest_keywords, unknown_keyword
from gainful.measures.choosing import choose_measures
from gainful.parameters.comparing import ANY_ALPHA, MEASURE_TEST, PERSISTENCE, RESAMPLES, SEED
from gainful.progress import Bar, show_progress
from gainful.records import Interval, Record, as_columns, derived, field
from gainful.records.tables import columns_of, table_of_columns
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from gainful.data.named_runs import Runs
    from gainful.data.qrels import QrelsLike
    from gainful.evaluation.query_groups import Attribute, By, QueryGroups
    from gainful.measures import Measure
    from gainful.plots import Plot
    from gainful.policies import PolicyKeywords

    Floats = NDArray[np.float64]
    #: Values, (queries, systems), the queries, and the number left out.
    Matrix = tuple[Floats, list[str], int]

__all__ = [
    "Discrimination",
    "MeasureAgreement",
    "MeasurePair",
    "SystemPair",
    "agreement_of",
    "compare_measures",
]

#: Columns of a sorted-p curve.
CURVE = 20

_BLOCKS = "▁▂▃▄▅▆▇█"

#: Pairs are counted at these p-values.
LEVELS = (0.001, 0.01, 0.05, 0.1)

#: The tests of whether two systems differ significantly, and their texts.
TESTS = {
    "max-t": "randomization test, p corrected by max-T over a measure's pairs, and for skewness",
    "tukey": "randomized Tukey HSD over the pairs of a measure",
    "t": "paired t test, uncorrected",
    "randomization": "randomization test, uncorrected",
}

#: The fields that are also shown by slice, and their titles.
_SLICED = {"Discriminative power": "measures", "Agreement between measures": "pairs"}

_COUNT = {"minimum": 0}

_SHARE = {"minimum": 0, "maximum": 1}

_CORRELATION = {"minimum": -1, "maximum": 1}


def _three(value: float) -> str:
    return digits(value, 3)


def _two(value: float) -> str:
    return digits(value, 2)


class SystemPair(Record):
    """Two systems under one measure."""

    system: str
    """The better system by its mean; for equal means, the first of the runs."""
    other: str
    """The other system."""
    difference: float = field(json=_COUNT)
    """The difference of their means."""
    p: float
    """The p-value; with ``max-t`` and ``tukey`` corrected over all pairs of the measure."""
    significant: bool
    """Whether p is at most alpha."""


class Discrimination(Record):
    """The discriminative power of one measure."""

    measure: str = field(tables="power slices")
    """The name of the measure."""
    queries: int = field(tables="power slices")
    """The number of queries that count for all systems."""
    left_out: int
    """The number of queries that count only for some systems."""
    significant: int = derived(
        lambda power: sum(pair.significant for pair in power.pairs), tables="power slices"
    )
    """The number of significant pairs."""
    power: float = derived(
        lambda power: power.significant / len(power.pairs),
        tables="power slices",
        label="share",
        show=lambda share: f"{share:.0%}",
        json=_SHARE,
    )
    """Discriminative power: the share of significant pairs."""
    # The fourth digit depends on the seed.
    half_width: float | None = field(
        default=None, tables="power", label="critical difference", show=_three
    )
    """With ``tukey``, the difference above which two systems can differ significantly; None with
    other tests, and if no difference is significant."""
    means: dict[str, float]
    """The mean of each system over these queries."""
    ranks: dict[str, int] = derived(
        lambda power: _ranks(power.order),
        json={"additionalProperties": {"type": "integer", "minimum": 1}},
    )
    """The rank of each system by its mean; systems with equal means share the smallest."""
    pairs: tuple[SystemPair, ...]
    """All pairs of systems, the smallest p first: the sorted-p curve."""

    @property
    def order(self) -> dict[str, float]:
        """The means to 12 digits, because later digits depend on the order of summation."""
        return {system: float(f"{mean:.12g}") for system, mean in self.means.items()}


class MeasurePair(Record):
    """The agreement of two measures on the rankings of systems and on significant pairs."""

    measure: str = field(tables="pairs slices")
    """The name of the first measure."""
    other: str = field(tables="pairs slices", label="and")
    """The name of the second measure."""
    tau_b: float | None = field(tables="pairs slices", label="tau-b", show=_three)
    """Kendall's tau-b of their rankings of the systems; None if all systems are equal under a
    measure."""
    tau_b_interval: Interval | None = field(
        tables="pairs slices", label="{level} CI", show=_two, json=_CORRELATION
    )
    """The confidence interval of tau-b at level 1 - alpha, for all queries from which these are a
    sample; None without bootstrap resamples, or if not defined."""
    tau_ap_b: float | None = field(tables="pairs", label="tau-AP", show=_three)
    """The AP correlation with ties, tau-AP,b, of these rankings; None if all systems are equal
    under a measure."""
    tau_ap_b_interval: Interval | None = field(
        tables="pairs", label="{level} CI", show=_two, json=_CORRELATION, priority=1
    )
    """The confidence interval of tau-AP,b; None as for tau-b."""
    rbo: float = field(tables="pairs", label="RBO_ext", show=_three, json=_SHARE, priority=2)
    """RBO_ext of these rankings."""
    same_sign: int = field(tables="pairs slices", label="same sign")
    """The number of pairs of systems that differ significantly under both measures, in the same
    direction."""
    opposite_sign: int = field(tables="pairs slices", label="opposite sign", short="opposite")
    """The number of pairs that differ significantly under both measures, in opposite directions."""
    only_first: int = field(tables="pairs slices", label="only first")
    """The number of pairs that differ significantly under the first measure only."""
    only_second: int = field(tables="pairs slices", label="only second")
    """The number of pairs that differ significantly under the second measure only."""


class MeasureAgreement(Result):
    """The discriminative power and the agreement of several measures.

    ``print`` shows it as tables; it exports the pairs of measures as an Arrow stream, so
    ``polars.DataFrame(agreement)`` works.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "AP"])
    >>> found.pairs[0].tau_b, found.measures[0].power
    (1.0, 0.0)
    """

    SCHEMA = "gainful.agreement/1"
    COMMAND = "compare-measures"
    RECORDS = {"agreement": None, "power": None, "ranks": None, "curve": None, "slices": None}
    PICTURES = ("sorted_p", "agreement")

    convention: str
    """The convention in one line."""
    systems: tuple[str, ...]
    """The names of the systems."""
    test: str = field(json={"enum": list(TESTS)})
    """The test of whether two systems differ significantly."""
    alpha: float = field(json=_SHARE)
    """The significance level; with ``max-t`` and ``tukey`` the family-wise error rate of a measure.
    """
    resamples: int
    """The number of sign flips or permutations."""
    seed: int
    """The random seed."""
    bootstrap: int
    """The number of resamples for the intervals of tau_b and tau_ap_b; 0 for none."""
    persistence: float = field(json=_SHARE)
    """The parameter p of RBO."""
    least_rbo: float
    """RBO of a ranking of these systems without ties and its reverse."""
    measures: tuple[Discrimination, ...]
    """One per measure."""
    pairs: tuple[MeasurePair, ...]
    """All pairs of measures."""
    cluster: str | None = field(key="")
    """The name of the attribute of the clusters."""
    attribute: str | None = field(key="by", optional=True)
    """The attribute of the slices."""
    slices: dict[str, MeasureAgreement] | None = field(optional=True)
    """By slice of the queries, the same result for its queries."""
    too_small: tuple[str, ...] | None = field(optional=True)
    """Slices in which a measure has fewer than two queries that count for all systems."""

    def tables(self) -> list[Table]:
        """Return the discriminative power, the agreement and the ranks as tables."""
        tables = [_power_table(self)]
        if self.pairs:
            title = "Agreement between measures: rankings and significant pairs"
            tables.append(table_of_columns(_columns(self, self.pairs, "pairs"), title=title))
        tables += [_rank_table(self), *_slice_tables(self)]
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _records(self, name: str) -> Records:
        match name:
            case "agreement":
                return as_columns(MeasurePair, self.pairs)
            case "power":
                columns = as_columns(Discrimination, self.measures)
                columns["pairs"] = [len(measure.pairs) for measure in self.measures]
                order = "measure queries left_out pairs significant power half_width"
                return {column: columns[column] for column in order.split()}
            case "ranks":
                rows = (
                    (measure.measure, system, mean, measure.ranks[system])
                    for measure in self.measures
                    for system, mean in measure.means.items()
                )
                return as_records(("measure", "system", "mean", "rank"), rows)
            case "curve":
                parts = {measure.measure: measure.pairs for measure in self.measures}
                return _labeled("measure", SystemPair, parts)
        return _labeled(
            "slice", MeasurePair, {name: part.pairs for name, part in (self.slices or {}).items()}
        )

    def _picture(self, name: str) -> Plot:
        if name == "agreement":
            cells = [
                {"one": pair.measure, "other": pair.other, "value": pair.tau_b}
                for pair in self.pairs
            ]
            return plots.agreement(cells, "Kendall's tau-b of rankings")
        rows = [
            {
                "measure": measure.measure,
                "at": place,
                "p": pair.p,
                "pair": f"{pair.system} and {pair.other}",
            }
            for measure in self.measures
            for place, pair in enumerate(reversed(measure.pairs), 1)
        ]
        return plots.sorted_p(rows, self.alpha)

    def __repr__(self) -> str:
        names = ", ".join(measure.measure for measure in self.measures)
        return f"<MeasureAgreement of {names} on {len(self.systems)} systems>"


def _ranks(order: dict[str, float]) -> dict[str, int]:
    means = order.values()
    return {system: 1 + sum(other > mean for other in means) for system, mean in order.items()}


def _labeled(name: str, kind: type[Record], parts: Mapping[str, Sequence[Record]]) -> Records:
    """Return the records of several parts as columns, the first with the names of the parts."""
    names: list[object] = [part for part, records in parts.items() for _ in records]
    return {name: names, **as_columns(kind, [*chain.from_iterable(parts.values())])}


# --- tables ---------------------------------------------------------------------------------------


def _columns(
    agreement: MeasureAgreement, records: Sequence[Record], table: str
) -> list[tuple[Column, list[object]]]:
    number = len(agreement.measures[0].pairs)
    columns = columns_of(
        records,
        table,
        labels={"level": f"{100 * (1 - agreement.alpha):g}%"},
        show={"significant": lambda count: f"{count} of {number}"},
    )
    hidden = set() if agreement.test == "tukey" else {"half_width"}
    hidden |= set() if agreement.bootstrap else {"tau_b_interval", "tau_ap_b_interval"}
    return [(column, values) for column, values in columns if column.key not in hidden]


def _power_table(agreement: MeasureAgreement) -> Table:
    measures = agreement.measures
    columns: list[tuple[Column, Sequence[object]]] = [*_columns(agreement, measures, "power")]
    for place, level in enumerate(LEVELS):
        column = Column(f"p.{level}", f"{'' if place else 'p '}≤ {short(level)}", str)
        counts = [sum(pair.p <= level for pair in measure.pairs) for measure in measures]
        columns.append((column, counts))
    column = Column("curve", "sorted p", curve, align="l", fit="picture")
    text = "sorted p: from the largest p-value to the smallest; the lowest block is significant."
    return table_of_columns(
        [*columns, (column, measures)],
        title=f"Discriminative power: pairs of {len(agreement.systems)} systems",
        notes=[Note("curve", text, explains=True)],
    )


def curve(measure: Discrimination, columns: int = CURVE) -> str:
    """Return the p-values of the pairs from the largest to the smallest, as blocks.

    The lowest block is a significant pair; the others are p in sevenths. With more pairs than
    columns, a block shows the middle pair of its share.
    """
    pairs = measure.pairs[::-1]
    if len(pairs) > columns:
        step = len(pairs) / columns
        pairs = tuple(pairs[int((place + 0.5) * step)] for place in range(columns))
    # The second block is the smallest p that is not significant, the eighth is 1.
    return "".join(
        _BLOCKS[0] if pair.significant else _BLOCKS[min(7, 1 + int(pair.p * 7))] for pair in pairs
    )


def _slice_tables(agreement: MeasureAgreement) -> list[Table]:
    """Return the discriminative power and the agreement within the slices."""
    by = agreement.attribute
    tables = []
    for title, field_name in _SLICED.items():
        rows: list[tuple[str, Record]] = []
        for name, part in (agreement.slices or {}).items():
            records = getattr(part, field_name)
            rows += zip([name, *[""] * len(records)], records, strict=False)
        if rows:
            names = (Column("slice", by), [name for name, _ in rows])
            columns = _columns(agreement, [record for _, record in rows], "slices")
            tables.append(table_of_columns([names, *columns], title=f"{title}, by {by}"))
    return tables


def _rank_table(agreement: MeasureAgreement) -> Table:
    """Return the ranks, best system first."""
    by_measure = {measure.measure: measure.ranks for measure in agreement.measures}
    systems = sorted(
        agreement.systems, key=lambda system: sum(ranks[system] for ranks in by_measure.values())
    )
    columns = [
        (Column(f"rank.{name}", name, align="r"), [_rank(ranks, system) for system in systems])
        for name, ranks in by_measure.items()
    ]
    return table_of_columns([(Column("system"), systems), *columns], title="Ranks of the systems")


def _rank(ranks: dict[str, int], system: str) -> str:
    is_shared = list(ranks.values()).count(ranks[system]) > 1
    return f"{ranks[system]}=" if is_shared else str(ranks[system])


def _notes(agreement: MeasureAgreement) -> list[Note]:
    test = TESTS[agreement.test]
    notes = [Note("test", f"Significant: p ≤ {short(agreement.alpha)} ({test}).")]
    if agreement.test == "tukey":
        text = "critical difference: the smallest significant difference of means."
        notes.append(Note("half_width", text, explains=True))
    notes += noted(
        "left_out",
        (
            f"{measure.measure}: {measure.left_out} queries left out because they do not count for"
            " all systems."
            for measure in agreement.measures
            if measure.left_out
        ),
    )
    if agreement.too_small:
        text = f"Slices with too few queries: {', '.join(agreement.too_small)}."
        notes.append(Note("too_small", text))
    if agreement.pairs:
        if agreement.bootstrap:
            of = f"clusters ({agreement.cluster})" if agreement.cluster else "queries"
            text = f"Intervals of tau-b and tau-AP: {agreement.bootstrap:,} resamples of {of}."
            notes.append(Note("tau_b_interval", text, explains=True))
        text = "same sign, opposite sign: pairs that differ significantly under both measures."
        notes.append(Note("same_sign", text, explains=True))
        text = (
            f"RBO_ext: p {short(agreement.persistence)}; the reverse ranking of"
            f" {len(agreement.systems)} systems has {digits(agreement.least_rbo, 3)}."
        )
        notes.append(Note("rbo", text))
    return [*notes, Note("convention", agreement.convention)]


#: The default measures, which look at rankings in different ways.
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


@show_progress(Bar)
@suggest_keywords
def compare_measures(
    qrels: QrelsLike,
    runs: Runs,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    convention: Convention | str = "gainful-1",
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    alpha: float = 0.05,
    test: str = "max-t",
    persistence: float = 0.9,
    resamples: int = 100_000,
    bootstrap: int = 1_999,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **policies: Unpack[PolicyKeywords],
) -> MeasureAgreement:
    """Compare measures by their discriminative power and their agreement.

    For each measure, report how many pairs of systems differ significantly, and the p-values
    (discriminative power and the sorted-p curve). For each pair of measures, report how well their
    rankings of the systems and their decisions agree. This shows which measures are redundant and
    which need more queries, not which measure agrees with users.

    Parameters
    ----------
    qrels : path, mapping, data frame or Qrels
        The judgments, as for `evaluate`.
    runs : mapping of str to run, or sequence of paths and `Run`
        At least two systems, as for `compare`.
    measures : Measure, str, or several of them, optional
        The measures; one for its discriminative power alone. Default: nDCG@10, AP, RR, P@10 and
        R@100, or the measures that the convention is verified for.
    convention : Convention or str
        The convention, or the name of a preset.
    weights, clusters, by
        As for `gainful.compare`. The tests and intervals take weights and clusters into account,
        and the measures are also compared within each slice. Each slice of a measure is a family of
        its own.
    alpha : float, default 0.05
        The significance level. The confidence level of intervals is 1 - alpha.
    test : {"max-t", "tukey", "t", "randomization"}
        Max-T or randomized Tukey HSD, whose `alpha` is the family-wise error rate of a measure; or
        the paired t test or the randomization test of each pair, uncorrected.
    persistence : float, default 0.9
        The parameter p of RBO.
    resamples : int, default 100,000
        Number of sign flips or permutations.
    bootstrap : int, default 1,999
        Number of resamples for the intervals of tau-b and tau-AP; 0 for no intervals.
    seed : int
        The random seed. Results do not depend on the number of threads.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        As for `evaluate`.

    **policies
        Policies that differ from those of the convention, as for `evaluate`.

    Returns
    -------
    MeasureAgreement
        The discriminative power of each measure, and the agreement of each pair.

    Raises
    ------
    ParameterError
        For fewer than two systems, an unknown test, or a number out of range.
    MatchError
        For a measure with fewer than two queries that count for all systems.
    MeasureError
        For a geometric mean, which is not a mean of per-query values, and for a measure whose lower
        values are better.
    GainfulError
        If an input cannot be evaluated.

    Notes
    -----
    Discriminative power and the sorted p-values: T. Sakai: Evaluating evaluation metrics based on
    the bootstrap. SIGIR 2006; for all pairs at once, B. Carterette: Multiple testing in
    statistical analysis of systems-based information retrieval experiments. ACM TOIS 30(1), 2012.
    Max-T: `gainful.inference.max_t_pairs`.
    Correlations: `gainful.inference.rank_correlation` and `gainful.inference.rank_correlation`;
    their intervals: `gainful.inference.correlation_interval`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> found = gainful.compare_measures("qrels.txt", runs, ["nDCG@10", "P@5"])
    >>> [(each.measure, round(each.pairs[0].p, 2)) for each in found.measures]
    [('nDCG@10', 0.58), ('P@5', 1.0)]
    """
    options = _Options(
        test=test,
        alpha=alpha,
        persistence=persistence,
        resamples=resamples,
        bootstrap=bootstrap,
        seed=seed,
        threads=threads,
    )
    groups = read_query_groups(weights=weights, clusters=clusters, by=by)
    runs = runs_by_name(runs)
    if len(runs) < 2:
        raise ParameterError(
            where="runs", found=f"{len(runs)} run{'' if runs else 's'}", expected="at least 2"
        )
    rules = get(convention, **policies)
    evaluation = evaluate(
        qrels,
        runs=runs,
        measures=choose_measures(measures, rules, usual=MEASURES),
        convention=rules,
        threads=threads,
        progress=progress,
    )
    return _compare(_past(evaluation), str(evaluation.convention), groups, options)


def agreement_of(
    evaluation: Evaluation,
    *,
    weights: Mapping[str, float] | None = None,
    clusters: Attribute | None = None,
    by: By | None = None,
    **options: Any,
) -> MeasureAgreement:
    """Compare the measures of an evaluation of several systems; see `compare_measures`.

    Parameters
    ----------
    evaluation : Evaluation
        At least two systems.
    weights, clusters, by, **options
        ``test``, ``alpha`` and so on, as for `compare_measures`.

    Examples
    --------
    >>> import gainful
    >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
    >>> evaluation = gainful.evaluate("qrels.txt", runs=runs, measures=["AP", "RR"])
    >>> agreement_of(evaluation, test="t")
    <MeasureAgreement of AP, RR on 2 systems>
    """
    known = tuple(field.name for field in fields(_Options))
    for name in options:
        if name not in known:
            raise unknown_keyword("agreement_of", name, ("weights", "clusters", "by", *known))
    chosen = _Options(**options)
    past = _past(evaluation)
    if len(past.systems) < 2:
        raise ParameterError(
            where="systems",
            found=f"{len(past.systems)} system{'' if past.systems else 's'}",
            expected="at least 2",
        )
    groups = read_query_groups(weights=weights, clusters=clusters, by=by)
    return _compare(past, str(evaluation.convention), groups, chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options of a comparison of measures."""

    test: str = "max-t"
    alpha: float = 0.05
    persistence: float = 0.9
    resamples: int = 100_000
    bootstrap: int = 1_999
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        for parameter in (MEASURE_TEST, ANY_ALPHA, PERSISTENCE, RESAMPLES, SEED):
            parameter.check(getattr(self, parameter.name))
        if self.bootstrap < 0:
            raise ParameterError(
                found=f"bootstrap={self.bootstrap!r}", expected="a whole number of 0 or more"
            )


def _past(evaluation: Evaluation) -> PastEvaluation:
    """Return the scores; reject measures that would rank the systems from worst to best."""
    for measure in evaluation.measures:
        if not measure.higher_is_better:
            raise MeasureError(
                where=repr(measure),
                found="a measure whose lower values are better",
                expected="measures whose higher values are better",
            )
    return past_evaluation(evaluation)


def _compare(
    past: PastEvaluation, convention: str, groups: QueryGroups, options: _Options
) -> MeasureAgreement:
    """Compare the measures on all queries, and on each slice."""
    values = {measure: past.matrix(measure) for measure in past.measures}
    discriminations = tuple(
        _discrimination(past.systems, measure, values[measure], groups, options)
        for measure in past.measures
    )
    slices, too_small = {}, []
    every = in_byte_order({query for _, queries, _ in values.values() for query in queries})
    for name, members in groups.slice_queries(every).items():
        part = past.within(members)
        if all(len(part.matrix(measure)[1]) > 1 for measure in past.measures):
            slices[name] = _compare(part, convention, replace(groups, slices={}), options)
        else:
            too_small.append(name)
    return MeasureAgreement(
        systems=past.systems,
        measures=discriminations,
        pairs=tuple(
            _pair(
                one,
                two,
                _intervals(values[one.measure], values[two.measure], groups, options),
                options.persistence,
            )
            for one, two in combinations(discriminations, 2)
        ),
        test=options.test,
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
        persistence=options.persistence,
        least_rbo=rbo_ext(past.systems, past.systems[::-1], options.persistence),
        convention=convention,
        bootstrap=options.bootstrap,
        cluster=groups.cluster,
        attribute=groups.attribute,
        slices=slices if groups.attribute else None,
        too_small=tuple(too_small) if groups.attribute else None,
    )


def _intervals(
    one: Matrix, two: Matrix, groups: QueryGroups, options: _Options
) -> dict[str, Interval | None]:
    """Return the intervals of the correlations of two measures' orders of the systems."""
    queries = in_byte_order({*one[1], *two[1]})
    rows = {query: index for index, query in enumerate(queries)}

    def align(values: Floats, queries_of_measure: list[str]) -> Floats:
        table = np.full((len(queries), values.shape[1]), np.nan)
        table[[rows[query] for query in queries_of_measure]] = values
        return table

    first, second = align(*one[:2]), align(*two[:2])
    intervals: dict[str, Interval | None] = {}
    for statistic in ("tau_b", "tau_ap_b"):
        ends = options.bootstrap and correlation_interval(
            first,
            second,
            groups.design(queries),
            statistic=statistic,
            level=1 - options.alpha,
            resamples=options.bootstrap,
            seed=options.seed,
        )
        intervals[statistic] = Interval(*ends) if ends else None
    return intervals


def _discrimination(
    systems: tuple[str, ...],
    measure: str,
    matrix: Matrix,
    groups: QueryGroups,
    options: _Options,
) -> Discrimination:
    values, queries, left_out = matrix
    if len(queries) < 2:
        raise MatchError(
            where=measure,
            found=f"{len(queries)} quer{'y that counts' if len(queries) == 1 else 'ies that count'}"
            " for all systems",
            expected="at least 2",
        )
    design = groups.design(queries)
    p, half_width = _p_values(values, design, options)
    means = np.atleast_1d(design.mean(values))
    pairs = []
    for i, j in combinations(range(len(systems)), 2):
        one, two = (i, j) if means[i] >= means[j] else (j, i)
        pairs.append(
            SystemPair(
                system=systems[one],
                other=systems[two],
                difference=float(means[one] - means[two]),
                p=float(p[i, j]),
                significant=bool(p[i, j] <= options.alpha),
            )
        )
    pairs.sort(key=lambda pair: (pair.p, -pair.difference))
    return Discrimination(
        measure=measure,
        queries=len(queries),
        left_out=left_out,
        means=dict(zip(systems, means.tolist(), strict=True)),
        pairs=tuple(pairs),
        half_width=half_width,
    )


def _p_values(values: Floats, design: Design, options: _Options) -> tuple[Floats, float | None]:
    sampling: Any = {
        "resamples": options.resamples,
        "seed": options.seed,
        "threads": options.threads,
    }
    if options.test in ("max-t", "tukey"):
        return _family_p_values(values, design, options)
    m = values.shape[1]
    p = np.ones((m, m))
    for i, j in combinations(range(m), 2):
        differences = values[:, i] - values[:, j]
        if options.test == "t":
            p[i, j] = paired_t(differences, design).p
        else:
            p[i, j] = randomization_test(differences, design, **sampling).p
    return p, None


def _family_p_values(
    values: Floats, design: Design, options: _Options
) -> tuple[Floats, float | None]:
    """Return the p-values of all pairs, as `compare` corrects them."""
    sampling: Any = {
        "resamples": options.resamples,
        "seed": options.seed,
        "threads": options.threads,
    }
    m = values.shape[1]
    p, half_width = np.zeros((m, m)), None
    if options.test == "tukey":
        tukey = randomized_tukey(values, design, level=1 - options.alpha, **sampling)
        p = tukey.p.copy()
        half_width = float(tukey.half_width) if isfinite(tukey.half_width) else None
    elif m > 2:
        (joint,) = max_t_pairs([values], design, level=1 - options.alpha, **sampling)
        p = joint.p.copy()
    pairs = list(combinations(range(m), 2))
    draws = SharedDraws(values, design, pairs, bootstrap=0, **sampling)
    for (i, j), (_, alone) in draws.randomization_tests().items():
        # No corrected p is below that of the pair alone.
        p[i, j] = p[j, i] = max(p[i, j], alone)
    return p, half_width


def _pair(
    one: Discrimination,
    two: Discrimination,
    intervals: dict[str, Interval | None],
    persistence: float,
) -> MeasurePair:
    first = list(one.order.values())
    second = [two.order[system] for system in one.order]
    ways_one, ways_two = (
        {
            frozenset((pair.system, pair.other)): pair.system
            for pair in side.pairs
            if pair.significant
        }
        for side in (one, two)
    )
    both = ways_one.keys() & ways_two.keys()
    same_sign = sum(ways_one[pair] == ways_two[pair] for pair in both)
    return MeasurePair(
        measure=one.measure,
        other=two.measure,
        tau_b=kendall_tau(first, second),
        tau_b_interval=intervals["tau_b"],
        tau_ap_b=tau_ap_b(first, second),
        tau_ap_b_interval=intervals["tau_ap_b"],
        rbo=rbo_ext(tie_groups(one.order), tie_groups(two.order), persistence),
        same_sign=same_sign,
        opposite_sign=len(both) - same_sign,
        only_first=len(ways_one) - len(both),
        only_second=len(ways_two) - len(both),
    )
