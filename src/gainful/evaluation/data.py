"""The data of an evaluation, and their statistics: means, summaries, ranges and counts."""

from __future__ import annotations

from math import fsum, inf

from gainful import _kernel
from gainful.conventions import Convention
from gainful.errors import ArgumentError, ParameterError
from gainful.evaluation.summary import Clusters, DataCounts, Summary
from gainful.evaluation.values import AT_CUTOFF, COUNTS, QueryValues, cutoffs_of, first_count
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.measures.choosing import prepare_measures
from gainful.policies import SHARED_RANKS
from gainful.records import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, overload

    from gainful.data import Qrels
    from gainful.data.qrels import DiskQrels
    from gainful.data.run import RunLike
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.evaluation.summary import AnswersByEvidence, QuerySlice, Selection
    from gainful.measures.parameters import Range


class EvaluationData(QueryValues):
    """Values for each query with their weights, groups and judgments, and their statistics."""

    __slots__ = ("chance_values", "groups", "judgments", "runs", "weights")

    chance_values: ChanceValues | None

    groups: QueryGroups | None

    weights: dict[str, float] | None

    judgments: Qrels | DiskQrels | KnownJudgments | None

    runs: Mapping[str, RunLike] | None
    # Fields of `Evaluation`.
    slices: tuple[QuerySlice, ...] | None
    answers: tuple[AnswersByEvidence, ...] | None
    selection: Selection | None
    given: dict[str, str] | None

    @suggest_keywords
    def __init__(
        self,
        tables: dict[str, _kernel.Evaluated],
        measures: tuple[Measure, ...],
        convention: Convention,
        weights: dict[str, float] | None = None,
        judgments: Qrels | DiskQrels | KnownJudgments | None = None,
        *,
        bounds: str | None = None,
        integers: bool = False,
        chance: ChanceValues | None = None,
        groups: QueryGroups | None = None,
        selection: Selection | None = None,
        given: dict[str, str] | None = None,
        runs: Mapping[str, RunLike] | None = None,
    ) -> None:
        if not isinstance(convention, Convention):
            raise ArgumentError(
                "an Evaluation is not made of judgments and runs",
                hint="gainful.evaluate(qrels, run, measures) returns one, and"
                " Evaluation.from_values one of values",
            )
        put = object.__setattr__
        put(self, "kernel_tables", tables)
        put(self, "systems", tuple(tables))
        put(self, "measures", measures)
        put(self, "resolved", prepare_measures(measures, convention).resolved)
        put(self, "convention", convention)
        put(self, "bounds_of", bounds)
        put(self, "integer_ids", integers)
        put(self, "chance_values", chance)
        put(self, "groups", groups)
        put(self, "judgments", judgments)
        # `compare` looks at the chunks of runs with places in texts.
        put(self, "runs", runs)
        put(self, "weights", weights)
        put(self, "selection", selection)
        put(self, "given", given)

    @property
    def has_rankings(self) -> bool:
        """Whether any value was computed from rankings, and not elsewhere."""
        return self.given is None or len(self.given) < len(self.measures)

    @property
    def has_places(self) -> bool:
        """Whether judgments and rankings have places in texts, which are not judged one by one."""
        from gainful.evaluation.arguments import has_places

        is_of_spans = any(measure.declaration.judgments == "spans" for measure in self.measures)
        return is_of_spans or has_places(self.judgments)

    @property
    def judgments_digest(self) -> str | None:
        """The `Qrels.digest` of the judgments, computed on first use.

        The digest differs between judgments read with and without subtopics. None if unknown, as
        for some concatenated evaluations.
        """
        return None if self.judgments is None else self.judgments.digest

    @property
    def judgments_note(self) -> str | None:
        """How a judgment list was read and what was left out; None for other judgments."""
        return None if self.judgments is None else self.judgments.note

    @property
    def scattered(self) -> tuple[str, ...]:
        """The systems whose runs had the rows of a query in several places.

        Only runs in columns or TREC text can be scattered. Such a run is read again and regrouped,
        in memory or on disk. The numbers are the same, but a run that is sorted by query is faster.
        Text from a pipe is always regrouped and not reported here.
        """
        return tuple(system for system, table in self.kernel_tables.items() if table.scattered)

    if TYPE_CHECKING:

        @overload
        def mean(self, measure: Measure | str, system: str | None = None) -> float: ...

        # A number for one measure, {measure: number} for several.
        @overload
        def mean(self, measure: None = None, system: str | None = None) -> Any: ...

    def mean(
        self, measure: Measure | str | None = None, system: str | None = None
    ) -> float | dict[str, float]:
        """Return the mean of a measure, or of all measures as a dict.

        Examples
        --------
        >>> import gainful
        >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR", "P@1"])
        >>> result.mean("RR"), result.mean()
        (0.5, {'RR': 0.5, 'P@1': 0.0})
        """
        table = self.table_of(system)
        if measure is None and len(self.measures) > 1:
            return {
                repr(measure): self._mean(index, table)
                for index, measure in enumerate(self.measures)
            }
        return self._mean(self.index_of(measure), table)

    def means(self, *, names: str = "gainful") -> dict[Any, float]:
        """Return all means: by measure, and by system and measure for several systems.

        Examples
        --------
        >>> import gainful
        >>> runs = {"bm25": {"q": ["b", "a"]}, "dense": {"q": ["a", "b"]}}
        >>> result = gainful.evaluate({"q": {"a": 1}}, runs=runs, measures="RR")
        >>> result.means()
        {('bm25', 'RR'): 0.5, ('dense', 'RR'): 1.0}
        >>> result.means(names="trec")
        {('bm25', 'recip_rank'): 0.5, ('dense', 'recip_rank'): 1.0}
        """
        several = len(self.systems) > 1
        return {
            (system, name) if several else name: self._mean(index, table)
            for system, table in self.kernel_tables.items()
            for index, name in enumerate(name_measures(self.measures, names))
        }

    def _mean(self, index: int, table: _kernel.Evaluated) -> float:
        return table.summary(index, self.weights_of(table)).mean

    def value_of(self, measure: Measure, system: str) -> float:
        """Return `Summary.value` without a summary."""
        table = self.table_of(system)
        summary = table.summary(self.index_of(measure), self.weights_of(table))
        return summary.sum if measure.aggregate == "sum" else summary.mean

    def weights_of(self, table: _kernel.Evaluated) -> list[float] | None:
        """Return the weights of the queries of a table, in its order."""
        return None if self.weights is None else _aligned(self.weights, table.query_ids())

    def summary(self, measure: Measure | str | None = None, system: str | None = None) -> Summary:
        """Return mean, interval, median, spread and counts of a measure for a system."""
        return self._summary(self.index_of(measure), self.table_of(system))

    def _summary(self, index: int, table: _kernel.Evaluated) -> Summary:
        from gainful.inference import geometric_interval, interval_method, mean_interval

        weights = self.weights_of(table)
        lowest, highest = self._mean_bounds(index, table, weights)
        summary = table.summary(index, weights)
        measure = self.measures[index]
        least, most = self._range(index, table)
        interval_of = geometric_interval if measure.aggregate == "geometric" else mean_interval
        n: float = summary.n
        deviation, df, clusters = summary.deviation, None, None
        labels = None if self.groups is None else self.groups.clusters_of(table.query_ids())
        if (weights or labels) and n > 1 and summary.mean == summary.mean:
            deviation, n, df, clusters = self.spread(index, table, weights, labels)
        interval = interval_of(summary.mean, deviation, n, low=least, high=most, df=df)
        return Summary(
            n=summary.n,
            mean=summary.mean,
            sum=summary.sum,
            standard_deviation=summary.deviation,
            minimum=summary.low,
            lower_quartile=summary.quartile,
            median=summary.median,
            upper_quartile=summary.upper_quartile,
            maximum=summary.high,
            interval=Interval(*interval) if interval else None,
            interval_method=interval_method(least, most) if interval else None,
            clusters=clusters,
            effective=None if df is None else n,
            no_relevant=summary.nothing,
            judged=None
            if repr(measure) in (self.given or ())
            else self.judged_share(self.resolved[index].cutoff, table),
            lowest=lowest,
            highest=highest,
            aggregate=measure.aggregate,
            chance=self._mean_chance(index, table),
        )

    def _mean_chance(self, index: int, table: _kernel.Evaluated) -> float | None:
        """Return the mean of what a random order is expected to have, over the same queries."""
        values = (self.chance_values or {}).get(repr(self.measures[index]))
        if values is None:
            return None
        rows = zip(table.query_ids(), table.flags(index), strict=True)
        queries = [query for query, flags in rows if not flags & 2]
        weights = self.weights or dict.fromkeys(queries, 1.0)
        total = fsum(weights[query] for query in queries)
        return fsum(weights[query] * values[query] for query in queries) / total if total else None

    def range_on_data(self, measure: Measure | str, system: str) -> Range:
        """Return the range of a measure, which policies extend only if they have an effect.

        Policies on negative grades, ties, unjudged documents and duplicates have none on data
        without them. The highest DCG and CG are the highest that the judgments of any query allow.
        """
        return self._range(self.index_of(measure), self.table_of(system))

    def _range(self, index: int, table: _kernel.Evaluated) -> Range:
        ideal = table.highest_ideal(index)
        if ideal is None:
            return self._policy_range(self.measures[index], table)
        # The sum is a share of its ideal, which is nDCG.
        resolved = self.resolved[index]
        params = {"discount": "none", **resolved.params, "ideal": "judged"}
        low, high = self._policy_range(Measure("nDCG", params), table)
        return low, ideal * high if high is not None and 0.0 < ideal < inf else None

    def _policy_range(self, measure: Measure, table: _kernel.Evaluated) -> Range:
        convention = self.convention
        if measure.range(convention) == measure.range():
            return measure.range(convention)
        retrieved, _, judged, tied, copies = (
            table.column(first_count(self.measures) + index) for index in range(len(COUNTS))
        )
        if convention.negative == "signed" and not self._has_negative_grades:
            convention = convention.replace(negative="zero")
        if convention.ties in SHARED_RANKS and not any(tied):
            convention = convention.replace(ties="given")
        if not isinstance(convention.unjudged, str) and retrieved == judged:
            convention = convention.replace(unjudged="zero")
        least, most = measure.range(convention)
        low, high = measure.range(convention.replace(duplicates="error"))
        if (least, most) == (low, high) or high is None:
            return least, most
        # Copies that are in n places are n rankings without copies, each at most the highest value.
        return low, high * (1 + max(copies, default=0))

    @property
    def _has_negative_grades(self) -> bool:
        """Whether a grade is, or may be, negative."""
        rows = getattr(self.judgments, "_rows", None)
        return not isinstance(rows, _kernel.Rows) or len(rows.at_least(0.0)) < len(rows)

    def spread(
        self,
        index: int,
        table: _kernel.Evaluated,
        weights: list[float] | None,
        labels: list[str] | None,
    ) -> tuple[float, float, float, int | None]:
        """Return the deviation, n and df of an interval, and the number of clusters."""
        from gainful.inference.design import Design

        # Bit 2 marks queries that do not count.
        rows = [place for place, flags in enumerate(table.flags(index)) if not flags & 2]
        column = table.column(index)
        values = [column[row] for row in rows]
        if self.measures[index].aggregate == "geometric":
            from gainful.inference.interval import logarithm

            values = [logarithm(value) for value in values]
        design = Design(
            len(values),
            weights=None if weights is None else [weights[row] for row in rows],
            clusters=None if labels is None else [labels[row] for row in rows],
        )
        return *design.spread(values), None if labels is None else design.units

    def _mean_bounds(
        self, index: int, table: _kernel.Evaluated, weights: list[float] | None
    ) -> tuple[float, float] | tuple[None, None]:
        if self.bounds_of is None:
            return None, None
        if self.measures[index].aggregate == "sum":
            low, high = table.bounds(index)
            return sum(low), sum(high)
        return table.mean_bounds(index, weights)

    def judged_share(self, cutoff: int | None, table: _kernel.Evaluated) -> float | None:
        """Return the judged share; None if the judgments are complete, and for places."""
        complete = self.convention.unjudged == "irrelevant" or self.has_places
        return None if complete else self._judged(cutoff, table)

    def _judged(self, cutoff: int | None, table: _kernel.Evaluated) -> float | None:
        """Return the judged share of the documents above a cutoff, or of all documents."""
        first = first_count(self.measures)
        if cutoff is None:
            retrieved, judged = table.totals([first, first + COUNTS.index("judged")])
            return judged / retrieved if retrieved else None
        place = first + len(COUNTS) + len(AT_CUTOFF) * cutoffs_of(self.resolved).index(cutoff)
        known, unknown = table.totals([place, place + 1])
        return known / (known + unknown) if known + unknown else None

    def count_clusters(self) -> Clusters | None:
        """Return the attribute that clusters the queries, and the number of clusters."""
        if self.groups is None or self.groups.clusters is None:
            return None
        table = self.kernel_tables[self.systems[0]]
        labels = self.groups.clusters_of(table.query_ids()) or []
        return Clusters(attribute=self.groups.cluster, number=len(set(labels)))

    def counts(self, system: str | None = None) -> dict[str, Any]:
        """Return the counts of an evaluation of a system.

        ``judged_queries`` in the judgments; of these ``queries`` in the table; ``missing`` in the
        run; ``extra`` in the run alone; ``no_relevant`` by measure; ``duplicates`` rows; ``tied``
        documents; and by cutoff ``ties_at_cutoff`` (queries with equal scores on both sides of it)
        and ``judged_at_cutoff`` (judged share of the documents above it).
        """
        return self._count(system).to_dict()

    def _count(self, system: str | None) -> DataCounts:
        table = self.table_of(system)
        judged, evaluated, missing, extra = table.counts[:4]
        first = first_count(self.measures)
        place = first + len(COUNTS)
        tied, duplicates = table.totals([first + 3, first + 4])
        ties = {}
        shares = {}
        for cutoff in cutoffs_of(self.resolved):
            shares[str(cutoff)] = self.judged_share(cutoff, table)
            ties[str(cutoff)] = table.positive(place + 2)
            place += 3
        return DataCounts(
            judged_queries=judged,
            queries=evaluated,
            missing=missing,
            extra=extra,
            no_relevant={
                repr(measure): table.no_relevant(index)
                for index, measure in enumerate(self.measures)
            },
            duplicates=int(duplicates),
            tied=int(tied),
            ties_at_cutoff=ties,
            judged_at_cutoff=shares,
        )

    @property
    def unjudged_systems(self) -> tuple[str, ...]:
        """The systems without any judged document, usually because the ids do not match.

        Examples
        --------
        >>> import gainful
        >>> runs = {"one": {"q": ["a"]}, "two": {"q": ["a.html"]}}
        >>> gainful.evaluate({"q": {"a": 1}}, runs=runs, measures="nDCG@10").unjudged_systems
        ('two',)
        """
        return tuple(
            system for system in self.systems if self._judged(None, self.table_of(system)) == 0
        )


