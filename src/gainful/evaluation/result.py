"""The result of an evaluation: its rows, summaries and counts."""

from __future__ import annotations

from math import fsum, inf

from gainful import _kernel
from gainful.conventions import Convention
from gainful.errors import ArgumentError, ParameterError
from gainful.evaluation.columns import AT_CUTOFF, COUNTS, cutoffs_of, first_count
from gainful.evaluation.summary import (
    AnswersByEvidence,
    Clusters,
    DataCounts,
    LabelBounds,
    QueryRow,
    QuerySlice,
    Selection,
    Summary,
)
from gainful.evaluation.values import QueryValues
from gainful.keywords import suggest_keywords
from gainful.measures import Measure
from gainful.policies import SHARED_RANKS
from gainful.records import Interval, derived, field
from gainful.results import Records, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, overload

    from gainful.data import Qrels
    from gainful.data.coercion import DiskQrels
    from gainful.data.inputs import ArrowStream, QrelsLike, RunLike
    from gainful.data.paths import Paths
    from gainful.evaluation.chance import Values
    from gainful.evaluation.parts import KnownJudgments
    from gainful.evaluation.query_groups import QueryGroups
    from gainful.evaluation.slices import Attribute, By
    from gainful.evaluation.value_tables import ValuesLike
    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.measures.family import Range
    from gainful.plots import Plot