def name_measures(measures: Sequence[Measure], names: str) -> list[str]:
    """Return the names of measures, as for `Evaluation.means`."""
    if names not in ("gainful", "trec"):
        raise ParameterError(where="names", found=repr(names), expected="gainful or trec")
    if names == "gainful":
        return list(map(repr, measures))
    from gainful.measures.portable_names import name_in_trec_eval

    named: dict[str, Measure] = {}
    for measure in measures:
        other = named.setdefault(name_in_trec_eval(measure), measure)
        if other is not measure:
            raise ParameterError(
                f"{other!r} and {measure!r} have the same name",
                where="names",
                hint="use names='gainful'",
            )
    return list(named)


def _aligned(weights: dict[str, float], queries: list[str]) -> list[float]:
    try:
        aligned = [weights[query] for query in queries]
    except KeyError as missing:
        raise ParameterError(
            where="weights",
            query=missing.args[0],
            found="no weight",
            expected="a weight for every evaluated query",
        ) from None
    if not any(aligned):
        raise ParameterError(where="weights", found="only weights of 0", expected="one above 0")
    return aligned


class KnownJudgments:
    """The digest and note of judgments that are no longer in memory."""

    __slots__ = ("digest", "note")

    def __init__(self, digest: str | None, note: str | None) -> None:
        self.digest = digest
        self.note = note

    def __reduce__(self) -> tuple[object, ...]:
        return KnownJudgments, (self.digest, self.note)


#: By measure and query, the exact mean over all orders.
ChanceValues = dict[str, dict[str, float]]


def counts_by_system(evaluation: EvaluationData) -> dict[str, DataCounts]:
    """Return the data checks of each system."""
    return {system: evaluation._count(system) for system in evaluation.systems}


def is_wide(evaluation: EvaluationData) -> bool:
    """Return whether papers show systems × measures by default."""
    return len(evaluation.systems) > 1 and evaluation.bounds_of is None