class Evaluation(QueryValues):
    """The result of `evaluate`: one row per system and query, with summaries.

    It exports the Arrow C stream, so ``polars.DataFrame(evaluation)``,
    ``pyarrow.table(evaluation)`` and DuckDB read it directly.

    Examples
    --------
    >>> import gainful
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    >>> result = gainful.evaluate(qrels, {"q1": ["d2", "d1"], "q2": ["d3"]}, ["nDCG@10", "RR"])
    >>> result.summary("nDCG@10")
    Summary(n=2, mean=0.9299, low=0.0000, high=1.0000, median=0.9299)
    >>> result.per_query("RR")
    {'q1': 1.0, 'q2': 1.0}
    >>> next(result.rows())["DCG@10"]
    2.261859507142915
    """

    SCHEMA = "gainful.evaluation/1"
    COMMAND = "evaluate"
    RECORDS = {"queries": None, "summary": None, "values": None}
    PICTURES = ("means", "scatter", "difficulty", "distribution", "waterfall", "precision_recall")

    __slots__ = ("_chance", "_groups", "_judgments", "_runs", "_weights", "given", "selection")

    _resolved: dict[str, str] = derived(
        lambda evaluation: dict(
            zip(map(repr, evaluation.measures), map(repr, evaluation.resolved), strict=True)
        ),
        key="measures",
        json={"minProperties": 1},
    )
    """The measures as requested, each with every parameter set."""
    _summaries: dict[str, dict[str, Summary]] = derived(
        lambda evaluation: {
            system: {
                repr(measure): evaluation.summary(measure, system)
                for measure in evaluation.measures
            }
            for system in evaluation.systems
        },
        key="systems",
        json={"minProperties": 1, "additionalProperties": {"minProperties": 1}},
    )
    """Summaries by system and measure."""
    _counts: dict[str, DataCounts] = derived(
        lambda evaluation: {system: evaluation._count(system) for system in evaluation.systems},
        key="counts",
        json={"minProperties": 1},
    )
    """Data checks by system."""
    _clusters: Clusters | None = derived(
        lambda evaluation: evaluation._count_clusters(), key="clusters", optional=True
    )
    """With clusters: the attribute that clusters the queries, and the number of clusters."""
    slices: tuple[QuerySlice, ...] | None = derived(
        lambda evaluation: evaluation._summarize_slices() or None, optional=True
    )
    """With slices: summaries by attribute, slice, system and measure."""
    selection: Selection | None = field(optional=True)
    """With selected queries or excluded documents: how many."""
    given: dict[str, str] | None = field(optional=True)
    """With values that were computed elsewhere: by measure, how they were read."""
    answers: tuple[AnswersByEvidence, ...] | None = derived(
        lambda evaluation: evaluation._cross_answers() or None, optional=True
    )
    """With values that were computed elsewhere and a measure of evidence (FullRecall, SpanFull or
    Success): the values where the evidence was found, and where it is missing."""
    _bounds: LabelBounds | None = derived(
        lambda evaluation: (
            evaluation.bounds_of
            and LabelBounds(labels_of=evaluation.bounds_of, scale=evaluation.scale or ())
        ),
        key="bounds",
        optional=True,
    )
    """With bounds: which unjudged documents have labels, and their possible grades. Other unjudged
    documents count as not relevant."""
    _per_query: tuple[QueryRow, ...] | None = derived(
        lambda _: None,
        key="per_query",
        optional=True,
        json={"items": {"additionalProperties": {"type": ["number", "boolean", "null"]}}},
    )
    """With --per-query: one row per system and query. The other keys are the measures, their DCG
    and IDCG, counts, and with bounds low and high of each measure."""

    _chance: Values | None
    _groups: QueryGroups | None
    _weights: dict[str, float] | None
    _judgments: Qrels | DiskQrels | KnownJudgments | None
    _runs: Mapping[str, RunLike] | None

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
        chance: Values | None = None,
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
        super().__init__(tables, measures, convention, bounds=bounds, integers=integers)
        object.__setattr__(self, "_chance", chance)
        object.__setattr__(self, "_groups", groups)
        object.__setattr__(self, "_judgments", judgments)
        # `compare` looks at the chunks of runs with places in texts.
        object.__setattr__(self, "_runs", runs)
        object.__setattr__(self, "_weights", weights)
        object.__setattr__(self, "selection", selection)
        object.__setattr__(self, "given", given)

    @classmethod
    def concat(cls, evaluations: Iterable[Evaluation]) -> Evaluation:
        """Concatenate evaluations of disjoint sets of queries.

        The result is exactly that of one evaluation of all their queries, whatever the order of the
        parts: rows are sorted and means are added in byte order of the query ids.

        Parameters
        ----------
        evaluations : iterable of Evaluation
            With the same convention, measures and systems. Each has the judgments of its own
            queries, or all have the same judgments under a convention with ``missing="skip"``.

        Returns
        -------
        Evaluation
            With the systems in the order of the first part. Its counts are the sums over the parts:
            a query of a run without judgments counts as ``extra`` in each part that contains it.
            `judgments_digest` is None unless all parts have the same judgments.

        Raises
        ------
        MatchError
            If parts overlap, differ in convention, measures, systems or bounds, or if only some
            have weights.
        ArgumentError, ParameterError
            For objects that are not evaluations, or no evaluation.

        Examples
        --------
        >>> import gainful
        >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
        >>> run = {"q1": ["d2", "d1"], "q2": ["d3"]}
        >>> parts = [
        ...     gainful.evaluate({query: qrels[query]}, {query: run[query]}, "nDCG@10")
        ...     for query in ("q2", "q1")
        ... ]
        >>> whole = gainful.Evaluation.concat(parts)
        >>> whole.mean() == gainful.evaluate(qrels, run, "nDCG@10").mean()
        True
        """
        from gainful.evaluation.parts import concat

        return concat(cls, evaluations)

    @classmethod
    def from_rows(
        cls,
        rows: Paths | ArrowStream | Iterable[ArrowStream],
        measures: Measure | str | Iterable[Measure | str] | None = None,
        *,
        convention: Convention | str = "gainful-1",
        weights: Mapping[str, float] | None = None,
        bounds: bool | str = False,
        scale: Iterable[float] | None = None,
        qrels: QrelsLike | None = None,
    ) -> Evaluation:
        """Restore an evaluation from rows of `to_rows` or of a cluster.

        The result is exactly that of one evaluation of all their queries, whatever the order of the
        rows.

        Parameters
        ----------
        rows : table, iterable of tables, or paths
            `QueryRows` of `to_rows` or `gainful.evaluation.partition.score_partition`, or any table
            made from them: a data frame of pandas, polars or PyArrow, a DuckDB relation, the path
            of a Parquet file or of a folder (which needs pyarrow).
        measures, convention
            The measures and the convention of the rows.
        weights : mapping of query id to float, optional
            As for `evaluate`.
        bounds, scale
            The bounds and the scale of the rows.
        qrels : path, mapping, data frame or Qrels, optional
            All judgments, for `judgments_digest`; judged queries without a row are then added, as
            the convention treats queries missing from a run.

        Returns
        -------
        Evaluation
            With the systems in the order of their names. Scattered rows are not detected.

        Raises
        ------
        MatchError
            For rows of another evaluation, duplicate queries, no rows, or judgments and a run
            without common queries.
        ColumnError, FormatError
            For incomplete rows.

        Examples
        --------
        >>> import gainful, polars
        >>> qrels, run = {"q1": {"d1": 2, "d2": 1}}, {"q1": ["d2", "d1"]}
        >>> result = gainful.evaluate(qrels, run, "nDCG@10")
        >>> frame = polars.DataFrame(result.to_rows())
        >>> gainful.Evaluation.from_rows(frame, "nDCG@10").mean() == result.mean()
        True
        """
        from gainful.evaluation.parts import from_rows

        return from_rows(
            cls,
            rows,
            measures,
            convention=convention,
            weights=weights,
            bounds=bounds,
            scale=scale,
            qrels=qrels,
        )

    @classmethod
    def from_values(
        cls,
        values: ValuesLike,
        measure: Measure | str | Iterable[Measure | str] | None = None,
        *,
        range: Range | None = None,
        higher_is_better: bool | None = None,
        aggregate: str | None = None,
        weights: Mapping[str, float] | None = None,
        clusters: Attribute | None = None,
        by: By | None = None,
    ) -> Evaluation:
        """Make an evaluation from values that were computed elsewhere.

        It can be compared, plotted, gated and reported like any other, without judgments. A query
        without a value, or with NaN, does not count for the system and the measure.

        Parameters
        ----------
        values : mapping, data frame, records or path
            ``{system: {query: value}}``, or ``{measure: {system: {query: value}}}``; or a table (a
            data frame, rows as mappings, or a TSV, CSV, JSON, JSON lines or Parquet file) with a
            column for the query. It has a column for the system and one for each measure, columns
            for the system, the measure and the value, or one column for each system. `given` says
            how it was read.
        measure : Measure, str, or several of them, optional
            The measures, by the names in `values`. A single one names values without a name, such
            as those in a column ``value``. Default: all.
        range : pair of float or None, optional
            The lowest and the highest possible value, ``None`` if unbounded. Default: as declared
            before for a measure of this name, else unbounded.
        higher_is_better : bool, optional
            Whether a higher value is better. Default: as declared before, by
            `gainful.measures.declare` or here, else true.
        aggregate : {"mean", "sum", "geometric"}, optional
            How the values of queries are combined. Default: as declared before, else their mean.
        weights, clusters, by
            As for `gainful.evaluate`.

        Raises
        ------
        GainfulError
            For a file that cannot be read, a column that is missing, a duplicate query of a system,
            or a value that is not a number or out of range.

        Examples
        --------
        >>> import gainful
        >>> values = {"old": {"q1": 0, "q2": 1, "q3": 0}, "new": {"q1": 1, "q2": 1, "q3": None}}
        >>> result = gainful.Evaluation.from_values(values, "answer correctness", range=(0, 1))
        >>> result.mean("answer correctness", "new"), result.summary(system="new").n
        (1.0, 2)
        >>> gainful.compare(result, baseline="old").pair().difference
        0.5
        """
        from gainful.evaluation.value_evaluations import from_values

        return from_values(
            cls,
            values,
            measure,
            range=range,
            higher_is_better=higher_is_better,
            aggregate=aggregate,
            weights=weights,
            clusters=clusters,
            by=by,
        )

    def join(self, other: Evaluation) -> Evaluation:
        """Return an evaluation with the measures of both, of the same systems.

        A query that one side lacks does not count for the measures of that side; notes count such
        queries. Use `concat` for different queries under the same measures.

        Parameters
        ----------
        other : Evaluation
            Other measures of the same systems, such as `from_values` returns, under the same
            convention unless the values of one side were computed elsewhere.

        Raises
        ------
        MatchError
            If systems, conventions, judgments, weights, clusters or slices differ, or both have the
            same measure.

        Examples
        --------
        >>> import gainful
        >>> ranking = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
        >>> answers = {"bm25": {query: value > 0.5 for query, value in ranking["nDCG@10"].items()}}
        >>> both = ranking.join(gainful.Evaluation.from_values(answers, "correct", range=(0, 1)))
        >>> {name: round(mean, 4) for name, mean in both.mean().items()}
        {'nDCG@10': 0.7193, 'correct': 0.8333}
        """
        from gainful.evaluation.value_evaluations import join

        return join(self, other)

    @property
    def has_rankings(self) -> bool:
        """Whether any value was computed from rankings, and not elsewhere."""
        return self.given is None or len(self.given) < len(self.measures)

    @property
    def has_places(self) -> bool:
        """Whether judgments and rankings have places in texts, which are not judged one by one."""
        from gainful.evaluation.arguments import has_places

        is_of_spans = any(measure.declaration.judgments == "spans" for measure in self.measures)
        return is_of_spans or has_places(self._judgments)

    def __reduce__(self) -> tuple[object, ...]:
        from gainful.evaluation.parts import reduce_evaluation

        return reduce_evaluation(self)

    @property
    def judgments_digest(self) -> str | None:
        """The `Qrels.digest` of the judgments, computed on first use.

        The digest differs between judgments read with and without subtopics. None if unknown, as
        for some concatenated evaluations.
        """
        return None if self._judgments is None else self._judgments.digest

    @property
    def judgments_note(self) -> str | None:
        """How a judgment list was read and what was left out; None for other judgments."""
        return None if self._judgments is None else self._judgments.note

    @property
    def scattered(self) -> tuple[str, ...]:
        """The systems whose runs had the rows of a query in several places.

        Only runs in columns or TREC text can be scattered. Such a run is read again and regrouped,
        in memory or on disk. The numbers are the same, but a run that is sorted by query is faster.
        Text from a pipe is always regrouped and not reported here.
        """
        return tuple(system for system, table in self._tables.items() if table.scattered)

    def _json_chunks(
        self, style: str, *, per_query: bool, further: Mapping[str, object] | None
    ) -> Iterator[bytes]:
        """Yield JSON with the rows of queries, or JSON lines; a document has further fields."""
        from gainful.evaluation.records import json_chunks

        return json_chunks(self, style, per_query=per_query, further=further)

    def _delimited(self, style: str, records: str | None) -> Iterable[bytes] | None:
        if records not in (None, "queries"):
            return None
        from gainful.evaluation.query_rows import delimited_rows

        return delimited_rows(self, style)

    # --- one number -----------------------------------------------------------------------------

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

        Raises
        ------
        ParameterError
            For an unknown measure or system, or if there are several systems and none is named; use
            `means` for all systems.

        Examples
        --------
        >>> import gainful
        >>> result = gainful.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR", "P@1"])
        >>> result.mean("RR"), result.mean()
        (0.5, {'RR': 0.5, 'P@1': 0.0})
        """
        table = self._table(system)
        if measure is None and len(self.measures) > 1:
            return {
                repr(measure): self._mean(index, table)
                for index, measure in enumerate(self.measures)
            }
        return self._mean(self._measure(measure), table)

    def means(self, *, names: str = "gainful") -> dict[Any, float]:
        """Return all means: by measure, and by system and measure for several systems.

        Parameters
        ----------
        names : {"gainful", "trec"}
            How measures are named: ``nDCG@10``, or as in trec_eval ``ndcg_cut_10``, which programs
            that refuse ``@`` accept. A measure that trec_eval does not have keeps its name, with
            ``_`` instead of other characters: ``ERR_20``.

        Raises
        ------
        ParameterError
            For another value, or if two measures have the same name.

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
            for system, table in self._tables.items()
            for index, name in enumerate(name_measures(self.measures, names))
        }

    def _mean(self, index: int, table: _kernel.Evaluated) -> float:
        return table.summary(index, self._weights_of(table)).mean

    def _figure(self, measure: Measure, system: str) -> float:
        """Return `Summary.value` without a summary."""
        table = self._table(system)
        summary = table.summary(self._measure(measure), self._weights_of(table))
        return summary.sum if measure.aggregate == "sum" else summary.mean

    def _weights_of(self, table: _kernel.Evaluated) -> list[float] | None:
        return None if self._weights is None else _aligned(self._weights, table.query_ids())

    def summary(self, measure: Measure | str | None = None, system: str | None = None) -> Summary:
        """Return mean, interval, median, spread and counts of a measure for a system.

        Raises
        ------
        ParameterError
            For an unknown measure or system, or if there are several and none is named.
        """
        return self._summary(self._measure(measure), self._table(system))

    def _summary(self, index: int, table: _kernel.Evaluated) -> Summary:
        from gainful.inference import geometric_interval, interval_method, mean_interval

        weights = self._weights_of(table)
        lowest, highest = self._mean_bounds(index, table, weights)
        summary = table.summary(index, weights)
        measure = self.measures[index]
        least, most = self._range(index, table)
        interval_of = geometric_interval if measure.aggregate == "geometric" else mean_interval
        n: float = summary.n
        deviation, df, clusters = summary.deviation, None, None
        labels = None if self._groups is None else self._groups.clusters_of(table.query_ids())
        if (weights or labels) and n > 1 and summary.mean == summary.mean:
            deviation, n, df, clusters = self._spread(index, table, weights, labels)
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
            else self._judged_share(self.resolved[index].cutoff, table),
            lowest=lowest,
            highest=highest,
            aggregate=measure.aggregate,
            chance=self._mean_chance(index, table),
        )

    def _mean_chance(self, index: int, table: _kernel.Evaluated) -> float | None:
        """Return the mean of what a random order is expected to have, over the same queries."""
        values = (self._chance or {}).get(repr(self.measures[index]))
        if values is None:
            return None
        rows = zip(table.query_ids(), table.flags(index), strict=True)
        queries = [query for query, flags in rows if not flags & 2]
        weights = self._weights or dict.fromkeys(queries, 1.0)
        total = fsum(weights[query] for query in queries)
        return fsum(weights[query] * values[query] for query in queries) / total if total else None

    def range_on_data(self, measure: Measure | str, system: str) -> Range:
        """Return the range of a measure, which policies extend only if they have an effect.

        Policies on negative grades, ties, unjudged documents and duplicates have none on data
        without them. The highest DCG and CG are the highest that the judgments of any query allow.
        """
        return self._range(self._measure(measure), self._table(system))

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
        rows = getattr(self._judgments, "_rows", None)
        return not isinstance(rows, _kernel.Rows) or len(rows.at_least(0.0)) < len(rows)

    def _spread(
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

    def _judged_share(self, cutoff: int | None, table: _kernel.Evaluated) -> float | None:
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

    # --- groups of queries ----------------------------------------------------------------------

    def _count_clusters(self) -> Clusters | None:
        if self._groups is None or self._groups.clusters is None:
            return None
        table = self._tables[self.systems[0]]
        labels = self._groups.clusters_of(table.query_ids()) or []
        return Clusters(attribute=self._groups.cluster, number=len(set(labels)))

    def _parts(self) -> Iterator[tuple[str, str, Evaluation]]:
        """Yield the attribute and the name of each slice, and the evaluation of its queries."""
        if self._groups is None:
            return
        from gainful.evaluation.parts import select
        from gainful.evaluation.slices import slice_queries

        # Under missing=skip, systems may have different queries.
        every = [query for table in self._tables.values() for query in table.query_ids()]
        queries = list(dict.fromkeys(every))
        for attribute, values in self._groups.slices.items():
            for name, members in slice_queries({attribute: values}, queries).items():
                yield attribute, name, select(self, members)

    def _summarize_slices(self) -> tuple[QuerySlice, ...]:
        return tuple(
            QuerySlice(
                attribute=attribute,
                slice=name,
                system=system,
                measure=repr(measure),
                summary=part.summary(measure, system),
            )
            for attribute, name, part in self._parts()
            for system in part.systems
            for measure in part.measures
        )

    def _cross_answers(self) -> tuple[AnswersByEvidence, ...]:
        if self.given is None:
            return ()
        from gainful.evaluation.answers import cross_answers

        return cross_answers(self)

    # --- counts ---------------------------------------------------------------------------------

    def counts(self, system: str | None = None) -> dict[str, Any]:
        """Return the counts of an evaluation of a system.

        ``judged_queries`` in the judgments; of these ``queries`` in the table; ``missing`` in the
        run; ``extra`` in the run alone; ``no_relevant`` by measure; ``duplicates`` rows; ``tied``
        documents; and by cutoff ``ties_at_cutoff`` (queries with equal scores on both sides of it)
        and ``judged_at_cutoff`` (judged share of the documents above it).
        """
        return self._count(system).to_dict()

    def _count(self, system: str | None) -> DataCounts:
        table = self._table(system)
        judged, evaluated, missing, extra = table.counts[:4]
        first = first_count(self.measures)
        place = first + len(COUNTS)
        tied, duplicates = table.totals([first + 3, first + 4])
        ties = {}
        shares = {}
        for cutoff in cutoffs_of(self.resolved):
            shares[str(cutoff)] = self._judged_share(cutoff, table)
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
            system for system in self.systems if self._judged(None, self._table(system)) == 0
        )

    # --- showing --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        measures = ", ".join(map(repr, self.measures))
        return f"<Evaluation of {', '.join(self.systems)}: {measures}>"

    def tables(
        self,
        *,
        wide: bool = False,
        marks: bool = False,
        per_query: bool = False,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> list[Table]:
        """Return the summary, or the values of each query, as a table.

        Parameters
        ----------
        wide : bool
            Whether it has one row per system and one column per measure, with the best mean of each
            in bold; otherwise it has one row per system and measure, with intervals.
        marks : bool
            Whether to compare the systems, as `gainful.compare` does, and mark means that are
            significantly better or worse, with `wide`.
        per_query : bool
            Whether to return the values of each query in place of the means.
        digits : int, optional
            Digits of the means after the point. Default: 4, or 2 with `percent`.
        sort : str, optional
            The measure by whose mean the systems are sorted, the highest first, or ``"name"``.
            Default: the order of the runs.
        percent : bool
            Whether to show the means of measures from 0 to 1 as percentages.

        Raises
        ------
        ParameterError
            For an option out of range.
        """
        if per_query:
            from gainful.evaluation.records import query_table

            return [query_table(self)]
        from gainful.evaluation.summary import slice_tables, summary_table
        from gainful.formats.table import Look

        look = Look(digits, sort, percent)
        if wide:
            from gainful.evaluation.records import marked_table, matrix_table

            table = (marked_table if marks else matrix_table)(self, look)
            # Text has no intervals in this table.
            notes = [note for note in table.notes if note.key not in ("interval", "judged")]
            shown = [table.replace(notes=notes), *slice_tables(self, matrix_table, look)]
        else:
            shown = [summary_table(self, look), *slice_tables(self, summary_table, look)]
        if self.given is None:
            return shown
        from gainful.evaluation.answers import answer_tables

        return [*shown, *answer_tables(self)]

    def to_markdown(
        self,
        *,
        notes: bool = False,
        wide: bool | None = None,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        r"""Return a table as Markdown; that of several systems has significance marks.

        Parameters
        ----------
        notes : bool
            Whether to add all notes that explain the table; without it there are two at most.
        wide : bool, optional
            As for `tables`. Default: whether there are several systems, without bounds.
        digits, sort, percent
            As for `tables`.

        Examples
        --------
        >>> import gainful
        >>> runs = {"bm25": "bm25.run", "dense": "dense.run"}
        >>> found = gainful.evaluate("qrels.txt", runs=runs, measures=["nDCG@10", "AP"])
        >>> print(found.to_markdown(sort="AP", percent=True).partition("\n\n")[0])
        |     | system | nDCG@10 (%) |    AP (%) |
        |:----|:-------|------------:|----------:|
        | a   | dense  |   **75.81** | **77.50** |
        | b   | bm25   |       71.93 |     61.18 |
        """
        return self._paper("markdown", notes, wide, digits, sort, percent)

    def to_latex(
        self,
        *,
        notes: bool = False,
        wide: bool | None = None,
        digits: int | None = None,
        sort: str | None = None,
        percent: bool = False,
    ) -> str:
        """Return a LaTeX table with a caption and a label, using the package booktabs.

        Parameters
        ----------
        notes : bool
            Whether notes are below the table.
        wide, digits, sort, percent
            As for `to_markdown`.
        """
        return self._paper("latex", notes, wide, digits, sort, percent)

    @property
    def _is_wide(self) -> bool:
        """Whether papers show systems × measures by default."""
        return len(self.systems) > 1 and self.bounds_of is None

    def _paper(
        self,
        style: str,
        notes: bool,
        wide: bool | None,
        digits: int | None,
        sort: str | None,
        percent: bool,
    ) -> str:
        from gainful.formats.saving import rendered

        wide = self._is_wide if wide is None else wide
        tables = self.tables(wide=wide, marks=True, digits=digits, sort=sort, percent=percent)
        return rendered(tables, style, notes=notes, name=self._name)

    def methods(self) -> Methods:
        """Describe the evaluation in a paragraph for the methods section of a paper.

        It names the measures with their definitions, the convention and the number of queries.

        Returns
        -------
        gainful.formats.markup.Methods
            The paragraph with its references. ``save`` writes it as LaTeX, Markdown or text, and
            the references as BibTeX.
        """
        from gainful.evaluation.methods import methods_of

        return methods_of(self)

    def _html_tables(self) -> list[Table]:
        from gainful.evaluation.records import html_table

        return [html_table(self)]

    def _records(self, name: str) -> Records:
        if name == "queries":
            return self._query_records()
        from gainful.evaluation.records import summary_rows, value_rows

        return as_records(*(summary_rows if name == "summary" else value_rows)(self))

    def _picture(self, name: str, **options: Any) -> Plot:
        from gainful.evaluation import pictures

        plot: Plot = getattr(pictures, name)(self, **options)
        return plot


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
